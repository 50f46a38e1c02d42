"""What a session asks of evaluation, and what it gets back.

:class:`EvaluationService` is the seam: :mod:`vcad_kernel.service.direct` answers in this process;
a service process will answer the same calls from its own. A result is complete: it holds figures,
meshes and warnings, and needs no further question to be shown, exported or pushed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from vcad_kernel.contracts.messages import CacheCount, CellSource, Timings
from vcad_kernel.geometry.evaluate import Warning  # noqa: A004 - the word of the specification
from vcad_kernel.geometry.measure import Figures
from vcad_kernel.geometry.mesh import PartMesh, TriMesh
from vcad_kernel.geometry.part_figures import Measurement
from vcad_kernel.geometry.profiling import NodeProfile, Recorder
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.material import Material
from vcad_kernel.ir.nodes import NodeId
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.reference import Entry
from vcad_kernel.paths import Workspace

__all__ = [
    "Definition",
    "EvaluationResult",
    "EvaluationService",
    "HistoryEntry",
    "Output",
    "PartResult",
    "TakenBack",
]

Output = Callable[[str], object]
"""Takes printed text as it comes."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Names that were taken back between two cells."""

    names: frozenset[str]


HistoryEntry: TypeAlias = CellSource | TakenBack
"""What an environment of cells is the outcome of, in order."""


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


@dataclass(frozen=True, slots=True, eq=False)
class PartResult:
    """One part of the evaluated scene."""

    name: str
    mesh: TriMesh
    material: Material
    measurement: Measurement
    """What is measured of it, once somebody asks."""
    node: NodeId
    """The part's node in the result's document."""
    digest: bytes
    """Content hash of the part's geometry and tessellation: equal means nothing to send again."""
    files: Workspace | None = None
    """Where its imported files are read, should it be meshed again."""

    @property
    def figures(self) -> Figures:
        """Volume, area, box and the rest; found when first asked for, which may need the exact kernel."""
        return self.measurement.figures()

    def figure_warnings(self) -> tuple[Warning, ...]:
        """What to know about the figures: that the exact kernel failed, or was not believed."""
        document = self.measurement.document
        found = []
        for note in self.figures.notes:
            node = document.by_digest[note.maker]
            found.append(Warning(note.code, note.message, int(node), document.place_of(node)))
        return tuple(found)

    def part_mesh(self) -> PartMesh:
        """The part as viewers and exporters take it."""
        return PartMesh(self.name, self.mesh, self.material)


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationResult:
    """All that came of one evaluation."""

    display: str | None
    """The value in Loon's display form; None for unit, which is not shown, and for a model."""
    value: Any
    """The value as plain Python data, where it is such; else None."""
    parts: tuple[PartResult, ...]
    """Empty when the value is no geometry."""
    document: Document | None
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
    work: Recorder | None = None
    """What the kernels report of their work, later for exact figures included; None without geometry."""

    def profile(self, parts: Sequence[PartResult] | None = None) -> tuple[NodeProfile, ...]:
        """Where the time went: a row for each node of some parts, by default of all, children first."""
        if self.work is None or self.document is None:
            return ()
        return self.work.rows(self.document, [part.node for part in (self.parts if parts is None else parts)])

    def all_warnings(self) -> tuple[Warning, ...]:
        """Those of the geometry and those of the parts' figures, which are found for it."""
        return (*self.warnings, *(warning for part in self.parts for warning in part.figure_warnings()))

    def part_meshes(self) -> tuple[PartMesh, ...]:
        """The parts as viewers and exporters take them."""
        return tuple(part.part_mesh() for part in self.parts)


class EvaluationService(Protocol):
    """Turns Loon source into measured geometry. Every failure is a :class:`~vcad_kernel.errors.VcadError`.

    The arguments that both calls share:

    bindings: Python values that the program sees under their names.
    base_dir: the folder that `use` looks in; None lets no module be used.
    tolerance: chord error of curved faces, mm; None takes the display default.
    parameters: overrides of what the model declares with `defparam`.
    exact: demand figures of the exact body, whatever it costs; a body with an imported mesh has none.
    output: called with printed text while the program runs; the result holds it all the same.
    """

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
        """Evaluate a cell in the environment that the cells of ``prelude``, in order, have made.

        cell_id: a cell of the prelude with the same id is this one's earlier run; what it defined is
        taken back first. name: what errors call the cell. bind: a name that the value gets for later
        cells, unless the cell defines it or it is a function of Loon's own. A scene of several parts is
        welcome, and a value that is no model is displayed.
        """

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
        """Evaluate a program of its own, as from a file: nothing before it, ``main`` is called.

        file: what errors call the program. allow_scene: whether it may give several parts, or a value
        that is no model; otherwise it must give one part.
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

    def take_back(self, names: Collection[str]) -> None:
        """Forget definitions of the cells so far; what they shadowed is back.

        Asked for between cells: the next cell's ``prelude`` ends with a `TakenBack` of these names.
        """
