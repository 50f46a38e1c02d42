"""Sees that a job at the worker ends: by itself, when it is asked to, or by the end of its worker.

    guard = Guard(blocks, limits, clock)
    response = await guard.run(job, worker, payload)      # or Stopped, and the worker is killed

Watches the deadline, the worker's memory and whether the job is still wanted. What a client is told of it,
and what becomes of the worker, is the evaluator's business.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from vcad_kernel.service.front.block_pool import BlockPool, MeshBlock
from vcad_kernel.service.front.jobs import Job, Stop
from vcad_kernel.service.front.worker_process import WorkerProcess
from vcad_kernel.service.shared.region import Response

__all__ = ["FOREVER", "GRACE", "Clock", "Guard", "Limits", "Stopped", "tell"]

FOREVER: Final = float("inf")
GRACE: Final = 0.2
"""Seconds before its deadline at which a job is ended by its worker's own clock."""
_LOOK: Final = 0.025
"""Seconds between two looks at the worker's memory."""
_SPARE: Final = 0.75
"""Part of its memory that an idle worker may keep: the next job is not to suffer for those before it."""


class Stopped(Exception):
    """A job was ended before it was done; ``job.stop`` says why."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Times of the two kinds: one that only ever goes on, and the one that people read."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], datetime] = lambda: datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Limits:
    """What jobs may take."""

    queue: int
    eval_timeout_ms: int
    """For waiting and running together; 0 for any time."""
    worker_memory_mb: int
    """MiB; 0 for any."""
    line_max: int
    """Bytes of an answer."""
    grace: float
    """Seconds from asking a worker to give up to killing it."""
    farewell: float
    """Seconds in which an idle worker may end by itself."""


def tell(job: Job, now: float, phase: str, place: int | None, done: int = 0, total: int = 0) -> None:
    """Let a job's listener know how it is going, unless it has just heard the same."""
    told = (phase, place, done, total)
    if job.listener is not None and job.told != told:
        job.told = told
        job.listener.progress(phase, place, done, total, (now - job.queued_at) * 1000)


class _Run:
    """A job at the worker: passes on what becomes known of it. A `Visitor`."""

    def __init__(self, job: Job, blocks: BlockPool, now: Callable[[], float]) -> None:
        self._job = job
        self._blocks = blocks
        self._now = now

    def progress(self, phase: str, done: int, total: int) -> None:
        tell(self._job, self._now(), phase, None, done, total)

    def printed(self, text: str) -> None:
        if self._job.listener is not None:
            self._job.listener.printed(text)

    def block(self, size: int) -> MeshBlock:
        block = self._blocks.take(size)
        self._job.blocks.append(block.name)
        return block


class Guard:
    """Of one service."""

    def __init__(self, blocks: BlockPool, limits: Limits, clock: Clock) -> None:
        self._blocks = blocks
        self._memory = limits.worker_memory_mb * 2**20
        self._grace = limits.grace
        self._clock = clock

    def left(self, job: Job) -> float | None:
        """Seconds until a job is too late; None where any time is given."""
        return None if job.deadline == FOREVER else max(job.deadline - self._clock.monotonic(), 0.0)

    async def worker(self, job: Job, coming: Awaitable[WorkerProcess]) -> WorkerProcess:
        """A worker for a job, once there is one.

        Raises: Stopped when the job is no longer wanted, or too late; WorkerDied.
        """
        asked = asyncio.ensure_future(coming)
        waited: set[asyncio.Future[Any]] = {asked, job.wake}
        try:
            await asyncio.wait(waited, timeout=self.left(job), return_when=asyncio.FIRST_COMPLETED)
            if job.stop is None and not asked.done():
                job.stop = Stop.TIMED_OUT
            if job.stop is not None:
                raise Stopped
            return asked.result()
        finally:
            if not asked.cancel() and not asked.cancelled():
                asked.exception()  # where the job was stopped, nobody else asks for it

    async def run(self, job: Job, worker: WorkerProcess, payload: bytes) -> Response:
        """The worker's answer.

        Raises: Stopped, the worker having been killed; WorkerDied when it died by itself; OSError.
        """
        run = asyncio.ensure_future(worker.run(payload, _Run(job, self._blocks, self._clock.monotonic)))
        kill_at = FOREVER
        try:
            while True:
                now = self._clock.monotonic()
                waited: set[asyncio.Future[Any]] = {run} if job.wake.done() else {run, job.wake}
                pause = max(min(_LOOK, kill_at - now), 0.0)
                await asyncio.wait(waited, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
                if run.done():
                    return await run
                now = self._clock.monotonic()
                if self._memory and worker.memory() > self._memory:
                    job.stop = Stop.MEMORY
                    raise Stopped
                if now >= job.deadline and job.stop is None:
                    job.end(Stop.TIMED_OUT)
                if job.stop is not None and kill_at == FOREVER:
                    kill_at = now + (0.0 if job.stop is Stop.SHUTDOWN else self._grace)
                    worker.interrupt()
                if now >= kill_at:
                    raise Stopped
        finally:
            if not run.done():
                worker.kill()
                run.cancel()

    def keeps_too_much(self, worker: WorkerProcess) -> bool:
        """Whether an idle worker has so much memory that the next job might suffer for it."""
        return bool(self._memory) and worker.memory() > self._memory * _SPARE
