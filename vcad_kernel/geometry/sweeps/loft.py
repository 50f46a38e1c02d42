"""Lofts: ruled skins through sections (cad.md §3.10).

Segment i of each section is joined to segment i of the next, parameter to parameter by straight
lines; sections with fewer segments are cut first (:mod:`vcad_kernel.geometry.sweeps.pairing`).
Bilinear patches get a middle vertex per cell (see :func:`swept.skin`), so that the volume under them is
exact, and cells small enough for the chord error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.sweeps.pairing import UnequalCounts, paired
from vcad_kernel.geometry.sweeps.profiles.curves import reversed_chain
from vcad_kernel.geometry.sweeps.profiles.profile import Outline, Profile, arc_points, arc_radius, arc_sweep
from vcad_kernel.geometry.sweeps.swept import Skin, Triangulate, cap, skin
from vcad_kernel.geometry.tolerance import LINEAR, Tessellation, sagitta
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.sketches import Arc, Segment

__all__ = ["LoftFault", "Ruled", "Section", "loft", "matched", "sides_are_planar"]

_MAX_PIECES = 64
"""Cells along or across one bilinear patch at most."""


class LoftFault(Exception):
    """Why sections cannot be joined."""


@dataclass(frozen=True, slots=True, eq=False)
class Ruled:
    """A lofted skin and how far it is from the true surface at most, millimetres."""

    skin: Skin
    deviation: float


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A profile of a loft, its segments paired by position with those of its neighbours."""

    profile: Profile
    segments: tuple[Segment, ...]
    corners: NDArray[np.float64]
    """(n, 3): where each segment starts, world coordinates."""
    normal: NDArray[np.float64]
    """Twice the area, along the normal that the winding gives."""
    centre: NDArray[np.float64]


def loft(
    profiles: Sequence[Profile],
    outlines: Sequence[Outline],
    tessellation: Tessellation,
    scale: float,
    triangulate: Triangulate,
    *,
    closed: bool,
) -> Ruled:
    """The ruled skin through two or more sections, in either orientation.

    outlines: the profiles as simple polygons, for their winding. closed: last joined to first.
    Raises: LoftFault.
    """
    sections = matched(profiles, outlines, closed=closed)
    # 1. each segment in as many pieces in all sections, so that the rings match vertex for vertex
    pieces = [_pieces_along(sections, index, tessellation, scale, closed) for index in range(_size(sections))]
    flat_rings = [_sample(section, pieces) for section in sections]
    rings = [section.profile.place(points) for section, points in zip(sections, flat_rings, strict=True)]
    _refuse_folds(sections, rings, closed=closed)
    deviation = _arc_deviation(sections, tessellation, scale)
    # 2. between two sections straight lines, cut so often that twisted cells stay within the chord error
    steps: list[NDArray[np.float64]] = []
    after = rings[1:] + rings[:1] if closed else rings[1:]
    for here, there in zip(rings, after, strict=False):
        twist = _twist(here, there)
        count = min(max(math.ceil(twist * scale / (16.0 * tessellation.chord)), 1), _MAX_PIECES)
        deviation = max(deviation, twist * scale / (16.0 * count))
        steps += [here + (there - here) * (step / count) for step in range(count)]
    # 3. lids over the first and the last section
    caps = None
    if not closed:
        steps.append(rings[-1])
        caps = (cap(flat_rings[0], triangulate), cap(flat_rings[-1], triangulate))
    stacked = np.stack(steps)
    ids = np.arange(stacked.shape[0] * stacked.shape[1]).reshape(stacked.shape[:2])
    return Ruled(skin(stacked.reshape(-1, 3), ids, wrap=closed, caps=caps), deviation)


def sides_are_planar(profiles: Sequence[Profile], *, closed: bool) -> bool:
    """Whether every side of a loft is a plane: lines only, and each pair of lines in one plane."""
    if any(profile.is_curved for profile in profiles):
        return False
    try:
        profiles, _ = paired(profiles, [profile.outline(Tessellation()) for profile in profiles])
    except UnequalCounts:
        return True
    corners = [_corners(profile, profile.plain) for profile in profiles]
    after = corners[1:] + corners[:1] if closed else corners[1:]
    return all(_twist_is_flat(here, there) for here, there in zip(corners, after, strict=False))


# ---------------------------------------------------------------- matching


def _size(sections: Sequence[Section]) -> int:
    return len(sections[0].segments)


def _corners(profile: Profile, segments: Sequence[Segment]) -> NDArray[np.float64]:
    return profile.place(np.array([segment.start for segment in segments]))


def _section(profile: Profile, outline: Outline) -> Section:
    placed = profile.place(outline.points)
    normal = profile.normal * outline.area
    return Section(profile, profile.plain, _corners(profile, profile.plain), normal, placed.mean(axis=0))


def matched(profiles: Sequence[Profile], outlines: Sequence[Outline], *, closed: bool) -> list[Section]:
    """The sections with their segments in matching order.

    outlines: the profiles as simple polygons, for their winding. Raises: LoftFault.
    """
    try:
        profiles, outlines = paired(profiles, outlines)
    except UnequalCounts:
        listed = ", ".join(str(len(profile.segments)) for profile in profiles)
        raise LoftFault(
            f"the sketches have {listed} segments; each number must go into the largest without remainder"
        ) from None
    sections = [_section(profile, outline) for profile, outline in zip(profiles, outlines, strict=True)]
    for index in range(1, len(sections)):
        # neighbours must be wound alike, seen along the way from one to the other
        if _wound_against(sections[index - 1], sections[index]):
            sections[index] = _reversed(sections[index - 1], sections[index], index)
    if closed and _wound_against(sections[-1], sections[0]):
        raise LoftFault("the last sketch is wound against the first")
    return sections


def _wound_against(here: Section, there: Section) -> bool:
    # the sign says on which side of a section's plane its winding looks
    way = there.centre - here.centre
    return float(here.normal @ way) * float(there.normal @ way) < 0.0


def _reversed(before: Section, section: Section, index: int) -> Section:
    """The section wound the other way, its first segment still first.

    Only right when that segment then runs like the first segment of the section before; any other
    pairing would twist the loft in silence.
    """
    *rest, first = reversed_chain(section.segments)
    segments = (first, *rest)
    corners = _corners(section.profile, segments)
    mine, theirs = (points[1 % len(points)] - points[0] for points in (corners, before.corners))
    if float(mine @ theirs) <= 0.5 * float(np.linalg.norm(mine) * np.linalg.norm(theirs)):
        raise LoftFault(f"sketch {index + 1} is wound against the one before it")
    return Section(section.profile, segments, corners, -section.normal, section.centre)


def _refuse_folds(sections: Sequence[Section], rings: Sequence[NDArray[np.float64]], *, closed: bool) -> None:
    """Each section's plane must have the one before it on one side and the one after on the other.

    Otherwise the loft would run through itself at that section.
    """
    count = len(sections)
    for index, section in enumerate(sections):
        sides = []
        for neighbour in (index - 1, index + 1):
            if not closed and not 0 <= neighbour < count:
                continue
            away = (rings[neighbour % count] - section.profile.origin) @ section.profile.normal
            low, high = float(np.min(away)), float(np.max(away))
            if low < -LINEAR and high > LINEAR:
                raise LoftFault(
                    f"sketch {neighbour % count + 1} cuts through the plane of sketch {index + 1}"
                )
            sides.append(high > LINEAR)
        if len(sides) == 2 and sides[0] == sides[1]:
            raise LoftFault(f"the loft folds back on itself at sketch {index + 1}")


# ---------------------------------------------------------------- sampling


def _pieces_along(
    sections: Sequence[Section], index: int, tessellation: Tessellation, scale: float, closed: bool
) -> int:
    """Into how many pieces segment ``index`` is cut, the same in every section."""
    pieces = 1
    for section in sections:
        segment = section.segments[index]
        if isinstance(segment, Arc):
            sides = tessellation.sides(arc_radius(segment), scale=scale)
            pieces = max(pieces, math.ceil(sides * abs(arc_sweep(segment)) / 360.0 - 1e-9))
    after = [*sections[1:], sections[0]] if closed else sections[1:]
    for here, there in zip(sections, after, strict=False):
        twist = float(np.linalg.norm(_patch_twist(here.corners, there.corners)[index]))
        # one bilinear cell strays from its four triangles by a sixteenth of its twist
        cells = twist * scale / (16.0 * tessellation.chord)
        pieces = max(pieces, min(math.ceil(math.sqrt(cells)), _MAX_PIECES))
    return pieces


def _patch_twist(here: NDArray[np.float64], there: NDArray[np.float64]) -> NDArray[np.float64]:
    across = there - here
    return np.asarray(np.roll(across, -1, axis=0) - across)


def _twist(here: NDArray[np.float64], there: NDArray[np.float64]) -> float:
    """Largest twist of the cells between two rings that are not flat, millimetres."""
    ends = np.roll(here, -1, axis=0)
    across = there - here
    twist = _patch_twist(here, there)
    # the part of the twist that leads out of the plane of the cell
    height = np.abs(np.einsum("ij,ij->i", twist, np.cross(ends - here, across)))
    size = np.linalg.norm(ends - here, axis=1) * np.linalg.norm(across, axis=1) + 1e-300
    return float(np.max(height / size))


def _twist_is_flat(here: NDArray[np.float64], there: NDArray[np.float64]) -> bool:
    size = float(np.max(np.abs(np.vstack([here, there]))))
    return _twist(here, there) <= 1e-9 * max(size, 1e-6)


def _arc_deviation(sections: Sequence[Section], tessellation: Tessellation, scale: float) -> float:
    radii = [
        arc_radius(segment)
        for section in sections
        for segment in section.segments
        if isinstance(segment, Arc)
    ]
    return max(
        (scale * sagitta(radius, tessellation.sides(radius, scale=scale)) for radius in radii), default=0.0
    )


def _sample(section: Section, pieces: Sequence[int]) -> NDArray[np.float64]:
    return np.vstack(
        [_segment_points(segment, count) for segment, count in zip(section.segments, pieces, strict=True)]
    )


def _segment_points(segment: Segment, count: int) -> NDArray[np.float64]:
    if isinstance(segment, Arc):
        return arc_points(segment, count)
    return _between(segment.start, segment.end, count)


def _between(start: Vec2, end: Vec2, count: int) -> NDArray[np.float64]:
    share = np.arange(count)[:, None] / count
    return np.asarray(start) * (1.0 - share) + np.asarray(end) * share
