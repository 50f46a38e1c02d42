"""The worker's plugin of these tests: checkpoints, and functions beside those of `faulty`.

[hold "name"]        says that it is there, and goes on when the test says so; can be interrupted
[deaf 600.0]         a program that takes no notice of an interrupt
[small-files 4096]   from now on this process writes no file longer than that: its disk is full
[note "name" value]  says something to the test, in a file
[spawn]              starts a process of its own, which outlives it if nobody ends it; gives its number
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import tests.service.worker.faulty as faulty
from tests.service.faults.checkpoints import FOLDER, install_in_worker
from vcad_kernel.loon.runtime.builtins.registry import builtin
from vcad_kernel.loon.runtime.values import UNIT

__all__ = ["faulty"]

install_in_worker()


@builtin("hold")
def hold(name: str, *_surplus: Any) -> object:
    folder = Path(os.environ[FOLDER])
    (folder / f"{name}.held").touch()
    gate = folder / f"{name}.go"
    while not gate.exists():
        time.sleep(0.002)
    return UNIT


@builtin("note")
def note(name: str, value: object, *_surplus: Any) -> object:
    # printed text is passed on by a thread, which needs the interpreter too
    folder = Path(os.environ[FOLDER])
    making = folder / f".{name}.note"
    making.write_text(str(value), "utf-8")
    making.rename(folder / f"{name}.note")
    return UNIT


@builtin("deaf")
def deaf(seconds: float, *_surplus: Any) -> object:
    until = time.monotonic() + float(seconds)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while time.monotonic() < until:
        time.sleep(0.01)
    return UNIT


@builtin("small-files")
def small_files(limit: int, *_surplus: Any) -> object:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), hard))
    return UNIT


@builtin("spawn")
def spawn(*_surplus: Any) -> object:
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    child.returncode = 0  # nobody waits for it: it is the front's business that it ends
    return child.pid
