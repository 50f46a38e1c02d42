"""Bringing cells up to date: whatever depends on a change is evaluated once, in order, and then pushed.

    cascades.bring_up_to_date(["cell 2"])        # what is built from cell 2, and is out of date

Each evaluation is a request of its own on the session's one thread, so that a person's cell comes in between,
and the state is looked at anew before each: what has been run meanwhile, or is up to date for another reason,
is left out. One cascade at a time. A cell that fails keeps what it made; what depends on it is left, and its
siblings are not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from threading import Lock
from typing import Final, Protocol

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.reactive.dependencies import Dependencies
from notebook_ext.session.requests import Closed, RequestQueue
from vcad_kernel.errors import VcadError

__all__ = ["Cascades", "Evaluates"]

_MOST: Final = 10_000
"""Evaluations of one cascade: more than any project has cells."""


class Evaluates(Protocol):
    """What a cascade acts on; called on the session's thread."""

    def again(self, cell_id: str) -> None:
        """Evaluate a cell again; it is noted, be it failed. Raises: VcadError; KeyboardInterrupt."""

    def push(self, cell_ids: Sequence[str]) -> None:
        """Bring SketchUp up to those of these cells' parts that stand there. Raises: VcadError."""

    def mark(self) -> None:
        """Have everybody see what is out of date now."""


class Cascades:
    """queue: the session's. dependencies: used on the session's thread only. clock: steady seconds."""

    def __init__(
        self,
        queue: RequestQueue,
        dependencies: Dependencies,
        evaluates: Evaluates,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue = queue
        self._dependencies = dependencies
        self._evaluates = evaluates
        self._clock = clock
        self._one = Lock()
        self._stopped = False
        self.running: str | None = None
        """The cell that is evaluated now by a cascade."""
        self.number = 0
        """Cascades that have begun."""
        self.last_ms: float | None = None
        """How long the last cascade took that evaluated anything."""
        self.failure: VcadError | None = None
        """Why SketchUp could not be brought up to date after the last one."""

    @property
    def is_running(self) -> bool:
        """Whether a cascade is under way; from any thread."""
        return self._one.locked()

    def bring_up_to_date(
        self,
        among: Collection[str] | None = None,
        *,
        only: Collection[str] | None = None,
        moved: Collection[str] = (),
        overtaken: Callable[[], bool] = lambda: False,
    ) -> tuple[str, ...]:
        """Evaluate again what is out of date; from any thread but the session's, and waits for it.

        among: these cells and what is built from them; all by default. only: no others than these.
        moved: cells that a value has changed before this, so that SketchUp is brought up to them, too.
        overtaken: whether what led to this has changed again, so that the rest is not worth doing.
        Returns: the cells that were evaluated, in order.
        Raises: LoonCellFailed where it is interrupted; what is done stays, the rest is out of date.
        """
        done: dict[str, None] = {}
        try:
            with self._one, suppress(Closed):
                self._stopped = False
                self.number += 1
                started = self._clock()
                try:
                    while len(done) < _MOST and not self._stopped and not overtaken():
                        cell_id = self._queue.do(lambda: self._step(among, only, done))
                        if cell_id is None:
                            break
                        done[cell_id] = None
                    shown = () if overtaken() else moved  # else it is shown where it has moved to
                    if pushed := tuple(dict.fromkeys((*shown, *done))):
                        self._queue.do(lambda: self._push(pushed))
                finally:
                    self.running = None
                    if done:
                        self.last_ms = (self._clock() - started) * 1e3
        finally:
            if done:  # once nothing is under way any more
                self._mark()
        return tuple(done)

    def stop(self) -> None:
        """Evaluate nothing more in the cascade that is under way; from any thread."""
        if self.is_running:
            self._stopped = True
            self._queue.interrupt()

    # ---- on the session's thread -----------------------------------------------------------

    def _step(
        self, among: Collection[str] | None, only: Collection[str] | None, done: Collection[str]
    ) -> str | None:
        """Evaluate the next cell. Returns: which; None where nothing is to be done."""
        for cell_id in self._dependencies.due(among):
            if cell_id in done or (only is not None and cell_id not in only):
                continue
            self.running = cell_id
            self._evaluates.mark()
            try:
                self._evaluates.again(cell_id)
            except KeyboardInterrupt:
                if not self._stopped:
                    raise
                return None
            except (VcadError, LoonCellFailed):
                pass  # noted where it happened; the others go on
            return cell_id
        return None

    def _push(self, cell_ids: Sequence[str]) -> None:
        self.running = None
        try:
            self._evaluates.push(cell_ids)
            self.failure = None
        except VcadError as failed:
            self.failure = failed

    def _mark(self) -> None:
        with suppress(Closed, LoonCellFailed):
            self._queue.do(self._evaluates.mark)
