"""From the value that a program gave to the result of its evaluation: convert, build, name, measure.

Knows neither cells nor how the program ran. What is built is kept by content, for all later results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.scene_value import is_scene_value, only_solid, root_values
from vcad_kernel.contracts.messages import CacheCount, Timings, source_hash
from vcad_kernel.errors import ErrorCode, SceneError
from vcad_kernel.geometry import evaluate as geometry
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.solid import SearchLimit
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document, Root
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.values import UNIT, Adt
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.scene import DEFAULT_MATERIAL, Material
from vcad_kernel.paths import Workspace
from vcad_kernel.service.evaluation.bindings import NotPlainError, from_loon
from vcad_kernel.service.evaluation.direct_answers import DirectAnswers
from vcad_kernel.service.progress import ProgressReport
from vcad_kernel.service.protocol import EvaluationResult, PartResult
from vcad_kernel.service.questions import FiguresOf
from vcad_kernel.service.requests import Options

__all__ = ["ModelResults", "ProgramRun", "Terms", "workspace_of"]


@dataclass(frozen=True, slots=True)
class Terms:
    """How a value is to be evaluated, who hears how far that is, and who may call it off."""

    options: Options
    allow_scene: bool
    progress: ProgressReport
    cancelled: Callable[[], bool]
    """Asked between nodes."""
    shows_profiles: bool = False
    """Whether a profile is shown flat; else it is no model."""

    @property
    def files(self) -> Workspace | None:
        """Where imported files are."""
        return workspace_of(self.options.base_dir)


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """A program that has run."""

    value: object
    environment: Environment
    text: str
    stdout: str
    values: Callable[[], Mapping[str, object]]
    """Gives the globals among which its parts find their names."""
    parameters: tuple[Parameter, ...]
    """What it declared."""
    files: Workspace | None
    """Where its imports are."""
    defined: tuple[str, ...] = ()
    """The names that its text has bound."""


class ModelResults:
    """Makes results. solids: what was built before, looked up and added to. clock: seconds.

    chord: chord error of curved faces where a request names none, mm.
    """

    def __init__(self, solids: SolidCache, clock: Callable[[], float], chord: float | None) -> None:
        self.solids = solids
        self._clock = clock
        self._default_chord = chord

    def result(self, run: ProgramRun, terms: Terms, started: float) -> EvaluationResult:
        """The result of a program. started: when its evaluation began, by the clock. Raises: VcadError."""
        hits, misses = self.solids.hits, self.solids.misses
        document: Document | None = None
        scene, names = geometry.Scene(()), list[str]()
        converting = evaluating = self._clock()
        profiles = terms.shows_profiles
        if is_scene_value(run.value, profiles=profiles) or not terms.allow_scene:
            document = convert(run.value, run.files, run.parameters, profiles=profiles)
            names = _part_names(root_values(run.value, profiles=profiles), run.values())
            evaluating = self._clock()
            scene = self._scene(document, terms, run.files)
            if not terms.allow_scene:
                _demand_one_part(scene)
        ended = self._clock()
        language = run.environment.timings
        return EvaluationResult(
            display=None if run.value is UNIT or scene.parts else display(run.value),
            value=None if scene.parts else _plain(run.value),
            parts=() if document is None else self._parts(document, scene, names, run.files, terms),
            made_from=None if document is None else lambda: document,
            document_hash=None if document is None else document.content_digest.hex(),
            source_hash=source_hash(run.text),
            stdout=run.stdout,
            warnings=scene.warnings,
            diagnostics=run.environment.diagnostics,
            parameters=run.parameters,
            modules=_files(run, document),
            defined=run.defined,
            loon_value=run.value,
            timings=Timings.spent(
                read=language.read * 1e3,
                expand=language.expand * 1e3,
                check=language.check * 1e3,
                compile=language.compile * 1e3,
                run=language.run * 1e3,
                convert=(evaluating - converting) * 1e3,
                geometry=(ended - evaluating) * 1e3,
                total=(ended - started) * 1e3,
            ),
            cache=CacheCount(hits=self.solids.hits - hits, misses=self.solids.misses - misses),
        )

    def of_document(
        self,
        document: Document,
        names: Sequence[str],
        terms: Terms,
        started: float,
    ) -> EvaluationResult:
        """The result of a document that no program has made here; it is its own source.

        names: of its roots, in order; empty where they have none. started: by the clock.
        Raises: VcadError.
        """
        hits, misses = self.solids.hits, self.solids.misses
        evaluating = self._clock()
        files = terms.files
        scene = self._scene(document, terms, files)
        ended = self._clock()
        shown = [name for root, name in zip(document.roots, names, strict=True) if root.shown]
        called = [name or f"part-{number}" for number, name in enumerate(shown, 1)]
        document_hash = document.content_digest.hex()
        return EvaluationResult(
            display=None,
            value=None,
            parts=self._parts(document, scene, called, files, terms),
            made_from=lambda: document,
            document_hash=document_hash,
            source_hash=source_hash(document_hash),
            stdout="",
            warnings=scene.warnings,
            diagnostics=(),
            parameters=document.parameters,
            modules=tuple(dict.fromkeys(_imported(document))),
            timings=Timings.spent(geometry=(ended - evaluating) * 1e3, total=(ended - started) * 1e3),
            cache=CacheCount(hits=self.solids.hits - hits, misses=self.solids.misses - misses),
        )

    def part(
        self,
        document: Document,
        node: NodeId,
        name: str,
        material: Material | None,
        terms: Terms,
    ) -> PartResult:
        """One node of a document as a part. Raises: VcadError."""
        files = terms.files
        look = material or DEFAULT_MATERIAL
        alone = replace(document, roots=(Root(node, look.name),), materials={look.name: look})
        scene = self._scene(alone, terms, files)
        (part,) = self._parts(document, scene, [name], files, terms)
        return part

    def _scene(self, document: Document, terms: Terms, files: Workspace | None) -> geometry.Scene:
        chord = self._chord(terms)
        tessellation = Tessellation() if chord is None else Tessellation(chord=chord)
        trials = terms.options.search_trials
        search = SearchLimit() if trials is None else SearchLimit(trials=trials)
        seen, total = 0, len(document.nodes)
        terms.progress("geometry", 0, total)

        def asked() -> bool:
            nonlocal seen
            seen = min(seen + 1, total)
            terms.progress("geometry", seen, total)
            return terms.cancelled()

        scene = geometry.evaluate(
            document,
            geometry.EvaluationOptions(tessellation=tessellation, files=files, search=search),
            cache=self.solids,
            cancelled=asked,
            clock=self._clock,
        )
        scene.raise_first()
        return scene

    def _chord(self, terms: Terms) -> float | None:
        return self._default_chord if terms.options.tolerance is None else terms.options.tolerance

    def _parts(
        self,
        document: Document,
        scene: geometry.Scene,
        names: Iterable[str],
        files: Workspace | None,
        terms: Terms,
    ) -> tuple[PartResult, ...]:
        """The parts of a scene as results. Where figures must be exact, they are found now, or refused."""
        measurements = {
            part.node: part.measurement.demanding() if terms.options.exact else part.measurement
            for part in scene.parts
        }
        chord = self._chord(terms)
        answers = DirectAnswers(measurements, scene.recorder, self.solids)
        results = tuple(
            PartResult(
                name,
                _in_memory(part.mesh),
                part.material,
                part.node,
                b"%b %r" % (document.digest(part.node), chord),
                part.mesh_figures,
                lambda: document,
                answers,
                chord,
                terms.options.exact,
                files,
            )
            for name, part in zip(names, scene.parts, strict=True)
        )
        if terms.options.exact:
            for number, result in enumerate(results):
                terms.progress("figures", number, len(results))
                answers.ask(FiguresOf(exact=True), result)
        return results


def _in_memory(mesh: TriMesh) -> Callable[[], TriMesh]:
    return lambda: mesh


def workspace_of(folder: Path | None) -> Workspace | None:
    """The policy of the folder that files come from; None lets none be read."""
    return None if folder is None else Workspace(folder)


def _part_names(roots: Sequence[Adt], values: Mapping[str, object]) -> list[str]:
    """One name for each root: its own by ``root-named``, else that of the global that holds it or its solid,
    else ``part-N``.

    values: the globals to look among; of several for one solid the shortest is taken, then the
    first in the alphabet. A name is given once.
    """
    holders: dict[int, str] = {}
    for name, value in values.items():
        if isinstance(value, Adt):
            known = holders.get(id(value), name)
            holders[id(value)] = min(known, name, key=lambda candidate: (len(candidate), candidate))
    names: list[str] = []
    for number, root in enumerate(roots, 1):
        named = root.tag == "NamedEntry"
        solid = only_solid(root)
        holder = (str(root.fields[2]) if named else None) or holders.get(id(root)) or _held(solid, holders)
        names.append(holder if holder is not None and holder not in names else f"part-{number}")
    return names


def _held(solid: object, holders: Mapping[int, str]) -> str | None:
    """The name of a solid, or of what it moves and turns: a part keeps its name where it is put."""
    while (name := holders.get(id(solid))) is None:
        if not (isinstance(solid, Adt) and solid.tag in ("Translate", "Rotate")):
            return None
        solid = solid.fields[0]
    return name


def _files(run: ProgramRun, document: Document | None) -> tuple[str, ...]:
    """The modules and imported files that a program was made from, from its folder."""
    modules = [Path(module.name).as_posix() for module in run.environment.linker.used]
    imported = [] if document is None else _imported(document)
    return tuple(dict.fromkeys([*modules, *imported]))


def _imported(document: Document) -> list[str]:
    return [node.file[0] for node in document.nodes.values() if node.file is not None]


def _plain(value: object) -> Any:
    try:
        return from_loon(value)
    except NotPlainError:
        return None


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
