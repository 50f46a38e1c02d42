"""Session records: whole and private files, those of the dead ignored and removed, the meant one chosen."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from notebook_ext.session_records import SessionRecord, choose, live_records, matching, remove, write


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    runtime = tmp_path / "runtime"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(runtime))
    return runtime


def record(number: int = 1, **changes: object) -> SessionRecord:
    made = SessionRecord(
        session_id=f"s-00000{number}",
        kernel_id=f"kernel-of-{number}",
        url="http://127.0.0.1:4711",
        token="secret",
        workspace="/projects/shelf",
        notebook=f"/projects/shelf/plate{number}.ipynb",
        pid=os.getpid(),
        started_at=(datetime.now(UTC) + timedelta(seconds=number)).isoformat(timespec="microseconds"),
    )
    return replace(made, **changes)


def test_what_is_written_is_read_again(folder: Path) -> None:
    written = record()
    write(written)
    assert live_records() == (written,)


def test_a_record_is_one_line_of_json_in_the_order_of_its_fields(folder: Path) -> None:
    made = record(notebook='/projects/Regal für "A"\n.ipynb', kernel_id=None, pid=7, started_at="2026-01-02")
    assert write(made).read_text(encoding="utf-8") == (
        '{"session_id": "s-000001", "kernel_id": null, "url": "http://127.0.0.1:4711", "token": "secret", '
        '"viewer_token": "", "workspace": "/projects/shelf", '
        '"notebook": "/projects/Regal für \\"A\\"\\n.ipynb", "pid": 7, '
        '"started_at": "2026-01-02"}'
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"url": ""},
        {"token": None},
        {"kernel_id": 7},
        {"notebook": []},
        {"pid": 0},
        {"pid": "1"},
        {"workspace": 1},
    ],
)
def test_a_record_with_a_field_of_another_kind_is_none(folder: Path, changes: dict[str, object]) -> None:
    path = write(record())
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    assert live_records() == ()
    assert path.exists()


@pytest.mark.parametrize("field", ["kernel_id", "notebook"])
def test_what_a_record_may_leave_out_is_none(folder: Path, field: str) -> None:
    path = write(record())
    content = json.loads(path.read_text())
    del content[field]
    path.write_text(json.dumps(content))
    assert live_records() == (replace(record(), started_at=content["started_at"], **{field: None}),)


def test_a_record_is_its_owners_alone_and_nothing_is_left_beside_it(folder: Path) -> None:
    path = write(record())
    assert path.parent == folder
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(folder.iterdir()) == [path]


def test_a_record_is_not_written_through_a_link(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("untouched")
    folder.mkdir()
    (folder / "vcad-s-000001.json").symlink_to(elsewhere)
    write(record())
    assert elsewhere.read_text() == "untouched"


def test_a_removed_record_is_gone_and_may_be_removed_again(folder: Path) -> None:
    path = write(record())
    remove(record())
    remove(record())
    assert not path.exists()
    assert live_records() == ()


def test_the_newest_comes_first(folder: Path) -> None:
    for number in (1, 3, 2):
        write(record(number))
    assert [one.session_id for one in live_records()] == ["s-000003", "s-000002", "s-000001"]


def test_the_record_of_a_dead_process_is_ignored_and_removed(folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    path = write(record(pid=process.pid))
    assert live_records() == ()
    assert not path.exists()


def test_a_process_that_began_after_the_session_is_another_with_its_number(folder: Path) -> None:
    path = write(record(started_at="2001-01-01T00:00:00.000000+00:00"))
    assert live_records() == ()
    assert not path.exists()


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", '{"session_id": 7}', json.dumps({"session_id": "s-1", "pid": "1"}), "\xff"],
)
def test_what_is_no_record_is_ignored_and_left_alone(folder: Path, content: str) -> None:
    folder.mkdir()
    path = folder / "vcad-other.json"
    path.write_text(content, encoding="latin-1")
    assert live_records() == ()
    assert path.exists()


def test_a_later_versions_keys_are_passed_over(folder: Path) -> None:
    path = write(record())
    path.write_text(json.dumps({**json.loads(path.read_text()), "colour": "red"}))
    assert [one.session_id for one in live_records()] == ["s-000001"]


def test_records_of_jupyters_own_servers_are_not_ours(folder: Path) -> None:
    folder.mkdir()
    (folder / "jpserver-1.json").write_text("{}")
    assert live_records() == ()


def test_the_token_is_not_shown() -> None:
    assert "secret" not in repr(record())
    assert "token" not in record().without_token()


def test_without_a_wish_the_newest_of_the_workspace_is_chosen() -> None:
    elsewhere = record(3, workspace="/projects/other")
    records = [record(1), record(2), elsewhere]
    chosen = choose(records, "/projects/shelf")
    assert chosen is not None
    assert chosen.session_id == "s-000002"
    assert choose(records, "/projects/nothing") is None
    assert choose(records) == elsewhere


def test_a_workspace_behind_a_link_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    one = record(workspace=str(tmp_path / "real"))
    assert choose([one], tmp_path / "link") == one


@pytest.mark.parametrize(
    "wanted",
    [
        "s-000002",
        "kernel-of-2",
        "plate2.ipynb",
        "plate2",
        "shelf/plate2.ipynb",
        "shelf/plate2",
        "/projects/shelf/plate2.ipynb",
    ],
)
def test_a_session_is_named_by_its_ids_or_its_notebook(wanted: str) -> None:
    named = matching([record(1), record(2)], wanted)
    assert [one.session_id for one in named] == ["s-000002"]


def test_the_beginning_of_an_id_is_enough() -> None:
    one = record(kernel_id="3f2a9c51-aaaa")
    assert choose([one], wanted="3f2a9c51") == one
    assert choose([one], wanted="3f2") is None


def test_of_two_notebooks_of_one_name_that_of_the_workspace_is_meant() -> None:
    here = record(1, notebook="/projects/shelf/plate.ipynb")
    newer = record(2, workspace="/projects/other", notebook="/projects/other/plate.ipynb")
    assert choose([here, newer], "/projects/shelf", "plate.ipynb") == here
    assert choose([here, newer], "/nowhere", "plate.ipynb") == newer


@pytest.mark.parametrize("wanted", ["late1", "plate", ".ipynb", "/", "plate9", "work/plate1", "elf/plate1"])
def test_what_names_no_session_chooses_none(wanted: str) -> None:
    assert choose([record(1), record(2)], "/projects/shelf", wanted) is None


def test_a_file_nested_without_end_is_no_record(folder: Path) -> None:
    write(record())
    (folder / "vcad-session-s-000002.json").write_text("[" * 100_000)
    assert [found.session_id for found in live_records()] == ["s-000001"]
