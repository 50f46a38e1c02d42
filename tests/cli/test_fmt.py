"""`vcad fmt`: files laid out in place, or only looked at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.cli.command import vcad
from vcad_kernel.cli import app
from vcad_kernel.system import files

UNTIDY = "[let   w 5] ; width\n[cube w   w 2]\n"
TIDY = "[let w 5] ; width\n[cube w w 2]\n"


def test_a_file_is_laid_out_in_place_and_keeps_its_comments(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text(UNTIDY, "utf-8")
    assert vcad("fmt", str(file)).returncode == 0
    assert file.read_text("utf-8") == TIDY
    assert [one.name for one in tmp_path.iterdir()] == ["a.oo"]


def test_check_changes_nothing_and_fails_when_something_would_change(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text(UNTIDY, "utf-8")
    done = vcad("fmt", "--check", str(file))
    assert done.returncode == 1
    assert str(file) in done.stdout
    assert file.read_text("utf-8") == UNTIDY
    file.write_text(TIDY, "utf-8")
    assert vcad("fmt", "--check", str(file)).returncode == 0


def test_diff_shows_the_change(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text(UNTIDY, "utf-8")
    done = vcad("fmt", "--diff", str(file))
    assert done.stdout.endswith("-[let   w 5] ; width\n-[cube w   w 2]\n+[let w 5] ; width\n+[cube w w 2]\n")
    assert file.read_text("utf-8") == UNTIDY


def test_standard_input_goes_to_standard_output() -> None:
    assert vcad("fmt", "-", stdin=UNTIDY).stdout == TIDY


def test_standard_input_is_told_to_tools_within_the_object() -> None:
    done = vcad("fmt", "--json", "-", stdin=UNTIDY)
    assert json.loads(done.stdout) == {"changed": ["<stdin>"], "failed": [], "text": TIDY}


def test_line_ends_and_the_mark_of_the_encoding_stay_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    windows = UNTIDY.replace("\n", "\r\n").encode()
    for mark in (b"", b"\xef\xbb\xbf"):
        file.write_bytes(mark + windows)
        assert vcad("fmt", str(file)).returncode == 0
        assert file.read_bytes() == mark + TIDY.replace("\n", "\r\n").encode()


def test_a_link_stays_a_link_and_no_other_file_is_touched(tmp_path: Path) -> None:
    file, link, other = tmp_path / "a.oo", tmp_path / "b.oo", tmp_path / "a.oo.vcad-new"
    file.write_text(UNTIDY, "utf-8")
    file.chmod(0o640)
    link.symlink_to(file)
    other.write_text("precious", "utf-8")
    assert vcad("fmt", str(link)).returncode == 0
    assert link.is_symlink()
    assert file.read_text("utf-8") == TIDY
    assert file.stat().st_mode & 0o777 == 0o640
    assert {one.name: one.read_text("utf-8") for one in tmp_path.iterdir()}["a.oo.vcad-new"] == "precious"
    assert len(list(tmp_path.iterdir())) == 3


def test_a_file_that_cannot_be_written_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "a.oo"
    file.write_text(UNTIDY, "utf-8")
    monkeypatch.setattr(files, "_rename", full)
    done = CliRunner().invoke(app, ["fmt", "--json", str(file)])
    assert done.exit_code == 1
    assert json.loads(done.stdout)["failed"][0]["code"] == "unwritable-file"
    assert f"cannot write {file}: No space left on device" in done.stderr
    assert file.read_text("utf-8") == UNTIDY
    assert [one.name for one in tmp_path.iterdir()] == ["a.oo"]


def test_a_file_that_cannot_be_read_stays_and_the_others_are_laid_out(tmp_path: Path) -> None:
    (tmp_path / "a.oo").write_text("[cube 1", "utf-8")
    (tmp_path / "b.oo").write_text(UNTIDY, "utf-8")
    (tmp_path / "0.oo").write_bytes(b"\xff")
    done = vcad("fmt", "--json", str(tmp_path), str(tmp_path / "none.oo"))
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["changed"] == [str(tmp_path / "b.oo")]
    assert [one["code"] for one in told["failed"]] == ["unreadable-file", "E0102", "unreadable-file"]
    assert (tmp_path / "a.oo").read_text("utf-8") == "[cube 1"
