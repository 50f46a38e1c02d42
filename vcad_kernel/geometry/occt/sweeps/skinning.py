"""Bodies swept by a section in a moving frame, built face by face.

A section segment is a rational Bézier curve u(s), v(s), and a track gives frames P(t), N(t), B(t) with
one knot vector; the surface P + u·N + v·B is then one tensor product spline, exact across and as near
along as the frames are fitted. Neighbouring faces share their edges, whose parameter curves are
straight by construction. Where the surface is a cylinder about Z or a plane square to it, the face
stands on that instead.

Earns its place by `test_skinning_lets_a_cam_groove_be_cut`: of OpenCASCADE's pipe shell only meshes can be
cut out of the rod.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Builder
from OCP.collections import Array1_double, Array1_gp_Pnt, Array1_gp_Pnt2d, Array2_double, Array2_gp_Pnt
from OCP.Geom import (
    Geom_BezierCurve,
    Geom_BSplineSurface,
    Geom_CylindricalSurface,
    Geom_Plane,
    Geom_Surface,
)
from OCP.Geom2d import Geom2d_BSplineCurve, Geom2d_Curve, Geom2d_Line
from OCP.gp import gp_Ax3, gp_Dir, gp_Dir2d, gp_Pnt, gp_Pnt2d
from OCP.TopAbs import TopAbs_FORWARD, TopAbs_REVERSED
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import (
    TopoDS,
    TopoDS_Edge,
    TopoDS_Face,
    TopoDS_Shape,
    TopoDS_Shell,
    TopoDS_Solid,
    TopoDS_Wire,
)

from vcad_kernel.geometry.occt.measure.validity import outward_solid
from vcad_kernel.geometry.occt.sweeps.fitting import DEGREE, FittedSpline, curve_of, fitted, integers, reals
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import direction_of, edge_on, point_of, vertex_at
from vcad_kernel.geometry.sweeps.paths.paths import Track
from vcad_kernel.geometry.sweeps.profiles.curves import bezier_pieces, ellipse_sweep
from vcad_kernel.geometry.sweeps.profiles.profile import arc_radius, arc_sweep
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.sketches import Curve, Curves, EllipseArc, Line, Spline

__all__ = ["Misfit", "skinned"]

_CLOSE = 1e-7
_WIDEST_ARC = 185.0
"""Degrees of one rational cubic: its weights stay positive up to 240."""
_EXACT = 1e-10
"""Relative to the size of the path: how near the frames are fitted."""
_LEVEL = 1e-12
_STATIONS = 9
"""Of a path, to see how far it reaches."""
_MOST_PARTS = 1024
"""Into which one track is halved."""


class Misfit(ValueError):
    """A track that no spline of reasonable size follows."""


@dataclass(frozen=True, slots=True, eq=False)
class _Curve:
    """A rational Bézier curve of the section: poles (p + 1, 2), weights (p + 1,)."""

    poles: NDArray[np.float64]
    weights: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """A fitted track: poles (n, 3) of P, N and B over shared knots."""

    spline: FittedSpline
    about_z: bool
    """N is radial, B is +Z and P moves about the Z axis: the frames of a track about a cylinder."""
    level: bool
    """B·P does not change: P stays at one height."""

    def poles(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, 3): the poles of the curve that a point of the section draws."""
        rows = self.spline.poles
        return np.asarray(rows[:, :3] + at[0] * rows[:, 3:6] + at[1] * rows[:, 6:9])


def skinned(
    segments: Curves, tracks: Sequence[Track], *, about_z: bool = False, closed: bool = False
) -> TopoDS_Shape:
    """The outward solid that a counter-clockwise section sweeps along tracks that follow each other.

    about_z: the tracks run about the Z axis with N radial and B = +Z.
    closed: they end where they begin, and the body is a ring without end faces.
    Raises: Misfit.
    """
    # 1. the section as Bézier curves, 2. the tracks as splines, 3. a face for each pair of both
    curves = [curve for segment in segments for curve in _curves_of(segment)]
    if about_z:
        tracks = [half for track in tracks for half in _halves(track)]
    rows = [part for track in tracks for part in _rows(track, about_z)]
    return outward_solid(_Skin(curves, rows, closed=closed).solid())


def _halves(track: Track) -> list[Track]:
    """Parts of a track about the axis of at most half a turn: a face must not meet its own seam."""
    first, last = track.breaks[0], track.breaks[-1]
    parts = math.ceil((last - first) / math.pi - 1e-9)
    ends = np.linspace(first, last, parts + 1)
    return [Track((float(low), float(high)), track.at) for low, high in itertools.pairwise(ends)]


def _extent(track: Track) -> float:
    """How far a path reaches at most along an axis, mm."""
    stations = np.unique([*np.linspace(track.breaks[0], track.breaks[-1], _STATIONS), *track.breaks])
    return float(np.ptp(track.at(stations).points, axis=0).max())


def _rows(track: Track, about_z: bool, parts: int = 1) -> list[_Rows]:
    """A track fitted, in several parts when it is long."""

    # frames and points are fitted together, so that they share their knots; a direction is as long as the
    # path is, since what it is off by counts as often as the section reaches from the path
    size = _extent(track)
    lengths = np.repeat([1.0, size, size], 3)

    def stacked(parameter: NDArray[np.float64]) -> NDArray[np.float64]:
        frames = track.at(parameter)
        return np.asarray(np.hstack([frames.points, frames.u, frames.v]) * lengths)

    fit = fitted(stacked, track.breaks, _EXACT * size)
    if fit.error <= _EXACT * size:
        spline = replace(fit, poles=fit.poles / lengths)
        ends = spline.poles[[0, -1]]
        return [_Rows(spline, about_z, abs(ends[0, 2] - ends[1, 2]) <= _LEVEL * size)]
    first, last = track.breaks[0], track.breaks[-1]
    if parts >= _MOST_PARTS:
        raise Misfit(f"the path cannot be followed to better than {fit.error:g} mm")
    # too long for one spline: halved at a break where there is one, since it is smooth between breaks
    middle = track.breaks[len(track.breaks) // 2] if len(track.breaks) > 2 else 0.5 * (first + last)
    halves = (
        Track((*(at for at in track.breaks if at < middle), middle), track.at),
        Track((middle, *(at for at in track.breaks if at > middle)), track.at),
    )
    return [part for half in halves for part in _rows(half, about_z, 2 * parts)]


# ---------------------------------------------------------------- the section


def _curves_of(segment: Curve) -> list[_Curve]:
    if isinstance(segment, Line):
        return [_Curve(np.array([segment.start, segment.end]), np.ones(2))]
    if isinstance(segment, Spline):
        return [_Curve(poles, np.ones(len(poles))) for poles in bezier_pieces(segment)]
    if isinstance(segment, EllipseArc):
        return _ellipse(segment)
    whole = segment.start == segment.end
    sweep = math.copysign(360.0, 1.0 if segment.ccw else -1.0) if whole else arc_sweep(segment)
    pieces = math.ceil(abs(sweep) / _WIDEST_ARC)
    begin = math.atan2(segment.start[1] - segment.center[1], segment.start[0] - segment.center[0])
    step = math.radians(sweep) / pieces
    radius = arc_radius(segment)
    curves = [
        _arc(segment.center, radius, begin + index * step, begin + (index + 1) * step)
        for index in range(pieces)
    ]
    # the corners are those of the neighbours to the last bit
    curves[0].poles[0] = segment.start
    curves[-1].poles[-1] = segment.end
    for before, after in itertools.pairwise(curves):
        after.poles[0] = before.poles[-1]
    return curves


def _ellipse(segment: EllipseArc) -> list[_Curve]:
    """The image of arcs of the unit circle."""
    first, sweep = ellipse_sweep(segment)
    pieces = math.ceil(math.degrees(abs(sweep)) / _WIDEST_ARC)
    step = sweep / pieces
    axes = np.array([segment.major, segment.minor])
    curves = []
    for index in range(pieces):
        arc = _arc((0.0, 0.0), 1.0, first + index * step, first + (index + 1) * step)
        curves.append(_Curve(np.asarray(segment.center) + arc.poles @ axes, arc.weights))
    curves[0].poles[0] = segment.start
    curves[-1].poles[-1] = segment.end
    for before, after in itertools.pairwise(curves):
        after.poles[0] = before.poles[-1]
    return curves


def _arc(center: Vec2, radius: float, first: float, last: float) -> _Curve:
    """An arc as a rational cubic: the quadratic with the weight cos(half the angle), degree raised by one.

    (Farin: "Curves and Surfaces for CAGD", rational Béziers.) Up to 240° all its weights are positive.
    """
    half, middle = 0.5 * (last - first), 0.5 * (first + last)
    weight = math.cos(half)
    ends = [np.array([math.cos(angle), math.sin(angle), 1.0]) for angle in (first, last)]
    # homogeneous: the middle pole of a half circle lies at infinity, its product with the weight does not
    inner = np.array([math.cos(middle), math.sin(middle), weight])
    raised = [ends[0], (ends[0] + 2.0 * inner) / 3.0, (2.0 * inner + ends[1]) / 3.0, ends[1]]
    weights = np.array([pole[2] for pole in raised])
    poles = np.array([pole[:2] / pole[2] for pole in raised])
    return _Curve(np.asarray(center) + radius * poles, weights)


# ---------------------------------------------------------------- the skin


class _Skin:
    """The faces of a swept body while they are put together."""

    def __init__(self, curves: Sequence[_Curve], rows: Sequence[_Rows], *, closed: bool) -> None:
        self._closed = closed
        self._curves = curves
        self._rows = rows
        self._builder = BRep_Builder()
        corners = [curve.poles[0] for curve in curves]
        ends = [row.spline.poles[0] for row in rows]
        if not closed:
            ends.append(rows[-1].spline.poles[-1])
        self._frames = ends
        # every vertex and edge is made once, and used by all faces around it
        self._vertices = [
            [vertex_at(_placed(frame, corner), 2.0 * _CLOSE) for corner in corners] for frame in ends
        ]
        self._rings = [
            [self._cross_edge(frame, level, index) for index in range(len(curves))]
            for level, frame in enumerate(ends)
        ]
        self._rails = [
            [self._rail(row, level, index) for index in range(len(curves))] for level, row in enumerate(rows)
        ]

    def solid(self) -> TopoDS_Solid:
        """All faces as one closed shell; which way it faces is for the caller to see."""
        shell = TopoDS_Shell()
        self._builder.MakeShell(shell)
        for level, row in enumerate(self._rows):
            for index, curve in enumerate(self._curves):
                self._builder.Add(shell, self._side(row, level, index, curve))
        if not self._closed:
            self._builder.Add(shell, self._cap(0).Reversed())
            self._builder.Add(shell, self._cap(len(self._rows)))
        shell.Closed(True)
        solid = TopoDS_Solid()
        self._builder.MakeSolid(solid)
        self._builder.Add(solid, shell)
        return solid

    # ------------------------------------------------------------ edges

    def _after(self, index: int) -> int:
        return (index + 1) % len(self._curves)

    def _next(self, level: int) -> int:
        return (level + 1) % len(self._frames)

    def _cross_edge(self, frame: NDArray[np.float64], level: int, index: int) -> TopoDS_Edge:
        curve = self._curves[index]
        points, weights = Array1_gp_Pnt(1, len(curve.poles)), Array1_double(1, len(curve.poles))
        for number, (pole, weight) in enumerate(zip(curve.poles, curve.weights, strict=True), 1):
            points.SetValue(number, point_of(_placed(frame, pole)))
            weights.SetValue(number, float(weight))
        vertices = self._vertices[level]
        start, end = vertices[index], vertices[self._after(index)]
        return edge_on(Geom_BezierCurve(points, weights), 0.0, 1.0, start, end)

    def _rail(self, row: _Rows, level: int, index: int) -> TopoDS_Edge:
        # a rail is what a corner of the section draws, the border of two neighbouring sides
        corner = self._curves[index].poles[0]
        knots = row.spline.knots
        start, end = (self._vertices[at][index] for at in (level, self._next(level)))
        return edge_on(curve_of(row.spline, row.poles(corner)), knots[0], knots[-1], start, end)

    # ------------------------------------------------------------ faces

    def _side(self, row: _Rows, level: int, index: int, curve: _Curve) -> TopoDS_Face:
        first, last = float(row.spline.knots[0]), float(row.spline.knots[-1])
        face, wire = TopoDS_Face(), TopoDS_Wire()
        base = _surface_of(row, curve)
        self._builder.MakeFace(face, base.surface, _CLOSE)
        self._builder.MakeWire(wire)
        bottom, top = self._rings[level][index], self._rings[self._next(level)][index]
        left, right = self._rails[level][index], self._rails[level][self._after(index)]
        # once around in the parameters; each edge runs as its neighbour has it, so two run backwards
        sides = (
            (bottom, (0.0, first), (1.0, first), TopAbs_FORWARD),
            (right, (1.0, first), (1.0, last), TopAbs_FORWARD),
            (top, (0.0, last), (1.0, last), TopAbs_REVERSED),
            (left, (0.0, first), (0.0, last), TopAbs_REVERSED),
        )
        for edge, start, end, orientation in sides:
            along = (0.0, 1.0) if start[1] == end[1] else (first, last)
            if base.parameter_curve is not None:
                flat = base.parameter_curve(start, end, along)
                self._builder.UpdateEdge(edge, flat, base.surface, TopLoc_Location(), _CLOSE)
            self._builder.Add(wire, edge.Oriented(orientation))
        wire.Closed(True)
        # a wire runs counter-clockwise about its surface, a turned face is that surface's back
        self._builder.Add(face, wire.Reversed() if base.turned else wire)
        return TopoDS.Face(face.Reversed()) if base.turned else face

    def _cap(self, level: int) -> TopoDS_Face:
        frame = self._frames[level]
        normal = np.cross(frame[3:6], frame[6:9])
        face, wire = TopoDS_Face(), TopoDS_Wire()
        plane = Geom_Plane(point_of(frame[:3]), direction_of(normal))
        self._builder.MakeFace(face, plane, _CLOSE)
        self._builder.MakeWire(wire)
        # the edges of the sides themselves, so that nothing has to be sewn
        for edge in self._rings[level]:
            self._builder.Add(wire, edge)
        wire.Closed(True)
        self._builder.Add(face, wire)
        return face


def _placed(frame: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(frame[:3] + at[0] * frame[3:6] + at[1] * frame[6:9])


_Parameters = tuple[float, float]
"""s across and t along."""


class _OnSpline:
    """Parameter curves on the tensor product surface: its own isolines."""

    def __call__(self, start: _Parameters, end: _Parameters, along: _Parameters) -> Geom2d_Curve:
        ahead = end[0] - start[0], end[1] - start[1]
        # one parameter runs as the edge's does, the other stands still
        origin = (start[0] - along[0], start[1]) if ahead[1] == 0.0 else (start[0], start[1] - along[0])
        return Geom2d_Line(gp_Pnt2d(*origin), gp_Dir2d(*ahead))


class _OnCylinder:
    """Parameter curves on a cylinder about Z: straight, because angle and height run evenly."""

    def __init__(self, row: _Rows, curve: _Curve) -> None:
        poles, knots = row.spline.poles, row.spline.knots
        # the sense of the turn, by the first two poles of the radial direction
        first, onward = poles[0, 3:5], poles[1, 3:5]
        self.sense = math.copysign(1.0, first[0] * onward[1] - first[1] * onward[0])
        self._begin = math.atan2(first[1], first[0])
        self._knots = knots[0], knots[-1]
        self._heights = poles[0, 2], poles[-1, 2]
        self._across = curve.poles[:, 1]

    def _at(self, place: _Parameters) -> gp_Pnt2d:
        (first, last), (low, high) = self._knots, self._heights
        share = (place[1] - first) / (last - first)
        # the track's own height, and the place along the line of the section
        height = low + share * (high - low) + self._across[0] + place[0] * np.ptp(self._across) * self.up
        return gp_Pnt2d(self._begin + self.sense * (place[1] - first), float(height))

    @property
    def up(self) -> float:
        """Whether the line of the section runs upwards, 1 or −1."""
        return math.copysign(1.0, self._across[-1] - self._across[0])

    def __call__(self, start: _Parameters, end: _Parameters, along: _Parameters) -> Geom2d_Curve:
        poles = Array1_gp_Pnt2d(1, 2)
        poles.SetValue(1, self._at(start))
        poles.SetValue(2, self._at(end))
        return Geom2d_BSplineCurve(poles, reals(along), integers([2, 2]), 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Surface:
    """What a side face stands on."""

    surface: Geom_Surface
    parameter_curve: _OnSpline | _OnCylinder | None
    """None: on a plane edges need none."""
    turned: bool = False
    """Whether it faces against ∂/∂s × ∂/∂t of the swept section."""


def _surface_of(row: _Rows, curve: _Curve) -> _Surface:
    if row.about_z and len(curve.poles) == 2:
        (u, v), (after_u, after_v) = curve.poles
        if u == after_u:
            on_cylinder = _OnCylinder(row, curve)
            radius = float(np.hypot(*row.spline.poles[0, :2])) + u
            frame = gp_Ax3(gp_Pnt(0.0, 0.0, 0.0), gp_Dir(0.0, 0.0, 1.0), gp_Dir(1.0, 0.0, 0.0))
            # Z × the way round points to the axis
            outside = on_cylinder.up * on_cylinder.sense < 0.0
            return _Surface(Geom_CylindricalSurface(frame, radius), on_cylinder, not outside)
        if row.level and v == after_v:
            # the plane's normal is ∂/∂s × ∂/∂t: outwards or inwards along the section, times the way round
            sense = _OnCylinder(row, curve).sense * math.copysign(1.0, after_u - u)
            height = float(row.spline.poles[0, 2] + v)
            return _Surface(Geom_Plane(gp_Pnt(0.0, 0.0, height), gp_Dir(0.0, 0.0, sense)), None)
    return _Surface(_spline_surface(row, curve), _OnSpline())


def _spline_surface(row: _Rows, curve: _Curve) -> Geom_BSplineSurface:
    across, along = len(curve.poles), len(row.spline.poles)
    points, weights = Array2_gp_Pnt(1, across, 1, along), Array2_double(1, across, 1, along)
    # the tensor product: each pole of the section draws a row of poles; weights vary across only
    for i, (pole, weight) in enumerate(zip(curve.poles, curve.weights, strict=True), 1):
        for j, place in enumerate(row.poles(pole), 1):
            points.SetValue(i, j, gp_Pnt(*map(float, place)))
            weights.SetValue(i, j, float(weight))
    degree = across - 1
    return Geom_BSplineSurface(
        points,
        weights,
        reals([0.0, 1.0]),
        reals(row.spline.knots),
        integers([across, across]),
        integers(row.spline.multiplicities),
        degree,
        DEGREE,
    )
