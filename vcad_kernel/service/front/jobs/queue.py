"""The order of work: bounded, first come first served, and what is superseded or too late never starts.

A plain data structure: it is told the time, starts nothing and answers nobody. Which jobs it gives up
it hands back; the caller tells their clients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vcad_kernel.service.front.jobs.job import Job

__all__ = ["JobQueue", "QueueFull"]


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
