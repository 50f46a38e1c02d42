"""What can be asked of evaluated parts: each question is one struct, which knows how it is answered.

    part.answers.ask(EdgesOf(exact=True), part)       # Table of Edge, wherever the part's kernel is

A question's fields are what goes over the wire, its tag is its name there, `ANSWER` the member that the
answer stands in. In the process that has the kernels `answer` is called; a client sends the fields and
decodes what comes. A new question is one class here, and the method of `Part` by which people ask it.

exact, wherever it is a field: of the exact body, also where the rule for figures takes the mesh. Then, and
only then, these are raised: CapabilityUnavailable for a curved body with an imported mesh inside,
GeometryError when the exact body cannot be built or is not the one that the mesh shows.

What only some questions need (tables, distances, writers of files) is imported when they are asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.measure.readings import Picked
from vcad_kernel.service.protocol import MeasuredPart, PartResult, Question
from vcad_kernel.service.wire import values
from vcad_kernel.service.wire.values import reading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vcad_kernel.geometry.measure.between.between import MeasureResult
    from vcad_kernel.geometry.measure.between.changes import Changed
    from vcad_kernel.geometry.measure.between.clearance import Clearance
    from vcad_kernel.geometry.measure.figures import Figures
    from vcad_kernel.geometry.measure.inspection.features import Features
    from vcad_kernel.geometry.measure.inspection.inspection import Edge, Face, Table
    from vcad_kernel.geometry.measure.inspection.scene_rows import SceneRows
    from vcad_kernel.geometry.measure.inspection.selected import Selected
    from vcad_kernel.geometry.measure.inspection.selecting import SelectorFound
    from vcad_kernel.geometry.measure.wall import Wall
    from vcad_kernel.geometry.tri_mesh import TriMesh
    from vcad_kernel.operations.features.selections import Selector, Target

__all__ = [
    "QUESTIONS",
    "ArrayQuestion",
    "ChangedFrom",
    "ClearanceOf",
    "Drawing",
    "EdgesOf",
    "Export",
    "FacesOf",
    "FeaturesOf",
    "FiguresOf",
    "FileQuestion",
    "InterferenceOf",
    "MeasureBetween",
    "MeshOf",
    "SceneOf",
    "Section",
    "SelectionOf",
    "SelectorFor",
    "ThinnestOf",
    "fields_of",
    "read",
]

T = TypeVar("T")


class FiguresOf(Question["Figures"], frozen=True, tag="figures"):
    """Volume, area, box and the rest; exact for a part that was evaluated so."""

    ANSWER: ClassVar = "figures"
    exact: bool = False

    def answer(self, parts: Sequence[MeasuredPart]) -> Figures:
        """See :meth:`Question.answer`."""
        measurement = parts[0].measurement
        return measurement.exact() if self.exact else measurement.figures()

    def encode(self, value: Figures, part: PartResult, /) -> Any:
        """See :meth:`Question.encode`."""
        from vcad_kernel.service.wire import figures_json

        return figures_json.encode(value, part.document)

    def decode(self, data: Any, part: PartResult, /) -> Figures:
        """See :meth:`Question.decode`."""
        from vcad_kernel.service.wire import figures_json

        return figures_json.decode(data, part.mesh_of)

    def known(self, part: PartResult, /) -> Figures | None:
        """See :meth:`Question.known`."""
        return part.mesh_figures if part.mesh_figures.exact else None


class EdgesOf(Question["Table[Edge]"], frozen=True, tag="edges"):
    """Every edge of a part."""

    ANSWER: ClassVar = "edges"
    exact: bool = False

    def answer(self, parts: Sequence[MeasuredPart]) -> Table[Edge]:
        """See :meth:`Question.answer`."""
        from vcad_kernel.geometry.measure.inspection.inspection import edges

        return edges(parts[0].measurement, parts[0].part.mesh, exact=self.exact)

    def decode(self, data: Any, _part: PartResult, /) -> Table[Edge]:
        """See :meth:`Question.decode`."""
        from vcad_kernel.geometry.measure.inspection.inspection import Edge, Table

        return Table(values.decode(data, list[Edge], "table of edges"))


class FacesOf(Question["Table[Face]"], frozen=True, tag="faces"):
    """Every face of a part."""

    ANSWER: ClassVar = "faces"
    exact: bool = False

    def answer(self, parts: Sequence[MeasuredPart]) -> Table[Face]:
        """See :meth:`Question.answer`."""
        from vcad_kernel.geometry.measure.inspection.inspection import faces

        return faces(parts[0].measurement, parts[0].part.mesh, exact=self.exact)

    def decode(self, data: Any, _part: PartResult, /) -> Table[Face]:
        """See :meth:`Question.decode`."""
        from vcad_kernel.geometry.measure.inspection.inspection import Face, Table

        return Table(values.decode(data, list[Face], "table of faces"))


class ClearanceOf(Question["Clearance"], frozen=True, tag="clearance"):
    """The least distance of two parts, mm; neither may be empty."""

    ANSWER: ClassVar = "clearance"
    COMPARES: ClassVar = True
    exact: bool = False

    def answer(self, parts: Sequence[MeasuredPart]) -> Clearance:
        """See :meth:`Question.answer`."""
        from vcad_kernel.geometry.measure.between.clearance import clearance

        first, second = parts
        return clearance(first.measurement, second.measurement, exact=self.exact)

    def decode(self, data: Any, _part: PartResult, /) -> Clearance:
        """See :meth:`Question.decode`."""
        from vcad_kernel.geometry.measure.between.clearance import Clearance

        return values.decode(data, Clearance, "clearance")


class InterferenceOf(Question["Figures"], frozen=True, tag="interference"):
    """Figures of what two parts have in common.

    Raises, when asked: GeometryError when the intersection cannot be built.
    """

    ANSWER: ClassVar = "figures"
    COMPARES: ClassVar = True
    exact: bool = False

    def answer(self, parts: Sequence[MeasuredPart]) -> Figures:
        """See :meth:`Question.answer`."""
        from vcad_kernel.geometry.measure.between.clearance import interference

        first, second = parts
        return interference(first.measurement, second.measurement, exact=self.exact)

    def encode(self, value: Figures, _part: PartResult, /) -> Any:
        """See :meth:`Question.encode`."""
        from vcad_kernel.service.wire import figures_json

        return figures_json.encode(value)

    def decode(self, data: Any, _part: PartResult, /) -> Figures:
        """See :meth:`Question.decode`."""
        from vcad_kernel.service.wire import figures_json

        return figures_json.decode(data)


class ThinnestOf(Question["Wall | None"], frozen=True, tag="thinnest"):
    """The thinnest wall of a part that is not empty; null where no two faces look away from each other."""

    ANSWER: ClassVar = "wall"

    def answer(self, parts: Sequence[MeasuredPart]) -> Wall | None:
        """See :meth:`Question.answer`."""
        from vcad_kernel.geometry.measure.wall import thinnest_wall

        return thinnest_wall(parts[0].measurement)

    def decode(self, data: Any, _part: PartResult, /) -> Wall | None:
        """See :meth:`Question.decode`."""
        from vcad_kernel.geometry.measure.wall import Wall

        return None if data is None else values.decode(data, Wall, "wall")


class FeaturesOf(Question["Features"], frozen=True, tag="features"):
    """Faces, edges and corners by number, and holes, bosses and patterns of equal holes."""

    ANSWER: ClassVar = "features"

    def answer(self, parts: Sequence[MeasuredPart]) -> Features:
        """See :meth:`Question.answer`."""
        from vcad_kernel.geometry.measure.inspection.features import features

        return features(parts[0].measurement, parts[0].part.mesh)

    def decode(self, data: Any, _part: PartResult, /) -> Features:
        """See :meth:`Question.decode`."""
        from vcad_kernel.geometry.measure.inspection.features import Features

        return values.decode(data, Features, "features")


class SelectionOf(Question["Selected"], frozen=True, tag="selection"):
    """What a selection takes of the exact body, or the edges or faces of some numbers, with lines to draw.

    Raises, when asked: CapabilityUnavailable, GeometryError; LoonError for criteria that are none.
    """

    ANSWER: ClassVar = "selected"
    target: Literal["edge", "face"] = "edge"
    criteria: Annotated[str | None, Meta(description="Loon text of a map of criteria")] = None
    """None: those of ``indexes``."""
    indexes: tuple[int, ...] = ()

    def answer(self, parts: Sequence[MeasuredPart]) -> Selected:
        """See :meth:`Question.answer`."""
        from vcad_kernel.geometry.measure.inspection.selected import selected

        try:
            selector = None if self.criteria is None else _selector(self.criteria, self.target)
            return selected(parts[0].measurement, self.target, selector, self.indexes)
        except ValueError as wrong:
            fix = getattr(wrong, "fix", None)
            raise GeometryError(
                f"selection {wrong}", code="INVALID_PARAMETER", argument="selection", fix=fix
            ) from None

    def decode(self, data: Any, _part: PartResult, /) -> Selected:
        """See :meth:`Question.decode`."""
        from vcad_kernel.geometry.measure.inspection.selected import Selected

        return values.decode(data, Selected, "selection")


def _selector(criteria: str, target: Target) -> Selector:
    """The selector of a text. Raises: SelectionFault; LoonError."""
    from vcad_kernel.cad.library import PRELUDE
    from vcad_kernel.cad.selections import selector_of
    from vcad_kernel.loon.program.environment import Environment
    from vcad_kernel.loon.source import Source

    environment = Environment(prelude=PRELUDE, stdout=lambda _text: None)
    return selector_of(environment.run(Source("selection", criteria)), target)


class SelectorFor(Question["SelectorFound"], frozen=True, tag="selector"):
    """The shortest criteria that select exactly some edges or faces of the exact body; each is tried first.

    Raises, when asked: CapabilityUnavailable; GeometryError (INVALID_PARAMETER: there is no such number).
    """

    ANSWER: ClassVar = "selector"
    target: Literal["edge", "face"] = "edge"
    indexes: tuple[int, ...] = ()

    def answer(self, parts: Sequence[MeasuredPart]) -> SelectorFound:
        """See :meth:`Question.answer`."""
        from vcad_kernel.geometry.measure.inspection.selected import selected
        from vcad_kernel.geometry.measure.inspection.selecting import (
            SelectorFound,
            Unselectable,
            criteria_for,
        )

        measurement, wanted = parts[0].measurement, set(self.indexes)
        try:
            for text in islice(criteria_for(measurement, self.target, self.indexes), _TRIED):
                taken = selected(measurement, self.target, _selector(text, self.target))
                if set(taken.indexes) == wanted:
                    return SelectorFound(text, self.target, len(wanted))
        except Unselectable as why:
            return SelectorFound(None, self.target, 0, str(why))
        except ValueError as wrong:
            raise GeometryError(
                f"the selection {wrong}", code="INVALID_PARAMETER", argument="indexes"
            ) from None
        return SelectorFound(None, self.target, 0, "no criteria that were tried select these alone")

    def decode(self, data: Any, _part: PartResult, /) -> SelectorFound:
        """See :meth:`Question.decode`."""
        from vcad_kernel.geometry.measure.inspection.selecting import SelectorFound

        return values.decode(data, SelectorFound, "selector")


_TRIED: Final = 12
"""Criteria; what is found on the tables is what the selection finds, but for rounding."""


class MeshOf(Question["list[TriMesh]"], frozen=True, tag="mesh"):
    """The meshes of parts, as fine as the request's tolerance says; they come in a block of memory."""

    ANSWER: ClassVar = "mesh"
    mesh_dtype: Literal["f32", "f64"] = "f32"
    shown: Annotated[bool, Meta(description="as it came with the result, also where it is not sound")] = False
    drawn: Annotated[bool, Meta(description="with the arrays by which it is drawn")] = False

    def answer(self, parts: Sequence[MeasuredPart]) -> list[TriMesh]:
        """See :meth:`Question.answer`."""
        if self.shown:
            return [measured.part.mesh for measured in parts]
        return [measured.measurement.sound_mesh().mesh for measured in parts]

    def encode(self, _value: list[TriMesh], _part: PartResult, /) -> Any:
        """See :meth:`Question.encode`."""
        return None


class ArrayQuestion(Question[T], frozen=True):
    """One whose answer has arrays, which travel in a block of memory beside what `encode` gives.

    `decode` finds them among the members of that.
    """

    def arrays(self, value: T) -> Mapping[str, NDArray[Any]]:
        """The arrays of an answer by name: f4, f8, u4 or u1."""
        raise NotImplementedError


class MeasureBetween(Question["MeasureResult"], frozen=True, tag="between"):
    """One picked thing measured, or two against each other; the second may be of another part.

    Raises, when asked: GeometryError INVALID_PARAMETER for what is not there, or a pose that is not rigid.
    """

    ANSWER: ClassVar = "measured"
    a: Picked
    b: Picked | None = None
    """Of the other part, where two are asked about."""
    a_pose: tuple[float, ...] = ()
    """Where the part is placed: a rigid 4 × 4 matrix, row by row; empty = where it was modelled."""
    b_pose: tuple[float, ...] = ()

    def answer(self, parts: Sequence[MeasuredPart]) -> MeasureResult:
        """See :meth:`Question.answer`."""
        from vcad_kernel.geometry.measure.between.between import Subject, between

        first, second = parts[0], parts[-1]
        a = Subject(first.measurement, first.part.mesh, self.a, self.a_pose)
        b = None if self.b is None else Subject(second.measurement, second.part.mesh, self.b, self.b_pose)
        try:
            return between(a, b)
        except ValueError as wrong:
            raise GeometryError(f"the measure {wrong}", code="INVALID_PARAMETER", argument="picked") from None

    def decode(self, data: Any, _part: PartResult, /) -> MeasureResult:
        """See :meth:`Question.decode`."""
        from vcad_kernel.geometry.measure.between.between import MeasureResult

        return values.decode(data, MeasureResult, "measure")


class SceneOf(ArrayQuestion["SceneRows"], frozen=True, tag="scene"):
    """Of one part the face of each triangle of the mesh as it is shown, its edges as lines, and all rows."""

    ANSWER: ClassVar = "scene"
    exact: bool = False

    def answer(self, parts: Sequence[MeasuredPart]) -> SceneRows:
        """See :meth:`Question.answer`."""
        from vcad_kernel.geometry.measure.inspection.scene_rows import scene_rows

        return scene_rows(parts[0].measurement, parts[0].part.mesh, exact=self.exact)

    def encode(self, value: SceneRows, _part: PartResult, /) -> Any:
        """See :meth:`Question.encode`."""
        return {"faces": value.faces, "edges": value.edges}

    def arrays(self, value: SceneRows) -> Mapping[str, NDArray[Any]]:
        """See :meth:`ArrayQuestion.arrays`."""
        return {name: getattr(value, name) for name in _SCENE_ARRAYS}

    def decode(self, data: Any, _part: PartResult, /) -> SceneRows:
        """See :meth:`Question.decode`."""
        from vcad_kernel.geometry.measure.inspection.inspection import Edge, Face, Table
        from vcad_kernel.geometry.measure.inspection.scene_rows import SceneRows

        with reading("scene"):
            return SceneRows(
                Table(values.decode(data["faces"], list[Face], "table of faces")),
                Table(values.decode(data["edges"], list[Edge], "table of edges")),
                *(data[name] for name in _SCENE_ARRAYS),
            )


class ChangedFrom(ArrayQuestion["Changed"], frozen=True, tag="changed"):
    """The material that a part has more and less than another, which is mostly what it was before.

    Raises, when asked: GeometryError for a mesh that is not its part, or where they cannot be compared.
    """

    ANSWER: ClassVar = "changed"
    COMPARES: ClassVar = True

    def answer(self, parts: Sequence[MeasuredPart]) -> Changed:
        """See :meth:`Question.answer`."""
        from vcad_kernel.geometry.measure.between.changes import changed_from

        new, old = parts
        return changed_from(new.measurement, old.measurement)

    def encode(self, value: Changed, _part: PartResult, /) -> Any:
        """See :meth:`Question.encode`."""
        from vcad_kernel.service.wire import figures_json

        return {
            "new": figures_json.encode(value.new),
            "old": figures_json.encode(value.old),
            "film": value.film,
        }

    def arrays(self, value: Changed) -> Mapping[str, NDArray[Any]]:
        """See :meth:`ArrayQuestion.arrays`."""
        from vcad_kernel.geometry.mesh.surface.drawn_mesh import DrawnMesh, packed

        arrays: dict[str, NDArray[Any]] = {}
        for name in _CHANGED_MESHES:
            mesh: TriMesh = getattr(value, name)
            arrays[f"{name}.positions"], arrays[f"{name}.indices"] = mesh.positions, mesh.indices
            drawn = packed([DrawnMesh.of(mesh)])
            arrays.update({f"{name}.drawn.{field}": array for field, array in drawn.items()})
        return arrays

    def decode(self, data: Any, part: PartResult, /) -> Changed:
        """See :meth:`Question.decode`."""
        from vcad_kernel.geometry.measure.between.changes import Changed
        from vcad_kernel.service.wire import figures_json

        with reading("changes"):
            added, removed, unchanged = (_drawn_mesh(data, name) for name in _CHANGED_MESHES)
            new = figures_json.decode(data["new"], part.mesh_of)
            old = figures_json.decode(data["old"])
            return Changed(added, removed, unchanged, new, old, float(data["film"]))


def _drawn_mesh(data: Mapping[str, Any], name: str) -> TriMesh:
    """A mesh among the arrays of an answer, with how it is drawn."""
    from vcad_kernel.geometry.mesh.surface.drawn_mesh import unpacked
    from vcad_kernel.geometry.tri_mesh import TriMesh

    mesh, start = TriMesh(data[f"{name}.positions"], data[f"{name}.indices"]), f"{name}.drawn."
    (drawn,) = unpacked({k.removeprefix(start): v for k, v in data.items() if k.startswith(start)}, [mesh])
    drawn.keep(mesh)
    return mesh


_CHANGED_MESHES: Final = ("added", "removed", "unchanged")
_SCENE_ARRAYS: Final = ("triangle_faces", "lines", "line_starts", "line_tangent")


class FileQuestion(Question[int], frozen=True):
    """Has a file written; the answer is its size in bytes. An older file stays until then.

    Raises, when asked: ExportError.
    """

    path: Path
    """Its suffix names the format."""

    def decode(self, data: Any, _part: PartResult, /) -> int:
        """See :meth:`Question.decode`."""
        return int(data)


class Export(FileQuestion, frozen=True, tag="export"):
    """Write parts, which may be of several evaluations.

    Raises, when asked: ExportError, also for .ops of parts that are placed or of several evaluations;
    CapabilityUnavailable for STEP, naming the part that has an imported mesh inside; GeometryError when the
    exact body cannot be built.
    """

    chord: Annotated[float, Meta(gt=0, description="chord error of curved faces in the file, mm")] | None = (
        None
    )
    """By default 0.005. A STEP file needs none."""
    poses: Annotated[
        tuple[tuple[float, ...] | None, ...],
        Meta(description="where each part stands: a 4 × 4 matrix, row by row; null = as it is modelled"),
    ] = ()
    """By default all stand as they are modelled."""

    def check(self) -> None:
        """See :meth:`Question.check`."""
        from vcad_kernel.geometry.tolerance import Tessellation

        if self.chord is not None:
            Tessellation(chord=self.chord)
        for pose in self.poses:
            if pose is not None and (len(pose) != 16 or pose[12:] != (0.0, 0.0, 0.0, 1.0)):
                raise ValueError("a pose is a 4 × 4 matrix, row by row, whose last row is 0 0 0 1")

    def answer(self, parts: Sequence[MeasuredPart]) -> int:
        """See :meth:`Question.answer`."""
        from vcad_kernel.service.evaluation.part_files import write_parts

        return write_parts(self.path, parts, self.chord, self.poses)


class Section(FileQuestion, frozen=True, tag="section"):
    """Write what a plane cuts of parts as .dxf or .svg.

    Raises, when asked: SceneError when all parts are empty; ExportError.
    """

    origin: Annotated[tuple[float, float, float] | None, Meta(description="of the cutting plane")] = None
    """A point of the plane, mm; None = the middle of the parts' box."""
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Towards the viewer."""
    hatch: bool = True
    """Fill what is cut with lines, in an SVG."""

    def check(self) -> None:
        """See :meth:`Question.check`."""
        from vcad_kernel.exchange.drawing.planar_curves import Plane

        Plane.facing(self.normal)

    def answer(self, parts: Sequence[MeasuredPart]) -> int:
        """See :meth:`Question.answer`."""
        from vcad_kernel.service.evaluation.drawings import section

        return section(self.path, parts, self.origin, self.normal, hatch=self.hatch)


class Drawing(FileQuestion, frozen=True, tag="drawing"):
    """Write views with hidden lines on one sheet as .svg."""

    views: tuple[str, ...] = ()
    scale: Annotated[float, Meta(gt=0)] | None = None
    """Paper over model; by default the largest standard scale that fits."""

    def answer(self, parts: Sequence[MeasuredPart]) -> int:
        """See :meth:`Question.answer`."""
        from vcad_kernel.service.evaluation.drawings import drawing

        return drawing(self.path, parts, self.views, self.scale)


def _kinds(kind: type[Question[Any]]) -> Iterator[type[Question[Any]]]:
    for narrower in kind.__subclasses__():
        yield from _kinds(narrower) if narrower.__subclasses__() else (narrower,)


QUESTIONS: Final[Mapping[str, type[Question[Any]]]] = {kind.name(): kind for kind in _kinds(Question)}
"""All questions, by their names on the wire."""


def fields_of(question: Question[Any]) -> dict[str, Any]:
    """What a question says on the wire besides its name and its parts."""
    return {
        name: msgspec.to_builtins(getattr(question, name))
        for name in question.__struct_fields__
        if name != "path"
    }


def read(given: Mapping[str, Any], path: Path | None = None) -> Question[Any]:
    """The question of some arguments that fit their schema; null is the same as nothing.

    path: where the file of one that wants a file is written.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    kind: type[Question[Any]] = QUESTIONS[given["question"]]
    fields = {name: given[name] for name in kind.__struct_fields__ if given.get(name) is not None}
    if path is not None:
        fields["path"] = path
    with reading("question"):
        question: Question[Any] = msgspec.convert({"question": kind.name(), **fields}, kind)
        return question
