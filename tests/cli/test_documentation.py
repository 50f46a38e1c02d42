"""`vcad explain` and `vcad doc`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import vcad
from vcad_kernel.cad import reference
from vcad_kernel.cad.reference import ALL
from vcad_kernel.service.reference_pages import page_path


def test_explain_shows_the_lesson_of_a_code() -> None:
    done = vcad("explain", "e0201")
    assert done.returncode == 0
    assert done.stdout.startswith("E0201: ")
    assert "```loon" in done.stdout


def test_explain_without_a_code_lists_them() -> None:
    listed = vcad("explain").stdout
    assert "E0100" in listed
    assert "W0100" in listed


def test_an_unknown_code_is_refused_with_a_proposal() -> None:
    done = vcad("explain", "E0299")
    assert done.returncode == 1
    assert "did you mean E" in done.stderr


def test_doc_says_what_a_name_means() -> None:
    said = vcad("doc", "fillet").stdout
    assert "[fillet r s]" in said
    assert "Real → Solid → Solid" in said
    assert "did you mean fillet" in vcad("doc", "filet").stderr


def test_doc_lists_all_names_by_group_and_tells_tools() -> None:
    assert "cube" in vcad("doc").stdout
    told = json.loads(vcad("doc", "--json", "fold").stdout)
    assert told["name"] == "fold"
    assert told["example"]


def test_tools_are_told_of_an_unknown_name_too() -> None:
    for command in ("doc", "explain"):
        done = vcad(command, "--json", "nothing-such")
        assert done.returncode == 1
        assert json.loads(done.stdout)["code"] == "unknown-name"


def test_a_folder_that_cannot_be_written_is_told_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", "utf-8")
    done = vcad("doc", "--write", str(file))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert str(file) in done.stderr
    assert json.loads(vcad("doc", "--json", "--write", str(file)).stdout)["code"] == "unwritable-file"
    assert vcad("doc", "--write", str(tmp_path), "cube").returncode == 2


def written_reference(folder: Path) -> list[str]:
    """The pages that `vcad doc --write` makes in a folder, after a look at what they say and link to."""
    done = vcad("doc", "--write", str(folder))
    assert done.returncode == 0, done.stderr
    cube = (folder / "functions" / "cube.md").read_text("utf-8")
    assert "[cube x y z]" in cube
    assert "![cube](cube.png)" in cube
    assert (folder / "functions" / "cube.png").stat().st_size > 1000
    index = (folder / "index.md").read_text("utf-8")
    assert "(functions/cube.md)" in index
    for line in index.splitlines():
        if "](" in line:
            assert (folder / line.rpartition("](")[2].partition(")")[0]).is_file()
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*.md")]


def test_a_reference_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a model, a value, one that a machine may lack fonts for, a name that is no file name, and two that
    # differ in nothing but case
    few = {name: ALL[name] for name in ("cube", "Cube", "fold", "text", "set!")}
    monkeypatch.setattr(reference, "ALL", few)
    assert len(written_reference(tmp_path)) == len(few) + 1


def test_no_two_names_share_a_page_whatever_a_disk_makes_of_capitals() -> None:
    pages = [page_path(entry).lower() for entry in ALL.values()]
    assert len(set(pages)) == len(pages)


# Runs and draws the example of every name, which takes minutes; tests/cad runs them all in each `make test`.
@pytest.mark.soak
def test_the_whole_reference_can_be_written(tmp_path: Path) -> None:
    pages = [page.lower() for page in written_reference(tmp_path)]
    assert len(set(pages)) == len(pages) == len(ALL) + 1
