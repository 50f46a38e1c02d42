"""The boundary of a body as its faces move inwards: where surfaces, corners and edges go, in numbers.

Each face moves along its normal with a speed of 1, or of 0 where it stays. A corner then moves as its faces
ask for: N·w = −speed for the outward unit normals N of its faces (the shortest such w, where they leave one
open). Where it keeps to all of them it does so after any way: a place that goes straight satisfies the
equation of a moved plane, cylinder, cone or sphere, of the second degree in the way, always, if it does so at
first, to the first order, and after one way more; on a torus that is so where it goes along the normal.

Arrays of points have the shape (n, 3). Lengths in millimetres, angles in radians; velocities are lengths per
way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepTools import BRepTools
from OCP.GeomAbs import (
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Plane,
    GeomAbs_Sphere,
    GeomAbs_Torus,
)
from OCP.TopAbs import TopAbs_VERTEX
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import shape_map
from vcad_kernel.geometry.occt.measure.distances.elementary import ELEMENTARY
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import (
    CIRCLE,
    LINE,
    POINT,
    BoundaryNumbers,
    boundary_numbers,
)
from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.tolerance import SMOOTH_EDGE

__all__ = [
    "CONE",
    "CYLINDER",
    "PLANE",
    "SPHERE",
    "TORUS",
    "MovedEdges",
    "MovingBoundary",
    "NotStraight",
    "Points",
    "Surface",
    "Surfaces",
]

Points = NDArray[np.float64]

PLANE, CYLINDER, CONE = GeomAbs_Plane.value, GeomAbs_Cylinder.value, GeomAbs_Cone.value
SPHERE, TORUS = GeomAbs_Sphere.value, GeomAbs_Torus.value
_SAME_NORMAL = 1e-6
"""Radians: normals nearer to each other than this are one and the same. Between this and ``SMOOTH_EDGE``
nothing is solved for."""
_FITS = 1e-7
"""Share of the way, and millimetres: OpenCASCADE's own precision, by which edges and corners of sound bodies
may miss their faces."""
_SHARES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Where along an edge it is looked at. A line that has three places in common with a surface of the second
degree lies in it, and no line lies in a torus."""


class NotStraight(Exception):
    """Something of a body is no elementary surface, no line and no circle, or does not move straight."""


class Surface:
    """The whole surface of a face in closed form."""

    def __init__(self, numbers: BoundaryNumbers, face: int) -> None:
        """face: its number. Raises: NotStraight."""
        self.kind: int = numbers.kinds[face]
        elementary = ELEMENTARY.get(self.kind)
        if elementary is None:
            raise NotStraight("a face is free-form")
        row = numbers.surface_numbers(face)
        axes = elementary.axes(numbers.surfaces[face])
        self.place = (*axes.XDirection().Coord(), *axes.YDirection().Coord(), *row[3:6], *row[:3])
        """Its axes, the third one that of the surface, and their origin."""
        self.shape = row[6:]
        self._face = numbers.faces[face]
        # in a right-handed frame ∂u × ∂v leads away from axes and middles of tubes, and along the axis of a
        # plane; a reversed face has the body on that side
        self.outward = numbers.outwards(face)
        """1 where the normal of the surface leads out of the body, else -1."""

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """Least and greatest u, least and greatest v of the face."""
        low_u, high_u, low_v, high_v = BRepTools.UVBounds_s(self._face)
        return low_u, high_u, low_v, high_v

    @property
    def is_convex(self) -> bool:
        """Whether the body bulges there, or is flat."""
        if self.kind == PLANE:
            return True
        if self.outward < 0.0 or self.kind != TORUS:
            return self.outward > 0.0
        _, _, low, high = self.bounds
        # the inner half of a tube is bent like a saddle
        return high - low <= math.pi + _SAME_NORMAL and all(
            math.cos(at) >= -_SAME_NORMAL for at in (low, 0.5 * (low + high), high)
        )

    @property
    def room(self) -> float:
        """The way inwards after which it is gone, or meets itself about its axis."""
        shrinks = self.outward > 0.0
        if self.kind in (CYLINDER, SPHERE):
            return self.shape[0] if shrinks else math.inf
        if self.kind == TORUS:
            return self._room_of_tube(shrinks)
        return math.inf

    def _room_of_tube(self, shrinks: bool) -> float:
        """The same for the part of a torus that its face takes up: no further inwards than its axis."""
        major, minor = self.shape
        _, _, low, high = self.bounds
        # the first place at or after the beginning where the tube is nearest to the axis
        nearest = low + (math.pi - low) % (2.0 * math.pi)
        inwards = 1.0 if nearest <= high else -min(math.cos(low), math.cos(high))
        widest = major / inwards if inwards > 0.0 else math.inf
        if minor >= widest:
            return 0.0
        return minor if shrinks else widest - minor


class Surfaces:
    """Many of them, asked all at once."""

    def __init__(self, surfaces: Sequence[Surface]) -> None:
        self.kinds = np.array([surface.kind for surface in surfaces])
        nothing = (0.0, 0.0)
        rows = np.array(
            [(*s.place, s.outward, *s.shape, *nothing[len(s.shape) :]) for s in surfaces]
        ).reshape(-1, 15)
        self.frames = rows[:, :9].reshape(-1, 3, 3)
        """(n, 3, 3) their axes, as rows; the third one is that of the surface."""
        self.origins = rows[:, 9:12]
        """(n, 3)"""
        self.outward = rows[:, 12]
        """(n,) as of each."""
        self._shapes = rows[:, 13:]

    def at(self, points: Points, which: Sequence[int] | NDArray[np.intp]) -> tuple[Points, Points]:
        """Signed distances (n,) of points (n, 3) each from its surface, positive outside of the body, and the
        outward normals there.

        A cone is taken as far as its apex. Nothing of what is singular is finite.
        """
        number = np.asarray(which, np.intp)
        kinds, shapes = self.kinds[number], self._shapes[number]
        offset, axis = points - self.origins[number], self.frames[number, 2]
        first, second = shapes[:, 0], shapes[:, 1]
        height = np.einsum("ij,ij->i", offset, axis)
        # of a plane
        distance, normals = height.copy(), axis.copy()
        with np.errstate(invalid="ignore", divide="ignore"):
            across = offset - height[:, None] * axis
            length = _lengths(across)
            away = across / length[:, None]
            for kind in set(kinds.tolist()) - {PLANE}:
                there = kinds == kind
                if kind == CYLINDER:
                    distance[there], normals[there] = (length - first)[there], away[there]
                elif kind == CONE:
                    sine, cosine = np.sin(second[there]), np.cos(second[there])
                    distance[there] = (length - first)[there] * cosine - height[there] * sine
                    normals[there] = cosine[:, None] * away[there] - sine[:, None] * axis[there]
                elif kind == SPHERE:
                    radius = _lengths(offset[there])
                    distance[there], normals[there] = radius - first[there], offset[there] / radius[:, None]
                else:
                    from_tube = offset[there] - first[there, None] * away[there]
                    radius = _lengths(from_tube)
                    distance[there], normals[there] = radius - second[there], from_tube / radius[:, None]
        outward = self.outward[number]
        return outward * distance, outward[:, None] * normals

    def places(self, which: NDArray[np.intp], us: Points, vs: Points) -> Points:
        """(n, k, 3) of parameters (n, k), as OpenCASCADE counts them, each row on one of them.

        Not of planes.
        """
        kinds = self.kinds[which, None]
        first, second = self._shapes[which].T[..., None]
        is_tube, is_cone = (kinds == TORUS) | (kinds == SPHERE), kinds == CONE
        minor = np.where(kinds == TORUS, second, first)
        tilt = np.where(is_cone, second, 0.0)
        radius = np.where(
            is_tube, np.where(kinds == TORUS, first, 0.0) + minor * np.cos(vs), first + vs * np.sin(tilt)
        )
        height = np.where(is_tube, minor * np.sin(vs), vs * np.cos(tilt))
        local = np.stack([radius * np.cos(us), radius * np.sin(us), height], axis=-1)
        return np.asarray(np.einsum("nij,nki->nkj", self.frames[which], local) + self.origins[which, None])


def _lengths(vectors: Points) -> Points:
    """Of vectors (…, 3)."""
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)))


@dataclass(frozen=True, slots=True, eq=False)
class MovedEdges:
    """Edges between two faces each, and how they move."""

    numbers: NDArray[np.intp]
    """(n,) in the body."""
    faces: NDArray[np.intp]
    """(n, 2) numbers of the faces."""
    corners: NDArray[np.intp]
    """(n, 2) numbers of the first and the last corner."""
    turns: Points
    """(n,) greatest angles between the normals of the faces; 0 where they meet smoothly."""
    are_concave: NDArray[np.bool_]
    """(n,)"""
    points: Points
    """(n, 5, 3) from the first corner to the last."""
    velocities: Points
    """(n, 5, 3) of these."""
    normals: Points
    """(2, n, 5, 3) of the faces there."""
    curves: Points
    """(n, 14) the numbers of the curves, which are lines, whose angle is 0, and arcs."""
    rooms: Points
    """(n,) ways after which nothing is left of them."""
    speeds: Points
    """(n,) how fast they move at most."""
    sideways: Points
    """(n, 2) the same within each of the faces."""

    @property
    def centres(self) -> Points:
        """(n, 3) of arcs."""
        return self.curves[:, 6:9]

    @property
    def axes(self) -> Points:
        """(n, 3) of arcs, and directions of lines."""
        return self.curves[:, 9:12]

    @property
    def radii(self) -> Points:
        """(n,) of arcs; 0 of lines."""
        return self.curves[:, 12]

    @property
    def angles(self) -> Points:
        """(n,) of arcs, from the first corner to the last; 0 of lines."""
        return self.curves[:, 13]


class MovingBoundary:
    """All faces of a body, its corners and its edges, as numbers."""

    def __init__(
        self, shape: TopoDS_Shape, faces: Sequence[TopoDS_Face], is_staying: Callable[[TopoDS_Face], bool]
    ) -> None:
        """faces: all of the shape, in order. Raises: NotStraight."""
        self.faces = faces
        numbers = boundary_numbers(shape)
        if len(numbers.faces) != len(faces):
            raise NotStraight("a face is there twice")
        self.surfaces = [Surface(numbers, face) for face in range(len(faces))]
        self.whole = Surfaces(self.surfaces)
        self.speeds = np.array([0.0 if is_staying(face) else 1.0 for face in faces])
        self.numbers = numbers
        numbered = shape_map(shape, TopAbs_VERTEX)
        self.vertices = [TopoDS.Vertex(numbered.FindKey(index + 1)) for index in range(numbered.Extent())]
        self.corners = np.array([BRep_Tool.Pnt_s(vertex).Coord() for vertex in self.vertices]).reshape(-1, 3)
        self.at_corner = _faces_at_corners(numbers, len(self.corners))
        """(n, k) numbers of the faces at each corner; -1 where it has fewer."""
        self.normals = self._corner_normals()
        """(n, k, 3) of these; 0 where it has fewer."""
        self.velocities = self._corner_velocities()
        """(n, 3) of the corners."""
        self.seams: list[tuple[int, int]] = []
        """Edges within one face, which close it about its axis: their numbers, and those of the faces."""
        self.edges = self._moved_edges(numbers)
        """Those between two faces."""

    @property
    def is_convex(self) -> bool:
        """Whether the body is convex: it is so at every place of its boundary."""
        return not self.edges.are_concave.any() and all(surface.is_convex for surface in self.surfaces)

    def fits(self, way: float) -> bool:
        """Whether all corners and edges lie on their moved faces after a way."""
        corners, positions = np.nonzero(self.at_corner >= 0)
        along = (self.edges.points + way * self.edges.velocities).reshape(-1, 3)
        places = np.concatenate([self.corners[corners] + way * self.velocities[corners], along, along])
        there = np.concatenate(
            [self.at_corner[corners, positions], np.repeat(self.edges.faces.T.ravel(), len(_SHARES))]
        )
        distances, _ = self.whole.at(places, there)
        return bool((np.abs(distances + way * self.speeds[there]) <= _FITS).all())

    def _corner_normals(self) -> Points:
        """Raises: NotStraight."""
        normals = np.zeros((*self.at_corner.shape, 3))
        there = np.nonzero(self.at_corner >= 0)
        normals[there] = self.whole.at(self.corners[there[0]], self.at_corner[there])[1]
        if not np.isfinite(normals).all():
            raise NotStraight("a face is singular at a corner")
        return normals

    def _corner_velocities(self) -> Points:
        """Raises: NotStraight."""
        normals = self.normals
        wanted = np.where(self.at_corner >= 0, -self.speeds[self.at_corner], 0.0)
        velocities = np.einsum("nij,nj->ni", np.linalg.pinv(normals, rcond=_SAME_NORMAL), wanted)
        if np.abs(np.einsum("nki,ni->nk", normals, velocities) - wanted).max(initial=0.0) > _FITS:
            raise NotStraight("a corner cannot follow all of its faces")
        return np.asarray(velocities)

    def _between(self, normals: Points, faces: NDArray[np.intp]) -> Points:
        """(n, k, 3) velocities that the normals (2, n, k, 3) of two faces (n, 2) each ask for.

        The sum and the difference of unit vectors are square to each other. Raises: NotStraight.
        """
        speeds = self.speeds[faces]
        velocities = np.zeros(normals.shape[1:])
        for way, wanted in (
            (normals[0] + normals[1], -(speeds[:, 0] + speeds[:, 1])),
            (normals[0] - normals[1], speeds[:, 1] - speeds[:, 0]),
        ):
            square = np.einsum("nki,nki->nk", way, way)
            share = np.divide(
                wanted[:, None], square, out=np.zeros_like(square), where=square > 4.0 * _SAME_NORMAL**2
            )
            velocities += share[..., None] * way
        missed = np.einsum("snki,nki->snk", normals, velocities) + speeds.T[..., None]
        if np.abs(missed).max(initial=0.0) > _FITS:
            raise NotStraight("an edge cannot follow both of its faces")
        return velocities

    def _moved_edges(self, numbers: BoundaryNumbers) -> MovedEdges:
        """Raises: NotStraight."""
        between = self._between_faces(numbers)
        which = np.array([number for number, _, _ in between], np.intp)
        faces = np.array([faces for _, _, faces in between], np.intp).reshape(-1, 2)
        points = numbers.curves.along(which.tolist(), _SHARES)[0]
        curves = numbers.curves.rows[which]
        places = points.reshape(-1, 3)
        there = np.repeat(faces.T.ravel(), len(_SHARES))
        normals = self.whole.at(np.concatenate([places, places]), there)[1].reshape(2, *points.shape)
        turns = _lengths(normals[0] - normals[1]).max(axis=1)
        turns = 2.0 * np.arcsin(np.minimum(0.5 * turns, 1.0))
        if ((turns > _SAME_NORMAL) & (turns <= SMOOTH_EDGE)).any() or not np.isfinite(turns).all():
            raise NotStraight("two faces meet nearly smoothly")
        corners = np.array(numbers.ends)[which, :2] - 1
        velocities = np.empty(points.shape)
        # inside an edge its two faces say where it goes, at its ends its corners do
        velocities[:, 1:-1] = self._between(normals[:, :, 1:-1], faces)
        velocities[:, (0, -1)] = self.velocities[corners]
        tangents = points[:, -1] - points[:, 0]
        along, closing = tangents.copy(), velocities[:, -1] - velocities[:, 0]
        is_round = curves[:, 13] != 0.0
        # a line goes from corner to corner, wherever its faces alone would have it
        straight, shares = velocities[~is_round], _SHARES[:, None]
        velocities[~is_round] = (1.0 - shares) * straight[:, :1] + shares * straight[:, -1:]
        centres, axes = curves[is_round, 6:9], curves[is_round, 9:12]
        out = points[is_round] - centres[:, None]
        _check_round(out, axes, np.concatenate([velocities[None, is_round], normals[:, is_round]]))
        along[is_round], closing[is_round] = out[:, 2], velocities[is_round, 2]
        tangents[is_round] = crossed(axes, out[:, 2])
        lengths = _lengths(along)
        speeds = -np.einsum("ij,ij->i", closing, along) / lengths
        rooms = np.divide(lengths, speeds, out=np.full_like(lengths, math.inf), where=speeds > 0.0)
        # along the border of the first face
        tangents *= np.array([sign for _, sign, _ in between])[:, None]
        bends = np.einsum("ij,ij->i", crossed(normals[0, :, 2], tangents), normals[1, :, 2])
        within = velocities - np.einsum("sijk,ijk->sij", normals, velocities)[..., None] * normals
        turns[turns <= _SAME_NORMAL] = 0.0
        sideways = np.where(turns > 0.0, _lengths(within).max(axis=2), 0.0).T
        return MovedEdges(
            which, faces, corners, turns, (turns > 0.0) & (bends > 0.0), points, velocities, normals, curves,
            rooms, _lengths(velocities).max(axis=1, initial=0.0), sideways,
        )  # fmt: skip

    def _between_faces(self, numbers: BoundaryNumbers) -> list[tuple[int, float, tuple[int, int]]]:
        """Each edge, 1 or -1 as its first face has it, and its faces; not poles of spheres, nor seams.

        Seams are kept apart. Raises: NotStraight.
        """
        between = []
        for number, there in enumerate(numbers.at_edge):
            if not there:
                continue
            (first, sign), *others = there
            if numbers.curves.kinds[number] == POINT:
                if self.surfaces[first].kind != SPHERE:
                    raise NotStraight("a face ends at its apex")
            elif len(others) != 1:
                raise NotStraight("an edge does not lie between two faces")
            elif numbers.curves.kinds[number] not in (LINE, CIRCLE):
                raise NotStraight("an edge is neither straight nor round")
            elif others[0][0] != first:
                between.append((number, sign, (first, others[0][0])))
            else:
                self.seams.append((number, first))
        return between


def _faces_at_corners(numbers: BoundaryNumbers, count: int) -> NDArray[np.intp]:
    """count: of the corners. Raises: NotStraight."""
    at_corner: list[list[int]] = [[] for _ in range(count)]
    for face, sides in enumerate(numbers.sides):
        for edge, _ in sides:
            for corner in numbers.ends[edge][:2]:
                if face not in at_corner[corner - 1][-1:]:
                    at_corner[corner - 1].append(face)
    if not all(at_corner):
        raise NotStraight("a corner lies within a face")
    most = max(map(len, at_corner), default=1)
    padded = [[*there, *[-1] * (most - len(there))] for there in at_corner]
    return np.array(padded, np.intp).reshape(-1, most)


def _check_round(out: Points, axes: Points, vectors: Points) -> None:
    """Whether vectors (k, n, 5, 3) at places of n arcs are k each that are turned about its axis.

    out: (n, 5, 3) from the middles. Raises: NotStraight.
    """
    away = out / _lengths(out)[..., None]
    widening = np.einsum("kij,ij->ki", vectors[:, :, 2], away[:, 2])
    rising = np.einsum("kij,ij->ki", vectors[:, :, 2], axes)
    turned = widening[..., None, None] * away + (rising[..., None] * axes)[:, :, None]
    if np.abs(vectors - turned).max(initial=0.0) > _FITS:
        raise NotStraight("an arc does not stay one about its axis")
