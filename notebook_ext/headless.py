"""``vcad session``: a session that agents work in while no notebook is open.

The same session, gateway and record as in a kernel, without one. It ends with the process that started it,
or by a signal, and takes its record away.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Final

from notebook_ext.session.plain_shell import plain_shell
from vcad_kernel.errors import VcadError

__all__ = ["ended_by_signal", "run"]

_GLANCE: Final = 1.0
"""Seconds between two looks at whether the gateway still listens."""
_ENDING: Final = ("SIGTERM", "SIGINT", "SIGHUP")
"""Windows has not all of them."""


def run(workspace: Path, *, watch_parent: bool) -> int:
    """Hold a session in a workspace until a signal ends it. Returns: the exit status.

    watch_parent: also end when standard input ends.
    """
    from notebook_ext.entry_points import session_of

    ended = ended_by_signal()
    os.chdir(workspace)  # as a kernel is started in its notebook's folder
    session = session_of(plain_shell(), folder=workspace, attached=False)
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


def ended_by_signal() -> threading.Event:
    """What is set as soon as this process is asked to end; for its main thread."""
    ended = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        ended.set()

    for name in _ENDING:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)
    return ended


def _await_end_of_input(ended: threading.Event) -> None:
    while os.read(0, 4096):
        pass
    ended.set()
