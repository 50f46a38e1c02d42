"""The triangulations of many faces, read all at once, how far they are from the faces, and brought nearer.

Asked for one by one, nodes and triangles take longer to come out of OpenCASCADE than to be made. In its
binary format, whose version is asked for by name, they come as arrays: what is written is no body but
bare faces that hold nothing except their triangulations.

The distance is measured and not promised. For elementary surfaces that of the middles of triangles and of
their sides is in closed form; other faces are evaluated at the middles of the parameters of some sides.

OpenCASCADE keeps to a chord error along edges. Within a cone that splines border its triangles may lie eight
times as far off, within a B-spline a third further. For files, sides that two triangles of a face share are
halved at the middle of their parameters: there OpenCASCADE has triangulated, so that nothing folds. Borders
stay as they are, and neighbours with them.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from OCP.BinTools import BinTools, BinTools_FormatVersion
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_Plane
from OCP.gp import gp_Pnt, gp_Vec
from OCP.Poly import Poly_Triangulation
from OCP.TopAbs import TopAbs_REVERSED
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Compound, TopoDS_Face

from vcad_kernel.geometry.occt.brep import ShapeMap
from vcad_kernel.geometry.occt.measure.distances.elementary import ELEMENTARY, Elementary
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import BoundaryNumbers

__all__ = ["FaceMesh", "beside", "chord_of", "face_meshes", "refined"]

_VERSION = BinTools_FormatVersion.BinTools_FormatVersion_VERSION_4
_SECTION = b"\nTriangulations "
_HEAD = struct.Struct("<ii??d")
"""Of each: number of nodes and of triangles, with parameters, with normals, deflection."""
_UNMOVED = np.eye(3, 4)
_NO_PARAMETERS = np.empty((0, 2))

_Points = NDArray[np.float64]
_Numbers = NDArray[np.int32]
_Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class FaceMesh:
    """The triangulation of a face."""

    nodes: _Points
    """(n, 3) millimetres."""
    triangles: _Numbers
    """(m, 3) from 1, counter-clockwise from outside the body."""
    parameters: _Points
    """(n, 2) places on the surface; (0, 2) = not known."""
    source: Poly_Triangulation
    """What OpenCASCADE's questions about it take."""


def face_meshes(faces: Sequence[TopoDS_Face]) -> list[FaceMesh | None]:
    """The triangulation of each face; None = it has none.

    Raises: ValueError when OpenCASCADE writes something else than its format says.
    """
    builder, bare, unmoved = BRep_Builder(), TopoDS_Compound(), TopLoc_Location()
    builder.MakeCompound(bare)
    # copies of a face in several places share one triangulation, which is written once
    known = ShapeMap()
    numbers: list[int] = []
    sources: list[Poly_Triangulation | None] = []
    for face in faces:
        source = BRep_Tool.Triangulation_s(face, TopLoc_Location())
        sources.append(source)
        if source is None:
            numbers.append(0)
            continue
        before = known.Extent()
        number = known.Add(face.Located(unmoved))
        numbers.append(number)
        if number > before:
            holder = TopoDS_Face()
            builder.MakeFace(holder, source)
            builder.Add(bare, holder)
    stream = io.BytesIO()
    BinTools.Write_s(bare, stream, True, False, _VERSION)
    written = _read(stream.getvalue())
    if len(written) != known.Extent():
        raise ValueError(f"{len(written)} triangulations were written instead of {known.Extent()}")
    meshes: list[FaceMesh | None] = []
    latest, matrix = unmoved, _UNMOVED
    for face, number, source in zip(faces, numbers, sources, strict=True):
        if source is None:
            meshes.append(None)
            continue
        nodes, parameters, triangles = written[number - 1]
        place = face.Location()
        if not place.IsIdentity():
            # the faces of a body that was moved share one place
            if not place.IsEqual(latest):
                latest, matrix = place, _matrix(place)
            nodes = np.asarray(nodes @ matrix[:, :3].T + matrix[:, 3])
        if face.Orientation() == TopAbs_REVERSED:
            triangles = triangles[:, ::-1]
        meshes.append(FaceMesh(nodes, triangles, parameters, source))
    return meshes


def _read(data: bytes) -> list[tuple[_Points, _Points, _Numbers]]:
    """Nodes, parameters and triangles of each triangulation. Nothing but text comes before them."""
    begin = data.find(_SECTION) + len(_SECTION)
    end = data.find(b"\n", begin)
    if begin < len(_SECTION) or end < 0:
        raise ValueError("OpenCASCADE has written no triangulations")
    at = end + 1
    triangulations = []
    for _ in range(int(data[begin:end])):
        nodes, triangles, with_parameters, with_normals, _deflection = _HEAD.unpack_from(data, at)
        if with_normals:
            raise ValueError("OpenCASCADE has written normals that were not requested")
        at += _HEAD.size
        points = np.frombuffer(data, "<f8", 3 * nodes, at).reshape(-1, 3)
        at += points.nbytes
        parameters = _NO_PARAMETERS
        if with_parameters:
            parameters = np.frombuffer(data, "<f8", 2 * nodes, at).reshape(-1, 2)
            at += parameters.nbytes
        corners = np.frombuffer(data, "<i4", 3 * triangles, at).reshape(-1, 3)
        at += corners.nbytes
        triangulations.append((points, parameters, corners))
    return triangulations


def _matrix(place: TopLoc_Location) -> _Points:
    """(3, 4)"""
    change = place.Transformation()
    return np.array([[change.Value(row, column) for column in range(1, 5)] for row in range(1, 4)])


_PLANE = GeomAbs_Plane.value
_AT_ONCE = 10_000
"""Triangles whose distances are computed in one go: the arrays of more do not fit into the cache."""
_MOST_SAMPLES = 300
"""Sides looked at on a face without closed form."""


def chord_of(numbers: BoundaryNumbers, faces: Sequence[int], meshes: Iterable[FaceMesh | None]) -> float:
    """Largest distance between triangles and their faces, millimetres; 0 when all faces are flat.

    faces: the number of each. meshes: theirs.
    """
    worst = 0.0
    alike: dict[Elementary, list[tuple[FaceMesh, list[float]]]] = {}
    for face, mesh in zip(faces, meshes, strict=True):
        kind = numbers.kinds[face]
        if kind == _PLANE or mesh is None or len(mesh.triangles) == 0:
            continue
        elementary = ELEMENTARY.get(kind)
        if elementary is None:
            worst = max(worst, _sampled(numbers.surfaces[face], mesh))
        else:
            alike.setdefault(elementary, []).append((mesh, numbers.surface_numbers(face)))
    # faces of a kind all at once: most are so small that the call of an operation costs more than it does
    for elementary, members in alike.items():
        worst = max(worst, _farthest(members, elementary))
    return worst


def _farthest(members: Sequence[tuple[FaceMesh, list[float]]], elementary: Elementary) -> float:
    counts = [len(mesh.triangles) for mesh, _ in members]
    surfaces = np.repeat(np.array([numbers for _, numbers in members]).T, counts, axis=1)
    triples = np.concatenate([mesh.nodes[mesh.triangles - 1] for mesh, _ in members])
    # x, y and z of the three corners, each in a row
    corners = np.ascontiguousarray(triples.transpose(1, 2, 0))
    worst = 0.0
    for first in range(0, len(triples), _AT_ONCE):
        a, b, c = corners[:, :, first : first + _AT_ONCE]
        # a chord misses most at the middle of a side or of the triangle
        samples = np.stack([0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a), (a + b + c) / 3.0], axis=1)
        beneath = surfaces[:, None, first : first + _AT_ONCE]
        worst = max(worst, float(elementary.distance(samples, beneath).max()))
    return worst


def _sampled(surface: BRepAdaptor_Surface, mesh: FaceMesh) -> float:
    if len(mesh.parameters) == 0:
        return 0.0
    sides = np.vstack([mesh.triangles[:, :2], mesh.triangles[:, 1:]]) - 1
    sides = sides[:: -(-len(sides) // _MOST_SAMPLES)]
    places = mesh.parameters[sides].mean(axis=1)
    return float(beside(surface, mesh.nodes[sides].mean(axis=1), places).max())


def beside(surface: BRepAdaptor_Surface, points: _Points, places: _Points) -> _Points:
    """How far points (n, 3) lie beside a surface, mm, of which they are near places (n, 2).

    Where parameters run unevenly a place lies along the surface from the point's foot: one step of Newton's
    method is taken towards it.
    """
    there, along_u, along_v = gp_Pnt(), gp_Vec(), gp_Vec()
    known = []
    for u, v in places.tolist():
        surface.D1(u, v, there, along_u, along_v)
        known.append((there.Coord(), along_u.Coord(), along_v.Coord()))
    at, along, across = np.moveaxis(np.array(known).reshape(-1, 3, 3), 1, 0)
    gap = points - at
    # least squares for the step, by its normal equations
    a, b, c = (np.einsum("ij,ij->i", *ways) for ways in ((along, along), (along, across), (across, across)))
    first, second = (np.einsum("ij,ij->i", way, gap) for way in (along, across))
    scale = a * c - b * b
    scale = np.where(scale > 1e-12 * a * c, scale, np.inf)
    steps = np.column_stack([c * first - b * second, a * second - b * first]) / scale[:, None]
    feet = np.array([surface.Value(u, v).Coord() for u, v in (places + steps).tolist()]).reshape(-1, 3)
    return np.asarray(np.minimum(np.linalg.norm(gap, axis=1), np.linalg.norm(points - feet, axis=1)))


_ROUNDS = 12
"""Each halves sides, which divides how far they are off by four."""


def refined(
    mesh: FaceMesh,
    surface: BRepAdaptor_Surface,
    distance: Callable[[_Points, _Points], _Points],
    chord: float,
) -> FaceMesh:
    """The triangulation with sides within the face halved until it lies within ``chord`` of it, mm.

    distance: how far points (n, 3), mm, lie off the face near places (n, 2) on it. The first nodes are those
    of ``mesh``.
    """
    nodes, places = mesh.nodes, mesh.parameters
    triangles = mesh.triangles.astype(np.int64) - 1
    known = 0
    for _ in range(_ROUNDS):
        sides, of_side = _sides(triangles, len(nodes))
        shared = np.bincount(of_side.ravel(), minlength=len(sides)) == 2
        # the first triangles are those of which no side was off a round ago
        asked = np.unique(of_side[known:])
        asked = asked[shared[asked]]
        halved = np.zeros(len(sides), bool)
        halved[asked] = distance(nodes[sides[asked]].mean(axis=1), places[sides[asked]].mean(axis=1)) > chord
        # the middle of a triangle may be off where its sides are not: the longest one that can gives way
        deep = known + np.flatnonzero(~np.any(halved[of_side[known:]], axis=1))
        middle = nodes[triangles[deep]].mean(axis=1), places[triangles[deep]].mean(axis=1)
        deep = deep[distance(*middle) > chord]
        lengths = np.where(shared, np.linalg.norm(np.subtract(*nodes[sides].transpose(1, 0, 2)), axis=1), 0.0)
        halved[of_side[deep, np.argmax(lengths[of_side[deep]], axis=1)]] = True
        halved &= shared
        if not np.any(halved):
            break
        middles = places[sides[halved]].mean(axis=1)
        fresh = np.full(len(sides), -1)
        fresh[halved] = np.arange(len(middles)) + len(nodes)
        nodes = np.vstack([nodes, [surface.Value(u, v).Coord() for u, v in middles.tolist()]])
        places = np.vstack([places, middles])
        triangles, known = _divided(triangles, fresh[of_side])
    return replace(mesh, nodes=nodes, parameters=places, triangles=(triangles + 1).astype(np.int32))


def _sides(triangles: _Indices, count: int) -> tuple[_Indices, _Indices]:
    """The sides (k, 2), each once, and (m, 3) which of them lie after each corner."""
    ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2), axis=2)
    keys, of_side = np.unique(ends[:, :, 0] * count + ends[:, :, 1], return_inverse=True)
    return np.column_stack([keys // count, keys % count]), of_side.reshape(-1, 3)


def _divided(triangles: _Indices, middles: _Indices) -> tuple[_Indices, int]:
    """Triangles with new nodes on their sides: (m, 3) the one after each corner, -1 for none.

    Those that stay as they are come first; how many they are.
    """
    count = np.count_nonzero(middles >= 0, axis=1)
    # turned so that a single new node lies on the first side, and a single side without one is the last
    turn = np.where(count == 1, np.argmax(middles, axis=1), (np.argmin(middles, axis=1) + 1) % 3)
    order = (turn[:, None] + np.arange(3)) % 3
    a, b, c = np.take_along_axis(triangles, order, axis=1).T
    ab, bc, ca = np.take_along_axis(middles, order, axis=1).T
    pieces = {
        0: [(a, b, c)],
        1: [(a, ab, c), (ab, b, c)],
        2: [(ab, b, bc), (a, ab, bc), (a, bc, c)],
        3: [(ab, b, bc), (bc, c, ca), (ca, a, ab), (ab, bc, ca)],
    }
    parts = [np.column_stack(piece)[count == many] for many, each in pieces.items() for piece in each]
    return np.vstack(parts), len(parts[0])
