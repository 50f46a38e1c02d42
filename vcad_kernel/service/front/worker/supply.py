"""There is always a worker, or a reason why there is none.

A dead one is replaced at once; those that die before they are ready are started again after pauses that
double. After some failures in a row the callers that wait get an error, not an endless wait; the next call
lets it be tried again, once the pause is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Final

from vcad_kernel.service.front.log import Logger
from vcad_kernel.service.front.worker.process import WorkerDied, WorkerProcess

__all__ = ["WorkerSupply"]

_PATIENCE: Final = 3
"""Starts that may fail before the callers that wait get an error."""
_FIRM: Final = 5.0
"""Seconds after which an idle worker that dies has not died of its start."""
_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 5.0


class WorkerSupply:
    """make: starts a worker and waits until it is ready. now: monotonic, seconds."""

    def __init__(
        self,
        make: Callable[[], Awaitable[WorkerProcess]],
        log: Logger,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._make = make
        self._log = log
        self._now = now
        self._sleep = sleep
        self._worker: WorkerProcess | None = None
        self._starting: asyncio.Task[WorkerProcess] | None = None
        self._failures = 0
        self._last: WorkerDied | None = None
        self._not_before = 0.0
        self._ready_at = 0.0
        self._idle_deaths = 0
        """Workers in a row that have died soon after they were ready, with nothing to do."""
        self._ending: set[asyncio.Future[int]] = set()
        self._closed = False

    @property
    def state(self) -> str:
        """For people: ready, starting, failing, stopped."""
        if self._closed:
            return "stopped"
        if self.ready is not None:
            return "ready"
        return "failing" if self._failures >= _PATIENCE else "starting"

    @property
    def ready(self) -> WorkerProcess | None:
        """One that can be asked at once, if there is one."""
        worker = self._worker
        return worker if worker is not None and not worker.given_up else None

    def prepare(self) -> None:
        """Have one started, if there is none, without waiting for it."""
        if not self._closed and self.ready is None and self._starting is None:
            self._starting = asyncio.create_task(self._start(), name="worker start")
            self._starting.add_done_callback(self._started)

    async def worker(self) -> WorkerProcess:
        """One that is ready.

        Raises: WorkerDied when none can be had.
        """
        while True:
            if (worker := self.ready) is not None:
                return worker
            if self._failures >= _PATIENCE and self._now() < self._not_before and self._last is not None:
                last = self._last
                raise WorkerDied(signal=last.signal, exit_code=last.exit_code, reason=last.reason)
            self.prepare()
            if self._starting is None:
                raise WorkerDied(reason="the service is ending")
            await asyncio.shield(self._starting)

    async def _start(self) -> WorkerProcess:
        """Try until one is ready or patience is at its end."""
        if self._worker is not None:
            self._retire(self._worker)
        if self._idle_deaths > 1:
            await self._sleep(min(_FIRST_PAUSE * 2 ** (self._idle_deaths - 2), _LONGEST_PAUSE))
        while True:
            try:
                worker = await self._make()
            except WorkerDied as died:
                failure = died
            except OSError as failed:
                failure = WorkerDied(reason=failed.strerror or str(failed))
            else:
                self._failures = 0
                self._ready_at = self._now()
                self._worker = worker
                self._log.event("worker_started", pid=worker.pid)
                # it may also end while nothing is asked of it
                worker.ended.add_done_callback(partial(self._ended, worker))
                return worker
            self._last = failure
            pause = min(_FIRST_PAUSE * 2**self._failures, _LONGEST_PAUSE)
            self._failures += 1
            self._not_before = self._now() + pause
            self._log.event(
                "worker_start_failed",
                level="error",
                reason=str(failure),
                failures=self._failures,
                pause=pause,
            )
            if self._failures >= _PATIENCE:
                raise failure
            await self._sleep(pause)

    def _started(self, task: asyncio.Task[WorkerProcess]) -> None:
        if self._starting is task:
            self._starting = None
        if not task.cancelled():
            task.exception()  # the callers that ask for a worker get it

    def _ended(self, worker: WorkerProcess, ended: asyncio.Future[int]) -> None:
        self._log.event(
            "worker_ended", pid=worker.pid, returncode=ended.result(), said=worker.last_words or None
        )
        if worker is self._worker:
            soon = self._now() - self._ready_at < _FIRM and not worker.has_served
            self._idle_deaths = self._idle_deaths + 1 if soon else 0
            self.prepare()

    def replace(self, worker: WorkerProcess) -> None:
        """Kill a worker and have another one started at once."""
        worker.kill()
        self._retire(worker)
        if worker is self._worker:
            self._worker = None
        self.prepare()

    def _retire(self, worker: WorkerProcess) -> None:
        """Remember one that is ending, until it has."""
        if not worker.ended.done():
            self._ending.add(worker.ended)
            worker.ended.add_done_callback(self._ending.discard)

    async def close(self, seconds: float) -> bool:
        """End all workers, the ready one politely; whether that one ended by itself."""
        self._closed = True
        clean = True
        if self._starting is not None:
            self._starting.cancel()
            with suppress(asyncio.CancelledError, WorkerDied, OSError):
                await self._starting
        worker, self._worker = self._worker, None
        if worker is not None:
            was_usable = not worker.given_up
            clean = await worker.stop(seconds) or not was_usable
        if self._ending:
            await asyncio.wait(self._ending, timeout=max(seconds, 1.0))
        return clean
