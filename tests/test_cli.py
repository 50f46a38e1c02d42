"""The `vcad` command, as a terminal runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def vcad(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from vcad_kernel.cli import main; main()", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def plate(tmp_path: Path) -> Path:
    file = tmp_path / "plate.cmp.oo"
    file.write_text('[println "working"]\n[cube 10 20 2]\n', encoding="utf-8")
    return file


def test_run_prints_what_the_program_prints_and_its_figures(plate: Path) -> None:
    done = vcad("run", str(plate))
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "working\nplate: 10 × 20 × 2 mm · volume 400 mm³ · area 520 mm² · centre (5, 10, 1)\n"
    )


def test_run_writes_files(plate: Path, tmp_path: Path) -> None:
    done = vcad("run", str(plate), "-o", str(tmp_path / "a.stl"), "-o", str(tmp_path / "a.3mf"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.stl").stat().st_size == 84 + 12 * 50
    assert (tmp_path / "a.3mf").exists()


def test_run_reads_standard_input() -> None:
    assert vcad("run", "-", stdin="[+ 1 2]").stdout == "3\n"


def test_a_failing_program_exits_1_with_the_diagnostic_on_stderr(tmp_path: Path) -> None:
    file = tmp_path / "bad.oo"
    file.write_text("\n[cube 1 1 -1]", encoding="utf-8")
    done = vcad("run", str(file))
    assert done.returncode == 1
    assert done.stdout == ""
    assert "[INVALID_PARAMETER] cube: z" in done.stderr
    assert "bad.oo:2:1" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    done = vcad("run", str(tmp_path / "none.oo"))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "none.oo" in done.stderr


def test_an_unknown_format_is_refused(plate: Path, tmp_path: Path) -> None:
    done = vcad("run", str(plate), "-o", str(tmp_path / "a.docx"))
    assert done.returncode == 1
    assert ".stl" in done.stderr


def test_version_is_that_of_the_distribution() -> None:
    assert vcad("--version").stdout.startswith("vcad-workbench ")


def test_the_package_runs_as_a_module(plate: Path) -> None:
    command = [sys.executable, "-m", "vcad_kernel", "run", str(plate)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "volume 400 mm³" in done.stdout


def test_help_calls_arguments_by_what_they_are() -> None:
    said = vcad("run", "--help").stdout
    assert "--output FILE" in said
    assert "--tolerance MM" in said
