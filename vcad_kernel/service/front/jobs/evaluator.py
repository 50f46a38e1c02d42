"""Takes jobs one after the other, has the worker do them, and sees that each ends in time.

    job = evaluator.submit(task, listener)       # QueueFull's failure at once, or a promise
    answer = await job.answer
    evaluator.cancel(chosen)

Owns the queue and all clocks: a job may be superseded, cancelled, too late, too large for its memory, or
have its worker die; each of these is one failure for its client, and the next job finds a worker.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.error_envelope import internal_error
from vcad_kernel.errors import ServiceFailure, VcadError
from vcad_kernel.service.front.files.artifacts import StagedPair
from vcad_kernel.service.front.jobs import failures
from vcad_kernel.service.front.jobs.crashes import CrashMemory, fingerprint
from vcad_kernel.service.front.jobs.failures import Refused
from vcad_kernel.service.front.jobs.guard import GRACE, Guard, time_left, worker_for
from vcad_kernel.service.front.jobs.job import (
    FOREVER,
    Clock,
    Dropped,
    Job,
    JobQueue,
    Limits,
    Listener,
    QueueFull,
    Stop,
    Task,
)
from vcad_kernel.service.front.jobs.publishing import Publisher, read_result, superseded
from vcad_kernel.service.front.log import Logger
from vcad_kernel.service.front.worker.block_pool import BlockPool
from vcad_kernel.service.front.worker.process import WorkerDied, WorkerProcess
from vcad_kernel.service.front.worker.supply import WorkerSupply
from vcad_kernel.service.shared.payloads import RequestPayload

__all__ = ["Evaluator"]

_SPARE: Final = 0.75
"""Part of its memory that an idle worker may keep: the next job is not to suffer for those before it."""


class Evaluator:
    """Made and closed on the event loop."""

    def __init__(
        self,
        supply: WorkerSupply,
        blocks: BlockPool,
        publisher: Publisher,
        limits: Limits,
        log: Logger,
        clock: Clock,
    ) -> None:
        self._supply = supply
        self._blocks = blocks
        self._publisher = publisher
        self._limits = limits
        self._log = log
        self._clock = clock
        self._queue = JobQueue(limits.queue)
        self._crashes = CrashMemory()
        self._running: Job | None = None
        self._arrived = asyncio.Event()
        self._alarm: asyncio.TimerHandle | None = None
        self.rejected = 0
        """Tasks for which there was no room."""
        self.superseded = 0
        """Jobs that a newer one of their node has made needless; none of them had begun."""
        self.timed_out = 0
        """Jobs that took too long, waiting or running."""
        self._closing = False
        self._hurried = False
        self._gave_up = False
        self._loop = asyncio.create_task(self._work(), name="evaluator")

    @property
    def waiting(self) -> int:
        """How many jobs are in the queue."""
        return len(self._queue)

    # ---- from connections ------------------------------------------------------------------

    def submit(self, task: Task, listener: Listener | None = None) -> Job:
        """Put a task into the queue; its answer is promised.

        Raises: ServiceFailure, VCAD_QUEUE_FULL; Dropped when the service is ending.
        """
        if self._closing:
            raise Dropped
        now, loop = self._clock.monotonic(), asyncio.get_running_loop()
        limit = self._limits.eval_timeout_ms
        job = Job(
            task,
            deadline=now + limit / 1000 if limit else FOREVER,
            queued_at=now,
            queued_wall=self._clock.wall(),
            listener=listener,
            answer=loop.create_future(),
            wake=loop.create_future(),
        )
        try:
            old = self._queue.add(job)
        except QueueFull as full:
            self.rejected += 1
            raise failures.queue_full(full.limit, task.tool) from full
        self._event("eval_enqueued", job, waiting=len(self._queue))
        self.superseded += len(old)
        for needless in old:
            self._event("eval_finished", needless, status="superseded")
            needless.succeed(superseded(needless))
        self._arrived.set()
        self._changed()
        return job

    def cancel(self, chosen: Callable[[Job], bool]) -> int:
        """Give up jobs, waiting or running; how many. Their answers say EVAL_CANCELLED."""
        waiting = self._queue.remove(chosen)
        for job in waiting:
            self._fail(job, failures.cancelled(job.task.tool, was_running=False))
        running = self._running
        stopped = running is not None and chosen(running) and running.end(Stop.CANCELLED)
        self._changed()
        return len(waiting) + stopped

    def forget_crashes(self) -> None:
        """Let texts be tried again that have crashed the worker."""
        self._crashes.forget()

    def hurry(self) -> None:
        """Give up the running job too, now or when `close` is at it."""
        self._hurried = True
        if self._running is not None and self._running.end(Stop.SHUTDOWN):
            self._gave_up = True

    async def close(self) -> bool:
        """Drop what waits, let the running job finish within its own limit, end the worker.

        Gives whether everything has ended by itself.
        """
        self._closing = True
        for job in self._queue.remove(lambda _: True):
            job.fail(Dropped())
        self._changed()
        self._arrived.set()
        await self._loop
        by_itself = await self._supply.close(0.0 if self._hurried else self._limits.farewell)
        return not self._gave_up and (by_itself or self._hurried)

    # ---- the queue -------------------------------------------------------------------------

    def _changed(self) -> None:
        """The queue is another: tell those that wait, and wake up for the first that is too late."""
        now = self._clock.monotonic()
        for place, job in enumerate(self._queue, 1):
            job.report(now, "queued", place)
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        first = self._queue.next_deadline()
        if first is not None and first != FOREVER:
            self._alarm = asyncio.get_running_loop().call_later(max(first - now, 0.0), self._expire)

    def _expire(self) -> None:
        for job in self._queue.expired(self._clock.monotonic()):
            self._too_late(job, was_running=False)
            self._fail(
                job, failures.timed_out(self._limits.eval_timeout_ms, job.task.tool, was_running=False)
            )
        self._changed()

    async def _work(self) -> None:
        """Do one job after the other; whatever happens to one, it is answered, and the next has its turn."""
        while not self._closing:
            job = self._queue.take(self._clock.monotonic())
            if job is None:
                self._arrived.clear()
                await self._arrived.wait()
                continue
            self._running, task = job, job.task
            self._changed()
            try:
                job.started_at, job.started_wall = self._clock.monotonic(), self._clock.wall()
                self._event("eval_started", job)
                async with self._publisher.staged(task.artifact) as stage:
                    result = await self._computed(job, stage)
                # from here on it is too late to stop it: a pair is published wholly or not at all
                job.publishing = True
                if stage is not None:
                    await self._publisher.publish(job, stage, result, self._clock.wall())
                self._publisher.hand_over(job, result)
                answer = self._publisher.complete(job, result, self._clock.monotonic())
                if task.ended is not None:
                    task.ended(answer)
                self._event("eval_finished", job, status="evaluated", ms=self._elapsed(job))
                job.succeed(answer)
            except Exception as error:  # noqa: BLE001 - our own mistake is one answer, not the end of the service
                self._fail(job, self._failure(job, error))
            finally:
                self._publisher.put_back(job)
                self._running = None

    # ---- one job ---------------------------------------------------------------------------

    async def _computed(self, job: Job, stage: StagedPair | None) -> dict[str, Any]:
        """The worker's result.

        Raises: VcadError; Refused; WorkerDied; OSError.
        """
        task = job.task
        arguments = dict(task.arguments())
        scope = task.scope(arguments)

        def text() -> str:
            return fingerprint(arguments, *task.depends)

        if (known := self._crashes.refusal(scope, text)) is not None:
            raise failures.repeatedly_crashed(known.last, known.count, task.tool)
        job.report(self._clock.monotonic(), "starting", None)
        try:
            worker = self._supply.ready or await worker_for(job, self._supply.worker(), self._clock)
        except TimeoutError as stopped:
            raise self._stopped(job) from stopped
        except WorkerDied as died:
            raise failures.worker_does_not_start(died, task.tool) from died
        if job.stop is not None:
            raise self._stopped(job)
        payload = self._payload(job, arguments, stage)
        try:
            async with Guard(job, worker, self._blocks, self._limits, self._clock) as guard:
                response = await worker.run(payload, guard)
            result = read_result(response, task.tool, self._limits.line_max)
        except WorkerDied as died:
            self._lost(job, worker)
            if job.stop is not None:
                raise self._stopped(job) from died
            if not died.had_begun and not job.tried_again:
                # it was not this job that ended it
                job.tried_again = True
                return await self._computed(job, stage)
            self._crashes.crashed(scope, text(), died)
            raise failures.worker_crashed(died, task.tool) from died
        except Refused as refused:
            self._crashes.survived(scope)
            self._after(worker, refused.envelope["error_code"])
            raise self._verdict(job, refused) from refused
        except TimeoutError as stopped:
            self._lost(job, worker)
            raise self._stopped(job) from stopped
        self._crashes.survived(scope)
        self._after(worker)
        if job.stop is not None:
            raise self._stopped(job)
        return result

    def _payload(self, job: Job, arguments: Mapping[str, Any], stage: StagedPair | None) -> bytes:
        task = job.task
        left = time_left(job, self._clock)
        options = {
            "operation": task.tool.removeprefix("vcad."),
            "arguments": arguments,
            "workspace": str(task.workspace),
            "mesh_shm": task.mesh_shm,
            "artifact_stage": None if stage is None else str(stage.path),
            "staging": None if task.staging is None else str(task.staging),
            "deadline_seconds": None if left is None else max(left - GRACE, 0.001),
            "eval_timeout_ms": self._limits.eval_timeout_ms,
            "request_id": task.request_id,
            "node_id": task.node_id,
            "revision": task.revision,
        }
        return RequestPayload(task.script_path, options).to_bytes()

    def _verdict(self, job: Job, refused: Refused) -> Exception:
        """What a client hears of a job that has failed by itself, or because it was to stop."""
        if refused.envelope["error_code"] == ErrorCode.VCAD_EVAL_TIMEOUT:
            # it says where the program was
            self._too_late(job, was_running=True)
            return Refused(refused.envelope)
        return Refused(refused.envelope) if job.stop is None else self._stopped(job)

    def _stopped(self, job: Job) -> VcadError:
        """The failure of a job that was stopped."""
        operation = job.task.tool
        if job.stop is Stop.TIMED_OUT:
            self._too_late(job, was_running=True)
            return failures.timed_out(self._limits.eval_timeout_ms, operation, was_running=True)
        if job.stop is Stop.MEMORY:
            return failures.out_of_memory(self._limits.worker_memory_mb, operation)
        return failures.cancelled(operation, was_running=True)

    # ---- the worker afterwards -------------------------------------------------------------

    def _after(self, worker: WorkerProcess, error_code: str = "") -> None:
        """A worker has answered: it goes on, unless it is broken or keeps too much."""
        if error_code == ErrorCode.WORKER_OUT_OF_MEMORY:
            self._supply.replace(worker)
        elif self._limits.worker_memory_mb:
            kept = worker.memory()
            if kept > self._limits.worker_memory_mb * 2**20 * _SPARE:
                self._log.event("worker_keeps_too_much", pid=worker.pid, bytes=kept)
                self._supply.replace(worker)

    def _lost(self, job: Job, worker: WorkerProcess) -> None:
        """A worker is gone or going: another one is started, its blocks are free once it writes no more."""
        blocks, job.blocks = job.blocks, []

        def give_back(_: object) -> None:
            for name in blocks:
                self._blocks.put_back(name)

        worker.ended.add_done_callback(give_back)
        self._supply.replace(worker)

    # ---- telling ---------------------------------------------------------------------------

    def _failure(self, job: Job, error: Exception) -> VcadError | Refused:
        """The client's answer for whatever a job ended in."""
        if isinstance(error, VcadError | Refused):
            return error
        if isinstance(error, WorkerDied):
            return failures.worker_crashed(error, job.task.tool)
        if isinstance(error, OSError):
            return _no_room(error, job.task.tool)
        self._log.failed("internal_error", error, request_id=job.task.request_id)
        return Refused(internal_error(error, job.task.tool))

    def _fail(self, job: Job, error: VcadError | Refused) -> None:
        code = error.envelope["error_code"] if isinstance(error, Refused) else error.error_code
        self._event("eval_finished", job, status="failed", error_code=str(code), ms=self._elapsed(job))
        if job.task.ended is not None:
            job.task.ended(error)
        job.fail(error)

    def _elapsed(self, job: Job) -> float:
        return round((self._clock.monotonic() - job.queued_at) * 1000, 3)

    def _too_late(self, job: Job, *, was_running: bool) -> None:
        self.timed_out += 1
        self._event("eval_timeout", job, error_code=ErrorCode.VCAD_EVAL_TIMEOUT, was_running=was_running)

    def _event(self, event: str, job: Job, **fields: Any) -> None:
        task = job.task
        self._log.event(
            event, request_id=task.request_id, node_id=task.node_id, operation=task.tool, **fields
        )


def _no_room(failed: OSError, operation: str) -> VcadError:
    """The region or an artifact's file cannot be written."""
    reason = failed.strerror or str(failed)
    return ServiceFailure(
        ErrorCode.EXPORT_FAILED,
        f"the service has no room for what it is to write: {reason}",
        details={"operation": operation, "reason": reason},
    )
