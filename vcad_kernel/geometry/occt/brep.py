"""Brep: an OpenCASCADE solid whose faces know the node that made them.

A body is a solid or a compound of disjoint solids, never empty: the empty solid is ``None``.
Faces and edges are numbered in the order of OpenCASCADE's explorer over the whole shape, each once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from OCP.BRep import BRep_Builder
from OCP.BRepTools import BRepTools_History
from OCP.collections import IndexedMap_TopoDS_Shape_TopTools_ShapeMapHasher as ShapeMap
from OCP.collections import List_TopoDS_Shape
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_ShapeEnum, TopAbs_SOLID
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS, TopoDS_Compound, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.ir.digest import Digest

__all__ = [
    "Brep",
    "Descendants",
    "ShapeMap",
    "carried",
    "compound_of",
    "edges_of",
    "faces_of",
    "listed",
    "shape_map",
    "solids_of",
    "with_history",
]

Descendants = Callable[[TopoDS_Face], Sequence[TopoDS_Shape] | None]
"""The faces of the result that an operand's face became: None = it is there unchanged, () = it is gone."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Brep:
    """An exact solid, not empty."""

    shape: TopoDS_Shape
    makers: tuple[Digest, ...]
    """The node that made each face, in the order of :func:`faces_of`."""
    deviations: Mapping[Digest, float] = field(default_factory=dict)
    """How far free-form faces that a node made may be from what was asked of it, mm; missing = not at all.

    Everything that is only near what was asked is known here alone: fitted borders of profiles, strips and
    walls of splines."""

    @classmethod
    def made(cls, shape: TopoDS_Shape, maker: Digest) -> Brep:
        """A body that one node has made alone."""
        return cls(shape, (maker,) * shape_map(shape, TopAbs_FACE).Extent())

    def as_near_as(self, operands: Iterable[Brep]) -> Brep:
        """The same body, whose faces may be off by as much as those of the operands that they came from.

        What it says of a maker itself stands: in a body that was made smaller, its faces are off by less.
        """
        known = {**_deviations(operands, self.makers), **self.deviations}
        return self if known == self.deviations else replace(self, deviations=known)

    def off_by(self, distance: float, maker: Digest) -> Brep:
        """The same body, whose free-form faces of a maker may be off by so much more, mm."""
        if not distance:
            return self
        return replace(
            self, deviations={**self.deviations, maker: self.deviations.get(maker, 0.0) + distance}
        )

    @property
    def farthest_off(self) -> float:
        """How far any face may be from what was asked, mm."""
        return max(self.deviations.values(), default=0.0)

    @property
    def nbytes(self) -> int:
        """Memory held, roughly: OpenCASCADE does not report it."""
        return 4096 * (len(self.makers) + 1)


def shape_map(shape: TopoDS_Shape, kind: TopAbs_ShapeEnum) -> ShapeMap:
    """Sub-shapes of a kind, each once (orientation does not matter), numbered from 1."""
    numbered = ShapeMap()
    TopExp.MapShapes_s(shape, kind, numbered)
    return numbered


def listed(shapes: List_TopoDS_Shape) -> list[TopoDS_Shape]:
    """The members of a list, without its iterator: that takes 0.2 ms to set up."""
    if shapes.Size() > 2:
        members, rest = [], List_TopoDS_Shape(shapes)
        while rest.Size():
            members.append(rest.First())
            rest.RemoveFirst()
        return members
    return [shapes.First(), shapes.Last()][: shapes.Size()] if shapes.Size() else []


def faces_of(shape: TopoDS_Shape) -> list[TopoDS_Face]:
    """The faces, each once, in order."""
    numbered = shape_map(shape, TopAbs_FACE)
    return [TopoDS.Face(numbered.FindKey(index)) for index in range(1, numbered.Extent() + 1)]


def edges_of(shape: TopoDS_Shape) -> list[TopoDS_Edge]:
    """The edges, each once, in order."""
    numbered = shape_map(shape, TopAbs_EDGE)
    return [TopoDS.Edge(numbered.FindKey(index)) for index in range(1, numbered.Extent() + 1)]


def compound_of(shapes: Iterable[TopoDS_Shape]) -> TopoDS_Compound:
    """The shapes as one."""
    compound, builder = TopoDS_Compound(), BRep_Builder()
    builder.MakeCompound(compound)
    for shape in shapes:
        builder.Add(compound, shape)
    return compound


def solids_of(shape: TopoDS_Shape) -> list[TopoDS_Shape]:
    """The solids, each once, in order."""
    numbered = shape_map(shape, TopAbs_SOLID)
    return [numbered.FindKey(index) for index in range(1, numbered.Extent() + 1)]


def carried(result: TopoDS_Shape, operands: Iterable[Brep], descendants: Descendants, new: Digest) -> Brep:
    """The result of an operation, its faces with the makers of the operands' faces they came from.

    descendants: what became of an operand's face. new: the maker of faces that came from none.
    A face that came from several has the maker of the first.
    """
    faces = shape_map(result, TopAbs_FACE)
    makers: list[Digest | None] = [None] * faces.Extent()
    operands = tuple(operands)
    for operand in operands:
        for face, maker in zip(faces_of(operand.shape), operand.makers, strict=True):
            became = descendants(face)
            for descendant in (face,) if became is None else became:
                index = faces.FindIndex(descendant)
                if index and makers[index - 1] is None:
                    makers[index - 1] = maker
    made_by = tuple(new if maker is None else maker for maker in makers)
    return Brep(result, made_by, _deviations(operands, made_by))


def _deviations(bodies: Iterable[Brep], makers: Sequence[Digest]) -> Mapping[Digest, float]:
    """The largest that is known of each maker."""
    largest: dict[Digest, float] = {}
    for body in bodies:
        for maker, distance in body.deviations.items():
            if maker in makers:
                largest[maker] = max(distance, largest.get(maker, 0.0))
    return largest


def with_history(history: BRepTools_History) -> Descendants:
    """What became of faces by OpenCASCADE's own account."""

    def descendants(face: TopoDS_Face) -> Sequence[TopoDS_Shape] | None:
        if history.IsRemoved(face):
            return ()
        return listed(history.Modified(face)) or None

    return descendants
