"""A slow evaluation shows how far it is in its cell; a quick one shows nothing.

    with CellProgress(shell, stop) as report:
        ... report("geometry", 12, 40) from any thread ...

What appears is one widget and no text, and it is gone when the evaluation ends. nbval compares neither,
so a notebook is the same to it on a fast machine and on a slow one. Nothing is imported for it before
half a second has passed.
"""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from notebook_ext.viewer.mime import WIDGET_VIEW, when_ended, widget_reference

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.viewer.inline.progress import ProgressBar

__all__ = ["PATIENCE", "CellProgress", "Report"]

_log = logging.getLogger("vcad.notebook.cell_progress")

PATIENCE: Final = 0.5
"""Seconds before anything is shown."""
_PAUSE: Final = 0.1
"""Seconds between two changes of the widget."""

Report = Callable[[str, int, int], None]
"""Takes the phase, how much of it is done, and how much there is; 0 where that is not known."""

Timer = Callable[[float, Callable[[], None]], Any]
"""Has a function called after some seconds, on another thread; what it gives has ``cancel``."""


def _started(seconds: float, function: Callable[[], None]) -> threading.Timer:
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    with suppress(RuntimeError):  # there is no room for another thread: then nothing is shown
        timer.start()
    return timer


class CellProgress:
    """The progress of one evaluation, shown while it is entered and once it has taken a while.

    stop: what the button does; without one there is none. timer: runs something later.
    """

    def __init__(
        self, shell: InteractiveShell, stop: Callable[[], object] | None, timer: Timer = _started
    ) -> None:
        self._shell = shell
        self._start_timer = timer
        self._stop = stop
        self._lock = threading.Lock()
        self._bar: ProgressBar | None = None
        self._display_id = uuid4().hex
        self._latest: tuple[str, int, int] = ("starting", 0, 0)
        self._ended = False
        # what is published on another thread must still belong to this cell
        self._context = contextvars.copy_context()

    def __enter__(self) -> Report:
        self._next: Any = self._start_timer(PATIENCE, lambda: self._context.run(self._tick))
        return self.report

    def __exit__(self, *_failure: object) -> None:
        """Take the widget away, if there is one."""
        with self._lock:
            self._ended = True
            self._next.cancel()
            if self._bar is not None:
                self._publish({}, update=True)
                self._bar.close()

    def report(self, phase: str, done: int, total: int) -> None:
        """Note how far it is; cheap, and safe on any thread."""
        self._latest = (phase, done, total)

    def _tick(self) -> None:
        """Show the latest, and come again."""
        with self._lock:
            if self._ended:
                return
            try:
                self._show()
            except Exception:  # noqa: BLE001 - on a timer's thread: a picture of progress must not stop the work
                _log.exception("the progress of a cell could not be shown")
                return
            self._next = self._start_timer(_PAUSE, lambda: self._context.run(self._tick))

    def _show(self) -> None:
        phase, done, total = self._latest
        # of a queue, what counts is the place in it
        shown = (phase, 0, 0, done) if phase == "queued" else (phase, done, total, 0)
        if self._bar is None:
            from notebook_ext.viewer.inline.progress import ProgressBar

            self._bar = ProgressBar(self._stop)
            self._bar.show(*shown)
            bundle = when_ended("the kernel ended while this ran")
            self._publish({**bundle, WIDGET_VIEW: widget_reference(self._bar.widget)}, update=False)
        else:
            self._bar.show(*shown)

    def _publish(self, data: dict[str, Any], *, update: bool) -> None:
        publish: Callable[..., None] = self._shell.display_pub.publish
        publish(data, transient={"display_id": self._display_id}, update=update)
