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
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

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
    "MovedEdge",
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
        self.bounds: tuple[float, float, float, float] = BRepTools.UVBounds_s(numbers.faces[face])
        """Least and greatest u, least and greatest v of the face."""
        # in a right-handed frame ∂u × ∂v leads away from axes and middles of tubes, and along the axis of a
        # plane; a reversed face has the body on that side
        self.outward = numbers.outwards(face)
        """1 where the normal of the surface leads out of the body, else -1."""

    @cached_property
    def axis(self) -> Points:
        """(3,) a unit vector."""
        return np.array(self.place[6:9])

    @cached_property
    def origin(self) -> Points:
        """(3,) a place on the axis, or the middle of a sphere."""
        return np.array(self.place[9:])

    @property
    def is_convex(self) -> bool:
        """Whether the body bulges there, or is flat."""
        if self.kind == PLANE:
            return True
        _, _, low, high = self.bounds
        # the inner half of a tube is bent like a saddle
        if self.kind == TORUS and (
            high - low > math.pi + _SAME_NORMAL
            or min(math.cos(at) for at in (low, 0.5 * (low + high), high)) < -_SAME_NORMAL
        ):
            return False
        return self.outward > 0.0

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

    def places(self, us: Points, vs: Points) -> Points:
        """(n, 3) of parameters (n,), as OpenCASCADE counts them."""
        across, upwards = np.array(self.place[:3]), np.array(self.place[3:6])
        if self.kind == PLANE:
            return np.asarray(self.origin + us[:, None] * across + vs[:, None] * upwards)
        radius, height = np.zeros(0), vs
        if self.kind == CYLINDER:
            radius = np.full_like(vs, self.shape[0])
        elif self.kind == CONE:
            reference, tilt = self.shape
            radius, height = reference + vs * math.sin(tilt), vs * math.cos(tilt)
        else:
            major, minor = (0.0, self.shape[0]) if self.kind == SPHERE else self.shape
            radius, height = major + minor * np.cos(vs), minor * np.sin(vs)
        away = np.cos(us)[:, None] * across + np.sin(us)[:, None] * upwards
        return np.asarray(self.origin + radius[:, None] * away + height[:, None] * self.axis)


class Surfaces:
    """Many of them, asked all at once."""

    def __init__(self, surfaces: Sequence[Surface]) -> None:
        self._kinds = np.array([surface.kind for surface in surfaces])
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
        kinds, shapes = self._kinds[number], self._shapes[number]
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


def _lengths(vectors: Points) -> Points:
    """Of vectors (…, 3)."""
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)))


@dataclass(frozen=True, slots=True, eq=False)
class Arc:
    """The circle of an edge."""

    centre: Points
    axis: Points
    radius: float
    angle: float
    """From its first corner to its last."""


@dataclass(frozen=True, slots=True, eq=False)
class MovedEdge:
    """An edge between two faces, and how it moves."""

    edge: TopoDS_Edge
    number: int
    """In the body."""
    faces: tuple[int, int]
    """Numbers of the faces."""
    corners: tuple[int, int]
    """Numbers of its first and last corner."""
    turn: float
    """Greatest angle between the normals of its faces; 0 where they meet smoothly."""
    is_concave: bool
    points: Points
    """(5, 3) from its first corner to its last."""
    velocities: Points
    """(5, 3) of these."""
    normals: tuple[Points, Points]
    """(5, 3) of its faces there."""
    arc: Arc | None
    """None = it is straight."""

    room: float
    """The way after which nothing is left of it."""
    speed: float
    """How fast it moves at most."""
    sideways: tuple[float, float]
    """The same within each of its faces."""


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
        """Numbers of the faces at each corner."""
        self.normals = self._corner_normals()
        """(n, k, 3) of the faces at each corner, as listed; 0 where it has fewer."""
        self.velocities = self._solved(self.normals, self.at_corner)
        """(n, 3) of the corners."""
        self.seams: list[tuple[int, int]] = []
        """Edges within one face, which close it about its axis: their numbers, and those of the faces."""
        self.along: Points = np.empty((0, len(_SHARES), 3))
        self.velocities_along: Points = np.empty((0, len(_SHARES), 3))
        """(n, 5, 3) as of each edge."""
        self.sides: NDArray[np.intp] = np.empty((0, 2), np.intp)
        """(n, 2) as of each edge."""
        self.edges = self._moved_edges(numbers)
        """Those between two faces."""

    @property
    def is_convex(self) -> bool:
        """Whether the body is convex: it is so at every place of its boundary."""
        return all(surface.is_convex for surface in self.surfaces) and not any(
            edge.is_concave for edge in self.edges
        )

    def fits(self, way: float) -> bool:
        """Whether all corners and edges lie on their moved faces after a way."""
        corners, faces = self._corners_with_faces()
        places = [self.corners[corners] + way * self.velocities[corners]]
        which = [faces]
        along = (self.along + way * self.velocities_along).reshape(-1, 3)
        for side in (0, 1):
            places.append(along)
            which.append(np.repeat(self.sides[:, side], len(_SHARES)))
        there = np.concatenate(which)
        distances, _ = self.whole.at(np.concatenate(places), there)
        return bool((np.abs(distances + way * self.speeds[there]) <= _FITS).all())

    def _corners_with_faces(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Every corner with each of its faces, by number."""
        counts = [len(faces) for faces in self.at_corner]
        faces = np.array([face for there in self.at_corner for face in there], np.intp)
        return np.repeat(np.arange(len(counts)), counts), faces

    def _corner_normals(self) -> Points:
        normals = np.zeros((len(self.corners), max(map(len, self.at_corner), default=1), 3))
        corners, faces = self._corners_with_faces()
        positions = np.array([at for there in self.at_corner for at in range(len(there))], np.intp)
        normals[corners, positions] = self.whole.at(self.corners[corners], faces)[1]
        return normals

    def _solved(self, normals: Points, faces: Sequence[Sequence[int]]) -> Points:
        """(n, 3) velocities that the normals (n, k, 3) of the faces listed ask for. Raises: NotStraight."""
        wanted = np.zeros(normals.shape[:2])
        for row, there in zip(wanted, faces, strict=True):
            row[: len(there)] = -self.speeds[list(there)]
        if not np.isfinite(normals).all():
            raise NotStraight("a face is singular at a corner")
        velocities = np.einsum("nij,nj->ni", np.linalg.pinv(normals, rcond=_SAME_NORMAL), wanted)
        if np.abs(np.einsum("nki,ni->nk", normals, velocities) - wanted).max(initial=0.0) > _FITS:
            raise NotStraight("a corner cannot follow all of its faces")
        return np.asarray(velocities)

    def _moved_edges(self, numbers: BoundaryNumbers) -> list[MovedEdge]:
        """Raises: NotStraight."""
        between = self._between_faces(numbers)
        if not between:
            return []
        which = [number for number, _, _ in between]
        points, _ = numbers.curves.along(which, _SHARES)
        sides = np.array([faces for _, _, faces in between])
        places = points.reshape(-1, 3)
        normals = np.array(
            [self.whole.at(places, np.repeat(sides[:, side], len(_SHARES)))[1] for side in (0, 1)]
        ).reshape(2, *points.shape)
        turns = np.linalg.norm(normals[0] - normals[1], axis=2).max(axis=1)
        turns = 2.0 * np.arcsin(np.minimum(0.5 * turns, 1.0))
        if ((turns > _SAME_NORMAL) & (turns <= SMOOTH_EDGE)).any() or not np.isfinite(turns).all():
            raise NotStraight("two faces meet nearly smoothly")
        # inside an edge its two faces say where it goes, at its ends its corners do
        rows = normals[:, :, 1:-1].transpose(1, 2, 0, 3).reshape(-1, 2, 3)
        inner = self._solved(rows, np.repeat(sides, len(_SHARES) - 2, axis=0).tolist())
        ends = np.array([numbers.ends[number][:2] for number in which]) - 1
        velocities = np.empty(points.shape)
        velocities[:, 1:-1] = inner.reshape(len(between), -1, 3)
        velocities[:, (0, -1)] = self.velocities[ends]
        arcs = [_arc_of(numbers, number) for number in which]
        tangents = points[:, -1] - points[:, 0]
        along, closing = tangents.copy(), velocities[:, -1] - velocities[:, 0]
        straight = np.array([arc is None for arc in arcs])
        # a line goes from corner to corner, wherever its faces alone would have it
        shares = _SHARES[:, None]
        velocities[straight] = (1.0 - shares) * velocities[straight, :1] + shares * velocities[straight, -1:]
        there = np.flatnonzero(~straight)
        if len(there):
            centres = np.array([arc.centre for arc in arcs if arc is not None])
            axes = np.array([arc.axis for arc in arcs if arc is not None])
            out = points[there] - centres[:, None]
            for vectors in (velocities[there], normals[0, there], normals[1, there]):
                _check_round(out, axes, vectors)
            along[there], closing[there] = out[:, 2], velocities[there, 2]
            tangents[there] = crossed(axes, out[:, 2])
        lengths = _lengths(along)
        speeds = -np.einsum("ij,ij->i", closing, along) / lengths
        rooms = np.divide(lengths, speeds, out=np.full_like(lengths, math.inf), where=speeds > 0.0)
        # along the border of the first face
        tangents *= np.array([sign for _, sign, _ in between])[:, None]
        bends = np.einsum("ij,ij->i", crossed(normals[0, :, 2], tangents), normals[1, :, 2])
        within = velocities - np.einsum("sijk,ijk->sij", normals, velocities)[..., None] * normals
        turns[turns <= _SAME_NORMAL] = 0.0
        sideways = np.where(turns > 0.0, _lengths(within).max(axis=2), 0.0).T
        fastest = _lengths(velocities).max(axis=1)
        self.along, self.velocities_along, self.sides = points, velocities, sides
        return [
            MovedEdge(
                numbers.edges[number], number, faces, (int(ends[index, 0]), int(ends[index, 1])),
                float(turns[index]), bool(turns[index] > 0.0 and bends[index] > 0.0),
                points[index], velocities[index], (normals[0, index], normals[1, index]), arcs[index],
                float(rooms[index]), float(fastest[index]),
                (float(sideways[index, 0]), float(sideways[index, 1])),
            )
            for index, (number, _, faces) in enumerate(between)
        ]  # fmt: skip

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
            elif others[0][0] != first:
                between.append((number, sign, (first, others[0][0])))
            else:
                _arc_of(numbers, number)
                self.seams.append((number, first))
        return between


def _faces_at_corners(numbers: BoundaryNumbers, count: int) -> list[list[int]]:
    """count: of the corners. Raises: NotStraight."""
    at_corner: list[list[int]] = [[] for _ in range(count)]
    for face, sides in enumerate(numbers.sides):
        for edge, _ in sides:
            for corner in numbers.ends[edge][:2]:
                if face not in at_corner[corner - 1][-1:]:
                    at_corner[corner - 1].append(face)
    if not all(at_corner):
        raise NotStraight("a corner lies within a face")
    return at_corner


def _arc_of(numbers: BoundaryNumbers, edge: int) -> Arc | None:
    """None of a line. Raises: NotStraight of what is neither."""
    kind = numbers.curves.kinds[edge]
    if kind == LINE:
        return None
    if kind != CIRCLE:
        raise NotStraight("an edge is neither straight nor round")
    row = numbers.curves.rows[edge]
    return Arc(row[6:9], row[9:12], float(row[12]), float(row[13]))


def _check_round(out: Points, axes: Points, vectors: Points) -> None:
    """Whether vectors (n, 5, 3) at places of n arcs are one each that is turned about its axis.

    out: (n, 5, 3) from the middles. Raises: NotStraight.
    """
    away = out / _lengths(out)[..., None]
    widening = np.einsum("ij,ij->i", vectors[:, 2], away[:, 2])
    rising = np.einsum("ij,ij->i", vectors[:, 2], axes)
    turned = widening[:, None, None] * away + (rising[:, None] * axes)[:, None]
    if np.abs(vectors - turned).max() > _FITS:
        raise NotStraight("an arc does not stay one about its axis")
