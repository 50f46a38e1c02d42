"""Tasks that are done one after the other, on a thread that is there only while there are some.

    queue = TaskQueue()
    queue.put(lambda: call_tool(world, "vcad_set_parameter", …))    # returns at once

A task may wait for the session, or for a person; those behind it wait with it, so that what was asked for
first is done first.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

__all__ = ["TaskQueue"]


class TaskQueue:
    """Safe on any thread. Work that is put in must not raise."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._waiting: deque[Callable[[], object]] = deque()
        self._is_working = False

    def put(self, work: Callable[[], object]) -> None:
        """Have something done when all that was put in before is done."""
        with self._changing:
            self._waiting.append(work)
            if self._is_working:
                return
            self._is_working = True
        threading.Thread(target=self._work, name="vcad hook tasks", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._changing:
                if not self._waiting:
                    self._is_working = False
                    return
                work = self._waiting.popleft()
            work()
