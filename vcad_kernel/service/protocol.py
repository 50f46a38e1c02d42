"""What a session asks of evaluation, and what it gets back.

:class:`EvaluationService` is the seam: :mod:`vcad_kernel.service.direct` answers in this process;
a service process answers the same calls from its own. A result holds what it takes to be shown and
pushed; what takes longer is asked of its parts' `Answers`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import msgspec

from vcad_kernel.contracts.messages import CacheCount, CellNames, Timings
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.evaluate import Warning  # noqa: A004 - the word of the specification
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.measure.referee import MESH_UNSOUND
from vcad_kernel.geometry.profiling import NodeProfile
from vcad_kernel.geometry.solid import refuse_no_solid
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.reference import Entry
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.scene import Material
from vcad_kernel.paths import Workspace
from vcad_kernel.service.progress import Progress
from vcad_kernel.service.requests import EvalCell, EvalCode

__all__ = [
    "Answers",
    "Definition",
    "EvaluationResult",
    "EvaluationService",
    "MeasuredPart",
    "Output",
    "PartResult",
    "Question",
]

if TYPE_CHECKING:
    from vcad_kernel.geometry.measure.part_figures import Measurement

T = TypeVar("T")

Output = Callable[[str], object]
"""Takes printed text as it comes."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A name that a cell has defined or been given, as it stood after the last evaluation."""

    entry: Entry
    cell_id: str
    """The cell that defined it last."""
    display: str
    """The value in Loon's display form, shortened; empty for what has none, as a macro or a type."""
    given: bool = False
    """Whether it was bound from outside the cell's text: a value from Python, or the cell's own value."""
    type: str = ""
    """What the checker knows of a name that was given, in its notation; the entry has that of others."""


class Answers(Protocol):
    """Answers questions about parts, wherever their kernels are. May be asked from several threads."""

    def ask(self, question: Question[T], *parts: PartResult) -> T:
        """The answer; the parts of one that compares may be of different evaluations.

        Raises: as the question says; VcadError where the kernels cannot be reached.
        """

    def figures(self, part: PartResult) -> Figures:
        """The figures of a part as it was evaluated for: exact ones where they were demanded."""

    def profile(self, parts: Sequence[PartResult]) -> tuple[NodeProfile, ...]:
        """Where the time of one evaluation's parts went: a row for each node, children first.

        What was asked for since is included.
        """


@dataclass(frozen=True, eq=False)
class PartResult:
    """One part of the evaluated scene."""

    name: str
    mesh_of: Callable[[], TriMesh]
    """Gives its mesh, the same each time; see `mesh`."""
    material: Material
    node: NodeId
    """The part's node in the document."""
    digest: bytes
    """Content hash of the part's geometry and tessellation: equal means nothing to send again."""
    mesh_figures: Figures
    """What is measured of the mesh that is shown; exact when the body is planar."""
    made_from: Callable[[], Document]
    """Gives the document that it was evaluated from, the same each time."""
    answers: Answers
    """Whom to ask about it."""
    tolerance: float | None = None
    """The chord error that was asked for, mm; None = the display default."""
    demanded: bool = False
    """Whether exact figures were asked for, whatever the rule says."""
    files: Workspace | None = None
    """Where its imported files are read, should it be meshed again."""

    @property
    def mesh(self) -> TriMesh:
        """What is shown of it. Of an older result it may be asked for again.

        Raises: VcadError where it cannot be had any more, as when an imported file has changed since.
        """
        return self.mesh_of()

    @cached_property
    def document(self) -> Document:
        """What it was evaluated from; read when first asked for, which most parts never are.

        Raises: ServiceFailure SCHEMA_VALIDATION_FAILED for what a service has sent and is no document.
        """
        return self.made_from()

    @cached_property
    def figures(self) -> Figures:
        """Volume, area, box and the rest; found when first asked for, which may need the exact kernel."""
        return self.answers.figures(self)

    @property
    def known_figures(self) -> Figures:
        """The figures if they have been found, else those of the mesh: for who cannot wait."""
        figures: Figures = self.__dict__.get("figures", self.mesh_figures)
        return figures

    def figure_warnings(self) -> tuple[Warning, ...]:
        """What to know about the figures: that the exact kernel failed, or was not believed."""
        warnings = []
        for note in self.figures.notes:
            node = self.document.by_digest[note.maker]
            warnings.append(Warning(note.code, note.message, int(node), self.document.place_of(node)))
        return tuple(warnings)

    @property
    def is_profile(self) -> bool:
        """Whether it is a profile or a surface: it can be shown and is no solid."""
        return self.document.nodes[self.node].GIVES != "Solid"

    @property
    def shown_as(self) -> str:
        """What messages call it where it is no solid."""
        return "surface" if self.document.nodes[self.node].GIVES == "Surface" else "profile"

    def given_mesh(self) -> TriMesh:
        """The mesh for who makes something of it, as Python and SketchUp do; the view shows it in any case.

        Raises: GeometryError MESH_UNSOUND where it is known not to be the part, TYPE_MISMATCH for a profile.
        """
        refuse_no_solid(self.document, self.node)
        for note in (*self.mesh_figures.notes, *self.known_figures.notes):
            if note.code == MESH_UNSOUND:
                fix = "export the part: files are made of its exact surfaces"
                place = self.document.place_of(self.node)
                raise GeometryError(
                    note.message,
                    code=note.code,
                    operation=self.document.function_of(self.node),
                    node_id=int(self.node),
                    failed=True,
                    place=place,
                    fix=fix,
                )
        return self.mesh

    def part_mesh(self) -> PartMesh:
        """The part as viewers and exporters take it."""
        return PartMesh(self.name, self.mesh, self.material)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredPart:
    """A part in the process that evaluated it: its result, and what is measured of it on demand."""

    part: PartResult
    measurement: Measurement

    def brep(self) -> Any:
        """The exact solid; None = the empty one. Raises: as `ExactKernel.brep`."""
        return self.measurement.kernel.brep(self.measurement.document, self.measurement.node)


class Question(msgspec.Struct, Generic[T], frozen=True, kw_only=True, tag_field="question"):
    """Something that is asked of one part, or of several."""

    ANSWER: ClassVar[str] = ""
    """The member of an answer that the value stands in."""
    COMPARES: ClassVar[bool] = False
    """Whether it is asked of one part and another, perhaps of another evaluation."""

    def answer(self, parts: Sequence[MeasuredPart]) -> T:
        """The answer, where the parts' kernels are. Raises: VcadError."""
        raise NotImplementedError

    def encode(self, value: T, _part: PartResult, /) -> Any:
        """What `values` makes the answer's form on the wire of. part: the first that was asked about."""
        return value

    def decode(self, _data: Any, _part: PartResult, /) -> T:
        """The answer of its form on the wire. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
        raise NotImplementedError

    def known(self, _part: PartResult, /) -> T | None:
        """The answer, where a client need not ask for it."""
        return None

    def check(self) -> None:
        """Refuse what makes no sense, as everywhere. Raises: ValueError."""

    @classmethod
    def name(cls) -> str:
        """What it is called on the wire."""
        return str(cls.__struct_config__.tag)


@dataclass(frozen=True, eq=False)
class EvaluationResult:
    """All that came of one evaluation."""

    display: str | None
    """The value in Loon's display form; None for unit, which is not shown, and for a model."""
    value: Any
    """The value as plain Python data, where it is such; else None."""
    parts: tuple[PartResult, ...]
    """Empty when the value is no geometry."""
    made_from: Callable[[], Document] | None
    """Gives the document of the parts, the same each time; None where there is none."""
    document_hash: str | None
    source_hash: str
    stdout: str
    warnings: tuple[Warning, ...]
    """What the geometry found; what its figures have to say is asked of each part."""
    diagnostics: tuple[Diagnostic, ...]
    """What the checker found in the text; none of it has stopped anything."""
    timings: Timings
    cache: CacheCount
    parameters: tuple[Parameter, ...] = ()
    """What the program declared with `defparam`, with the values that it ran with."""
    modules: tuple[str, ...] = ()
    """The files it was made from besides its text, modules and imports, from the folder of the evaluation."""
    obsolete: tuple[int, ...] = ()
    """Of a cell: which entries of its history, itself at the end, no later evaluation needs any more."""
    defined: tuple[str, ...] = ()
    """The names that the text bound, in alphabetical order; without those that were given."""
    loon_value: object = field(default=None, repr=False)
    """The value itself, in the process that evaluated it; None elsewhere."""

    @property
    def document(self) -> Document | None:
        """What its parts were evaluated from. Raises: as `PartResult.document`."""
        return None if self.made_from is None else self.made_from()

    def with_obsolete(self, indexes: tuple[int, ...]) -> EvaluationResult:
        """The result with what it makes needless."""
        return replace(self, obsolete=indexes)

    def profile(self, parts: Sequence[PartResult] | None = None) -> tuple[NodeProfile, ...]:
        """Where the time went: a row for each node of some parts, by default of all, children first."""
        chosen = self.parts if parts is None else parts
        return chosen[0].answers.profile(chosen) if chosen else ()

    def all_warnings(self) -> tuple[Warning, ...]:
        """Those of the geometry and those of the parts' figures, which are found for it."""
        of_figures = (warning for part in self.parts for warning in part.figure_warnings())
        # what is wrong with a body may be said of both
        return tuple(dict.fromkeys((*self.warnings, *of_figures)))

    def part_meshes(self) -> tuple[PartMesh, ...]:
        """The parts as viewers and exporters take them."""
        return tuple(part.part_mesh() for part in self.parts)


class EvaluationService(Protocol):
    """Turns Loon source into measured geometry. Every failure is a :class:`~vcad_kernel.errors.VcadError`."""

    def evaluate(
        self,
        request: EvalCell | EvalCode,
        *,
        output: Output | None = None,
        progress: Progress | None = None,
    ) -> EvaluationResult:
        """What a request asks for.

        output: called with printed text while the program runs; the result holds it all the same. Of more
        than a million characters both get the first, and a line that says how much was left out.
        progress: called with a phase, how much of it is done and how much there is (0: not known).
        """

    def check(
        self,
        code: str,
        *,
        cell_id: str = "",
        name: str = "",
        bindings: Mapping[str, Any] | None = None,
    ) -> tuple[Diagnostic, ...]:
        """What the checker finds in a cell's text, after the cells evaluated so far; nothing is evaluated.

        cell_id: what this cell has defined earlier is not known to it. Text that cannot be read is one
        finding. May be asked from any thread, also while a cell is evaluated; it then speaks of
        the state before that cell.
        """

    def definitions(self) -> Mapping[str, Definition]:
        """What the cells so far have defined or been given, by name; later cells leave this as it is."""

    def names_of_last(self) -> CellNames:
        """Which names the cell that was evaluated last defines and uses, be it that it failed."""

    def take_back(self, names: Collection[str]) -> None:
        """Forget definitions of the cells so far; what they shadowed is back.

        Asked for between cells: the next cell's ``prelude`` ends with a `TakenBack` of these names.
        """

    def interrupt(self, thread: int) -> None:
        """Have what a thread is waiting for, or doing, here end in KeyboardInterrupt soon; from another.

        thread: its identity (`threading.get_ident`). Nothing happens when it does nothing here.
        """
