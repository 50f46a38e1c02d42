"""What is wished of a session, done on its thread: one request id each, and an end for those who give up.

Knows the scheduler and how an interrupt is told; not what is done.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final, TypeVar

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.scheduler import Closed, Scheduler, Withdrawn
from vcad_kernel.errors import Cancelled, CapabilityUnavailable
from vcad_kernel.request_id import request

if TYPE_CHECKING:
    from notebook_ext.session.linked.evaluated_nodes import Change

__all__ = ["Wishes"]

_T = TypeVar("_T")

_REMEMBERED: Final = 256
"""Requests that were given up and may still come."""


class Wishes:
    """scheduler: of the session."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._given_up: deque[str] = deque(maxlen=_REMEMBERED)
        self._turn = threading.Lock()
        """Held while it changes whose turn it is, and while that one is told to stop."""
        self._under_way: str | None = None

    def do(
        self,
        work: Callable[[], _T],
        change: Change | None = None,
        *,
        late: str = "interrupted; what was done until then is done",
    ) -> _T:
        """Fulfil a wish on the session's thread. change: what it was accepted as, if it changes a part.

        late: what is said when it was interrupted and done all the same.
        Raises: what it raises; LoonCellFailed with EVAL_CANCELLED for an interrupt; CapabilityUnavailable
        once the session is closed.
        """
        with request() as request_id:
            try:
                return self._scheduler.run(lambda: self._in_turn(request_id, work))
            except Withdrawn:
                stopped = Cancelled("interrupted before its turn; nothing was done")
            except KeyboardInterrupt:
                raise LoonCellFailed(Cancelled(late)) from None
            except Closed:
                raise _closed() from None
        if change is not None:
            change.withdraw()
        raise LoonCellFailed(stopped)

    def submit(self, work: Callable[[], _T]) -> Future[_T]:
        """Fulfil a wish in its turn, without waiting. Raises: CapabilityUnavailable."""
        with request() as request_id:
            try:
                return self._scheduler.submit(lambda: self._in_turn(request_id, work))
            except Closed:
                raise _closed() from None

    def give_up(self, request_id: str) -> None:
        """Stop what is done under this id, or let it not begin; from any thread."""
        with self._turn:
            self._given_up.append(request_id)
            if self._under_way == request_id:
                self._scheduler.interrupt()

    def _in_turn(self, request_id: str, work: Callable[[], _T]) -> _T:
        with self._turn:
            if request_id in self._given_up:
                raise Withdrawn
            before, self._under_way = self._under_way, request_id
        try:
            return work()
        finally:
            with self._turn:
                self._under_way = before


def _closed() -> CapabilityUnavailable:
    return CapabilityUnavailable(
        "this session is closed",
        fix="%load_ext notebook_ext begins another",
        details={"required_capability": "session", "negotiated_capabilities": []},
    )
