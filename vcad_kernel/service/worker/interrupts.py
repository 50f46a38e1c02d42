"""SIGINT ends the running request and nothing else.

The front sends it when a client cancels. Between requests, and while an answer is being written, it means
nothing: it came too late.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

__all__ = ["Interrupted", "Interrupts"]

T = TypeVar("T")


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
