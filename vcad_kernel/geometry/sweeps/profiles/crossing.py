"""Whether a closed polyline meets itself anywhere but at its joints, and what lies within it.

Vectorised over candidate pairs that a sort along one axis leaves, so that outlines of thousands
of points take milliseconds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["contains", "crosses_itself", "crossing_of", "holds", "signed_area"]

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
    return len(points) < 3 or _meeting(points, _next(points)) is not None


def crossing_of(points: Points) -> Points:
    """(2,): a place where a closed polygon (n, 2) that crosses itself does so."""
    if len(points) < 3:
        return np.asarray(points[0])
    ends = _next(points)
    meeting = _meeting(points, ends)
    assert meeting is not None
    a, b = meeting
    if b == (a + 1) % len(points):  # it runs back from there
        return np.asarray(ends[a])
    along, other = ends[a] - points[a], ends[b] - points[b]
    across = along[0] * other[1] - along[1] * other[0]
    to = points[b] - points[a]
    if across == 0.0:  # one lies on the other
        if not along.any():  # a point that is there twice
            return np.asarray(points[a])
        shares = np.array([to, ends[b] - points[a]]) @ along / float(along @ along)
        return np.asarray(points[a] + float(np.clip(shares.min(), 0.0, 1.0)) * along)
    return np.asarray(points[a] + (to[0] * other[1] - to[1] * other[0]) / across * along)


def _meeting(points: Points, ends: Points) -> tuple[int, int] | None:
    """Two sides that meet, by number; a side and the next where that runs back over it."""
    count = len(points)
    along = ends - points
    after = _next(along)
    turn = along[:, 0] * after[:, 1] - along[:, 1] * after[:, 0]
    if _is_convex(along, after, turn):
        return None
    back = _folds_back(along, after, turn)
    if len(back):
        return int(back[0]), (int(back[0]) + 1) % count
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
        meeting = _first_met(points, ends, lower, upper, *_pairs(order, reach, begin, end))
        if meeting is not None:
            return meeting
        begin = end
    return None


def _is_convex(along: Points, after: Points, turn: Points) -> bool:
    """Whether sides turn one way at all corners, clearly, and once around in all: then none meets another."""
    size = np.abs(along[:, 0] * after[:, 1]) + np.abs(along[:, 1] * after[:, 0])
    if not ((turn > _CLEAR * size).all() or (turn < -_CLEAR * size).all()):
        return False
    # once around, sides lead upwards in one stretch and downwards in another
    upwards = along[:, 1] > 0.0
    return int(np.count_nonzero(upwards != (after[:, 1] > 0.0))) == 2


def _folds_back(along: Points, after: Points, turn: Points) -> _Indices:
    """The sides over which the next one runs straight back."""
    onward = along[:, 0] * after[:, 0] + along[:, 1] * after[:, 1]
    return np.flatnonzero((onward < 0.0) & (np.abs(turn) <= 1e-12 * np.abs(onward)))


def _pairs(order: _Indices, reach: _Indices, begin: int, end: int) -> tuple[_Indices, _Indices]:
    counts = reach[begin:end]
    first = np.repeat(np.arange(begin, end), counts)
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[first], order[first + 1 + offset]


def _first_met(
    points: Points, ends: Points, lower: Points, upper: Points, a: _Indices, b: _Indices
) -> tuple[int, int] | None:
    count = len(points)
    gap = (a - b) % count
    apart = (gap != 1) & (gap != count - 1)
    near = apart & np.all((lower[a] <= upper[b]) & (lower[b] <= upper[a]), axis=1)
    a, b = a[near], b[near]
    met = np.flatnonzero(_sides_meet(points[a], ends[a], points[b], ends[b])) if len(a) else a
    return (int(a[met[0]]), int(b[met[0]])) if len(met) else None


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
