"""A session that lives for its viewers: a part of a file in a browser, while no notebook is open.

The same session, gateway and record as in a kernel, without one. It gives way to a notebook of its project,
and ends by a signal, or some time after its last viewer has gone.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from notebook_ext.agents.proxy.finding import SessionChoice, notebook_of
from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.plain_shell import plain_shell
from notebook_ext.session_records import SessionRecord, live_records

if TYPE_CHECKING:
    from notebook_ext.session.session import Session

__all__ = ["PATIENCE", "Stay", "run"]

PATIENCE: Final = 30.0
"""Seconds for which the session waits for another viewer: a page that is loaded anew is gone for a moment."""
_GLANCE: Final = 0.5
"""Seconds between two looks."""


class Stay:
    """Says when no viewer is left. clock: seconds, ever growing. patience: as `PATIENCE`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, patience: float = PATIENCE) -> None:
        self._clock = clock
        self._patience = patience
        self._left: float | None = None
        """When the last viewer was seen; None before the first."""

    def is_over(self, viewers: int, *, was_viewed: bool) -> bool:
        """Whether the last viewer left long enough ago; the first one is waited for without end.

        was_viewed: whether there ever was one.
        """
        if viewers or (was_viewed and self._left is None):
            self._left = self._clock()
        return self._left is not None and self._clock() - self._left > self._patience


def run(
    workspace: Path,
    file: Path,
    show: Callable[[str], object],
    ended: threading.Event,
    *,
    watch: bool,
    records: Callable[[], Sequence[SessionRecord]] = live_records,
    stay: Stay | None = None,
) -> SessionRecord | None:
    """Hold a session that shows a file until no viewer is left.

    show: called with the link. ended: set when the process is to end. watch: whether changes of files are
    followed. records: of the sessions that run.
    Returns: the notebook's session that it has given way to; None where it ended by itself.
    Raises: VcadError, LoonCellFailed where there is nothing to be shown.
    """
    from notebook_ext.entry_points import session_of

    stay = stay or Stay()
    os.chdir(workspace)  # as a kernel is started in its notebook's folder
    session = session_of(plain_shell(), folder=workspace, attached=False)
    try:
        if not watch:
            session.watch_stop()
        tried = _changed(file)
        is_shown = _is_shown(session, file, must=not watch)
        own = session.gateway.open()
        show(session.viewer_url)
        while not ended.wait(_GLANCE) and session.gateway.is_open:
            notebook = notebook_of(records(), own, SessionChoice(workspace))
            viewers = session.viewers
            if notebook is not None or stay.is_over(len(viewers.views()), was_viewed=viewers.was_viewed):
                return notebook
            if not is_shown and _changed(file) != tried:
                tried = _changed(file)
                is_shown = _is_shown(session, file)
        return None
    finally:
        session.close()


def _is_shown(session: Session, file: Path, *, must: bool = False) -> bool:
    """Whether a file could be built; the session follows it from then on, its later mistakes included.

    must: raise LoonCellFailed where it could not; else what is wrong is printed.
    """
    try:
        session.show_file(file)
    except LoonCellFailed as failed:
        if must:
            raise
        print(failed.error.render(), file=sys.stderr, flush=True)
        return False
    return True


def _changed(file: Path) -> int | None:
    """When a file was changed last; None where it is not there."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return None
