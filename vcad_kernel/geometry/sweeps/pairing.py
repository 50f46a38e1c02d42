"""Sections of a loft with differing numbers of segments, cut so that all have as many (cad.md §3.10).

The first section with the most segments leads. Every other one that has fewer begins where it is nearest to
the leader's first corner, centre over centre, and is cut where the leader has its corners, by share of the
length; where it has a corner itself the leader is cut instead. Cutting changes no shape: a line is cut into
lines, an arc into arcs. Pure mathematics, for both kernels.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.sweeps.profiles.curves import reversed_chain
from vcad_kernel.geometry.sweeps.profiles.profile import Outline, Profile, arc_radius, arc_sweep
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.sketches import Arc, Line, Segment

__all__ = ["UnequalCounts", "paired"]


class UnequalCounts(Exception):
    """Numbers of segments none of which the others go into."""


@dataclass(frozen=True, slots=True)
class _Way:
    """A closed chain of segments by the length along it, millimetres."""

    segments: tuple[Segment, ...]
    starts: tuple[float, ...]
    """Where each segment begins; the whole length comes last."""

    @classmethod
    def along(cls, segments: tuple[Segment, ...]) -> _Way:
        lengths = np.cumsum([0.0, *(_length(segment) for segment in segments)])
        return cls(segments, tuple(map(float, lengths)))

    @property
    def length(self) -> float:
        return self.starts[-1]

    def between(self, places: Sequence[float], slack: float) -> tuple[Segment, ...]:
        """The chain from place to place, the last joined to the first; each corner is one of the places.

        slack: by which a place may miss its corner, millimetres.
        """
        cuts = [self.at(place, slack) for place in places]
        points = [_point(self.segments[index], share) for index, share in cuts]
        return tuple(
            _part(self.segments[index], start, end)
            for (index, _), start, end in zip(cuts, points, [*points[1:], points[0]], strict=True)
        )

    def at(self, place: float, slack: float) -> tuple[int, float]:
        """The segment that leaves from a place, and which share of it lies behind."""
        place %= self.length
        index = bisect.bisect_right(self.starts, place + slack) - 1
        if index == len(self.segments):
            return 0, 0.0
        behind = place - self.starts[index]
        return index, 0.0 if behind <= slack else behind / (self.starts[index + 1] - self.starts[index])


def paired(
    profiles: Sequence[Profile], outlines: Sequence[Outline]
) -> tuple[Sequence[Profile], Sequence[Outline]]:
    """The profiles with as many segments each, of the same shape, and as simple polygons.

    Unchanged where they have that already. Those that had fewer are wound as the leader is.
    Raises: UnequalCounts.
    """
    counts = [len(profile.segments) for profile in profiles]
    most = max(counts)
    if any(most % count for count in counts):
        raise UnequalCounts
    if min(counts) == most:
        return profiles, outlines
    lead = counts.index(most)
    leader = _Way.along(profiles[lead].plain)
    corner = profiles[lead].place(np.array([leader.segments[0].start]))[0]
    centres = [_centre(profile, outline) for profile, outline in zip(profiles, outlines, strict=True)]
    given = outlines
    outlines = [
        Outline(outline.points[::-1], outline.deviation)
        if counts[index] < most and _wound_against(index, lead, profiles, given, centres)
        else outline
        for index, outline in enumerate(given)
    ]
    # 1. where the others begin, and their corners as places of the leader
    ways: dict[int, tuple[_Way, float]] = {}
    cuts = set(leader.starts[:-1])
    for index, profile in enumerate(profiles):
        if counts[index] == most:
            continue
        against = outlines[index] is not given[index]
        way = _Way.along(reversed_chain(profile.plain) if against else profile.plain)
        begin = _nearest(way, _flat(profile, corner - centres[lead] + centres[index]))
        ways[index] = way, begin
        for start in way.starts[:-1]:
            place = (start - begin) % way.length / way.length * leader.length
            # where both have a corner it is one cut
            if min(_around(place - cut, leader.length) for cut in cuts) > LINEAR:
                cuts.add(place)
    # 2. all of them cut at the same shares: those as long in segments as the leader segment by segment
    places = sorted(cuts)
    shares = [leader.at(place, LINEAR) for place in places]
    result = []
    for index, profile in enumerate(profiles):
        if index in ways:
            way, begin = ways[index]
            scale = way.length / leader.length
            at = [begin + place * scale for place in places]
            # a corner may lie LINEAR beside its cut, measured along the leader
            slack = 2.0 * LINEAR * max(scale, 1.0)
        else:
            way, slack = _Way.along(profile.plain), LINEAR
            at = [
                way.starts[number] + share * (way.starts[number + 1] - way.starts[number])
                for number, share in shares
            ]
        result.append(replace(profile, segments=way.between(at, slack)))
    return result, outlines


def _wound_against(
    index: int,
    lead: int,
    profiles: Sequence[Profile],
    outlines: Sequence[Outline],
    centres: Sequence[NDArray[np.float64]],
) -> bool:
    """Whether a section is wound against the leader, seen along the way from one to the other."""
    way = centres[index] - centres[lead]
    here, there = (float(profiles[at].normal @ way) * outlines[at].area for at in (index, lead))
    return here * there < 0.0


def _centre(profile: Profile, outline: Outline) -> NDArray[np.float64]:
    """(3,): the centroid of the area, in the world."""
    here, there = outline.points, np.roll(outline.points, -1, axis=0)
    cross = here[:, 0] * there[:, 1] - here[:, 1] * there[:, 0]
    middle = ((here + there) * cross[:, None]).sum(axis=0) / (3.0 * cross.sum())
    return np.asarray(profile.place(middle[None, :])[0])


def _flat(profile: Profile, point: NDArray[np.float64]) -> NDArray[np.float64]:
    """(2,): where a point of the world stands over the plane of a profile, in its coordinates."""
    axes = np.column_stack([profile.x, profile.y])
    return np.asarray(np.linalg.lstsq(axes, point - profile.origin, rcond=None)[0])


def _around(gap: float, length: float) -> float:
    """A distance along a closed way, whichever way round is shorter."""
    return min(gap % length, -gap % length)


def _nearest(way: _Way, point: NDArray[np.float64]) -> float:
    """The place at which a way passes a point of its plane most closely."""
    best, place = math.inf, 0.0
    for segment, start in zip(way.segments, way.starts, strict=False):
        share = _share_towards(segment, point)
        apart = float(np.linalg.norm(np.subtract(_point(segment, share), point)))
        # a later place must be nearer by more than rounding, so that of two alike the first is taken
        if apart < best - LINEAR:
            best, place = apart, start + share * _length(segment)
    return place


def _share_towards(segment: Segment, point: NDArray[np.float64]) -> float:
    """Which share of a segment lies before its point nearest to another."""
    if isinstance(segment, Line):
        along = np.subtract(segment.end, segment.start)
        return float(np.clip(np.dot(point - segment.start, along) / np.dot(along, along), 0.0, 1.0))
    sweep = math.radians(arc_sweep(segment))
    first = math.atan2(segment.start[1] - segment.center[1], segment.start[0] - segment.center[0])
    towards = math.atan2(point[1] - segment.center[1], point[0] - segment.center[0])
    turn = (towards - first) % (2.0 * math.pi) if sweep > 0.0 else -((first - towards) % (2.0 * math.pi))
    if abs(turn) <= abs(sweep):
        return turn / sweep
    ends = [math.dist(end, point) for end in (segment.start, segment.end)]
    return float(ends[1] < ends[0])


def _length(segment: Segment) -> float:
    if isinstance(segment, Line):
        return math.dist(segment.start, segment.end)
    return arc_radius(segment) * math.radians(abs(arc_sweep(segment)))


def _point(segment: Segment, share: float) -> Vec2:
    if share == 0.0:
        return segment.start
    if share == 1.0:
        return segment.end
    (x1, y1), (x2, y2) = segment.start, segment.end
    if isinstance(segment, Line):
        return (x1 + share * (x2 - x1), y1 + share * (y2 - y1))
    x, y = segment.center
    angle = math.atan2(y1 - y, x1 - x) + math.radians(arc_sweep(segment)) * share
    radius = arc_radius(segment) * (1.0 - share) + math.dist(segment.end, segment.center) * share
    return (x + radius * math.cos(angle), y + radius * math.sin(angle))


def _part(segment: Segment, start: Vec2, end: Vec2) -> Segment:
    if isinstance(segment, Line):
        return Line(start, end)
    return Arc(start, end, segment.center, segment.ccw)
