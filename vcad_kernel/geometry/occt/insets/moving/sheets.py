"""Parts of a moving boundary that may look at each other and meet: faces, sharp edges and corners.

The boundary is cut into pieces (of faces by no more than 60°, of sharp edges, corners), each with a cone that
holds its normals. Why no others can meet is said in
:mod:`vcad_kernel.geometry.occt.insets.moving.kept_topology`. Lengths in millimetres, angles in radians.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.insets.moving.moving_boundary import (
    PLANE,
    SPHERE,
    TORUS,
    MovedEdges,
    MovingBoundary,
    Points,
)
from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["Doubt", "are_on_axis", "boxes_of", "facing", "sags_of"]

_WIDEST = math.pi / 3.0
"""Radians of u, and of v, of one piece of a face."""
_SAME_AXIS = 1e-7
"""Radians and millimetres."""


@dataclass(frozen=True, slots=True, eq=False)
class Doubt:
    """Two shapes that may come together."""

    shape: TopoDS_Shape
    other: TopoDS_Shape
    reach: float
    """How far they move together, at most."""
    is_joined: bool
    """Whether they have a corner in common."""

    @property
    def is_unfounded(self) -> bool:
        """Whether they are too far apart."""
        return float(BRepExtrema_DistShapeShape(self.shape, self.other).Value()) > self.reach


def are_on_axis(axes: Points, places: Points, other_axes: Points, other_places: Points) -> NDArray[np.bool_]:
    """(n,) whether axes (n, 3) through places (n, 3) are the same."""
    aslant = np.abs(crossed(axes, other_axes)).max(axis=1, initial=0.0)
    aside = np.abs(crossed(axes, other_places - places)).max(axis=1, initial=0.0)
    return np.asarray((aslant <= _SAME_AXIS) & (aside <= _SAME_AXIS))


def sags_of(edges: MovedEdges) -> Points:
    """(n,) how far edges leave the boxes of their points."""
    return edges.radii * (1.0 - np.cos(edges.angles / 8.0))


def boxes_of(points: Points, spare: Points) -> Points:
    """(n, 2, 3) of n sets of points (n, k, 3), wider by so much (n,)."""
    return np.stack([points.min(axis=1) - spare[:, None], points.max(axis=1) + spare[:, None]], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """Parts of the boundary that are looked at as one each."""

    owners: NDArray[np.intp]
    """(n,) numbers of the faces, then the edges, then the corners of which they are parts."""
    boxes: Points
    """(n, 2, 3)"""
    normals: Points
    """(n, k, 3) out of the body, in their middles; the first one again where there are fewer."""
    bends: Points
    """(n, k) angles by which those of their other places are away from these at most."""
    axes: Points
    """(n, 3) about which they lie; 0 = about none."""
    places: Points
    """(n, 3) on these."""
    middles: Points
    """(n, 3)"""
    halves: Points
    """(n,) angles about the axis to either side of the middles."""

    @property
    def cones(self) -> tuple[Points, Points]:
        """(n, 3) axes of cones that hold all of their normals, and (n,) half the angles of these."""
        first = self.normals[:, :1]
        is_new = np.abs(self.normals - first).max(axis=2) > 0.0
        is_new[:, 0] = True
        total = (self.normals * is_new[..., None]).sum(axis=1)
        length = np.sqrt((total * total).sum(axis=1))[:, None]
        is_one = (is_new.sum(axis=1) == 1)[:, None] | (length <= 1e-9)
        axes = np.where(is_one, first[:, 0], total / np.maximum(length, 1e-9))
        return axes, self.stray(slice(None), axes)

    def stray(self, which: NDArray[np.intp] | slice, directions: Points) -> Points:
        """(n,) greatest angles between unit directions (n, 3) and the normals of pieces."""
        cosines = np.einsum("nki,ni->nk", self.normals[which], directions)
        return np.asarray((np.arccos(np.clip(cosines, -1.0, 1.0)) + self.bends[which]).max(axis=1))

    def are_clear(self, one: NDArray[np.intp], other: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(n,) whether both are about one axis, and have no half-plane of it in common."""
        axes = self.axes[one]
        here, there = (
            out - np.einsum("ni,ni->n", out, axes)[:, None] * axes
            for out in (self.middles[which] - self.places[which] for which in (one, other))
        )
        lengths = np.sqrt((here * here).sum(axis=1) * (there * there).sum(axis=1))
        cosines = np.einsum("ni,ni->n", here, there) / np.where(lengths > 0.0, lengths, 1.0)
        angles = np.where(lengths > 0.0, np.arccos(np.clip(cosines, -1.0, 1.0)), 0.0)
        is_about = (axes != 0.0).any(axis=1) & (self.axes[other] != 0.0).any(axis=1)
        shared = are_on_axis(axes, self.places[one], self.axes[other], self.places[other])
        return np.asarray(is_about & shared & (angles > self.halves[one] + self.halves[other] + 1e-6))


def facing(moving: MovingBoundary, distance: float) -> Iterator[Doubt]:
    """Pairs of faces, sharp edges and corners that may look at each other and meet."""
    pieces = _pieces(moving)
    middles, spreads = pieces.cones
    speeds = _speeds(moving)[pieces.owners]
    angles = np.arccos(np.clip(middles @ middles.T, -1.0, 1.0))
    opposite = angles + spreads[:, None] + spreads >= math.pi - 1e-6
    reaches = (speeds[:, None] + speeds) * distance * (1.0 + 1e-6) + LINEAR
    near = _squares_apart(pieces.boxes) <= reaches**2
    one, other = np.nonzero(np.triu(near & opposite & (pieces.owners[:, None] != pieces.owners), 1))
    reaches = reaches[one, other]
    between = middles[one] + middles[other]
    between /= np.maximum(np.sqrt((between * between).sum(axis=1)), 1e-9)[:, None]
    # whether a direction is known that lies before all normals of both
    least = [
        np.maximum(pieces.stray(one, direction), pieces.stray(other, direction))
        for direction in (between, middles[one], middles[other])
    ]
    doubtful = (np.min(least, axis=0) >= 0.5 * math.pi - 1e-6) & ~pieces.are_clear(one, other)
    pairs = np.column_stack([pieces.owners[one], pieces.owners[other]])[doubtful].tolist()
    found = dict(zip(map(tuple, pairs), reaches[doubtful].tolist(), strict=True))
    for (here, there), reach in found.items():
        is_joined = bool(_corners(moving, here) & _corners(moving, there))
        yield Doubt(_shape(moving, here), _shape(moving, there), reach, is_joined)


def _squares_apart(boxes: Points) -> Points:
    """(n, n) squares of the distances between boxes (n, 2, 3)."""
    total = np.zeros((len(boxes), len(boxes)))
    for low, high in boxes.transpose(2, 1, 0):
        between = low[:, None] - high
        apart = np.maximum(np.maximum(between, between.T), 0.0)
        total += apart * apart
    return total


def _speeds(moving: MovingBoundary) -> Points:
    """(n,) how fast faces, edges and corners move at most."""
    fastest, edges = moving.speeds.copy(), moving.edges
    # beside a concave edge faces go on where there was nothing of them; elsewhere each place of a face comes
    # from one of the face itself along the normal
    for side in (0, 1):
        np.maximum.at(fastest, edges.faces[edges.are_concave, side], edges.speeds[edges.are_concave])
    corners = np.sqrt((moving.velocities * moving.velocities).sum(axis=1))
    return np.concatenate([fastest, edges.speeds, corners])


def _shape(moving: MovingBoundary, owner: int) -> TopoDS_Shape:
    """A face, an edge or a corner."""
    index = owner - len(moving.faces)
    if index < 0:
        return moving.faces[owner]
    if index < len(moving.edges.numbers):
        return moving.numbers.edges[int(moving.edges.numbers[index])]
    return moving.vertices[index - len(moving.edges.numbers)]


def _corners(moving: MovingBoundary, owner: int) -> set[int]:
    """The numbers of its corners."""
    index = owner - len(moving.faces)
    if index < 0:
        return set(np.nonzero(moving.at_corner == owner)[0].tolist())
    if index < len(moving.edges.numbers):
        return set(moving.edges.corners[index].tolist())
    return {index - len(moving.edges.numbers)}


def _frame(moving: MovingBoundary) -> Points:
    """(3, 3) axes of the body, as columns, in which boxes of its pieces are small."""
    flat = np.flatnonzero(moving.whole.kinds == PLANE)
    if not len(flat):
        return np.eye(3)
    up, edges = moving.whole.frames[flat[0], 2], moving.edges
    beside = np.flatnonzero((edges.faces == flat[0]).any(axis=1) & (edges.angles == 0.0))
    along = edges.axes[beside[0]] if len(beside) else np.eye(3)[int(np.abs(up).argmin())]
    along = along - (along @ up) * up
    along /= math.hypot(*along.tolist())
    return np.column_stack([along, crossed(up, along), up])


def _pieces(moving: MovingBoundary) -> _Pieces:
    turned = _frame(moving)
    edges = moving.edges
    in_frame = boxes_of(edges.points @ turned, sags_of(edges))
    kinds = [
        _flat_pieces(moving, in_frame),
        _round_pieces(moving, turned),
        _straight_pieces(moving, in_frame),
        _bent_pieces(moving, turned),
        _corner_pieces(moving, turned),
    ]
    most = max(piece.normals.shape[1] for piece in kinds)

    def joined(name: str) -> Points:
        columns = [getattr(piece, name) for piece in kinds]
        if name in ("normals", "bends"):
            columns = [
                np.concatenate([there, np.repeat(there[:, :1], most - there.shape[1], axis=1)], axis=1)
                for there in columns
            ]
        return np.concatenate(columns)

    owners = np.concatenate([piece.owners for piece in kinds])
    names = ("boxes", "normals", "bends", "axes", "places", "middles", "halves")
    return _Pieces(owners, *map(joined, names))


def _about_no_axis(owners: NDArray[np.intp], boxes: Points, normals: Points) -> _Pieces:
    """Pieces along which normals stay as they are."""
    nothing = np.zeros((len(owners), 3))
    return _Pieces(
        owners, boxes, normals, np.zeros(normals.shape[:2]), nothing, nothing, nothing, nothing[:, 0]
    )


def _flat_pieces(moving: MovingBoundary, boxes: Points) -> _Pieces:
    """boxes: (n, 2, 3) of the edges."""
    whole, faces = moving.whole, moving.edges.faces
    low, high = np.full((len(moving.faces), 3), math.inf), np.full((len(moving.faces), 3), -math.inf)
    for side in (0, 1):
        np.minimum.at(low, faces[:, side], boxes[:, 0])
        np.maximum.at(high, faces[:, side], boxes[:, 1])
    flat = np.flatnonzero(whole.kinds == PLANE)
    normals = whole.outward[flat, None] * whole.frames[flat, 2]
    return _about_no_axis(flat, np.stack([low[flat], high[flat]], axis=1), normals[:, None])


def _round_pieces(moving: MovingBoundary, turned: Points) -> _Pieces:
    """Of curved faces, over their ranges of parameters, by no more than 60° of u and of v."""
    whole = moving.whole
    rows: list[tuple[float, ...]] = []
    for number, surface in enumerate(moving.surfaces):
        if surface.kind == PLANE:
            continue
        low_u, high_u, low_v, high_v = surface.bounds
        is_tube = surface.kind in (SPHERE, TORUS)
        many_u = max(1, math.ceil((high_u - low_u) / _WIDEST - 1e-9))
        many_v = max(1, math.ceil((high_v - low_v) / _WIDEST - 1e-9)) if is_tube else 1
        half_u, half_v = 0.5 * (high_u - low_u) / many_u, 0.5 * (high_v - low_v) / many_v
        tube = surface.shape[-1] if is_tube else 0.0
        rows += [
            (number, low_u + (2 * i + 1) * half_u, low_v + (2 * j + 1) * half_v, half_u, half_v, tube)
            for i in range(many_u)
            for j in range(many_v)
        ]
    table = np.array(rows).reshape(-1, 6)
    which, halves_u, halves_v, tubes = table[:, 0].astype(np.intp), table[:, 3], table[:, 4], table[:, 5]
    steps = np.array([-1.0, 0.0, 1.0])
    us = np.repeat(table[:, 1:2] + halves_u[:, None] * steps, 3, axis=1)
    vs = np.tile(table[:, 2:3] + halves_v[:, None] * steps, 3)
    points = whole.places(which, us, vs)
    middles = points[:, 4]
    normals = whole.at(middles, which)[1]
    axes, origins = whole.frames[which, 2], whole.origins[which]
    out = points - origins[:, None]
    out -= np.einsum("nki,ni->nk", out, axes)[..., None] * axes[:, None]
    # between places of the grid the surface is a bow of half a step to either side
    widest = np.sqrt((out * out).sum(axis=2).max(axis=1, initial=0.0))
    bow_v = np.where(tubes > 0.0, 1.0 - np.cos(0.5 * halves_v), 0.0)
    spare = (widest + tubes) * (1.0 - np.cos(0.5 * halves_u)) + tubes * bow_v
    # normals turn no faster than the parameters
    bends = np.where(tubes > 0.0, np.hypot(halves_u, halves_v), halves_u)
    return _Pieces(
        which, boxes_of(points @ turned, spare), normals[:, None], bends[:, None], axes, origins, middles,
        halves_u,
    )  # fmt: skip


def _straight_pieces(moving: MovingBoundary, boxes: Points) -> _Pieces:
    """boxes: (n, 2, 3) of the edges."""
    edges = moving.edges
    which = np.flatnonzero((edges.turns > 0.0) & (edges.angles == 0.0))
    return _about_no_axis(
        len(moving.faces) + which, boxes[which], edges.normals[:, which, 2].transpose(1, 0, 2)
    )


def _bent_pieces(moving: MovingBoundary, turned: Points) -> _Pieces:
    """Of sharp arcs."""
    edges = moving.edges
    sharp = np.flatnonzero((edges.turns > 0.0) & (edges.angles > 0.0))
    counts = np.ceil(edges.angles[sharp] / _WIDEST - 1e-9).astype(np.intp)
    which = np.repeat(sharp, counts)
    numbers = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    halves = 0.5 * edges.angles[which] / np.repeat(counts, counts)
    centres, axes, radii = edges.centres[which], edges.axes[which], edges.radii[which]
    out = edges.points[which, 0] - centres
    angles = (halves[:, None] * (2 * numbers[:, None] + np.array([0, 1, 2])))[..., None]
    points = centres[:, None] + np.cos(angles) * out[:, None] + np.sin(angles) * crossed(axes, out)[:, None]
    places = np.repeat(points[:, 1], 2, axis=0)
    normals = moving.whole.at(places, edges.faces[which].ravel())[1].reshape(-1, 2, 3)
    # about the axis they turn with the place, and by less the nearer they are to it
    around = crossed(normals, np.broadcast_to(axes[:, None], normals.shape))
    bends = halves[:, None] * np.sqrt((around * around).sum(axis=2))
    boxes = boxes_of(points @ turned, radii * (1.0 - np.cos(0.5 * halves)))
    return _Pieces(len(moving.faces) + which, boxes, normals, bends, axes, centres, points[:, 1], halves)


def _corner_pieces(moving: MovingBoundary, turned: Points) -> _Pieces:
    """Of corners with more than two normals; with two they are places of an edge like any other."""
    normals, are_there = moving.normals, moving.at_corner >= 0
    same = np.abs(normals[:, :, None] - normals[:, None]).max(axis=3) <= _SAME_AXIS
    earlier = np.tri(normals.shape[1], k=-1, dtype=bool)
    is_new = are_there & ~(same & earlier & are_there[:, None]).any(axis=2)
    which = np.flatnonzero(is_new.sum(axis=1) > 2)
    distinct = np.where(is_new[which, :, None], normals[which], normals[which, :1])
    places = (moving.corners[which] @ turned)[:, None]
    first = len(moving.faces) + len(moving.edges.numbers)
    return _about_no_axis(first + which, np.concatenate([places, places], axis=1), distinct)
