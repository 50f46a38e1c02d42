"""What the worker can do, by the names of the tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TypeAlias

from vcad_kernel.cad.imports import extract_imports
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.loon.source import Source
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode
from vcad_kernel.service.worker.evaluations import Evaluations
from vcad_kernel.service.worker.import_values import KeptModels
from vcad_kernel.service.worker.job import Answer, Job
from vcad_kernel.service.worker.kept_documents import KeptDocuments
from vcad_kernel.service.worker.part_questions import PartQuestions
from vcad_kernel.settings import Settings

__all__ = ["Operations"]

_Tools: TypeAlias = Mapping[str, Callable[[Job], Answer]]
"""Tool by its name without ``vcad.``."""


class Operations:
    """One worker's evaluation and all that it keeps."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tools = _tools(settings, None)
        self._by_workspace: dict[Path, _Tools] = {}

    def perform(self, job: Job) -> Answer:
        """See :meth:`vcad_kernel.service.worker.loop.Operations.perform`."""
        tool = self._of(job.workspace).get(job.operation)
        if tool is None:
            raise ServiceFailure(
                ErrorCode.TOOL_NOT_FOUND,
                f"the worker knows no {job.tool}",
                details={"known": sorted(self._tools)},
            )
        return tool(job)

    def _of(self, workspace: Path | None) -> _Tools:
        """The tools for a workspace: the same for all, unless solids are kept in each one's own folder."""
        place = self._settings.cache_dir
        if workspace is None or place is None or place.is_absolute():
            return self._tools
        if workspace not in self._by_workspace:
            # what one has in memory would count against the others' limit too
            self._by_workspace = {workspace: _tools(self._settings, workspace)}
        return self._by_workspace[workspace]


def _tools(settings: Settings, workspace: Path | None) -> _Tools:
    service = DirectService(settings=settings, folder=workspace)
    if workspace is None:
        # the first program loads the kernel and much else: better now than when somebody waits for it
        service.evaluate(EvalCode("[difference [cube 2 2 2] [sphere 1]]"))
    documents = KeptDocuments(settings.adt_cache_max)
    evaluations = Evaluations(service, documents, KeptModels(settings.adt_cache_max))
    questions = PartQuestions(documents, service)
    return {
        "ask": questions.answer,
        "cache_invalidate": evaluations.forget,
        "check": evaluations.check,
        "eval_cell": evaluations.cell,
        "eval_code": evaluations.code,
        "eval_file": evaluations.file,
        "eval_repl": evaluations.line,
        "eval_with_imports": evaluations.code_with_imports,
        "export": evaluations.export,
        "extract_imports": _extract_imports,
        "inspect": evaluations.inspect,
    }


def _extract_imports(job: Job) -> Answer:
    found = extract_imports(Source(str(job.arguments.get("file") or "<code>"), str(job.arguments["source"])))
    return Answer(
        {
            "imports": [asdict(one) for one in found.imports],
            "transformed_source": found.transformed_source,
        }
    )
