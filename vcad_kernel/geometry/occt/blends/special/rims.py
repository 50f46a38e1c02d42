"""Blends of whole outlines of flat faces whose walls are square to them: letters, cams, plates.

What a blend leaves is known beforehand there: at a depth below the face it is the outline, moved inwards by
as much as the blend says. So every strip is laid by itself: on the wall it begins, square to its edge it goes
inwards and up, and it ends at the bisectors of its neighbours
(:mod:`vcad_kernel.geometry.occt.blends.special.inset_outlines`). Walls lose what lies above, the flat face
gets new borders; nothing is cut. Along lines strips are planes and cylinders, along other curves splines that
are right to some 1e-9 mm. A pocket's floor is the same upside down.

Earns its place by `test_rims_bevel_a_polygon_of_many_corners`: OpenCASCADE alone gives a body that is larger
than the whole. It refuses a B with a bevel of 0.3 mm, and patches the fillet of a G 1 mm off.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.BRepTools import BRepTools_ReShape, BRepTools_WireExplorer
from OCP.collections import IndexedMap_TopoDS_Shape_TopTools_ShapeMapHasher as ShapeMap
from OCP.GCPnts import GCPnts_AbscissaPoint
from OCP.Geom import Geom_Curve, Geom_SurfaceOfLinearExtrusion
from OCP.Geom2d import Geom2d_Curve, Geom2d_Line
from OCP.GeomAbs import (
    GeomAbs_BSplineCurve,
    GeomAbs_C0,
    GeomAbs_C1,
    GeomAbs_Circle,
    GeomAbs_G1,
    GeomAbs_Line,
    GeomAbs_Plane,
)
from OCP.GeomAdaptor import GeomAdaptor_Curve
from OCP.gp import gp_Ax2, gp_Dir, gp_Dir2d, gp_Pnt, gp_Pnt2d, gp_Vec, gp_Vec2d
from OCP.TopAbs import (
    TopAbs_EDGE,
    TopAbs_FACE,
    TopAbs_FORWARD,
    TopAbs_REVERSED,
    TopAbs_SHELL,
    TopAbs_VERTEX,
    TopAbs_WIRE,
)
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopoDS import (
    TopoDS,
    TopoDS_Edge,
    TopoDS_Face,
    TopoDS_Shape,
    TopoDS_Shell,
    TopoDS_Solid,
    TopoDS_Vertex,
    TopoDS_Wire,
)

from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.blends.special.inset_outlines import (
    CHORDS,
    Array,
    MovingEdge,
    cross,
    inset,
    polygon,
    straight,
)
from vcad_kernel.geometry.occt.blends.special.strips import Frame, Profile, Strips, edge_of
from vcad_kernel.geometry.occt.brep import Brep, carried, edges_of, faces_of, shape_map
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import CIRCLE, LINE
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import plane_normal
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, oriented_in
from vcad_kernel.ir.digest import Digest

__all__ = ["as_curved_rims", "as_plain_rims", "wires_of"]

_UPRIGHT = 1e-6
"""Radians, and of a wall's lines the share, by which they may lean."""
_RUNS_ON = 0.1
"""Radians: OpenCASCADE does so at 3.6°, and bevels a polygon of 100 corners wrongly."""
_ON_WALL = 1e-7
"""Millimetres by which the border of a strip may miss its wall."""
_PLACES = 7
"""Along a border, at which it is asked whether it lies on the wall."""


def as_curved_rims(solid: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep | None:
    """The body with whole outlines blended that OpenCASCADE patches: of curves that are no lines or arcs, or
    with corners that it takes for none. None of others, and where an outline is not that simple."""
    # a ring has no corner at all
    if _is_plain(corners) and all(first == last for first, last in (each.ends for each in corners)):
        return None
    rims = _rims(solid.shape, corners, blend)
    if rims is None or (_is_plain(corners) and not any(rim.hardly_turns for rim in rims)):
        return None
    return _built(solid, rims, blend, maker)


def as_plain_rims(solid: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep | None:
    """The same of the others, which OpenCASCADE blends exactly where no edge vanishes in a corner."""
    rims = _rims(solid.shape, corners, blend) if _is_plain(corners) else None
    return None if rims is None else _built(solid, rims, blend, maker)


def _is_plain(corners: Sequence[SharpEdge]) -> bool:
    return all(corner.curve in (LINE, CIRCLE) for corner in corners)


def _built(solid: Brep, rims: Sequence[_Rim], blend: Blend, maker: Digest) -> Brep | None:
    try:
        return _Blended(solid, blend, maker).with_rims(rims)
    except OCCT_ERRORS:
        return None


# ---------------------------------------------------------------- what is there


@dataclass(frozen=True, slots=True, eq=False)
class _Course:
    """The curve along which an edge of an outline runs."""

    curve: Geom_Curve
    first: float
    last: float
    way: float
    """1 where it is walked as the curve runs, else -1."""
    level: float | None = None
    """Where it lies on a wall that is an extrusion, by the second parameter."""


@dataclass(frozen=True, slots=True, eq=False)
class _Rim:
    """A closed outline of a flat face, walked with the face on its left."""

    face: TopoDS_Face
    wire: TopoDS_Wire
    edges: list[TopoDS_Edge]
    courses: list[_Course]
    walls: list[TopoDS_Face]
    """Of each edge, the other face."""
    uprights: list[TopoDS_Edge]
    """At the end of each edge, where its wall meets the next one's."""
    rise: float
    """-1 where the walls go down from the face, 1 where they go up."""

    @property
    def hardly_turns(self) -> bool:
        """Whether it has a corner so flat that OpenCASCADE lets the strips run on there."""
        ends = [_directions(edge) for edge in self.edges]
        turns = [end.Angle(ends[(at + 1) % len(ends)][0]) for at, (_, end) in enumerate(ends)]
        return any(_UPRIGHT < turn < _RUNS_ON for turn in turns)


def _rims(shape: TopoDS_Shape, corners: Sequence[SharpEdge], blend: Blend) -> list[_Rim] | None:
    """The outlines that the edges are, each edge once; None if they are not, or the radius changes."""
    if blend.end is not None or any(abs(each.turn - 0.5 * math.pi) > _UPRIGHT for each in corners):
        return None
    # closed outlines that have no edge in common come to a vertex as often as they leave it
    if any(count % 2 for count in Counter(end for each in corners for end in each.ends).values()):
        return None
    chosen = ShapeMap()
    for corner in corners:
        chosen.Add(corner.edge)
    at_vertex = _edges_at_vertices(shape)
    rims: list[_Rim] = []
    left = set(range(1, chosen.Extent() + 1))
    for face in faces_of(shape):
        if plane_normal(face) is None:
            continue
        wires = shape_map(face, TopAbs_WIRE)
        for wire in (TopoDS.Wire(wires.FindKey(at + 1)) for at in range(wires.Extent())):
            numbers = [chosen.FindIndex(edge) for edge in edges_of(wire)]
            if not left.issuperset(numbers):
                continue
            rim = _rim(face, wire, [corners[number - 1] for number in numbers], at_vertex)
            if rim is not None:
                rims.append(rim)
                left.difference_update(numbers)
    return None if left else rims


def _edges_at_vertices(shape: TopoDS_Shape) -> tuple[ShapeMap, dict[int, list[TopoDS_Edge]]]:
    vertices = shape_map(shape, TopAbs_VERTEX)
    there: dict[int, list[TopoDS_Edge]] = {}
    for edge in edges_of(shape):
        ends = shape_map(edge, TopAbs_VERTEX)
        for at in range(1, ends.Extent() + 1):
            there.setdefault(vertices.FindIndex(ends.FindKey(at)), []).append(edge)
    return vertices, there


def _rim(
    face: TopoDS_Face,
    wire: TopoDS_Wire,
    corners: Sequence[SharpEdge],
    at_vertex: tuple[ShapeMap, dict[int, list[TopoDS_Edge]]],
) -> _Rim | None:
    """None where walls or the edges between them are not square to the face."""
    kinds = {corner.convex for corner in corners}
    if len(kinds) != 1 or None in kinds:
        return None
    vertices, there = at_vertex
    ends: dict[int, tuple[TopoDS_Edge, SharpEdge]] = {}
    for corner in corners:
        edge = oriented_in(corner.edge, face)
        ends[vertices.FindIndex(TopExp.FirstVertex_s(edge, True))] = edge, corner
    if len(ends) != len(corners):
        return None
    rise = -1.0 if kinds == {True} else 1.0
    up = plane_normal(face)
    assert up is not None
    edges, courses, walls, uprights = [], [], [], []
    at = next(iter(ends))
    while at in ends:
        edge, corner = ends.pop(at)
        at = vertices.FindIndex(TopExp.LastVertex_s(edge, True))
        others = [each for each in there[at] if not any(each.IsSame(own.edge) for own in corners)]
        if len(others) != 1 or not _goes(others[0], gp_Vec(up) * rise, vertices, at):
            return None
        edges.append(edge)
        walls.append(next(wall for wall in corner.faces if not wall.IsSame(face)))
        courses.append(_course(edge, walls[-1], up))
        uprights.append(others[0])
    return None if ends else _Rim(face, wire, edges, courses, walls, uprights, rise)


def _course(edge: TopoDS_Edge, wall: TopoDS_Face, up: gp_Dir) -> _Course:
    """Where a wall is an extrusion its own curve: an edge that a boolean has left is only fitted to that."""
    way = -1.0 if edge.Orientation() == TopAbs_REVERSED else 1.0
    first, last = BRep_Tool.Range_s(edge)
    surface = BRep_Tool.Surface_s(wall)
    if isinstance(surface, Geom_SurfaceOfLinearExtrusion) and surface.Direction().IsParallel(up, _UPRIGHT):
        on_wall = BRepAdaptor_Curve2d(oriented_in(edge, wall), wall)
        start, end = on_wall.Value(first), on_wall.Value(last)
        if end.X() < start.X():
            way, start, end = -way, end, start
        return _Course(surface.VIso(start.Y()), start.X(), end.X(), way, start.Y())
    return _Course(Geom_Curve.Copy(BRep_Tool.Curve_s(edge, 0.0, 0.0)), first, last, way)


def _directions(edge: TopoDS_Edge) -> tuple[gp_Vec, gp_Vec]:
    """Of an edge at its beginning and its end, as it is oriented."""
    curve = BRepAdaptor_Curve(edge)
    place, first, last = gp_Pnt(), gp_Vec(), gp_Vec()
    curve.D1(curve.FirstParameter(), place, first)
    curve.D1(curve.LastParameter(), place, last)
    return (last.Reversed(), first.Reversed()) if edge.Orientation() == TopAbs_REVERSED else (first, last)


def _goes(edge: TopoDS_Edge, way: gp_Vec, vertices: ShapeMap, start: int) -> bool:
    """Whether an edge leaves a vertex straight, in a direction. Where a boolean has cut an extrusion the line
    is a spline."""
    curve = BRepAdaptor_Curve(edge)
    stations = np.linspace(curve.FirstParameter(), curve.LastParameter(), _PLACES).tolist()
    places = [curve.Value(at) for at in stations]
    direction = gp_Vec(places[0], places[-1])
    if direction.Magnitude() <= _ON_WALL:
        return False
    direction.Normalize()
    if any(gp_Vec(places[0], place).CrossMagnitude(direction) > _ON_WALL for place in places):
        return False
    if vertices.FindIndex(TopExp.FirstVertex_s(edge)) != start:
        direction.Reverse()
    return bool(direction.Dot(way) > 0.0 and direction.CrossMagnitude(way) <= _UPRIGHT)


# ---------------------------------------------------------------- what is made


class _Blended:
    """A body whose rims are being blended. Raises OCCT_ERRORS."""

    def __init__(self, solid: Brep, blend: Blend, maker: Digest) -> None:
        self._solid, self._blend, self._maker = solid, blend, maker
        self._anew = BRepTools_ReShape()
        self._edges = shape_map(solid.shape, TopAbs_EDGE)
        self._ends: dict[int, list[tuple[TopoDS_Vertex, TopoDS_Vertex]]] = {}
        """Of each edge between walls, the vertices that are moved and what they become."""
        self._strips: list[tuple[TopoDS_Face, list[TopoDS_Face]]] = []
        """Of each rim: the flat face as it was, and what lies along."""

    def with_rims(self, rims: Sequence[_Rim]) -> Brep | None:
        for _, there in itertools.groupby(rims, key=lambda rim: self._number_of_face(rim.face)):
            if not self._border_anew(list(there)):
                return None
        return self._together() if self._uprights_fit() else None

    def _number_of_face(self, face: TopoDS_Face) -> int:
        return int(shape_map(self._solid.shape, TopAbs_FACE).FindIndex(face))

    def _border_anew(self, rims: Sequence[_Rim]) -> bool:
        """Replaces a flat face, and lays the strips along its outlines; False where that is not possible."""
        face = rims[0].face
        frame = _frame(face)
        size = self._blend.size
        moving = [[_moving(course, frame) for course in rim.courses] for rim in rims]
        outlines = inset(moving, size)
        if outlines is None:
            return False
        kept = [wire for wire in wires_of(face) if not any(wire.IsSame(rim.wire) for rim in rims)]
        rings = [polygon(outline, size) for outline in outlines]
        if cross([*rings, *(_ring(wire, face, frame) for wire in kept)]):
            return False
        builder, bordered = BRep_Builder(), TopoDS.Face(face.EmptyCopied())
        for wire in kept:
            builder.Add(bordered, wire)
        for rim, outline in zip(rims, outlines, strict=True):
            strips = Strips(outline, frame, Profile(self._blend, rim.rise))
            bottoms = self._bottoms(rim, strips, gp_Vec(*map(float, frame.axes[2])))
            if bottoms is None or not strips.is_near:
                return False
            self._strips.append((face, strips.faces(bottoms)))
            border = TopoDS_Wire()
            builder.MakeWire(border)
            for top in strips.tops:
                builder.Add(border, top)
            border.Closed(True)
            builder.Add(bordered, border)
        self._anew.Replace(face, bordered)
        return True

    def _bottoms(self, rim: _Rim, strips: Strips, up: gp_Vec) -> list[tuple[TopoDS_Edge, float]] | None:
        """The borders of strips and walls, with the way in which they are walked."""
        bottoms = []
        away = up * (rim.rise * self._blend.size)
        for number, (edge, course) in enumerate(zip(rim.edges, rim.courses, strict=True)):
            ends = strips.vertices[(number or len(rim.edges)) - 1], strips.vertices[number]
            curve: Geom_Curve = Geom_Curve.Copy(course.curve)
            curve.Translate(away)
            bottom = edge_of(curve, course.first, course.last, *ends[:: int(course.way)])
            if not _lay_on_wall(bottom, course, edge, rim.walls[number], away):
                return None
            # the old edge may run the other way than the curve of its wall
            old = edge if course.way > 0.0 else edge.Reversed()
            self._anew.Replace(old, bottom)
            moved = TopExp.LastVertex_s(edge, True)
            upright = self._edges.FindIndex(rim.uprights[number])
            self._ends.setdefault(upright, []).append((moved, ends[1]))
            bottoms.append((bottom, course.way))
        return bottoms

    def _uprights_fit(self) -> bool:
        """Makes the edges between walls shorter; False where nothing is left of one."""
        builder = BRep_Builder()
        for number, moved in self._ends.items():
            edge = TopoDS.Edge(self._edges.FindKey(number).Oriented(TopAbs_FORWARD))
            first, last = BRep_Tool.Range_s(edge)
            curve, size = BRepAdaptor_Curve(edge), self._blend.size
            ends = [TopExp.FirstVertex_s(edge), TopExp.LastVertex_s(edge)]
            for before, after in moved:
                if before.IsSame(ends[0]):
                    ends[0], first = after, GCPnts_AbscissaPoint(curve, size, first).Parameter()
                else:
                    ends[1], last = after, GCPnts_AbscissaPoint(curve, -size, last).Parameter()
            if last - first <= _ON_WALL:
                return False
            shorter = TopoDS.Edge(edge.EmptyCopied())
            builder.Add(shorter, ends[0].Oriented(TopAbs_FORWARD))
            builder.Add(shorter, ends[1].Oriented(TopAbs_REVERSED))
            builder.Range(shorter, first, last)
            self._anew.Replace(edge, shorter)
        return True

    def _together(self) -> Brep:
        """The body of all faces as they are now, and the strips."""
        builder, body = BRep_Builder(), TopoDS_Solid()
        builder.MakeSolid(body)
        shells = shape_map(self._solid.shape, TopAbs_SHELL)
        for shell in (shells.FindKey(at + 1) for at in range(shells.Extent())):
            changed = TopoDS_Shell()
            builder.MakeShell(changed)
            own = shape_map(shell, TopAbs_FACE)
            for face in faces_of(shell):
                builder.Add(changed, self._anew.Apply(face))
            for face, strips in self._strips:
                if own.Contains(face):
                    for strip in strips:
                        builder.Add(changed, strip)
            changed.Closed(True)
            builder.Add(body, changed)
        return carried(body, (self._solid,), lambda face: (self._anew.Apply(face),), self._maker)


def _frame(face: TopoDS_Face) -> Frame:
    up = plane_normal(face)
    assert up is not None
    plane = BRepAdaptor_Surface(face, False).Plane()
    axes = gp_Ax2(plane.Location(), up, plane.XAxis().Direction())
    directions = (axes.XDirection(), axes.YDirection(), axes.Direction())
    return Frame(np.array(axes.Location().Coord()), np.array([direction.Coord() for direction in directions]))


def wires_of(face: TopoDS_Face) -> list[TopoDS_Wire]:
    """With their orientation in the face."""
    explorer = TopExp_Explorer(face, TopAbs_WIRE)
    wires = []
    while explorer.More():
        wires.append(TopoDS.Wire(explorer.Current()))
        explorer.Next()
    return wires


def _moving(course: _Course, frame: Frame) -> MovingEdge | None:
    """An edge in the plane of its face; None of a spline that is bent sharply somewhere."""
    curve = GeomAdaptor_Curve(course.curve)
    way = course.way
    first, last = sorted((way * course.first, way * course.last))
    breaks: tuple[float, ...] = ()
    if curve.GetType() == GeomAbs_BSplineCurve:
        spline = curve.BSpline()
        if spline.Continuity() in (GeomAbs_C0, GeomAbs_G1, GeomAbs_C1):
            return None
        knots = [way * spline.Knot(at + 1) for at in range(spline.NbKnots())]
        breaks = tuple(sorted(knot for knot in knots if first < knot < last))

    if curve.GetType() == GeomAbs_Line:
        line = curve.Line()
        start = np.array(line.Location().Coord()) - frame.origin
        ahead = way * np.array(line.Direction().Coord())
        return straight(frame.flat(start), frame.flat(ahead), first, last)

    def curved(at: Array) -> tuple[Array, Array, Array]:
        place, slope, bend = gp_Pnt(), gp_Vec(), gp_Vec()
        rows = []
        for parameter in at.tolist():
            curve.D2(way * parameter, place, slope, bend)
            rows.append((place.Coord(), slope.Coord(), bend.Coord()))
        there = np.array(rows).reshape(-1, 3, 3)
        return (
            frame.flat(there[:, 0] - frame.origin),
            frame.flat(way * there[:, 1]),
            frame.flat(there[:, 2]),
        )

    return MovingEdge(curved, first, last, breaks, is_arc=curve.GetType() == GeomAbs_Circle)


def _ring(wire: TopoDS_Wire, face: TopoDS_Face, frame: Frame) -> Array:
    """(n, 2) places along an outline, in order."""
    walk = BRepTools_WireExplorer(wire, face)
    places = []
    while walk.More():
        edge = walk.Current()
        curve = BRepAdaptor_Curve(edge)
        at = np.linspace(curve.FirstParameter(), curve.LastParameter(), CHORDS + 1)
        points = [curve.Value(parameter).Coord() for parameter in at.tolist()]
        places += points[:0:-1] if edge.Orientation() == TopAbs_REVERSED else points[:-1]
        walk.Next()
    return frame.flat(np.array(places) - frame.origin)


def _lay_on_wall(
    bottom: TopoDS_Edge, course: _Course, edge: TopoDS_Edge, wall: TopoDS_Face, away: gp_Vec
) -> bool:
    """Gives the border of a strip its curve on a wall; False where that is not simply the edge's, moved."""
    surface = BRepAdaptor_Surface(wall, False)
    if surface.GetType() == GeomAbs_Plane:
        return True
    if course.level is not None:
        level = course.level + away.Dot(gp_Vec(surface.Direction()))
        line = Geom2d_Line(gp_Pnt2d(0.0, level), gp_Dir2d(1.0, 0.0))
        BRep_Builder().UpdateEdge(bottom, line, wall, _ON_WALL)
        return True
    first, last = BRep_Tool.Range_s(edge)
    lines = BRepAdaptor_Curve2d(oriented_in(edge, wall), wall)
    place, along, across = gp_Pnt(), gp_Vec(), gp_Vec()
    middle = lines.Value(0.5 * (first + last))
    surface.D1(middle.X(), middle.Y(), place, along, across)
    # along which of both parameters the lines of the wall run that are square to the face
    across_is_up = across.CrossMagnitude(away) <= _UPRIGHT * across.Magnitude() * away.Magnitude()
    way = across if across_is_up else along
    by = away.Dot(way) / way.SquareMagnitude()
    shift = gp_Vec2d(0.0, by) if across_is_up else gp_Vec2d(by, 0.0)
    curve = BRepAdaptor_Curve(bottom)
    for share in np.linspace(0.0, 1.0, _PLACES).tolist():
        at = first + share * (last - first)
        there = lines.Value(at).Translated(shift)
        if surface.Value(there.X(), there.Y()).Distance(curve.Value(at)) > _ON_WALL:
            return False
    moved = Geom2d_Curve.Translated(BRep_Tool.CurveOnSurface_s(edge, wall, 0.0, 0.0), shift)
    BRep_Builder().UpdateEdge(bottom, moved, wall, _ON_WALL)
    return True
