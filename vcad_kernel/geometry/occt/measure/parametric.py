"""Surfaces and the curves on them as functions of whole arrays of parameters.

OpenCASCADE evaluates one point a call, and a call from Python takes longer than the evaluation. Here a
face or a border is read once, and all its points come from a few operations on arrays: sums of sines
for elementary surfaces, the basis functions of Cox and de Boor for B-splines. Whatever else there is
(offsets, curves on surfaces) is evaluated by OpenCASCADE, point by point.

Surfaces are asked for rows of points: one parameter is the same along a row, the other runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.Adaptor3d import Adaptor3d_Curve
from OCP.BRepAdaptor import BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.collections import Array1_double
from OCP.Geom import Geom_BSplineCurve, Geom_BSplineSurface
from OCP.Geom2d import Geom2d_BSplineCurve
from OCP.GeomAbs import GeomAbs_CurveType, GeomAbs_Shape, GeomAbs_SurfaceType
from OCP.GeomConvert import GeomConvert
from OCP.gp import gp_Ax3, gp_Pnt, gp_Pnt2d, gp_Vec, gp_Vec2d
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face

__all__ = ["Array", "Border", "Numbers", "Patches", "Tangents", "border_of", "patches_of", "tangents_of"]

Array: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.intp]
Tangents: TypeAlias = Callable[[Array], tuple[Array, Array, Array]]
"""Places (n, 2) on a surface -> points and both tangents, (n, 3) each."""
Rows: TypeAlias = Callable[[Array, Array, Numbers], tuple[Array, Array, Array]]
"""Parameters u and v that broadcast to (n, m), and which of the surfaces each row is on, (n,) -> points
and both tangents, (n, m, 3) each. u or v is (n, 1), and no row of the other crosses a break."""

_RIGHT_ANGLE = math.pi / 2.0
_SMOOTH = 1e300
"""A step that nothing is longer than."""
_ANGLE_NODES = 12
"""Over a quarter of a turn; what is integrated are sums of sines up to the sixth, whose error is then
below 1e-15."""


@dataclass(frozen=True, slots=True)
class Patches:
    """Surfaces of one kind, not trimmed."""

    rows: Rows
    breaks: tuple[Array | float, Array | float]
    """Where they are not smooth in u and v; a number = in equal steps from 0 on, for no other reason than
    that the rule of integration wants short intervals."""
    exact: tuple[int | None, int | None]
    """Nodes of Gauss between two breaks that make integrals along u, or v, exact to rounding."""
    periods: tuple[float, float]
    """Infinite where the surface does not come round."""


def patches_of(surfaces: Sequence[BRepAdaptor_Surface]) -> list[tuple[Patches, list[int]]]:
    """The surfaces in groups, and which of those given is which member of each."""
    groups: list[tuple[Patches, list[int]]] = []
    alike: dict[GeomAbs_SurfaceType, list[int]] = {}
    for number, surface in enumerate(surfaces):
        kind = surface.GetType()
        if kind in _ELEMENTARY:
            alike.setdefault(kind, []).append(number)
        else:
            groups.append((_SINGLE.get(kind, _other)(surface), [number]))
    for kind, members in alike.items():
        groups.append((_ELEMENTARY[kind]([surfaces[number] for number in members]), members))
    return groups


def tangents_of(surface: BRepAdaptor_Surface) -> Tangents:
    """One surface alone."""
    ((patches, _),) = patches_of([surface])

    def at(spots: Array) -> tuple[Array, Array, Array]:
        points, across, along = patches.rows(spots[:, :1], spots[:, 1:], np.zeros(len(spots), np.intp))
        return points[:, 0], across[:, 0], along[:, 0]

    return at


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
    return Patches(rows, (_SMOOTH, _SMOOTH), (2, 2), (np.inf, np.inf))


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
    return Patches(rows, (_RIGHT_ANGLE, _SMOOTH), (_ANGLE_NODES, 2), (math.tau, np.inf))


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
    return Patches(rows, (_RIGHT_ANGLE, _SMOOTH), (_ANGLE_NODES, 3), (math.tau, np.inf))


def _spheres(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    spheres = [surface.Sphere() for surface in surfaces]
    axes, radii = [sphere.Position() for sphere in spheres], [sphere.Radius() for sphere in spheres]
    return _round(axes, [0.0] * len(axes), radii, np.inf)


def _tori(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    tori = [surface.Torus() for surface in surfaces]
    major, minor = [torus.MajorRadius() for torus in tori], [torus.MinorRadius() for torus in tori]
    return _round([torus.Position() for torus in tori], major, minor, math.tau)


def _round(axes: Sequence[gp_Ax3], far: Sequence[float], radii: Sequence[float], period: float) -> Patches:
    middle, size = np.array(far), np.array(radii)

    def profile(v: Array, which: Numbers) -> tuple[Array, Array, Array, Array]:
        across, along = size[which, None] * np.cos(v), size[which, None] * np.sin(v)
        return middle[which, None] + across, -along, along, across

    steps, nodes = (_RIGHT_ANGLE, _RIGHT_ANGLE), (_ANGLE_NODES, _ANGLE_NODES)
    return Patches(_turned(axes, profile), steps, nodes, (math.tau, period))


_ELEMENTARY: dict[GeomAbs_SurfaceType, Callable[[Sequence[BRepAdaptor_Surface]], Patches]] = {
    GeomAbs_SurfaceType.GeomAbs_Plane: _planes,
    GeomAbs_SurfaceType.GeomAbs_Cylinder: _cylinders,
    GeomAbs_SurfaceType.GeomAbs_Cone: _cones,
    GeomAbs_SurfaceType.GeomAbs_Sphere: _spheres,
    GeomAbs_SurfaceType.GeomAbs_Torus: _tori,
}


# --- B-splines -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Basis:
    """B-splines of one parameter."""

    degree: int
    knots: Array
    """As often as they count."""
    period: float
    """Infinite where there is none."""

    @property
    def breaks(self) -> Array:
        return np.unique(self.knots[self.degree : len(self.knots) - self.degree])

    def spans(self, middles: Array) -> tuple[Array, Numbers]:
        """By how much parameters are to be moved into the first period, and their knots' numbers."""
        low, high = self.knots[self.degree], self.knots[-self.degree - 1]
        moved = np.zeros_like(middles)
        if math.isfinite(self.period):
            moved = -np.floor((middles - low) / self.period) * self.period
        inner = self.knots[self.degree : len(self.knots) - self.degree]
        number = np.searchsorted(inner, np.clip(middles + moved, low, high), side="right") - 1
        # the last knot closes the span before it
        last = np.searchsorted(inner, high, side="left") - 1
        return moved, np.minimum(number, last) + self.degree

    def values(self, parameters: Array, span: Numbers) -> tuple[Array, Array]:
        """The functions that do not vanish and their derivatives, (…, degree + 1).

        span: number of the knot before, of the same dimensions. Source: Piegl and Tiller, The NURBS
        Book, algorithm A2.2 and equation 2.7.
        """
        degree = self.degree
        values = np.ones((*parameters.shape, degree + 1))
        slopes = np.zeros_like(values)
        left = [parameters - self.knots[span + 1 - step] for step in range(degree + 1)]
        right = [self.knots[span + step] - parameters for step in range(degree + 1)]
        for order in range(1, degree + 1):
            saved = np.zeros(parameters.shape)
            rising = np.zeros(parameters.shape)
            for number in range(order):
                width = right[number + 1] + left[order - number]
                share = values[..., number] / width
                if order == degree:
                    slopes[..., number] = rising - degree * share
                    rising = degree * share
                values[..., number] = saved + right[number + 1] * share
                saved = left[order - number] * share
            values[..., order] = saved
            if order == degree:
                slopes[..., order] = rising
        return values, slopes


def _bspline_surface(spline: Geom_BSplineSurface) -> Patches:
    periods = (
        spline.Bounds()[1] - spline.Bounds()[0] if spline.IsUPeriodic() else math.inf,
        spline.Bounds()[3] - spline.Bounds()[2] if spline.IsVPeriodic() else math.inf,
    )
    if spline.IsUPeriodic():
        spline.SetUNotPeriodic()
    if spline.IsVPeriodic():
        spline.SetVNotPeriodic()
    across = _Basis(spline.UDegree(), np.array(list(spline.UKnotSequence())), periods[0])
    along = _Basis(spline.VDegree(), np.array(list(spline.VKnotSequence())), periods[1])
    # homogeneous coordinates
    poles = np.ones((spline.NbUPoles(), spline.NbVPoles(), 4))
    poles[..., :3] = [
        [spline.Pole(i, j).Coord() for j in range(1, spline.NbVPoles() + 1)]
        for i in range(1, spline.NbUPoles() + 1)
    ]
    rational = spline.IsURational() or spline.IsVRational()
    if rational:
        poles[..., 3] = [
            [spline.Weight(i, j) for j in range(1, spline.NbVPoles() + 1)]
            for i in range(1, spline.NbUPoles() + 1)
        ]
        poles[..., :3] *= poles[..., 3:]

    def rows(u: Array, v: Array, _: Numbers) -> tuple[Array, Array, Array]:
        if u.shape[1] == 1:
            point, across_u, along_v = _tensor_rows(across, along, poles, u[:, 0], v)
        else:
            turned = poles.transpose(1, 0, 2)
            point, along_v, across_u = _tensor_rows(along, across, turned, v[:, 0], u)
        if not rational:
            return point[..., :3], across_u[..., :3], along_v[..., :3]
        weight = point[..., 3:]
        place = point[..., :3] / weight
        return (
            place,
            (across_u[..., :3] - across_u[..., 3:] * place) / weight,
            (along_v[..., :3] - along_v[..., 3:] * place) / weight,
        )

    return Patches(rows, (across.breaks, along.breaks), (None, None), periods)


def _tensor_rows(
    fixed: _Basis, running: _Basis, poles: Array, at: Array, along: Array
) -> tuple[Array, Array, Array]:
    """Homogeneous points and derivatives (n, m, 4) by the fixed and by the running parameter.

    poles: (fixed, running, 4). at: (n,). along: (n, m).
    """
    moved, span = fixed.spans(at)
    weights, slopes = fixed.values(at + moved, span)
    more, start = running.spans(along.mean(axis=1))
    reach = np.broadcast_to(start[:, None], along.shape)
    shares, steps = running.values(along + more[:, None], reach)
    rows = span[:, None] - fixed.degree + np.arange(fixed.degree + 1)
    columns = start[:, None] - running.degree + np.arange(running.degree + 1)
    near = poles[rows[:, :, None], columns[:, None, :]]
    # the fixed parameter first: it leaves one curve for each row
    both = np.einsum("dnk,nkrc->nrdc", np.stack([weights, slopes]), near)
    curve = both.reshape(len(at), running.degree + 1, 8)
    there = shares @ curve
    return there[..., :4], there[..., 4:], steps @ curve[..., :4]


_CONICS = frozenset({GeomAbs_CurveType.GeomAbs_Circle, GeomAbs_CurveType.GeomAbs_Ellipse})
_STEP = 1e-9
"""Part of a border below which a piece of it is none."""

# --- curves ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Curve:
    """A curve in the plane or in space."""

    at: Callable[[Array], tuple[Array, Array]]
    """Parameters (…) -> points and tangents (…, k)."""
    breaks: Array
    """Inner ones and ends, ascending; empty = smooth everywhere."""


def _polynomial(spline: Geom_BSplineCurve | Geom2d_BSplineCurve) -> _Curve:
    first, last = spline.FirstParameter(), spline.LastParameter()
    period = last - first if spline.IsPeriodic() else math.inf
    if spline.IsPeriodic():
        spline.SetNotPeriodic()
    basis = _Basis(spline.Degree(), np.array(list(spline.KnotSequence())), period)
    count = range(1, spline.NbPoles() + 1)
    poles = np.array([spline.Pole(number).Coord() for number in count])
    weights = None
    if spline.IsRational():
        weights = np.array([spline.Weight(number) for number in count])[:, None]
        poles = np.concatenate([poles * weights, weights], axis=1)

    def at(parameters: Array) -> tuple[Array, Array]:
        moved, span = basis.spans(parameters)
        shares, slopes = basis.values(parameters + moved, span)
        near = poles[span[..., None] - basis.degree + np.arange(basis.degree + 1)]
        point = np.einsum("...k,...kc->...c", shares, near)
        tangent = np.einsum("...k,...kc->...c", slopes, near)
        if weights is None:
            return point, tangent
        place = point[..., :-1] / point[..., -1:]
        return place, (tangent[..., :-1] - tangent[..., -1:] * place) / point[..., -1:]

    return _Curve(at, basis.breaks)


def _conic(centre: Array, major: Array, minor: Array) -> _Curve:
    def at(parameters: Array) -> tuple[Array, Array]:
        cosine, sine = np.cos(parameters)[..., None], np.sin(parameters)[..., None]
        return centre + cosine * major + sine * minor, cosine * minor - sine * major

    return _Curve(at, np.empty(0))


def _straight(origin: Array, direction: Array) -> _Curve:
    def at(parameters: Array) -> tuple[Array, Array]:
        points = origin + parameters[..., None] * direction
        return points, np.broadcast_to(direction, points.shape)

    return _Curve(at, np.empty(0))


def _curve_of(curve: Adaptor3d_Curve | BRepAdaptor_Curve2d) -> _Curve:
    """What an adaptor holds, in the plane or in space."""
    kind = curve.GetType()
    if kind == GeomAbs_CurveType.GeomAbs_Line:
        line = curve.Line()
        return _straight(np.array(line.Location().Coord()), np.array(line.Direction().Coord()))
    if kind in _CONICS:
        if kind == GeomAbs_CurveType.GeomAbs_Circle:
            conic = curve.Circle()
            sizes = conic.Radius(), conic.Radius()
        else:
            conic = curve.Ellipse()
            sizes = conic.MajorRadius(), conic.MinorRadius()
        axes = np.array([conic.XAxis().Direction().Coord(), conic.YAxis().Direction().Coord()])
        return _conic(np.array(conic.Location().Coord()), sizes[0] * axes[0], sizes[1] * axes[1])
    if kind == GeomAbs_CurveType.GeomAbs_BSplineCurve:
        return _polynomial(curve.BSpline().Copy())
    return _pointwise(curve)


def _pointwise(curve: Adaptor3d_Curve | BRepAdaptor_Curve2d) -> _Curve:
    flat = isinstance(curve, BRepAdaptor_Curve2d)
    point, tangent = (gp_Pnt2d(), gp_Vec2d()) if flat else (gp_Pnt(), gp_Vec())

    def at(parameters: Array) -> tuple[Array, Array]:
        there = []
        for parameter in parameters.ravel().tolist():
            curve.D1(parameter, point, tangent)
            there.append((point.Coord(), tangent.Coord()))
        both = np.array(there).reshape(*parameters.shape, 2, -1)
        return both[..., 0, :], both[..., 1, :]

    smooth = GeomAbs_Shape.GeomAbs_CN
    breaks = _intervals(curve.NbIntervals(smooth), lambda into: curve.Intervals(into, smooth))
    return _Curve(at, breaks)


def _intervals(count: int, fill: Callable[[Array1_double], None]) -> Array:
    ends = Array1_double(1, count + 1)
    fill(ends)
    return np.array(list(ends))


@dataclass(frozen=True, slots=True)
class Border:
    """The curve of an edge in the parameters of a face."""

    at: Callable[[Array], tuple[Array, Array]]
    """Parameters (n,) -> places (n, 2) and their derivatives."""
    breaks: Array
    """Parameters from the first to the last between which the curve is smooth, and not long."""
    is_simple: bool
    """Whether it is a line, a circle or an ellipse."""


def border_of(edge: TopoDS_Edge, face: TopoDS_Face) -> Border:
    """The curve of an edge in the parameters of a face; of a seam the side is the edge's orientation."""
    adaptor = BRepAdaptor_Curve2d(edge, face)
    first, last = adaptor.FirstParameter(), adaptor.LastParameter()
    curve = _curve_of(adaptor)
    spare = _STEP * (last - first)
    breaks = curve.breaks[(curve.breaks > first + spare) & (curve.breaks < last - spare)]
    kind = adaptor.GetType()
    if kind in _CONICS:
        # no piece longer than a quarter
        breaks = np.linspace(first, last, math.ceil((last - first) / _RIGHT_ANGLE - _STEP) + 1)[1:-1]
    whole = np.concatenate([[first], breaks, [last]])
    return Border(curve.at, whole, kind in _CONICS or kind == GeomAbs_CurveType.GeomAbs_Line)


# --- revolutions, extrusions, and the rest ---------------------------------------------------------


def _extrusion(surface: BRepAdaptor_Surface) -> Patches:
    curve = _curve_of(surface.BasisCurve())
    direction = np.array(surface.Direction().Coord())

    def rows(u: Array, v: Array, _: Numbers) -> tuple[Array, Array, Array]:
        point, tangent = curve.at(u)
        points = point + v[..., None] * direction
        return points, np.broadcast_to(tangent, points.shape), np.broadcast_to(direction, points.shape)

    # the integrand is a parabola along the direction
    return Patches(rows, (curve.breaks, _SMOOTH), (None, 2), (_period(surface)[0], np.inf))


def _revolution(surface: BRepAdaptor_Surface) -> Patches:
    curve = _curve_of(surface.BasisCurve())
    axis = surface.AxeOfRevolution()
    origin, z = np.array(axis.Location().Coord()), np.array(axis.Direction().Coord())

    def rows(u: Array, v: Array, _: Numbers) -> tuple[Array, Array, Array]:
        point, tangent = curve.at(v)
        arm = point - origin
        cosine, sine = np.cos(u)[..., None], np.sin(u)[..., None]

        def turned(vector: Array) -> Array:
            """Rodrigues' formula."""
            along = (vector @ z)[..., None] * z
            return np.asarray(along + cosine * (vector - along) + sine * np.cross(z, vector))

        place = turned(arm)
        return origin + place, np.cross(z, place), turned(tangent)

    return Patches(rows, (_RIGHT_ANGLE, curve.breaks), (_ANGLE_NODES, None), _period(surface))


def _period(surface: BRepAdaptor_Surface) -> tuple[float, float]:
    return (
        surface.UPeriod() if surface.IsUPeriodic() else math.inf,
        surface.VPeriod() if surface.IsVPeriodic() else math.inf,
    )


def _other(surface: BRepAdaptor_Surface) -> Patches:
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
        _intervals(surface.NbUIntervals(smooth), lambda into: surface.UIntervals(into, smooth)),
        _intervals(surface.NbVIntervals(smooth), lambda into: surface.VIntervals(into, smooth)),
    )
    return Patches(rows, breaks, (None, None), _period(surface))


_SINGLE: dict[GeomAbs_SurfaceType, Callable[[BRepAdaptor_Surface], Patches]] = {
    GeomAbs_SurfaceType.GeomAbs_BSplineSurface: lambda surface: _bspline_surface(surface.BSpline().Copy()),
    GeomAbs_SurfaceType.GeomAbs_BezierSurface: lambda surface: _bspline_surface(
        GeomConvert.SurfaceToBSplineSurface_s(surface.Bezier())
    ),
    GeomAbs_SurfaceType.GeomAbs_SurfaceOfExtrusion: _extrusion,
    GeomAbs_SurfaceType.GeomAbs_SurfaceOfRevolution: _revolution,
}
