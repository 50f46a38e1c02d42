"""An event loop on a thread of its own, for those who call from ordinary code.

    background = LoopThread("vcad client")
    future = background.submit(coroutine)       # from any thread
    background.stop(last)                       # after this coroutine

The thread is a daemon: it never keeps a process alive. In a forked child there is no such thread,
and the loop is of no use.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

__all__ = ["LoopThread"]

_T = TypeVar("_T")


class LoopThread:
    """Runs from the start until :meth:`stop`."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, _T]) -> Future[_T]:
        """Begin work on the loop. Cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def soon(self, act: Callable[..., object], *arguments: Any) -> None:
        """Have something done on the loop; nothing happens when that has stopped."""
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(act, *arguments)

    def stop(self, last: Coroutine[Any, Any, object], seconds: float) -> None:
        """Do something for the last time, then end the loop, the thread, and what is still under way.

        seconds: how long to wait for that; on the loop's own thread, nobody can.
        """

        async def ending() -> None:
            try:
                await last
            finally:
                self.loop.stop()

        self.submit(ending())
        if threading.current_thread() is not self._thread:
            self._thread.join(seconds)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
            unfinished = asyncio.all_tasks(self.loop)
            for task in unfinished:
                task.cancel()
            self.loop.run_until_complete(asyncio.gather(*unfinished, return_exceptions=True))
        finally:
            self.loop.close()
