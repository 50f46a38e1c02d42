"""Surfaces as functions of whole arrays of parameters.

OpenCASCADE evaluates one point a call, and a call from Python takes longer than the evaluation. Here
faces are read once and stacked by kind, and all their points come from a few operations on arrays: sums of
sines for elementary surfaces, basis functions for B-splines. Whatever else there is (offsets) is evaluated by
OpenCASCADE, point by point.

Surfaces are asked for rows of points: one parameter is the same along a row, the other runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from OCP.Adaptor3d import Adaptor3d_Surface
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.Geom import Geom_BezierSurface, Geom_BSplineSurface
from OCP.GeomAbs import GeomAbs_Shape, GeomAbs_SurfaceType
from OCP.GeomConvert import GeomConvert
from OCP.gp import gp_Ax3, gp_Pnt, gp_Vec

from vcad_kernel.geometry.occt.measure.parametric.bsplines import EVEN, Array, Bases, Numbers, numbers_of
from vcad_kernel.geometry.occt.measure.parametric.curves import Curves, curve_is_even, intervals

__all__ = ["Patches", "Tangents", "patches_of", "surface_is_even", "tangents_of"]

Tangents: TypeAlias = Callable[[Array], tuple[Array, Array, Array]]
"""Places (n, 2) on surfaces -> points and both tangents, (n, 3) each."""
Rows: TypeAlias = Callable[[Array, Array, Numbers], tuple[Array, Array, Array]]
"""Parameters u and v that broadcast to (n, m), and which of the surfaces each row is on, (n,) -> points
and both tangents, (n, m, 3) each. u or v is (n, 1), and no row of the other crosses a break."""

_RIGHT_ANGLE = math.pi / 2.0
_SPLINES = frozenset({GeomAbs_SurfaceType.GeomAbs_BSplineSurface, GeomAbs_SurfaceType.GeomAbs_BezierSurface})
_OF_CURVES = frozenset(
    {GeomAbs_SurfaceType.GeomAbs_SurfaceOfExtrusion, GeomAbs_SurfaceType.GeomAbs_SurfaceOfRevolution}
)
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
    ruled: tuple[bool, bool] = (False, False)
    """Whether points are linear in u, or in v, between its breaks."""


def patches_of(surfaces: Sequence[BRepAdaptor_Surface]) -> list[tuple[Patches, list[int]]]:
    """The surfaces in groups, and which of those given is which member of each."""
    alike: dict[object, list[int]] = {}
    for number, surface in enumerate(surfaces):
        kind = surface.GetType()
        # OpenCASCADE's names equal the numbers that they stand for, so those of surfaces are kept apart
        key: object = (kind,) if kind in _STACKED else ("alone", number)
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
    """One surface alone, for few places: there OpenCASCADE takes a hundredth of the time of arrays."""
    point, across, along = gp_Pnt(), gp_Vec(), gp_Vec()

    def at(spots: Array) -> tuple[Array, Array, Array]:
        there = np.empty((len(spots), 9))
        for number, (u, v) in enumerate(spots.tolist()):
            surface.D1(u, v, point, across, along)
            there[number] = point.Coord() + across.Coord() + along.Coord()
        return there[:, :3], there[:, 3:6], there[:, 6:]

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
    weights = [_weights(spline) for spline in splines]
    bases = (
        Bases(
            splines[0].UDegree(),
            [numbers_of(spline.UKnotSequence()) for spline in splines],
            periods[:, 0].tolist(),
            weights,
        ),
        Bases(
            splines[0].VDegree(),
            [numbers_of(spline.VKnotSequence()) for spline in splines],
            periods[:, 1].tolist(),
            [None if part is None else part.T for part in weights],
        ),
    )
    # homogeneous coordinates, those of v next to each other
    poles = np.concatenate([_poles(*pair) for pair in zip(splines, weights, strict=True)])
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
        shares, steps = bases[1 - fixed].values(along + more[:, None], start[:, None])
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

    ruled = (
        bases[0].degree == 1 and all(_are_even(part, along=0) for part in weights),
        bases[1].degree == 1 and all(_are_even(part, along=1) for part in weights),
    )
    return Patches(rows, (bases[0].breaks, bases[1].breaks), (None, None), periods, ruled)


def surface_is_even(surface: Adaptor3d_Surface) -> bool:
    """Whether a surface, or what it is made of, has no weights that differ by more than `EVEN`."""
    kind = surface.GetType()
    if kind in _OF_CURVES:
        return curve_is_even(surface.BasisCurve())
    if kind == GeomAbs_SurfaceType.GeomAbs_OffsetSurface:
        return surface_is_even(surface.BasisSurface())
    if kind not in _SPLINES or not (surface.IsURational() or surface.IsVRational()):
        return True
    is_bezier = kind == GeomAbs_SurfaceType.GeomAbs_BezierSurface
    weights = _weights(surface.Bezier() if is_bezier else surface.BSpline())
    return weights is None or bool(weights.max() <= EVEN * weights.min())


def _weights(spline: Geom_BezierSurface | Geom_BSplineSurface) -> Array | None:
    """(u poles, v poles); None where they are all the same."""
    if not (spline.IsURational() or spline.IsVRational()):
        return None
    across, along = range(1, spline.NbUPoles() + 1), range(1, spline.NbVPoles() + 1)
    return np.array([[spline.Weight(i, j) for j in along] for i in across])


def _are_even(weights: Array | None, *, along: int) -> bool:
    """Whether weights are the same along u (0), or along v (1)."""
    return weights is None or bool(np.ptp(weights, axis=along).max() == 0.0)


def _poles(spline: Geom_BSplineSurface, weights: Array | None) -> Array:
    """(u poles · v poles, 4)."""
    poles = np.ones((spline.NbUPoles(), spline.NbVPoles(), 4))
    across, along = range(1, spline.NbUPoles() + 1), range(1, spline.NbVPoles() + 1)
    poles[..., :3] = [[spline.Pole(i, j).Coord() for j in along] for i in across]
    if weights is not None:
        poles[..., 3] = weights
        poles[..., :3] *= poles[..., 3:]
    return poles.reshape(-1, 4)


# --- revolutions, extrusions, and the rest ---------------------------------------------------------


def _extrusions(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    curves = Curves([surface.BasisCurve() for surface in surfaces], 3)
    directions = np.array([surface.Direction().Coord() for surface in surfaces])

    def rows(u: Array, v: Array, which: Numbers) -> tuple[Array, Array, Array]:
        point, tangent = curves.at(np.broadcast_to(which[:, None], u.shape), u)
        direction = directions[which, None]
        points = point + v[..., None] * direction
        return points, np.broadcast_to(tangent, points.shape), np.broadcast_to(direction, points.shape)

    # the integrand is a parabola along the direction
    return Patches(rows, (curves.breaks, 0.0), (None, 2), _periods(surfaces))


def _revolutions(surfaces: Sequence[BRepAdaptor_Surface]) -> Patches:
    curves = Curves([surface.BasisCurve() for surface in surfaces], 3)
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

    tangents = tangents_of(surface)

    def rows(u: Array, v: Array, _: Numbers) -> tuple[Array, Array, Array]:
        columns, lines = np.broadcast_arrays(u, v)
        there = tangents(np.stack([columns.ravel(), lines.ravel()], axis=1))
        points, across, along = (part.reshape(*columns.shape, 3) for part in there)
        return points, across, along

    smooth = GeomAbs_Shape.GeomAbs_CN
    breaks = (
        [intervals(surface.NbUIntervals(smooth), lambda into: surface.UIntervals(into, smooth))],
        [intervals(surface.NbVIntervals(smooth), lambda into: surface.VIntervals(into, smooth))],
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
