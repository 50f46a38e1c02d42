"""Outlines of a flat face as they shrink: what moves inwards from each of their edges, and where edges end.

Each edge moves square to itself, all at one speed. Where two edges meet, the corner between them runs along
their bisector: of two lines a line, else the places as far from one edge as from the other. At a reflex
corner both edges are prolonged so that they meet in a mitre: lines and arcs as what they are, other curves
straight, unless the corner is hardly one. An edge that becomes so short that its ends meet is gone from there
on, and its neighbours meet each other: the straight skeleton, of curved edges. Source of the idea:
O. Aichholzer et al., A novel type of skeleton for polygons, J.UCS 1 (1995).

Nothing is said where a curved edge comes to its centre of curvature, or where parts of outlines meet that are
no neighbours: there the answer is None. Lengths in millimetres.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CHORDS",
    "Array",
    "Bisector",
    "InsetOutline",
    "MovingEdge",
    "cross",
    "inset",
    "polygon",
    "straight",
]

Array = NDArray[np.float64]

_SMOOTH = 1e-6
"""Radians: edges that turn by no more run on, and the corner between them runs square to both."""
_KINK = 0.2
"""Radians: at a reflex corner that turns by no more every curve is prolonged as what it is. Splines of a
letter turn by a little where they should run on."""
_STATIONS = 33
"""Distances at which a bisector is traced."""
_NEWTON, _ENOUGH = 30, 1e-13
"""Steps of Newton's method, and the length that ends them, as a share of the distance or of the edge."""
_NOTHING = 1e-7
"""Lengths that count as none."""
_ALONG = 13
"""Places along an edge at which it is asked whether it comes to its centre of curvature."""
CHORDS = 24
"""Of each edge, when it is asked whether outlines cross."""


@dataclass(frozen=True, slots=True, eq=False)
class MovingEdge:
    """An edge of an outline in the plane, walked with the inside on its left."""

    curve: Callable[[Array], tuple[Array, Array, Array]]
    """Of parameters (n,), also somewhat beyond the ends: places and two derivatives, (n, 2) each."""
    first: float
    last: float
    breaks: tuple[float, ...] = ()
    """Parameters between the ends at which the curve is twice differentiable and no more."""
    is_line: bool = False
    """Walked by its length."""
    is_arc: bool = False

    @property
    def is_prolongation(self) -> bool:
        """Whether it has no length before it moves: it is what an edge becomes beyond its end."""
        return self.first == self.last

    def prolonged(self, at: float) -> MovingEdge:
        """The tangent at one of its ends."""
        (place,), (slope,), _ = self.curve(np.array([at]))
        return straight(place, slope / np.hypot(*slope), 0.0, 0.0)

    def moved(self, at: Array, by: Array) -> tuple[Array, Array]:
        """Where places are that have moved inwards by so much, and the derivatives there, (n, 2) each."""
        place, slope, _ = self.curve(at)
        inwards = np.column_stack([-slope[:, 1], slope[:, 0]])
        inwards /= np.hypot(slope[:, 0], slope[:, 1])[:, None]
        return place + by[:, None] * inwards, slope * self.room(at, by)[:, None]

    def room(self, at: Array, by: Array) -> Array:
        """Share of the way to the centre of curvature that is left, (n,)."""
        _, slope, bend = self.curve(at)
        bent = slope[:, 0] * bend[:, 1] - slope[:, 1] * bend[:, 0]
        return np.asarray(1.0 - by * bent / np.hypot(slope[:, 0], slope[:, 1]) ** 3)


def straight(start: Array, ahead: Array, first: float, last: float) -> MovingEdge:
    """A line from a place (2,) in a unit direction, between two lengths."""

    def curve(at: Array) -> tuple[Array, Array, Array]:
        return start + at[:, None] * ahead, np.broadcast_to(ahead, (len(at), 2)), np.zeros((len(at), 2))

    return MovingEdge(curve, first, last, is_line=True)


@dataclass(slots=True, eq=False)
class Bisector:
    """The way of the corner between two edges, from one distance to another."""

    edges: tuple[MovingEdge, MovingEdge]
    before: int
    after: int
    """Numbers of the edges; the corner is at the end of the one before."""
    start: float
    corner: int
    """Where it starts: corners of the outline first, in the order of the edges that they end."""
    traced: Array
    """(n, 3): distance, parameter on the edge before, parameter on the edge after."""
    is_smooth: bool
    end: float = 0.0
    end_corner: int = -1
    """The same as where it starts if it has no length."""

    def at(self, distances: Array) -> Array:
        """(n, 2) parameters on both edges, of distances that have been traced; no number where it fails."""
        guess = np.column_stack(
            [np.interp(distances, self.traced[:, 0], self.traced[:, row]) for row in (1, 2)]
        )
        return guess if self.is_smooth else _meeting(self.edges, distances, guess)

    def passed(self) -> Array:
        """(n, 2) parameters on both edges on its way."""
        return self.at(np.linspace(self.start, self.end, _ALONG))

    @property
    def reach(self) -> float:
        """Up to which distance it has been traced."""
        return float(self.traced[-1, 0])


@dataclass(slots=True, eq=False)
class InsetOutline:
    """What has moved, and what is left."""

    edges: Sequence[MovingEdge]
    """With the prolongations between them."""
    bisectors: list[Bisector] = field(default_factory=list)
    """Those with a length."""
    corners: list[tuple[float, Array]] = field(default_factory=list)
    """Distance and place, (2,)."""
    left: list[Bisector] = field(default_factory=list)
    """At the last distance, in order: each ends one edge that is left and begins the next."""

    def ends_of(self, number: int) -> tuple[list[Bisector], list[Bisector]]:
        """The bisectors with a length at the beginning of an edge and at its end, by rising distance."""
        begin = sorted((each for each in self.bisectors if each.after == number), key=lambda each: each.start)
        end = sorted((each for each in self.bisectors if each.before == number), key=lambda each: each.start)
        return begin, end


def inset(outlines: Sequence[Sequence[MovingEdge | None]], distance: float) -> list[InsetOutline] | None:
    """Outlines of one face moved inwards by a distance; None where that is not as simple as said above."""
    result = []
    for edges in outlines:
        known = [edge for edge in edges if edge is not None]
        shrunk = _Shrinking(known, distance).done() if len(known) == len(edges) else None
        if shrunk is None:
            return None
        result.append(shrunk)
    return result


def _meeting(edges: tuple[MovingEdge, MovingEdge], distances: Array, guess: Array) -> Array:
    """The parameters (n, 2) at which both edges meet after having moved, by Newton's method."""
    found = guess.copy()
    left = np.arange(len(found))
    for _ in range(_NEWTON):
        here, way = edges[0].moved(found[left, 0], distances[left])
        there, other_way = edges[1].moved(found[left, 1], distances[left])
        gap = there - here
        turn = way[:, 0] * other_way[:, 1] - way[:, 1] * other_way[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.column_stack(
                [
                    (gap[:, 0] * other_way[:, 1] - gap[:, 1] * other_way[:, 0]) / turn,
                    (gap[:, 0] * way[:, 1] - gap[:, 1] * way[:, 0]) / turn,
                ]
            )
        found[left] += step
        far = np.abs(step) > _ENOUGH * np.maximum(1.0, np.abs(found[left]))
        left = left[far.any(axis=1) & np.isfinite(step).all(axis=1)]
        if not len(left):
            break
    here, way = edges[0].moved(found[:, 0], distances)
    there, _ = edges[1].moved(found[:, 1], distances)
    with np.errstate(invalid="ignore"):
        missed = ~(np.abs(there - here).max(axis=1) <= 1e-9 + 1e-9 * np.abs(here).max(axis=1))
    found[missed] = np.nan
    return found


def _turn(edge: MovingEdge, other: MovingEdge, end: float, start: float) -> float:
    """By which angle an outline turns left from one edge to the next, radians."""
    way, other_way = (each.curve(np.array([at]))[1][0] for each, at in ((edge, end), (other, start)))
    return float(np.arctan2(way[0] * other_way[1] - way[1] * other_way[0], way @ other_way))


def _with_prolongations(edges: Sequence[MovingEdge]) -> list[MovingEdge]:
    """The first edge stays the first."""
    result = []
    for edge, after in zip(edges, (*edges[1:], edges[0]), strict=True):
        result.append(edge)
        if _turn(edge, after, edge.last, after.first) < -_KINK:
            if not edge.is_line and not edge.is_arc:
                result.append(edge.prolonged(edge.last))
            if not after.is_line and not after.is_arc:
                result.append(after.prolonged(after.first))
    return result


class _Shrinking:
    """One outline on its way."""

    def __init__(self, edges: Sequence[MovingEdge], distance: float) -> None:
        self._edges = _with_prolongations(edges)
        self._distance = distance
        self._result = InsetOutline(self._edges)
        self._stations = np.linspace(0.0, distance, _STATIONS)

    def done(self) -> InsetOutline | None:
        """None where it is not simple."""
        count = len(self._edges)
        there = []
        for number, edge in enumerate(self._edges):
            if not edge.is_prolongation:
                self._result.corners.append((0.0, edge.curve(np.array([edge.last]))[0][0]))
            after = (number + 1) % count
            ends = (edge.last, self._edges[after].first)
            there.append(self._traced(number, after, 0.0, ends, len(self._result.corners) - 1))
        now = 0.0
        while True:
            gone = self._next_gone(there, now)
            if gone is None:
                break
            now, which = gone
            if len(there) < 3:
                return None
            joined = self._joined(there, which, now)
            if joined is None:
                return None
            there = joined
        if any(each.reach < self._distance for each in there):
            return None
        for each in there:
            self._finish(each, self._distance, None)
        self._result.left = there
        return self._result if self._is_regular() else None

    def _traced(
        self, before: int, after: int, start: float, ends: tuple[float, float], corner: int
    ) -> Bisector:
        edges = self._edges[before], self._edges[after]
        turn = _turn(*edges, *ends)
        stations = np.concatenate([[start], self._stations[self._stations > start]])
        if start == 0.0 and abs(turn) <= _SMOOTH:
            straight_on = np.column_stack([stations, np.full((len(stations), 2), ends)])
            return Bisector(edges, before, after, start, corner, straight_on, True)
        if edges[0].is_line and edges[1].is_line:
            # one step of Newton's method leads there, from wherever it begins
            at = _meeting(edges, stations, np.full((len(stations), 2), ends))
            at[0] = ends
            met = np.column_stack([stations, at])
            return Bisector(edges, before, after, start, corner, met[np.isfinite(at[:, 0])], False)
        rows = [np.array([start, *ends])]
        for station in stations[1:]:
            guess = rows[-1][1:]
            if len(rows) > 1:
                # prolonged by as much as it went before
                share = (station - rows[-1][0]) / (rows[-1][0] - rows[-2][0])
                guess = guess + share * (rows[-1][1:] - rows[-2][1:])
            found = _meeting(edges, np.array([station]), guess[None])[0]
            if not np.isfinite(found).all():
                break
            rows.append(np.array([station, *found]))
        return Bisector(edges, before, after, start, corner, np.array(rows), False)

    def _next_gone(self, there: Sequence[Bisector], now: float) -> tuple[float, int] | None:
        """The distance at which the next edge has become nothing, and the bisector that ends it."""
        first: tuple[float, int] | None = None
        for which, end in enumerate(there):
            begin = there[which - 1]
            if begin is end:
                continue
            at = self._gone_at(begin, end, now)
            if at is not None and (first is None or at < first[0]):
                first = at, which
        return first

    def _gone_at(self, begin: Bisector, end: Bisector, now: float) -> float | None:
        def length(distances: Array) -> Array:
            return np.asarray(end.at(distances)[:, 0] - begin.at(distances)[:, 1])

        reach = min(begin.reach, end.reach)
        stations = np.concatenate([[now], self._stations[(self._stations > now) & (self._stations <= reach)]])
        lengths = length(stations)
        (slope,) = self._edges[end.before].curve(np.array([end.traced[0, 1]]))[1]
        nothing = _NOTHING / float(np.hypot(*slope))
        gone = np.flatnonzero(lengths <= nothing)
        if now == 0.0:
            # a prolongation begins with nothing
            gone = gone[gone > 0]
        if not len(gone):
            return None
        if gone[0] == 0:
            return now
        low, high = stations[gone[0] - 1], stations[gone[0]]
        for _ in range(60):
            middle = 0.5 * (low + high)
            if length(np.array([middle]))[0] > 0.0:
                low = middle
            else:
                high = middle
            if high - low <= 1e-15 * self._distance:
                break
        return float(high) if self._distance - high > _NOTHING else self._distance

    def _joined(self, there: list[Bisector], which: int, now: float) -> list[Bisector] | None:
        """What is left when an edge has become nothing: its neighbours meet."""
        begin, end = there[which - 1], there[which]
        ends = begin.at(np.array([now]))[0], end.at(np.array([now]))[0]
        if not np.isfinite(ends).all():
            return None
        corner: int | None = None
        for each in (begin, end):
            corner = self._finish(each, now, corner)
        assert corner is not None
        if end.end_corner != begin.end_corner:
            return None
        joined = self._traced(begin.before, end.after, now, (float(ends[0][0]), float(ends[1][1])), corner)
        if which == 0:
            return [joined, *there[1:-1]]
        return [*there[: which - 1], joined, *there[which + 1 :]]

    def _finish(self, bisector: Bisector, now: float, corner: int | None) -> int:
        """Ends a bisector in a corner, a new one if none is given."""
        bisector.end = now
        if now - bisector.start <= _NOTHING:
            bisector.end_corner = bisector.corner
            return bisector.corner
        if corner is None:
            corner = len(self._result.corners)
            at = bisector.at(np.array([now]))[:, 0]
            self._result.corners.append((now, bisector.edges[0].moved(at, np.array([now]))[0][0]))
        bisector.end_corner = corner
        self._result.bisectors.append(bisector)
        return corner

    def _is_regular(self) -> bool:
        """Whether no part of an edge has come to its centre of curvature."""
        shares = np.linspace(0.0, 1.0, _ALONG)
        for number, edge in enumerate(self._edges):
            begin, end = self._result.ends_of(number)
            pairs = ((left, right) for left in begin for right in end)
            for left, right in pairs:
                low, high = max(left.start, right.start), min(left.end, right.end)
                if high <= low:
                    continue
                by = np.linspace(low, high, 5)
                starts, ends = left.at(by)[:, 1], right.at(by)[:, 0]
                at = starts[:, None] + (ends - starts)[:, None] * shares
                room = edge.room(at.ravel(), np.repeat(by, _ALONG))
                if not (room > 0.0).all():
                    return False
        return True


def polygon(outline: InsetOutline, distance: float) -> Array:
    """(n, 2) places along what is left of an outline."""
    places = []
    for begin, end in zip((outline.left[-1], *outline.left[:-1]), outline.left, strict=True):
        low, high = begin.at(np.array([distance]))[0, 1], end.at(np.array([distance]))[0, 0]
        at = np.linspace(low, high, (1 if end.edges[0].is_line else CHORDS) + 1)[:-1]
        places.append(end.edges[0].moved(at, np.full(len(at), distance))[0])
    return np.concatenate(places)


def cross(rings: Sequence[Array]) -> bool:
    """Whether closed polygons (n, 2) cross themselves or each other."""
    boxes = [(ring.min(axis=0), ring.max(axis=0)) for ring in rings]
    for first, ring in enumerate(rings):
        for second in range(first, len(rings)):
            if np.any(boxes[first][0] > boxes[second][1]) or np.any(boxes[second][0] > boxes[first][1]):
                continue
            if _cross(ring, rings[second], first == second):
                return True
    return False


def _cross(ring: Array, other: Array, are_same: bool) -> bool:
    sides = []
    for here, there in ((ring, other), (other, ring)):
        ways = np.roll(here, -1, axis=0) - here
        apart = there[None, :] - here[:, None]
        side = ways[:, None, 0] * apart[..., 1] - ways[:, None, 1] * apart[..., 0]
        sides.append(side * np.roll(side, -1, axis=1) < 0.0)
    crossing = sides[0] & sides[1].T
    if are_same:
        count = np.arange(len(ring))
        for step in (-1, 0, 1):
            crossing[count, np.roll(count, step)] = False
    return bool(crossing.any())
