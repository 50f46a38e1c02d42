"""What becomes of a worker's result before the client gets it: its block, its artifact, its times.

Writes nothing itself: the artifact store does, on a thread, so that no request waits for a disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from vcad_kernel.contracts.messages import named_block
from vcad_kernel.error_envelope import passed_on
from vcad_kernel.errors import VcadError
from vcad_kernel.rfc3339 import rfc3339
from vcad_kernel.service.front.connection.framing import read_json
from vcad_kernel.service.front.files.artifacts import ArtifactStore, StagedPair
from vcad_kernel.service.front.jobs import failures
from vcad_kernel.service.front.jobs.failures import Refused
from vcad_kernel.service.front.jobs.job import Answer, Job
from vcad_kernel.service.front.worker.block_pool import BlockPool
from vcad_kernel.service.front.worker.process import WorkerDied
from vcad_kernel.service.shared.region import Response

__all__ = ["Publisher", "read_result", "superseded"]


def read_result(response: Response, operation: str, limit: int) -> dict[str, Any]:
    """The result object that a worker has written. limit: bytes that can be passed on.

    Raises: Refused with the worker's own envelope; PAYLOAD_TOO_LARGE's failure; WorkerDied when what it
    wrote is no result.
    """
    if len(response.result) > limit:
        # before it is read, which would keep everybody waiting
        raise failures.too_large(limit, len(response.result), operation)
    try:
        result = read_json(response.result)
    except (ValueError, RecursionError) as bad:
        raise WorkerDied(reason="its result is not JSON") from bad
    if response.is_error:
        raise Refused(passed_on(result, operation))
    if not isinstance(result, dict):
        raise WorkerDied(reason="its result is no object")
    return result


def superseded(job: Job) -> Answer:
    """The answer to a job that a newer one of its node has made needless."""
    return {"status": "superseded", **_identity(job)}


def _identity(job: Job) -> dict[str, Any]:
    task = job.task
    return {"request_id": task.request_id, "node_id": task.node_id, "revision": task.revision}


class Publisher:
    """blocks: of the service whose results these are."""

    def __init__(self, blocks: BlockPool, artifacts: ArtifactStore) -> None:
        self._blocks = blocks
        self._artifacts = artifacts

    @asynccontextmanager
    async def staged(self, name: str | None) -> AsyncIterator[StagedPair | None]:
        """Where the worker may write a mesh that is to be published; None where none is wanted.

        Nothing is left of it, before anybody knows of the failure, when what is done meanwhile fails.
        Raises: VcadError; OSError.
        """
        stage = None if name is None else await asyncio.to_thread(self._artifacts.stage, name)
        try:
            yield stage
        except BaseException:
            if stage is not None:
                with suppress(OSError, VcadError):
                    await asyncio.to_thread(self._artifacts.discard, stage)
            raise

    def put_back(self, job: Job) -> None:
        """The blocks that the worker took for a job and that no client will hear of are free again."""
        for name in job.blocks:
            self._blocks.put_back(name)
        job.blocks.clear()

    def hand_over(self, job: Job, result: dict[str, Any]) -> None:
        """Give the block that a result names to the client.

        Raises: WorkerDied when the worker names one that it was not given.
        """
        named = named_block(result)
        if named is None:
            return
        member, said = named
        name = said.get("block")
        if name not in job.blocks:
            raise WorkerDied(reason="its result names a block that is not its own")
        block = self._blocks.hand_over(name, job.task.owner)
        job.blocks.remove(name)
        result[member] = {**said, "path": str(block.path), "size": block.size}

    async def publish(self, job: Job, stage: StagedPair, result: dict[str, Any], finished: datetime) -> None:
        """Publish the mesh of a result with its manifest; the result gets their paths.

        Raises: VcadError; OSError.
        """
        if not await asyncio.to_thread(_is_written, stage.path):
            # a value that is no model has no mesh, and nothing is published for it
            await asyncio.to_thread(self._artifacts.discard, stage)
            return
        manifest = _manifest(job, result, finished)
        mesh, manifest_path = await asyncio.to_thread(self._artifacts.commit, stage, manifest)
        result["obj_path"], result["manifest_path"] = str(mesh), str(manifest_path)

    def complete(self, job: Job, result: dict[str, Any], now: float) -> Answer:
        """The result with what only the front knows of it."""
        if "timings_ms" not in result:
            return result
        result.setdefault("status", "evaluated")
        result.update({key: value for key, value in _identity(job).items() if value is not None})
        result.setdefault("obj_path", None)
        result.setdefault("manifest_path", None)
        started = job.started_at if job.started_at is not None else now
        timings = dict(result["timings_ms"])
        timings["queue"] = round((started - job.queued_at) * 1000, 3)
        timings["total"] = round((now - job.queued_at) * 1000, 3)
        result["timings_ms"] = timings
        return result


def _is_written(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _manifest(job: Job, result: Mapping[str, Any], finished: datetime) -> dict[str, Any]:
    """What a published mesh says of itself; the store adds the mesh's own path."""
    return {
        "status": "applied",
        **_identity(job),
        "source_file": job.task.script_path or None,
        "source_hash": result.get("source_hash"),
        "imports": list(result.get("imports") or ()),
        "bbox": result.get("bbox"),
        "volume": result.get("volume"),
        "surface_area": result.get("surface_area"),
        "queued_at": rfc3339(job.queued_wall),
        "started_at": rfc3339(job.started_wall or job.queued_wall),
        "finished_at": rfc3339(finished),
    }
