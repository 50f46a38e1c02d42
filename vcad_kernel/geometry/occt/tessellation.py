"""The closed mesh of a body: OpenCASCADE's triangles, joined along edges by topology and not by distance.

Each edge of a body is cut into pieces once, and the triangulation of each of its faces says which of
its nodes those are. So neighbours share vertices exactly, whatever the tolerances of the edge.
"""

from __future__ import annotations

import functools
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
from OCP.GeomAbs import GeomAbs_Plane
from OCP.IMeshTools import IMeshTools_MeshAlgoType, IMeshTools_Parameters
from OCP.Poly import Poly_PolygonOnTriangulation
from OCP.TopAbs import TopAbs_FACE, TopAbs_FORWARD, TopAbs_REVERSED, TopAbs_SHELL, TopAbs_VERTEX
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import Brep, ShapeMap, compound_of, shape_map
from vcad_kernel.geometry.occt.measure.boxes import loose_box
from vcad_kernel.geometry.occt.measure.distances.elementary import ELEMENTARY
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers
from vcad_kernel.geometry.occt.measure.topology.convex import ConvexPolyhedron, convex_polyhedron
from vcad_kernel.geometry.occt.triangulations import FaceMesh, beside, chord_of, face_meshes, refined
from vcad_kernel.geometry.solid import TracedMesh
from vcad_kernel.geometry.tolerance import MIN_SIDES, Tessellation, sagitta
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["TessellationFault", "meshed", "tessellated"]

_DELABELLA = IMeshTools_MeshAlgoType.IMeshTools_MeshAlgoType_Delabella
_WATSON = IMeshTools_MeshAlgoType.IMeshTools_MeshAlgoType_Watson
_SMALLEST = 1e-7
"""Millimetres: shorter pieces of an edge are not looked at."""
_EAGER = 0.9
"""What OpenCASCADE is asked for in a file, as a part of the chord error: it is a few percent off mostly."""
_NO_CHORD = 1e100
"""A chord error that limits nothing: the angle alone decides."""

_PLANE = GeomAbs_Plane.value
_MANY = 256
"""Flat faces from which on it pays to mesh them in parallel."""
_WAYS = {1.0: TopAbs_FORWARD, -1.0: TopAbs_REVERSED}

_MESHING = threading.Lock()
"""OpenCASCADE keeps the triangles in the shape, which bodies share: one mesh is made and read at a time."""


class TessellationFault(Exception):
    """No closed mesh could be made of a body."""


def tessellated(
    brep: Brep, tessellation: Tessellation, scale: float = 1.0, *, loosely: bool = False
) -> TracedMesh:
    """The mesh of a body: closed, outward, no triangle without area by topology.

    scale: how much later transforms enlarge it, and the chord error with it. loosely: only borders are as
    near as asked for; within splines OpenCASCADE does not look again, which takes most of the time. Raises:
    TessellationFault.
    """
    makers = sorted(set(brep.makers))
    numbers = {maker: number for number, maker in enumerate(makers)}
    maker_of_face = np.array([numbers[maker] for maker in brep.makers], np.uint32)
    polyhedron = convex_polyhedron(brep.shape)
    if polyhedron is not None:
        indices, face_of = _fans(polyhedron)
        return TracedMesh(TriMesh(polyhedron.corners, indices), tuple(makers), maker_of_face[face_of], 0.0)
    within = tessellation.chord / scale if tessellation.for_file else math.inf
    with _MESHING:
        for parameters in _attempts(brep, tessellation, scale):
            parameters.ControlSurfaceDeflection = not loosely
            BRepTools.Clean_s(brep.shape)
            BRepMesh_IncrementalMesh(brep.shape, parameters)
            read = _Reading(brep, within)
            if read.is_closed():
                break
        else:
            raise TessellationFault("no closed mesh of the body could be made")
        chord = read.chord()
        BRepTools.Clean_s(brep.shape)
    return TracedMesh(
        TriMesh(read.positions, read.indices),
        tuple(makers),
        maker_of_face[read.face_of],
        scale * chord,
    )


def _fans(polyhedron: ConvexPolyhedron) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
    """Triangles (n, 3) of each face about its first corner, and the faces (n,) that they are of."""
    fans = [
        (loop[0], second, third)
        for loop in polyhedron.loops
        for second, third in itertools.pairwise(loop[1:])
    ]
    counts = [len(loop) - 2 for loop in polyhedron.loops]
    return np.array(fans, np.uint32), np.repeat(np.arange(len(counts)), counts)


@contextmanager
def meshed(faces: Sequence[TopoDS_Face], chord: float = _NO_CHORD) -> Iterator[None]:
    """While it lasts, each face has a coarse triangulation; no other thread meshes meanwhile.

    chord: how far it may be off the face, mm.
    """
    whole = compound_of(faces)
    with _MESHING:
        BRepTools.Clean_s(whole)
        # the quick algorithm leaves some extruded splines out
        for algorithm in (_DELABELLA, _WATSON):
            BRepMesh_IncrementalMesh(whole, _parameters(algorithm, chord, 2.0 * math.pi / MIN_SIDES))
            if all(BRep_Tool.Triangulation_s(face, TopLoc_Location()) is not None for face in faces):
                break
        try:
            yield
        finally:
            BRepTools.Clean_s(whole)


def _attempts(brep: Brep, tessellation: Tessellation, scale: float) -> Iterator[IMeshTools_Parameters]:
    low, high = loose_box(brep)
    if tessellation.segments is not None:
        chord, sides = _NO_CHORD, tessellation.segments
    else:
        # no circle of the body is larger than its box
        finest = sagitta(0.5 * math.dist(low, high), tessellation.most_sides)
        chord, sides = max(tessellation.chord / scale, finest), MIN_SIDES
        if tessellation.for_file:
            chord *= _EAGER
    angle = 2.0 * math.pi / sides * (1.0 + 1e-9)
    # a few flat faces are done before the threads are awake
    kinds = boundary_numbers(brep.shape).kinds
    in_parallel = len(kinds) >= _MANY or any(kind != _PLANE for kind in kinds)
    # the quick algorithm first; where its mesh does not close, the other one, or a finer mesh
    for algorithm, finer in (
        (_DELABELLA, 1.0),
        (_WATSON, 1.0),
        (_DELABELLA, 0.5),
        (_WATSON, 0.25),
        (_DELABELLA, 0.1),
    ):
        yield _parameters(algorithm, chord * finer, angle * finer, in_parallel)


def _parameters(
    algorithm: IMeshTools_MeshAlgoType, chord: float, angle: float, in_parallel: bool = True
) -> IMeshTools_Parameters:
    parameters = IMeshTools_Parameters()
    parameters.MeshAlgo = algorithm
    parameters.Deflection = parameters.DeflectionInterior = chord
    # along edges OpenCASCADE measures the angle between tangent and chord, which is half as large
    parameters.Angle = 2.0 * angle
    parameters.AngleInterior = 1.6 * angle
    parameters.MinSize = _SMALLEST
    parameters.InParallel = in_parallel
    return parameters


class _Reading:
    """The triangles of a meshed body with vertices shared along edges.

    Shells do not share vertices: where two lumps touch along an edge, each has its own.
    """

    def __init__(self, brep: Brep, within: float) -> None:
        """within: how far triangles may be off elementary faces, mm."""
        self.numbers = boundary_numbers(brep.shape)
        # a face that two solids have in common is read once
        self._own = _each_once(self.numbers.faces, len(brep.makers))
        self.meshes = face_meshes([self.numbers.faces[face] for face in self._own])
        if within < math.inf:
            self.meshes = [
                self._refined(face, mesh, within) for face, mesh in zip(self._own, self.meshes, strict=True)
            ]
        self._whole = None not in self.meshes
        sizes = [0 if mesh is None else len(mesh.nodes) for mesh in self.meshes]
        before = list(itertools.accumulate(sizes, initial=0))
        nodes = [np.empty((0, 3))]
        corners = [np.empty((0, 3), np.int64)]
        counts = []
        for mesh, first in zip(self.meshes, before, strict=False):
            counts.append(0 if mesh is None else len(mesh.triangles))
            if mesh is not None:
                nodes.append(mesh.nodes)
                # OpenCASCADE counts from 1
                corners.append(mesh.triangles + np.int64(first - 1))
        # faces are meshed apart: nodes along a common edge become one vertex
        points = np.concatenate(nodes)
        triangles = self._shared(brep.shape, before)[np.concatenate(corners)]
        # around poles and apexes one side of a triangle is a point
        real = np.all(triangles != triangles[:, (1, 2, 0)], axis=1)
        triangles = triangles[real]
        self.face_of = np.repeat(np.arange(len(counts)), counts)[real]
        used = np.zeros(len(points), bool)
        used[triangles] = True
        self.positions = points[used]
        self.indices = (np.cumsum(used) - 1)[triangles].astype(np.uint32)

    def _refined(self, face: int, mesh: FaceMesh | None, within: float) -> FaceMesh | None:
        if mesh is None or chord_of(self.numbers, [face], [mesh]) <= within:
            return mesh
        surface, elementary = self.numbers.surfaces[face], ELEMENTARY.get(self.numbers.kinds[face])
        if elementary is None:
            return refined(mesh, surface, functools.partial(beside, surface), within)
        shape = np.array(self.numbers.surface_numbers(face))[:, None]
        return refined(mesh, surface, lambda points, _: elementary.distance(points.T, shape), within)

    def _shared(self, shape: TopoDS_Shape, before: Sequence[int]) -> NDArray[np.int64]:
        """Of each node the first that lies at the same place of the same edge, or at the same vertex.

        before: how many nodes the faces before each have.
        """
        edges, ends_of = self.numbers.edges, self.numbers.ends
        vertices = shape_map(shape, TopAbs_VERTEX).Extent() + 1
        begin_of: dict[tuple[int, int], tuple[int, int]] = {}
        """From which number on the places along an edge of a shell are counted, and how many there are."""
        shell_of = _shells(shape, len(self._own))
        # one number for each place: first the vertices of each shell, then the places along its edges
        top = vertices * (max(shell_of, default=0) + 1)
        polygons: list[Poly_PolygonOnTriangulation] = []
        sides: list[tuple[int, int, int, int, int, int]] = []
        """Of each side how many nodes there are, what is added to their numbers, the number of the first
        place, by how much the next one's is larger, and those of both ends."""
        for face, mesh, shell, first in zip(self._own, self.meshes, shell_of, before, strict=False):
            if mesh is None:
                continue
            place = self.numbers.faces[face].Location()
            for number, edge in _around(self.numbers.sides[face], edges):
                polygon = BRep_Tool.PolygonOnTriangulation_s(edge, mesh.source, place)
                if polygon is None:
                    self._whole = False
                    continue
                polygons.append(polygon)
                size = polygon.NbNodes()
                start, end, is_point = ends_of[number]
                start, end = start + vertices * shell, end + vertices * shell
                # a degenerate edge lies at its vertex as a whole
                if is_point:
                    sides.append((size, first - 1, start, 0, start, start))
                    continue
                # the second face along an edge finds the numbers that the first has begun
                begin, length = begin_of.setdefault((shell, number), (top, size))
                if begin == top:
                    top += size
                elif length != size:
                    self._whole = False
                # the ends of an edge are its vertices, which other edges share
                sides.append((size, first - 1, begin, 1, start, end))
        shared = np.arange(before[-1])
        if not sides:
            return shared
        sizes, added, begins, steps, starts, stops = np.array(sides, np.int64).T
        after = np.cumsum(sizes)
        where = np.arange(after[-1]) - np.repeat(after - sizes, sizes)
        where = where * np.repeat(steps, sizes) + np.repeat(begins, sizes)
        where[after - sizes], where[after - 1] = starts, stops
        # a third of the time that iterating over polygon.Nodes() takes
        nodes = itertools.chain.from_iterable(
            map(polygon.Node, range(1, size + 1))
            for polygon, size in zip(polygons, sizes.tolist(), strict=True)
        )
        numbers = np.fromiter(nodes, np.int64, len(where)) + np.repeat(added, sizes)
        # each place is given to the first node there, and each node takes over what its place has
        standing = np.empty(top, np.int64)
        # backwards, so that the first one stays
        standing[where[::-1]] = numbers[::-1]
        shared[numbers] = standing[where]
        return shared

    def chord(self) -> float:
        """How far the triangles are off their faces, mm."""
        return chord_of(self.numbers, self._own, self.meshes)

    def is_closed(self) -> bool:
        """Whether every side of a triangle is the side of as many others the other way round."""
        if not self._whole or len(self.indices) == 0:
            return False
        # The sum of a(i)·b(j) - a(j)·b(i) over all sides from i to j: sides that do not cancel leave nothing
        # with a chance of 2⁻⁶² for numbers without pattern, and to sort all sides takes ten times as long.
        first, second = _scattered(2, len(self.positions))
        a, b = first[self.indices], second[self.indices]
        onwards = a * b[:, (1, 2, 0)] - a[:, (1, 2, 0)] * b
        return int(onwards.sum(dtype=np.uint64)) == 0


def _scattered(rows: int, count: int) -> NDArray[np.uint64]:
    """Numbers of 64 bits without pattern, the same ones each time.

    Source: SplitMix64. Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
    """
    bits = np.arange(1, rows * count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31))).reshape(rows, count)


def _each_once(faces: Sequence[TopoDS_Face], count: int) -> Sequence[int]:
    """The numbers of those that are not there before. count: how many these are."""
    if len(faces) == count:
        return range(count)
    known = ShapeMap()
    return [number for number, face in enumerate(faces) if known.Extent() < known.Add(face)]


def _around(
    sides: Sequence[tuple[int, float]], edges: Sequence[TopoDS_Edge]
) -> Iterator[tuple[int, TopoDS_Edge]]:
    """The edges around a face, with their numbers; a seam comes both ways, which have nodes of their own."""
    numbers = [number for number, _ in sides]
    if len(set(numbers)) == len(numbers):
        return ((number, edges[number]) for number in numbers)
    return (
        (number, TopoDS.Edge(edges[number].Oriented(_WAYS[sign]))) if sign else (number, edges[number])
        for number, sign in sides
    )


def _shells(shape: TopoDS_Shape, count: int) -> list[int]:
    """The number of the shell of each of so many faces, in the order of faces."""
    shells = [0] * count
    found = shape_map(shape, TopAbs_SHELL)
    if found.Extent() > 1:
        faces = shape_map(shape, TopAbs_FACE)
        for number in range(found.Extent()):
            inside = TopExp_Explorer(found.FindKey(number + 1), TopAbs_FACE)
            while inside.More():
                shells[faces.FindIndex(inside.Current()) - 1] = number
                inside.Next()
    return shells
