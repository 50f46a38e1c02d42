"""Bodies with a helical thread, as both kernels build them, and their triangles.

The boundary of a thread about the Z axis is a graph: at each turn and height it has one radius, and that is
linear in both wherever the boundary is smooth. Crests and roots keep it, flanks change it along the axis, and
a lead-in is a cone that lies below the thread, or above it in a hole. So turn and height are a plane on which
the faces are polygons, and no boolean is needed to trim them:

    body = ThreadedBody(0.0, 20.0, 1.25, ridge, ...)
    columns = columns_of(body, turns)      # between neighbouring turns each face is a trapezium
    swept = threaded(body, tessellation, scale)

A thread is right-handed: a corner of its profile rises by the pitch with each turn. Lengths are millimetres,
angles radians. Knows no document and no kernel.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vcad_kernel.geometry.sweeps.swept import Skin, Swept
from vcad_kernel.geometry.tolerance import Tessellation, sagitta
from vcad_kernel.operations.node import Vec2

__all__ = ["Columns", "Cone", "Line", "Piece", "Slant", "ThreadedBody", "columns_of", "events_of", "threaded"]

_SAME = 1e-9
"""Heights (mm) and turns (radians) closer than this are one."""
_ROUNDING = 1e-12
"""Of heights, mm."""


class Cone(NamedTuple):
    """The lead-in at an end of a thread."""

    radius: float
    """At the end."""
    slope: float
    """By how much the radius grows with each millimetre away from the end; negative where it shrinks."""


@dataclass(frozen=True, slots=True)
class ThreadedBody:
    """A body about the Z axis with a thread from one height to another."""

    low: float
    high: float
    pitch: float
    profile: tuple[Vec2, ...]
    """Corners (height, radius) within one pitch, rising, as they stand on +X."""
    hollow: bool
    """What is cut out of a body: lead-ins widen it. Else they narrow it."""
    low_cone: Cone | None = None
    high_cone: Cone | None = None
    below: tuple[Vec2, ...] = ()
    """Corners (radius, height) of what is turned below the thread, from its end on, without the axis."""
    above: tuple[Vec2, ...] = ()
    """The same above the thread."""
    ends: Vec2 = (0.0, 0.0)
    """Heights at which the body meets the axis; the lower one and the upper one."""

    @property
    def radius(self) -> float:
        """The largest of all, mm."""
        radii = [radius for _, radius in self.profile]
        cones = [cone.radius for cone in (self.low_cone, self.high_cone) if cone is not None]
        turned = [radius for radius, _ in (*self.below, *self.above)]
        return max(*radii, *(cones if self.hollow else ()), *turned, 0.0)


class Slant(NamedTuple):
    """Something linear in turn and height: ``start + turn · by_turn + height · by_height``."""

    start: float
    by_turn: float
    by_height: float

    def at(self, turn: float, height: float) -> float:
        """The value at a turn and a height."""
        return self.start + self.by_turn * turn + self.by_height * height


class Line(NamedTuple):
    """A border of a face as a height over the turn."""

    start: float
    rise: float
    """By radian."""

    def at(self, turn: float) -> float:
        """The height at a turn."""
        return self.start + self.rise * turn


class Piece(NamedTuple):
    """A face within a column."""

    face: tuple[int, int]
    """Which side of the profile, and of which turn; or (end, −1) for a cone, the end being −1 or −2."""
    radius: Slant
    lower: Line
    upper: Line


class Columns(NamedTuple):
    """The plane of turn and height between neighbouring turns."""

    turns: tuple[float, ...]
    """Rising, the last a full turn after the first."""
    pieces: tuple[tuple[Piece, ...], ...]
    """For each column its pieces, upwards."""
    heights: tuple[tuple[float, ...], ...]
    """For each turn but the last the heights of all corners there, upwards."""

    def corners(self, turn: int, low: float, high: float) -> range:
        """Which corners of a turn lie from one height to another, both included. turn: its number."""
        heights = self.heights[turn % len(self.heights)]
        return range(bisect_left(heights, low - _SAME), bisect_left(heights, high + _SAME))


LOW, HIGH = (-1, -1), (-2, -1)
"""The faces of the cones."""


def events_of(body: ThreadedBody) -> list[float]:
    """The turns, within [0, 2π), at which a border of a face begins or ends."""
    found: list[float] = []
    for height, radius in body.profile:
        for end, away, cone in ((body.low, 1.0, body.low_cone), (body.high, -1.0, body.high_cone)):
            met = end if cone is None else end + away * (radius - cone.radius) / cone.slope
            found.append((math.tau * (met - height) / body.pitch) % math.tau)
    return _distinct(sorted(found))


def _distinct(rising: Sequence[float], least: float = _SAME) -> list[float]:
    kept = [*rising[:1]]
    for value in rising[1:]:
        if value - kept[-1] > least:
            kept.append(value)
    return kept


def columns_of(body: ThreadedBody, turns: Sequence[float]) -> Columns:
    """The faces between turns that rise by a full turn altogether and hold all events."""
    pieces = tuple(_pieces(body, 0.5 * (first + last)) for first, last in itertools.pairwise(turns))
    heights: list[list[float]] = [[] for _ in turns[:-1]]
    for column, stack in enumerate(pieces):
        for side in (column, column + 1):
            there = heights[side % len(heights)]
            for piece in stack:
                there += (piece.lower.at(turns[side]), piece.upper.at(turns[side]))
    return Columns(tuple(turns), pieces, tuple(tuple(_distinct(sorted(there))) for there in heights))


def _pieces(body: ThreadedBody, turn: float) -> tuple[Piece, ...]:
    """The faces one above the other at a turn at which none begins or ends."""
    rise = body.pitch / math.tau
    corners = (*body.profile, (body.profile[0][0] + body.pitch, body.profile[0][1]))
    first = math.floor((body.low - rise * turn - corners[0][0]) / body.pitch)
    last = math.floor((body.high - rise * turn - corners[0][0]) / body.pitch)
    floor, ceiling = Line(body.low, 0.0), Line(body.high, 0.0)
    stack: list[Piece] = []
    for lap in range(first, last + 1):
        for side, ((z, r), (next_z, next_r)) in enumerate(itertools.pairwise(corners)):
            start = z + lap * body.pitch
            lower, upper = Line(start, rise), Line(next_z + lap * body.pitch, rise)
            # under a lead-in a border may run through an end at this very turn
            if upper.at(turn) <= body.low + _ROUNDING or lower.at(turn) >= body.high - _ROUNDING:
                continue
            slope = (next_r - r) / (next_z - z)
            radius = Slant(r - slope * start, -slope * rise, slope)
            lower = floor if lower.at(turn) <= body.low + _ROUNDING else lower
            upper = ceiling if upper.at(turn) >= body.high - _ROUNDING else upper
            stack.append(Piece((side, lap), radius, lower, upper))
    for face, end, away, cone in (
        (LOW, body.low, 1.0, body.low_cone),
        (HIGH, body.high, -1.0, body.high_cone),
    ):
        if cone is not None:
            slope = away * cone.slope
            slant = Slant(cone.radius - slope * end, 0.0, slope)
            parts = [part for piece in stack for part in _against(piece, face, slant, turn, body.hollow)]
            stack = _merged(parts)
    return tuple(stack)


def _against(piece: Piece, face: tuple[int, int], cone: Slant, turn: float, hollow: bool) -> list[Piece]:
    """What of a piece lies on one side of a cone, the cone itself where it does not."""

    def over(line: Line) -> float:
        height = line.at(turn)
        ahead = piece.radius.at(turn, height) - cone.at(turn, height)
        return -ahead if hollow else ahead

    below, above = over(piece.lower), over(piece.upper)
    as_cone = piece._replace(face=face, radius=cone)
    if min(below, above) >= -_SAME and max(below, above) > _SAME:
        return [as_cone]
    if max(below, above) <= _SAME:
        return [piece]
    # radius + by_turn·t + by_height·z is the same on both
    slope = cone.by_height - piece.radius.by_height
    cross = Line((piece.radius.start - cone.start) / slope, piece.radius.by_turn / slope)
    if below > 0.0:
        return [as_cone._replace(upper=cross), piece._replace(lower=cross)]
    return [piece._replace(upper=cross), as_cone._replace(lower=cross)]


def _merged(stack: Sequence[Piece]) -> list[Piece]:
    """Neighbours of one face as one piece."""
    merged: list[Piece] = []
    for piece in stack:
        if merged and merged[-1].face == piece.face:
            merged[-1] = merged[-1]._replace(upper=piece.upper)
        else:
            merged.append(piece)
    return merged


# ---------------------------------------------------------------- triangles


def threaded(body: ThreadedBody, tessellation: Tessellation, scale: float) -> Swept:
    """The triangles of the body, outward and closed."""
    sides = tessellation.sides(body.radius, scale=scale)
    events = events_of(body)
    turns: list[float] = []
    for first, last in itertools.pairwise((*events, events[0] + math.tau)):
        count = max(1, math.ceil((last - first) * sides / math.tau - 1e-6))
        turns += [first + (last - first) * step / count for step in range(count)]
    columns = columns_of(body, (*turns, turns[0] + math.tau))
    return Swept((_Mesh(body, columns).skin(),), sagitta(body.radius, sides) * scale)


class _Mesh:
    """The triangles while they are put together."""

    def __init__(self, body: ThreadedBody, columns: Columns) -> None:
        self._body = body
        self._columns = columns
        self._count = len(columns.heights)
        offsets = np.cumsum([0, *map(len, columns.heights)]).tolist()
        self._first: list[int] = offsets[:-1]
        self._turn = [
            turn for turn, there in zip(columns.turns, columns.heights, strict=False) for _ in there
        ]
        self._height = [height for there in columns.heights for height in there]
        self._radius = [math.nan] * offsets[-1]
        self._triangles: list[tuple[int, int, int]] = []

    def skin(self) -> Skin:
        columns, body = self._columns, self._body
        for column, stack in enumerate(columns.pieces):
            for piece in stack:
                self._add(column, piece)
        lows = list(self._first)
        highs = [first + len(there) - 1 for first, there in zip(self._first, columns.heights, strict=True)]
        for ring, corners, end in ((lows, body.below, body.ends[0]), (highs, body.above, body.ends[1])):
            is_low = ring is lows
            for corner in (*corners, (0.0, end)):
                after = self._ring(ring, *corner)
                self._join(after, ring) if is_low else self._join(ring, after)
                ring = after
        radius, turn = np.array(self._radius), np.array(self._turn)
        positions = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), np.array(self._height)])
        return Skin(positions, np.array(self._triangles, np.int64))

    def _side(self, turn: int, piece: Piece) -> list[int]:
        """The corners of a piece at one of its sides."""
        at, first = self._columns.turns[turn], self._first[turn % self._count]
        found = [first + i for i in self._columns.corners(turn, piece.lower.at(at), piece.upper.at(at))]
        for corner in found:
            if math.isnan(self._radius[corner]):
                self._radius[corner] = piece.radius.at(at, self._height[corner])
        return found

    def _add(self, column: int, piece: Piece) -> None:
        left, right = self._side(column, piece), self._side(column + 1, piece)
        # from below upwards, on the side that is behind
        i = j = 0
        while i + 1 < len(left) or j + 1 < len(right):
            behind = (i + 1) * (len(right) - 1) <= (j + 1) * (len(left) - 1)
            if i + 1 < len(left) and (behind or j + 1 == len(right)):
                self._triangles.append((left[i], right[j], left[i + 1]))
                i += 1
            else:
                self._triangles.append((left[i], right[j], right[j + 1]))
                j += 1

    def _ring(self, beside: Sequence[int], radius: float, height: float) -> list[int]:
        """A circle of corners; those that are there already are taken from the ring beside it."""
        ring: list[int] = []
        for column, near in enumerate(beside):
            if abs(self._radius[near] - radius) <= _SAME and abs(self._height[near] - height) <= _SAME:
                ring.append(near)
            elif radius == 0.0 and column and ring[0] not in beside:
                ring.append(ring[0])
            else:
                ring.append(len(self._radius))
                self._radius.append(radius)
                self._turn.append(self._columns.turns[column])
                self._height.append(height)
        return ring

    def _join(self, lower: Sequence[int], upper: Sequence[int]) -> None:
        for column in range(self._count):
            after = (column + 1) % self._count
            a, b, c, d = lower[column], lower[after], upper[after], upper[column]
            for triangle in ((a, b, c), (a, c, d)):
                if len(set(triangle)) == 3:
                    self._triangles.append(triangle)
