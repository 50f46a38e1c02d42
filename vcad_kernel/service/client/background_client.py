"""The asyncio client for code that is not: on an event loop of its own, in a thread of its own.

The caller waits, and does meanwhile, on its own thread, what is reported of the call: passing on what a
program prints. An interrupt stops the call in the service, too. In a forked child everything is made
anew: its parent's connection is not its own.
"""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial
from itertools import count
from queue import SimpleQueue
from threading import Lock, get_ident
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from vcad_kernel.contracts.messages import HelloAnswer
from vcad_kernel.errors import CapabilityUnavailable, VcadError
from vcad_kernel.request_id import current_request
from vcad_kernel.service.client.async_client import AsyncServiceClient, Listener
from vcad_kernel.service.client.connection import Connection
from vcad_kernel.service.client.failures import NeverTakenUp
from vcad_kernel.system.threads import started

__all__ = ["BackgroundClient", "LoopThread", "Work"]

_T = TypeVar("_T")


class LoopThread:
    """Runs from the start until :meth:`stop`.

    Raises: CapabilityUnavailable where no thread can be started.
    """

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        try:
            self._thread = started(threading.Thread(target=self._run, name=name, daemon=True))
        except CapabilityUnavailable:
            self.loop.close()
            raise

    def submit(self, work: Coroutine[Any, Any, _T]) -> Future[_T]:
        """Begin work on the loop. Cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def soon(self, act: Callable[..., object], *arguments: Any) -> None:
        """Have something done on the loop; nothing happens when that has stopped."""
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(act, *arguments)

    def stop(self, last: Coroutine[Any, Any, object], seconds: float) -> None:
        """Do something for the last time, then end the loop, the thread, and what is still under way.

        seconds: how long to wait for that; on the loop's own thread, that is impossible.
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


Work: TypeAlias = Callable[[AsyncServiceClient, str, Listener], Coroutine[Any, Any, _T]]
"""What is to be done with a client, under a request id, while a caller listens."""

_STOPPED_WITHIN: Final = 0.3
"""Seconds that an interrupted call may take to answer before its caller stops listening."""
_CLOSED_WITHIN: Final = 5.0
"""Seconds that a service may take to end before it is left to itself."""

_calls = count(1)
"""A request may need several calls, which are numbered."""


class _Held:
    """What must be ended when its owner is no more."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.alive: tuple[LoopThread, AsyncServiceClient] | None = None
        self.closed = False

    def end(self) -> None:
        with self.lock:
            self.closed = True
            alive, self.alive = self.alive, None
        if alive is not None:
            thread, client = alive
            thread.stop(client.close(), _CLOSED_WITHIN)


class BackgroundClient:
    """Closed by :meth:`close`, by itself when it has no users any more, and at the end of the process.

    make: makes the client. Nothing is connected or even started before the first call.
    """

    def __init__(self, make: Callable[[], AsyncServiceClient]) -> None:
        self._make = make
        self._held = _Held()
        self._waiting: dict[SimpleQueue[Callable[[], object] | None], int] = {}
        """What each call under way hears, and the thread that waits for it."""
        self._end = weakref.finalize(self, self._held.end)
        _all.add(self)

    def do(
        self,
        work: Work[_T],
        *,
        output: Callable[[int, str], object] | None = None,
        progress: Callable[[Any], object] | None = None,
    ) -> _T:
        """Do something with the client and wait for it. May be called from any thread but its own.

        output, progress: as of `Listener`, but called on this thread.
        Raises: what the work raises; KeyboardInterrupt, when the service has been asked to stop.
        """
        thread, client = self._ready()
        current = current_request()
        request_id = client.new_request_id() if current is None else f"{current}.{next(_calls)}"
        calls: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        listener = Listener(
            None if output is None else lambda offset, text: calls.put(partial(output, offset, text)),
            None if progress is None else lambda said: calls.put(partial(progress, said)),
        )
        future: Future[_T] | None = None
        try:
            self._waiting[calls] = get_ident()
            tried = False
            while True:
                future = thread.submit(work(client, request_id, listener))
                future.add_done_callback(lambda _: calls.put(None))
                while (act := calls.get()) is not None:
                    act()
                if tried or not isinstance(future.exception(), NeverTakenUp):
                    return future.result()
                tried = True  # the service had been killed a moment before
        except KeyboardInterrupt:
            if future is None:  # it may have begun all the same
                self._give_up(thread, client, request_id, Future())
            raise
        finally:
            self._waiting.pop(calls, None)  # a forked child has forgotten it
            if future is not None and not future.done():
                self._give_up(thread, client, request_id, future)

    def interrupt(self, thread: int) -> None:
        """Have the call for which this thread waits raise KeyboardInterrupt there; called on another."""
        for calls, waiting in list(self._waiting.items()):
            if waiting == thread:
                calls.put(_interrupted)

    def begin(self) -> None:
        """Connect, without waiting for it; a failure is raised by the first call."""
        thread, client = self._ready()
        if not client.is_linked:
            thread.submit(client.linked())

    def release(self, connection: Connection, block: str) -> None:
        """Give back a mesh block, from any thread; nothing happens when the connection is no more."""
        alive = self._held.alive
        if alive is not None:
            alive[0].soon(AsyncServiceClient.release, connection, block)

    def close(self) -> None:
        """End the connection, and the service if it is one's own. Later calls fail."""
        self._end()

    @property
    def own_pid(self) -> int | None:
        """The process of the service that was started here; None where there is none."""
        alive = self._held.alive
        return None if alive is None else alive[1].own_pid

    def reached(self) -> HelloAnswer | None:
        """What the service says of itself that is connected now; None without one, and none is started."""
        alive = self._held.alive
        return None if alive is None else alive[1].reached

    def _ready(self) -> tuple[LoopThread, AsyncServiceClient]:
        held = self._held
        with held.lock:
            if held.alive is None:
                client = self._make()
                if held.closed:
                    raise client.unreachable("the client has been closed", closed=True)
                held.alive = LoopThread("vcad service client"), client
            return held.alive

    @staticmethod
    def _give_up(
        thread: LoopThread, client: AsyncServiceClient, request_id: str, future: Future[Any]
    ) -> None:
        """Have a call stopped, and wait a moment for it, so that the service is free for the next."""
        try:
            wait([thread.submit(_stop(client, request_id)), future], _STOPPED_WITHIN)
        finally:
            future.cancel()

    def _left_to_the_parent(self) -> None:
        """In a forked child: let go of what is the parent's, and begin anew when asked for something."""
        held = self._held
        self._waiting.clear()
        held.lock = Lock()  # another thread of the parent's may have held it
        alive, held.alive = held.alive, None
        if alive is not None:
            alive[1].abandon()
            _of_the_parent.append(alive)


def _interrupted() -> NoReturn:
    raise KeyboardInterrupt


async def _stop(client: AsyncServiceClient, request_id: str) -> None:
    """Have the service stop a call; where there is no service, there is no call."""
    with suppress(VcadError):
        await client.cancel(request_id)


_all: weakref.WeakSet[BackgroundClient] = weakref.WeakSet()
_of_the_parent: list[object] = []
"""Loops that a forked child has inherited: they cannot be closed without harm to the parent's."""


def _in_child() -> None:
    for client in list(_all):
        client._left_to_the_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
