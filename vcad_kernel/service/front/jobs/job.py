"""One request for the worker, from its arrival to its answer: what it is, not what is done with it; and the
queue in which it waits.

The queue is bounded, first come first served, and what is superseded or too late never starts. Both are plain
data: they are given the time, start nothing and answer no client. Which jobs the queue gives up it
returns; the caller notifies their clients.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any, Final, Protocol

__all__ = [
    "FOREVER",
    "Answer",
    "Clock",
    "Dropped",
    "Job",
    "JobQueue",
    "Limits",
    "Listener",
    "QueueFull",
    "Stop",
    "Task",
]

FOREVER: Final = float("inf")
"""The deadline of a job that may take any time."""

Answer = Mapping[str, Any]
"""The result object of a tool."""


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


class Dropped(Exception):
    """The service ends before a request has had its turn; its connection is closed."""


class Stop(Enum):
    """Why a running job is to end before it is done."""

    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"
    MEMORY = "out of memory"
    SHUTDOWN = "shutdown"


class Listener(Protocol):
    """Receives how a job is going; its answer comes by another way."""

    def progress(self, phase: str, queue_place: int | None, done: int, total: int, elapsed_ms: float) -> None:
        """queue_place: 1 for the next, None once it has begun. total: 0 where it is not known."""

    def printed(self, text: str) -> None:
        """More text that the program has printed."""


@dataclass(frozen=True, slots=True)
class Task:
    """What the worker is to do, as the connection has understood it."""

    tool: str
    """As ``vcad.eval_code``."""
    arguments: Callable[[], Mapping[str, Any]]
    """Paths in them have passed the policy. Asked for when the job's turn comes: a REPL's lines build on
    those before."""
    workspace: Path
    script_path: str = ""
    """The file that is evaluated, where it is one."""
    request_id: str = ""
    node_id: str | None = None
    revision: int | None = None
    supersedes: bool = False
    """Whether a newer one for the same node makes it needless."""
    mesh_shm: bool = False
    """Whether the client takes meshes by shared memory."""
    artifact: str | None = None
    """Name of the mesh file that is to be published."""
    staging: Path | None = None
    """Folder for files that the client fetches."""
    owner: Hashable = None
    """The connection that has asked, for as long as it lives."""
    depends: tuple[object, ...] = ()
    """What besides the arguments decides what comes of it, as a file's time of change."""
    ended: Callable[[Answer | Exception], None] | None = None
    """Notified of the outcome before the next job begins."""

    def scope(self, arguments: Mapping[str, Any]) -> Hashable:
        """Where one text follows another, for counting crashes. arguments: its own."""
        return self.workspace, self.tool, self.node_id or arguments.get("cell_id") or self.script_path


@dataclass(eq=False, slots=True)
class Job:
    """A task with its times, its state and the promise of its answer."""

    task: Task
    deadline: float
    """By the monotonic clock in seconds; `FOREVER` where any time is given."""
    queued_at: float
    """By the same clock."""
    queued_wall: datetime
    listener: Listener | None
    answer: asyncio.Future[Answer]
    """Fails with a VcadError, `Refused` or `Dropped`."""
    wake: asyncio.Future[None]
    """Done when a running job is to stop."""
    started_at: float | None = None
    started_wall: datetime | None = None
    stop: Stop | None = None
    tried_again: bool = False
    """The worker that it was given to first died before it took it up."""
    publishing: bool = False
    """Its result is there and being published: too late to stop it."""
    reported: tuple[object, ...] | None = None
    """The last progress that its listener knows of."""
    blocks: list[str] = field(default_factory=list)
    """Names of the blocks that the worker has taken for it."""

    @property
    def node(self) -> Hashable | None:
        """What a newer job supersedes it for."""
        if not self.task.supersedes or self.task.node_id is None:
            return None
        return self.task.workspace, self.task.node_id

    def report(self, now: float, phase: str, place: int | None, done: int = 0, total: int = 0) -> None:
        """Let its listener know how it is going, unless that is what it knows already."""
        progress = phase, place, done, total
        if self.listener is not None and self.reported != progress:
            self.reported = progress
            self.listener.progress(phase, place, done, total, (now - self.queued_at) * 1000)

    def end(self, why: Stop) -> bool:
        """Have a running job stop; False when it is too late for that."""
        if self.publishing or self.answer.done():
            return False
        if self.stop is None:
            self.stop = why
            if not self.wake.done():
                self.wake.set_result(None)
        return True

    def succeed(self, answer: Answer) -> None:
        """Its result."""
        if not self.answer.done():
            self.answer.set_result(answer)

    def fail(self, error: Exception) -> None:
        """Its failure."""
        if not self.answer.done():
            self.answer.set_exception(error)
            # it is not asked for when the connection is gone
            self.answer.exception()


class QueueFull(Exception):
    """There is no room; ``limit`` is how many may wait."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"{limit} jobs are waiting")
        self.limit = limit


class JobQueue:
    """limit: how many jobs may wait; what runs is not in the queue."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._jobs: list[Job] = []

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, job: Job) -> list[Job]:
        """Put a job last; the older ones of its node are given up and handed back.

        It does not take their place: what came before it runs before it, whatever its node.
        Raises: QueueFull, with nothing changed.
        """
        superseded = (
            [] if job.node is None else [waiting for waiting in self._jobs if waiting.node == job.node]
        )
        if len(self._jobs) - len(superseded) >= self._limit:
            raise QueueFull(self._limit)
        if superseded:
            self._jobs = [waiting for waiting in self._jobs if waiting not in superseded]
        self._jobs.append(job)
        return superseded

    def take(self, now: float) -> Job | None:
        """The job whose turn it is, unless all are too late or there is none."""
        for job in self._jobs:
            if job.deadline > now:
                self._jobs.remove(job)
                return job
        return None

    def expired(self, now: float) -> list[Job]:
        """Give up and hand back the jobs that have waited too long."""
        return self.remove(lambda job: job.deadline <= now)

    def remove(self, chosen: Callable[[Job], bool]) -> list[Job]:
        """Give up and hand back some jobs."""
        gone = [job for job in self._jobs if chosen(job)]
        self._jobs = [job for job in self._jobs if job not in gone]
        return gone

    def __iter__(self) -> Iterator[Job]:
        """Those that wait, in order."""
        return iter(self._jobs)

    def next_deadline(self) -> float | None:
        """When the first of them will be too late; None when none waits."""
        return min((job.deadline for job in self._jobs), default=None)
