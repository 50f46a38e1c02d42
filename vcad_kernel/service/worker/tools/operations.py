"""What the worker can do, by the names of the tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from vcad_kernel.contracts.tools import TOOLS
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode
from vcad_kernel.service.worker.job import Answer, Job
from vcad_kernel.service.worker.tools.evaluations import Evaluations
from vcad_kernel.settings import Settings

__all__ = ["Operations"]

_Tools: TypeAlias = Mapping[str, Callable[[Job], Answer]]
"""What carries a job out, by the tool's name without ``vcad.``."""


class Operations:
    """One worker's evaluation and all that it keeps."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tools = _tools(settings, None)
        self._by_workspace: dict[Path, _Tools] = {}

    def tool(self, job: Job) -> Callable[[Job], Answer]:
        """What carries a job out. Raises: ServiceFailure TOOL_NOT_FOUND."""
        tools = self._tools
        place = self._settings.cache_dir
        if job.workspace is not None and place is not None and not place.is_absolute():
            # solids are kept in each workspace's own folder; what one has in memory would count against the
            # others' limit too
            if job.workspace not in self._by_workspace:
                self._by_workspace = {job.workspace: _tools(self._settings, job.workspace)}
            tools = self._by_workspace[job.workspace]
        tool = tools.get(job.operation)
        if tool is None:
            raise ServiceFailure(
                ErrorCode.TOOL_NOT_FOUND,
                f"the worker knows no {job.tool}",
                details={"known": sorted(self._tools)},
            )
        return tool


def _tools(settings: Settings, workspace: Path | None) -> _Tools:
    service = DirectService(settings=settings, folder=workspace)
    if workspace is None:
        # the first program loads the kernel and much else: better now than while a request waits for it
        service.evaluate(EvalCode("[difference [cube 2 2 2] [sphere 1]]"))
    evaluations = Evaluations(service, settings.adt_cache_max)
    names = [tool.operation for tool in TOOLS.values() if tool.runs == "worker"]
    return {name: getattr(evaluations, name) for name in names}
