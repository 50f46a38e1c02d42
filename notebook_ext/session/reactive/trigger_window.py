"""Many changes become one cascade: triggers are collected for a moment, then delivered at once.

    window = TriggerWindow(cascade)
    window.put(Trigger("file", "parts/leg.cmp.oo"), Trigger("file", "dims.oo"))     # from any thread
    window.pause()                                                                  # collects from now on
    window.resume()                                                                 # 2: delivered at once

The window closes when nothing has come for its length (VCAD_TRIGGER_COALESCE_MS), and under a steady stream
five lengths after its first trigger (session.md, 6). What it has collected is a set, so that any number of
events of one file are one; it is delivered on a thread of the window's own, a flush at a time. Knows no
graph: what a trigger means is for the receiver to say.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from threading import Condition
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from notebook_ext.session.settings import settings_in_force
from vcad_kernel.errors import VcadError
from vcad_kernel.system.threads import started

if TYPE_CHECKING:
    from vcad_kernel.settings import Settings

__all__ = ["Collected", "Flush", "Kind", "Trigger", "TriggerWindow"]

_log = logging.getLogger("vcad.session.triggers")

Kind: TypeAlias = Literal["file", "entity", "cell", "parameter", "node"]


@dataclass(frozen=True, slots=True, order=True)
class Trigger:
    """Something that may have changed."""

    kind: Kind
    key: str
    """Which: of a file its path from the workspace, with ``/``; of an entity ``pid:N`` or ``id:N``."""


Flush: TypeAlias = Callable[[frozenset[Trigger]], object]
"""Takes what was collected; returns when all that follows from it has been done."""

_LONGEST: Final = 5
"""Lengths of the window after which a steady stream is delivered (session.md, 6)."""


class Collected:
    """What a window holds, and when it is to be delivered: the rules, without threads and clocks.

    Times are seconds of one steady clock. seconds: how long nothing must come before it closes.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.triggers: set[Trigger] = set()
        self.events = 0
        """Triggers that were put since it was delivered last, those that were in it already included."""
        self.paused = False
        self._first: float | None = None
        """When the first came of those that are neither delivered nor kept yet."""
        self._last = 0.0
        self._at_once = False

    @property
    def is_fresh(self) -> bool:
        """Whether it opens with the next trigger: nothing has come that is neither delivered nor kept."""
        return self._first is None

    def put(self, triggers: Collection[Trigger], now: float) -> None:
        """Take triggers in."""
        if not triggers:
            return
        self.triggers.update(triggers)
        self.events += len(triggers)
        self._first = now if self._first is None else self._first
        self._last = now

    @property
    def due(self) -> float | None:
        """When it is to be delivered, or kept while paused; None while there is nothing to do."""
        if self._at_once:
            return self._last
        if self._first is None:
            return None
        return min(self._last + self.seconds, self._first + _LONGEST * self.seconds)

    def opened(self, now: float) -> float:
        """Seconds since it was opened."""
        return 0.0 if self._first is None else now - self._first

    def take(self) -> frozenset[Trigger]:
        """What is to be delivered now; it is empty afterwards."""
        taken = frozenset(self.triggers)
        self.triggers = set()
        self.events, self._first, self._at_once = 0, None, False
        return taken

    def keep(self) -> frozenset[Trigger]:
        """All that it has, while paused: it is not due again before something new comes."""
        self._first = None
        return frozenset(self.triggers)

    def pause(self) -> None:
        """Collect from now on. What is in it stays in it."""
        self.paused, self._at_once = True, False

    def resume(self) -> int:
        """Deliver everything at once; how many triggers that is."""
        self.paused = False
        self._at_once = bool(self.triggers)
        return len(self.triggers)


class TriggerWindow:
    """flush: receives what was collected; one that raises is reported to the log. Closed by :meth:`stop`.

    settings: asked when the window opens. is_held: whether a flush must wait, because the kernel runs a cell
    or is about to; it is asked without a lock, and again at :meth:`released`. keep: receives what has been
    collected while paused, whenever there is more of it. changed: called when a flush begins and when it has
    ended. clock: steady seconds. wait: waits on the window's condition, for some seconds or for any time.
    """

    def __init__(
        self,
        flush: Flush,
        *,
        settings: Callable[[], Settings] = settings_in_force,
        is_held: Callable[[], bool] = lambda: False,
        keep: Callable[[frozenset[Trigger]], object] = lambda _: None,
        changed: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[Condition, float | None], object] = Condition.wait,
    ) -> None:
        self._flush = flush
        self._settings = settings
        self._is_held = is_held
        self._keep = keep
        self._changed = changed
        self._clock = clock
        self._wait = wait
        self._process = os.getpid()
        self._condition = Condition()
        self._collected = Collected(0.0)
        self._releases = 0
        self._settling = 0
        """How many wait in `settle`."""
        self._is_telling = False
        self._stopped = False
        self._thread: threading.Thread | None = None
        self.coalesce_batches_total = 0
        """Flushes."""
        self.coalesce_merged_events_total = 0
        """Events that led to no flush of their own."""
        self.coalesce_window_ms_effective = 0.0
        """How long the last flush's triggers were collected, from the first of them on."""

    # ---- from any thread -------------------------------------------------------------------

    def put(self, *triggers: Trigger) -> None:
        """Something may have changed. Waits for nothing; a window that was stopped takes nothing in.

        Raises: CapabilityUnavailable where no thread can be started.
        """
        if not triggers or self._is_of_the_parent:
            return
        with self._condition:
            if self._stopped:
                return
            opens = self._collected.is_fresh
            self._collected.put(triggers, self._clock())
            self._begin()
            if opens:  # else the thread looks at the time by itself when it wakes
                self._condition.notify_all()

    def released(self) -> None:
        """What held a flush up has ended."""
        if not self._is_of_the_parent:
            with self._condition:
                self._releases += 1
                self._condition.notify_all()

    def pause(self, collected: Collection[Trigger] = ()) -> bool:
        """Collect, and tell nothing, until :meth:`resume`. A flush under way ends as it would.

        collected: what an earlier session had collected. Returns: False where it was paused already.
        """
        with self._condition:
            fresh = not self._collected.paused
            self._collected.pause()
            if collected:
                self._collected.put(collected, self._clock())
                self._collected.keep()  # the one that gives it has it
            self._condition.notify_all()
            return fresh

    def resume(self) -> int:
        """Deliver everything that was collected at once, as one flush; how many triggers that is.

        0 also where it was not paused. Raises: CapabilityUnavailable where no thread can be started.
        """
        with self._condition:
            if not self._collected.paused or self._stopped:
                return 0
            number = self._collected.resume()
            if number:
                self._begin()
                self._condition.notify_all()
            return number

    def settle(self) -> None:
        """Deliver what was collected now, also where it is held, and wait until all is done.

        While paused only what is under way is waited for. Not from within a flush.
        """
        if self._is_of_the_parent:
            return
        with self._condition:
            self._settling += 1
            self._condition.notify_all()
            try:
                while not self._stopped and (self._is_telling or self._is_hurried):
                    self._wait(self._condition, None)
            finally:
                self._settling -= 1

    @property
    def _is_hurried(self) -> bool:
        """Whether a caller waits for what was collected. Under the lock."""
        return bool(self._settling and self._collected.triggers and not self._collected.paused)

    @property
    def is_paused(self) -> bool:
        """Whether it only collects."""
        return self._collected.paused

    @property
    def collected(self) -> frozenset[Trigger]:
        """What waits to be delivered."""
        with self._condition:
            return frozenset(self._collected.triggers)

    @property
    def pending(self) -> int:
        """How many triggers wait to be delivered."""
        return len(self._collected.triggers)

    def stop(self) -> None:
        """Tell nothing any more; a flush under way is left to itself. What a pause has collected is kept."""
        if self._is_of_the_parent:
            return
        with self._condition:
            if self._stopped:
                return
            self._stopped = True
            # its own thread may have taken it to keep, and may never come to do so: it is a daemon
            unkept = self._collected.keep() if self._collected.paused and self._collected.triggers else None
            self._condition.notify_all()
        if unkept is not None:
            self._keep(unkept)

    @property
    def _is_of_the_parent(self) -> bool:
        """Whether this is a forked child, which has none of its parent's threads."""
        return self._process != os.getpid()

    # ---- on its own thread -----------------------------------------------------------------

    def _begin(self) -> None:
        """Under the lock."""
        if self._thread is None:
            self._thread = started(threading.Thread(target=self._work, name="vcad triggers", daemon=True))

    def _work(self) -> None:
        while True:
            with self._condition:
                paused = self._until_due()
                if self._stopped:
                    return
                kept = self._collected.keep() if paused else None
            if kept is not None:
                self._done(partial(self._keep, kept))
            elif self._is_free():
                self._tell()

    def _until_due(self) -> bool:
        """Wait until the window closes; whether it is paused then. Under the lock."""
        opened = False
        while not self._stopped:
            if not opened and not self._collected.is_fresh:
                self._collected.seconds, opened = self._seconds(), True
            due = self._collected.due
            left = None if due is None else due - self._clock()
            if (left is not None and left <= 0.0) or self._is_hurried:
                break
            self._wait(self._condition, left)
        return self._collected.paused

    def _is_free(self) -> bool:
        """Whether nothing holds the flush up; what does is waited for."""
        seen = self._releases
        if self._settling or not self._is_held():
            return True
        with self._condition:
            while self._releases == seen and not self._stopped and not self._collected.paused:
                if self._is_hurried:
                    return True
                self._wait(self._condition, None)
        return False  # it is looked at anew: more may have come meanwhile

    def _tell(self) -> None:
        with self._condition:
            if self._collected.paused or self._stopped:
                return
            self.coalesce_batches_total += 1
            self.coalesce_merged_events_total += self._collected.events - 1
            self.coalesce_window_ms_effective = self._collected.opened(self._clock()) * 1000
            triggers = self._collected.take()
            self._is_telling = True
        self._done(self._changed)
        self._done(partial(self._flush, triggers))
        self._done(self._changed)
        with self._condition:
            self._is_telling = False
            self._condition.notify_all()

    def _done(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception:  # noqa: BLE001 - the next change must be followed all the same
            _log.exception("what follows a change failed")

    def _seconds(self) -> float:
        """The window's length, s; the usual one for settings that make no sense."""
        from vcad_kernel.settings import Settings

        try:
            return self._settings().trigger_coalesce_ms / 1000
        except VcadError:
            return Settings().trigger_coalesce_ms / 1000
