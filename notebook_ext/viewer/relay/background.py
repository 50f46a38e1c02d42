"""A thread for what is slow and has nobody who waits: one thing after the other."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue

from vcad_kernel.system.threads import started

__all__ = ["Background"]

_log = logging.getLogger("vcad.viewer.relay")


class Background:
    """name: of the thread, which begins with the first thing to do and keeps no process alive."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._queue: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._beginning = threading.Lock()
        self._began = False
        self._closed = False

    def do(self, work: Callable[[], object]) -> None:
        """Have this done in its turn; nothing is done after `close`."""
        with self._beginning:
            if self._closed:
                return
            self._queue.put(work)
            if not self._began:
                self._began = True
                started(threading.Thread(target=self._run, name=self._name, daemon=True))

    def close(self) -> None:
        """End after what is being done; what waits is dropped. Twice is once."""
        with self._beginning:
            self._closed = True
            self._queue.put(None)

    def _run(self) -> None:
        while (work := self._queue.get()) is not None and not self._closed:
            try:
                work()
            except Exception:  # noqa: BLE001 - the top of a thread
                _log.exception("what a viewer asked for failed")
