"""Scripts run in a process of their own, where OpenCASCADE may die or never end without harm to ours.

    start()                                              # it loads OpenCASCADE while we do something else
    exit_status(step_worker.__file__, folder, seconds=120.0)

A process that has loaded OpenCASCADE waits for the next script, so that running one costs milliseconds and
not a start. What goes in and out of scripts lies in files. Interrupting the caller kills the script.
"""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from vcad_kernel.geometry.occt import guarded_worker

__all__ = ["exit_status", "start", "start_soon"]

_SCRIPTS = tuple(
    str(Path(__file__).parent / name) for name in ("reading/step_worker.py", "insets/growing_worker.py")
)
"""Loaded before they are asked for. By path: importing them would bring OpenCASCADE into this process."""
_SOON = 2.0
"""Seconds after which a process that goes on is worth another one beside it."""
_TICK = 0.1
"""Seconds of waiting between which an exception that another thread sends us gets through."""

_launch: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen

_ENDED = b""
"""What is heard of a process that has ended."""


class _Ended(Exception):
    """A process has ended after it took a script. status: of its end, negative."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _Guarded:
    """A process that runs scripts. One caller at a time."""

    def __init__(self) -> None:
        # -P: no module of the program's folder may stand for one of the library
        self._process = _launch(
            [sys.executable, "-P", guarded_worker.__file__, *_SCRIPTS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True, name="guarded-process").start()

    @property
    def is_alive(self) -> bool:
        """Whether it takes requests still."""
        return self._process.poll() is None

    def run(self, script: str, arguments: Sequence[str], seconds: float) -> int | None:
        """The exit status of a script; None when it takes longer.

        Raises: BrokenPipeError when the process had ended before it took the script, _Ended after that.
        """
        assert self._process.stdin is not None
        until = time.monotonic() + seconds
        self._process.stdin.write(json.dumps([script, arguments]).encode() + b"\n")
        self._process.stdin.flush()
        taken = self._next_line(until)
        # a fork that was killed while it waited has left its status
        while taken and taken.strip() != b"taken":
            taken = self._next_line(until)
        if taken == _ENDED:
            raise BrokenPipeError
        line = None if taken is None else self._next_line(until)
        if line is None:
            return None
        if line == _ENDED:
            # with the script, whose status is then its own, which is positive on some systems; or it was
            # killed, and the fork that had waited took the script before it followed
            raise _Ended(-abs(self._process.wait() or 1))
        return int(line)

    def _next_line(self, until: float) -> bytes | None:
        """Its next line; None when there is none in time."""
        while (left := until - time.monotonic()) > 0.0:
            with suppress(queue.Empty):
                return self._lines.get(timeout=min(left, _TICK))
        return None

    def kill(self) -> None:
        """End it and what it runs."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.kill()
        self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put(_ENDED)


_waiting: list[_Guarded] = []
"""Processes without work, at most one: for more, two threads must have asked at once."""
_later: list[threading.Timer] = []
"""What ``start_soon`` has begun, once."""


def start() -> None:
    """Have a process ready; returns at once."""
    if not _waiting:
        _waiting.append(_Guarded())


def start_soon() -> None:
    """The same in two seconds, if this process goes on for so long: one that ends before needs none."""
    if _later:
        return
    timer = threading.Timer(_SOON, start)
    timer.daemon = True
    timer.start()
    _later.append(timer)


def exit_status(script: str, *arguments: str, seconds: float) -> int | None:
    """What ``main(arguments)`` of a Python file gives.

    Negative when it was killed; None when its time ran out. script: its path. It needs nothing but the
    libraries of this Python. Raises: OSError when no process can be started.
    """
    while True:
        guarded, waited = _taken()
        try:
            status = guarded.run(script, arguments, seconds)
        except (BrokenPipeError, _Ended) as ended:
            guarded.kill()
            # whatever ended one that had waited does not concern this script; where it forks, no script can
            if waited and (guarded_worker.FORKS or not isinstance(ended, _Ended)):
                continue
            if not isinstance(ended, _Ended):
                raise
            status = ended.status
        except BaseException:
            guarded.kill()
            raise
        break
    if status is None or _waiting or not guarded.is_alive:
        guarded.kill()
    else:
        _waiting.append(guarded)
    return status


def _taken() -> tuple[_Guarded, bool]:
    """A process for one caller, and whether it had waited for one."""
    try:
        return _waiting.pop(), True
    except IndexError:
        return _Guarded(), False


@atexit.register
def _end() -> None:
    while _later:
        _later.pop().cancel()
    while _waiting:
        _waiting.pop().kill()


if hasattr(os, "register_at_fork"):
    # a fork must not talk with the process of the one that it was forked from
    os.register_at_fork(after_in_child=_waiting.clear)
