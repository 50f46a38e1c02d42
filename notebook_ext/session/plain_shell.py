"""A session's shell where there is no IPython: in a script, in marimo, for an agent without a notebook.

A session asks its shell for the running cell, for a place to show progress, and for the variables that name
its parts. Here these are empty; the session's verbs work the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["plain_shell", "shell_here"]


def shell_here() -> InteractiveShell:
    """IPython's shell, where this program runs in one; a plain one anywhere else."""
    running = sys.modules.get("IPython")  # code that runs in it has loaded it
    shell = None if running is None else running.get_ipython()
    return plain_shell() if shell is None else shell


def plain_shell() -> InteractiveShell:
    """A shell without a user."""
    return cast("InteractiveShell", _PlainShell())


class _PlainShell:
    """Stands for IPython's shell. It has no ``kernel``, which means to the session that no person looks."""

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
