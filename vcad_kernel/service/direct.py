"""Evaluation in this process: the same calls and results as the service, without the isolation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import Any

from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.cad.parameters import Declarations
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import VcadError
from vcad_kernel.geometry.cache.disk import DiskCache
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.ir.document import Document
from vcad_kernel.loon.compile import Environment
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.modules import Project
from vcad_kernel.loon.runtime import watchdog
from vcad_kernel.loon.runtime.limits import Limits
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.scene import Material
from vcad_kernel.paths import Workspace
from vcad_kernel.service.bindings import to_loon
from vcad_kernel.service.cells import CellEnvironment
from vcad_kernel.service.environments import Environments
from vcad_kernel.service.history import was_stopped
from vcad_kernel.service.model_results import ModelResults, ProgramRun, Wishes
from vcad_kernel.service.printed import Printed
from vcad_kernel.service.progress import Progress, ProgressReport
from vcad_kernel.service.protocol import Definition, EvaluationResult, HistoryEntry, Output, PartResult
from vcad_kernel.settings import Settings

__all__ = ["DirectService"]


class DirectService:
    """An `EvaluationService` in the caller's own process and thread.

    clock: seconds, for the timings in results. limits: what one evaluation may use, by default the standard
    limits with the time of the settings.
    folder: where ``use`` looks, for who checks a cell before any has been evaluated.
    cache_dir: where solids outlive the process, from ``folder`` when relative; by default as in the settings.
    settings: by default those of this process. cancelled: asked while geometry is built; True stops it.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.perf_counter,
        limits: Limits | None = None,
        folder: Path | None = None,
        cache_dir: Path | None = None,
        settings: Settings | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        settings = settings or Settings.load()
        self._clock = clock
        # watched even where any time is allowed, so that it can be interrupted
        seconds = math.inf if settings.eval_seconds is None else settings.eval_seconds
        self._limits = limits or Limits(seconds=seconds)
        self._environments = Environments(folder, self._limits)
        self._solids = _solids(settings, cache_dir, folder)
        self._cancelled = cancelled
        self._interrupted: dict[int, bool] = {}
        """The threads that evaluate here now, and whether they are to stop."""

    @property
    def solids(self) -> SolidCache:
        """What has been built, by content."""
        return self._solids

    def eval_cell(
        self,
        code: str,
        prelude: Sequence[HistoryEntry] = (),
        bindings: Mapping[str, Any] | None = None,
        *,
        cell_id: str = "cell",
        name: str = "",
        bind: str | None = None,
        base_dir: Path | None = None,
        tolerance: float | None = None,
        parameters: Mapping[str, Any] | None = None,
        exact: bool = False,
        output: Output | None = None,
        progress: Progress | None = None,
    ) -> EvaluationResult:
        """See :meth:`EvaluationService.eval_cell`."""
        started = self._clock()
        wishes = Wishes(tolerance, exact, True, ProgressReport(progress, self._clock))
        cell = CellSource(cell_id, code, name, dict(bindings or {}), bind, dict(parameters or {}))
        cells, known = self._environments.closest(prelude, base_dir)
        printed = Printed(output)
        intact = False
        try:
            with self._interruptible():
                missing = prelude[known:]
                cells.replay(missing, lambda done: wishes.progress("loading", done, len(missing)))
                wishes.progress("running")
                try:
                    value = cells.run(cell, printed)
                finally:
                    stdout = printed.end()
                result = self._models().result(self._ran(cells, cell, value, stdout), wishes, started)
                intact = True
        except VcadError as error:
            intact = not was_stopped(error)
            raise
        finally:
            if not intact:  # interrupted, or failed in a way that nobody has thought of
                self._environments.discard(cells, prelude)
        return result.with_obsolete(cells.drop_obsolete())

    def interrupt(self, thread: int) -> None:
        """See :meth:`EvaluationService.interrupt`. What is in C at that moment ends first."""
        if thread in self._interrupted:
            self._interrupted[thread] = True
            watchdog.stop(thread)

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        thread = get_ident()
        self._interrupted[thread] = False
        try:
            try:
                yield
            except VcadError:
                if not self._interrupted[thread]:
                    raise
            if self._interrupted[thread]:
                raise KeyboardInterrupt
        finally:
            del self._interrupted[thread]

    def _is_cancelled(self) -> bool:
        return self._interrupted.get(get_ident(), False) or (
            self._cancelled is not None and self._cancelled()
        )

    def _ran(self, cells: CellEnvironment, cell: CellSource, value: object, stdout: str) -> ProgramRun:
        return ProgramRun(
            value,
            cells.loon,
            cell.source,
            stdout,
            cells.names(),
            cells.parameters,
            _workspace(cells.folder),
            cells.defined,
        )

    def eval_code(
        self,
        code: str,
        *,
        file: str = "<code>",
        bindings: Mapping[str, Any] | None = None,
        base_dir: Path | None = None,
        tolerance: float | None = None,
        parameters: Mapping[str, Any] | None = None,
        allow_scene: bool = False,
        exact: bool = False,
        output: Output | None = None,
        progress: Progress | None = None,
    ) -> EvaluationResult:
        """See :meth:`EvaluationService.eval_code`."""
        return self.eval_program(
            Source(file, code),
            folder=None if base_dir is None else Project(base_dir).folder_of(Path(file)),
            bindings=bindings,
            base_dir=base_dir,
            tolerance=tolerance,
            parameters=parameters,
            allow_scene=allow_scene,
            exact=exact,
            output=output,
            progress=progress,
        )

    def eval_program(
        self,
        source: Source,
        *,
        folder: Path | None = None,
        values: Mapping[str, object] | None = None,
        bindings: Mapping[str, Any] | None = None,
        base_dir: Path | None = None,
        tolerance: float | None = None,
        parameters: Mapping[str, Any] | None = None,
        allow_scene: bool = False,
        exact: bool = False,
        output: Output | None = None,
        progress: Progress | None = None,
    ) -> EvaluationResult:
        """As :meth:`eval_code`, for a text that is a `Source` already.

        folder: where its imports look first; by default ``base_dir``. values: Loon values by name that the
        program sees as it sees bindings.
        """
        started = self._clock()
        wishes = Wishes(tolerance, exact, allow_scene, ProgressReport(progress, self._clock))
        declarations = Declarations(parameters)
        printed = Printed(output)
        environment = Environment(
            prelude=PRELUDE,
            stdout=printed,
            project=None if base_dir is None else Project(base_dir),
            limits=self._limits,
            declare=declarations.declare,
        )
        for name, value in (values or {}).items():
            environment.define(name, value)
        for name, given in (bindings or {}).items():
            environment.define(name, to_loon(given, name))
        wishes.progress("running")
        try:
            value = environment.run(source, folder=folder)
        finally:
            stdout = printed.end()
        declarations.finish()
        run = ProgramRun(
            value,
            environment,
            source.text,
            stdout,
            environment.user_names(),
            declarations.declared,
            _workspace(base_dir),
            tuple(sorted(environment.last_defined)),
        )
        return self._models().result(run, wishes, started)

    def eval_document(
        self,
        document: Document,
        names: Sequence[str],
        *,
        base_dir: Path | None = None,
        tolerance: float | None = None,
        exact: bool = False,
        progress: Progress | None = None,
    ) -> EvaluationResult:
        """Evaluate a document that is at hand, as from an op-record file; any number of parts.

        names: of its roots, in order; empty where they have none. The rest as of :meth:`eval_code`.
        """
        started = self._clock()
        wishes = Wishes(tolerance, exact, True, ProgressReport(progress, self._clock))
        return self._models().of_document(document, names, _workspace(base_dir), wishes, started)

    def part(
        self,
        document: Document,
        node: NodeId,
        *,
        base_dir: Path | None = None,
        tolerance: float | None = None,
        name: str = "part",
        material: Material | None = None,
        exact: bool = False,
        progress: Progress | None = None,
    ) -> PartResult:
        """One node of a document as a part, evaluated unless it is known; its answers can be asked about it.

        Raises: VcadError.
        """
        wishes = Wishes(tolerance, exact, True, ProgressReport(progress, self._clock))
        return self._models().part(document, node, name, material, _workspace(base_dir), wishes)

    def _models(self) -> ModelResults:
        return ModelResults(self._solids, self._clock, self._is_cancelled)

    def check(
        self,
        code: str,
        *,
        cell_id: str = "",
        name: str = "",
        bindings: Mapping[str, Any] | None = None,
    ) -> tuple[Diagnostic, ...]:
        """See :meth:`EvaluationService.check`."""
        return self._environments.current.check(CellSource(cell_id, code, name, dict(bindings or {})))

    def definitions(self) -> Mapping[str, Definition]:
        """See :meth:`EvaluationService.definitions`."""
        return self._environments.restored().definitions()

    def take_back(self, names: Collection[str]) -> None:
        """See :meth:`EvaluationService.take_back`."""
        self._environments.restored().take_back(names)

    def forget(self) -> None:
        """Throw away every environment and all that was built; the next evaluation begins from nothing."""
        self._environments.clear()
        self._solids.clear()


def _solids(settings: Settings, cache_dir: Path | None, folder: Path | None) -> SolidCache:
    """What was built before. Solids may outlive the process; a relative folder needs one to be in."""
    limit = settings.geometry_cache_mb * 2**20
    place = cache_dir or settings.cache_dir
    if place is None or not (place.is_absolute() or folder):
        return SolidCache(limit)
    return SolidCache(limit, behind=DiskCache((folder or Path()) / place))


def _workspace(folder: Path | None) -> Workspace | None:
    return None if folder is None else Workspace(folder)
