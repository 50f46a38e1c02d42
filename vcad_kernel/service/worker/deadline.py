"""What ends a request before it is done: the time that it may take, and SIGINT.

The front kills a worker that is late; that costs everything it has cached and says nothing of where the
program was. So the time that it grants ends a little earlier, and the worker stops itself then, wherever in
Python it is. SIGINT comes when a client cancels; between requests, and while an answer is being written, it
means nothing: it came too late.
"""

from __future__ import annotations

import signal
from types import FrameType
from typing import Final

from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import LoonError, LoonRuntimeError, ServiceFailure
from vcad_kernel.loon.program.failures import Surroundings, translated
from vcad_kernel.loon.runtime.limits.watchdog import TookTooLong

__all__ = ["TIME_LIMIT", "Interrupts", "too_late"]

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
