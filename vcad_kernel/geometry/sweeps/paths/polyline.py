"""Paths of lines and arcs: straight stretches with their corners mitred or bent, as stations of a section.

A station maps (u, v) into the plane in which two pieces meet: square to the path at its ends and at
the ends of bends, the bisecting plane at a mitred corner. Between two stations the section runs
straight, or turns about the axis of a bend.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.sweeps.paths.paths import start_frame
from vcad_kernel.geometry.sweeps.profiles.profile import arc_sweep
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.profiles.corners import heading, turn_between
from vcad_kernel.operations.profiles.paths import DrawnPath, Path, PolylinePath
from vcad_kernel.operations.profiles.sketches import Arc, Line

__all__ = ["Bend", "PathFault", "Piece", "Station", "bend_rings", "is_of_pieces", "pieces_along"]

Points = NDArray[np.float64]

_STRAIGHT = 1e-9
"""Radians: a smaller turn is no corner."""


class PathFault(ValueError):
    """Why a section cannot be carried along; ``argument`` is what to change."""

    def __init__(self, message: str, argument: str) -> None:
        super().__init__(message)
        self.argument = argument


@dataclass(frozen=True, slots=True, eq=False)
class Station:
    """(u, v) ↦ point + u·u + v·v."""

    point: Points
    u: Points
    v: Points

    def place(self, outline: Points) -> Points:
        """(n, 3) world coordinates of sketch coordinates (n, 2)."""
        return np.asarray(self.point + outline[:, :1] * self.u + outline[:, 1:] * self.v)


@dataclass(frozen=True, slots=True, eq=False)
class Bend:
    """A turn about an axis by radians, right-handed."""

    centre: Points
    axis: Points
    angle: float


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """From one station to the next: straight along ``tangent``, or around a bend that begins so."""

    start: Station
    end: Station
    tangent: Points
    square: tuple[Points, Points]
    """u and v of the section square to the tangent."""
    bend: Bend | None = None


def is_of_pieces(path: Path) -> TypeGuard[PolylinePath | DrawnPath]:
    """Whether a path is made of lines and arcs, along which the section moves straight or turns."""
    if isinstance(path, DrawnPath):
        return all(isinstance(curve, Line | Arc) for curve in path.curves)
    return isinstance(path, PolylinePath)


def pieces_along(path: PolylinePath | DrawnPath, outline: Points) -> list[Piece]:
    """The pieces in order, for a section with this outline (n, 2).

    Raises: PathFault when the path turns back, a bend does not fit, or the section would turn inside out.
    """
    return _drawn(path, outline) if isinstance(path, DrawnPath) else _polyline(path, outline)


def _drawn(path: DrawnPath, outline: Points) -> list[Piece]:
    """Of a chain in a plane: each of its curves is a piece."""
    axes = np.array([path.x_dir, path.y_dir])
    normal = np.cross(*axes)
    pieces: list[Piece] = []
    first = path.curves[0]
    tangent = np.asarray(heading(first, at_end=False)) @ axes
    u, v = start_frame(tangent)
    here = Station(path.origin + np.asarray(first.start) @ axes, u, v)
    for at, curve in enumerate(path.curves):
        onward = path.curves[at + 1] if at + 1 < len(path.curves) else None
        end = path.origin + np.asarray(curve.end) @ axes
        if isinstance(curve, Arc):
            angle = math.radians(arc_sweep(curve))
            axis = math.copysign(1.0, angle) * normal
            centre = path.origin + np.asarray(curve.center) @ axes
            _check_reach(math.dist(curve.start, curve.center), axis, tangent, outline, (u, v))
            turned = _rotated(u, normal, angle), _rotated(v, normal, angle)
            piece = Piece(here, Station(end, *turned), tangent, (u, v), Bend(centre, axis, abs(angle)))
            (u, v), tangent = turned, _rotated(tangent, normal, angle)
        else:
            turn = 0.0 if onward is None else math.radians(turn_between(curve, onward))
            if onward is None or not isinstance(onward, Line) or abs(turn) <= _STRAIGHT:
                piece = _straight(here, Station(end, u, v), tangent, (u, v), outline)
            else:
                after = _rotated(tangent, normal, turn)
                piece = _straight(here, _mitred(end, tangent, after, (u, v)), tangent, (u, v), outline)
                u, v, tangent = _rotated(u, normal, turn), _rotated(v, normal, turn), after
        pieces.append(piece)
        here = piece.end
    return pieces


def _mitred(corner: Points, tangent: Points, onward: Points, square: tuple[Points, Points]) -> Station:
    """A sharp corner: the section leans into the plane that halves the angle."""
    mitre = (tangent + onward) / np.linalg.norm(tangent + onward)
    return Station(corner, *(_leant(side, tangent, mitre) for side in square))


def _polyline(path: PolylinePath, outline: Points) -> list[Piece]:
    points, tangents = _corners_only(np.array(path.points))
    pieces: list[Piece] = []
    u, v = start_frame(tangents[0])
    here = Station(points[0], u, v)
    for index, tangent in enumerate(tangents):
        if index + 1 == len(tangents):
            pieces.append(_straight(here, Station(points[-1], u, v), tangent, (u, v), outline))
            break
        corner, onward = points[index + 1], tangents[index + 1]
        axis = np.cross(tangent, onward)
        angle = math.atan2(float(np.linalg.norm(axis)), float(tangent @ onward))
        if math.pi - angle < 1e-6:
            raise PathFault(f"the path turns straight back at point {index + 2}", "points")
        axis = axis / np.linalg.norm(axis)
        # the section turns with the path by the least rotation, so that it does not twist
        turned = _rotated(u, axis, angle), _rotated(v, axis, angle)
        if path.bend > 0.0:
            bend = _bend(path.bend, corner, tangent, onward, axis, angle, outline, (u, v))
            # a bend of radius r touches both legs at r·tan(angle / 2) from the corner
            first = corner - path.bend * math.tan(angle / 2.0) * tangent
            last = corner + path.bend * math.tan(angle / 2.0) * onward
            before, after = Station(first, u, v), Station(last, *turned)
            room = float((first - here.point) @ tangent)
            if room < -LINEAR:
                raise PathFault(f"the bend at point {index + 2} is longer than the path before it", "bend")
            if room > LINEAR:
                pieces.append(_straight(here, before, tangent, (u, v), outline))
            pieces.append(Piece(before, after, tangent, (u, v), bend))
            here = after
        else:
            station = _mitred(corner, tangent, onward, (u, v))
            pieces.append(_straight(here, station, tangent, (u, v), outline))
            here = station
        u, v = turned
    if path.bend > 0.0 and not pieces:
        raise PathFault("the bends leave nothing of the path", "bend")
    return pieces


def _corners_only(points: Points) -> tuple[Points, Points]:
    """Points at which the path turns, its ends among them, and the unit tangents between."""
    kept = [points[0]]
    for index in range(1, len(points) - 1):
        before, after = points[index] - kept[-1], points[index + 1] - points[index]
        turn = float(np.linalg.norm(np.cross(before, after)))
        size = float(np.linalg.norm(before) * np.linalg.norm(after))
        if turn > _STRAIGHT * size or float(before @ after) < 0.0:
            kept.append(points[index])
    kept.append(points[-1])
    corners = np.array(kept)
    ways = np.diff(corners, axis=0)
    return corners, ways / np.linalg.norm(ways, axis=1, keepdims=True)


def _straight(
    start: Station, end: Station, tangent: Points, square: tuple[Points, Points], outline: Points
) -> Piece:
    # every point of the outline must move ahead, or the leaning end sections cross
    ahead = (end.place(outline) - start.place(outline)) @ tangent
    if float(np.min(ahead)) <= LINEAR:
        raise PathFault("the profile is too wide for the corners of the path, where it would fold", "points")
    return Piece(start, end, tangent, square)


def _bend(
    radius: float,
    corner: Points,
    tangent: Points,
    onward: Points,
    axis: Points,
    angle: float,
    outline: Points,
    square: tuple[Points, Points],
) -> Bend:
    _check_reach(radius, axis, tangent, outline, square)
    to_centre = (onward - tangent) / np.linalg.norm(onward - tangent)
    return Bend(corner + radius / math.cos(angle / 2.0) * to_centre, axis, angle)


def _check_reach(
    radius: float, axis: Points, tangent: Points, outline: Points, square: tuple[Points, Points]
) -> None:
    """How far the outline reaches towards the axis of a bend."""
    inward = np.cross(axis, tangent)
    reach = outline[:, 0] * float(square[0] @ inward) + outline[:, 1] * float(square[1] @ inward)
    if float(np.max(reach)) >= radius - LINEAR:
        raise PathFault(
            f"the profile reaches {float(np.max(reach)):g} mm inwards, past the centre of a bend"
            f" of {radius:g}, where it would turn inside out",
            "bend",
        )


def _leant(side: Points, tangent: Points, mitre: Points) -> Points:
    """A side of the section carried along the tangent into the plane square to ``mitre``."""
    return np.asarray(side - (side @ mitre) / (tangent @ mitre) * tangent)


def _rotated(vector: Points, axis: Points, angle: float) -> Points:
    along = (vector @ axis) * axis
    across = vector - along
    return np.asarray(along + math.cos(angle) * across + math.sin(angle) * np.cross(axis, across))


def bend_rings(piece: Piece, outline: Points, shares: Sequence[float]) -> Points:
    """(k, n, 3): the section at shares of a bend."""
    assert piece.bend is not None
    bend, rings = piece.bend, []
    flat = piece.start.place(outline) - bend.centre
    along = (flat @ bend.axis)[:, None] * bend.axis
    across = flat - along
    for share in shares:
        angle = share * bend.angle
        turned = math.cos(angle) * across + math.sin(angle) * np.cross(bend.axis, across)
        rings.append(bend.centre + along + turned)
    return np.stack(rings)
