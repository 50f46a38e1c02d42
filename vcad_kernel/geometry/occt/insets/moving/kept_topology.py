"""Insets in which every face, edge and corner of the body stays: proven first, and only then built.

To move a body's topology along takes a hundredth of the time that cutting all moved faces with each other
does. It is right where

1. faces are planes, cylinders, cones, spheres and tori, edges are straight or round, and each of them moves
   straight (:mod:`vcad_kernel.geometry.occt.insets.moving.moving_boundary`);
2. no radius and no edge shrinks to nothing, and no two borders of one face come together: those that are
   further apart than both of them move within the face cannot;
3. no two places of the boundary meet that were apart. What the moving boundary leaves behind only grows, so
   that where two of its sheets first touch, the body lies between them, and they cannot look the same way:
   if all their outward normals lay in one open half-space, both would leave the same side of the place free.
   So pieces of the boundary (of faces by no more than 60°, sharp edges, corners) whose cones of normals may
   hold opposite ones must be further apart than both of them move; all others may be as near as they are.
   Pieces about one axis, which move within its half-planes, meet only where they lie in the same ones.
   Of a convex body none of that is asked: its insets are convex, too, as they are what moved half-spaces,
   cylinders, balls and the like have in common. Two sheets of such a one meet when nothing but a flat piece,
   a line or a point is left of it, and before that each face between them has lost its height or its edges,
   which 2 rules out.

Nothing of this is looked at after building: it holds for all distances up to the one that it is asked for.
Whatever is not that simple is not called wrong, but left to
:mod:`vcad_kernel.geometry.occt.insets.insetting`. Lengths in millimetres, angles in radians.

Earns its place by the benchmark of the bottle: a third of the time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.BRepTools import BRepTools
from OCP.TopAbs import TopAbs_FORWARD, TopAbs_SHELL
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Iterator, TopoDS_Shape, TopoDS_Shell, TopoDS_Solid

from vcad_kernel.geometry.occt.brep import edges_of, faces_of, shape_map, solids_of
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.insets.moving.moved_copy import MovedCopy
from vcad_kernel.geometry.occt.insets.moving.moving_boundary import (
    PLANE,
    SPHERE,
    TORUS,
    MovedEdge,
    MovingBoundary,
    NotStraight,
    Points,
    Surface,
)
from vcad_kernel.geometry.occt.measure.validity import is_valid
from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["KeptTopology"]

_WIDEST = math.pi / 3.0
"""Radians of u, and of v, of one piece of a face."""
_MOST_PIECES = 1500
"""Of one body: all are compared with each other."""
_MOST_MEASURED = 40
"""Pairs of shapes whose distance is looked for where that of their boxes is too small; 0.2 ms each."""
_SAME_AXIS = 1e-7
"""Radians and millimetres."""
_PRECISION = 1e-7
"""Millimetres: OpenCASCADE's own."""


class KeptTopology:
    """The insets of one body as long as all of it stays."""

    def __init__(self, shape: TopoDS_Shape, opened: Sequence[TopoDS_Face] = ()) -> None:
        """shape: sound and outward oriented. opened: faces that stay where they are."""
        self._shape = shape
        self._faces = faces_of(shape)
        self._opened = [face for face in self._faces if any(face.IsSame(other) for other in opened)]
        self._moving = self._solved()

    def inset(self, distance: float) -> TopoDS_Shape | None:
        """The inset as a solid; None where that is not proven, or where it reaches the boundary."""
        if self._opened:
            return None
        copy = self._copied(distance)
        return copy.shape if copy is not None and is_valid(copy.shape) else None

    def hollowed(self, distance: float) -> tuple[TopoDS_Shape, list[list[TopoDS_Face]]] | None:
        """The body less its inset, and what is left of each opened face; None where that is not proven."""
        copy = self._copied(distance) if self._opened else None
        if copy is None:
            return None
        builder, shell, solid = BRep_Builder(), TopoDS_Shell(), TopoDS_Solid()
        builder.MakeShell(shell)
        rings = []
        for face, moved in zip(self._faces, copy.faces, strict=True):
            if self._is_open(face):
                rings.append(_rings(face, moved))
                continue
            builder.Add(shell, face)
            builder.Add(shell, moved.Reversed())
        for ring in itertools.chain.from_iterable(rings):
            builder.Add(shell, ring)
        shell.Closed(True)
        builder.MakeSolid(solid)
        builder.Add(solid, shell)
        return (solid, rings) if is_valid(solid) else None

    def _copied(self, distance: float) -> MovedCopy | None:
        """The body with its boundary moved by the distance."""
        if self._moving is None or not self._holds(self._moving, distance):
            return None
        try:
            return MovedCopy(self._shape, self._moving, distance)
        except NotStraight:
            return None
        except OCCT_ERRORS:
            return None

    def _is_open(self, face: TopoDS_Face) -> bool:
        return any(face.IsSame(opened) for opened in self._opened)

    def _solved(self) -> MovingBoundary | None:
        if len(solids_of(self._shape)) != 1 or shape_map(self._shape, TopAbs_SHELL).Extent() != 1:
            return None
        try:
            moving = MovingBoundary(self._shape, self._faces, self._is_open)
        except NotStraight:
            return None
        stays = moving.speeds == 0.0
        # an opening is flat, alone, and becomes smaller all around
        if any(moving.surfaces[face].kind != PLANE for face in np.flatnonzero(stays).tolist()):
            return None
        if any(sum(bool(stays[face]) for face in faces) > 1 for faces in moving.at_corner):
            return None
        if any(edge.is_concave and stays[list(edge.faces)].any() for edge in moving.edges):
            return None
        return moving

    def _holds(self, moving: MovingBoundary, distance: float) -> bool:
        """Whether all of the body stays up to an inset by a distance."""
        least = distance * (1.0 + 1e-6) + LINEAR
        rooms = [surface.room for surface in moving.surfaces] + [edge.room for edge in moving.edges]
        if min(rooms) <= least or not moving.fits(distance):
            return False
        sheets = iter(()) if moving.is_convex else _sheets(moving, distance)
        doubts = itertools.chain(_borders(moving, distance), sheets)
        for count, doubt in enumerate(doubts):
            if doubt.is_joined or count >= _MOST_MEASURED or not doubt.is_unfounded:
                return False
        return True


@dataclass(frozen=True, slots=True, eq=False)
class _Doubt:
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


def _borders(moving: MovingBoundary, distance: float) -> Iterator[_Doubt]:
    """Pairs of a face's edges, not next to each other, that may come together within the face."""
    boxes = _boxes([edge.points for edge in moving.edges], [_sag(edge) for edge in moving.edges])
    of_face: list[list[int]] = [[] for _ in moving.faces]
    speeds_of: list[list[float]] = [[] for _ in moving.faces]
    for index, edge in enumerate(moving.edges):
        for face, speed in zip(edge.faces, edge.sideways, strict=True):
            of_face[face].append(index)
            speeds_of[face].append(speed)
    for there, sideways in zip(of_face, speeds_of, strict=True):
        if not any(sideways):
            continue
        speeds = np.array(sideways)
        reaches = (speeds[:, None] + speeds) * distance * (1.0 + 1e-6)
        near = np.triu((_gaps(boxes[there]) <= reaches + LINEAR) & (reaches > 0.0), 1)
        for i, j in np.argwhere(near).tolist():
            edge, other = moving.edges[there[i]], moving.edges[there[j]]
            reach = float(reaches[i, j]) + LINEAR
            if not set(edge.corners) & set(other.corners) and _rims_apart(edge, other) <= reach:
                yield _Doubt(edge.edge, other.edge, reach, False)


def _rims_apart(edge: MovedEdge, other: MovedEdge) -> float:
    """How far arcs about one axis are apart at least; 0 of others."""
    if (
        edge.arc is None
        or other.arc is None
        or not _is_on_axis(edge.arc.axis, edge.arc.centre, other.arc.axis, other.arc.centre)
    ):
        return 0.0
    rise = float((other.arc.centre - edge.arc.centre) @ edge.arc.axis)
    return math.hypot(edge.arc.radius - other.arc.radius, rise)


def _is_on_axis(axis: Points, place: Points, other_axis: Points, other_place: Points) -> bool:
    way = other_place - place
    return bool(
        np.abs(crossed(axis, other_axis)).max() <= _SAME_AXIS
        and np.abs(crossed(axis, way)).max() <= _SAME_AXIS
    )


def _sag(edge: MovedEdge) -> float:
    """How far it leaves the box of its points."""
    return 0.0 if edge.arc is None else edge.arc.radius * (1.0 - math.cos(edge.arc.angle / 8.0))


def _boxes(points: Sequence[Points], spare: Sequence[float]) -> Points:
    """(n, 2, 3) of sets of points (k, 3), wider by so much."""
    boxes = np.array([(there.min(axis=0), there.max(axis=0)) for there in points]).reshape(-1, 2, 3)
    boxes[:, 0] -= np.array(spare)[:, None]
    boxes[:, 1] += np.array(spare)[:, None]
    return boxes


def _gaps(boxes: Points) -> Points:
    """(n, n) distances between boxes (n, 2, 3)."""
    between = boxes[:, None, 0] - boxes[None, :, 1]
    return np.asarray(
        np.linalg.norm(np.maximum(np.maximum(between, between.transpose(1, 0, 2)), 0.0), axis=2)
    )


# ---------------------------------------------------------------- sheets that look at each other


@dataclass(frozen=True, slots=True, eq=False)
class _Wedge:
    """Where something lies about an axis."""

    axis: Points
    place: Points
    """On the axis."""
    middle: Points
    half: float
    """Angle about the axis to either side of the middle."""

    def is_clear_of(self, other: _Wedge) -> bool:
        """Whether both have no half-plane of one axis in common."""
        if not _is_on_axis(self.axis, self.place, other.axis, other.place):
            return False
        here, there = (_across(self.axis, wedge.middle - wedge.place) for wedge in (self, other))
        return _angle(here, there) > self.half + other.half + 1e-6


@dataclass(frozen=True, eq=False)
class _Piece:
    """A part of the boundary that is looked at as one."""

    owner: int
    """Number of the face, edge or corner of which it is a part."""
    points: Points
    """(n, 3)"""
    spare: float
    """How far it leaves their box."""
    normals: Points
    """(k, 3) out of the body, in its middle."""
    bends: Points
    """(k,) angles by which those of its other places are away from these at most."""
    wedge: _Wedge | None = None

    @cached_property
    def middle(self) -> Points:
        """The axis of a cone that holds all of its normals."""
        total: Points = self.normals.sum(axis=0)
        if len(self.normals) == 1:
            return total
        length = float(np.linalg.norm(total))
        return np.asarray(total / length) if length > 1e-9 else self.normals[0]

    @cached_property
    def spread(self) -> float:
        """Half the angle of that."""
        if len(self.normals) == 1:
            return float(self.bends[0])
        return self.strays(self.middle)

    def strays(self, direction: Points) -> float:
        """The greatest angle between a unit direction and its normals."""
        return float((np.arccos(np.clip(self.normals @ direction, -1.0, 1.0)) + self.bends).max())

    def looks_along_with(self, other: _Piece) -> bool:
        """Whether a direction is known that lies before all normals of both."""
        between = self.middle + other.middle
        between /= max(float(np.linalg.norm(between)), 1e-9)
        return any(
            max(self.strays(direction), other.strays(direction)) < 0.5 * math.pi - 1e-6
            for direction in (between, self.middle, other.middle)
        )


def _across(axis: Points, vector: Points) -> Points:
    return np.asarray(vector - (vector @ axis) * axis)


def _angle(vector: Points, other: Points) -> float:
    lengths = float(np.linalg.norm(vector) * np.linalg.norm(other))
    return math.acos(max(-1.0, min(1.0, float(vector @ other) / lengths))) if lengths > 0.0 else 0.0


def _sheets(moving: MovingBoundary, distance: float) -> Iterator[_Doubt]:
    """Pairs of faces, sharp edges and corners that may look at each other and meet."""
    pieces = list(_pieces(moving))
    owners = _owners(moving)
    speeds = np.array([owners[piece.owner][1] for piece in pieces])
    middles, spreads = (
        np.array([piece.middle for piece in pieces]),
        np.array([piece.spread for piece in pieces]),
    )
    of = np.array([piece.owner for piece in pieces])
    angles = np.arccos(np.clip(middles @ middles.T, -1.0, 1.0))
    opposite = angles + spreads[:, None] + spreads >= math.pi - 1e-6
    reaches = (speeds[:, None] + speeds) * distance * (1.0 + 1e-6) + LINEAR
    turned = _frame(moving)
    boxes = _boxes([piece.points @ turned for piece in pieces], [piece.spare for piece in pieces])
    doubtful = np.triu(opposite & (of[:, None] != of) & (_gaps(boxes) <= reaches), 1)
    looked_at = set()
    for i, j in np.argwhere(doubtful).tolist():
        piece, other = pieces[i], pieces[j]
        pair = piece.owner, other.owner
        if (
            pair in looked_at
            or (piece.wedge and other.wedge and piece.wedge.is_clear_of(other.wedge))
            or piece.looks_along_with(other)
        ):
            continue
        looked_at.add(pair)
        (shape, _, corners), (other_shape, _, other_corners) = owners[piece.owner], owners[other.owner]
        yield _Doubt(shape, other_shape, float(reaches[i, j]), bool(corners & other_corners))


def _owners(moving: MovingBoundary) -> list[tuple[TopoDS_Shape, float, set[int]]]:
    """Faces, edges and corners: each with how fast it moves at most, and its corners."""
    corners: list[set[int]] = [set() for _ in moving.faces]
    for corner, faces in enumerate(moving.at_corner):
        for face in faces:
            corners[face].add(corner)
    owners: list[tuple[TopoDS_Shape, float, set[int]]] = []
    fastest = moving.speeds.copy()
    for edge in moving.edges:
        if edge.is_concave:
            # its faces go on where there was nothing of them; elsewhere each place of a face comes from
            # one of the face itself along the normal
            for face in edge.faces:
                fastest[face] = max(fastest[face], edge.speed)
    owners += [(face, float(fastest[index]), corners[index]) for index, face in enumerate(moving.faces)]
    owners += [(edge.edge, edge.speed, set(edge.corners)) for edge in moving.edges]
    lengths = np.linalg.norm(moving.velocities, axis=1).tolist()
    owners += [(vertex, lengths[index], {index}) for index, vertex in enumerate(moving.vertices)]
    return owners


def _frame(moving: MovingBoundary) -> Points:
    """(3, 3) axes of the body, as columns, in which boxes of its pieces are small."""
    first = next((index for index, surface in enumerate(moving.surfaces) if surface.kind == PLANE), None)
    if first is None:
        return np.eye(3)
    up = moving.surfaces[first].axis
    straight = (
        edge.points[-1] - edge.points[0] for edge in moving.edges if first in edge.faces and edge.arc is None
    )
    along = next(straight, np.eye(3)[int(np.abs(up).argmin())])
    along = _across(up, along)
    along /= np.linalg.norm(along)
    return np.column_stack([along, crossed(up, along), up])


def _pieces(moving: MovingBoundary) -> Iterator[_Piece]:
    for number, surface in enumerate(moving.surfaces):
        if surface.kind == PLANE:
            yield _flat_piece(moving, number)
        else:
            yield from _round_pieces(moving, surface, number)
    for index, edge in enumerate(moving.edges):
        if edge.turn:
            yield from _edge_pieces(moving, edge, len(moving.faces) + index)
    first = len(moving.faces) + len(moving.edges)
    for corner, faces in enumerate(moving.at_corner):
        normals = _distinct(moving.normals[corner][: len(faces)])
        # with two normals it is a place of an edge like any other
        if len(normals) > 2:
            bends = np.zeros(len(normals))
            yield _Piece(first + corner, moving.corners[[corner]], 0.0, normals, bends)


def _distinct(vectors: Points) -> Points:
    kept: list[Points] = []
    for vector in vectors:
        if all(np.abs(vector - other).max() > _SAME_AXIS for other in kept):
            kept.append(vector)
    return np.array(kept)


def _flat_piece(moving: MovingBoundary, number: int) -> _Piece:
    edges = [edge for edge in moving.edges if number in edge.faces]
    points = np.concatenate([edge.points for edge in edges])
    normal = moving.whole.at(points[:1], [number])[1]
    return _Piece(number, points, max(map(_sag, edges)), normal, np.zeros(1))


def _round_pieces(moving: MovingBoundary, surface: Surface, number: int) -> Iterator[_Piece]:
    """A curved face, over its range of parameters, by no more than 60° of u and of v."""
    low_u, high_u, low_v, high_v = surface.bounds
    turns_over = surface.kind in (SPHERE, TORUS)
    many_u = max(1, math.ceil((high_u - low_u) / _WIDEST - 1e-9))
    many_v = max(1, math.ceil((high_v - low_v) / _WIDEST - 1e-9)) if turns_over else 1
    half_u = 0.5 * (high_u - low_u) / many_u
    half_v = 0.5 * (high_v - low_v) / many_v
    us, vs = np.linspace(low_u, high_u, 2 * many_u + 1), np.linspace(low_v, high_v, 2 * many_v + 1)
    grid = surface.places(np.repeat(us, len(vs)), np.tile(vs, len(us))).reshape(len(us), len(vs), 3)
    middles = grid[1::2, 1::2].reshape(-1, 3)
    normals = moving.whole.at(middles, [number] * len(middles))[1].reshape(many_u, many_v, 3)
    # between places of the grid the surface is a bow of half a step to either side
    across = grid - surface.origin
    across = across - (across @ surface.axis)[..., None] * surface.axis
    widest = math.sqrt(float(np.einsum("ijk,ijk->ij", across, across).max()))
    tube = surface.shape[-1] if turns_over else 0.0
    spare = (widest + tube) * (1.0 - math.cos(0.5 * half_u))
    spare += tube * (1.0 - math.cos(0.5 * half_v)) if turns_over else 0.0
    # normals turn no faster than the parameters
    bend = np.array([math.hypot(half_u, half_v) if turns_over else half_u])
    for i, j in itertools.product(range(many_u), range(many_v)):
        points = grid[2 * i : 2 * i + 3, 2 * j : 2 * j + 3].reshape(-1, 3)
        wedge = _Wedge(surface.axis, surface.origin, points[4], half_u)
        yield _Piece(number, points, spare, normals[i, j, None], bend, wedge)


def _edge_pieces(moving: MovingBoundary, edge: MovedEdge, owner: int) -> Iterator[_Piece]:
    if edge.arc is None:
        yield _Piece(
            owner, edge.points[[0, -1]], 0.0, np.array([there[2] for there in edge.normals]), np.zeros(2)
        )
        return
    arc = edge.arc
    count = math.ceil(arc.angle / _WIDEST - 1e-9)
    out = edge.points[0] - arc.centre
    aside = crossed(arc.axis, out)
    half = 0.5 * arc.angle / count
    for index in range(count):
        angles = half * np.array([[2 * index], [2 * index + 1], [2 * index + 2]])
        points = arc.centre + np.cos(angles) * out + np.sin(angles) * aside
        normals = moving.whole.at(np.repeat(points[1:2], 2, axis=0), edge.faces)[1]
        # about the axis they turn with the place, and by less the nearer they are to it
        bends = half * np.sqrt((crossed(normals, arc.axis) ** 2).sum(axis=1))
        wedge = _Wedge(arc.axis, arc.centre, points[1], half)
        spare = arc.radius * (1.0 - math.cos(0.5 * half))
        yield _Piece(owner, points, spare, normals, bends, wedge)


# ---------------------------------------------------------------- openings


def _rings(opened: TopoDS_Face, moved: TopoDS_Face) -> list[TopoDS_Face]:
    """What is left of an opened face between its borders and those that have moved: a wall around each.

    moved: its copy, which lies in the same plane.
    """
    builder, rings = BRep_Builder(), []
    outer = BRepTools.OuterWire_s(opened)
    for wire, inner in zip(_wires(opened), _wires(moved), strict=True):
        ring = TopoDS.Face(opened.Oriented(TopAbs_FORWARD).EmptyCopied())
        borders = [wire, inner.Reversed()]
        # around a hole the moved border is the outer one
        for border in borders if wire.IsSame(outer) else borders[::-1]:
            builder.Add(ring, border)
        for edge in edges_of(inner):
            curve = BRep_Tool.CurveOnSurface_s(edge, moved, 0.0, 0.0)
            builder.UpdateEdge(edge, curve, ring, _PRECISION)
        rings.append(TopoDS.Face(ring.Oriented(opened.Orientation())))
    return rings


def _wires(face: TopoDS_Face) -> list[TopoDS_Shape]:
    """As they are in the face when that is forward."""
    wires, walk = [], TopoDS_Iterator(face.Oriented(TopAbs_FORWARD))
    while walk.More():
        wires.append(walk.Value())
        walk.Next()
    return wires
