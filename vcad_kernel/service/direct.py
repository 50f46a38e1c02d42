"""Evaluation in this process: the same calls and results as the service, without the isolation."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.cad.parameters import Declarations
from vcad_kernel.cad.scene_value import is_scene_value, root_values
from vcad_kernel.contracts.messages import CacheCount, CellSource, Timings, source_hash
from vcad_kernel.errors import ErrorCode, SceneError
from vcad_kernel.geometry import evaluate as geometry
from vcad_kernel.geometry.cache import SolidCache
from vcad_kernel.geometry.disk_cache import DiskCache
from vcad_kernel.geometry.part_figures import Measurement
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.loon.compile import Environment
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.display import display
from vcad_kernel.loon.modules import Project
from vcad_kernel.loon.runtime.limits import Limits
from vcad_kernel.loon.runtime.values import UNIT
from vcad_kernel.loon.source import Source
from vcad_kernel.paths import Workspace
from vcad_kernel.service.bindings import NotPlainError, from_loon, to_loon
from vcad_kernel.service.cells import CellEnvironment
from vcad_kernel.service.part_names import part_names
from vcad_kernel.service.protocol import Definition, EvaluationResult, HistoryEntry, Output, PartResult
from vcad_kernel.settings import Settings

__all__ = ["DirectService"]


@dataclass(frozen=True, slots=True)
class _Wishes:
    """How a value is to be evaluated, from the arguments that both calls share."""

    tolerance: float | None
    exact: bool
    allow_scene: bool


@dataclass(frozen=True, slots=True)
class _Program:
    """What is left of a program that has run, besides its value."""

    environment: Environment
    names: Iterable[str]
    """Those among which its parts find theirs."""
    parameters: tuple[Parameter, ...]
    """What it declared."""
    files: Workspace | None
    """Where its imports are."""


class _Recorder:
    """Keeps what a program prints and passes it on as it comes."""

    def __init__(self, onward: Output | None) -> None:
        self._pieces: list[str] = []
        self._onward = onward

    def __call__(self, text: str) -> None:
        self._pieces.append(text)
        if self._onward is not None:
            self._onward(text)

    @property
    def text(self) -> str:
        return "".join(self._pieces)


class DirectService:
    """An `EvaluationService` in the caller's own process and thread.

    clock: seconds, for the timings in results. limits: what one evaluation may use, by default the standard
    limits with the time of the settings.
    folder: where ``use`` looks, for who checks a cell before any has been evaluated.
    cache_dir: where solids outlive the process, from ``folder`` when relative; by default as in the settings.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.perf_counter,
        limits: Limits | None = None,
        folder: Path | None = None,
        cache_dir: Path | None = None,
    ) -> None:
        settings = Settings.from_environment()
        self._clock = clock
        self._limits = limits or Limits(seconds=settings.eval_seconds)
        self._cells = CellEnvironment(folder, self._limits)
        self._solids = SolidCache(behind=_on_disk(cache_dir or settings.cache_dir, folder))

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
    ) -> EvaluationResult:
        """See :meth:`EvaluationService.eval_cell`."""
        started = self._clock()
        if not self._cells.is_outcome_of(prelude, base_dir):
            self._cells = CellEnvironment(base_dir, self._limits)
            self._cells.replay(prelude)
        recorder = _Recorder(output)
        value = self._cells.run(
            CellSource(cell_id, code, name, dict(bindings or {}), bind, dict(parameters or {})), recorder
        )
        names = self._cells.names()
        wishes = _Wishes(tolerance, exact, allow_scene=True)
        program = _Program(self._cells.loon, names, self._cells.parameters, _workspace(base_dir))
        return self._result(value, program, code, recorder.text, wishes, started)

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
    ) -> EvaluationResult:
        """See :meth:`EvaluationService.eval_code`."""
        started = self._clock()
        declarations = Declarations(parameters)
        recorder = _Recorder(output)
        project = None if base_dir is None else Project(base_dir)
        environment = Environment(
            prelude=PRELUDE,
            stdout=recorder,
            project=project,
            limits=self._limits,
            declare=declarations.declare,
        )
        for name, given in (bindings or {}).items():
            environment.define(name, to_loon(given, name))
        folder = None if project is None else project.folder_of(Path(file))
        value = environment.run(Source(file, code), folder=folder)
        declarations.finish()
        names = environment.user_names()
        program = _Program(environment, names, declarations.declared, _workspace(base_dir))
        wishes = _Wishes(tolerance, exact, allow_scene)
        return self._result(value, program, code, recorder.text, wishes, started)

    def check(
        self,
        code: str,
        *,
        cell_id: str = "",
        name: str = "",
        bindings: Mapping[str, Any] | None = None,
    ) -> tuple[Diagnostic, ...]:
        """See :meth:`EvaluationService.check`."""
        return self._cells.check(CellSource(cell_id, code, name, dict(bindings or {})))

    def definitions(self) -> Mapping[str, Definition]:
        """See :meth:`EvaluationService.definitions`."""
        return self._cells.definitions()

    def take_back(self, names: Collection[str]) -> None:
        """See :meth:`EvaluationService.take_back`."""
        self._cells.take_back(names)

    def _result(
        self,
        value: object,
        program: _Program,
        source: str,
        stdout: str,
        wishes: _Wishes,
        started: float,
    ) -> EvaluationResult:
        """Convert and evaluate what a program gave, where it is a model."""
        document, scene, names = None, geometry.Scene(()), []
        hits, misses = self._solids.hits, self._solids.misses
        converting = self._clock()
        evaluating = converting
        if is_scene_value(value) or not wishes.allow_scene:
            document = convert(value, program.files, program.parameters)
            names = part_names(root_values(value), program.names, program.environment)
            evaluating = self._clock()
            scene = geometry.evaluate(
                document,
                geometry.EvaluationOptions(tessellation=_tessellation(wishes.tolerance), files=program.files),
                cache=self._solids,
                clock=self._clock,
            )
            scene.raise_first()
            if not wishes.allow_scene:
                _demand_one_part(scene)
        ended = self._clock()
        language = program.environment.timings
        return EvaluationResult(
            display=None if value is UNIT or scene.parts else display(value),
            value=None if scene.parts else _plain(value),
            parts=tuple(
                PartResult(
                    name,
                    part.mesh,
                    part.material,
                    _measurement(part, wishes.exact),
                    part.node,
                    b"%b %r" % (document.digest(part.node), wishes.tolerance),
                    program.files,
                )
                for name, part in zip(names, scene.parts, strict=True)
                if document is not None
            ),
            document=document,
            document_hash=None if document is None else document.content_digest.hex(),
            source_hash=source_hash(source),
            stdout=stdout,
            warnings=scene.warnings,
            diagnostics=program.environment.diagnostics,
            parameters=program.parameters,
            work=scene.recorder,
            timings=Timings(
                read=language.read * 1e3,
                expand=language.expand * 1e3,
                check=language.check * 1e3,
                compile=language.compile * 1e3,
                run=language.run * 1e3,
                convert=(evaluating - converting) * 1e3,
                geometry=(ended - evaluating) * 1e3,
                total=(ended - started) * 1e3,
            ),
            cache=CacheCount(hits=self._solids.hits - hits, misses=self._solids.misses - misses),
        )


def _on_disk(cache_dir: Path | None, folder: Path | None) -> DiskCache | None:
    """Where solids outlive the process, if anywhere: a relative folder needs a workspace to be in."""
    if cache_dir is None or not (cache_dir.is_absolute() or folder):
        return None
    return DiskCache((folder or Path()) / cache_dir)


def _plain(value: object) -> Any:
    try:
        return from_loon(value)
    except NotPlainError:
        return None


def _tessellation(chord: float | None) -> Tessellation:
    return Tessellation() if chord is None else Tessellation(chord=chord)


def _workspace(folder: Path | None) -> Workspace | None:
    return None if folder is None else Workspace(folder)


def _measurement(part: geometry.EvaluatedPart, exact: bool) -> Measurement:
    """How a part's figures will be found. Where they must be exact, they are found now, or refused."""
    if not exact:
        return part.measurement
    demanding = part.measurement.demanding()
    demanding.exact()
    return demanding


def _demand_one_part(scene: geometry.Scene) -> None:
    """One file makes one component: refuse none and several."""
    count = len(scene.parts)
    if count == 0:
        raise SceneError(
            "the program makes no part",
            code=ErrorCode.NO_GEOMETRY,
            count=0,
            fix="let the last expression be a solid or a [root solid material]",
        )
    if count > 1:
        raise SceneError(
            f"the program makes {count} parts where one is wanted",
            code=ErrorCode.MULTI_PART_UNSUPPORTED,
            count=count,
            fix="unite them, or let each file make one",
        )
