"""Whether chains of plane curves touch, and whether a point lies within one: of the curves, not of polygons.

A piece of a curve lies within a known width of its chord. Pairs of pieces that may touch by that are halved
until their chords are further apart than they are wide, or do touch: so it takes as many steps as a place is
narrow, and polygons of any fixed number of sides would refuse walls that are there, or miss overlaps.
Lengths are millimetres.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.sweeps.profiles.curves import (
    distances_within,
    places_and_ways,
    steepest_bend,
    stretches,
)
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.numbers import LINEAR
from vcad_kernel.operations.profiles.sketches import Curves, Line

__all__ = ["box_of", "encloses", "meeting_place", "self_meeting_place"]

Points = NDArray[np.float64]

_FIRST_PIECES = 8
"""Of each smooth stretch of a curve, before any is halved."""
_ROWS_AT_ONCE = 2_000_000
"""Pairs of boxes compared together; bounds the memory of long chains."""
_SHOWN = 1e-3
"""Of a place that is reported, how wide the pieces may be that meet there."""
_FEET = 16
"""Pairs of pieces, the nearest, of which true distances are measured in each round."""


class _Pieces(NamedTuple):
    """Pieces of curves: each from one parameter to another."""

    curve: NDArray[np.intp]
    """(n,): which of the curves."""
    low: Points
    high: Points
    """(n,): parameters."""
    start: Points
    end: Points
    """(n, 2): points there."""
    width: Points
    """(n,): how far the piece may be from its chord."""

    def taken(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> _Pieces:
        return _Pieces._make(each[which] for each in self)

    def halved(self, curves: Curves) -> tuple[_Pieces, _Pieces]:
        """Each piece up to its middle, and from there."""
        middle = 0.5 * (self.low + self.high)
        place = np.empty_like(self.start)
        for at in np.unique(self.curve).tolist():
            mine = self.curve == at
            place[mine] = places_and_ways(curves[at], middle[mine])[0]
        width = 0.25 * self.width
        return (
            self._replace(high=middle, end=place, width=width),
            self._replace(low=middle, start=place, width=width),
        )

    def boxes(self) -> tuple[Points, Points]:
        """(n, 2) each: corners of boxes that hold the pieces, and what is within LINEAR of them."""
        about = (self.width + LINEAR)[:, None]
        return np.minimum(self.start, self.end) - about, np.maximum(self.start, self.end) + about


def _joined(parts: Iterable[_Pieces]) -> _Pieces:
    return _Pieces._make(np.concatenate(column) for column in zip(*parts, strict=True))


def _pieces(curves: Curves) -> _Pieces:
    """All curves, in pieces of equal steps of the parameter."""
    parts: list[_Pieces] = []
    for at, curve in enumerate(curves):
        count = 1 if isinstance(curve, Line) else _FIRST_PIECES
        bend = steepest_bend(curve)
        for low, high in itertools.pairwise(stretches(curve)):
            stops = np.linspace(low, high, count + 1)
            places, _ = places_and_ways(curve, stops)
            # a chord over h misses the curve by h² / 8 of its second derivative at most
            width = np.full(count, ((high - low) / count) ** 2 * bend / 8.0)
            which = np.full(count, at, np.intp)
            parts.append(_Pieces(which, stops[:-1], stops[1:], places[:-1], places[1:], width))
    return _joined(parts)


def meeting_place(first: Curves, second: Curves) -> Vec2 | None:
    """A point at which two chains touch, cross or overlap, or come within LINEAR; None where
    they do not."""
    pieces, other = _pieces(first), _pieces(second)
    mine, theirs = _candidates(pieces, other)
    return _met(first, pieces.taken(mine), second, other.taken(theirs))


def self_meeting_place(chain: Curves) -> Vec2 | None:
    """A point at which a closed chain meets itself, but for its joints; None where it does not.

    A piece and the one after it are taken to meet in their joint alone.
    """
    pieces = _pieces(chain)
    mine, theirs = _candidates(pieces, pieces)
    apart = (theirs - mine) % len(pieces.low)
    beyond = (mine < theirs) & (apart > 1) & (apart < len(pieces.low) - 1)
    return _met(chain, pieces.taken(mine[beyond]), chain, pieces.taken(theirs[beyond]))


def _met(first: Curves, pieces: _Pieces, second: Curves, other: _Pieces) -> Vec2 | None:
    """Where pieces of two chains meet, pair by pair."""
    while len(pieces.low):
        gap = _gaps(pieces, other)
        near = gap <= pieces.width + other.width + LINEAR
        pieces, other, gap = pieces.taken(near), other.taken(near), gap[near]
        if not len(gap):
            return None
        meeting = _crossing(pieces, other) | (pieces.width + other.width <= 0.5 * LINEAR)
        if not meeting.any():
            meeting = _touching(pieces, second, other, gap)
        if meeting.any():  # from here on that one pair is halved, to say where
            at = np.flatnonzero(meeting)[:1]
            pieces, other = pieces.taken(at), other.taken(at)
            if (pieces.width + other.width)[0] <= _SHOWN:
                u, v = np.mean((pieces.start, pieces.end, other.start, other.end), axis=(0, 1)).tolist()
                return (u, v)
        wider = pieces.width >= other.width
        halves = pieces.taken(wider).halved(first)
        others = other.taken(~wider).halved(second)
        kept, kept_other = pieces.taken(~wider), other.taken(wider)
        pieces = _joined((*halves, kept, kept))
        other = _joined((kept_other, kept_other, *others))
    return None


def _candidates(pieces: _Pieces, other: _Pieces) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs of pieces whose boxes overlap, by their numbers."""
    (lows, highs), (other_lows, other_highs) = pieces.boxes(), other.boxes()
    low, high = (
        np.maximum(lows.min(axis=0), other_lows.min(axis=0)),
        np.minimum(highs.max(0), other_highs.max(0)),
    )
    mine = np.flatnonzero(np.all((lows <= high) & (highs >= low), axis=1))
    theirs = np.flatnonzero(np.all((other_lows <= high) & (other_highs >= low), axis=1))
    rows = max(_ROWS_AT_ONCE // max(len(theirs), 1), 1)
    pairs: list[NDArray[np.intp]] = [np.empty((0, 2), np.intp)]
    for begin in range(0, len(mine), rows):
        some = mine[begin : begin + rows]
        overlap = np.all(
            (lows[some, None] <= other_highs[theirs]) & (highs[some, None] >= other_lows[theirs]), axis=2
        )
        here, there = np.nonzero(overlap)
        pairs.append(np.column_stack([some[here], theirs[there]]))
    chosen = np.concatenate(pairs)
    return chosen[:, 0], chosen[:, 1]


def _gaps(pieces: _Pieces, other: _Pieces) -> Points:
    """(n,): distances between chords; of those that cross, 0."""
    ends = np.minimum(
        np.minimum(_to_chord(pieces.start, other), _to_chord(pieces.end, other)),
        np.minimum(_to_chord(other.start, pieces), _to_chord(other.end, pieces)),
    )
    across = (_side(pieces, other.start) * _side(pieces, other.end) < 0.0) & (
        _side(other, pieces.start) * _side(other, pieces.end) < 0.0
    )
    return np.where(across, 0.0, ends)


def _to_chord(point: Points, pieces: _Pieces) -> Points:
    """(n,): of each point (n, 2) to the chord of its piece."""
    along = pieces.end - pieces.start
    square = np.maximum(np.sum(along * along, axis=1), np.finfo(np.float64).tiny)
    share = np.clip(np.sum((point - pieces.start) * along, axis=1) / square, 0.0, 1.0)
    return np.asarray(np.linalg.norm(point - pieces.start - share[:, None] * along, axis=1))


def _side(pieces: _Pieces, point: Points) -> Points:
    """(n,): how far points (n, 2) lie to the left of the lines through chords."""
    along, out = pieces.end - pieces.start, point - pieces.start
    size = np.maximum(np.linalg.norm(along, axis=1), np.finfo(np.float64).tiny)
    return np.asarray((along[:, 0] * out[:, 1] - along[:, 1] * out[:, 0]) / size)


def _crossing(left: _Pieces, right: _Pieces) -> NDArray[np.bool_]:
    """Which pairs cross for certain: the ends of each lie beyond all of the other, one on either side."""
    reach = left.width + right.width

    def parted(pieces: _Pieces, by: _Pieces) -> NDArray[np.bool_]:
        before, after = _side(by, pieces.start), _side(by, pieces.end)
        return (np.minimum(np.abs(before), np.abs(after)) > reach) & (before * after < 0.0)

    return np.asarray(parted(left, right) & parted(right, left))


def _touching(pieces: _Pieces, second: Curves, other: _Pieces, gap: Points) -> NDArray[np.bool_]:
    """Of the nearest pairs, those in which the first piece begins on the other one: curves that overlap would
    be halved down to LINEAR, all along them."""
    touching = np.zeros(len(gap), np.bool_)
    for at in np.argsort(gap)[:_FEET].tolist():
        low, high = other.low[at : at + 1], other.high[at : at + 1]
        distance = distances_within(second[int(other.curve[at])], pieces.start[at : at + 1], low, high)
        touching[at] = distance[0] <= LINEAR
    return touching


def box_of(chain: Curves) -> tuple[Points, Points]:
    """Corners (2,) of a box that holds a chain: not the smallest."""
    lows, highs = _pieces(chain).boxes()
    return lows.min(axis=0), highs.max(axis=0)


def encloses(chain: Curves, point: Vec2) -> bool:
    """Whether a closed chain that does not meet itself runs round a point that does not lie on it."""
    pieces = _pieces(chain)
    target = np.asarray(point)
    while True:
        gap = _to_chord(np.broadcast_to(target, pieces.start.shape), pieces)
        close = (gap <= pieces.width) & (pieces.width > 0.5 * LINEAR)
        if not close.any():
            break
        first, after = pieces.taken(close).halved(chain)
        pieces = _joined((pieces.taken(~close), first, after))
    above, then_above = pieces.start[:, 1] > target[1], pieces.end[:, 1] > target[1]
    crossed = above != then_above
    (x0, y0), (x1, y1) = pieces.start[crossed].T, pieces.end[crossed].T
    return bool(np.sum(x0 + (x1 - x0) * (target[1] - y0) / (y1 - y0) > target[0]) % 2)
