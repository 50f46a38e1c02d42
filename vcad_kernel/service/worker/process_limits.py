"""What the worker asks of the operating system for itself: to die with its parent, and a bound on memory.

Where a system cannot do a thing, it is left out: the front watches the worker's memory too, and the worker
ends when its socket does.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from types import FrameType
from typing import Final

from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import LoonError, LoonRuntimeError, ServiceFailure
from vcad_kernel.loon.program.failures import Surroundings, translated
from vcad_kernel.loon.runtime.limits.watchdog import TookTooLong

__all__ = ["TIME_LIMIT", "Interrupts", "die_with_parent", "limit_memory", "too_late"]

_PR_SET_PDEATHSIG: Final = 1
_LEEWAY: Final = 1.25
"""The hard bound over the limit: the front, which looks at what is really used, should be first."""


def die_with_parent() -> None:
    """Have this process killed when the one that started it ends, however it does. Linux only.

    Raises: OSError.
    """
    if sys.platform != "linux":
        return
    parent = os.getppid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    if os.getppid() != parent:  # it ended before it was asked for
        os.kill(os.getpid(), signal.SIGKILL)


def limit_memory(megabytes: int) -> None:
    """Let allocations fail beyond a little more than so many MiB of data; 0 sets no bound. Linux only.

    Elsewhere such a bound does not count what is mapped, which is nearly all of it.
    """
    if sys.platform != "linux" or megabytes <= 0:
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = int(megabytes * _LEEWAY) * 2**20
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


# ---- what ends a request before it is done: the time that it may take, and SIGINT ------------
# The front kills a worker that is late; that costs everything it has cached and says nothing of where the
# program was. So the time that it grants ends a little earlier, and the worker stops itself then, wherever in
# Python it is. SIGINT comes when a client cancels; between requests, and while an answer is being written, it
# means nothing: it came too late.


TIME_LIMIT: Final = "time-limit"
"""The language's own code for a program that ran for too long."""


_NOWHERE: Final = Surroundings(lambda _: None, tuple, lambda *_: None, lambda _: ())


def too_late(limit_ms: int, stopped: LoonError | TookTooLong) -> ServiceFailure:
    """The failure of work that took too long, with the place where the program was.

    limit_ms: the limit as the user knows it, which counts waiting too.
    """
    if isinstance(stopped, TookTooLong):
        error: LoonError = LoonRuntimeError("").with_traceback(stopped.__traceback__)
        translated(error, _NOWHERE)  # it gets place and calls from the traceback
    else:
        error = stopped
    return ServiceFailure(
        ErrorCode.VCAD_EVAL_TIMEOUT,
        f"the evaluation took more than {limit_ms / 1000:g} seconds, waiting included, and was stopped here",
        code=TIME_LIMIT,
        place=error.place,
        why="a recursion without end, or more work than fits into that time",
        fix="check that loops and recursions end, or raise VCAD_EVAL_TIMEOUT_MS",
        details={"limit": limit_ms},
        stack=error.stack,
    )


class Interrupts:
    """Has SIGINT raise KeyboardInterrupt in the main thread, in what is done ``with`` it and only there.

    At most one for each time; it may also come while that is being left.
    """

    def __init__(self) -> None:
        self._armed = False

    def install(self) -> None:
        """Handle the signal from now on."""
        signal.signal(signal.SIGINT, self._interrupt)

    def _interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if self._armed:
            self._armed = False
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        """From now on."""
        self._armed = True

    def __exit__(self, *_: object) -> None:
        """Until now."""
        self._armed = False
