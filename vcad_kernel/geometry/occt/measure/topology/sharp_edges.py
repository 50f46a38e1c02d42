"""Which edges of a body are sharp, and how: convex or concave, and by what angle.

The body is a merged one. Left out are seams (one face on both sides), degenerate edges (the pole of a
sphere, the tip of a cone) and smooth edges, along all of which the outward normals of the two faces
agree within ``SMOOTH_EDGE``.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Curve2d
from OCP.collections import (
    IndexedDataMap_TopoDS_Shape_List_TopoDS_Shape_TopTools_ShapeMapHasher as AncestorMap,
)
from OCP.GeomAbs import GeomAbs_Plane
from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Vec
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_REVERSED
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import (
    CIRCLE,
    LINE,
    POINT,
    BoundaryNumbers,
    boundary_numbers,
)
from vcad_kernel.geometry.occt.measure.topology.even_edges import even_edge
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import OutwardNormals, outward_normal
from vcad_kernel.geometry.tolerance import LINEAR, SMOOTH_EDGE
from vcad_kernel.operations.node import Vec3

__all__ = [
    "SharpEdge",
    "are_sharp",
    "faces_by_edge",
    "fades",
    "inner_radius",
    "inwards",
    "oriented_in",
    "sharp_edges",
    "turns_along",
    "turns_between",
]

_STATIONS = (0.5, 0.04, 0.27, 0.73, 0.96)
"""Where along an edge the two faces are compared, as shares of its parameter range; the ends are left
out since a surface may be singular there."""
_PLANE = GeomAbs_Plane.value

_LATEST: deque[tuple[TopoDS_Shape, tuple[SharpEdge, ...]]] = deque(maxlen=3)
"""The bodies that were asked about last. Shapes do not change."""

_FADED = 0.12
"""Radians between faces below which an edge fades."""
_FINELY = 64
"""Per edge: of two cylinders that cross none is then further than 0.05 rad from where it fades."""


@dataclass(frozen=True, slots=True, eq=False)
class SharpEdge:
    """An edge between two faces that do not meet smoothly."""

    edge: TopoDS_Edge
    faces: tuple[TopoDS_Face, TopoDS_Face]
    numbers: tuple[int, int]
    """Of the faces, by which those of one body are told apart."""
    ends: tuple[int, int]
    """The numbers of its first and its last vertex among those of the body."""
    curve: int
    """Its kind, a number of ``GeomAbs_CurveType``."""
    surfaces: tuple[int, int]
    """The kinds of the faces, numbers of ``GeomAbs_SurfaceType``: who asks OpenCASCADE takes ten times as
    long."""
    turn: float
    """Angle between the outward normals where it is largest, radians: 0 flat, π a knife's edge."""
    convex: bool | None
    """Material inside the corner (True), a concave corner (False), or it changes on the way (None)."""
    into: tuple[Vec3, Vec3] | None
    """Of a line or a circle along which the faces meet alike the unit directions into them, square to it, at
    the start of its curve."""
    row: Sequence[float]
    """Where it lies, as ``Curves.table`` has it."""

    def into_face(self, face: TopoDS_Face) -> Vec3 | None:
        """The same into one of its faces."""
        return None if self.into is None else self.into[0 if face.IsSame(self.faces[0]) else 1]

    def turned(self, turn: float) -> SharpEdge:
        """The same edge as if its faces met at another angle everywhere."""
        return replace(self, turn=turn)


def faces_by_edge(shape: TopoDS_Shape) -> AncestorMap:
    """The faces at each edge. The numbering of the edges is that of ``brep.edges_of``."""
    ancestors = AncestorMap()
    TopExp.MapShapesAndAncestors_s(shape, TopAbs_EDGE, TopAbs_FACE, ancestors)
    return ancestors


def sharp_edges(shape: TopoDS_Shape) -> list[SharpEdge]:
    """The sharp edges of a body, in the order of ``brep.edges_of``.

    An edge at which more than two faces meet is sharp, whatever they do there.
    """
    # a feature needs those of its body several times
    for known, edges in tuple(_LATEST):
        if known.IsEqual(shape):
            return list(edges)
    numbers = boundary_numbers(shape)
    normals = dict[int, OutwardNormals]()
    turns = {edge: _turn_at(numbers, edge, normals) for edge in range(len(numbers.edges))}
    sharp = {edge: turn for edge, turn in turns.items() if turn is not None}
    result = []
    for number, turn in sharp.items():
        edge = numbers.edges[number]
        first, second = numbers.at_edge[number][0][0], numbers.at_edge[number][1][0]
        faces = numbers.faces[first], numbers.faces[second]
        curve, kinds = numbers.curves.kinds[number], (numbers.kinds[first], numbers.kinds[second])
        ends = numbers.ends[number][:2]
        row = numbers.curves.table[number]
        result.append(SharpEdge(edge, faces, (first, second), ends, curve, kinds, *turn, row))
    _LATEST.append((shape, tuple(result)))
    return result


def are_sharp(numbers: BoundaryNumbers, edges: Iterable[int]) -> set[int]:
    """Which of the edges of a body, by number, are sharp; seams, degenerate and smooth edges are not."""
    normals = dict[int, OutwardNormals]()
    return {edge for edge in edges if _turn_at(numbers, edge, normals) is not None}


_Turn: TypeAlias = tuple[float, bool | None, tuple[Vec3, Vec3] | None]
"""What :class:`SharpEdge` says of an edge."""


def _turn_at(numbers: BoundaryNumbers, edge: int, normals: dict[int, OutwardNormals]) -> _Turn | None:
    """How the faces meet at an edge; None where no two do, and where two do so smoothly.

    normals: of the faces asked for before.
    """
    there = numbers.at_edge[edge]
    # a pole, a border, a seam; IsClosed would not do: an edge on which a seam once lay still says yes
    if len(there) < 2 or numbers.curves.kinds[edge] == POINT:
        return None
    first, second = there[0][0], there[1][0]
    if len(there) == 2:
        if first == second or numbers.faces[first].IsSame(numbers.faces[second]):
            return None
        even = even_edge(numbers, edge)
        if even is not None:
            return (even.turn, even.is_convex, even.into) if even.turn > SMOOTH_EDGE else None
    for face in (first, second):
        if face not in normals:
            normals[face] = OutwardNormals(numbers.faces[face])
    # the sharpest place counts; convex or concave only where all sharp places agree
    turns = _turns(
        numbers.edges[edge],
        (numbers.faces[first], numbers.faces[second]),
        (normals[first], normals[second]),
    )
    turn = max((turn for turn, _ in turns), default=0.0)
    if turn <= SMOOTH_EDGE and len(there) == 2:
        return None
    signs = {convex for turn, convex in turns if turn > SMOOTH_EDGE}
    return turn, signs.pop() if len(signs) == 1 else None, None


def turns_between(edge: TopoDS_Edge, faces: tuple[TopoDS_Face, TopoDS_Face]) -> list[tuple[float, bool]]:
    """Angle between the outward normals of two faces, and whether convex, at places all along their edge."""
    return _turns(edge, faces, (OutwardNormals(faces[0]), OutwardNormals(faces[1])))


def turns_along(corner: SharpEdge, stations: Sequence[float]) -> list[tuple[float, bool]]:
    """Angle between the outward normals, and whether convex, at parameters of the edge's curve.

    Where a surface has no normal the answer of the station before stands in.
    """
    if corner.into is not None and corner.convex is not None:
        return [(corner.turn, corner.convex)] * len(stations)
    normals = OutwardNormals(corner.faces[0]), OutwardNormals(corner.faces[1])
    return _turns(corner.edge, corner.faces, normals, stations)


def fades(corner: SharpEdge) -> bool:
    """Whether the faces come near to meeting smoothly somewhere along the edge, though not all along."""
    if corner.surfaces == (_PLANE, _PLANE):
        return False
    curve = BRepAdaptor_Curve(corner.edge)
    low, high = curve.FirstParameter(), curve.LastParameter()
    shares = [1e-3, *(index / _FINELY for index in range(1, _FINELY)), 1.0 - 1e-3]
    turns = [turn for turn, _ in turns_along(corner, [low + (high - low) * share for share in shares])]
    return min(turns) < min(_FADED, 0.5 * max(turns))


def _turns(
    edge: TopoDS_Edge,
    faces: tuple[TopoDS_Face, TopoDS_Face],
    normals: tuple[OutwardNormals, OutwardNormals],
    stations: Sequence[float] | None = None,
) -> list[tuple[float, bool]]:
    """stations: parameters, each of which gets an answer; by default some places all along, as far as there
    are normals."""
    ahead, back = oriented_in(edge, faces[0]), oriented_in(edge, faces[1])
    curve = BRepAdaptor_Curve(ahead)
    keep = stations is not None
    if stations is None:
        low, high = curve.FirstParameter(), curve.LastParameter()
        stations = [low + share * (high - low) for share in _STATIONS]
    places, other_places = BRepAdaptor_Curve2d(ahead, faces[0]), BRepAdaptor_Curve2d(back, faces[1])
    result: list[tuple[float, bool]] = []
    for at in stations:
        here = normals[0].at(places.Value(at))
        there = normals[1].at(other_places.Value(at))
        if here is not None and there is not None:
            result.append((float(here.Angle(there)), _is_convex(curve, at, ahead, here, there)))
        elif keep:
            result.append(result[-1] if result else (0.0, True))
    return result


def inwards(corner: SharpEdge, face: TopoDS_Face, at: float) -> gp_Vec:
    """The unit direction from an edge into one of its faces, square to it. at: the curve's parameter."""
    into = corner.into_face(face)
    if into is not None:
        if corner.curve == LINE:
            return gp_Vec(*into)
        about = gp_Ax1(gp_Pnt(), gp_Dir(*corner.row[9:12]))
        return gp_Vec(*into).Rotated(about, at - BRepAdaptor_Curve(corner.edge).FirstParameter())
    ahead = oriented_in(corner.edge, face)
    point, along = gp_Pnt(), gp_Vec()
    BRepAdaptor_Curve(ahead).D1(at, point, along)
    if ahead.Orientation() == TopAbs_REVERSED:
        along.Reverse()
    normal = outward_normal(face, BRepAdaptor_Curve2d(ahead, face).Value(at))
    assert normal is not None  # edges keep clear of poles and apexes
    return normal.Crossed(along).Normalized()


def inner_radius(corner: SharpEdge, face: TopoDS_Face) -> float:
    """Radius of an arc that has the face on its inner side, millimetres; ∞ for any other edge."""
    if corner.curve != CIRCLE:
        return math.inf
    row, radius = corner.row, corner.row[12]
    x, y, z = (
        corner.into_face(face)
        or inwards(corner, face, BRepAdaptor_Curve(corner.edge).FirstParameter()).Coord()
    )
    towards = x * (row[6] - row[0]) + y * (row[7] - row[1]) + z * (row[8] - row[2])
    # a wall square to the circle is on neither side
    return radius if towards > LINEAR * radius else math.inf


def oriented_in(edge: TopoDS_Edge, face: TopoDS_Face) -> TopoDS_Edge:
    """The edge as the face's boundary runs along it: the face on its left, seen from outside."""
    explorer = TopExp_Explorer(face, TopAbs_EDGE)
    while explorer.More():
        if explorer.Current().IsSame(edge):
            return TopoDS.Edge(explorer.Current())
        explorer.Next()
    return edge


def _is_convex(curve: BRepAdaptor_Curve, at: float, ahead: TopoDS_Edge, here: gp_Vec, there: gp_Vec) -> bool:
    """Whether the first face lies below the second one's tangent plane. here, there: outward normals."""
    point, tangent = gp_Pnt(), gp_Vec()
    curve.D1(at, point, tangent)
    if ahead.Orientation() == TopAbs_REVERSED:
        tangent.Reverse()
    return bool(here.Crossed(tangent).Dot(there) < 0)
