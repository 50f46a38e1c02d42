"""Whether a closed polyline meets itself anywhere but at its joints, and what lies within it.

Vectorised over candidate pairs that a sort along one axis leaves, so that outlines of thousands
of points take milliseconds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["contains", "crosses_itself", "holds", "signed_area"]

Points = NDArray[np.float64]
_Indices = NDArray[np.intp]

_CLEAR = 1e-9
"""Of the two products whose difference is a turn: how large it must be to be no rounding."""
_PAIRS_AT_ONCE = 1_000_000
"""Candidate pairs looked at together; bounds the memory of long outlines."""


def signed_area(points: Points) -> float:
    """Area of a closed polygon (n, 2), positive when counter-clockwise."""
    centred = points - points[0]
    after = _next(centred)
    return 0.5 * float(np.sum(centred[:, 0] * after[:, 1] - after[:, 0] * centred[:, 1]))


def _next(rows: Points) -> Points:
    """The row after each, after the last the first; numpy's own roll takes ten times as long for few."""
    return np.concatenate((rows[1:], rows[:1]))


def crosses_itself(points: Points) -> bool:
    """Whether two sides of the closed polygon (n, 2) touch, cross or overlap other than as neighbours."""
    count = len(points)
    if count < 3:
        return True
    ends = _next(points)
    along = ends - points
    after = _next(along)
    turn = along[:, 0] * after[:, 1] - along[:, 1] * after[:, 0]
    if _is_convex(along, after, turn):
        return False
    if _folds_back(along, after, turn):
        return True
    lower, upper = np.minimum(points, ends), np.maximum(points, ends)
    # sweep along the axis on which the sides overlap least
    axis = int(np.argmin(np.sum(upper - lower, axis=0) / np.maximum(np.ptp(points, axis=0), 1e-300)))
    order = np.argsort(lower[:, axis], kind="stable")
    # how many of the following sides begin before this one ends
    stops = np.searchsorted(lower[order, axis], upper[order, axis], side="right")
    reach = stops - np.arange(count) - 1
    total = np.cumsum(reach)
    begin = 0
    while begin < count:
        base = total[begin - 1] if begin else 0
        end = int(np.searchsorted(total, base + _PAIRS_AT_ONCE, side="right"))
        end = max(end, begin + 1)
        if _any_meet(points, ends, lower, upper, *_pairs(order, reach, begin, end)):
            return True
        begin = end
    return False


def _is_convex(along: Points, after: Points, turn: Points) -> bool:
    """Whether sides turn one way at all corners, clearly, and once around in all: then none meets another."""
    size = np.abs(along[:, 0] * after[:, 1]) + np.abs(along[:, 1] * after[:, 0])
    if not ((turn > _CLEAR * size).all() or (turn < -_CLEAR * size).all()):
        return False
    # once around, sides lead upwards in one stretch and downwards in another
    upwards = along[:, 1] > 0.0
    return int(np.count_nonzero(upwards != (after[:, 1] > 0.0))) == 2


def _folds_back(along: Points, after: Points, turn: Points) -> bool:
    """Whether a side runs straight back over the one before it."""
    onward = along[:, 0] * after[:, 0] + along[:, 1] * after[:, 1]
    return bool(np.any((onward < 0.0) & (np.abs(turn) <= 1e-12 * np.abs(onward))))


def _pairs(order: _Indices, reach: _Indices, begin: int, end: int) -> tuple[_Indices, _Indices]:
    counts = reach[begin:end]
    first = np.repeat(np.arange(begin, end), counts)
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[first], order[first + 1 + offset]


def _any_meet(points: Points, ends: Points, lower: Points, upper: Points, a: _Indices, b: _Indices) -> bool:
    count = len(points)
    gap = (a - b) % count
    apart = (gap != 1) & (gap != count - 1)
    near = apart & np.all((lower[a] <= upper[b]) & (lower[b] <= upper[a]), axis=1)
    a, b = a[near], b[near]
    if not len(a):
        return False
    return bool(np.any(_sides_meet(points[a], ends[a], points[b], ends[b])))


def _sides_meet(start: Points, end: Points, other: Points, other_end: Points) -> NDArray[np.bool_]:
    """Of two sides: each has its ends on both sides of the other's line, or on it."""
    first = _side(start, end, other) * _side(start, end, other_end)
    second = _side(other, other_end, start) * _side(other, other_end, end)
    return np.asarray((first <= 0.0) & (second <= 0.0))


def contains(polygon: Points, point: Points) -> bool:
    """Whether a point (2,) lies within a closed polygon (n, 2)."""
    after = _next(polygon)
    straddles = (polygon[:, 1] > point[1]) != (after[:, 1] > point[1])
    here, there = polygon[straddles], after[straddles]
    across = here[:, 0] + (there[:, 0] - here[:, 0]) * (point[1] - here[:, 1]) / (there[:, 1] - here[:, 1])
    return bool(np.sum(across > point[0]) % 2)


def holds(polygon: Points, points: Points) -> bool:
    """Whether most of some points (k, 2) lie within a polygon: outlines do not cross, but may touch."""
    probe = points[:: max(len(points) // 9, 1)]
    return 2 * sum(contains(polygon, point) for point in probe) > len(probe)


def _side(start: Points, end: Points, point: Points) -> NDArray[np.float64]:
    """Sign of where points lie from directed lines: +1 left, −1 right, 0 on them."""
    along, to = end - start, point - start
    turn = along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]
    size = np.abs(along[..., 0] * to[..., 1]) + np.abs(along[..., 1] * to[..., 0])
    # rounding of the two products, relative: below it the point is on the line
    return np.asarray(np.where(np.abs(turn) <= 4e-16 * size, 0.0, np.sign(turn)))
