"""Which edges of a body are sharp, and how: convex or concave, and by what angle.

The body is a merged one. Left out are seams (one face on both sides), degenerate edges (the pole of a
sphere, the tip of a cone) and smooth edges, along all of which the outward normals of the two faces
agree within ``SMOOTH_EDGE``.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.collections import (
    IndexedDataMap_TopoDS_Shape_List_TopoDS_Shape_TopTools_ShapeMapHasher as AncestorMap,
)
from OCP.GeomAbs import (
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Plane,
    GeomAbs_Sphere,
    GeomAbs_Torus,
)
from OCP.gp import gp_Ax1, gp_Pnt, gp_Vec
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_REVERSED
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import ShapeMap
from vcad_kernel.geometry.occt.measure.distances.elementary import ELEMENTARY
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import (
    CIRCLE,
    LINE,
    POINT,
    BoundaryNumbers,
    boundary_numbers,
)
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import (
    OutwardNormals,
    outward_normal,
    plane_normal,
)
from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.tolerance import SMOOTH_EDGE
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
_SHARES = np.array(_STATIONS)
_ALIKE = 1e-9
"""Radians by which angles along an edge may differ that are one and the same."""

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
    curve: int
    """Its kind, a number of ``GeomAbs_CurveType``."""
    surfaces: tuple[int, int]
    """The kinds of the faces, numbers of ``GeomAbs_SurfaceType``: who asks OpenCASCADE takes ten times as
    long."""
    turn: float
    """Angle between the outward normals where it is largest, radians: 0 flat, π a knife's edge."""
    convex: bool | None
    """Material inside the corner (True), a concave corner (False), or it changes on the way (None)."""
    into: tuple[Vec3, Vec3] | None = None
    """Of a straight edge the unit directions into its faces, square to it, where they are the same all along
    and have been found already."""

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
    result = _sharp_among(numbers, range(len(numbers.edges)))
    _LATEST.append((shape, tuple(result.values())))
    return list(result.values())


def are_sharp(numbers: BoundaryNumbers, edges: Collection[int]) -> set[int]:
    """Which of the edges of a body, by number, are sharp; seams, degenerate and smooth edges are not."""
    return set(_sharp_among(numbers, edges))


def _sharp_among(numbers: BoundaryNumbers, edges: Iterable[int]) -> dict[int, SharpEdge]:
    """The sharp ones of some edges, by their numbers."""
    # of most edges closed forms say it, of all at once
    looked_at = [edge for edge in edges if _is_between_faces(numbers, edge)]
    plain = [edge for edge in looked_at if _is_plain(numbers, edge)]
    turns = _turns_of(numbers, plain)
    sides = _Sides()
    result: dict[int, SharpEdge] = {}
    for number in looked_at:
        known = turns.get(number)
        if known is not None and known[0] <= SMOOTH_EDGE:
            continue
        edge = numbers.edges[number]
        there = [face for face, _ in numbers.at_edge[number]]
        first, second = there[:2]
        faces = numbers.faces[first], numbers.faces[second]
        turn = _turn(edge, faces, sides, len(there) == 2) if known is None else known
        if turn is not None:
            kinds = numbers.kinds[first], numbers.kinds[second]
            result[number] = SharpEdge(edge, faces, numbers.curves.kinds[number], kinds, *turn)
    return result


def _is_between_faces(numbers: BoundaryNumbers, edge: int) -> bool:
    """No pole, no border and no seam."""
    there = numbers.at_edge[edge]
    if len(there) < 2 or numbers.curves.kinds[edge] == POINT:
        return False
    # IsClosed of the edge would not do: an edge on which a seam once lay still says yes.
    return len(there) > 2 or not numbers.faces[there[0][0]].IsSame(numbers.faces[there[1][0]])


def _is_plain(numbers: BoundaryNumbers, edge: int) -> bool:
    """Whether two elementary faces meet there."""
    there = numbers.at_edge[edge]
    return len(there) == 2 and all(numbers.kinds[face] in ELEMENTARY for face, _ in there)


_Turn: TypeAlias = tuple[float, bool | None, tuple[Vec3, Vec3] | None]
"""What :class:`SharpEdge` says of an edge."""


def _turns_of(numbers: BoundaryNumbers, edges: Sequence[int]) -> dict[int, _Turn]:
    """Greatest angle between the outward normals of elementary faces along their edges, whether convex, and
    the directions into the faces.

    Edges of which closed forms do not say it are missing.
    """
    if not edges:
        return {}
    points, tangents = numbers.curves.along(edges, _SHARES)
    sides = [numbers.at_edge[edge] for edge in edges]
    here, there = (_normals(numbers, points, [two[side][0] for two in sides]) for side in (0, 1))
    # of nearly equal and of nearly opposite ones this is right to rounding, too
    turns = 2.0 * np.arctan2(_lengths(here - there), _lengths(here + there))
    ahead = np.array([two[0][1] for two in sides])[:, None]
    folds = ahead * (crossed(here, tangents) * there).sum(axis=2) < 0.0
    largest, least = turns.max(axis=1), turns.min(axis=1)
    # where the faces meet alike all along, as along most edges, the middle says it
    largest = np.where(largest - least <= _ALIKE, turns[:, 0], largest)
    sharp = turns > SMOOTH_EDGE
    is_convex, is_concave = (folds | ~sharp).all(axis=1), (~folds | ~sharp).all(axis=1)
    # of a line these are unit vectors, as its tangent is one
    back = np.array([two[1][1] for two in sides])[:, None]
    into = [
        crossed(normals[:, 0], sign * tangents[:, 0]).tolist()
        for normals, sign in ((here, ahead), (there, back))
    ]
    result: dict[int, _Turn] = {}
    for index, (edge, turn, convex, concave) in enumerate(
        zip(edges, largest.tolist(), is_convex.tolist(), is_concave.tolist(), strict=True)
    ):
        kind = numbers.curves.kinds[edge]
        # what is not a number has no normal somewhere
        if turn <= SMOOTH_EDGE or (turn > SMOOTH_EDGE and kind in (LINE, CIRCLE)):
            is_even = kind == LINE and all(numbers.kinds[face] in _RULED for face, _ in sides[index])
            ways = (tuple(into[0][index]), tuple(into[1][index])) if is_even else None
            result[edge] = turn, convex if convex != concave else None, ways
    return result


def _lengths(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sqrt((vectors**2).sum(axis=-1)))


def _normals(
    numbers: BoundaryNumbers, places: NDArray[np.float64], faces: Sequence[int]
) -> NDArray[np.float64]:
    """(n, k, 3) outward unit normals of n elementary faces at k places each; no number where none is."""
    normals = np.empty_like(places)
    kinds = np.array([numbers.kinds[face] for face in faces])
    for kind in set(kinds.tolist()):
        members = np.flatnonzero(kinds == kind)
        of = [faces[index] for index in members.tolist()]
        surfaces = np.array([numbers.surface_numbers(face) for face in of]).T[:, :, None]
        outwards = np.array([numbers.outwards(face) for face in of])[:, None]
        outward = outwards * ELEMENTARY[kind].normal(places[members].transpose(2, 0, 1), surfaces)
        if kind == _TORUS:
            # where a tube passes through its own axis, places beyond it belong to the other side
            outward[:, surfaces[6, :, 0] <= surfaces[7, :, 0]] = np.nan
        normals[members] = outward.transpose(1, 2, 0)
    normals[np.abs(normals).max(axis=2) < 0.5] = np.nan
    return normals


def _turn(
    edge: TopoDS_Edge, faces: tuple[TopoDS_Face, TopoDS_Face], sides: _Sides, are_all: bool
) -> _Turn | None:
    """The same of any edge; None where its faces, unless more than these two meet there, do so smoothly."""
    even = _even_turn(edge, faces, sides) if are_all else None
    if even is not None:
        turn, convex = even
        return (turn, convex, None) if turn > SMOOTH_EDGE else None
    # the sharpest place counts; convex or concave only where all sharp places agree
    turns = _turns(edge, faces, sides)
    turn = max((turn for turn, _ in turns), default=0.0)
    if turn <= SMOOTH_EDGE and are_all:
        return None
    signs = {convex for turn, convex in turns if turn > SMOOTH_EDGE}
    return turn, signs.pop() if len(signs) == 1 else None, None


def _even_turn(
    edge: TopoDS_Edge, faces: tuple[TopoDS_Face, TopoDS_Face], sides: _Sides
) -> tuple[float, bool | None] | None:
    """Angle between the outward normals of two faces that meet alike all along an edge, and whether convex,
    if it is sharp: one place says it, as along most edges.

    None where the faces do not meet so, or have no normals there.
    """
    curve = BRepAdaptor_Curve(edge)
    first, second = (sides.of(face) for face in faces)
    if not _is_even(curve, first, second):
        return None
    middle = 0.5 * (curve.FirstParameter() + curve.LastParameter())
    here = first.normals.at(BRepAdaptor_Curve2d(edge, faces[0]).Value(middle))
    there = second.normals.at(BRepAdaptor_Curve2d(edge, faces[1]).Value(middle))
    if here is None or there is None:
        return None
    turn = float(here.Angle(there))
    if turn <= SMOOTH_EDGE:
        return turn, None
    return turn, _is_convex(curve, middle, oriented_in(edge, faces[0]), here, there)


def turns_between(edge: TopoDS_Edge, faces: tuple[TopoDS_Face, TopoDS_Face]) -> list[tuple[float, bool]]:
    """Angle between the outward normals of two faces, and whether convex, at places all along their edge."""
    return _turns(edge, faces, _Sides())


def turns_along(corner: SharpEdge, stations: Sequence[float]) -> list[tuple[float, bool]]:
    """Angle between the outward normals, and whether convex, at parameters of the edge's curve.

    Where a surface has no normal the answer of the station before stands in.
    """
    return _turns(corner.edge, corner.faces, _Sides(), stations)


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
    sides: _Sides,
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
    side, other = (sides.of(face) for face in faces)
    # where the faces meet alike all along, one place is enough
    alike = _is_even(curve, side, other)
    result: list[tuple[float, bool]] = []
    for at in stations[:1] if alike else stations:
        here = side.normals.at(places.Value(at))
        there = other.normals.at(other_places.Value(at))
        if here is not None and there is not None:
            result.append((float(here.Angle(there)), _is_convex(curve, at, ahead, here, there)))
        elif keep:
            result.append(result[-1] if result else (0.0, True))
    return result * len(stations) if alike else result


def inwards(edge: TopoDS_Edge, face: TopoDS_Face, at: float) -> gp_Vec:
    """The unit direction from an edge into a face, square to the edge. at: the curve's parameter."""
    ahead = oriented_in(edge, face)
    point, along = gp_Pnt(), gp_Vec()
    BRepAdaptor_Curve(ahead).D1(at, point, along)
    if ahead.Orientation() == TopAbs_REVERSED:
        along.Reverse()
    flat = plane_normal(face)
    normal = (
        outward_normal(face, BRepAdaptor_Curve2d(ahead, face).Value(at)) if flat is None else gp_Vec(flat)
    )
    assert normal is not None  # edges keep clear of poles and apexes
    return normal.Crossed(along).Normalized()


def inner_radius(corner: SharpEdge, face: TopoDS_Face) -> float:
    """Radius of an arc that has the face on its inner side, millimetres; ∞ for any other edge."""
    if corner.curve != CIRCLE:
        return math.inf
    curve = BRepAdaptor_Curve(corner.edge)
    middle = (curve.FirstParameter() + curve.LastParameter()) / 2
    to_centre = gp_Vec(curve.Value(middle), curve.Circle().Location())
    towards = inwards(corner.edge, face, middle)
    return float(curve.Circle().Radius()) if towards.Dot(to_centre) > 0 else math.inf


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


_PLANE, _SPHERE, _TORUS = GeomAbs_Plane.value, GeomAbs_Sphere.value, GeomAbs_Torus.value
_RULED = frozenset({_PLANE, GeomAbs_Cylinder.value, GeomAbs_Cone.value})
_SAME_AXIS = 1e-9
"""Share of the circle's radius between its centre and the axis, and radians between directions."""


class _Side:
    """A face as its edges see it."""

    def __init__(self, face: TopoDS_Face) -> None:
        self._face = face
        self._surface = BRepAdaptor_Surface(face, False)
        self.kind: int = self._surface.GetType().value

    @cached_property
    def normals(self) -> OutwardNormals:
        return OutwardNormals(self._face)

    @cached_property
    def numbers(self) -> list[float]:
        """Of an elementary surface."""
        return ELEMENTARY[self.kind].numbers(self._surface)

    @property
    def axis(self) -> list[float] | None:
        """A point and the direction of its axis, or of a plane's normal; None where it has none."""
        return self.numbers[:6] if self.kind in ELEMENTARY else None


class _Sides:
    """Faces, each read once for all its edges."""

    def __init__(self) -> None:
        self._faces = ShapeMap()
        self._known: dict[tuple[int, int], _Side] = {}

    def of(self, face: TopoDS_Shape) -> _Side:
        # the map takes a face and its reverse for the same
        key = self._faces.Add(face), face.Orientation().value
        side = self._known.get(key)
        if side is None:
            side = self._known[key] = _Side(TopoDS.Face(face))
        return side


def _is_even(curve: BRepAdaptor_Curve, *sides: _Side) -> bool:
    """Whether two faces meet alike all along a curve that lies on both.

    A line on a plane, a cylinder or a cone is one of its rulings, whose normals are all the same. A circle
    about the axis of a surface of revolution turns the normals with it. One place then says what all would.
    """
    kind = curve.GetType().value
    if kind == LINE:
        return all(side.kind in _RULED for side in sides)
    if kind != CIRCLE:
        return False
    circle = curve.Circle()
    return all(_turns_about(circle.Axis(), circle.Radius(), side) for side in sides)


def _turns_about(axis: gp_Ax1, radius: float, side: _Side) -> bool:
    if side.axis is None:
        return False
    x, y, z, *along = side.axis
    cx, cy, cz = axis.Location().Coord()
    ux, uy, uz = axis.Direction().Coord()
    # the axes must be parallel (cross product of the directions) …
    if side.kind != _SPHERE:
        vx, vy, vz = along
        if abs(uy * vz - uz * vy) + abs(uz * vx - ux * vz) + abs(ux * vy - uy * vx) > _SAME_AXIS:
            return False
        if side.kind == _PLANE:
            return True
    # … and the surface's point lie on the circle's axis
    x, y, z = x - cx, y - cy, z - cz
    return bool(abs(uy * z - uz * y) + abs(uz * x - ux * z) + abs(ux * y - uy * x) <= _SAME_AXIS * radius)
