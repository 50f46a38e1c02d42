"""Profiles carried along paths, as skins: lines, helices, tracks about a cylinder, splines, polylines.

Where a path may come back to itself its skin is cut into simple pieces, whose union is the solid.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.mesh.manifold_kernel import triangulate
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.sweeps.paths.paths import (
    Frames,
    Track,
    cylinder_tracks,
    drawn_tracks,
    line_frames,
    modified,
    spline_track,
)
from vcad_kernel.geometry.sweeps.paths.polyline import PathFault, bend_rings, is_of_pieces, pieces_along
from vcad_kernel.geometry.sweeps.profiles.profile import Outline, Profile
from vcad_kernel.geometry.sweeps.swept import Skin, Swept, outward, skin, tube
from vcad_kernel.geometry.tolerance import LINEAR, Tessellation, sagitta
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.profiles.paths import (
    CylinderPath,
    DrawnPath,
    HelixPath,
    LinePath,
    Path,
    PolylinePath,
    SplinePath,
)
from vcad_kernel.operations.solids.sweeps import Extrude, Sweep

__all__ = [
    "about_axis",
    "extrusion_track",
    "is_closed",
    "is_modified",
    "subdivided",
    "swept_along",
    "tracks_of",
    "twisted",
]

Points = NDArray[np.float64]

_LINE_PIECES = 16
"""Pieces of a straight side that sweeps a bent surface."""
_PIECE_TURN = math.pi
"""A piece of a path that turns less does not meet itself, unless it folds."""
_USUAL_STEP = 0.5
"""Degrees: the step of a track about a cylinder where none is requested."""
_MOST_SECTIONS = 200_000
"""Of one stretch of a path: more is a slip of the pen that would only exhaust the memory."""
_SAME_ANGLE = 1e-9
"""Degrees."""
_LOOKED_AT = 1000
"""Places of a path at most between which it is asked whether it comes back to itself."""


def swept_along(
    document: Document,
    node: NodeId,
    value: Sweep,
    profile: Profile,
    tessellation: Tessellation,
    scale: float,
) -> Swept:
    """Profile carried along a path; the sketch's own plane plays no part. value: need not be the node's.

    Raises: GeometryError SWEEP_FAILED where the profile would turn inside out.
    """
    outline = profile.outline(tessellation, scale)
    path = value.path
    if is_of_pieces(path):
        return _in_pieces(document, node, path, outline, tessellation, scale)
    if isinstance(path, LinePath) and not is_modified(value):
        rings = line_frames(path.start, path.end).place(outline.points)
        return Swept((outward(tube(rings, outline.points, triangulate))[0],), outline.deviation)
    return _tracked(document, node, value, outline, tessellation, scale)


def is_modified(node: Sweep) -> bool:
    """Whether the section turns or changes its size on the way."""
    return bool(node.twist_angle or node.orientation) or not {node.scale_start, node.scale_end} <= {None, 1.0}


def about_axis(path: Path) -> CylinderPath | None:
    """A path about the Z axis as a track: a helix is one of even slope. None for any other path."""
    if isinstance(path, HelixPath):
        return CylinderPath(path.radius, ((0.0, 0.0), (360.0 * path.turns, path.height)))
    return path if isinstance(path, CylinderPath) else None


def tracks_of(node: Sweep) -> list[Track]:
    """The path of a sweep as tracks that follow each other, twist and taper included."""
    path = node.path
    around = about_axis(path)
    if around is not None:
        tracks = cylinder_tracks(around)
        # what turns or grows goes along a helix only, which is one track
        return [modified(track, node) for track in tracks]
    if isinstance(path, LinePath):
        ends = line_frames(path.start, path.end)
        track = Track(
            (0.0, 1.0),
            lambda share: Frames(
                ends.points[0] + share[:, None] * (ends.points[1] - ends.points[0]),
                np.tile(ends.u[0], (len(share), 1)),
                np.tile(ends.v[0], (len(share), 1)),
            ),
        )
    elif isinstance(path, DrawnPath):
        return drawn_tracks(path)
    else:
        assert isinstance(path, SplinePath)
        track = spline_track(path.points)
    return [modified(track, node)]


def is_closed(path: CylinderPath) -> bool:
    """Whether a track about a cylinder ends where it began, after one turn: a ring without end faces."""
    (begin, low), (end, high) = path.knots[0], path.knots[-1]
    return abs(abs(end - begin) - 360.0) <= _SAME_ANGLE and abs(high - low) <= LINEAR


def _failed(document: Document, node: NodeId, message: str, argument: str) -> GeometryError:
    """SWEEP_FAILED of a node."""
    return geometry_error(document, node, "SWEEP_FAILED", message, argument=argument, failed=True)


def subdivided(points: Points, turn: float, chord: float) -> Points:
    """An outline with its sides cut into pieces, for sides that sweep bent surfaces.

    turn: from each section to the next, radians; inf = all in as many. chord: error wanted, mm. Short sides
    take few pieces: a cell strays from its four triangles by a sixteenth of its twist, so by a quarter of
    ``chord`` at most.
    """
    ways = np.roll(points, -1, axis=0) - points
    wanted = np.ceil(np.linalg.norm(ways, axis=1) * turn / (4.0 * chord))
    pieces = np.clip(wanted, 1, _LINE_PIECES).astype(np.int64)
    side = np.repeat(np.arange(len(points)), pieces)
    share = (np.arange(len(side)) - (np.cumsum(pieces) - pieces)[side]) / pieces[side]
    return np.asarray(points[side] + ways[side] * share[:, None])


# ---------------------------------------------------------------- along tracks


def _tracked(
    document: Document, node: NodeId, value: Sweep, outline: Outline, tessellation: Tessellation, scale: float
) -> Swept:
    path, around = value.path, about_axis(value.path)
    points = outline.points
    size = max(1.0 if factor is None else factor for factor in (value.scale_start, value.scale_end))
    reach = float(np.max(np.linalg.norm(points, axis=1))) * size
    tracks = tracks_of(value)
    # 1. frames at enough places, and the section in each of them
    try:
        parameters = [_parameters(track, value, tessellation, scale, reach) for track in tracks]
    except _TooLong as fault:
        argument = "turns" if isinstance(path, HelixPath) else "path"
        raise _failed(document, node, str(fault), argument) from None
    frames = [track.at(share) for track, share in zip(tracks, parameters, strict=True)]
    if value.twist_angle:
        step = max(float(np.diff(share).max() / (share[-1] - share[0])) for share in parameters)
        sag = sagitta(reach, tessellation.sides(reach, scale=scale))
        points = subdivided(points, abs(value.twist_angle) * step, sag)
    # the first ring of a track is the last one of the track before
    rings = np.vstack([part.place(points)[min(index, 1) :] for index, part in enumerate(frames)])
    centres = np.vstack([part.points[min(index, 1) :] for index, part in enumerate(frames)])
    # 2. what the profile may reach depends on the path
    if around is not None:
        outward_of = centres * (1.0, 1.0, 0.0) / around.radius
        radial = np.einsum("kni,ki->kn", rings, outward_of)
        if float(np.min(radial)) <= LINEAR:
            argument = "radius" if isinstance(path, HelixPath) else "r"
            raise _failed(document, node, "the profile reaches the axis", argument)
        radius = float(np.max(radial))
        if is_closed(around):
            ids = np.arange((len(rings) - 1) * len(points)).reshape(len(rings) - 1, len(points))
            ring = skin(rings[:-1].reshape(-1, 3), ids, wrap=True, caps=None, flat=True)
            sides = tessellation.sides(radius, scale=scale)
            return Swept((outward(ring)[0],), outline.deviation + sagitta(radius, sides) * scale)
    else:
        for part in frames:
            _refuse_folds(document, node, part.place(points), part)
        radius = max(_widest(part) for part in frames) + reach
    # 3. skins between the rings, cut where the path may come back to itself
    deviation = outline.deviation + sagitta(radius, tessellation.sides(radius, scale=scale)) * scale
    skins = [
        outward(tube(piece, points, triangulate, flat=not value.twist_angle))[0]
        for piece in (
            [rings] if around is not None and _is_spaced(around, rings) else _simple(rings, centres, reach)
        )
    ]
    return Swept(tuple(skins), deviation)


class _TooLong(ValueError):
    """A path that takes more sections than there is memory for."""


def _parameters(track: Track, value: Sweep, tessellation: Tessellation, scale: float, reach: float) -> Points:
    """Where the section is looked at: as many places as the turning of the path needs."""
    around = about_axis(value.path)
    parts = []
    for first, last in itertools.pairwise(track.breaks):
        fine = np.linspace(first, last, 65)
        frames = track.at(fine)
        steps = np.diff(frames.points, axis=0)
        length = float(np.sum(np.linalg.norm(steps, axis=1)))
        if around is not None:
            turning, radius, hint = last - first, around.radius + reach, 0
            if around.step != _USUAL_STEP:
                hint = math.ceil(360.0 / around.step)
        else:
            # of a free curve the turning is summed up over a fine sample; its radius is the mean one
            tangent = np.cross(frames.u, frames.v)
            tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
            angles = np.arccos(np.clip(np.sum(tangent[1:] * tangent[:-1], axis=1), -1.0, 1.0))
            turning, hint = float(np.sum(angles)), 0
            radius = (length / turning if turning > 1e-9 else 0.0) + reach
        share = (last - first) / (track.breaks[-1] - track.breaks[0])
        # a section that turns about the path moves its corners as a bend does
        turning += abs(value.twist_angle or 0.0) * share
        sides = tessellation.sides(radius, hint=hint, scale=scale)
        least = 1 if turning <= 1e-9 else 2
        wanted = sides * turning / (2.0 * math.pi)
        if not wanted <= _MOST_SECTIONS:
            raise _TooLong(f"the path takes {wanted:.3g} sections, where {_MOST_SECTIONS} are the most")
        pieces = max(math.ceil(wanted - 1e-9), least)
        parts.append(np.linspace(first, last, pieces + 1)[:-1])
    return np.concatenate([*parts, [track.breaks[-1]]])


def _widest(frames: Frames) -> float:
    """A radius of curvature that the path does not go beyond where it bends noticeably."""
    steps = np.linalg.norm(np.diff(frames.points, axis=0), axis=1)
    return float(np.max(steps)) * len(steps) / math.pi


def _refuse_folds(document: Document, node: NodeId, rings: Points, frames: Frames) -> None:
    """Every point of the section must move ahead all the way."""
    tangent = np.cross(frames.u, frames.v)
    ahead = np.einsum("kni,ki->kn", np.diff(rings, axis=0), tangent[1:] + tangent[:-1])
    if float(np.min(ahead)) <= 0.0:
        raise _failed(
            document,
            node,
            "the path bends too tightly for the profile, which would turn inside out",
            "points",
        )


def _is_spaced(path: CylinderPath, rings: Points) -> bool:
    """Whether the turns of a track stand apart: sections meet in the plane through the axis or nowhere."""
    (begin, low), (end, high) = path.knots[0], path.knots[-1]
    turns = abs(end - begin) / 360.0
    if turns < 1.0 - 1e-9:
        return True
    height = float(np.max(np.ptp(rings[:, :, 2], axis=1)))
    return len(path.knots) == 2 and height < abs(high - low) / turns - LINEAR


def _simple(rings: Points, centres: Points, reach: float) -> list[Points]:
    """The rings in runs none of which meets itself."""
    steps = np.diff(centres, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    if not _comes_back(centres, along, reach):
        return [rings]
    # cut evenly by turning: a piece of half a turn cannot come back to itself
    directions = steps / lengths[:, None]
    turns = np.arccos(np.clip(np.sum(directions[1:] * directions[:-1], axis=1), -1.0, 1.0))
    turned = np.concatenate([[0.0], np.cumsum(turns), [float(np.sum(turns))]])
    count = max(math.ceil(turned[-1] / _PIECE_TURN), 1)
    cuts = np.searchsorted(turned, turned[-1] * np.arange(1, count) / count)
    bounds = [0, *map(int, np.unique(np.clip(cuts, 1, len(rings) - 2))), len(rings) - 1]
    return [rings[first : last + 1] for first, last in itertools.pairwise(bounds)]


def _comes_back(centres: Points, along: Points, reach: float) -> bool:
    """Whether places far apart along the path are so near that sections there may touch."""
    chosen = np.unique(np.linspace(0, len(centres) - 1, _LOOKED_AT).astype(int))
    places, way = centres[chosen], along[chosen]
    slack = float(np.max(np.diff(way))) if len(way) > 1 else 0.0
    apart = np.linalg.norm(places[:, None, :] - places[None, :, :], axis=2)
    # near along the path is no contact: only what comes back after a detour
    far = np.abs(way[:, None] - way[None, :]) > 4.0 * reach + 2.0 * slack
    return bool(np.any(far & (apart < 2.0 * reach + slack)))


# ---------------------------------------------------------------- twisted and tapered extrusions


def extrusion_track(value: Extrude, profile: Profile) -> Track:
    """The sketch's plane carried along the direction, turned from x to y and scaled about its origin."""
    twist = value.twist_angle or 0.0
    end = 1.0 if value.scale_end is None else value.scale_end
    direction = np.array(value.direction)

    def turned(axis: Points, share: Points) -> Points:
        size, angle = 1.0 + (end - 1.0) * share, twist * share
        across = np.cross(profile.normal, axis)
        return np.asarray(size * (np.cos(angle) * axis + np.sin(angle) * across))

    def at(parameter: Points) -> Frames:
        share = parameter[:, None]
        return Frames(profile.origin + share * direction, turned(profile.x, share), turned(profile.y, share))

    return Track((0.0, 1.0), at)


def twisted(value: Extrude, profile: Profile, tessellation: Tessellation, scale: float) -> Swept:
    """An extrusion that turns or changes its size on the way."""
    outline = profile.outline(tessellation, scale)
    twist = abs(value.twist_angle or 0.0)
    end = 1.0 if value.scale_end is None else value.scale_end
    reach = float(np.max(np.linalg.norm(outline.points, axis=1))) * max(1.0, end)
    sides = tessellation.sides(reach, scale=scale)
    pieces = max(math.ceil(sides * twist / (2.0 * math.pi)), 1)
    points = subdivided(outline.points, twist / pieces, sagitta(reach, sides))
    rings = extrusion_track(value, profile).at(np.linspace(0.0, 1.0, pieces + 1)).place(points)
    body: Skin = outward(tube(rings, points, triangulate, flat=not twist))[0]
    deviation = outline.deviation * max(1.0, end)
    return Swept((body,), deviation + (sagitta(reach, sides) * scale if twist else 0.0))


# ---------------------------------------------------------------- lines and arcs


def _in_pieces(
    document: Document,
    node: NodeId,
    path: PolylinePath | DrawnPath,
    outline: Outline,
    tessellation: Tessellation,
    scale: float,
) -> Swept:
    try:
        pieces = pieces_along(path, outline.points)
    except PathFault as fault:
        raise _failed(document, node, str(fault), fault.argument) from None
    reach = float(np.max(np.linalg.norm(outline.points, axis=1)))
    bends = [piece for piece in pieces if piece.bend is not None]
    radii = [float(np.linalg.norm(piece.start.point - piece.bend.centre)) for piece in bends if piece.bend]
    radius = max(radii, default=0.0) + reach
    sides = tessellation.sides(radius, scale=scale)
    rings = [pieces[0].start.place(outline.points)[None]]
    for piece in pieces:
        if piece.bend is None:
            rings.append(piece.end.place(outline.points)[None])
            continue
        steps = max(math.ceil(sides * piece.bend.angle / (2.0 * math.pi) - 1e-9), 2)
        rings.append(bend_rings(piece, outline.points, [step / steps for step in range(1, steps + 1)]))
    every = np.vstack(rings)
    centres = every.mean(axis=1)
    deviation = outline.deviation + (sagitta(radius, sides) * scale if radii else 0.0)
    # leaning sections at corners reach further than the outline itself
    wide = reach + float(np.max(np.linalg.norm(every - centres[:, None, :], axis=2)))
    skins = [
        outward(tube(piece, outline.points, triangulate))[0]
        for piece in _simple_polyline(every, centres, wide)
    ]
    return Swept(tuple(skins), deviation)


def _simple_polyline(rings: Points, centres: Points, reach: float) -> list[Points]:
    """Cut at every ring where the path may come back: rings of a polyline stand far apart."""
    fine = np.vstack(
        [np.linspace(first, last, 33)[:-1] for first, last in itertools.pairwise(centres)] + [centres[-1:]]
    )
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
    if not _comes_back(fine, along, reach):
        return [rings]
    return [rings[index : index + 2] for index in range(len(rings) - 1)]
