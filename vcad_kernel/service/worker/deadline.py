"""What ends a request before it is done: the time that it may take, and SIGINT.

The front kills a worker that is late; that costs everything it has cached and says nothing of where the
program was. So the time that it grants ends a little earlier, and the worker stops itself then, wherever in
Python it is. SIGINT comes when a client cancels; between requests, and while an answer is being written, it
means nothing: it came too late.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import Final, TypeVar

from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import LoonError, LoonRuntimeError, ServiceFailure, VcadError
from vcad_kernel.loon.failures import Surroundings, translated
from vcad_kernel.loon.runtime.watchdog import TookTooLong, within

__all__ = ["Interrupted", "Interrupts", "before"]

T = TypeVar("T")

_TIME_LIMIT: Final = "time-limit"
"""The language's own code for a program that ran for too long."""


def before(seconds: float | None, limit_ms: int, work: Callable[[], T]) -> T:
    """The value of work that must be done in so many seconds; None for any.

    limit_ms: the limit as the user knows it, which counts waiting too.
    Raises: ServiceFailure VCAD_EVAL_TIMEOUT, with the place where the program was; what the work raises.
    """
    try:
        return within(seconds, work)
    except LoonError as error:
        if error.code != _TIME_LIMIT:
            raise
        late: VcadError = error
    except TookTooLong as stopped:
        late = LoonRuntimeError("").with_traceback(stopped.__traceback__)
        translated(late, _NOWHERE)  # it gets place and calls from the traceback
    # out here nothing keeps the frames of the stopped work alive
    raise _too_late(limit_ms, late)


_NOWHERE: Final = Surroundings(lambda _: None, tuple, lambda *_: None)


def _too_late(limit_ms: int, error: VcadError) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.VCAD_EVAL_TIMEOUT,
        f"the evaluation took more than {limit_ms / 1000:g} seconds, waiting included, and was stopped here",
        code=_TIME_LIMIT,
        place=error.place,
        why="a recursion without end, or more work than fits into that time",
        fix="check that loops and recursions end, or raise VCAD_EVAL_TIMEOUT_MS",
        details={"limit": limit_ms},
        stack=error.stack,
    )


class Interrupted(Exception):
    """The work was ended by a signal."""


class Interrupts:
    """Takes SIGINT over, once it is installed, for the main thread."""

    def __init__(self) -> None:
        self._armed = False

    def install(self) -> None:
        """Handle the signal from now on."""
        signal.signal(signal.SIGINT, self._interrupt)

    def _interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if self._armed:
            self._armed = False
            raise KeyboardInterrupt

    def during(self, work: Callable[[], T]) -> T:
        """The value of work that may be interrupted.

        Raises: Interrupted; what the work raises.
        """
        try:
            try:
                self._armed = True
                return work()
            finally:
                self._armed = False
        except KeyboardInterrupt:
            # also one that came after the work and before the line above: an answer that nobody wants
            raise Interrupted from None
