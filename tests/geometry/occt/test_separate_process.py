"""Scripts in a process of their own: what the caller learns of how they ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcad_kernel.geometry.occt.separate_process import exit_status


def script(folder: Path, text: str) -> str:
    file = folder / "script.py"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_script_is_given_its_arguments_as_they_are(tmp_path: Path) -> None:
    text = "import sys; sys.exit(7 if sys.argv[1:] == ['$HOME; x', ''] else 1)"
    assert exit_status(script(tmp_path, text), "$HOME; x", "", seconds=20.0) == 7


def test_a_script_that_is_killed_has_a_negative_status(tmp_path: Path) -> None:
    text = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert exit_status(script(tmp_path, text), seconds=20.0) == -9


def test_a_script_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    assert exit_status(script(tmp_path, "while True: pass"), seconds=0.2) is None


def test_a_module_beside_the_script_stands_for_none_of_the_library(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(5)", encoding="utf-8")
    assert exit_status(script(tmp_path, "import json"), seconds=20.0) == 0


def test_a_script_cannot_wait_for_input_nor_write_to_our_console(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(len(sys.stdin.read()))"
    assert exit_status(script(tmp_path, text), seconds=20.0) == 0
    assert capfd.readouterr() == ("", "")
