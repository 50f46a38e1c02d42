"""What a session asks of a shell, where there is none: nothing is displayed, no cell is ever running.

A session lives in an IPython shell and asks it for the running cell, for a place to show progress, and for
the variables that name its parts. Outside of a kernel these are empty; the session's verbs work the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["HeadlessShell"]


class HeadlessShell:
    """Stands for IPython's shell. It has no ``kernel``, which tells the session that nobody looks."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.display_pub = _NoDisplay()
        self.displayhook = _NoCells()
        self.events = _NoEvents()


class _NoDisplay:
    """Takes every output and shows none: standard output is not the session's to write to."""

    def publish(self, *_what: object, **_options: object) -> None:
        pass

    def clear_output(self, *_what: object, **_options: object) -> None:
        pass


class _NoCells:
    """Counts the cells that a front end has sent: none."""

    prompt_count = 0


class _NoEvents:
    """No cell begins or ends here."""

    def register(self, _event: str, _function: Callable[..., object]) -> None:
        pass

    def unregister(self, _event: str, _function: Callable[..., object]) -> None:
        pass
