"""``vcad session``: a session that agents work in while no notebook is open.

The same session, gateway and record as in a kernel, without one. It ends with the process that started it,
or by a signal, and takes its record away.

A session asks its shell for the running cell, for a place to show progress, and for the variables that name
its parts. Here these are empty; the session's verbs work the same.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, cast

from vcad_kernel.errors import VcadError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["HeadlessShell", "run"]


_GLANCE: Final = 1.0
"""Seconds between two looks at whether the gateway still listens."""
_ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def run(workspace: Path, *, watch_parent: bool) -> int:
    """Hold a session in a workspace until a signal ends it. Returns: the exit status.

    watch_parent: also end when standard input ends.
    """
    from notebook_ext.entry_points import session_of

    ended = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        ended.set()

    for number in _ENDING:
        signal.signal(number, end)
    os.chdir(workspace)  # as a kernel is started in its notebook's folder
    session = session_of(cast("InteractiveShell", HeadlessShell()), folder=workspace, attached=False)
    gateway = session.gateway
    try:
        record = gateway.open()
        print(f"vcad session {record.session_id} listening on {record.url}", flush=True)
        if watch_parent:
            threading.Thread(
                target=_await_end_of_input, args=(ended,), name="vcad-parent", daemon=True
            ).start()
        while not ended.wait(_GLANCE):
            if not gateway.is_open:  # no client could reach the session any more
                print("Error: the gateway has failed; the session's log says why", file=sys.stderr)
                return 1
    except VcadError as failed:
        print(f"Error: {failed.render()}", file=sys.stderr)
        return 1
    finally:
        session.close()
    return 0


def _await_end_of_input(ended: threading.Event) -> None:
    while os.read(0, 4096):
        pass
    ended.set()


class HeadlessShell:
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
