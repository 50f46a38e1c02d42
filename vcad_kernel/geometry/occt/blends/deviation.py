"""How far strips that are kept as splines are from those that were asked for.

A fillet: OpenCASCADE puts an arc of the ball's radius into each plane square to the edge. The ball's own arc
lies square to the way of its centre, which is another plane wherever the angle between the faces changes
along the edge: 0.003 mm for a ball of 1 mm at the foot of a rod that leans by 30°. So a strip is measured:
for places of it the centre is found that has the ball's radius from both faces beside the strip, and from
there each place should be a radius away.

A chamfer: a place lies in a plane square to the edge, and there on the line between the points of both faces
that are the distance away from the edge.

A patch over a corner has no ball and no edge that would say what it should be: it may be off by all that is
between it and the corner, and so may a strip with a place that cannot be measured. Lengths in millimetres.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.GCPnts import GCPnts_AbscissaPoint
from OCP.Geom import Geom_Curve, Geom_Surface
from OCP.GeomAbs import GeomAbs_Line
from OCP.GeomAdaptor import GeomAdaptor_Curve
from OCP.GeomAPI import GeomAPI_ProjectPointOnCurve, GeomAPI_ProjectPointOnSurf
from OCP.gp import gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.TopAbs import TopAbs_FACE, TopAbs_VERTEX
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.blends.builders import place_of
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of, listed, shape_map
from vcad_kernel.geometry.occt.measure.boxes import quick_box_of
from vcad_kernel.geometry.occt.measure.distances.off_faces import distances_to_faces
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import (
    OutwardNormals,
    is_free_form,
    places_over,
)
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import (
    SharpEdge,
    faces_by_edge,
    inwards,
    turns_between,
)
from vcad_kernel.geometry.occt.measure.validity import is_elementary
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.ir.digest import Digest

__all__ = ["deviating"]

_Vector: TypeAlias = NDArray[np.float64]
_Foot: TypeAlias = tuple[float, _Vector, _Vector]
"""On an edge: parameter, point, and unit direction."""
_Places: TypeAlias = list[tuple[_Vector, _Vector]]
"""Places of a strip, and the normals out of the body there."""
_Law: TypeAlias = Callable[[_Vector], tuple[float, _Vector | None]]
"""Of a place: the radius of the ball there, and which way it rolls, where no face says that."""

_ROOM = 2.0
"""Times what is found: for what lies between the places that are looked at."""
_SMOOTH = 0.1
"""Radians: by no more a strip turns away from a face that it runs into. Sharper are the ends of strips."""
_STEPS, _ENOUGH = 6, 1e-7
"""Steps of Newton's method to a centre, and the part of the radius that ends them: the next would be about as
small as its square."""
_SURE = 3
"""Places that tell between which faces a ball rolls, and on which side."""
_FAR = 0.5
"""Part of the size: a ball that misses by more is on the other side, or between other faces; a bevel belongs
to another edge."""
_PATCHED = 0.01
"""Part of the size: a strip that is farther off is no strip, but a patch over a corner."""
_PATCH = 2.0
"""Times the distance that a patch over a corner reaches from its middle, at most."""
_FADED = 1e-3
"""Sine of the angle between both ways to the centre: below, faces touch, and their ball rolls any way."""


def deviating(
    blended: Brep, body: TopoDS_Shape, corners: Sequence[SharpEdge], blend: Blend, maker: Digest
) -> Brep:
    """The blended body, which says how far its strips may be off. body: as it was."""
    if is_elementary(blended.shape):
        return blended
    strips = [
        face
        for face, made_by in zip(faces_of(blended.shape), blended.makers, strict=True)
        if made_by == maker and is_free_form(face)
    ]
    if not strips:
        return blended
    if blend.kind == "chamfer":
        edges = [_Edge(corner) for corner in corners]
        misses_of = [_bevelled(strip, edges, blend.size) for strip in strips]
    else:
        laws = _laws(corners, blend)
        misses_of = [
            _rounded(_places(strip), _Sides(blended, maker, strip), laws, blend.size) for strip in strips
        ]
    away = max(
        _depth(strip, body) if misses is None else max(misses)
        for strip, misses in zip(strips, misses_of, strict=True)
    )
    return blended.off_by(_ROOM * away, maker)


def _places(strip: TopoDS_Face) -> _Places:
    normals = OutwardNormals(strip)
    places = []
    for u, v in places_over(strip):
        normal = normals.at(gp_Pnt2d(u, v))
        if normal is not None:
            places.append((np.array(normals.surface.Value(u, v).Coord()), np.array(normal.Coord())))
    return places


def _depth(strip: TopoDS_Face, body: TopoDS_Shape) -> float:
    """How far a strip is from the corner that it takes the place of, at most."""
    places = [there for there, _ in _places(strip)]
    deepest = max(distances_to_faces(body, np.array(places)), default=math.inf) if places else math.inf
    # no place of it, or none that is a distance away: it is no farther from its corner than it is long
    return deepest if math.isfinite(deepest) else math.dist(*quick_box_of(strip))


class _Edge:
    """An edge, its faces and where it lies."""

    def __init__(self, corner: SharpEdge) -> None:
        self.corner = corner
        self.curve: Geom_Curve = BRep_Tool.Curve_s(corner.edge, 0.0, 0.0)
        self.first, self.last = BRep_Tool.Range_s(corner.edge)
        self.low, self.high = np.array(quick_box_of(corner.edge))
        curve = BRepAdaptor_Curve(corner.edge)
        self.ends = place_of(curve.Value(self.first)), place_of(curve.Value(self.last))
        self.is_straight = curve.GetType() == GeomAbs_Line

    def foot(self, place: _Vector) -> _Foot | None:
        """Where the plane square to the edge passes a place."""
        search = GeomAPI_ProjectPointOnCurve(gp_Pnt(*place.tolist()), self.curve)
        if not search.NbPoints():
            return None
        at, point, way = float(search.LowerDistanceParameter()), gp_Pnt(), gp_Vec()
        self.curve.D1(at, point, way)
        length = way.Magnitude()
        return (at, np.array(point.Coord()), np.array(way.Coord()) / length) if length else None

    def share(self, at: float) -> float:
        """Of the length up to a parameter, from the end that comes first in x, then y, then z."""
        curve = GeomAdaptor_Curve(self.curve)
        ahead = GCPnts_AbscissaPoint.Length_s(curve, self.first, at, LINEAR)
        whole = GCPnts_AbscissaPoint.Length_s(curve, self.first, self.last, LINEAR)
        share: float = math.copysign(ahead, at - self.first) / whole
        return 1.0 - share if self.ends[1] < self.ends[0] else share


def _laws(corners: Sequence[SharpEdge], blend: Blend) -> list[_Law]:
    """The ball at each place, by one law or one of each edge.

    None where its radius changes along curved edges that others run on from.
    """
    if blend.end is None:
        return [lambda _there: (blend.size, None)]
    edges = [_Edge(corner) for corner in corners]
    ends = Counter(end for edge in edges for end in edge.ends)
    if any(not edge.is_straight and max(ends[end] for end in edge.ends) > 1 for edge in edges):
        return []
    return [partial(_ball_along, edge, blend) for edge in edges]


def _ball_along(edge: _Edge, blend: Blend, there: _Vector) -> tuple[float, _Vector | None]:
    assert blend.end is not None
    foot = edge.foot(there)
    if foot is None:
        return math.nan, None
    at, _, way = foot
    return blend.size + (blend.end - blend.size) * edge.share(at), way


def _rounded(places: _Places, sides: _Sides, laws: Sequence[_Law], radius: float) -> list[float] | None:
    """How far places are from what the ball would leave; None for a patch, and what cannot be measured."""
    rolling = _misses_of_round(places, sides.beside, laws)
    if rolling is not None and max(rolling) <= _PATCHED * radius:
        return rolling
    # at a corner the ball rests on the faces between which it rolls along the strips there
    resting = _misses_of_round(places, sides.around, laws)
    return min(filter(None, (rolling, resting)), key=max, default=None)


class _Sides:
    """The older faces at a strip."""

    def __init__(self, blended: Brep, maker: Digest, strip: TopoDS_Face) -> None:
        self._numbers = shape_map(blended.shape, TopAbs_FACE)
        self._by_edge = faces_by_edge(blended.shape)
        self._is_new = [made_by == maker for made_by in blended.makers]
        self._strip = strip

    @property
    def beside(self) -> list[TopoDS_Face]:
        """Those into which it runs smoothly."""
        return self._met(self._strip, new=False)

    @property
    def around(self) -> list[TopoDS_Face]:
        """Those, and the ones into which other strips run that it runs into."""
        strips = [self._strip, *self._met(self._strip, new=True)]
        return list(dict.fromkeys(face for strip in strips for face in self._met(strip, new=False)))

    def _met(self, strip: TopoDS_Face, *, new: bool) -> list[TopoDS_Face]:
        met: list[TopoDS_Face] = []
        for edge in edges_of(strip):
            if BRep_Tool.Degenerated_s(edge):
                continue
            for other in map(TopoDS.Face, listed(self._by_edge.FindFromKey(edge))):
                if self._is_new[self._numbers.FindIndex(other) - 1] != new or other.IsSame(strip):
                    continue
                turns = turns_between(edge, (strip, other))
                is_known = any(other.IsSame(face) for face in met)
                if not is_known and max((turn for turn, _ in turns), default=0.0) < _SMOOTH:
                    met.append(other)
        return met


def _misses_of_round(
    places: _Places, faces: Sequence[TopoDS_Face], laws: Sequence[_Law]
) -> list[float] | None:
    """How far places are from what the ball would leave; None for a patch, and what cannot be measured.

    faces: those between which the ball may roll, or rest.
    """
    sides = [BRep_Tool.Surface_s(face) for face in faces]
    touched = [*combinations(sides, 2), *combinations(sides, 3)]
    # the ball is in the body or outside of it, and touches the same faces everywhere, of the same edge
    ways = list(product(touched, (1.0, -1.0), laws))
    if not ways or not places:
        return None
    there, out = (np.array(column) for column in zip(*places, strict=True))
    misses = [_misses(there[:_SURE], side * out[:_SURE], among, law) for among, side, law in ways]
    among, side, law = ways[int(np.max(misses, axis=1).argmin())]
    least: list[float] = _misses(there, side * out, among, law).tolist()
    return least if all(map(math.isfinite, least)) else None


def _bevelled(strip: TopoDS_Face, edges: Sequence[_Edge], distance: float) -> list[float] | None:
    """How far places are from a bevel, or from the flat piece over a corner; None where both fail."""
    places = _places(strip)
    bevel = _misses_of_bevel(places, edges, distance)
    if bevel is not None and max(bevel) <= _PATCHED * distance:
        return bevel
    numbered = shape_map(strip, TopAbs_VERTEX)
    corners = np.array(
        [
            BRep_Tool.Pnt_s(TopoDS.Vertex(numbered.FindKey(number + 1))).Coord()
            for number in range(numbered.Extent())
        ]
    )
    if len(corners) < 3 or not places:
        return bevel
    middle = corners.mean(axis=0)
    # what runs along an edge is no patch, however far it is off its bevel
    if bevel is not None and np.linalg.norm(corners - middle, axis=1).max() > _PATCH * distance:
        return bevel
    square = np.linalg.svd(corners - middle)[2][2]
    # where more than three bevels meet, what is right lies between the corners of the patch
    spread = float(np.abs((corners - middle) @ square).max())
    flat = [spread + abs(float((there - middle) @ square)) for there, _ in places]
    return min(filter(None, (bevel, flat)), key=max)


def _misses_of_bevel(places: _Places, edges: Sequence[_Edge], distance: float) -> list[float] | None:
    """How far places are from the line across their bevel; None for a patch, and what cannot be measured."""
    off = []
    for there, _ in places:
        misses = [
            _off_bevel(there, edge, distance)
            for edge in edges
            if np.all((edge.low - distance <= there) & (there <= edge.high + distance))
        ]
        off.append(min(misses, default=math.inf))
    return off if off and max(off) <= _FAR * distance else None


def _off_bevel(there: _Vector, edge: _Edge, distance: float) -> float:
    """How far a place is from the line between the points of both faces; inf where there are none."""
    foot = edge.foot(there)
    if foot is None:
        return math.inf
    ends = [_trimmed(edge, face, foot, distance) for face in edge.corner.faces]
    if ends[0] is None or ends[1] is None:
        return math.inf
    across = ends[1] - ends[0]
    return float(np.linalg.norm(np.cross(there - ends[0], across)) / np.linalg.norm(across))


def _trimmed(edge: _Edge, face: TopoDS_Face, foot: _Foot, distance: float) -> _Vector | None:
    """The point of a face that is the distance from a foot on its edge, in the plane square to the edge."""
    at, origin, way = foot
    side = BRep_Tool.Surface_s(face)
    into = np.array(inwards(edge.corner, face, min(max(at, edge.first), edge.last)).Coord())
    place, (point, along, across) = _nearest(side, origin + distance * into), (gp_Pnt(), gp_Vec(), gp_Vec())
    if place is None:
        return None
    for _ in range(_STEPS):
        side.D1(*place.tolist(), point, along, across)
        apart = np.array(point.Coord()) - origin
        length = float(np.linalg.norm(apart))
        slopes = np.array([along.Coord(), across.Coord()]).T
        change = np.array([apart / length, way]) @ slopes
        if abs(np.linalg.det(change)) <= _FADED * np.prod(np.linalg.norm(slopes, axis=0)):
            return None
        step = np.linalg.solve(change, [distance - length, -float(apart @ way)])
        place = place + step
        if np.linalg.norm(slopes @ step) < _ENOUGH * distance:
            return np.array(side.Value(*place.tolist()).Coord()) if apart @ into > 0.0 else None
    return None


def _nearest(side: Geom_Surface, point: _Vector) -> _Vector | None:
    """The parameters of a surface nearest to a point."""
    search = GeomAPI_ProjectPointOnSurf(gp_Pnt(*point.tolist()), side)
    return np.array(search.LowerDistanceParameters()) if search.NbPoints() else None


def _misses(there: _Vector, out: _Vector, sides: Sequence[Geom_Surface], law: _Law) -> _Vector:
    """How far places are from the ball whose centre is square to its way from there, (n,); inf where none is.

    there: (n, 3). out: from the places to the ball, of length 1, (n, 3). sides: two between which the ball
    rolls, or three on which it rests.
    """
    radii, along = _by_law(law, there)
    centres = there + radii[:, None] * out
    distances = np.full(len(there), math.inf)
    left = np.arange(len(there))
    """Places whose ball is still looked for. All of them take a step of Newton's method together."""
    for _ in range(_STEPS):
        ways = centres[left, None] - _nearest_points(centres[left], sides)
        lengths = np.linalg.norm(ways, axis=2)
        off = radii[left, None] - lengths
        near = np.abs(off).max(axis=1) <= _FAR * radii[left]
        left, off, ways = left[near], off[near], ways[near] / lengths[near, :, None]
        onwards = np.cross(ways[:, 0], ways[:, 1])
        turn = np.linalg.norm(onwards, axis=1)
        touching = turn < _FADED
        if len(sides) == 2:
            distances[left[touching]] = np.abs(off[touching]).max(axis=1)
        left, off, ways = left[~touching], off[~touching], ways[~touching]
        square = onwards[~touching] / turn[~touching, None]
        if len(sides) == 2:
            third = square if along is None else along[left]
            back = ((there[left] - centres[left]) * third).sum(axis=1)
            ways, off = np.concatenate([ways, third[:, None]], axis=1), np.column_stack([off, back])
        crossing = np.abs((square * ways[:, 2]).sum(axis=1)) >= _FADED
        left, off, ways = left[crossing], off[crossing], ways[crossing]
        if not len(left):
            return distances
        step = np.linalg.solve(ways, off[:, :, None])[:, :, 0]
        centres[left] += step
        is_there = np.linalg.norm(step, axis=1) < _ENOUGH * radii[left]
        distances[left[is_there]] = _off_balls(there, centres, radii, left[is_there])
        left = left[~is_there]
    distances[left] = _off_balls(there, centres, radii, left)
    return distances


def _off_balls(there: _Vector, centres: _Vector, radii: _Vector, which: NDArray[np.intp]) -> _Vector:
    return np.asarray(np.abs(np.linalg.norm(there[which] - centres[which], axis=1) - radii[which]))


def _by_law(law: _Law, there: _Vector) -> tuple[_Vector, _Vector | None]:
    """Of places the radii of the ball, (n,), and which way it rolls, (n, 3), where no face says that."""
    radii, along = zip(*map(law, there), strict=True)
    ways = [np.full(3, math.nan) if way is None else way for way in along]
    return np.array(radii), None if all(way is None for way in along) else np.array(ways)


def _nearest_points(points: _Vector, sides: Sequence[Geom_Surface]) -> _Vector:
    """The points of surfaces nearest to some, (n, surfaces, 3); not a number where there is none."""
    nearest = np.full((len(points), len(sides), 3), math.nan)
    for row, point in zip(nearest, points.tolist(), strict=True):
        for column, side in enumerate(sides):
            search = GeomAPI_ProjectPointOnSurf(gp_Pnt(*point), side)
            if search.NbPoints():
                row[column] = search.NearestPoint().Coord()
    return nearest
