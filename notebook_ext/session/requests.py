"""One thread that does all that changes a session, in the order in which it was requested.

    queue = RequestQueue(stop)
    value = queue.do(work)         # from any thread: waits for its turn and its end
    future = queue.submit(work)    # the same without waiting
    queue.cancel(request_id)       # from any thread: stops it, or lets it not begin

Cells, sliders, agents and files come on threads of their own; because their requests are handled on this one,
nothing else needs a lock on the session's state. A thread that waits may be interrupted: a request that has
not begun is then withdrawn, and one that is under way is stopped, and ends by itself. Knows threads, the ids
of requests and how an interrupt is reported; does not know what is done.
"""

from __future__ import annotations

import contextvars
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Final, Generic, TypeVar, cast

from notebook_ext.display.failure import LoonCellFailed
from vcad_kernel.errors import Cancelled, CapabilityUnavailable
from vcad_kernel.request_id import request
from vcad_kernel.system.files import file_time
from vcad_kernel.system.threads import started

__all__ = ["Closed", "RequestQueue"]

_T = TypeVar("_T")

_NAME: Final = "vcad session"
_LATE: Final = "interrupted; what was done until then is done"
_REMEMBERED: Final = 256
"""Cancelled requests that may still come."""


class Closed(CapabilityUnavailable):
    """The session does nothing any more."""

    def __init__(self) -> None:
        super().__init__(
            "this session is closed",
            fix="%load_ext notebook_ext begins another",
            details={"required_capability": "session", "negotiated_capabilities": []},
        )


class _Withdrawn(KeyboardInterrupt):
    """A request was interrupted or cancelled before its turn: nothing of it has been done."""


@contextmanager
def _failing(withdraw: Callable[[], object] | None, late: str) -> Iterator[None]:
    """What is interrupted in here fails; see `RequestQueue.do`. Raises: LoonCellFailed."""
    try:
        yield
    except _Withdrawn:
        if withdraw is not None:
            withdraw()
        raise LoonCellFailed(Cancelled("interrupted before its turn; nothing was done")) from None
    except KeyboardInterrupt:
        raise LoonCellFailed(Cancelled(late)) from None


class _Request(Generic[_T]):
    """Something to be done, and what came of it."""

    def __init__(self, work: Callable[[], _T], request_id: str | None) -> None:
        self.work = work
        self.request_id = request_id
        """None for one that cannot be cancelled."""
        self.context = contextvars.copy_context()
        """What is printed and shown must belong to the cell that asked."""
        self.ended = False
        self.value: _T | None = None
        self.error: BaseException | None = None
        self.interrupted = False
        self.settled = False
        """The work has been interrupted and ends in good order: it is not stopped once more."""
        self.end: SimpleQueue[None] = SimpleQueue()
        """Has something in it once it has ended: who waits for that takes no lock either."""
        self._free: SimpleQueue[None] = SimpleQueue()
        self._free.put(None)

    def claim(self) -> bool:
        """Have it to oneself, to do it or to withdraw it; whether no other thread had before.

        Takes no lock: a thread that waits may be interrupted anywhere.
        """
        try:
            self._free.get_nowait()
        except Empty:
            return False
        return True


class RequestQueue:
    """stop: makes what is under way on the thread of this identity raise KeyboardInterrupt soon, if it can.

    The thread begins with the first request and ends with :meth:`close`; it keeps no process alive.
    """

    def __init__(self, stop: Callable[[int], object]) -> None:
        self._stop = stop
        self._waiting: SimpleQueue[_Request[object] | None] = SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._switching = threading.Lock()
        """Held while the request under way changes, and while it is being stopped."""
        self._under_way: _Request[object] | None = None
        self.begun = file_time()
        """When what is under way was begun, or what was under way last, by the clock that dates files: what
        it has read of them was written before, or counts as changed since.
        """
        self._closed = False
        self._cancelled: deque[str] = deque(maxlen=_REMEMBERED)
        self._turn = threading.Lock()
        """Held while the id under way changes, and while that request is being cancelled."""
        self._id_under_way: str | None = None

    @property
    def is_here(self) -> bool:
        """Whether the caller is the session's thread."""
        return self._thread is threading.current_thread()

    @property
    def is_busy(self) -> bool:
        """Whether something is being done now; from any thread."""
        return self._under_way is not None

    @property
    def waiting(self) -> int:
        """How many requests wait for their turn; from any thread."""
        return self._waiting.qsize()

    def do(
        self, work: Callable[[], _T], withdraw: Callable[[], object] | None = None, *, late: str = _LATE
    ) -> _T:
        """Do something when all that was requested before is done, and wait for it.

        It has an id by which it can be cancelled. On the session's own thread it is done at once. An
        interrupt of the waiting thread stops it.
        withdraw: called where it is interrupted or cancelled before its turn. late: what is said when it was
        interrupted and done all the same.
        Raises: what it raises; LoonCellFailed with EVAL_CANCELLED for an interrupt; CapabilityUnavailable
        where no thread can be started; Closed.
        """
        with _failing(withdraw, late), request() as request_id:
            if self.is_here:
                with self._in_turn(request_id):
                    return work()
            pending = _Request(work, request_id)
            is_put = to_be_stopped = False
            while True:
                try:
                    if not is_put:
                        self._put(pending)
                        is_put = True
                    if to_be_stopped:
                        self._stop_soon(pending)
                        to_be_stopped = False
                    while not pending.ended:
                        with suppress(Empty):
                            # not for ever: a signal that comes just before the wait does not end it
                            pending.end.get(timeout=_LOOK)
                    break
                except KeyboardInterrupt:
                    if pending.claim():
                        raise _Withdrawn from None
                    is_put = pending.interrupted = to_be_stopped = True
            if pending.error is not None:
                try:
                    raise pending.error
                finally:
                    pending.error = None  # holds this frame
            if pending.interrupted:
                raise KeyboardInterrupt
            return cast("_T", pending.value)

    def submit(self, work: Callable[[], _T]) -> Future[_T]:
        """Do something when all that was requested before is done; waits for nothing.

        Cancelling what this returns, or its request, stops what has not begun. Raises: Closed.
        """
        future: Future[_T] = Future()

        def done() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                with self._in_turn(request_id):
                    value = work()
                future.set_result(value)
            except BaseException as raised:  # noqa: BLE001 - it is raised where the future is asked
                future.set_exception(raised)

        with request() as request_id:
            self._put(_Request(done, None))
        return future

    def cancel(self, request_id: str) -> None:
        """Stop what is done under this id, or let it not begin; from any thread."""
        with self._turn:
            self._cancelled.append(request_id)
            if self._id_under_way == request_id:
                self.interrupt()

    def interrupt(self) -> None:
        """Stop what is under way, from any thread but the session's; nothing happens when nothing is."""
        current = self._under_way
        if current is not None:
            current.interrupted = True
            self._stop_soon(current)

    def checkpoint(self) -> None:
        """In work that waits for something of its own: raises KeyboardInterrupt once it is to stop."""
        current = self._under_way
        if self.is_here and current is not None and current.interrupted:
            raise KeyboardInterrupt

    def settle(self) -> None:
        """In work that was interrupted and ends in good order: it is not stopped once more for that."""
        current = self._under_way
        if self.is_here and current is not None:
            current.settled = True

    def close(self) -> None:
        """Do what has been requested, and then nothing any more; what takes too long is stopped."""
        with self._starting:
            self._closed = True
            thread = self._thread if self._process == os.getpid() else None
            self._waiting.put(None)
        if thread is not None and not self.is_here:
            thread.join(_PATIENCE)
            if thread.is_alive():
                self.interrupt()
                thread.join(_PATIENCE)

    # ---- on the session's thread -----------------------------------------------------------

    def _put(self, pending: _Request[_T]) -> None:
        with self._starting:
            if self._closed:
                raise Closed
            if self._process != os.getpid():  # a forked child has none of its parent's threads
                self._process, self._thread, self._under_way = os.getpid(), None, None
                self._waiting, self._switching = SimpleQueue(), threading.Lock()
            if self._thread is None or not self._thread.is_alive():  # it may not have come to its start
                self._thread = started(threading.Thread(target=self._work, name=_NAME, daemon=True))
            self._waiting.put(cast("_Request[object]", pending))

    def _work(self) -> None:
        while (current := self._waiting.get()) is not None:
            if not current.claim():
                continue
            with self._switching:
                self._under_way = current
            self.begun = file_time()
            try:
                with self._in_turn(current.request_id):
                    current.value = current.context.run(current.work)
            except BaseException as raised:  # noqa: BLE001 - it is raised where the request came from
                current.error = raised
            finally:
                with self._switching:
                    self._under_way = None
                current.ended = True
                current.end.put(None)
            current = None  # its value must not outlive the use of it

    @contextmanager
    def _in_turn(self, request_id: str | None) -> Iterator[None]:
        """While something is done under its id. Raises: _Withdrawn, where that has been cancelled."""
        with self._turn:
            if request_id in self._cancelled:
                raise _Withdrawn
            before, self._id_under_way = self._id_under_way, request_id or self._id_under_way
        try:
            yield
        finally:
            with self._turn:
                self._id_under_way = before

    def _stop_soon(self, stopped: _Request[object] | _Request[_T]) -> None:
        """On a thread of its own: an interrupt of one that holds a lock would leave it held."""
        stopped.settled = False
        started(
            threading.Thread(
                target=self._stop_until_it_ends, args=(stopped,), name=f"{_NAME} stop", daemon=True
            )
        )

    def _stop_until_it_ends(self, stopped: _Request[object] | _Request[_T]) -> None:
        """Stop it, and again until it ends: it may be between two things that can be stopped."""
        while not (stopped.ended or stopped.settled):
            with self._switching:
                thread = self._thread
                if self._under_way is stopped and thread is not None and thread.ident is not None:
                    self._stop(thread.ident)
            time.sleep(_AGAIN)


_LOOK: Final = 0.25
"""Seconds between two looks of a thread that waits."""
_AGAIN: Final = 0.05
"""Seconds between two attempts to stop what is under way."""
_PATIENCE: Final = 5.0
"""Seconds that the last request may take before it is stopped, and then before it is left to itself."""
