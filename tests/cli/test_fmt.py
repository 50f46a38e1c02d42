"""`vcad fmt`: files laid out in place, or only looked at."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import vcad

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


def test_a_file_that_cannot_be_read_stays_and_the_others_are_laid_out(tmp_path: Path) -> None:
    (tmp_path / "a.oo").write_text("[cube 1", "utf-8")
    (tmp_path / "b.oo").write_text(UNTIDY, "utf-8")
    done = vcad("fmt", "--json", str(tmp_path))
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["changed"] == [str(tmp_path / "b.oo")]
    assert told["unreadable"][0]["code"] == "E0102"
    assert (tmp_path / "a.oo").read_text("utf-8") == "[cube 1"
