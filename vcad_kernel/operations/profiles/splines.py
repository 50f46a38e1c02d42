"""Splines through points: cubic, with continuous curvature, over the lengths of the chords.

    through([(0.0, 0.0), (5.0, 3.0), (9.0, 0.0)])            # free at its ends
    through(points, start=(1.0, 0.0))                         # with a direction

Lengths are millimetres.
"""

import itertools
import math
from collections.abc import Sequence

from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.sketches import Spline

__all__ = ["bezier", "blossom", "through"]


def bezier(points: Sequence[Vec2]) -> Spline:
    """The Bézier curve of control points, from the first to the last."""
    degree = len(points) - 1
    return Spline(degree, tuple(points), (0.0,) * (degree + 1) + (1.0,) * (degree + 1))


def through(points: Sequence[Vec2], start: Vec2 | None = None, end: Vec2 | None = None) -> Spline:
    """The spline through at least two points, neighbours apart.

    start, end: directions there, whose length does not matter; without one it has no curvature there.
    """
    knots = [0.0, *itertools.accumulate(math.dist(a, b) for a, b in itertools.pairwise(points))]
    axes = [
        _slopes(knots, [point[axis] for point in points], _unit(start, axis), _unit(end, axis))
        for axis in (0, 1)
    ]
    return _spline(knots, points, [(u, v) for u, v in zip(*axes, strict=True)])


def _unit(way: Vec2 | None, axis: int) -> float | None:
    return None if way is None else way[axis] / math.hypot(*way)


def _slopes(
    knots: Sequence[float], values: Sequence[float], start: float | None, end: float | None
) -> list[float]:
    """The slopes at the knots with which pieces of degree 3 agree in their second derivatives."""
    steps = [b - a for a, b in itertools.pairwise(knots)]
    rises = [(b - a) / step for (a, b), step in zip(itertools.pairwise(values), steps, strict=True)]
    # below, on and above the diagonal, and the right side; no curvature at a free end
    rows: list[tuple[float, float, float, float]] = []
    rows.append((0.0, 2.0, 1.0, 3.0 * rises[0]) if start is None else (0.0, 1.0, 0.0, start))
    for at in range(1, len(steps)):
        before, after = steps[at - 1], steps[at]
        rows.append(
            (after, 2.0 * (before + after), before, 3.0 * (after * rises[at - 1] + before * rises[at]))
        )
    rows.append((1.0, 2.0, 0.0, 3.0 * rises[-1]) if end is None else (0.0, 1.0, 0.0, end))
    return _solved(rows)


def _solved(rows: Sequence[tuple[float, float, float, float]]) -> list[float]:
    """Three diagonals: Thomas's algorithm, which these rows, dominated by the middle one, keep stable."""
    above: list[float] = []
    right: list[float] = []
    for below, middle, over, value in rows:
        pivot = middle - (below * above[-1] if above else 0.0)
        above.append(over / pivot)
        right.append((value - (below * right[-1] if right else 0.0)) / pivot)
    result = [right[-1]]
    for over, value in zip(reversed(above[:-1]), reversed(right[:-1]), strict=True):
        result.append(value - over * result[-1])
    return result[::-1]


def _spline(knots: Sequence[float], points: Sequence[Vec2], slopes: Sequence[Vec2]) -> Spline:
    """The pieces as one B-spline of simple knots: its poles are their blossoms (Ramshaw, 1987)."""
    pieces = []
    for at, (low, high) in enumerate(itertools.pairwise(knots)):
        third = (high - low) / 3.0
        (a, b), (c, d) = points[at], points[at + 1]
        (p, q), (r, s) = slopes[at], slopes[at + 1]
        pieces.append(((a, b), (a + third * p, b + third * q), (c - third * r, d - third * s), (c, d)))
    flat = [knots[0]] * 3 + [*knots] + [knots[-1]] * 3
    poles: list[Vec2] = []
    for at in range(len(flat) - 4):
        # any stretch on which the pole counts has it as its blossom
        stretch = min(max(at - 2, 0), len(pieces) - 1)
        low, high = knots[stretch], knots[stretch + 1]
        poles.append(
            blossom(pieces[stretch], [(knot - low) / (high - low) for knot in flat[at + 1 : at + 4]])
        )
    poles[0], poles[-1] = points[0], points[-1]
    return Spline(3, tuple(poles), tuple(flat))


def blossom(controls: Sequence[Vec2], shares: Sequence[float]) -> Vec2:
    """The symmetric function of as many parameters as a Bézier curve's degree, whose values are poles: of the
    piece from a to b, those of a, … and then b, …"""
    row = [*controls]
    for share in shares:
        row = [
            ((1.0 - share) * a + share * c, (1.0 - share) * b + share * d)
            for (a, b), (c, d) in itertools.pairwise(row)
        ]
    return row[0]
