"""`vcad test`: verdicts, exit codes, and what tools read."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import vcad

GOOD = "[fn hole [d] [/ d 2.0]]\n[test halves [] [assert-eq [hole 5.0] 2.5]]\n"


def test_passing_tests_exit_0_and_are_named(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text(GOOD, "utf-8")
    done = vcad("test", str(file))
    assert done.returncode == 0, done.stderr
    assert "halves" in done.stdout
    assert done.stdout.endswith("1 passed, 0 failed\n")


def test_a_failing_test_shows_its_diagnostic_and_exits_1(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text(GOOD + "[test wrong []\n  [assert-eq [hole 4.0] 3.0]]\n", "utf-8")
    done = vcad("test", str(file))
    assert done.returncode == 1
    assert "FAILED" in done.stdout
    assert "a.oo:4:3" in done.stdout
    assert done.stdout.endswith("1 passed, 1 failed\n")


def test_a_folder_is_searched_for_files_with_tests(tmp_path: Path) -> None:
    (tmp_path / "a.oo").write_text(GOOD, "utf-8")
    (tmp_path / "part.oo").write_text("[/ 1 0]", "utf-8")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "b.oo").write_text("[test no [] [/ 1 0]]", "utf-8")
    assert vcad("test", folder=tmp_path).stdout.endswith("1 passed, 0 failed\n")


def test_json_has_a_row_per_test(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text(GOOD + "[test wrong [] [/ 1 0]]", "utf-8")
    told = json.loads(vcad("test", "--json", str(file)).stdout)
    assert (told["passed"], told["failed"]) == (1, 1)
    assert told["tests"][1]["error"]["details"]["code"] == "zero-division"


def test_a_choice_by_name(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text(GOOD + "[test wrong [] [/ 1 0]]", "utf-8")
    assert vcad("test", "-k", "halv", str(file)).returncode == 0
    none = vcad("test", "-k", "third", str(file))
    assert (none.returncode, none.stderr) == (1, "no test has third in its name\n")


def test_a_file_that_fails_by_itself_and_no_tests_at_all_are_failures(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text("[test t [] 1] nope", "utf-8")
    done = vcad("test", str(file))
    assert done.returncode == 1
    assert "[E0201]" in done.stdout
    file.write_text("[cube 1 1 1]", "utf-8")
    none = vcad("test", str(file))
    assert none.returncode == 1
    assert "no tests" in none.stderr


def test_models_can_be_tested_with_the_library_and_modules(tmp_path: Path) -> None:
    (tmp_path / "part.oo").write_text("[pub fn plate [w] [cube w w 2]]", "utf-8")
    file = tmp_path / "t.oo"
    file.write_text("[use part [plate]] [test it [] [assert-eq [plate 3] [cube 3 3 2]]]", "utf-8")
    assert vcad("test", str(file)).returncode == 0


def test_a_test_without_end_is_stopped_after_the_time_that_is_set(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text("[fn f [n] [f n]] [test ends [] 1] [test never [] [f 1]]", "utf-8")
    done = vcad("test", str(file), VCAD_EVAL_TIMEOUT_MS="200")
    assert "[time-limit]" in done.stdout
    assert done.stdout.endswith("1 passed, 1 failed\n")


def test_a_file_that_cannot_be_read_is_a_failure_and_the_next_is_tested(tmp_path: Path) -> None:
    (tmp_path / "a.oo").write_bytes(b"\xff")
    (tmp_path / "b.oo").write_text(GOOD, "utf-8")
    told = json.loads(vcad("test", "--json", str(tmp_path), str(tmp_path / "none.oo")).stdout)
    assert (told["passed"], told["failed"]) == (1, 2)
    assert told["tests"][0]["error"]["details"]["code"] == "unreadable-file"
