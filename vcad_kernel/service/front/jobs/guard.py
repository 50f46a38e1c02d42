"""Sees that a job at its worker ends: by itself, when it is asked to, or by the end of its worker.

    async with Guard(job, worker, blocks, limits, clock) as guard:
        response = await worker.run(payload, guard)       # or TimeoutError, and the worker is killed

Watches the deadline, the worker's memory and whether the job is still wanted. What a client gets of it,
and what becomes of the worker, is the evaluator's business.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from types import TracebackType
from typing import Any, Final, Self

from vcad_kernel.service.front.jobs.job import FOREVER, Clock, Job, Limits, Stop
from vcad_kernel.service.front.worker.block_pool import BlockPool, MeshBlock
from vcad_kernel.service.front.worker.process import WorkerProcess

__all__ = ["GRACE", "Guard", "time_left", "worker_for"]

GRACE: Final = 0.2
"""Seconds before its deadline at which a job is ended by its worker's own clock."""

_LOOK: Final = 0.025
"""Seconds between two looks at the worker's memory."""


def time_left(job: Job, clock: Clock) -> float | None:
    """Seconds until a job is too late; None where any time is given."""
    return None if job.deadline == FOREVER else max(job.deadline - clock.monotonic(), 0.0)


async def worker_for(job: Job, coming: Awaitable[WorkerProcess], clock: Clock) -> WorkerProcess:
    """A worker for a job, once there is one.

    Raises: TimeoutError when the job is no longer wanted, or too late: ``job.stop`` says which; WorkerDied.
    """
    asked = asyncio.ensure_future(coming)
    waited: set[asyncio.Future[Any]] = {asked, job.wake}
    try:
        await asyncio.wait(waited, timeout=time_left(job, clock), return_when=asyncio.FIRST_COMPLETED)
        if job.stop is None and not asked.done():
            job.stop = Stop.TIMED_OUT
        if job.stop is not None:
            raise TimeoutError
        return asked.result()
    finally:
        if not asked.cancel() and not asked.cancelled():
            asked.exception()  # where the job was stopped, it is not asked for elsewhere


class Guard:
    """Of one job at its worker, whose `Visitor` it is: it passes on what becomes known of the job.

    Raises at its end, where it was before the answer: TimeoutError, with ``job.stop`` saying why; the worker
    is killed then, as it is when anything else ends the wait for it.
    """

    def __init__(
        self, job: Job, worker: WorkerProcess, blocks: BlockPool, limits: Limits, clock: Clock
    ) -> None:
        self._job = job
        self._worker = worker
        self._blocks = blocks
        self._memory = limits.worker_memory_mb * 2**20
        self._grace = limits.grace
        self._now = clock.monotonic
        self._kill_at = FOREVER
        self._waiting = asyncio.timeout(None)
        self._next: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        """Watch from now on."""
        await self._waiting.__aenter__()
        self._job.wake.add_done_callback(self._look)
        self._look_again(_LOOK)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Watch no more. Raises: TimeoutError."""
        if self._next is not None:
            self._next.cancel()
        self._job.wake.remove_done_callback(self._look)
        if kind is asyncio.CancelledError:
            self._worker.kill()
        await self._waiting.__aexit__(kind, error, at)

    def _look_again(self, seconds: float) -> None:
        self._next = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self, _: object = None) -> None:
        """See how the job and its worker are: every now and then, and when the job is to end."""
        if self._next is not None:
            self._next.cancel()
        job, now = self._job, self._now()
        if self._memory and self._worker.memory() > self._memory:
            job.stop, self._kill_at = Stop.MEMORY, now
        elif now >= job.deadline and job.stop is None:
            job.end(Stop.TIMED_OUT)
        if job.stop is not None and self._kill_at == FOREVER:
            self._kill_at = now + (0.0 if job.stop is Stop.SHUTDOWN else self._grace)
            self._worker.interrupt()
        if now >= self._kill_at:
            self._waiting.reschedule(0.0)
        else:
            self._look_again(min(_LOOK, self._kill_at - now))

    # ---- as a visitor ----------------------------------------------------------------------

    def progress(self, phase: str, done: int, total: int) -> None:
        """See `Visitor`."""
        self._job.report(self._now(), phase, None, done, total)

    def printed(self, text: str) -> None:
        """See `Visitor`."""
        if self._job.listener is not None:
            self._job.listener.printed(text)

    def block(self, size: int) -> MeshBlock:
        """See `Visitor`."""
        block = self._blocks.take(size)
        self._job.blocks.append(block.name)
        return block
