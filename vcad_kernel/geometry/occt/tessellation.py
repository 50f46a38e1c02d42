"""The closed mesh of a body: OpenCASCADE's triangles, joined along edges by topology and not by distance.

Each edge of a body is cut into pieces once, and the triangulation of each of its faces says which of
its nodes those are. So neighbours share vertices exactly, whatever the tolerances of the edge.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.BRepTools import BRepTools
from OCP.IMeshTools import IMeshTools_MeshAlgoType, IMeshTools_Parameters
from OCP.TopAbs import (
    TopAbs_EDGE,
    TopAbs_FACE,
    TopAbs_REVERSED,
    TopAbs_SHELL,
    TopAbs_VERTEX,
)
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.mesh import TriMesh
from vcad_kernel.geometry.occt.brep import Brep, compound_of, faces_of, shape_map
from vcad_kernel.geometry.occt.chords import chord_of
from vcad_kernel.geometry.occt.meetings import loose_box
from vcad_kernel.geometry.tolerance import MAX_SIDES, MIN_SIDES, Tessellation, sagitta
from vcad_kernel.geometry.traced import TracedMesh

__all__ = ["TessellationFault", "meshed", "tessellated"]

_DELABELLA = IMeshTools_MeshAlgoType.IMeshTools_MeshAlgoType_Delabella
_WATSON = IMeshTools_MeshAlgoType.IMeshTools_MeshAlgoType_Watson
_SMALLEST = 1e-7
"""Millimetres: shorter pieces of an edge are not looked at."""
_NO_CHORD = 1e100
"""A chord error that asks for nothing: the angle alone decides."""

_MESHING = threading.Lock()
"""OpenCASCADE keeps the triangles in the shape, which bodies share: one mesh is made and read at a time."""


class TessellationFault(Exception):
    """No closed mesh could be made of a body."""


def tessellated(brep: Brep, tessellation: Tessellation, scale: float = 1.0) -> TracedMesh:
    """The mesh of a body: closed, outward, no triangle without area by topology.

    scale: how much later transforms enlarge it. Raises: TessellationFault.
    """
    with _MESHING:
        for parameters in _attempts(brep, tessellation, scale):
            BRepTools.Clean_s(brep.shape)
            BRepMesh_IncrementalMesh(brep.shape, parameters)
            read = _Reading(brep)
            if read.is_closed():
                break
        else:
            raise TessellationFault("no closed mesh of the body could be made")
        makers, maker_of_face = np.unique(np.array(brep.makers, dtype=object), return_inverse=True)
        chord = chord_of(read.faces, read.nodes, read.triangles)
        BRepTools.Clean_s(brep.shape)
    return TracedMesh(
        TriMesh(read.positions, read.indices),
        tuple(makers),
        maker_of_face.astype(np.uint32)[read.face_of],
        chord,
    )


@contextmanager
def meshed(faces: Sequence[TopoDS_Face]) -> Iterator[None]:
    """While it lasts, each face has a coarse triangulation; nobody else meshes meanwhile."""
    whole = compound_of(faces)
    with _MESHING:
        BRepTools.Clean_s(whole)
        BRepMesh_IncrementalMesh(whole, _parameters(_DELABELLA, _NO_CHORD, 2.0 * math.pi / MIN_SIDES))
        try:
            yield
        finally:
            BRepTools.Clean_s(whole)


def _attempts(brep: Brep, tessellation: Tessellation, scale: float) -> list[IMeshTools_Parameters]:
    low, high = loose_box(brep)
    if tessellation.segments is not None:
        chord, sides = _NO_CHORD, tessellation.segments
    else:
        # no circle of the body is larger than its box, and none gets more sides than MAX_SIDES
        finest = sagitta(0.5 * math.dist(low, high), MAX_SIDES)
        chord, sides = max(tessellation.chord / scale, finest), MIN_SIDES
    angle = 2.0 * math.pi / sides * (1.0 + 1e-9)
    ways = [(_DELABELLA, 1.0), (_WATSON, 1.0), (_DELABELLA, 0.5), (_WATSON, 0.25), (_DELABELLA, 0.1)]
    return [_parameters(algorithm, chord * finer, angle * finer) for algorithm, finer in ways]


def _parameters(algorithm: IMeshTools_MeshAlgoType, chord: float, angle: float) -> IMeshTools_Parameters:
    parameters = IMeshTools_Parameters()
    parameters.MeshAlgo = algorithm
    parameters.Deflection = parameters.DeflectionInterior = chord
    # along edges OpenCASCADE measures the angle between tangent and chord, which is half as large
    parameters.Angle = 2.0 * angle
    parameters.AngleInterior = 1.5 * angle
    parameters.MinSize = _SMALLEST
    parameters.InParallel = True
    return parameters


class _Reading:
    """The triangles of a meshed shape with vertices shared along edges.

    Shells do not share vertices: where two lumps touch along an edge, each has its own.
    """

    def __init__(self, brep: Brep) -> None:
        self.faces = faces_of(brep.shape)
        self.nodes: list[NDArray[np.float64]] = []
        self.triangles: list[NDArray[np.int64]] = []
        self._edges = shape_map(brep.shape, TopAbs_EDGE)
        self._vertices = shape_map(brep.shape, TopAbs_VERTEX)
        self._whole = True
        shell_of = _shells(brep.shape)
        shared: dict[tuple[int, int, int], int] = {}
        """Global vertex by shell, edge and place along it; edge 0 holds the corners."""
        points: list[NDArray[np.float64]] = []
        corners: list[NDArray[np.int64]] = []
        owners: list[NDArray[np.int64]] = []
        count = 0
        for index, face in enumerate(self.faces):
            nodes, triangles, triangulation = _triangles(face)
            self.nodes.append(nodes)
            self.triangles.append(triangles)
            if triangulation is None:
                self._whole = False
                continue
            ids = np.full(len(nodes), -1, np.int64)
            fresh: list[int] = []
            for place, node in self._border(face, triangulation):
                key = (shell_of[index], *place)
                vertex = shared.get(key)
                if vertex is None:
                    vertex = shared[key] = count + len(fresh)
                    fresh.append(node - 1)
                ids[node - 1] = vertex
            points.append(nodes[fresh])
            count += len(fresh)
            inside = np.flatnonzero(ids < 0)
            ids[inside] = count + np.arange(len(inside))
            points.append(nodes[inside])
            count += len(inside)
            corners.append(ids[triangles])
            owners.append(np.full(len(triangles), index))
        self._compact(np.vstack([np.empty((0, 3)), *points]), corners, owners)

    def _compact(
        self, points: NDArray[np.float64], corners: list[NDArray[np.int64]], owners: list[NDArray[np.int64]]
    ) -> None:
        triangles = np.vstack([np.empty((0, 3), np.int64), *corners])
        owner = np.concatenate([np.empty(0, np.int64), *owners])
        # around poles and apexes one side of a triangle is a point
        real = np.all(triangles != np.roll(triangles, 1, axis=1), axis=1)
        triangles, self.face_of = triangles[real], owner[real]
        used, compact = np.unique(triangles, return_inverse=True)
        self.positions = np.ascontiguousarray(points[used])
        self.indices = np.ascontiguousarray(compact.reshape(-1, 3).astype(np.uint32))

    def _border(self, face: TopoDS_Face, triangulation: object) -> list[tuple[tuple[int, int], int]]:
        """Where each node on the border of a face is: (edge, place) or (0, corner), and its number from 1."""
        found: list[tuple[tuple[int, int], int]] = []
        place = TopLoc_Location()
        BRep_Tool.Triangulation_s(face, place)
        walk = TopExp_Explorer(face, TopAbs_EDGE)
        while walk.More():
            edge = TopoDS.Edge(walk.Current())
            walk.Next()
            polygon = BRep_Tool.PolygonOnTriangulation_s(edge, triangulation, place)
            if polygon is None:
                self._whole = False
                continue
            # a third of the time that iterating over polygon.Nodes() takes
            nodes = list(map(polygon.Node, range(1, polygon.NbNodes() + 1)))
            number = self._edges.FindIndex(edge)
            first = self._vertices.FindIndex(TopExp.FirstVertex_s(edge))
            last = self._vertices.FindIndex(TopExp.LastVertex_s(edge))
            if BRep_Tool.Degenerated_s(edge):
                found += [((0, first), node) for node in nodes]
                continue
            found += [((0, first), nodes[0]), ((0, last), nodes[-1])]
            found += [((number, step), node) for step, node in enumerate(nodes[1:-1])]
        return found

    def is_closed(self) -> bool:
        """Whether every side of a triangle is the side of as many others the other way round."""
        if not self._whole or len(self.indices) == 0:
            return False
        here = self.indices.astype(np.int64)
        after = np.roll(here, -1, axis=1)
        size = len(self.positions)
        one_way = np.sort((here * size + after).ravel())
        other_way = np.sort((after * size + here).ravel())
        return bool(np.array_equal(one_way, other_way))


def _shells(shape: TopoDS_Shape) -> list[int]:
    """The number of the shell of each face, in the order of faces."""
    faces = shape_map(shape, TopAbs_FACE)
    shells = [0] * faces.Extent()
    walk = TopExp_Explorer(shape, TopAbs_SHELL)
    number = 0
    while walk.More():
        inside = TopExp_Explorer(walk.Current(), TopAbs_FACE)
        while inside.More():
            shells[faces.FindIndex(inside.Current()) - 1] = number
            inside.Next()
        number += 1
        walk.Next()
    return shells


def _triangles(face: TopoDS_Face) -> tuple[NDArray[np.float64], NDArray[np.int64], object]:
    """Nodes (n, 3), outward triangles (m, 3) and the triangulation of a meshed face; None = it has none."""
    place = TopLoc_Location()
    triangulation = BRep_Tool.Triangulation_s(face, place)
    if triangulation is None:
        return np.empty((0, 3)), np.empty((0, 3), np.int64), None
    # a quarter of the time that iterating over triangulation.MapNodeArray() takes
    numbers = range(1, triangulation.NbNodes() + 1)
    nodes = np.array([node.Coord() for node in map(triangulation.Node, numbers)]).reshape(-1, 3)
    if not place.IsIdentity():
        change = place.Transformation()
        matrix = np.array([[change.Value(row, column) for column in range(1, 5)] for row in range(1, 4)])
        nodes = nodes @ matrix[:, :3].T + matrix[:, 3]
    flat = itertools.chain.from_iterable(triangle.Get() for triangle in triangulation.InternalTriangles())
    triangles = np.fromiter(flat, np.int64, 3 * triangulation.NbTriangles()).reshape(-1, 3) - 1
    if face.Orientation() == TopAbs_REVERSED:
        triangles = triangles[:, ::-1]
    return nodes, triangles, triangulation
