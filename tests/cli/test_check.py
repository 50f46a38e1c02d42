"""`vcad check`: findings without running, with exit codes for CI."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import vcad


def test_a_mistake_is_found_without_running_anything(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text('[println "ran"]\n[fillet "2" [cube 1 1 1]]', "utf-8")
    done = vcad("check", str(file))
    assert done.returncode == 1
    assert "[E0200]" in done.stdout
    assert "a.oo:2:9" in done.stdout
    assert "ran" not in done.stdout
    assert done.stdout.endswith("1 error\n")


def test_a_clean_file_is_clean(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text("[pipe [cube 50 30.0 5] [difference [cylinder 3 12]] [fillet 1]]", "utf-8")
    done = vcad("check", str(file))
    assert (done.returncode, done.stdout) == (0, "nothing found\n")


def test_hints_fail_only_under_strict(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text("[let v #[1]] [map [fn [x] x] v] [println v]", "utf-8")
    assert vcad("check", str(file)).returncode == 0
    assert vcad("check", "--strict", str(file)).returncode == 1


def test_a_text_that_cannot_be_read_is_a_finding_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_text("\n[cube 1 2", "utf-8")
    done = vcad("check", "--json", str(file))
    assert done.returncode == 1
    found = json.loads(done.stdout)["diagnostics"]
    assert [(one["code"], one["line"], one["column"]) for one in found] == [("E0102", 2, 1)]


def test_modules_are_known_to_the_check(tmp_path: Path) -> None:
    (tmp_path / "sizes.oo").write_text('[let width 7] [let name "plate"]', "utf-8")
    file = tmp_path / "a.oo"
    file.write_text("[use sizes] [cube sizes.width 1 1]", "utf-8")
    assert vcad("check", str(file)).stdout == "nothing found\n"
    file.write_text("[use sizes] [cube sizes.name 1 1]", "utf-8")
    assert "[E0200]" in vcad("check", str(file)).stdout
    file.write_text("[use nothing] 1", "utf-8")
    assert "[E0500]" in vcad("check", str(file)).stdout


def test_folders_are_checked_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "a.oo").write_text("nope", "utf-8")
    (tmp_path / "b.loon").write_text("neither", "utf-8")
    found = json.loads(vcad("check", "--json", str(tmp_path)).stdout)["diagnostics"]
    assert [one["code"] for one in found] == ["E0201", "E0201"]


def test_files_that_cannot_be_read_are_told_and_the_others_checked(tmp_path: Path) -> None:
    (tmp_path / "a.oo").write_bytes(b"\xff\xfe")
    (tmp_path / "b.oo").write_text("nope", "utf-8")
    paths = [str(tmp_path), str(tmp_path / "none.oo"), "x" * 300]
    done = vcad("check", *paths)
    assert done.returncode == 1
    assert done.stdout.endswith("1 error, 3 files not read\n")
    assert done.stderr.count("\n") == 3
    told = json.loads(vcad("check", "--json", *paths).stdout)
    assert [one["code"] for one in told["failed"]] == ["unreadable-file"] * 3
    assert [one["code"] for one in told["diagnostics"]] == ["E0201"]


def test_check_and_run_find_the_same_modules(tmp_path: Path) -> None:
    for folder, value in (("project", '"seven"'), ("outside", "7")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "sizes.oo").write_text(f"[let width {value}]", "utf-8")
    file = tmp_path / "outside" / "a.oo"
    file.write_text("[use sizes] [* 2 sizes.width]", "utf-8")
    project = str(tmp_path / "project")
    for found in (
        vcad("check", str(file), "--project", project).stdout,
        vcad("run", str(file), "--project", project).stderr,
        vcad("test", str(file), "--project", project).stdout,
    ):
        assert "[E0200]" in found
    assert vcad("check", str(file)).stdout == "nothing found\n"
    assert vcad("run", str(file)).stdout == "14\n"


def test_a_text_with_a_mark_of_its_encoding_and_other_line_ends_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.oo"
    file.write_bytes(b"\xef\xbb\xbf[let w 1]\r\nnope\r\n")
    assert "a.oo:2:1" in vcad("check", str(file)).stdout
