"""One thread that does all that changes a session, in the order in which it was wished for.

    scheduler = Scheduler(stop)
    value = scheduler.run(work)        # from any thread: waits for its turn and its end
    future = scheduler.submit(work)    # the same without waiting

Cells, sliders, agents and files come on threads of their own; because their wishes are done on this one,
nothing else needs a lock on the session's state. Whoever waits may be interrupted: a wish that has not
begun is then withdrawn, and one that is under way is stopped, and ends by itself. Knows threads; does not
know what is done.
"""

from __future__ import annotations

import contextvars
import logging
import os
import signal
import threading
import time
from _thread import interrupt_main
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final, Generic, TypeVar, cast

__all__ = ["Closed", "Scheduler", "Withdrawn", "interrupt_main_thread"]


_T = TypeVar("_T")
_log = logging.getLogger("vcad.session.scheduler")

_NAME: Final = "vcad session"


class Closed(RuntimeError):
    """The scheduler does nothing any more."""


class Withdrawn(KeyboardInterrupt):
    """A wish was interrupted before its turn: nothing of it has been done."""


class _Wish(Generic[_T]):
    """Something to be done, and what came of it."""

    def __init__(self, work: Callable[[], _T]) -> None:
        self.work = work
        self.context = contextvars.copy_context()
        """What is printed and shown must belong to the cell that asked."""
        self.ended = False
        self.value: _T | None = None
        self.error: BaseException | None = None
        self.interrupted = False
        self.heard = False
        """The work has heard of the interrupt: it is not stopped once more."""
        self._end: SimpleQueue[None] = SimpleQueue()
        self._free: SimpleQueue[None] = SimpleQueue()
        self._free.put(None)

    def claim(self) -> bool:
        """Have it to oneself, to do it or to withdraw it; whether nobody had before.

        Takes no lock: whoever waits may be interrupted anywhere.
        """
        try:
            self._free.get_nowait()
        except Empty:
            return False
        return True

    def wait(self) -> None:
        """Wait for its end, for the one who asked; takes no lock either."""
        while not self.ended:
            with suppress(Empty):
                # not for ever: a signal that comes just before the wait does not end it
                self._end.get(timeout=_LOOK)

    def has_ended(self) -> None:
        self.ended = True
        self._end.put(None)

    def do(self) -> None:
        try:
            self.value = self.context.run(self.work)
        except BaseException as raised:  # noqa: BLE001 - it is raised where the wish came from
            self.error = raised

    def outcome(self) -> _T:
        if self.error is not None:
            try:
                raise self.error
            finally:
                self.error = None  # holds this frame
        return cast("_T", self.value)


class Scheduler:
    """stop: makes what is under way on the thread of this identity raise KeyboardInterrupt soon, if it can.

    The thread begins with the first wish and ends with :meth:`close`; it keeps no process alive.
    """

    def __init__(self, stop: Callable[[int], object]) -> None:
        self._stop = stop
        self._wishes: SimpleQueue[_Wish[object] | None] = SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._switching = threading.Lock()
        """Held while the wish under way changes, and while it is being stopped."""
        self._under_way: _Wish[object] | None = None
        self._closed = False

    @property
    def is_here(self) -> bool:
        """Whether the caller is the session's thread."""
        return self._thread is threading.current_thread()

    @property
    def is_busy(self) -> bool:
        """Whether something is being done now; from any thread."""
        return self._under_way is not None

    def run(self, work: Callable[[], _T]) -> _T:
        """Do something when all that was wished for before is done, and wait for it.

        On the session's own thread it is done at once. An interrupt of the waiting thread stops it; what it
        then raises is raised here.
        Raises: what the work raises; Withdrawn for what had not begun; KeyboardInterrupt for what ended by
        itself all the same; Closed.
        """
        if self.is_here:
            return work()
        wish = _Wish(work)
        is_put = to_be_stopped = False
        while True:
            try:
                if not is_put:
                    self._put(wish)
                    is_put = True
                if to_be_stopped:
                    self._stop_soon(wish)
                    to_be_stopped = False
                wish.wait()
                break
            except KeyboardInterrupt:
                if wish.claim():
                    raise Withdrawn from None
                is_put = wish.interrupted = to_be_stopped = True
        if wish.interrupted and wish.error is None:
            raise KeyboardInterrupt
        return wish.outcome()

    def submit(self, work: Callable[[], _T]) -> Future[_T]:
        """Do something when all that was wished for before is done. Cancelling stops what has not begun.

        Raises: Closed.
        """
        future: Future[_T] = Future()

        def done() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except BaseException as raised:  # noqa: BLE001 - whoever has the future hears of it
                future.set_exception(raised)

        self._put(_Wish(done))
        return future

    def interrupt(self) -> None:
        """Stop what is under way, from any thread but the session's; nothing happens when nothing is."""
        wish = self._under_way
        if wish is not None:
            wish.interrupted = True
            self._stop_soon(wish)

    def checkpoint(self) -> None:
        """In work that waits for something of its own: raises KeyboardInterrupt once it is to stop."""
        wish = self._under_way
        if self.is_here and wish is not None and wish.interrupted:
            raise KeyboardInterrupt

    def heard(self) -> None:
        """In work that was interrupted and ends in good order: it is not stopped once more for that."""
        wish = self._under_way
        if self.is_here and wish is not None:
            wish.heard = True

    def close(self) -> None:
        """Do what has been wished for, and then nothing any more; what takes too long is stopped."""
        with self._starting:
            self._closed = True
            thread = self._thread if self._process == os.getpid() else None
            self._wishes.put(None)
        if thread is not None and not self.is_here:
            thread.join(_PATIENCE)
            if thread.is_alive():
                self.interrupt()
                thread.join(_PATIENCE)

    def _put(self, wish: _Wish[_T]) -> None:
        with self._starting:
            if self._closed:
                raise Closed("the session is closed")
            if self._process != os.getpid():  # a forked child has none of its parent's threads
                self._process, self._thread, self._under_way = os.getpid(), None, None
                self._wishes, self._switching = SimpleQueue(), threading.Lock()
            if self._thread is None or not self._thread.is_alive():  # it may not have come to its start
                self._thread = threading.Thread(target=self._work, name=_NAME, daemon=True)
                self._thread.start()
            self._wishes.put(cast("_Wish[object]", wish))

    def _work(self) -> None:
        while (wish := self._wishes.get()) is not None:
            if not wish.claim():
                continue
            with self._switching:
                self._under_way = wish
            try:
                wish.do()
            finally:
                with self._switching:
                    self._under_way = None
                wish.has_ended()
            wish = None  # its value is nobody's business any more

    def _stop_soon(self, wish: _Wish[object] | _Wish[_T]) -> None:
        """On a thread of its own: an interrupt of one that holds a lock would leave it held."""
        wish.heard = False
        threading.Thread(target=self._stop_wish, args=(wish,), name=f"{_NAME} stop", daemon=True).start()

    def _stop_wish(self, wish: _Wish[object] | _Wish[_T]) -> None:
        """Stop it, and again until that is heard: it may be between two things that can be stopped."""
        while not (wish.ended or wish.heard):
            with self._switching:
                thread = self._thread
                if self._under_way is wish and thread is not None and thread.ident is not None:
                    self._stop(thread.ident)
            time.sleep(_AGAIN)


_LOOK: Final = 0.25
"""Seconds between two looks of who waits."""
_AGAIN: Final = 0.05
"""Seconds between two attempts to stop what is under way."""
_PATIENCE: Final = 5.0
"""Seconds that the last wish may take before it is stopped, and then before it is left to itself."""


def interrupt_main_thread() -> None:
    """Interrupt the main thread as a front end does; called on another."""
    if hasattr(signal, "pthread_kill"):  # wakes it also where it waits for a lock
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        interrupt_main()
