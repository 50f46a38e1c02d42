"""Paths of sweeps as moving frames: where a profile's (u, v) goes along the way (cad.md §3.9).

A :class:`Track` is smooth between its breaks. Frames of a spline are carried without twist
(rotation-minimising), by double reflection (Wang, Jüttler, Zheng, Liu: "Computation of rotation
minimizing frames", ACM TOG 27, 2008). A track about a cylinder, and so a helix, keeps its section in the
plane through the axis instead. Pure mathematics, for both kernels.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.sweeps.profiles.curves import places_and_ways, stretches
from vcad_kernel.operations.node import Vec3
from vcad_kernel.operations.profiles.corners import heading
from vcad_kernel.operations.profiles.paths import CylinderPath, DrawnPath, HelixPath
from vcad_kernel.operations.profiles.sketches import Curve
from vcad_kernel.operations.solids.sweeps import Sweep

__all__ = [
    "Frames",
    "Track",
    "cylinder_tracks",
    "drawn_tracks",
    "line_frames",
    "modified",
    "pitch_mismatch",
    "spline_track",
    "start_frame",
]

Points = NDArray[np.float64]

_GRID = 128
"""Steps between two breaks of a spline along which its frame is carried."""
_LEVEL = 1e-9
"""Difference of slopes, mm per degree, below which a track runs straight on."""


def pitch_mismatch(path: HelixPath) -> str | None:
    """What to say where the pitch of a helix contradicts its height and turns; None where it does not."""
    if abs(path.pitch * path.turns - path.height) <= 1e-6 * max(1.0, abs(path.height)):
        return None
    return (
        f"pitch {path.pitch:g} × turns {path.turns:g} is not height {path.height:g};"
        " height and turns are used"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """(u, v) ↦ points + u·u + v·v, for k places on the way; each (k, 3)."""

    points: Points
    u: Points
    v: Points

    def place(self, outline: Points) -> Points:
        """(k, n, 3) world coordinates of sketch coordinates (n, 2)."""
        return np.asarray(
            self.points[:, None, :]
            + outline[None, :, :1] * self.u[:, None, :]
            + outline[None, :, 1:] * self.v[:, None, :]
        )


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A way from the first break to the last, smooth between neighbouring ones."""

    breaks: tuple[float, ...]
    at: Callable[[Points], Frames]
    """Frames at rising parameters."""


def start_frame(tangent: Points) -> tuple[Points, Points]:
    """N and B of a path that begins straight along a unit tangent."""
    reference = np.array([1.0, 0.0, 0.0]) if abs(tangent[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    across = np.cross(reference, tangent)
    n = across / np.linalg.norm(across)
    return n, np.cross(tangent, n)


def line_frames(start: Vec3, end: Vec3) -> Frames:
    """The frames at both ends of a straight path."""
    ends = np.array([start, end])
    way = ends[1] - ends[0]
    n, b = start_frame(way / np.linalg.norm(way))
    return Frames(ends, np.stack([n, n]), np.stack([b, b]))


def cylinder_tracks(path: CylinderPath) -> list[Track]:
    """One track, in radians, for each stretch of even slope; u points outwards, v is +Z.

    A track of falling angle runs from 0 over the negative of its turn.
    """
    knots = [path.knots[0]]
    for index in range(1, len(path.knots)):
        here = path.knots[index]
        if index + 1 < len(path.knots):
            before, after = knots[-1], path.knots[index + 1]
            slope = (here[1] - before[1]) / (here[0] - before[0])
            onward = (after[1] - here[1]) / (after[0] - here[0])
            # a knot at which the slope goes on is no corner, and would only cut the faces
            if abs(slope - onward) <= _LEVEL:
                continue
        knots.append(here)
    return [_stretch(path.radius, first, last) for first, last in itertools.pairwise(knots)]


def _stretch(radius: float, first: tuple[float, float], last: tuple[float, float]) -> Track:
    begin, turn = math.radians(first[0]), math.radians(last[0] - first[0])

    def at(share: Points) -> Frames:
        theta = begin + turn * share / abs(turn)
        outward = np.column_stack([np.cos(theta), np.sin(theta), np.zeros_like(theta)])
        up = np.tile([0.0, 0.0, 1.0], (len(theta), 1))
        height = first[1] + (last[1] - first[1]) * share / abs(turn)
        return Frames(radius * outward + height[:, None] * up, outward, up)

    return Track((0.0, abs(turn)), at)


# ---------------------------------------------------------------- splines


class _Natural:
    """The natural cubic spline through points over chord length: no curvature at its ends."""

    def __init__(self, points: Sequence[Vec3]) -> None:
        self.points = np.array(points)
        steps = np.linalg.norm(np.diff(self.points, axis=0), axis=1)
        self.knots = np.concatenate([[0.0], np.cumsum(steps)])
        count = len(self.points)
        matrix, right = np.eye(count), np.zeros((count, 3))
        slopes = np.diff(self.points, axis=0) / steps[:, None]
        for index in range(1, count - 1):
            before, after = steps[index - 1], steps[index]
            # the slopes before and after a point are equal; the ends have no curvature
            matrix[index, index - 1 : index + 2] = before, 2.0 * (before + after), after
            right[index] = 6.0 * (slopes[index] - slopes[index - 1])
        self.bend = np.linalg.solve(matrix, right)

    def at(self, parameter: Points) -> tuple[Points, Points]:
        """Points and unit tangents."""
        index = np.clip(np.searchsorted(self.knots, parameter, side="right") - 1, 0, len(self.knots) - 2)
        step = (self.knots[index + 1] - self.knots[index])[:, None]
        right = (parameter - self.knots[index])[:, None] / step
        left = 1.0 - right
        p, q, m, n = (self.points[index], self.points[index + 1], self.bend[index], self.bend[index + 1])
        point = left * p + right * q + step**2 / 6.0 * ((left**3 - left) * m + (right**3 - right) * n)
        tangent = (q - p) / step + step / 6.0 * ((1.0 - 3.0 * left**2) * m + (3.0 * right**2 - 1.0) * n)
        length = np.linalg.norm(tangent, axis=1, keepdims=True)
        return point, tangent / np.maximum(length, 1e-300)


def spline_track(points: Sequence[Vec3]) -> Track:
    """Through the points, parameter in millimetres of chord; breaks at the points."""
    curve = _Natural(points)
    grid = np.unique(
        np.concatenate(
            [
                np.linspace(first, last, _GRID + 1)
                for first, last in zip(curve.knots, curve.knots[1:], strict=False)
            ]
        )
    )
    places, tangents = curve.at(grid)
    # frames are carried once along a fine grid, and from there to any place in one step
    normals = np.empty_like(places)
    normals[0] = start_frame(tangents[0])[0]
    for index in range(1, len(grid)):
        here = slice(index, index + 1)
        before = slice(index - 1, index)
        normals[index] = _reflected(
            places[before], tangents[before], normals[before], places[here], tangents[here]
        )[0]

    def at(parameter: Points) -> Frames:
        index = np.clip(np.searchsorted(grid, parameter, side="right") - 1, 0, len(grid) - 1)
        point, tangent = curve.at(parameter)
        u = _reflected(places[index], tangents[index], normals[index], point, tangent)
        return Frames(point, u, np.cross(tangent, u))

    return Track(tuple(map(float, curve.knots)), at)


def _reflected(place: Points, tangent: Points, normal: Points, there: Points, onward: Points) -> Points:
    """The normal carried from place to there by double reflection."""
    first = there - place
    square = np.maximum(np.sum(first**2, axis=1, keepdims=True), 1e-300)
    # mirrored at the plane half way between both points, then at the one that maps the mirrored tangent
    # to the true one
    n = normal - 2.0 / square * np.sum(first * normal, axis=1, keepdims=True) * first
    t = tangent - 2.0 / square * np.sum(first * tangent, axis=1, keepdims=True) * first
    second = onward - t
    square = np.maximum(np.sum(second**2, axis=1, keepdims=True), 1e-300)
    n = n - 2.0 / square * np.sum(second * n, axis=1, keepdims=True) * second
    # rounding must not lean the section over
    n = n - np.sum(n * onward, axis=1, keepdims=True) * onward
    still = np.linalg.norm(there - place, axis=1, keepdims=True) <= 1e-14
    n = np.where(still, normal, n)
    return np.asarray(n / np.linalg.norm(n, axis=1, keepdims=True))


# ---------------------------------------------------------------- chains of curves in a plane


def drawn_tracks(path: DrawnPath) -> list[Track]:
    """A track for each curve of a smooth chain; the section keeps its attitude to the plane."""
    axes = np.array([path.x_dir, path.y_dir])
    normal = np.cross(*axes)
    tangent = np.asarray(heading(path.curves[0], at_end=False)) @ axes
    u, _ = start_frame(tangent)
    # in parts along the plane's normal and across the path, which do not change on the way
    up, aside = float(u @ normal), float(u @ np.cross(normal, tangent))

    def track(curve: Curve) -> Track:
        def at(parameters: Points) -> Frames:
            places, ways = places_and_ways(curve, parameters)
            tangents = ways @ axes
            tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
            sides = up * normal + aside * np.cross(normal, tangents)
            return Frames(path.origin + places @ axes, sides, np.cross(tangents, sides))

        return Track(stretches(curve), at)

    return [track(curve) for curve in path.curves]


# ---------------------------------------------------------------- twist and taper


def modified(track: Track, node: Sweep) -> Track:
    """The track with the section turned by ``orientation`` (degrees) and by more and more of
    ``twist_angle`` (radians), and scaled evenly from ``scale_start`` to ``scale_end``, over the parameter.
    """
    begin, twist = math.radians(node.orientation or 0.0), node.twist_angle or 0.0
    first = 1.0 if node.scale_start is None else node.scale_start
    last = 1.0 if node.scale_end is None else node.scale_end
    if (begin, twist, first, last) == (0.0, 0.0, 1.0, 1.0):
        return track
    low, high = track.breaks[0], track.breaks[-1]

    def at(parameter: Points) -> Frames:
        frames = track.at(parameter)
        share = ((parameter - low) / (high - low))[:, None]
        size = first + (last - first) * share
        cos, sin = size * np.cos(begin + twist * share), size * np.sin(begin + twist * share)
        return Frames(frames.points, cos * frames.u + sin * frames.v, cos * frames.v - sin * frames.u)

    return Track(track.breaks, at)
