"""Convex bodies of flat faces, proven such by their corners alone.

Of such a body nothing need be asked of OpenCASCADE: its faces meet in their edges only, and each is the
polygon of its corners.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from OCP.BRep import BRep_Tool
from OCP.GeomAbs import GeomAbs_Plane
from OCP.TopAbs import TopAbs_FACE, TopAbs_SHELL, TopAbs_SOLID, TopAbs_VERTEX
from OCP.TopoDS import TopoDS, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import shape_map
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import (
    LINE,
    BoundaryNumbers,
    Numbers,
    boundary_numbers,
)
from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["ConvexPolyhedron", "convex_polyhedron"]

_PLANE = GeomAbs_Plane.value
_BESIDE = 1e-7
"""Millimetres by which a corner may miss its faces and edges: OpenCASCADE's own precision."""
_SAME_SIDE = 1e-9
"""1 less the cosine of the angle of 4e-5 between normals below which faces may be of one side."""
_MOST = 256
"""Faces up to which all corners are held against all faces."""


@dataclass(frozen=True, slots=True, eq=False)
class ConvexPolyhedron:
    """The corners of a body, and which of them are those of each face."""

    corners: Numbers
    """(n, 3) millimetres."""
    loops: list[list[int]]
    """The corners of each face of ``BoundaryNumbers``, counter-clockwise seen from outside."""


_LATEST: deque[tuple[TopoDS_Shape, ConvexPolyhedron | None]] = deque(maxlen=2)
"""The bodies that were asked about last. Shapes do not change."""


def convex_polyhedron(shape: TopoDS_Shape) -> ConvexPolyhedron | None:
    """The polyhedron that a solid is; None where it is another body, has many faces, or is in doubt.

    One shell closes, each face has one border of lines, which meet in corners of at least three edges. All
    corners lie behind all faces, and those of a face on it: each face is a piece of the boundary of their
    convex hull, and no two are pieces of one side of it, since the normals differ. Each edge lies in two of
    these sides, so the borders are those of the sides of the hull.
    """
    for known, polyhedron in tuple(_LATEST):
        if known.IsEqual(shape):
            return polyhedron
    polyhedron = None
    if shape.ShapeType() == TopAbs_SOLID and shape_map(shape, TopAbs_FACE).Extent() <= _MOST:
        polyhedron = _polyhedron(shape)
    _LATEST.append((shape, polyhedron))
    return polyhedron


def _polyhedron(shape: TopoDS_Shape) -> ConvexPolyhedron | None:
    numbers = boundary_numbers(shape)
    if any(kind != _PLANE for kind in numbers.kinds):
        return None
    loops = _loops(shape, numbers)
    return None if loops is None else _convex(shape, numbers, loops)


def _loops(shape: TopoDS_Shape, numbers: BoundaryNumbers) -> list[list[int]] | None:
    """The corners of each face, by number from 0; None unless one shell closes with one border each."""
    # the second face along an edge runs the other way
    closes = all(len(there) == 2 and there[0][1] * there[1][1] == -1.0 for there in numbers.at_edge)
    if not closes or shape_map(shape, TopAbs_SHELL).Extent() != 1:
        return None
    degrees = [0] * shape_map(shape, TopAbs_VERTEX).Extent()
    for start, end, _ in numbers.ends:
        degrees[start - 1] += 1
        degrees[end - 1] += 1
    if min(degrees) < 3:
        return None
    loops = []
    for sides in numbers.sides:
        onwards = {}
        for edge, sign in sides:
            start, end, _ = numbers.ends[edge]
            onwards[(start if sign > 0.0 else end) - 1] = (end if sign > 0.0 else start) - 1
        here = first = next(iter(onwards))
        loop = [here]
        while (here := onwards.get(here, first)) != first:
            loop.append(here)
        if not 3 <= len(loop) == len(sides):
            return None
        loops.append(loop)
    return loops


def _convex(shape: TopoDS_Shape, numbers: BoundaryNumbers, loops: list[list[int]]) -> ConvexPolyhedron | None:
    curves, count = numbers.curves, len(loops)
    if any(kind != LINE for kind in curves.kinds):
        return None
    planes = np.array([numbers.surface_numbers(face) for face in range(count)])
    normals = planes[:, 3:6] * np.array([numbers.outwards(face) for face in range(count)])[:, None]
    vertices = shape_map(shape, TopAbs_VERTEX)
    corners = np.array(
        [
            BRep_Tool.Pnt_s(TopoDS.Vertex(vertices.FindKey(index + 1))).Coord()
            for index in range(vertices.Extent())
        ]
    )
    levels = corners @ normals.T - (normals * planes[:, :3]).sum(axis=1)
    belongs = np.zeros(levels.shape, bool)
    for face, loop in enumerate(loops):
        belongs[loop, face] = True
    ends = np.array(numbers.ends)[:, :2] - 1
    alike = normals @ normals.T > 1.0 - _SAME_SIDE
    fits = (
        levels.max() <= _BESIDE
        and levels[belongs].min() >= -_BESIDE
        and levels.min(axis=0).max() < -LINEAR
        and alike.sum() == count
        and np.abs(corners[ends] - curves.rows[:, :6].reshape(-1, 2, 3)).max() <= _BESIDE
        and _turns_left(corners, normals, loops)
    )
    return ConvexPolyhedron(corners, loops) if fits else None


def _turns_left(corners: Numbers, normals: Numbers, loops: list[list[int]]) -> bool:
    """Whether each border runs counter-clockwise about the outward normal of its face.

    A convex polygon turns the same way at each corner.
    """
    first, second, third = corners[[loop[:3] for loop in loops]].transpose(1, 0, 2)
    turns: Numbers = (crossed(second - first, third - second) * normals).sum(axis=1)
    return bool(turns.min() > 0.0)
