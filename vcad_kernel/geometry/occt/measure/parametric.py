"""Surfaces and the curves on them as functions of whole arrays of parameters.

OpenCASCADE evaluates one point a call, and a call from Python takes longer than the evaluation. Here
faces and borders are read once and stacked by kind, and all their points come from a few operations on
arrays: sums of sines for elementary surfaces, the basis functions of Cox and de Boor for B-splines.
Whatever else there is (offsets, curves on surfaces) is evaluated by OpenCASCADE, point by point.

Surfaces are asked for rows of points: one parameter is the same along a row, the other runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.Adaptor3d import Adaptor3d_Curve
from OCP.BRepAdaptor import BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.collections import Array1_double
from OCP.Geom import Geom_BSplineCurve, Geom_BSplineSurface
from OCP.Geom2d import Geom2d_BSplineCurve
from OCP.Geom2dConvert import Geom2dConvert
from OCP.GeomAbs import GeomAbs_CurveType, GeomAbs_Shape, GeomAbs_SurfaceType
from OCP.GeomConvert import GeomConvert
from OCP.gp import gp_Ax3, gp_Pnt, gp_Pnt2d, gp_Vec, gp_Vec2d
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face

__all__ = ["Array", "Borders", "Numbers", "Patches", "Tangents", "borders_of", "patches_of", "tangents_of"]

Array: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.intp]
Tangents: TypeAlias = Callable[[Array], tuple[Array, Array, Array]]
"""Places (n, 2) on surfaces -> points and both tangents, (n, 3) each."""
Rows: TypeAlias = Callable[[Array, Array, Numbers], tuple[Array, Array, Array]]
"""Parameters u and v that broadcast to (n, m), and which of the surfaces each row is on, (n,) -> points
and both tangents, (n, m, 3) each. u or v is (n, 1), and no row of the other crosses a break."""

_RIGHT_ANGLE = math.pi / 2.0
_SMOOTH = np.empty(0)
_ANGLE_NODES = 12
"""Over a quarter of a turn; what is integrated are sums of sines up to the sixth, whose error is then
below 1e-15."""


@dataclass(frozen=True, slots=True)
class Patches:
    """Surfaces of one kind, not trimmed."""

    rows: Rows
    breaks: tuple[Sequence[Array] | float, Sequence[Array] | float]
    """Where each is not smooth in u and v; a number = all in equal steps from 0 on, for no other reason than
    that the rule of integration wants short intervals; 0 = nowhere."""
    exact: tuple[int | None, int | None]
    """Nodes of Gauss between two breaks that make integrals along u, or v, exact to rounding."""
    periods: Array
    """(n, 2); infinite where a surface does not come round."""


def patches_of(surfaces: Sequence[BRepAdaptor_Surface]) -> list[tuple[Patches, list[int]]]:
    """The surfaces in groups, and which of those given is which member of each."""
    alike: dict[object, list[int]] = {}
    for number, surface in enumerate(surfaces):
        kind = surface.GetType()
        key: object = kind if kind in _STACKED else number
        if kind == GeomAbs_SurfaceType.GeomAbs_BSplineSurface:
            key = surface.UDegree(), surface.VDegree()
        alike.setdefault(key, []).append(number)
    groups = []
    for members in alike.values():
        ones = [surfaces[number] for number in members]
        kind = ones[0].GetType()
        make = _STACKED.get(kind) or _ALONE.get(kind, _other)
        groups.append((make(ones), members))
    return groups


def tangents_of(surface: BRepAdaptor_Surface) -> Tangents:
    """One surface alone."""
    ((patches, _),) = patches_of([surface])

    def at(spots: Array) -> tuple[Array, Array, Array]:
        points, across, along = patches.rows(spots[:, :1], spots[:, 1:], np.zeros(len(spots), np.intp))
        return points[:, 0], across[:, 0], along[:, 0]

    return at


def _no_periods(count: int) -> Array:
    return np.full((count, 2), np.inf)


# --- elementary surfaces ---------------------------------------------------------------------------


def _frames(axes: Sequence[gp_Ax3]) -> Array:
    """(4, n, 3): origin and three directions of each."""
    return np.array(
        [
            [
                axis.Location().Coord(),
                axis.XDirection().Coord(),
                axis.YDirection().Coord(),
                axis.Direction().Coord(),
            ]
            for axis in axes
        ]
    ).transpose(1, 0, 2)


def _planes(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    frames = _frames([surface.Plane().Position() for surface in surfaces])

    def rows(u: Array, v: Array, which: Numbers) -> tuple[Array, Array, Array]:
        origin, x, y, _ = frames[:, which, None]
        points = origin + u[..., None] * x + v[..., None] * y
        return points, np.broadcast_to(x, points.shape), np.broadcast_to(y, points.shape)

    # the integrand of the second moments is a parabola
    return Patches(rows, (0.0, 0.0), (2, 2), _no_periods(len(surfaces)))


def _turned(
    axes: Sequence[gp_Ax3], profile: Callable[[Array, Numbers], tuple[Array, Array, Array, Array]]
) -> Rows:
    """Surfaces about axes. profile: v -> radius and its slope, height and its slope."""
    frames = _frames(axes)

    def rows(u: Array, v: Array, which: Numbers) -> tuple[Array, Array, Array]:
        origin, x, y, z = frames[:, which, None]
        radius, widening, height, rising = (part[..., None] for part in profile(v, which))
        cosine, sine = np.cos(u)[..., None], np.sin(u)[..., None]
        outwards = cosine * x + sine * y
        points = origin + radius * outwards + height * z
        across = radius * (cosine * y - sine * x)
        return points, across, np.broadcast_to(widening * outwards + rising * z, points.shape)

    return rows


def _cylinders(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    cylinders = [surface.Cylinder() for surface in surfaces]
    radii = np.array([cylinder.Radius() for cylinder in cylinders])

    def profile(v: Array, which: Numbers) -> tuple[Array, Array, Array, Array]:
        return radii[which, None], np.zeros((1, 1)), v, np.ones((1, 1))

    rows = _turned([cylinder.Position() for cylinder in cylinders], profile)
    return Patches(rows, (_RIGHT_ANGLE, 0.0), (_ANGLE_NODES, 2), _no_periods(len(surfaces)))


def _cones(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    cones = [surface.Cone() for surface in surfaces]
    radii = np.array([cone.RefRadius() for cone in cones])
    sines, cosines = (
        np.array([function(cone.SemiAngle()) for cone in cones]) for function in (math.sin, math.cos)
    )

    def profile(v: Array, which: Numbers) -> tuple[Array, Array, Array, Array]:
        sine, cosine = sines[which, None], cosines[which, None]
        return radii[which, None] + v * sine, sine, v * cosine, cosine

    # the width of the surface times the parabola
    rows = _turned([cone.Position() for cone in cones], profile)
    return Patches(rows, (_RIGHT_ANGLE, 0.0), (_ANGLE_NODES, 3), _no_periods(len(surfaces)))


def _spheres(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    spheres = [surface.Sphere() for surface in surfaces]
    axes, radii = [sphere.Position() for sphere in spheres], [sphere.Radius() for sphere in spheres]
    return _round(axes, [0.0] * len(axes), radii)


def _tori(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    tori = [surface.Torus() for surface in surfaces]
    major, minor = [torus.MajorRadius() for torus in tori], [torus.MinorRadius() for torus in tori]
    return _round([torus.Position() for torus in tori], major, minor)


def _round(axes: Sequence[gp_Ax3], far: Sequence[float], radii: Sequence[float]) -> Patches:
    middle, size = np.array(far), np.array(radii)

    def profile(v: Array, which: Numbers) -> tuple[Array, Array, Array, Array]:
        across, along = size[which, None] * np.cos(v), size[which, None] * np.sin(v)
        return middle[which, None] + across, -along, along, across

    steps, nodes = (_RIGHT_ANGLE, _RIGHT_ANGLE), (_ANGLE_NODES, _ANGLE_NODES)
    return Patches(_turned(axes, profile), steps, nodes, _no_periods(len(axes)))


# --- B-splines -------------------------------------------------------------------------------------


class _Bases:
    """Basis functions of B-splines of one degree, each with knots of its own."""

    def __init__(self, degree: int, knots: Sequence[Array], periods: Sequence[float]) -> None:
        """knots: of each, as often as they count. periods: infinite where there is none."""
        self.degree = degree
        lengths = np.array([len(part) for part in knots])
        self._starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self._knots = np.concatenate(knots)
        self._low = np.array([part[degree] for part in knots])
        self._high = np.array([part[len(part) - degree - 1] for part in knots])
        self._periods = np.array(periods)
        self._is_periodic = bool(np.isfinite(self._periods).any())
        # of all in one row, the parameters of each brought to half a unit: one search finds every span
        inner = [part[degree : len(part) - degree] for part in knots]
        self._inner_starts = np.concatenate([[0], np.cumsum([len(part) for part in inner])[:-1]])
        self._keys = np.concatenate(
            [number + 0.5 * (part - part[0]) / (part[-1] - part[0]) for number, part in enumerate(inner)]
        )
        self.breaks = [np.unique(part) for part in inner]

    def spans(self, which: Numbers, middles: Array) -> tuple[Array, Numbers, Numbers]:
        """By how much parameters are to be moved into the first period, numbers of the knots before, counted
        in all, and numbers of the first of the poles, counted in the spline."""
        low, high = self._low[which], self._high[which]
        moved = np.zeros_like(middles)
        if self._is_periodic:
            turns = np.where(np.isfinite(self._periods[which]), self._periods[which], 1.0)
            moved = np.where(
                np.isfinite(self._periods[which]), -np.floor((middles - low) / turns) * turns, 0.0
            )
        # the last knot closes the span before it
        part = np.clip((middles + moved - low) / (high - low), 0.0, 1.0 - 1e-13)
        first = np.searchsorted(self._keys, which + 0.5 * part, side="right") - 1 - self._inner_starts[which]
        return moved, self._starts[which] + first + self.degree, first

    def values(self, parameters: Array, span: Numbers) -> tuple[Array, Array]:
        """The functions that do not vanish and their derivatives, (…, degree + 1).

        span: number of the knot before, of the same dimensions. Source: Piegl and Tiller, The NURBS
        Book, algorithm A2.2 and equation 2.7.
        """
        degree = self.degree
        values = np.empty((degree + 1, *parameters.shape))
        slopes = np.empty_like(values)
        values[0] = 1.0
        # one row for each function, so that every step works on whole rows
        left = parameters - self._knots[span + 1 - np.arange(degree + 1).reshape(-1, *[1] * span.ndim)]
        right = self._knots[span + np.arange(degree + 1).reshape(-1, *[1] * span.ndim)] - parameters
        for order in range(1, degree + 1):
            saved: Array | float = 0.0
            rising: Array | float = 0.0
            for number in range(order):
                share = values[number] / (right[number + 1] + left[order - number])
                if order == degree:
                    slopes[number] = rising - degree * share
                    rising = degree * share
                values[number] = saved + right[number + 1] * share
                saved = left[order - number] * share
            values[order] = saved
            if order == degree:
                slopes[order] = rising
        return np.moveaxis(values, 0, -1), np.moveaxis(slopes, 0, -1)


def _bspline_surfaces(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    return _stacked_splines([surface.BSpline().Copy() for surface in surfaces])


def _bezier_surfaces(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    (surface,) = surfaces
    return _stacked_splines([GeomConvert.SurfaceToBSplineSurface_s(surface.Bezier())])


def _stacked_splines(splines: Sequence[Geom_BSplineSurface]) -> Patches:
    periods = _no_periods(len(splines))
    for number, spline in enumerate(splines):
        first_u, last_u, first_v, last_v = spline.Bounds()
        if spline.IsUPeriodic():
            periods[number, 0] = last_u - first_u
            spline.SetUNotPeriodic()
        if spline.IsVPeriodic():
            periods[number, 1] = last_v - first_v
            spline.SetVNotPeriodic()
    bases = (
        _Bases(
            splines[0].UDegree(),
            [_numbers(spline.UKnotSequence()) for spline in splines],
            periods[:, 0].tolist(),
        ),
        _Bases(
            splines[0].VDegree(),
            [_numbers(spline.VKnotSequence()) for spline in splines],
            periods[:, 1].tolist(),
        ),
    )
    # homogeneous coordinates, those of v next to each other
    poles = np.concatenate([_poles(spline) for spline in splines])
    widths = np.array([spline.NbVPoles() for spline in splines])
    counts = widths * np.array([spline.NbUPoles() for spline in splines])
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])

    def rows(u: Array, v: Array, which: Numbers) -> tuple[Array, Array, Array]:
        parameters = (u, v)
        fixed = 0 if u.shape[1] == 1 else 1
        at, along = parameters[fixed][:, 0], parameters[1 - fixed]
        moved, knot, first = bases[fixed].spans(which, at)
        more, start, begin = bases[1 - fixed].spans(which, along.mean(axis=1))
        # the fixed parameter first: it leaves one curve for each row
        weights = np.stack(bases[fixed].values(at + moved, knot))
        reach = np.broadcast_to(start[:, None], along.shape)
        shares, steps = bases[1 - fixed].values(along + more[:, None], reach)
        strides = (widths[which], np.ones_like(which))
        lines = (first[:, None] + np.arange(weights.shape[2])) * strides[fixed][:, None]
        columns = (begin[:, None] + np.arange(shares.shape[2])) * strides[1 - fixed][:, None]
        near = poles[(starts[which][:, None] + lines)[:, :, None] + columns[:, None, :]]
        curve = (weights.transpose(1, 0, 2) @ near.reshape(len(at), weights.shape[2], -1)).reshape(
            len(at), 2, shares.shape[2], 4
        )
        there, across, onwards = shares @ curve[:, 0], shares @ curve[:, 1], steps @ curve[:, 0]
        weight = there[..., 3:]
        place = there[..., :3] / weight
        slopes = [(part[..., :3] - part[..., 3:] * place) / weight for part in (across, onwards)]
        return place, slopes[fixed], slopes[1 - fixed]

    return Patches(rows, (bases[0].breaks, bases[1].breaks), (None, None), periods)


def _poles(spline: Geom_BSplineSurface) -> Array:
    """(u poles · v poles, 4)."""
    poles = np.ones((spline.NbUPoles(), spline.NbVPoles(), 4))
    across, along = range(1, spline.NbUPoles() + 1), range(1, spline.NbVPoles() + 1)
    poles[..., :3] = [[spline.Pole(i, j).Coord() for j in along] for i in across]
    if spline.IsURational() or spline.IsVRational():
        poles[..., 3] = [[spline.Weight(i, j) for j in along] for i in across]
        poles[..., :3] *= poles[..., 3:]
    return poles.reshape(-1, 4)


# --- curves ----------------------------------------------------------------------------------------

_CONICS = frozenset({GeomAbs_CurveType.GeomAbs_Circle, GeomAbs_CurveType.GeomAbs_Ellipse})
_LINE = GeomAbs_CurveType.GeomAbs_Line
_STEP = 1e-9
"""Part of a border below which a piece of it is none."""


class _Curves:
    """Curves in the plane or in space, stacked by kind."""

    def __init__(self, curves: Sequence[Adaptor3d_Curve | BRepAdaptor_Curve2d], dimensions: int) -> None:
        self._dimensions = dimensions
        self._group = np.zeros(len(curves), np.intp)
        self._member = np.zeros(len(curves), np.intp)
        self.breaks: list[Array] = [_SMOOTH] * len(curves)
        """Inner ones and ends, ascending; empty = smooth everywhere."""
        self._groups: list[Callable[[Numbers, Array], tuple[Array, Array]]] = []
        simple: list[list[float]] = []
        splines: dict[int, list[tuple[int, Geom_BSplineCurve | Geom2d_BSplineCurve]]] = {}
        for number, curve in enumerate(curves):
            kind = curve.GetType()
            if kind == _LINE:
                line = curve.Line()
                self._member[number] = len(simple)
                none = [0.0] * (2 * dimensions)
                simple.append([*line.Location().Coord(), *line.Direction().Coord(), *none])
            elif kind in _CONICS:
                self._member[number] = len(simple)
                simple.append(_conic(curve, dimensions))
            elif kind in (GeomAbs_CurveType.GeomAbs_BSplineCurve, GeomAbs_CurveType.GeomAbs_BezierCurve):
                spline = _as_spline(curve, dimensions)
                splines.setdefault(spline.Degree(), []).append((number, spline))
            else:
                self._group[number] = len(self._groups) + 1
                smooth = GeomAbs_Shape.GeomAbs_CN
                self.breaks[number] = _intervals(
                    curve.NbIntervals(smooth), partial(curve.Intervals, S=smooth)
                )
                self._groups.append(_pointwise(curve, dimensions))
        for members in splines.values():
            numbers = [number for number, _ in members]
            self._group[numbers] = len(self._groups) + 1
            self._member[numbers] = np.arange(len(numbers))
            at, breaks = _stacked_curves([spline for _, spline in members])
            for number, part in zip(numbers, breaks, strict=True):
                self.breaks[number] = part
            self._groups.append(at)
        self._simple = np.array(simple).reshape(-1, 4, dimensions)

    def at(self, which: Numbers, parameters: Array) -> tuple[Array, Array]:
        """Points and tangents, (…, k), of curves (…) at parameters of the same dimensions."""
        if not self._groups:
            return self._along(which, parameters)
        points = np.empty((*parameters.shape, self._dimensions))
        tangents = np.empty_like(points)
        kinds = self._group[which]
        for kind in np.unique(kinds).tolist():
            mine = kinds == kind
            at = self._groups[kind - 1] if kind else self._along
            number = self._member[which[mine]] if kind else which[mine]
            points[mine], tangents[mine] = at(number, parameters[mine])
        return points, tangents

    def _along(self, which: Numbers, parameters: Array) -> tuple[Array, Array]:
        """Lines, circles and ellipses."""
        origin, direction, major, minor = np.moveaxis(self._simple[self._member[which]], -2, 0)
        cosine, sine = np.cos(parameters)[..., None], np.sin(parameters)[..., None]
        points = origin + parameters[..., None] * direction + cosine * major + sine * minor
        return points, direction + cosine * minor - sine * major


def _conic(curve: Adaptor3d_Curve | BRepAdaptor_Curve2d, dimensions: int) -> list[float]:
    if curve.GetType() == GeomAbs_CurveType.GeomAbs_Circle:
        conic = curve.Circle()
        sizes = conic.Radius(), conic.Radius()
    else:
        conic = curve.Ellipse()
        sizes = conic.MajorRadius(), conic.MinorRadius()
    axes = conic.XAxis().Direction().Coord(), conic.YAxis().Direction().Coord()
    arms = [size * part for size, axis in zip(sizes, axes, strict=True) for part in axis]
    return [*conic.Location().Coord(), *[0.0] * dimensions, *arms]


def _as_spline(
    curve: Adaptor3d_Curve | BRepAdaptor_Curve2d, dimensions: int
) -> Geom_BSplineCurve | Geom2d_BSplineCurve:
    if curve.GetType() == GeomAbs_CurveType.GeomAbs_BSplineCurve:
        return curve.BSpline().Copy()
    convert = Geom2dConvert if dimensions == 2 else GeomConvert
    return convert.CurveToBSplineCurve_s(curve.Bezier())


def _stacked_curves(
    splines: Sequence[Geom_BSplineCurve | Geom2d_BSplineCurve],
) -> tuple[Callable[[Numbers, Array], tuple[Array, Array]], list[Array]]:
    """Curves of one degree, and their breaks."""
    knots, periods, poles = [], [], []
    for spline in splines:
        first, last = spline.FirstParameter(), spline.LastParameter()
        periods.append(last - first if spline.IsPeriodic() else math.inf)
        if spline.IsPeriodic():
            spline.SetNotPeriodic()
        knots.append(_numbers(spline.KnotSequence()))
        places = np.array([spline.Pole(number).Coord() for number in range(1, spline.NbPoles() + 1)])
        weights = np.ones((len(places), 1))
        if spline.IsRational():
            weights[:, 0] = [spline.Weight(number) for number in range(1, len(places) + 1)]
        poles.append(np.concatenate([places * weights, weights], axis=1))
    bases = _Bases(splines[0].Degree(), knots, periods)
    starts = np.concatenate([[0], np.cumsum([len(part) for part in poles])[:-1]])
    stacked = np.concatenate(poles)

    def at(which: Numbers, parameters: Array) -> tuple[Array, Array]:
        moved, span, first = bases.spans(which, parameters)
        shares, slopes = bases.values(parameters + moved, span)
        near = stacked[(starts[which] + first)[..., None] + np.arange(bases.degree + 1)]
        point = np.einsum("...k,...kc->...c", shares, near)
        tangent = np.einsum("...k,...kc->...c", slopes, near)
        place = point[..., :-1] / point[..., -1:]
        return place, (tangent[..., :-1] - tangent[..., -1:] * place) / point[..., -1:]

    return at, bases.breaks


def _pointwise(
    curve: Adaptor3d_Curve | BRepAdaptor_Curve2d, dimensions: int
) -> Callable[[Numbers, Array], tuple[Array, Array]]:
    point, tangent = (gp_Pnt2d(), gp_Vec2d()) if dimensions == 2 else (gp_Pnt(), gp_Vec())

    def at(_: Numbers, parameters: Array) -> tuple[Array, Array]:
        there = []
        for parameter in parameters.ravel().tolist():
            curve.D1(parameter, point, tangent)
            there.append((point.Coord(), tangent.Coord()))
        both = np.array(there).reshape(*parameters.shape, 2, dimensions)
        return both[..., 0, :], both[..., 1, :]

    return at


def _intervals(count: int, fill: Callable[[Array1_double], None]) -> Array:
    ends = Array1_double(1, count + 1)
    fill(ends)
    return _numbers(ends)


def _numbers(values: Array1_double) -> Array:
    """Without the array's own iterator, which takes a millisecond to set up."""
    return np.array([values.Value(index) for index in range(values.Lower(), values.Upper() + 1)])


@dataclass(frozen=True, slots=True)
class Borders:
    """Edges in the parameters of their faces."""

    at: Callable[[Numbers, Array], tuple[Array, Array]]
    """Which (…), and parameters (…) -> places (…, 2) and their derivatives."""
    breaks: list[Array]
    """Parameters of each from the first to the last between which it is smooth, and not long."""
    are_simple: list[bool]
    """Whether each is a line, a circle or an ellipse."""


def borders_of(sides: Sequence[tuple[TopoDS_Edge, TopoDS_Face]]) -> Borders:
    """The curves of edges in faces that are not reversed; of a seam the side is the edge's orientation."""
    adaptors = [BRepAdaptor_Curve2d(edge, face) for edge, face in sides]
    curves = _Curves(adaptors, 2)
    breaks, simple = [], []
    for adaptor, inner in zip(adaptors, curves.breaks, strict=True):
        first, last, kind = adaptor.FirstParameter(), adaptor.LastParameter(), adaptor.GetType()
        simple.append(kind == _LINE or kind in _CONICS)
        if kind in _CONICS:
            # no piece longer than a quarter
            count = math.ceil((last - first) / _RIGHT_ANGLE - _STEP)
            breaks.append(np.linspace(first, last, count + 1))
        else:
            spare = _STEP * (last - first)
            within = inner[(inner > first + spare) & (inner < last - spare)]
            breaks.append(np.concatenate([[first], within, [last]]))
    return Borders(curves.at, breaks, simple)


# --- revolutions, extrusions, and the rest ---------------------------------------------------------


def _extrusions(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    curves = _Curves([surface.BasisCurve() for surface in surfaces], 3)
    directions = np.array([surface.Direction().Coord() for surface in surfaces])

    def rows(u: Array, v: Array, which: Numbers) -> tuple[Array, Array, Array]:
        point, tangent = curves.at(np.broadcast_to(which[:, None], u.shape), u)
        direction = directions[which, None]
        points = point + v[..., None] * direction
        return points, np.broadcast_to(tangent, points.shape), np.broadcast_to(direction, points.shape)

    # the integrand is a parabola along the direction
    return Patches(rows, (curves.breaks, 0.0), (None, 2), _periods(surfaces))


def _revolutions(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    curves = _Curves([surface.BasisCurve() for surface in surfaces], 3)
    axes = [surface.AxeOfRevolution() for surface in surfaces]
    origins = np.array([axis.Location().Coord() for axis in axes])
    directions = np.array([axis.Direction().Coord() for axis in axes])

    def rows(u: Array, v: Array, which: Numbers) -> tuple[Array, Array, Array]:
        point, tangent = curves.at(np.broadcast_to(which[:, None], v.shape), v)
        origin, z = origins[which, None], directions[which, None]
        cosine, sine = np.cos(u)[..., None], np.sin(u)[..., None]

        def turned(vector: Array) -> Array:
            """Rodrigues' formula."""
            along = np.sum(vector * z, axis=-1, keepdims=True) * z
            return np.asarray(along + cosine * (vector - along) + sine * np.cross(z, vector))

        place = turned(point - origin)
        return origin + place, np.cross(z, place), turned(tangent)

    return Patches(rows, (_RIGHT_ANGLE, curves.breaks), (_ANGLE_NODES, None), _periods(surfaces))


def _periods(surfaces: Sequence[BRepAdaptor_Surface]) -> Array:
    return np.array(
        [
            (
                surface.UPeriod() if surface.IsUPeriodic() else math.inf,
                surface.VPeriod() if surface.IsVPeriodic() else math.inf,
            )
            for surface in surfaces
        ]
    )


def _other(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    (surface,) = surfaces

    def rows(u: Array, v: Array, _: Numbers) -> tuple[Array, Array, Array]:
        columns, lines = np.broadcast_arrays(u, v)
        point, across, along = gp_Pnt(), gp_Vec(), gp_Vec()
        there = np.empty((columns.size, 9))
        for number, (one, other) in enumerate(
            zip(columns.ravel().tolist(), lines.ravel().tolist(), strict=True)
        ):
            surface.D1(one, other, point, across, along)
            there[number] = point.Coord() + across.Coord() + along.Coord()
        parts = there.reshape(*columns.shape, 9)
        return parts[..., :3], parts[..., 3:6], parts[..., 6:]

    smooth = GeomAbs_Shape.GeomAbs_CN
    breaks = (
        [_intervals(surface.NbUIntervals(smooth), lambda into: surface.UIntervals(into, smooth))],
        [_intervals(surface.NbVIntervals(smooth), lambda into: surface.VIntervals(into, smooth))],
    )
    return Patches(rows, breaks, (None, None), _periods(surfaces))


_STACKED: dict[GeomAbs_SurfaceType, Callable[[Sequence[BRepAdaptor_Surface]], Patches]] = {
    GeomAbs_SurfaceType.GeomAbs_Plane: _planes,
    GeomAbs_SurfaceType.GeomAbs_Cylinder: _cylinders,
    GeomAbs_SurfaceType.GeomAbs_Cone: _cones,
    GeomAbs_SurfaceType.GeomAbs_Sphere: _spheres,
    GeomAbs_SurfaceType.GeomAbs_Torus: _tori,
    GeomAbs_SurfaceType.GeomAbs_BSplineSurface: _bspline_surfaces,
    GeomAbs_SurfaceType.GeomAbs_SurfaceOfExtrusion: _extrusions,
    GeomAbs_SurfaceType.GeomAbs_SurfaceOfRevolution: _revolutions,
}
"""What is evaluated together; of B-splines those of the same degrees."""
_ALONE: dict[GeomAbs_SurfaceType, Callable[[Sequence[BRepAdaptor_Surface]], Patches]] = {
    GeomAbs_SurfaceType.GeomAbs_BezierSurface: _bezier_surfaces,
}
