"""A limit on time that costs a running program nothing.

A thread looks at the clock. When a piece of work has had its time, the thread has Python raise
TimeUp wherever the working thread then is; no call and no loop counts anything. What happens to be
in C at that moment, is stopped when it comes back to Python.

An exception that can come anywhere must never come too late, after the work has ended. So nothing
is sent unless the work is marked as armed; the worker takes that mark away itself, waits for a
sending that is under way, and drops what was sent but has not arrived. The worker takes no lock
for this: an exception that comes just after a lock was taken would leave it locked for ever.

Knows threads and time; does not know what the work is.
"""

from __future__ import annotations

import ctypes
import os
from collections import deque
from collections.abc import Callable
from threading import Thread, get_ident
from time import monotonic, sleep
from typing import Final, TypeVar

__all__ = ["TimeUp", "TookTooLong", "stop", "within"]

_T = TypeVar("_T")

_TICK: Final = 0.05
"""Seconds between two looks at the clock while there is something to watch: how late a stop may be."""

_REPEAT: Final = 0.25
"""Seconds after which the exception is sent again. One that arrives in a finaliser is lost: Python
prints and drops what is raised there."""

_IDLE_TICKS: Final = 20
"""Looks without anything to watch after which the thread ends."""


class TimeUp(BaseException):
    """On its way through work that has had its time. No error: nothing but ``within`` may catch it."""


class TookTooLong(Exception):
    """The work was stopped; the traceback says where it was then."""


class _Watch:
    """A piece of work on a thread, and until when it may take."""

    __slots__ = ("armed", "began", "deadline", "ended", "sending", "sent", "thread")

    def __init__(self, seconds: float) -> None:
        self.thread = get_ident()
        self.began = monotonic()
        self.deadline = self.began + seconds
        self.armed = False
        """The work is under way: only then may TimeUp be sent. The worker's to set."""
        self.ended = False
        """There is nothing left to watch. The worker's to set."""
        self.sending = False
        """The watcher is between looking at ``armed`` and having sent. The watcher's to set."""
        self.sent = False
        """TimeUp was sent at least once. The watcher's to set."""

    def send(self) -> None:
        """Stop the work, if it is under way still. On the watcher's thread."""
        self.sending = True
        if self.armed:
            self.sent = True
            _raise_in(self.thread, TimeUp)
        self.sending = False

    def withdraw(self) -> None:
        """See to it that nothing comes any more. On the worker's thread, after ``armed`` was taken back."""
        self.armed = False
        self.ended = True
        while self.sending:
            sleep(0)
        if self.sent:
            _drop_what_has_not_arrived(self.thread)


class _Dropped(BaseException):
    """Takes the place of a TimeUp that must not arrive any more."""


def _raise_in(thread: int, exception: type[BaseException]) -> None:
    """Have a thread raise an exception at its next step, in place of one that waits already."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(exception))


def _drop_what_has_not_arrived(thread: int) -> None:
    """Replace an exception on its way to this thread by one that is caught here.

    Python can also be set to raise none. But then it goes on looking for one at every step, and 3.11
    does not get on at all while a profiler is on.
    """
    interrupted: KeyboardInterrupt | None = None
    while True:
        try:
            _raise_in(thread, _Dropped)
            while True:
                pass
        except _Dropped:
            break
        except KeyboardInterrupt as interrupt:
            interrupted = interrupt
    if interrupted is not None:
        raise interrupted


def within(seconds: float | None, work: Callable[[], _T]) -> _T:
    """The value of ``work``, which may take so many seconds (None: any number).

    May be used by many threads at once, and within work that is itself watched.
    Raises: TookTooLong; what the work raises.
    """
    if seconds is None:
        return work()
    watch = _Watch(seconds)
    _arrivals.append(watch)
    _ensure_watcher()
    ended = False
    failure: BaseException | None = None
    # After `armed` is taken back, TimeUp can come twice at most: one that waits already, and one that
    # is being sent at that moment. So the two inner layers may be interrupted, the outer one may not.
    try:
        try:
            try:
                watch.armed = True
                value = work()
                ended = True
            except TimeUp:
                raise
            except BaseException as raised:
                failure = raised
                raise
            finally:
                watch.armed = False
                watch.withdraw()
        except BaseException:
            watch.armed = False
            watch.withdraw()
            raise
    except TimeUp as stop:
        watch.withdraw()
        if not watch.sent:
            raise  # meant for work around this
        if failure is not None:
            raise failure from None  # the work had ended when TimeUp came, and so had it below
        if not ended:
            raise TookTooLong().with_traceback(stop.__traceback__) from None
    finally:
        failure = None  # holds this frame
    return value


def stop(thread: int) -> None:
    """Have the time of all watched work of a thread be up; called on another, which need not wait.

    What begins later is not meant.
    """
    _stops.append((thread, monotonic()))


_stops: deque[tuple[int, float]] = deque()
"""Threads whose work is to be stopped, and when that was said."""

_arrivals: deque[_Watch] = deque()
"""Watches on their way to a watcher, which owns those that it takes out."""

_watching = False
"""A watcher's thread runs and looks at the arrivals. Two may run at times, which does no harm."""


def _ensure_watcher() -> None:
    global _watching
    if not _watching:
        _watching = True
        Thread(target=_watch, name="vcad-watchdog", daemon=True).start()


def _watch() -> None:
    """Send TimeUp where it is due, until there is nothing to watch."""
    global _watching
    own: list[_Watch] = []
    idle = 0
    while idle < _IDLE_TICKS:
        while _arrivals:
            own.append(_arrivals.popleft())
        now = monotonic()
        while _stops:
            thread, said = _stops.popleft()
            for watch in own:
                if watch.thread == thread and watch.began <= said:
                    watch.deadline = min(watch.deadline, now)
        for watch in own:
            if watch.deadline <= now:
                watch.send()
                watch.deadline = now + _REPEAT
        own = [watch for watch in own if not watch.ended]
        idle = 0 if own else idle + 1
        nearest = min([watch.deadline for watch in own], default=now + _TICK)
        sleep(min(_TICK, max(0.0, nearest - now)))
    _watching = False
    if _arrivals:  # one that came in between the last look and the line before
        _ensure_watcher()


def _forget_watcher() -> None:
    """A forked child has none of its parent's threads."""
    global _watching
    _watching = False
    _arrivals.clear()
    _stops.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_watcher)
