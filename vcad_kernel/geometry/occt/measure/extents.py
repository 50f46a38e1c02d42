"""The tight box of a body: the true extremes of its vertices, curved edges and curved faces.

OpenCASCADE's own box can be 1 % off on B-spline faces and takes a trimmed face for the whole patch
(cad.md §10.2), and what it keeps of edges and vertices where curved faces cross is 1e-7 mm off. Here a
coarse mesh shows which edges and faces can hold an extreme, and Newton's method finds it there: where the
tangent (of a face: both tangents) is square to the direction.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepClass import BRepClass_FaceClassifier
from OCP.collections import (
    IndexedDataMap_TopoDS_Shape_List_TopoDS_Shape_TopTools_ShapeMapHasher as AncestorMap,
)
from OCP.collections import List_TopoDS_Shape
from OCP.GeomAbs import (
    GeomAbs_BSplineSurface,
    GeomAbs_Circle,
    GeomAbs_Ellipse,
    GeomAbs_Line,
)
from OCP.gp import gp_Pnt, gp_Pnt2d, gp_Trsf, gp_Vec
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_FORWARD, TopAbs_OUT, TopAbs_VERTEX
from OCP.TopExp import TopExp
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape, TopoDS_Vertex

from vcad_kernel.geometry.occt.brep import Brep, ShapeMap, compound_of, listed, shape_map
from vcad_kernel.geometry.occt.measure.boxes import RULED, Box
from vcad_kernel.geometry.occt.measure.parametric.edge_gaps import EXACT_EDGE
from vcad_kernel.geometry.occt.measure.parametric.meeting_surfaces import met
from vcad_kernel.geometry.occt.measure.parametric.surfaces import Tangents, tangents_of
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import (
    CIRCLE,
    LINE,
    POINT,
    boundary_numbers,
)
from vcad_kernel.geometry.occt.tessellation import meshed
from vcad_kernel.geometry.placement import crossed
from vcad_kernel.operations.node import Vec3

__all__ = ["box_of", "outline_extent"]

_SAMPLES = 33
"""Points looked at along a curved edge."""
_NEIGHBOURS = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""Of a node of a net."""
_STARTS = 3
"""Nodes of a face from which an extreme is sought."""
_DIRECTIONS = 16
"""In which an extreme is looked for from a pole."""
_CLOSE_ENOUGH = 1e-5
"""Part of a face's parameters from which Newton's method takes over."""
_STEPS = 30
"""Of Newton's method; it needs about five."""
_CLOSE = 1e-9
"""Millimetres: an extreme that lies no further out is not looked for."""
_ON_BORDER = 1e-9
"""Millimetres from the border of a face within which a point counts as on it."""
_LEVEL = 1e-6
"""Sine of the angle between an extreme's tangents and the box. A border is found to 1e-7 mm, and there a
face that is so level rises by less than rounding."""
_EXACT_CURVES = frozenset({GeomAbs_Line.value, GeomAbs_Circle.value, GeomAbs_Ellipse.value})
"""Curves that are kept as they are, if their edge's tolerance says so; others where faces meet come near."""
_SPLINE = GeomAbs_BSplineSurface.value
_STILL = 1e-13
"""Relative step at which it stands."""
_SAME = 1e-12
"""Part of an edge's parameters between two finds of one extreme: some last steps."""

_Points = NDArray[np.float64]
_FOUND: deque[tuple[TopoDS_Shape, Box]] = deque(maxlen=4)
"""The tight boxes that were found last. Shapes do not change."""


def box_of(shape: TopoDS_Shape) -> Box:
    """Lowest and highest corner of the tight axis-parallel box, millimetres."""
    # asked by whoever checks a body, and for its figures
    for known, box in tuple(_FOUND):
        if known.IsEqual(shape):
            return box
    # edges first, then corners, then faces: each rules out most of what comes after it
    search = _searched(shape, shape)
    numbers = boundary_numbers(shape)
    curved = [
        face
        for face, surface, kind in zip(numbers.faces, numbers.surfaces, numbers.kinds, strict=True)
        if not _is_ruled(surface, kind) and search.may_stick_out(face)
    ]
    if curved:
        with meshed(curved):
            for face in curved:
                search.look_over(face)
    _FOUND.append((shape, search.box))
    return search.box


def outline_extent(brep: Brep, faces: Iterable[TopoDS_Face], frame: gp_Trsf) -> Box:
    """Lowest and highest corner of the box about the edges of some faces of a body, along other axes.

    frame: takes the world's coordinates to those in which the box lies. Millimetres.
    """
    there = TopLoc_Location(frame)
    outline = compound_of(face.Moved(there) for face in faces)
    return _searched(brep.shape.Moved(there), outline).box


def _searched(body: TopoDS_Shape, outline: TopoDS_Shape) -> _Search:
    """The extremes of the vertices and edges of a part of a body."""
    numbers = boundary_numbers(outline)
    is_tight = BRep_Tool.MaxTolerance_s(outline, TopAbs_EDGE) <= EXACT_EDGE
    others, approximate, circles = list[TopoDS_Edge](), list[TopoDS_Edge](), list[int]()
    for number, (edge, kind) in enumerate(zip(numbers.edges, numbers.curves.kinds, strict=True)):
        if kind == POINT:
            continue
        if kind not in _EXACT_CURVES or not (is_tight or BRep_Tool.Tolerance_s(edge) <= EXACT_EDGE):
            approximate.append(edge)
        elif kind == CIRCLE and numbers.ends[number][0]:
            circles.append(number)
            continue
        elif kind == LINE:
            # its ends are corners
            continue
        others.append(edge)
    meetings = _Meetings(body, approximate) if approximate else None
    numbered = shape_map(outline, TopAbs_VERTEX)
    corners = [TopoDS.Vertex(numbered.FindKey(index + 1)) for index in range(numbered.Extent())]
    points = np.array([BRep_Tool.Pnt_s(corner).Coord() for corner in corners]).reshape(-1, 3)
    spares = np.array([BRep_Tool.Tolerance_s(corner) + _CLOSE for corner in corners])[:, None]
    # so far all reaches for certain; most corners lie within what edges reach then
    search = _Search(points + spares, points - spares, meetings)
    if circles:
        search.take_arcs(numbers.curves.rows[circles])
    for edge in _furthest_first(others):
        if search.may_stick_out(edge) and not (meetings is not None and meetings.hold_back(edge, search)):
            search.look_along(edge)
    outer = (points - spares < search.low) | (points + spares > search.high)
    for index in np.flatnonzero(outer.any(axis=1)):
        refined = None if meetings is None else meetings.corner(corners[index])
        search.take(points[index] if refined is None else np.array(refined))
    return search


def _furthest_first(edges: Sequence[TopoDS_Edge]) -> list[TopoDS_Edge]:
    """Edges with those in front that reach furthest along an axis: they rule out most of the others."""
    if not edges:
        return []
    boxes = np.array([[_quick_box(edge)] for edge in edges]).reshape(-1, 6)
    front = dict.fromkeys((*boxes[:, :3].argmin(axis=0).tolist(), *boxes[:, 3:].argmax(axis=0).tolist()))
    return [*(edges[index] for index in front), *(edge for i, edge in enumerate(edges) if i not in front)]


def _quick_box(part: TopoDS_Shape) -> tuple[Vec3, Vec3]:
    """Never too small."""
    box = Bnd_Box()
    BRepBndLib.Add_s(part, box, False)
    return box.CornerMin().Coord(), box.CornerMax().Coord()


class _Meetings:
    """Where faces meet exactly, at edges and vertices that are kept approximately."""

    def __init__(self, shape: TopoDS_Shape, edges: Sequence[TopoDS_Edge]) -> None:
        self._faces_at_edge, self._faces_at_vertex = AncestorMap(), AncestorMap()
        TopExp.MapShapesAndAncestors_s(shape, TopAbs_EDGE, TopAbs_FACE, self._faces_at_edge)
        TopExp.MapShapesAndAncestors_s(shape, TopAbs_VERTEX, TopAbs_FACE, self._faces_at_vertex)
        self._faces, self._surfaces = ShapeMap(), list[Tangents]()
        self._held_back = ShapeMap()
        self._edges, self._ends = ShapeMap(), ShapeMap()
        for edge in edges:
            self._edges.Add(edge)
            TopExp.MapShapes_s(edge, TopAbs_VERTEX, self._ends)

    def hold_back(self, edge: TopoDS_Edge, search: _Search) -> bool:
        """Whether a face at an edge that is kept approximately reaches nowhere further than is known."""
        if not self._edges.Contains(edge):
            return False
        for face in map(TopoDS.Face, listed(self._faces_at_edge.FindFromKey(edge))):
            if self._held_back.Contains(face):
                return True
            if not search.may_stick_out(face):
                self._held_back.Add(face)
                return True
        return False

    def corner(self, vertex: TopoDS_Vertex) -> Vec3 | None:
        """Where all faces at a vertex meet; None where it is exact as it is."""
        if not self._ends.Contains(vertex):
            return None
        faces = _distinct(self._faces_at_vertex.FindFromKey(vertex))
        spots = [np.array([BRep_Tool.Parameters_s(vertex, face).Coord()]) for face in faces]
        return self._mean(faces, spots)

    def at(self, edge: TopoDS_Edge, parameter: float) -> Vec3 | None:
        """Where the faces at an edge meet; None where it is exact as it is."""
        if not self._edges.Contains(edge):
            return None
        faces = _distinct(self._faces_at_edge.FindFromKey(edge))
        # a seam is where its own curve on the surface is
        return self._mean(
            faces, [np.array([BRepAdaptor_Curve2d(edge, face).Value(parameter).Coord()]) for face in faces]
        )

    def _mean(self, faces: Sequence[TopoDS_Face], spots: Sequence[_Points]) -> Vec3:
        surfaces = [self._surface(face) for face in faces]
        if len(faces) > 1:
            spots = met(surfaces, spots)
        points = [surface(spot)[0][0] for surface, spot in zip(surfaces, spots, strict=True)]
        x, y, z = np.mean(points, axis=0).tolist()
        return x, y, z

    def _surface(self, face: TopoDS_Face) -> Tangents:
        number = int(self._faces.Add(face))
        if number > len(self._surfaces):
            # a spline is read pole by pole
            self._surfaces.append(tangents_of(BRepAdaptor_Surface(face, False)))
        return self._surfaces[number - 1]


def _distinct(faces: List_TopoDS_Shape) -> list[TopoDS_Face]:
    whole = ShapeMap()
    for face in listed(faces):
        whole.Add(face.Oriented(TopAbs_FORWARD))
    return [TopoDS.Face(whole.FindKey(index)) for index in range(1, whole.Extent() + 1)]


def _is_ruled(surface: BRepAdaptor_Surface, kind: int) -> bool:
    """Whether a straight line through each point of a face lies in it until it meets the border.

    Such a face reaches nowhere further than its border does. kind: the number of the surface's.
    """
    if kind == _SPLINE:
        return 2 in (surface.NbUPoles(), surface.NbVPoles())
    return kind in RULED


def _nearer(surface: BRepAdaptor_Surface, start: gp_Pnt2d, axis: int, side: float) -> tuple[float, float]:
    """Parameters nearer to an extreme, by looking up and down, left and right, in ever smaller steps.

    Newton's method alone runs away from a start near a pole, where one tangent vanishes.
    """
    ends = (
        (surface.FirstUParameter(), surface.LastUParameter()),
        (surface.FirstVParameter(), surface.LastVParameter()),
    )
    here = (start.X(), start.Y())
    best = side * surface.Value(*here).Coord(axis + 1)
    part = 1.0 / _SAMPLES
    # hill climbing: as long as a neighbour is higher go there, else look nearer
    while part > _CLOSE_ENOUGH:
        better = False
        for trial in _around(here, ends, part):
            value = side * surface.Value(*trial).Coord(axis + 1)
            if value > best:
                here, best, better = trial, value, True
        if not better:
            part *= 0.5
    return here


def _around(
    here: tuple[float, float], ends: tuple[tuple[float, float], tuple[float, float]], part: float
) -> Iterator[tuple[float, float]]:
    """Parameters a step away; at a pole every direction counts, and only all of u leads there."""
    (left, right), (low, high) = ends
    for way in (-part, part):
        yield min(max(here[0] + way * (right - left), left), right), here[1]
        up = min(max(here[1] + way * (high - low), low), high)
        yield here[0], up
        if here[1] in (low, high):
            for turn in range(_DIRECTIONS):
                yield left + (right - left) * turn / _DIRECTIONS, up


def _periods(surface: BRepAdaptor_Surface) -> _Points:
    """After how much of u and v the surface is at the same place again; infinite where it never is."""
    along = surface.UPeriod() if surface.IsUPeriodic() else np.inf
    return np.array([along, surface.VPeriod() if surface.IsVPeriodic() else np.inf])


class _Search:
    """The extremes found so far."""

    def __init__(self, lows: _Points, highs: _Points, meetings: _Meetings | None) -> None:
        """lows, highs: (n, 3), points as low, and as high, as the shape certainly reaches."""
        self._meetings = meetings
        # a sphere may have no vertex but its poles, a closed spline none at all
        self.low = lows.min(axis=0, initial=np.inf)
        self.high = highs.max(axis=0, initial=-np.inf)

    def take(self, point: _Points) -> None:
        """A point of the shape."""
        self.low, self.high = np.minimum(self.low, point), np.maximum(self.high, point)

    def take_arcs(self, arcs: _Points) -> None:
        """Arcs and circles, each as a row of ``Curves``, but for their ends: those are corners."""
        start, centre, axis = arcs[:, 0:3], arcs[:, 6:9], arcs[:, 9:12]
        radius, angle = arcs[:, 12:13], arcs[:, 13:14]
        out = start - centre
        # along an axis of space: that of the centre, and a sinusoid whose amplitude is what the circle's own
        # axis leaves
        reach = radius * np.hypot(axis[:, [1, 2, 0]], axis[:, [2, 0, 1]])
        crest = np.arctan2(crossed(axis, out), out)
        for turn, values, side in ((crest, centre + reach, 1.0), (crest + np.pi, centre - reach, -1.0)):
            at = np.mod(turn, 2.0 * np.pi)
            inside = (at > _SAME * angle) & (at < (1.0 - _SAME) * angle)
            found = np.where(inside, values, -side * np.inf)
            if side > 0.0:
                self.high = np.maximum(self.high, found.max(axis=0))
            else:
                self.low = np.minimum(self.low, found.min(axis=0))

    def _take(self, value: float, axis: int) -> None:
        self.low[axis] = min(self.low[axis], value)
        self.high[axis] = max(self.high[axis], value)

    @property
    def box(self) -> Box:
        """Lowest and highest corner, mm."""
        low, high = self.low, self.high
        return (float(low[0]), float(low[1]), float(low[2])), (float(high[0]), float(high[1]), float(high[2]))

    def may_stick_out(self, part: TopoDS_Shape) -> bool:
        """Whether an edge or a face can reach out of what is known, by its quick box."""
        low, high = _quick_box(part)
        spare = BRep_Tool.Tolerance_s(part) + _CLOSE
        return any(
            low[axis] + spare < self.low[axis] or high[axis] - spare > self.high[axis] for axis in range(3)
        )

    def _beyond(self, values: _Points, axis: int, slack: float) -> Iterator[tuple[int, float]]:
        """Where to begin a search along an axis: the ends of what is there, if they might lie outside."""
        order = np.argsort(values)
        for index in order[:_STARTS]:
            if values[index] <= self.low[axis] + slack:
                yield int(index), -1.0
        for index in order[-_STARTS:]:
            if values[index] >= self.high[axis] - slack:
                yield int(index), 1.0

    def look_along(self, edge: TopoDS_Edge) -> None:
        """The extremes of a curved edge."""
        curve = BRepAdaptor_Curve(edge)
        if curve.GetType() == GeomAbs_Line:
            return
        first, last = curve.FirstParameter(), curve.LastParameter()
        parameters = np.linspace(first, last, _SAMPLES)
        there = [curve.Value(float(parameter)) for parameter in parameters]
        points = np.array([(point.X(), point.Y(), point.Z()) for point in there])
        # no piece between samples bulges further than it is long
        slack = float(np.linalg.norm(np.diff(points, axis=0), axis=1).max())
        # by how much what is kept may be off where faces meet
        spare = BRep_Tool.Tolerance_s(edge) + _CLOSE
        same = _SAME * (last - first)
        # what its ends reach is known: more faces meet there than along it
        ends = [] if TopExp.FirstVertex_s(edge).IsNull() else [first, last]
        for axis in range(3):
            taken = [*ends]
            for index, _ in self._beyond(points[:, axis], axis, slack):
                at = float(parameters[index])
                for parameter in (self._climbed(curve, at, (first, last), axis), at):
                    value = curve.Value(parameter).Coord(axis + 1)
                    if self.low[axis] + spare < value < self.high[axis] - spare or any(
                        abs(parameter - other) <= same for other in taken
                    ):
                        continue
                    taken.append(parameter)
                    refined = None if self._meetings is None else self._meetings.at(edge, parameter)
                    self._take(value if refined is None else refined[axis], axis)

    @staticmethod
    def _climbed(curve: BRepAdaptor_Curve, start: float, ends: tuple[float, float], axis: int) -> float:
        """The parameter of the extreme next to one."""
        parameter = start
        point, tangent, bend = gp_Pnt(), gp_Vec(), gp_Vec()
        for _ in range(_STEPS):
            curve.D2(parameter, point, tangent, bend)
            slope, change = tangent.Coord(axis + 1), bend.Coord(axis + 1)
            # Newton for the root of the slope; without curvature there is none
            if change == 0.0:
                return start
            after = min(max(parameter - slope / change, ends[0]), ends[1])
            if abs(after - parameter) <= _STILL * (ends[1] - ends[0]):
                break
            parameter = after
        return parameter

    def look_over(self, face: TopoDS_Face) -> None:
        """The extremes in the inside of a curved face that has been meshed, if OpenCASCADE could."""
        triangulation = BRep_Tool.Triangulation_s(face, TopLoc_Location())
        surface = BRepAdaptor_Surface(face, True)
        if triangulation is None or not triangulation.HasUVNodes():
            self._look_everywhere(surface, face)
            return
        nodes = [triangulation.UVNode(index) for index in range(1, triangulation.NbNodes() + 1)]
        there = [surface.Value(node.X(), node.Y()) for node in nodes]
        points = np.array([(point.X(), point.Y(), point.Z()) for point in there])
        count = triangulation.NbTriangles()
        triangles = np.array([triangulation.Triangle(index).Get() for index in range(1, count + 1)]) - 1
        # between nodes the face bulges no further than the longest side
        sides = np.linalg.norm(points[triangles] - np.roll(points[triangles], 1, axis=1), axis=2)
        slack = float(sides.max())
        for axis in range(3):
            for index, side in self._beyond(points[:, axis], axis, slack):
                start = _nearer(surface, nodes[index], axis, side)
                self._climb_surface(surface, face, start, axis)

    def _look_everywhere(self, surface: BRepAdaptor_Surface, face: TopoDS_Face) -> None:
        """The extremes in the inside of a face that is not meshed: from each summit of a net over it."""
        us = np.linspace(surface.FirstUParameter(), surface.LastUParameter(), _SAMPLES)
        vs = np.linspace(surface.FirstVParameter(), surface.LastVParameter(), _SAMPLES)
        net = np.array([[surface.Value(u, v).Coord() for v in vs.tolist()] for u in us.tolist()])
        for axis in range(3):
            for side in (-1.0, 1.0):
                heights = side * net[:, :, axis]
                framed = np.pad(heights, 1, constant_values=-np.inf)
                around = [framed[1 + i : _SAMPLES + 1 + i, 1 + j : _SAMPLES + 1 + j] for i, j in _NEIGHBOURS]
                for i, j in np.argwhere(heights >= np.max(around, axis=0)):
                    node = gp_Pnt2d(float(us[i]), float(vs[j]))
                    self._climb_surface(surface, face, _nearer(surface, node, axis, side), axis)

    def _climb_surface(
        self, surface: BRepAdaptor_Surface, face: TopoDS_Face, start: tuple[float, float], axis: int
    ) -> None:
        u, v = start
        point = gp_Pnt()
        du, dv, duu, dvv, duv = (gp_Vec() for _ in range(5))
        low = np.array([surface.FirstUParameter(), surface.FirstVParameter()])
        high = np.array([surface.LastUParameter(), surface.LastVParameter()])
        periods = _periods(surface)
        # a seam is no border: the extreme may lie just beyond it
        whole = high - low >= periods * (1.0 - _STILL)
        for _ in range(_STEPS):
            surface.D2(u, v, point, du, dv, duu, dvv, duv)
            slope = np.array([du.Coord(axis + 1), dv.Coord(axis + 1)])
            bend = np.array(
                [
                    [duu.Coord(axis + 1), duv.Coord(axis + 1)],
                    [duv.Coord(axis + 1), dvv.Coord(axis + 1)],
                ]
            )
            # least squares: along a cylinder's ridge every point is an extreme
            step = np.linalg.lstsq(bend, -slope, rcond=1e-12)[0]
            there = np.array([u + step[0], v + step[1]])
            after = np.where(whole, low + (there - low) % periods, np.clip(there, low, high))
            still = np.all(np.abs(after - (u, v)) <= _STILL * (1.0 + np.abs(after)))
            u, v = float(after[0]), float(after[1])
            if still:
                break
        surface.D1(u, v, point, du, dv)
        # elsewhere the extreme is one of the border; so close to it the face is level
        level = all(abs(way.Coord(axis + 1)) <= _LEVEL * way.Magnitude() for way in (du, dv))
        if level and BRepClass_FaceClassifier(face, gp_Pnt2d(u, v), _ON_BORDER).State() != TopAbs_OUT:
            self._take(point.Coord(axis + 1), axis)
