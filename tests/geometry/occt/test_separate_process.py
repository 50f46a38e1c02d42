"""Scripts in a process of their own: what the caller learns of how they ended, and that it waits for them."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from vcad_kernel.geometry.occt import separate_process
from vcad_kernel.geometry.occt.separate_process import exit_status

_LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere a script that dies takes its process along"
)


def script(folder: Path, body: str) -> str:
    file = folder / "script.py"
    file.write_text(f"import os, signal, sys\n\ndef main(arguments):\n    {body}\n", encoding="utf-8")
    return str(file)


def waiting() -> psutil.Process:
    """The process that has been started and has no work."""
    (guarded,) = separate_process._waiting
    return psutil.Process(guarded._process.pid)


def test_a_script_is_given_its_arguments_as_they_are(tmp_path: Path) -> None:
    file = script(tmp_path, "return 7 if arguments == ['$HOME; x', '', 'a\\nb'] else 1")
    assert exit_status(file, "$HOME; x", "", "a\nb", seconds=20.0) == 7


def test_a_script_that_is_killed_has_a_negative_status(tmp_path: Path) -> None:
    file = script(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    assert exit_status(file, seconds=20.0) == -9


def test_a_script_that_raises_has_failed(tmp_path: Path) -> None:
    assert exit_status(script(tmp_path, "raise ValueError"), seconds=20.0) == 1


def test_a_script_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    assert exit_status(script(tmp_path, "while True: pass"), seconds=0.2) is None


def test_a_script_whose_caller_is_interrupted_is_killed(tmp_path: Path) -> None:
    pipe = tmp_path / "begun"
    os.mkfifo(pipe)
    body = f"file = open({str(pipe)!r}, 'w'); file.write('!'); file.flush()\n    while True: pass"
    read: list[str] = []

    def interrupt() -> None:
        with pipe.open() as begun:
            read.append(begun.read(1))
            os.kill(os.getpid(), signal.SIGINT)
            # the pipe ends when nobody is left who could write to it
            read.append(begun.read())

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        exit_status(script(tmp_path, body), seconds=60.0)
    thread.join()
    assert read == ["!", ""]


@_LINUX
def test_a_process_that_has_loaded_opencascade_waits_for_the_next_script(tmp_path: Path) -> None:
    exit_status(script(tmp_path, "return 0"), seconds=20.0)
    process = waiting()
    assert exit_status(script(tmp_path, "os.abort()"), seconds=20.0) == -signal.SIGABRT
    assert waiting() == process
    assert exit_status(script(tmp_path, "return 'OCP.BRepOffset' in sys.modules"), seconds=20.0) == 1
    assert waiting() == process


def test_a_process_that_died_while_it_waited_is_replaced(tmp_path: Path) -> None:
    file = script(tmp_path, "return 3")
    exit_status(file, seconds=20.0)
    waiting().kill()
    assert exit_status(file, seconds=20.0) == 3


def test_two_threads_may_ask_at_once(tmp_path: Path) -> None:
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    # neither end of a pipe can be opened before the other
    file = script(tmp_path, "open(*arguments).close(); return 5")
    found: list[int | None] = []
    threads = [
        threading.Thread(
            target=lambda mode: found.append(exit_status(file, pipe, mode, seconds=30.0)), args=mode
        )
        for mode in ("r", "w")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [5, 5]
    assert len(separate_process._waiting) == 1


def test_a_module_beside_the_script_stands_for_none_of_the_library(tmp_path: Path) -> None:
    (tmp_path / "colorsys.py").write_text("raise SystemExit(5)", encoding="utf-8")
    assert exit_status(script(tmp_path, "import colorsys; return 0"), seconds=20.0) == 0


def test_a_script_cannot_wait_for_input_nor_write_to_our_console(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    body = "print('out'); print('err', file=sys.stderr); os.write(1, b'raw'); return len(sys.stdin.read())"
    assert exit_status(script(tmp_path, body), seconds=20.0) == 0
    assert capfd.readouterr() == ("", "")


@_LINUX
def test_a_fork_that_is_killed_while_it_waits_takes_no_script_along(tmp_path: Path) -> None:
    file = script(tmp_path, "return 7")
    assert exit_status(file, seconds=20.0) == 7
    process = waiting()
    deadline = time.monotonic() + 20.0
    while not (forks := process.children()) and time.monotonic() < deadline:
        time.sleep(0.01)
    for fork in forks:
        fork.kill()
        psutil.wait_procs([fork], timeout=20.0)
    assert exit_status(file, seconds=20.0) == 7
    assert waiting().pid == process.pid
