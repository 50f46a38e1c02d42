"""What selections choose among: the sharp edges of a body, or its faces, and what criteria ask of them.

Each is known by its place in ``shapes``, faces by their number in the body. What is asked of edges alone is
of no face, and the other way round. Lengths mm, areas mm².
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, cached_property
from typing import Final, Generic, TypeVar

from OCP.Bnd import Bnd_Box
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepTools import BRepTools
from OCP.GeomAbs import GeomAbs_Line
from OCP.gp import gp_Dir, gp_Pnt, gp_Vec
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_ShapeEnum, TopAbs_VERTEX
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face, TopoDS_Shape, TopoDS_Vertex

from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of, listed, shape_map
from vcad_kernel.geometry.occt.measure.integration.masses import area_and_centre
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import (
    kind_of_edge,
    kind_of_face,
    length_of,
    middle_of,
    plane_normal,
    radius_of_edge,
    radius_of_face,
)
from vcad_kernel.geometry.occt.measure.topology.shared_curves import SharedCurves
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import faces_by_edge, sharp_edges
from vcad_kernel.geometry.tolerance import SMOOTH_EDGE
from vcad_kernel.ir.digest import Digest
from vcad_kernel.operations.features.selections import SIDES
from vcad_kernel.operations.node import Vec3

__all__ = ["Choices", "EdgeChoices", "FaceChoices"]

_Shape = TypeVar("_Shape", TopoDS_Edge, TopoDS_Face)

_NEAR: Final = 1e-6
"""Millimetres within which faces are as far out as each other."""
_AIMED: Final = 1e-6
"""Radians within which directions are the same."""
_STILL: Final = 1e-9
"""A derivative no longer than this says nothing of a curve's direction."""


class Choices(ABC, Generic[_Shape]):
    """Edges or faces of a body."""

    noun: str
    """What one is called."""

    def __init__(self, brep: Brep, shapes: Sequence[_Shape]) -> None:
        self.brep = brep
        self.shapes = shapes

    @property
    @abstractmethod
    def faces(self) -> FaceChoices:
        """The faces of the body."""

    @abstractmethod
    def kind(self, index: int) -> str:
        """``line``, ``plane`` …"""

    @abstractmethod
    def size(self, index: int) -> float:
        """Length or area."""

    @abstractmethod
    def middle(self, index: int) -> gp_Pnt:
        """The point at half an edge's length; of a closed circle its centre; of a face its centroid."""

    @abstractmethod
    def radius(self, index: int) -> float | None:
        """Of what is round."""

    @abstractmethod
    def runs_along(self, index: int, way: Vec3) -> bool:
        """Whether it is straight, or plane, and along a direction."""

    @abstractmethod
    def beside(self, index: int) -> Collection[int]:
        """The faces at an edge, or next to a face."""

    @abstractmethod
    def on_side(self, side: str) -> Collection[int]:
        """Those that are, or border, the plane faces furthest out on a side."""

    @abstractmethod
    def makers(self, index: int) -> Collection[Digest]:
        """Who made it; of an edge, its faces."""

    @abstractmethod
    def runs_on(self, index: int) -> Collection[int]:
        """What continues it smoothly."""

    def reach(self, _index: int) -> tuple[gp_Pnt, gp_Pnt] | None:
        """Lowest and highest corner of a box that its middle lies in; None where that is found as soon."""
        return None

    def convex(self, _index: int) -> bool | None:
        """Whether an edge is an outer corner."""
        return None

    def looks(self, _index: int, _way: Vec3) -> bool:
        """Whether a face is plane and looks that way out of the body."""
        return False

    def is_rim(self, _index: int) -> bool | None:
        """Whether an edge is the rim of a hole."""
        return None

    def is_outline(self, _index: int) -> bool | None:
        """Whether an edge is on the outer outline of all its plane faces, of which there is one at least."""
        return None

    def length(self, _index: int) -> float | None:
        """Of an edge."""
        return None

    def lies_on(self, _index: int, _others: SharedCurves) -> bool:
        """Whether some part of an edge lies on one of others."""
        return False

    def order(self, index: int, by: str) -> float | None:
        """What it is sorted by: a coordinate of its middle, its size or its radius."""
        if by in ("length", "area"):
            return self.size(index)
        if by == "radius":
            return self.radius(index)
        return float(self.middle(index).Coord("xyz".index(by) + 1))


class FaceChoices(Choices[TopoDS_Face]):
    """The faces of a body."""

    noun = "face"

    def __init__(self, brep: Brep) -> None:
        super().__init__(brep, faces_of(brep.shape))

    @property
    def faces(self) -> FaceChoices:
        """See `Choices`."""
        return self

    def kind(self, index: int) -> str:
        """See `Choices`."""
        return kind_of_face(self.shapes[index])

    def size(self, index: int) -> float:
        """See `Choices`."""
        return area_and_centre(self.shapes[index])[0]

    def middle(self, index: int) -> gp_Pnt:
        """See `Choices`."""
        return area_and_centre(self.shapes[index])[1]

    def reach(self, index: int) -> tuple[gp_Pnt, gp_Pnt]:
        """See `Choices`."""
        box = Bnd_Box()
        BRepBndLib.Add_s(self.shapes[index], box, False)
        return box.CornerMin(), box.CornerMax()

    def radius(self, index: int) -> float | None:
        """See `Choices`."""
        return radius_of_face(self.shapes[index])

    def looks(self, index: int, way: Vec3) -> bool:
        """See `Choices`."""
        wanted, normal = _direction(way), plane_normal(self.shapes[index])
        return wanted is not None and normal is not None and bool(normal.IsEqual(wanted, _AIMED))

    def runs_along(self, index: int, way: Vec3) -> bool:
        """See `Choices`."""
        wanted, normal = _direction(way), plane_normal(self.shapes[index])
        return wanted is not None and normal is not None and bool(normal.IsNormal(wanted, _AIMED))

    def beside(self, index: int) -> Collection[int]:
        """See `Choices`."""
        return self._neighbours[0][index]

    def runs_on(self, index: int) -> Collection[int]:
        """See `Choices`."""
        return self._neighbours[1][index]

    @cached_property
    def _neighbours(self) -> tuple[list[set[int]], list[set[int]]]:
        """Of each face, those that share an edge with it; and those that do so smoothly."""
        number = _numbered(self.brep, TopAbs_FACE)
        edge_number = _numbered(self.brep, TopAbs_EDGE)
        sharp = {edge_number(corner.edge) for corner in sharp_edges(self.brep.shape)}
        beside: list[set[int]] = [set() for _ in self.shapes]
        smoothly: list[set[int]] = [set() for _ in self.shapes]
        ancestors = faces_by_edge(self.brep.shape)
        for edge in range(ancestors.Extent()):
            around = {number(face) for face in listed(ancestors.FindFromIndex(edge + 1))}
            for face in around:
                beside[face] |= around - {face}
                if edge not in sharp:
                    smoothly[face] |= around - {face}
        return beside, smoothly

    def on_side(self, side: str) -> Collection[int]:
        """See `Choices`."""
        way = SIDES[side]
        there = [index for index in range(len(self.shapes)) if self.looks(index, way)]
        out = {index: gp_Vec(self.middle(index).XYZ()).Dot(gp_Vec(*way)) for index in there}
        furthest = max(out.values(), default=0.0)
        return frozenset(index for index, far in out.items() if far >= furthest - _NEAR)

    def makers(self, index: int) -> Collection[Digest]:
        """See `Choices`."""
        return (self.brep.makers[index],)


class EdgeChoices(Choices[TopoDS_Edge]):
    """The sharp edges of a body."""

    noun = "sharp edge"

    def __init__(self, brep: Brep) -> None:
        self._corners = sharp_edges(brep.shape)
        super().__init__(brep, [corner.edge for corner in self._corners])

    @cached_property
    def faces(self) -> FaceChoices:
        """See `Choices`."""
        return FaceChoices(self.brep)

    def kind(self, index: int) -> str:
        """See `Choices`."""
        return kind_of_edge(self.shapes[index])

    def size(self, index: int) -> float:
        """See `Choices`."""
        return length_of(self.shapes[index])

    def middle(self, index: int) -> gp_Pnt:
        """See `Choices`."""
        return middle_of(self.shapes[index])

    def radius(self, index: int) -> float | None:
        """See `Choices`."""
        return radius_of_edge(self.shapes[index])

    def convex(self, index: int) -> bool | None:
        """See `Choices`."""
        return self._corners[index].convex

    def runs_along(self, index: int, way: Vec3) -> bool:
        """See `Choices`."""
        curve, along = BRepAdaptor_Curve(self.shapes[index]), _direction(way)
        return (
            along is not None
            and curve.GetType() == GeomAbs_Line
            and bool(curve.Line().Direction().IsParallel(along, _AIMED))
        )

    def beside(self, index: int) -> Collection[int]:
        """See `Choices`."""
        return self._faces[index]

    @cached_property
    def _faces(self) -> list[frozenset[int]]:
        number = _numbered(self.brep, TopAbs_FACE)
        return [frozenset(number(face) for face in corner.faces) for corner in self._corners]

    def on_side(self, side: str) -> Collection[int]:
        """See `Choices`."""
        outermost = self.faces.on_side(side)
        return frozenset(index for index, faces in enumerate(self._faces) if not faces.isdisjoint(outermost))

    def makers(self, index: int) -> Collection[Digest]:
        """See `Choices`."""
        return {self.brep.makers[face] for face in self._faces[index]}

    def is_rim(self, index: int) -> bool | None:
        """See `Choices`."""
        outer = self._on_outer_outline[index]
        return not all(outer) and self._corners[index].convex is not False

    def is_outline(self, index: int) -> bool | None:
        """See `Choices`."""
        outer = self._on_outer_outline[index]
        return bool(outer) and all(outer)

    @cached_property
    def _on_outer_outline(self) -> list[list[bool]]:
        """Of each edge, whether it is on the outer outline of each of its plane faces."""
        faces = self.faces.shapes
        number = _numbered(self.brep, TopAbs_EDGE)

        @cache
        def outer(face: int) -> frozenset[int] | None:
            if plane_normal(faces[face]) is None:
                return None
            return frozenset(number(edge) for edge in edges_of(BRepTools.OuterWire_s(faces[face])))

        return [
            [number(edge) in there for face in self._faces[index] if (there := outer(face)) is not None]
            for index, edge in enumerate(self.shapes)
        ]

    def length(self, index: int) -> float | None:
        """See `Choices`."""
        return self.size(index)

    def lies_on(self, index: int, others: SharedCurves) -> bool:
        """See `Choices`."""
        return others.holds(self.shapes[index])

    def runs_on(self, index: int) -> Collection[int]:
        """See `Choices`."""
        return self._continued[index]

    @cached_property
    def _continued(self) -> list[set[int]]:
        """Of each edge, those that run on from its ends without a bend."""
        vertices = shape_map(self.brep.shape, TopAbs_VERTEX)
        leaving: dict[int, list[tuple[int, gp_Vec]]] = {}
        for index, edge in enumerate(self.shapes):
            for vertex, way in _ends(edge):
                leaving.setdefault(vertices.FindIndex(vertex), []).append((index, way))
        result: list[set[int]] = [set() for _ in self.shapes]
        for there in leaving.values():
            for index, way in there:
                result[index] |= {
                    other for other, back in there if other != index and way.Angle(-back) <= SMOOTH_EDGE
                }
        return result


def _ends(edge: TopoDS_Edge) -> Iterator[tuple[TopoDS_Vertex, gp_Vec]]:
    """The vertices at the ends of an edge, and the ways that lead on from there."""
    curve = BRepAdaptor_Curve(edge)
    for vertex, parameter, sign in (
        (TopExp.FirstVertex_s(edge), curve.FirstParameter(), -1.0),
        (TopExp.LastVertex_s(edge), curve.LastParameter(), 1.0),
    ):
        point, way = gp_Pnt(), gp_Vec()
        curve.D1(parameter, point, way)
        if not vertex.IsNull() and way.Magnitude() > _STILL:
            yield vertex, way.Multiplied(sign)


def _numbered(brep: Brep, kind: TopAbs_ShapeEnum) -> Callable[[TopoDS_Shape], int]:
    """What number, from 0, a face or an edge has in the body."""
    numbers = shape_map(brep.shape, kind)
    return lambda one: int(numbers.FindIndex(one)) - 1


def _direction(vector: Vec3) -> gp_Dir | None:
    """The direction of a vector; None of the zero vector, along which nothing runs."""
    return gp_Dir(*vector) if math.hypot(*vector) > 1e-12 else None
