"""Plane curves of profiles: carried by a linear map, measured, and turned into chords.

A map is a matrix (2, 3): the linear part and an offset. Lengths are millimetres; arcs and lines have
rules of their own in `profile`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tolerance import Tessellation, sagitta
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.sketches import Arc, Curve, Curves, EllipseArc, Line, Spline

__all__ = [
    "Map",
    "backwards",
    "between",
    "bezier_pieces",
    "bulge_area",
    "carried",
    "curve_chords",
    "distances_to_curves",
    "distances_within",
    "ellipse_sweep",
    "extremes",
    "outline_moments",
    "places_and_ways",
    "reversed_chain",
    "spline_points",
    "steepest_bend",
    "stretches",
]

_Curve = TypeVar("_Curve", bound=Curve)

Points = NDArray[np.float64]
Map = NDArray[np.float64]
"""(2, 3) float64."""

_ROUND = 1e-12
"""Relative: half axes that differ less are those of a circle."""
_LEAST_PIECES = 4
"""Chords of each stretch of a spline."""
_MOST_PIECES = 512
_GAUSS = 32
"""Points of each stretch by which areas are integrated: a full half circle to rounding."""


def carried(curve: Curve, change: Map) -> Curve:
    """The image of a curve; a circle becomes an ellipse where the map does not keep it round."""
    linear = change[:, :3][:, :2]
    if isinstance(curve, Spline):
        poles = np.asarray(curve.poles) @ linear.T + change[:, 2]
        return Spline(curve.degree, tuple((u, v) for u, v in poles.tolist()), curve.knots)
    start, end = _image(curve.start, change), _image(curve.end, change)
    if isinstance(curve, Line):
        return Line(start, end)
    center = _image(curve.center, change)
    ccw = curve.ccw is bool(np.linalg.det(linear) > 0.0)
    if isinstance(curve, Arc):
        major, minor = linear[:, 0], linear[:, 1]
        if abs(float(major @ minor)) + abs(float(major @ major - minor @ minor)) <= _ROUND * float(
            major @ major
        ):
            return Arc(start, end, center, ccw)
        radius = math.dist(curve.start, curve.center)
        major, minor = radius * major, radius * minor
    else:
        major, minor = linear @ np.asarray(curve.major), linear @ np.asarray(curve.minor)
    # conjugate half diameters to half axes: the singular value decomposition turns them square
    turned, sizes, _ = np.linalg.svd(np.column_stack([major, minor]))
    first, second = (tuple((turned[:, at] * sizes[at]).tolist()) for at in (0, 1))
    if sizes[0] - sizes[1] <= _ROUND * sizes[0]:
        return Arc(start, end, center, ccw)
    return EllipseArc(start, end, center, first, second, ccw)


def _image(point: Vec2, change: Map) -> Vec2:
    u, v = (change[:, :2] @ np.asarray(point) + change[:, 2]).tolist()
    return (u, v)


def between(curve: Curve, start: Vec2, end: Vec2) -> Curve:
    """The same curve with its ends moved by next to nothing."""
    if isinstance(curve, Spline):
        return Spline(curve.degree, (start, *curve.poles[1:-1], end), curve.knots)
    if isinstance(curve, EllipseArc):
        return EllipseArc(start, end, curve.center, curve.major, curve.minor, curve.ccw)
    return Arc(start, end, curve.center, curve.ccw) if isinstance(curve, Arc) else Line(start, end)


def backwards(curve: Curve) -> Curve:
    """The same curve from its end to its start."""
    if isinstance(curve, Spline):
        knots = tuple(curve.knots[0] + curve.knots[-1] - knot for knot in reversed(curve.knots))
        return Spline(curve.degree, curve.poles[::-1], knots)
    if isinstance(curve, EllipseArc):
        return EllipseArc(curve.end, curve.start, curve.center, curve.major, curve.minor, not curve.ccw)
    if isinstance(curve, Arc):
        return Arc(curve.end, curve.start, curve.center, not curve.ccw)
    return Line(curve.end, curve.start)


def reversed_chain(chain: tuple[_Curve, ...]) -> tuple[_Curve, ...]:
    """A chain the other way round, its last curve first."""
    turned = tuple(backwards(curve) for curve in reversed(chain))
    return cast("tuple[_Curve, ...]", turned)  # each stays of its kind


# ---------------------------------------------------------------- ellipses


def _parameter(curve: EllipseArc, point: Vec2) -> float:
    """Radians, where center + cos t · major + sin t · minor is nearest in direction."""
    u, v = point[0] - curve.center[0], point[1] - curve.center[1]
    (a, b), (c, d) = curve.major, curve.minor
    return math.atan2((u * c + v * d) / (c * c + d * d), (u * a + v * b) / (a * a + b * b))


def ellipse_sweep(curve: EllipseArc) -> tuple[float, float]:
    """The parameter at the start and how far it goes, radians; one that ends where it starts goes round."""
    (a, b), (c, d) = curve.major, curve.minor
    rises = curve.ccw is (a * d - b * c > 0.0)
    first = _parameter(curve, curve.start)
    turn = _parameter(curve, curve.end) - first
    full = 2.0 * math.pi
    return first, (turn % full or full) if rises else -((-turn) % full or full)


def _on_ellipse(curve: EllipseArc, parameters: Points) -> Points:
    cosine, sine = np.cos(parameters)[:, None], np.sin(parameters)[:, None]
    return np.asarray(np.asarray(curve.center) + cosine * np.asarray(curve.major) + sine * curve.minor)


# ---------------------------------------------------------------- splines


def spline_points(spline: Spline, parameters: Points) -> Points:
    """(k, 2): de Boor's algorithm (A Practical Guide to Splines, 1978, chapter X)."""
    degree, knots, poles = spline.degree, np.asarray(spline.knots), np.asarray(spline.poles)
    span = np.clip(np.searchsorted(knots, parameters, "right") - 1, degree, len(poles) - 1)
    points = poles[span[:, None] - degree + np.arange(degree + 1)]
    for level in range(1, degree + 1):
        for at in range(degree, level - 1, -1):
            low = knots[span - degree + at]
            high = knots[span + at - level + 1]
            share = ((parameters - low) / (high - low))[:, None]
            points[:, at] = (1.0 - share) * points[:, at - 1] + share * points[:, at]
    return np.asarray(points[:, degree])


def _derived(spline: Spline) -> Spline:
    """The derivative by the parameter; of degree 0 at least."""
    knots, poles = np.asarray(spline.knots), np.asarray(spline.poles)
    width = knots[spline.degree + 1 : -1] - knots[1 : -spline.degree - 1]
    rises = spline.degree * np.diff(poles, axis=0) / np.where(width > 0.0, width, 1.0)[:, None]
    return Spline(spline.degree - 1, tuple((u, v) for u, v in rises.tolist()), tuple(knots[1:-1].tolist()))


def _spans(spline: Spline) -> Iterator[tuple[float, float]]:
    """The stretches of the parameter on which it is one polynomial."""
    knots = sorted(set(spline.knots))
    yield from itertools.pairwise(knots)


def bezier_pieces(spline: Spline) -> list[Points]:
    """Control points (degree + 1, 2) of each stretch as a Bézier curve, one beginning where the last ends."""
    degree = spline.degree
    share = np.linspace(0.0, 1.0, degree + 1)
    bernstein = np.column_stack(
        [math.comb(degree, at) * share**at * (1.0 - share) ** (degree - at) for at in range(degree + 1)]
    )
    pieces: list[Points] = []
    for low, high in _spans(spline):
        points = spline_points(spline, low + (high - low) * share)
        pieces.append(np.asarray(np.linalg.solve(bernstein, points), np.float64))
    pieces[0][0], pieces[-1][-1] = spline.start, spline.end
    for before, after in itertools.pairwise(pieces):
        after[0] = before[-1]
    return pieces


# ---------------------------------------------------------------- places on the way


def stretches(curve: Curve) -> tuple[float, ...]:
    """The parameters of a curve between which it is smooth, in the sense of `places_and_ways`."""
    if isinstance(curve, Spline):
        return tuple(sorted(set(curve.knots)))
    return (0.0, 1.0)


def places_and_ways(curve: Curve, parameters: Points) -> tuple[Points, Points]:
    """(k, 2) each: points at parameters between those of `stretches`, and the derivatives there."""
    if isinstance(curve, Spline):
        return spline_points(curve, parameters), spline_points(_derived(curve), parameters)
    share = parameters[:, None]
    start = np.asarray(curve.start)
    if isinstance(curve, Line):
        way = np.asarray(curve.end) - start
        return start + share * way, np.tile(way, (len(parameters), 1))
    if isinstance(curve, Arc):
        out = start - curve.center
        across = np.array([-out[1], out[0]]) if curve.ccw else np.array([out[1], -out[0]])
        (a, b), (c, d) = out.tolist(), across.tolist()
        curve = EllipseArc(curve.start, curve.end, curve.center, (a, b), (c, d), curve.ccw)
    first, sweep = ellipse_sweep(curve)
    turn = first + sweep * parameters
    slope = sweep * (
        np.cos(turn)[:, None] * np.asarray(curve.minor) - np.sin(turn)[:, None] * np.asarray(curve.major)
    )
    return _on_ellipse(curve, turn), slope


def steepest_bend(curve: Curve) -> float:
    """A bound of the second derivative by the parameter of `places_and_ways`, within its stretches."""
    if isinstance(curve, Line):
        return 0.0
    if isinstance(curve, Spline):
        if curve.degree == 1:
            return 0.0
        # a spline does not leave the hull of its poles
        return float(np.linalg.norm(np.asarray(_derived(_derived(curve)).poles), axis=1).max())
    _, major, minor, _, sweep = _angular(curve)
    return sweep**2 * max(float(np.linalg.norm(major)), float(np.linalg.norm(minor)))


# ---------------------------------------------------------------- chords, areas, reach


def curve_chords(
    curve: EllipseArc | Spline, tessellation: Tessellation, scale: float, finer: int
) -> tuple[Points, float]:
    """(k, 2): its start and inner points, and how far the chords are from it, millimetres.

    scale: how much later transforms enlarge it. finer: by how much chords are shorter than asked.
    """
    if isinstance(curve, EllipseArc):
        first, sweep = ellipse_sweep(curve)
        reach = max(math.hypot(*curve.major), math.hypot(*curve.minor))
        sides = tessellation.sides(reach, scale=scale) * finer
        # equal steps of the parameter miss the ellipse by no more than a circle of its longer half axis
        count = max(math.ceil(abs(sweep) / (2.0 * math.pi) * sides - 1e-9), 1)
        points = _on_ellipse(curve, first + sweep * np.arange(count) / count)
        points[0] = curve.start
        return points, sagitta(reach, sides)
    if curve.degree == 1:
        return np.asarray(curve.poles[:-1]), 0.0
    bend = steepest_bend(curve)
    chord = tessellation.chord / scale
    pieces: list[Points] = []
    deviation = 0.0
    for low, high in _spans(curve):
        # a chord over h misses the curve by h² / 8 of its second derivative at most
        sag = (high - low) ** 2 * bend / 8.0
        wanted = math.sqrt(sag / chord) if tessellation.segments is None else tessellation.segments / 8
        count = min(max(math.ceil(wanted), _LEAST_PIECES), _MOST_PIECES) * finer
        deviation = max(deviation, sag / count**2)
        pieces.append(spline_points(curve, low + (high - low) * np.arange(count) / count))
    pieces[0][0] = curve.start
    return np.vstack(pieces), deviation


def bulge_area(curve: EllipseArc | Spline) -> float:
    """Signed area between the chord from end to start and the curve, mm²."""
    if isinstance(curve, EllipseArc):
        _, sweep = ellipse_sweep(curve)
        (a, b), (c, d) = curve.major, curve.minor
        return 0.5 * (a * d - b * c) * (sweep - math.sin(sweep))
    nodes, weights = np.polynomial.legendre.leggauss(curve.degree + 1)
    slope = _derived(curve)
    start = np.asarray(curve.start)
    area = 0.0
    for low, high in _spans(curve):
        at = 0.5 * (low + high) + 0.5 * (high - low) * nodes
        from_start, way = spline_points(curve, at) - start, spline_points(slope, at)
        turn = from_start[:, 0] * way[:, 1] - from_start[:, 1] * way[:, 0]
        area += 0.25 * (high - low) * float(weights @ turn)
    return area


def extremes(curve: EllipseArc | Spline, direction: Vec2) -> list[float]:
    """Values of (u, v)·direction among which are the smallest and the largest on the curve."""
    way = np.asarray(direction)
    if isinstance(curve, EllipseArc):
        first, sweep = ellipse_sweep(curve)
        furthest = math.atan2(float(way @ curve.minor), float(way @ curve.major))
        # how far along the sweep each of the two furthest points lies
        ahead = [
            (turn - first) % (2.0 * math.pi) if sweep > 0.0 else (first - turn) % (2.0 * math.pi)
            for turn in (furthest, furthest + math.pi)
        ]
        inner = [math.copysign(step, sweep) for step in ahead if step <= abs(sweep)]
        at = first + np.array([0.0, *inner, sweep])
        return [float(value) for value in _on_ellipse(curve, at) @ way]
    at_ends = [float(way @ np.asarray(curve.start)), float(way @ np.asarray(curve.end))]
    return at_ends + [value for span in _spans(curve) for value in _turning(curve, span, way)]


def _turning(curve: Spline, span: tuple[float, float], way: Points) -> list[float]:
    """The values at the ends of a stretch and where the curve turns back along a direction."""
    low, high = span
    at = np.linspace(-1.0, 1.0, curve.degree + 1)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    values = spline_points(curve, middle + half * at) @ way
    polynomial = np.polynomial.Polynomial.fit(at, values, curve.degree, domain=(-1.0, 1.0))
    roots = polynomial.deriv().roots()
    real = roots[np.abs(np.imag(roots)) <= 1e-9].real
    inner = real[np.abs(real) <= 1.0]
    return [
        float(value) for value in (*values[[0, -1]], *(spline_points(curve, middle + half * inner) @ way))
    ]


def outline_moments(outline: Curves) -> NDArray[np.float64]:
    """(3,): signed area, and ∫u dA and ∫v dA, of what a closed chain runs round; mm², mm³.

    Green's theorem, by Gauss–Legendre on each stretch: exact for lines and splines, to rounding for arcs.
    """
    nodes, weights = np.polynomial.legendre.leggauss(_GAUSS)
    share = 0.5 * (nodes + 1.0)
    total = np.zeros(3)
    for points, ways in (stretch for curve in outline for stretch in _stretches(curve, share)):
        (u, v), (du, dv) = points.T, ways.T
        total += 0.25 * np.array(
            [weights @ (u * dv - v * du), weights @ (u * u * dv), -(weights @ (v * v * du))]
        )
    return total


def _stretches(curve: Curve, share: Points) -> Iterator[tuple[Points, Points]]:
    """Points at shares of each smooth stretch of a curve, and the derivatives by the share."""
    if isinstance(curve, Line):
        start, way = np.asarray(curve.start), np.subtract(curve.end, curve.start)
        yield start + share[:, None] * way, np.broadcast_to(way, (len(share), 2))
    elif isinstance(curve, Spline):
        slope = _derived(curve)
        for low, high in _spans(curve):
            at = low + (high - low) * share
            yield spline_points(curve, at), (high - low) * spline_points(slope, at)
    else:
        center, major, minor, first, sweep = _angular(curve)
        turn = first + sweep * share
        cosine, sine = np.cos(turn)[:, None], np.sin(turn)[:, None]
        yield center + cosine * major + sine * minor, sweep * (cosine * minor - sine * major)


def _angular(curve: Arc | EllipseArc) -> tuple[Points, Points, Points, float, float]:
    """Center, half axes, first parameter and sweep (radians) of an arc."""
    if isinstance(curve, Arc):
        radius = math.dist(curve.start, curve.center)
        curve = EllipseArc(curve.start, curve.end, curve.center, (radius, 0.0), (0.0, radius), curve.ccw)
    return np.asarray(curve.center), np.asarray(curve.major), np.asarray(curve.minor), *ellipse_sweep(curve)


# ---- how far points lie from plane curves ----------------------------------------------------


_PLACES = 128
"""Of each smooth stretch of a curve, from the nearest of which a foot is looked for."""
_HALVINGS = 52


def distances_to_curves(curves: Iterable[Curve], points: Points) -> Points:
    """(k,): of each point (k, 2) to the nearest of the curves, mm."""
    nearest = np.full(len(points), np.inf)
    for curve in curves:
        for low, high in itertools.pairwise(stretches(curve)):
            at = np.linspace(low, high, 2 if isinstance(curve, Line) else _PLACES)
            places, _ = places_and_ways(curve, at)
            best = np.linalg.norm(points[:, None] - places[None], axis=2).argmin(axis=1)
            first, last = at[np.maximum(best - 1, 0)], at[np.minimum(best + 1, len(at) - 1)]
            nearest = np.minimum(nearest, distances_within(curve, points, first, last))
    return nearest


def distances_within(curve: Curve, points: Points, first: Points, last: Points) -> Points:
    """(k,): of each point (k, 2) to a stretch of a curve, short enough that one foot at most lies on it.

    first, last: (k,) its parameters, for each point.
    """
    for _ in range(_HALVINGS):
        middle = 0.5 * (first + last)
        here, way = places_and_ways(curve, middle)
        ahead = np.einsum("ij,ij->i", points - here, way) > 0.0
        first, last = np.where(ahead, middle, first), np.where(ahead, last, middle)
    nearest, _ = places_and_ways(curve, 0.5 * (first + last))
    return np.asarray(np.linalg.norm(points - nearest, axis=1))
