"""The convex hull of outlines: stretches of their own curves, and lines that touch them.

Where the border leaves a curve is guessed from points on it and then solved for, so that lines are tangents
to rounding. What is hollow by less than the points lie apart is not seen.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.sweeps.profiles.crossing import holds
from vcad_kernel.geometry.sweeps.profiles.curves import (
    between,
    bezier_pieces,
    outline_moments,
    places_and_ways,
    reversed_chain,
    stretches,
)
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.numbers import LINEAR
from vcad_kernel.operations.profiles.sketches import Curve, Curves, Line, Outlines, Spline
from vcad_kernel.operations.profiles.splines import blossom

__all__ = ["hull_of_outlines"]

_SAMPLES = 64
"""Of each smooth stretch of a curve."""
_HALVINGS = 60
_ROUNDS = 6
"""In which the ends of a tangent are solved for in turn: each has twice the digits of the one before."""

Points: TypeAlias = NDArray[np.float64]


class _Interval(NamedTuple):
    """A short piece of a curve; sample k is where interval k begins."""

    curve: Curve
    first: float
    last: float
    after: int
    """The interval that follows on the outline."""
    before: int

    def at(self, share: float) -> tuple[Vec2, Vec2]:
        """Point and direction; 0 ≤ share ≤ 1."""
        return _at(self.curve, self.first + (self.last - self.first) * share)


class _Spot(NamedTuple):
    """A place on an outline."""

    interval: int
    share: float
    steps: int
    """How many intervals this one lies after that of the sample it was found from: −1, 0."""
    point: Vec2


def hull_of_outlines(outlines: Outlines) -> Curves:
    """The border of the smallest convex region around outlines, counter-clockwise; empty for none."""
    intervals: list[_Interval] = []
    for outline in _outermost(outlines):
        intervals += _intervals(outline, len(intervals))
    if not intervals:
        return ()
    samples = np.array([interval.at(0.0)[0] for interval in intervals])
    ring = _hull(samples)
    bridges = [at for at, here in enumerate(ring) if ring[(at + 1) % len(ring)] != intervals[here].after]
    if not bridges:
        return tuple(_merged(intervals, ring[0], len(ring), 0.0, 1.0))
    spots = [_touching(intervals, ring[at], ring[(at + 1) % len(ring)]) for at in bridges]
    border: list[Curve] = []
    for at, onward, (departure, arrival), (leaving, _) in zip(
        bridges, [*bridges[1:], bridges[0]], spots, [*spots[1:], spots[0]], strict=True
    ):
        border.append(Line(departure.point, arrival.point))
        count = (onward - at - 1) % len(ring) + leaving.steps - arrival.steps
        if count > 0 or (count == 0 and leaving.share > arrival.share):
            border += _merged(intervals, arrival.interval, count + 1, arrival.share, leaving.share)
    return _closed(border)


def _outermost(outlines: Outlines) -> Iterator[Curves]:
    """Without those that lie within another: one that touches it there would cut its arcs short."""
    polygons = [
        np.array([interval.at(0.0)[0] for interval in _intervals(outline, 0)]) for outline in outlines
    ]
    sizes = [abs(outline_moments(outline)[0]) for outline in outlines]
    for outline, polygon, size in zip(outlines, polygons, sizes, strict=True):
        others = zip(polygons, sizes, strict=True)
        if not any(size < larger and holds(other, polygon) for other, larger in others):
            yield outline


def _intervals(outline: Curves, begun: int) -> list[_Interval]:
    if outline_moments(outline)[0] < 0.0:
        outline = reversed_chain(outline)
    pieces: list[tuple[Curve, float, float]] = []
    for curve in outline:
        count = 1 if isinstance(curve, Line) else _SAMPLES
        for low, high in itertools.pairwise(stretches(curve)):
            stops = np.linspace(low, high, count + 1).tolist()
            pieces += [(curve, a, b) for a, b in itertools.pairwise(stops)]
    total = len(pieces)
    return [
        _Interval(*piece, begun + (at + 1) % total, begun + (at - 1) % total)
        for at, piece in enumerate(pieces)
    ]


def _hull(points: Points) -> list[int]:
    """Which points are corners of their convex hull, counter-clockwise (Andrew's monotone chain)."""
    order = np.lexsort((points[:, 1], points[:, 0])).tolist()
    spots = points.tolist()
    ring: list[int] = []
    for run in (order, order[::-1]):
        chain: list[int] = []
        for index in run:
            while len(chain) > 1 and _cross(spots[chain[-2]], spots[chain[-1]], spots[index]) <= 0.0:
                chain.pop()
            chain.append(index)
        ring += chain[:-1]
    return ring


def _cross(first: Sequence[float], second: Sequence[float], third: Sequence[float]) -> float:
    """Above 0 where the third point lies left of the way from the first to the second."""
    (a, b), (c, d) = (second[0] - first[0], second[1] - first[1]), (third[0] - first[0], third[1] - first[1])
    return a * d - b * c


def _touching(intervals: Sequence[_Interval], leaving: int, reaching: int) -> tuple[_Spot, _Spot]:
    """Where a line of the hull leaves one curve and reaches another, near these samples."""
    departure = _Spot(leaving, 0.0, 0, intervals[leaving].at(0.0)[0])
    arrival = _Spot(reaching, 0.0, 0, intervals[reaching].at(0.0)[0])
    for _ in range(_ROUNDS):
        earlier = departure, arrival
        departure = _turning(intervals, leaving, arrival.point, 1.0)
        arrival = _turning(intervals, reaching, departure.point, -1.0)
        if (departure, arrival) == earlier:
            break
    return departure, arrival


def _turning(intervals: Sequence[_Interval], sample: int, other: Vec2, sense: float) -> _Spot:
    """Where near a sample the tangent runs through another point.

    sense: 1 where the curve is left there, so that the point passes from the left of the tangent to its
    right; −1 where it is reached.
    """

    def aside(interval: int) -> Callable[[float], float]:
        def value(share: float) -> float:
            (u, v), (du, dv) = intervals[interval].at(share)
            return sense * (du * (other[1] - v) - dv * (other[0] - u))

        return value

    before, (corner, _) = intervals[sample].before, intervals[sample].at(0.0)
    for interval, steps in ((before, -1), (sample, 0)):
        value = aside(interval)
        low, high = 0.0, 1.0
        if value(low) <= 0.0:
            if interval == sample:
                break  # a corner: it turned past the point
            continue
        if value(high) > 0.0:
            continue
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if value(middle) > 0.0 else (low, middle)
        share = 0.5 * (low + high)
        point, _ = intervals[interval].at(share)
        # a curve that ends here in a hollow corner has tangents through the point, too
        if sense * _cross(point, other, corner) >= 0.0:
            return _Spot(interval, share, steps, point)
    return _Spot(sample, 0.0, 0, corner)


def _merged(
    intervals: Sequence[_Interval], first: int, count: int, begin: float, end: float
) -> Iterator[Curve]:
    """So many intervals as pieces of their curves: from a share of the first to a share of the last."""
    pieces: list[list[float]] = []
    curves: list[Curve] = []
    here = first
    for at in range(count):
        interval = intervals[here]
        low = interval.first + (interval.last - interval.first) * (begin if at == 0 else 0.0)
        high = interval.first + (interval.last - interval.first) * (end if at == count - 1 else 1.0)
        if curves and curves[-1] is interval.curve and pieces[-1][1] == interval.first:
            pieces[-1][1] = high
        else:
            curves.append(interval.curve)
            pieces.append([low, high])
        here = interval.after
    for curve, (low, high) in zip(curves, pieces, strict=True):
        yield from _part(curve, low, high)


def _part(curve: Curve, low: float, high: float) -> Iterator[Curve]:
    """A curve between two parameters."""
    first, *_, last = stretches(curve)
    if (low, high) == (first, last):
        yield curve
    elif isinstance(curve, Spline):
        yield from _spline_part(curve, low, high)
    elif high > low:
        (start, _), (end, _) = (_at(curve, low), _at(curve, high))
        yield between(curve, start, end)


def _at(curve: Curve, parameter: float) -> tuple[Vec2, Vec2]:
    """Point and direction at a parameter."""
    places, ways = places_and_ways(curve, np.array([parameter]))
    (u, v), (du, dv) = places[0].tolist(), ways[0].tolist()
    return curve.start if parameter == stretches(curve)[0] else (u, v), (du, dv)


def _spline_part(spline: Spline, low: float, high: float) -> Iterator[Curve]:
    for piece, (first, last) in zip(
        bezier_pieces(spline), itertools.pairwise(stretches(spline)), strict=True
    ):
        a, b = ((min(max(at, first), last) - first) / (last - first) for at in (low, high))
        if b <= a:
            continue
        controls = [(u, v) for u, v in piece.tolist()]
        degree = spline.degree
        poles = tuple(blossom(controls, [a] * (degree - at) + [b] * at) for at in range(degree + 1))
        yield Spline(degree, poles, (0.0,) * (degree + 1) + (1.0,) * (degree + 1))


def _closed(border: Sequence[Curve]) -> Curves:
    """Without pieces of no length, each beginning where the one before ends."""
    kept = [curve for curve in border if math.dist(curve.start, curve.end) > LINEAR]
    starts = [curve.start for curve in kept]
    return tuple(
        between(curve, start, end)
        for curve, start, end in zip(kept, starts, [*starts[1:], starts[0]], strict=True)
    )
