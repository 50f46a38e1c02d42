"""Which face of an exact body each triangle of a mesh of it lies on, whoever made the mesh.

The mesh that is shown mostly comes from the mesh kernel, and knows of a face only who made it. So geometry
decides. The corners of a triangle lie on the surface of its face, and it looks the same way: among the faces
of its maker, where one of them fits, else among all. Faces without a closed form take part with a
triangulation of their own. Faces of one surface are told apart by their borders, once for each piece of the
mesh between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBndLib import BRepBndLib
from OCP.gp import gp_Pnt, gp_Pnt2d
from OCP.IntTools import IntTools_FClass2d
from OCP.ShapeAnalysis import ShapeAnalysis_Surface
from OCP.TopAbs import TopAbs_FACE, TopAbs_IN, TopAbs_ON
from OCP.TopoDS import TopoDS_Face

from vcad_kernel.geometry.measure.between.mesh_gap import on_triangle
from vcad_kernel.geometry.mesh.surface.components import connected
from vcad_kernel.geometry.mesh.surface.edges import Creases
from vcad_kernel.geometry.occt.brep import Brep, faces_of, listed, shape_map
from vcad_kernel.geometry.occt.measure.distances.elementary import ELEMENTARY
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import OutwardNormals
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import faces_by_edge
from vcad_kernel.geometry.occt.tessellation import meshed
from vcad_kernel.geometry.occt.triangulations import face_meshes
from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["triangle_faces"]

_ON_SURFACE: Final = 1e-5
"""Millimetres within which a point is on a surface: the curves that are kept where surfaces meet are less
exact than these."""
_AS_NEAR: Final = 10.0
"""Surfaces no further than the nearest by this factor, and by the above, are as near."""
_SAME_WAY: Final = 1e-6
"""Of cosines: faces that agree so well with a triangle are told apart by their borders."""
_LOOKS: Final = 0.5
"""Least cosine between a triangle and the surface that it lies on."""
_CHUNK: Final = 20_000
"""Triangles that are compared with all faces at a time."""
_CLUSTER: Final = 64
"""Points that look for what is nearest to them together."""

_Points = NDArray[np.float64]
_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]


def triangle_faces(brep: Brep, nodes: _Ints, mesh: TriMesh, chord: float) -> NDArray[np.uint32]:
    """(m,) the number of the face that each triangle lies on.

    nodes: the document node that made each face. chord: how far the mesh may be off the body, mm.
    """
    sides = [_Side(face, chord) for face in faces_of(brep.shape)]
    if len(sides) == 1 or mesh.is_empty:
        return np.zeros(mesh.triangle_count, np.uint32)
    creases = Creases.of(mesh)
    ties = np.zeros((mesh.triangle_count, len(sides)), np.bool_)
    fitting = _Fitting(sides, mesh, creases.directions, chord, ties)
    every = np.arange(len(sides))
    left = np.arange(mesh.triangle_count)
    # corners that mesh booleans have made lie on chords of their surfaces, all others on the surfaces
    # themselves; and a face that was merged of several has the maker of but one of them
    for limit in (_ON_SURFACE, 2.0 * chord, np.inf):
        if len(mesh.source_nodes):
            own = mesh.source_nodes[left]
            rest = [fitting.fit(left[own == node], np.flatnonzero(nodes == node), limit) for node in set(own)]
            left = np.sort(np.concatenate([np.empty(0, np.int64), *rest]))
        rest = [fitting.fit(chunk, every, limit) for chunk in _chunks(left)]
        left = np.concatenate([np.empty(0, np.int64), *rest])
    return _settled(ties, sides, _touching(brep), creases, fitting.middles).astype(np.uint32)


class _Side:
    """A face, and its surface as numbers."""

    def __init__(self, face: TopoDS_Face, chord: float) -> None:
        self.face = face
        self._room = 2.0 * chord
        self.surface = BRepAdaptor_Surface(face, False)
        self.kind: int = self.surface.GetType().value
        self.elementary = ELEMENTARY.get(self.kind)
        self.numbers = (
            np.empty(0) if self.elementary is None else np.array(self.elementary.numbers(self.surface))
        )

    def distance(self, points: _Points) -> _Points:
        """(n,) from points (3, n), mm."""
        assert self.elementary is not None
        return self.elementary.distance(points, self.numbers[:, None])

    def agreement(self, points: _Points, directions: _Points) -> _Points:
        """(n,) cosines between directions (n, 3) and the outward normals at the feet of points (3, n)."""
        assert self.elementary is not None
        normals = self.elementary.normal(points, self.numbers[:, None])
        return np.asarray(self._outward * np.einsum("in,ni->n", normals, directions))

    @cached_property
    def _outward(self) -> float:
        """1 where the normal of closed form points out of the body, else -1."""
        surface = self.surface
        middle = gp_Pnt2d(
            0.5 * (surface.FirstUParameter() + surface.LastUParameter()),
            0.5 * (surface.FirstVParameter() + surface.LastVParameter()),
        )
        normal = OutwardNormals(self.face).at(middle)
        assert normal is not None  # a face is more than a pole
        assert self.elementary is not None
        point = np.array(surface.Value(middle.X(), middle.Y()).Coord())[:, None]
        ours = self.elementary.normal(point, self.numbers[:, None])[:, 0]
        return 1.0 if float(ours @ np.array(normal.Coord())) > 0.0 else -1.0

    def boxes(self, points: _Points) -> _Bools:
        """(n,) which of points (3, n) a box around the face holds, chords of the mesh included."""
        low, high = self._box
        return np.asarray(np.all((low <= points) & (points <= high), axis=0))

    @cached_property
    def _box(self) -> tuple[_Points, _Points]:
        box = Bnd_Box()
        BRepBndLib.Add_s(self.face, box, False)
        low, high = np.array(box.CornerMin().Coord()), np.array(box.CornerMax().Coord())
        return low[:, None] - self._room, high[:, None] + self._room

    @cached_property
    def _places(self) -> ShapeAnalysis_Surface:
        return ShapeAnalysis_Surface(BRep_Tool.Surface_s(self.face))

    @cached_property
    def _border(self) -> IntTools_FClass2d:
        return IntTools_FClass2d(self.face, 1e-6)

    def holds(self, point: _Points) -> bool:
        """Whether the foot of a point lies within the borders."""
        place = self._places.ValueOfUV(gp_Pnt(*point.tolist()), 1e-6)
        return self._border.Perform(place) in (TopAbs_IN, TopAbs_ON)


@dataclass(eq=False)
class _Fitting:
    """Compares triangles with faces."""

    sides: Sequence[_Side]
    mesh: TriMesh
    directions: _Points
    """(m, 3) the way that each triangle looks."""
    chord: float
    ties: _Bools
    """(m, faces) between which faces the choice is left for each triangle, once it has been looked at."""

    @cached_property
    def middles(self) -> _Points:
        """(3, m) of the triangles."""
        return np.ascontiguousarray(self.mesh.corners().mean(axis=1).T)

    def fit(self, triangles: _Ints, faces: _Ints, limit: float) -> _Ints:
        """Note which of some faces fit triangles best, within a distance, mm; the triangles without any."""
        if not len(faces) or not len(triangles):
            return triangles
        closed = np.array([self.sides[face].elementary is not None for face in faces.tolist()])
        off, agreement = self._by_form(triangles, faces[closed])
        if limit > _ON_SURFACE and not closed.all():
            free_off, free_agreement = self._reference.compared(
                self.middles[:, triangles].T, self.directions[triangles], faces[~closed], self.chord
            )
            off, agreement = np.hstack([off, free_off]), np.hstack([agreement, free_agreement])
            faces = np.concatenate([faces[closed], faces[~closed]])
        else:
            faces = faces[closed]
        if not len(faces):
            return triangles
        looks = (agreement >= _LOOKS) | (limit == np.inf)
        off = np.where(looks, off, np.inf)
        least = off.min(axis=1)
        # as near as the nearest: the way that the triangle looks decides
        near = off <= (_AS_NEAR * least + _ON_SURFACE)[:, None]
        if limit > _ON_SURFACE:
            agreement = agreement - off / (50.0 * self.chord)
        agreement = np.where(near & looks, agreement, -np.inf)
        best = agreement.max(axis=1)
        fits = (least <= limit) & (least < np.inf)
        self.ties[np.ix_(triangles[fits], faces)] = (agreement >= (best - _SAME_WAY)[:, None])[fits]
        unfit: _Ints = triangles[~fits]
        return unfit

    def _by_form(self, triangles: _Ints, faces: _Ints) -> tuple[_Points, _Points]:
        """(triangles, faces) how far the corners are from each surface at most, mm; ∞ beside the face.

        And the cosine between both; -1 where nobody has looked.
        """
        corners = self.mesh.indices[triangles].astype(np.int64)
        used, compact = np.unique(corners, return_inverse=True)
        points = np.ascontiguousarray(self.mesh.positions[used].T)
        compact = compact.reshape(-1, 3)
        middles, directions = self.middles[:, triangles], self.directions[triangles]
        off = np.full((len(triangles), len(faces)), np.inf)
        agreement = np.full(off.shape, -1.0)
        for column, face in enumerate(faces.tolist()):
            side = self.sides[face]
            rows = np.flatnonzero(side.boxes(middles))
            if not len(rows):
                continue
            off[rows, column] = side.distance(points)[compact[rows]].max(axis=1)
            agreement[rows, column] = side.agreement(middles[:, rows], directions[rows])
        return off, agreement

    @cached_property
    def _reference(self) -> _Reference:
        return _Reference.of(self.sides, self.chord)


def _settled(
    ties: _Bools,
    sides: Sequence[_Side],
    touching: set[tuple[int, int]],
    creases: Creases,
    middles: _Points,
) -> _Ints:
    """(m,) one face for each triangle. ties: (m, faces) between which it is."""
    number: _Ints = np.argmax(ties, axis=1)
    is_open = np.count_nonzero(ties, axis=1) > 1
    if not is_open.any():
        return number
    # triangles with the same choice that hang together lie on one face, unless such faces touch
    choice = np.full(len(number), -1)
    packed = np.packbits(ties[is_open], axis=1)
    choice[is_open] = np.unique(packed, axis=0, return_inverse=True)[1].reshape(-1)
    joined = np.flatnonzero(creases.twin >= 0)
    near, far = joined // 3, creases.twin[joined] // 3
    same = is_open[near] & is_open[far] & (choice[near] == choice[far])
    piece = connected(len(number), near[same], far[same])
    for members in _groups(piece, np.flatnonzero(is_open)):
        faces = np.flatnonzero(ties[members[0]]).tolist()
        if any((face, other) in touching for face in faces for other in faces):
            for triangle in members.tolist():
                number[triangle] = _holder(sides, faces, middles[:, triangle])
        else:
            # the largest triangle is furthest from a border
            largest = members[np.argmax(_sizes(creases.mesh, members))]
            number[members] = _holder(sides, faces, middles[:, largest])
    return number


@dataclass(frozen=True, eq=False)
class _Reference:
    """Triangulations of all faces without closed form."""

    corners: _Points
    """(r, 3, 3)"""
    normals: _Points
    """(r, 3)"""
    faces: _Ints

    @classmethod
    def of(cls, sides: Sequence[_Side], chord: float) -> _Reference:
        """Of those among some faces. chord: how far they may be off, mm."""
        free = [number for number, side in enumerate(sides) if side.elementary is None]
        shapes = [sides[number].face for number in free]
        with meshed(shapes, chord):
            meshes = face_meshes(shapes)
        corners = [np.empty((0, 3, 3))]
        faces = [np.empty(0, np.int64)]
        for number, mesh in zip(free, meshes, strict=True):
            if mesh is not None:
                corners.append(mesh.nodes[mesh.triangles - 1])
                faces.append(np.full(len(mesh.triangles), number))
        joined = np.concatenate(corners)
        normals = crossed(joined[:, 1] - joined[:, 0], joined[:, 2] - joined[:, 0])
        sizes = np.linalg.norm(normals, axis=1)
        real = sizes > 0.0
        return cls(joined[real], normals[real] / sizes[real, None], np.concatenate(faces)[real])

    def compared(
        self, points: _Points, directions: _Points, faces: _Ints, chord: float
    ) -> tuple[_Points, _Points]:
        """(n, faces) how far points (n, 3) are from faces, mm, and the cosine of directions (n, 3) there.

        Of all but the nearest face, ∞ and -1.
        """
        off, agreement = np.full((len(points), len(faces)), np.inf), np.full((len(points), len(faces)), -1.0)
        column_of = {face: column for column, face in enumerate(faces.tolist())}
        mine = np.isin(self.faces, faces)
        corners, normals, owners = self.corners[mine], self.normals[mine], self.faces[mine]
        if not len(corners):
            return off, agreement
        columns_of = np.array([column_of[face] for face in owners.tolist()])
        middles = corners.mean(axis=1)
        radii = np.linalg.norm(corners - middles[:, None], axis=2).max(axis=1)
        for group in _clusters(points):
            here = points[group]
            centre = here.mean(axis=0)
            reach = float(np.linalg.norm(here - centre, axis=1).max())
            # a triangle that no point of the group can be nearest to is left aside for all of them
            around = np.linalg.norm(middles - centre, axis=1)
            close = np.flatnonzero(around - radii <= around.min() + 2.0 * reach + 4.0 * chord)
            apart = np.linalg.norm(here[:, None] - middles[close][None], axis=2)
            # one that reaches nearer than the nearest middle may be the nearest
            rows, candidates = np.nonzero(apart - radii[close] <= apart.min(axis=1)[:, None] + 4.0 * chord)
            candidates = close[candidates]
            feet = on_triangle(here[rows], corners[candidates])
            gaps = np.linalg.norm(feet - here[rows], axis=1)
            looks = np.einsum("ij,ij->i", directions[group[rows]], normals[candidates])
            # of two that are as near, the one that looks the same way
            order = np.lexsort((gaps + np.where(looks < _LOOKS, 4.0 * chord, chord * (1.0 - looks)), rows))
            chosen = order[np.unique(rows[order], return_index=True)[1]]
            columns = columns_of[candidates[chosen]]
            off[group[rows[chosen]], columns] = gaps[chosen]
            agreement[group[rows[chosen]], columns] = looks[chosen]
        return off, agreement


def _holder(sides: Sequence[_Side], faces: Sequence[int], point: _Points) -> int:
    """Which of some faces of one surface a point of it belongs to."""
    boxed = [face for face in faces if sides[face].boxes(point[:, None])[0]]
    if len(boxed) == 1:
        return boxed[0]
    return next((face for face in boxed if sides[face].holds(point)), (boxed or faces)[0])


def _touching(brep: Brep) -> set[tuple[int, int]]:
    """Pairs of numbers of faces that share an edge."""
    numbers, around = shape_map(brep.shape, TopAbs_FACE), faces_by_edge(brep.shape)
    pairs: set[tuple[int, int]] = set()
    for index in range(1, around.Extent() + 1):
        met = {numbers.FindIndex(face) - 1 for face in listed(around.FindFromIndex(index))}
        pairs |= {(face, other) for face in met for other in met if face != other}
    return pairs


def _sizes(mesh: TriMesh, triangles: _Ints) -> _Points:
    """Twice the areas."""
    a, b, c = np.moveaxis(mesh.positions[mesh.indices[triangles]], 1, 0)
    return np.asarray(np.linalg.norm(crossed(b - a, c - a), axis=1))


def _groups(label: _Ints, members: _Ints) -> Iterator[_Ints]:
    """Members with the same label together."""
    order = members[np.argsort(label[members], kind="stable")]
    cuts = np.flatnonzero(np.diff(label[order])) + 1
    yield from np.split(order, cuts)


def _clusters(points: _Points) -> Iterator[_Ints]:
    """Points (n, 3) in groups of neighbours."""
    pending = [np.arange(len(points))]
    while pending:
        group = pending.pop()
        if len(group) <= _CLUSTER:
            yield group
            continue
        here = points[group]
        widest = int(np.argmax(np.ptp(here, axis=0)))
        order = np.argpartition(here[:, widest], len(group) // 2)
        pending += [group[order[: len(group) // 2]], group[order[len(group) // 2 :]]]


def _chunks(triangles: _Ints) -> Iterator[_Ints]:
    for begin in range(0, len(triangles), _CHUNK):
        yield triangles[begin : begin + _CHUNK]
