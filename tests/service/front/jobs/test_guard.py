"""How long a job waits for a worker."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vcad_kernel.service.front.jobs.guard import worker_for
from vcad_kernel.service.front.jobs.job import Clock, Job, Stop, Task
from vcad_kernel.service.front.worker.process import WorkerProcess


@pytest.mark.parametrize("why", [None, Stop.CANCELLED])
def test_a_job_that_is_too_late_before_there_is_a_worker_is_stopped(why: Stop | None, tmp_path: Path) -> None:
    async def test() -> None:
        loop = asyncio.get_running_loop()
        task = Task("vcad.eval_code", dict, tmp_path)
        job = Job(task, 10.0, 0.0, datetime.now(UTC), None, loop.create_future(), loop.create_future())
        if why is not None:
            job.end(why)
        coming: asyncio.Future[WorkerProcess] = loop.create_future()
        with pytest.raises(TimeoutError):
            await worker_for(job, coming, Clock(monotonic=lambda: 10.0))
        assert job.stop is (why or Stop.TIMED_OUT)
        assert coming.cancelled()

    asyncio.run(test())
