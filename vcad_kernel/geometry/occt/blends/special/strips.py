"""The strips of a blend along an outline that moves inwards: their surfaces, edges and corners.

At a station of the blend's profile, which counts from the wall to the flat face, a strip is so far inside of
its edge, and so far below the face. Along lines strips are planes and cylinders; along other curves they are
B-splines, across the edge exact (a line, or an arc as a rational parabola), along it fitted to 1e-9 mm.
Lengths in millimetres.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.collections import Array1_gp_Pnt2d, Array2_double, Array2_gp_Pnt
from OCP.Geom import (
    Geom_BSplineSurface,
    Geom_Curve,
    Geom_CylindricalSurface,
    Geom_Line,
    Geom_Plane,
    Geom_Surface,
)
from OCP.Geom2d import Geom2d_BSplineCurve, Geom2d_Curve, Geom2d_Line
from OCP.gp import gp_Ax3, gp_Dir, gp_Dir2d, gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.TopAbs import TopAbs_FORWARD, TopAbs_REVERSED
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face, TopoDS_Vertex, TopoDS_Wire

from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.blends.special.inset_outlines import Array, Bisector, InsetOutline, MovingEdge
from vcad_kernel.geometry.occt.sweeps.fitting import DEGREE, FittedSpline, curve_of, fitted, integers, reals

__all__ = ["Frame", "Profile", "Strips", "edge_of"]

_FITTED = 1e-9
"""Millimetres: what splines are fitted to."""
_MOST_OFF = 1e-7
"""Millimetres by which they may miss: the tolerance of edges."""
_QUARTER = math.sqrt(0.5)
"""Weight of the middle pole of a quarter of a circle."""

_BUILDER = BRep_Builder()


@dataclass(frozen=True, slots=True)
class Frame:
    """A flat face's coordinates."""

    origin: Array
    axes: Array
    """(3, 3): in rows x, y, and the normal out of the body."""

    def flat(self, vectors: Array) -> Array:
        """(n, 2) coordinates of directions (n, 3)."""
        return np.asarray(vectors @ self.axes[:2].T)

    def points(self, places: Array, levels: Array) -> Array:
        """(n, 3) of places in the face (n, 2), at levels above it (n,)."""
        return np.asarray(self.origin + places @ self.axes[:2] + levels[:, None] * self.axes[2])


@dataclass(frozen=True, slots=True)
class Profile:
    """A blend's section, from the wall (station 0) to the flat face (the last station)."""

    blend: Blend
    rise: float
    """-1: the strip lies below the face, which is the end of a solid; 1: above, in a pocket."""

    @property
    def last(self) -> float:
        """The last station: a length of bevels, an angle of fillets."""
        return self.blend.size if self.blend.kind == "chamfer" else 0.5 * math.pi

    def inwards(self, stations: Array) -> Array:
        """How far inside of the edge."""
        if self.blend.kind == "chamfer":
            return stations
        return np.asarray(self.blend.size * (1.0 - np.cos(stations)))

    def levels(self, stations: Array) -> Array:
        """How far above the face."""
        away = self.blend.size - stations
        if self.blend.kind == "fillet":
            away = self.blend.size * (1.0 - np.sin(stations))
        return np.asarray(self.rise * away)

    def station(self, inwards: float) -> float:
        """Where it is so far inside of the edge."""
        if self.blend.kind == "chamfer":
            return inwards
        return math.acos(max(1.0 - inwards / self.blend.size, 0.0))

    def across(self, stations: Array) -> Array:
        """The parameter across a strip that is a spline, from 0 to 1: of a bevel it runs evenly, of a quarter
        of a circle as that of the rational parabola."""
        if self.blend.kind == "chamfer":
            return np.asarray(stations / self.blend.size)
        below, beside = np.sqrt(1.0 - np.sin(stations)), np.sqrt(1.0 - np.cos(stations))
        return np.asarray(beside / (below + beside))


@dataclass(eq=False)
class _Strip:
    """The surface along one edge, and where its parameters are."""

    surface: Geom_Surface
    parameters: Callable[[Array, Array, Array], Array] | None
    """(n, 2), of parameters along the edge, stations, parameters across; None of planes, which need none."""
    is_reversed: bool
    top: Geom_Curve
    """The border with the flat face, by the parameter along the edge."""

    def line(self, slope: float, station: float, across: float) -> Geom2d_Line | None:
        """The line of one station, by a parameter that is that along the edge, or counts against it."""
        if self.parameters is None:
            return None
        at = np.array([0.0, 1.0])
        start, end = self.parameters(at, np.full(2, station), np.full(2, across))
        way = slope * (end - start)
        return Geom2d_Line(gp_Pnt2d(*map(float, start)), gp_Dir2d(*map(float, way)))


class Strips:
    """Faces of the blend along one outline. Raises OCCT_ERRORS."""

    def __init__(self, outline: InsetOutline, frame: Frame, profile: Profile) -> None:
        self.outline, self._frame, self._profile = outline, frame, profile
        self.is_near = True
        """Whether all splines are near what they are fitted to."""
        self.vertices = [self._vertex(*corner) for corner in outline.corners]
        self._sides = {id(each): self._side(each) for each in outline.bisectors}
        self._strips = [self._strip(number) for number in range(len(outline.edges))]
        self.tops: list[TopoDS_Edge] = []
        """The borders of the flat face, in order."""

    def _vertex(self, inwards: float, place: Array) -> TopoDS_Vertex:
        level = self._profile.levels(np.array([self._profile.station(inwards)]))
        return _vertex_at(self._frame.points(place[None], level)[0])

    def faces(self, bottoms: list[tuple[TopoDS_Edge, float]]) -> list[TopoDS_Face]:
        """The strips. bottoms: of the edges, not of prolongations, their borders with the walls, and 1 or -1
        for the way in which they are walked."""
        self.tops = []
        faces = []
        above = {each.before: each for each in self.outline.left}
        before = {each.after: each for each in self.outline.left}
        borders = iter(bottoms)
        for number, edge in enumerate(self.outline.edges):
            begin, end = self.outline.ends_of(number)
            strip = self._strips[number]
            wire = TopoDS_Wire()
            _BUILDER.MakeWire(wire)
            face = TopoDS_Face()
            _BUILDER.MakeFace(face, strip.surface, TopLoc_Location(), _MOST_OFF)
            if not edge.is_prolongation:
                bottom, way = next(borders)
                _lay(face, bottom, strip.line(way, 0.0, 0.0))
                _BUILDER.Add(wire, bottom.Oriented(TopAbs_FORWARD if way > 0.0 else TopAbs_REVERSED))
            for each in end:
                _BUILDER.Add(wire, self._sides[id(each)][0].Oriented(TopAbs_FORWARD))
            if number in above:
                top = self._top(strip, before[number], above[number])
                _lay(face, top, strip.line(1.0, self._profile.last, 1.0))
                _BUILDER.Add(wire, top.Oriented(TopAbs_REVERSED))
            for each in reversed(begin):
                _BUILDER.Add(wire, self._sides[id(each)][0].Oriented(TopAbs_REVERSED))
            for each in {id(each): each for each in (*begin, *end)}.values():
                self._lay_side(face, strip, each, number)
            if strip.is_reversed:
                face.Orientation(TopAbs_REVERSED)
            _BUILDER.Add(face, wire)
            faces.append(face)
        return faces

    def _lay_side(self, face: TopoDS_Face, strip: _Strip, side: Bisector, number: int) -> None:
        if strip.parameters is None:
            return
        edge, spline = self._sides[id(side)]
        assert spline is not None
        poles = spline.poles
        curves = [
            _flat_curve(spline, strip.parameters(poles[:, column], poles[:, 5], poles[:, 6]))
            for column, owner in ((3, side.before), (4, side.after))
            if owner == number
        ]
        if len(curves) == 2:
            _BUILDER.UpdateEdge(edge, *curves, face, _MOST_OFF)
        else:
            _BUILDER.UpdateEdge(edge, curves[0], face, _MOST_OFF)

    def _top(self, strip: _Strip, begin: Bisector, end: Bisector) -> TopoDS_Edge:
        size = np.array([self._profile.blend.size])
        low, high = float(begin.at(size)[0, 1]), float(end.at(size)[0, 0])
        corners = self.vertices[begin.end_corner], self.vertices[end.end_corner]
        edge = edge_of(strip.top, low, high, *corners)
        self.tops.append(edge)
        return edge

    def _side(self, bisector: Bisector) -> tuple[TopoDS_Edge, FittedSpline | None]:
        """The edge between two strips, and its spline: place, both parameters along, station, across."""
        corners = self.vertices[bisector.corner], self.vertices[bisector.end_corner]
        if self._profile.blend.kind == "chamfer" and all(edge.is_line for edge in bisector.edges):
            start, end = (BRep_Tool.Pnt_s(corner) for corner in corners)
            line = Geom_Line(start, gp_Dir(gp_Vec(start, end)))
            return edge_of(line, 0.0, start.Distance(end), *corners), None

        def along(stations: Array) -> Array:
            inwards = self._profile.inwards(stations)
            at = bisector.at(inwards)
            places = bisector.edges[0].moved(at[:, 0], inwards)[0]
            points = self._frame.points(places, self._profile.levels(stations))
            return np.column_stack([points, at, stations, self._profile.across(stations)])

        ends = self._profile.station(bisector.start), self._profile.station(bisector.end)
        spline = self._fitted(along, ends)
        return edge_of(curve_of(spline, spline.poles[:, :3]), *ends, *corners), spline

    def _fitted(
        self, function: Callable[[Array], Array], breaks: tuple[float, ...], smooth: int = 2
    ) -> FittedSpline:
        spline = fitted(function, breaks, _FITTED, smooth)
        self.is_near = self.is_near and spline.error <= _MOST_OFF
        return spline

    def _strip(self, number: int) -> _Strip:
        edge = self.outline.edges[number]
        return self._along_line(edge) if edge.is_line else self._along_curve(edge, number)

    def _along_line(self, edge: MovingEdge) -> _Strip:
        start, way, _ = (there[0] for there in edge.curve(np.zeros(1)))
        x, y, up = self._frame.axes
        ahead, inwards = way @ np.array([x, y]), np.array([-way[1], way[0]]) @ np.array([x, y])
        size, rise = self._profile.blend.size, self._profile.rise
        corner = self._frame.points(start[None], np.zeros(1))[0]
        top = Geom_Line(_point(corner + size * inwards), _direction(ahead))
        if self._profile.blend.kind == "chamfer":
            # its normal looks out of the body, as that of the flat face does
            out = up + rise * inwards
            return _Strip(Geom_Plane(_point(corner + size * inwards), _direction(out)), None, False, top)
        # from the wall, where the angle is 0, to the flat face
        axes = gp_Ax3(
            _point(corner + size * (inwards + rise * up)), _direction(rise * ahead), _direction(-inwards)
        )
        return _Strip(
            Geom_CylindricalSurface(axes, size),
            lambda along, stations, _across: np.column_stack([stations, rise * along]),
            rise > 0.0,
            top,
        )

    def _along_curve(self, edge: MovingEdge, number: int) -> _Strip:
        size = self._profile.blend.size
        begin, end = self.outline.ends_of(number)
        low = min((edge.first, *(float(each.passed()[:, 1].min()) for each in begin)))
        high = max((edge.last, *(float(each.passed()[:, 0].max()) for each in end)))

        def both(along: Array) -> Array:
            sizes = np.full(len(along), size)
            return np.hstack([edge.curve(along)[0], edge.moved(along, sizes)[0]])

        spline = self._fitted(both, (low, *edge.breaks, high), 1 if edge.breaks else 2)
        level = self._profile.rise * size
        count = len(spline.poles)
        places = [spline.poles[:, :2], spline.poles[:, 2:]]
        rows = [(places[0], level, 1.0), (places[1], 0.0, 1.0)]
        if self._profile.blend.kind == "fillet":
            rows.insert(1, (places[0], 0.0, _QUARTER))
        points, weights = Array2_gp_Pnt(1, count, 1, len(rows)), Array2_double(1, count, 1, len(rows))
        for across, (there, at, weight) in enumerate(rows, 1):
            for index, pole in enumerate(self._frame.points(there, np.full(count, at)), 1):
                points.SetValue(index, across, _point(pole))
                weights.SetValue(index, across, weight)
        degree = len(rows) - 1
        surface = Geom_BSplineSurface(
            points,
            weights,
            reals(spline.knots),
            reals([0.0, 1.0]),
            integers(spline.multiplicities),
            integers([degree + 1] * 2),
            DEGREE,
            degree,
        )
        top = curve_of(spline, self._frame.points(places[1], np.zeros(count)))
        return _Strip(surface, lambda along, _stations, across: np.column_stack([along, across]), False, top)


def edge_of(
    curve: Geom_Curve, first: float, last: float, start: TopoDS_Vertex, end: TopoDS_Vertex
) -> TopoDS_Edge:
    """The edge along a curve between two parameters."""
    edge = TopoDS_Edge()
    _BUILDER.MakeEdge(edge, curve, _MOST_OFF)
    _BUILDER.Add(edge, start.Oriented(TopAbs_FORWARD))
    _BUILDER.Add(edge, end.Oriented(TopAbs_REVERSED))
    _BUILDER.Range(edge, first, last)
    return edge


def _lay(face: TopoDS_Face, edge: TopoDS_Edge, curve: Geom2d_Curve | None) -> None:
    if curve is not None:
        _BUILDER.UpdateEdge(edge, curve, face, _MOST_OFF)


def _vertex_at(point: Array) -> TopoDS_Vertex:
    vertex = TopoDS_Vertex()
    _BUILDER.MakeVertex(vertex, _point(point), _MOST_OFF)
    return vertex


def _point(at: Array) -> gp_Pnt:
    return gp_Pnt(*map(float, at))


def _direction(way: Array) -> gp_Dir:
    return gp_Dir(*map(float, way))


def _flat_curve(spline: FittedSpline, poles: Array) -> Geom2d_BSplineCurve:
    points = Array1_gp_Pnt2d(1, len(poles))
    for index, pole in enumerate(poles, 1):
        points.SetValue(index, gp_Pnt2d(*map(float, pole)))
    return Geom2d_BSplineCurve(points, reals(spline.knots), integers(spline.multiplicities), DEGREE)
