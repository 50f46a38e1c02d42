"""Evaluation in this process: the same calls and results as the service, without the isolation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import Any, Final

from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.cad.parameters import Declarations
from vcad_kernel.contracts.messages import CellNames, CellSource
from vcad_kernel.errors import VcadError
from vcad_kernel.geometry.cache.disk import DiskCache
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.ir.document import Document
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.modules.modules import Project
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.program.testing import run_tests
from vcad_kernel.loon.runtime.limits import watchdog
from vcad_kernel.loon.runtime.limits.limits import Limits
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.scene import Material
from vcad_kernel.service.evaluation.bindings import to_loon
from vcad_kernel.service.evaluation.environments import Environments
from vcad_kernel.service.evaluation.history import was_stopped
from vcad_kernel.service.evaluation.imported import without_imports
from vcad_kernel.service.evaluation.model_results import ModelResults, ProgramRun, Terms, workspace_of
from vcad_kernel.service.progress import Progress, ProgressReport
from vcad_kernel.service.protocol import Definition, EvaluationResult, Output, PartResult
from vcad_kernel.service.requests import EvalCell, EvalCode, Options
from vcad_kernel.service.shorthand import Shorthand
from vcad_kernel.settings import Settings

__all__ = ["MOST_PRINTED", "DirectService", "Printed"]


class DirectService(Shorthand):
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
        self._results = ModelResults(self._solids, clock, settings.display_tolerance)
        self._cancelled = cancelled
        self._interrupted: dict[int, bool] = {}
        self._names = CellNames()
        """The threads that evaluate here now, and whether they are to stop."""

    @property
    def solids(self) -> SolidCache:
        """What has been built, by content."""
        return self._solids

    def evaluate(
        self,
        request: EvalCell | EvalCode,
        *,
        output: Output | None = None,
        progress: Progress | None = None,
    ) -> EvaluationResult:
        """See :meth:`EvaluationService.evaluate`."""
        if isinstance(request, EvalCode):
            base_dir = request.base_dir
            folder = None if base_dir is None else Project(base_dir).folder_of(Path(request.file))
            source = Source(request.file, request.code)
            return self.run_program(source, request, folder=folder, output=output, progress=progress)
        started = self._clock()
        report = ProgressReport(progress, self._clock)
        terms = Terms(request, True, report, self._is_cancelled, shows_profiles=True)
        cell, prelude = request.cell, request.prelude
        cells, known = self._environments.closest(prelude, request.base_dir)
        printed = Printed(output)
        intact = False
        try:
            with self._interruptible():
                if missing := prelude[known:]:
                    cells.replay(missing, lambda done: terms.progress("loading", done, len(missing)))
                terms.progress("running")
                try:
                    value = cells.run(cell, printed)
                finally:
                    stdout = printed.end()
                run = ProgramRun(
                    value,
                    cells.loon,
                    cell.source,
                    stdout,
                    cells.values,
                    cells.parameters,
                    workspace_of(cells.folder),
                    cells.defined,
                )
                result = self._results.result(run, terms, started)
                intact = True
        except VcadError as error:
            intact = not was_stopped(error)
            raise
        finally:
            self._names = cells.names_of_last() if intact else CellNames()
            if not intact:  # interrupted, or failed in a way that was not foreseen
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

    def run_program(
        self,
        source: Source,
        request: EvalCode,
        *,
        folder: Path | None = None,
        values: Mapping[str, object] | None = None,
        output: Output | None = None,
        progress: Progress | None = None,
    ) -> EvaluationResult:
        """As :meth:`evaluate`, for a text that is a `Source` already, in place of the request's own.

        folder: where its imports look first; by default ``base_dir``. values: Loon values by name that the
        program sees as it sees bindings.
        """
        started = self._clock()
        base_dir = request.base_dir
        any_value = request.allow_scene or request.tests is not None
        report = ProgressReport(progress, self._clock)
        terms = Terms(request, any_value, report, self._is_cancelled, shows_profiles=request.allow_scene)
        declarations = Declarations(request.parameters)
        printed = Printed(output)
        environment = Environment(
            prelude=PRELUDE,
            stdout=printed,
            project=None if base_dir is None else Project(base_dir),
            limits=self._limits,
            declare=declarations.declare,
        )
        text = source.text
        source, imported = without_imports(source, request.imports or {})
        for name, value in {**(values or {}), **imported}.items():
            environment.user.define(name, value)
        for name, given in (request.bindings or {}).items():
            environment.user.define(name, to_loon(given, name))
        terms.progress("running")
        try:
            if request.tests is None:
                value = environment.run(source, folder=folder)
            else:
                only = request.tests.lower()
                verdicts = run_tests(
                    source, environment, folder=folder, wanted=lambda name: only in name.lower()
                )
                value = to_loon([verdict.plain() for verdict in verdicts], "tests")
        finally:
            stdout = printed.end()
        declarations.finish()
        run = ProgramRun(
            value,
            environment,
            text,
            stdout,
            lambda: {name: environment.user.lookup(name) for name in environment.user.user_names()},
            declarations.declared,
            workspace_of(base_dir),
            tuple(sorted(environment.last_defined)),
        )
        return self._results.result(run, terms, started)

    def eval_document(
        self,
        document: Document,
        names: Sequence[str],
        options: Options | None = None,
        progress: Progress | None = None,
    ) -> EvaluationResult:
        """Evaluate a document that is at hand, as from an op-record file; any number of parts.

        names: of its roots, in order; empty where they have none. options: a document takes neither bindings
        nor parameters. The rest as of :meth:`evaluate`.
        """
        started = self._clock()
        terms = Terms(options or Options(), True, ProgressReport(progress, self._clock), self._is_cancelled)
        return self._results.of_document(document, names, terms, started)

    def part(
        self,
        document: Document,
        node: NodeId,
        options: Options,
        *,
        name: str = "part",
        material: Material | None = None,
        progress: Progress | None = None,
    ) -> PartResult:
        """One node of a document as a part, evaluated unless it is known; its answers can be asked about it.

        Raises: VcadError.
        """
        terms = Terms(options, True, ProgressReport(progress, self._clock), self._is_cancelled)
        return self._results.part(document, node, name, material, terms)

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

    def names_of_last(self) -> CellNames:
        """See :meth:`EvaluationService.names_of_last`."""
        return self._names

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


# ---- what a program prints: kept for its result and passed on as it comes, both up to a limit ----


MOST_PRINTED: Final = 1_000_000
"""Characters that one program may print; what comes after is counted and dropped."""


class Printed:
    """Takes printed text. onward: given the same text, piece by piece."""

    def __init__(self, onward: Output | None = None, most: int = MOST_PRINTED) -> None:
        self._pieces: list[str] = []
        self._onward = onward
        self._room = most
        self._dropped = 0
        self._ended = False

    def __call__(self, text: str) -> None:
        """Take a piece."""
        kept = text[: self._room]
        self._dropped += len(text) - len(kept)
        self._room -= len(kept)
        if kept:
            self._take(kept)

    def end(self) -> str:
        """All that was printed; if some was dropped, a line at the end says how much."""
        if self._dropped and not self._ended:
            self._take(f"\n… {self._dropped:,} more characters were printed and are not shown\n")
        self._ended = True
        return "".join(self._pieces)

    def _take(self, text: str) -> None:
        self._pieces.append(text)
        if self._onward is not None:
            self._onward(text)
