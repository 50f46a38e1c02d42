"""Counts calls of the product's functions in every Python process that a profiled kernel starts.

Python imports this by itself where its folder is on PYTHONPATH; `tools.cell_profile` sets that. The first
byte of the file that CELL_PROFILE names says what to do: wait, count, or write down which calls are under
way. A thread of each process looks at it; nothing is counted of that thread.
"""

from __future__ import annotations

import asyncio
import json
import mmap
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

WAIT, COUNT, SNAPSHOT, WRITE = 0, 1, 2, 3
_PRODUCT = tuple(f"{os.sep}{name}{os.sep}" for name in ("vcad_kernel", "notebook_ext"))
_LOOKED = 0.002
"""Seconds between two looks at the byte."""
_LONGEST = 5.0
"""Seconds that evaluating is held up at most, so that all processes can write down what is under way."""


def _is_product(code: CodeType) -> bool:
    return any(part in code.co_filename for part in _PRODUCT) and code.co_name != "<module>"


def _name(code: CodeType) -> tuple[str, str]:
    place = max(code.co_filename.rfind(part) for part in _PRODUCT)
    return code.co_filename[place + 1 :], code.co_qualname


class _Counter:
    """Counts calls while the byte says so, and writes them into a file of this process."""

    def __init__(self, control: Path) -> None:
        with control.open("r+b") as file:
            self._byte = mmap.mmap(file.fileno(), 1)
        self._file = control.parent / f"{os.getpid()}.json"
        self._seen = control.parent / f"{os.getpid()}.seen"
        """Holds what the byte was when this process looked last."""
        self._seen.write_bytes(bytes([WAIT]))
        self._calls: dict[CodeType, int] = {}
        self._under_way: list[tuple[str, str]] = []
        self._held = False
        """Whether evaluating has been held up: its first call is that of the cell's own value."""

    def called(self, frame: FrameType, event: str, _argument: object) -> None:
        """For `sys.setprofile`."""
        if event != "call" or self._byte[0] != COUNT:
            return
        code = frame.f_code
        if not _is_product(code):
            return
        self._calls[code] = self._calls.get(code, 0) + 1
        if not self._held and code.co_name == "evaluate" and _name(code)[0].endswith("geometry/evaluate.py"):
            self._held = True
            self._byte[0] = SNAPSHOT
            until_seen(self._file.parent, SNAPSHOT, _LONGEST)
            self._byte[0] = COUNT

    def watch(self) -> None:
        """Obey the byte, for as long as the process lives."""
        sys.setprofile(None)
        before = WAIT
        while True:
            time.sleep(_LOOKED)
            now = self._byte[0]
            if now != before and now == SNAPSHOT:
                self._under_way = [_name(code) for code in _under_way()]
            elif now != before and now == WRITE:
                self._write()
            if now != before:
                self._seen.write_bytes(bytes([now]))
            before = now

    def _write(self) -> None:
        calls = [(*_name(code), count) for code, count in self._calls.items()]
        said = {"command": sys.orig_argv[1:], "calls": calls, "under_way": self._under_way}
        partial = self._file.with_suffix(".partial")
        partial.write_text(json.dumps(said))
        partial.replace(self._file)
        self._calls.clear()
        self._under_way, self._held = [], False


def until_seen(folder: Path, what: int, seconds: float) -> None:
    """Wait until all processes have done what the byte says; one that has ended has done nothing."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if all(
            seen.read_bytes() == bytes([what]) for seen in folder.glob("*.seen") if _lives(int(seen.stem))
        ):
            return
        time.sleep(_LOOKED)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _under_way() -> Iterator[CodeType]:
    """The product's functions on the stack of any thread, and those that a task of asyncio waits in."""
    for frame in sys._current_frames().values():  # the only way to other threads' stacks
        at: FrameType | None = frame
        while at is not None:
            if _is_product(at.f_code):
                yield at.f_code
            at = at.f_back
    # of every loop, which all_tasks does not give; the name has changed with Python 3.12
    tasks: Any = getattr(asyncio.tasks, "_scheduled_tasks", None) or getattr(asyncio.tasks, "_all_tasks", ())
    for task in list(tasks):
        awaited: Any = task.get_coro()
        while awaited is not None:
            code = getattr(awaited, "cr_code", None)
            if code is not None and awaited.cr_frame is not None and _is_product(code):
                yield code
            awaited = getattr(awaited, "cr_await", None)


def _begin() -> None:
    control = os.environ.get("CELL_PROFILE")
    # the process that may die is no part of a cell's way: it only stands by
    if control is None or not Path(control).exists() or "guarded_worker" in " ".join(sys.orig_argv):
        return
    counter = _Counter(Path(control))
    threading.Thread(target=counter.watch, name="call profile", daemon=True).start()
    threading.setprofile(counter.called)
    sys.setprofile(counter.called)


_begin()
