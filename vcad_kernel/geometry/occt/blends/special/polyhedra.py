"""All edges of a convex polyhedron blended exactly, however many of them meet in a corner.

OpenCASCADE patches corners of four and more edges, or fails there; for these bodies the answer is
known. Rounded, it is the body inset by the radius and grown again by a ball (its volume is Steiner's
formula): planes, cylinders and spheres. Bevelled, each face shrinks by the distance, each edge becomes
a strip and each corner the flat polygon between the corners of the shrunk faces. Growing a convex body
is the one offset that OpenCASCADE always gets right.

Earns its place by `test_blend_polyhedra_bevel_a_wedge_with_flat_corners`: OpenCASCADE alone gives curved
patches for corners, 9e-5 of the volume off. Rounding a pyramid takes it three times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepOffset import BRepOffset_Skin
from OCP.BRepOffsetAPI import BRepOffsetAPI_MakeOffsetShape
from OCP.BRepTools import BRepTools, BRepTools_WireExplorer
from OCP.GeomAbs import GeomAbs_Arc, GeomAbs_Plane
from OCP.GeomLib import GeomLib_IsPlanarSurface
from OCP.gp import gp_Pnt2d
from OCP.TopAbs import TopAbs_REVERSED, TopAbs_VERTEX, TopAbs_WIRE
from OCP.TopoDS import TopoDS, TopoDS_Face

from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.booleans.faceted import faceted
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of, shape_map, solids_of
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import outward_normal
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge
from vcad_kernel.ir.digest import Digest

__all__ = ["as_polyhedron"]

_FLAT = 1e-7
"""Millimetres by which a surface may leave its plane, an edge its chord, a corner its face."""
_MOST_FACES = 60
"""Corners of the inset body are looked for among all triples of planes."""

_Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Polyhedron:
    corners: _Points
    """(n, 3)"""
    faces: tuple[tuple[int, ...], ...]
    """Indices of corners, counter-clockwise from outside."""
    normals: _Points
    """(m, 3), outward."""

    @property
    def levels(self) -> _Points:
        """(m,) distance of each face's plane from the origin along its normal."""
        first = self.corners[[face[0] for face in self.faces]]
        return np.asarray(np.einsum("ij,ij->i", self.normals, first), dtype=np.float64)


def as_polyhedron(solid: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep | None:
    """The blend; None if not all edges are meant, the body is no convex polyhedron, or it does not fit.

    OpenCASCADE rounds a polyhedron of true planes with three edges at each corner exactly, and sooner, so
    that is left to it; bevels it makes flat at right angles only.
    """
    shape = solid.shape
    count = len(solid.makers)
    if blend.end is not None or count > _MOST_FACES or len(corners) != len(edges_of(shape)):
        return None
    # 2·edges = 3·vertices: three edges in each corner
    if any(corner.convex is not True for corner in corners) or (
        blend.kind == "fillet"
        and 2 * len(corners) == 3 * shape_map(shape, TopAbs_VERTEX).Extent()
        and all(BRepAdaptor_Surface(face, False).GetType() == GeomAbs_Plane for face in faces_of(shape))
    ):
        return None
    body = _read(solid, corners)
    if body is None:
        return None
    if blend.kind == "chamfer":
        return _bevelled(body, blend.size, solid.makers, maker)
    return _rounded(body, blend.size, solid.makers, maker)


def _read(solid: Brep, corners: Sequence[SharpEdge]) -> _Polyhedron | None:
    if not all(_is_straight(corner) for corner in corners):
        return None
    numbered = shape_map(solid.shape, TopAbs_VERTEX)
    points = [BRep_Tool.Pnt_s(TopoDS.Vertex(numbered.FindKey(i + 1))) for i in range(numbered.Extent())]
    positions = np.array([(point.X(), point.Y(), point.Z()) for point in points])
    outlines, normals = [], []
    for face in faces_of(solid.shape):
        if shape_map(face, TopAbs_WIRE).Extent() != 1 or not _is_flat(face):
            return None
        outline = []
        walk = BRepTools_WireExplorer(BRepTools.OuterWire_s(face), face)
        while walk.More():
            outline.append(numbered.FindIndex(walk.CurrentVertex()) - 1)
            walk.Next()
        low_u, high_u, low_v, high_v = BRepTools.UVBounds_s(face)
        normal = outward_normal(face, gp_Pnt2d((low_u + high_u) / 2, (low_v + high_v) / 2))
        if normal is None or len(outline) < 3:
            return None
        direction = np.array((normal.X(), normal.Y(), normal.Z()))
        # OpenCASCADE's wires may run either way: ours run counter-clockwise about the outward normal
        around = sum(
            np.cross(positions[a] - positions[outline[0]], positions[b] - positions[outline[0]])
            for a, b in pairwise(outline)
        )
        outlines.append(tuple(outline if np.dot(around, direction) > 0 else reversed(outline)))
        normals.append(direction)
    return _Polyhedron(positions, tuple(outlines), np.array(normals))


def _is_straight(corner: SharpEdge) -> bool:
    curve = BRepAdaptor_Curve(corner.edge)
    low, high = curve.FirstParameter(), curve.LastParameter()
    start, middle, end = (
        np.array((p.X(), p.Y(), p.Z())) for p in map(curve.Value, (low, (low + high) / 2, high))
    )
    along = (end - start) / np.linalg.norm(end - start)
    return bool(np.linalg.norm(np.cross(middle - start, along)) <= _FLAT)


def _is_flat(face: TopoDS_Face) -> bool:
    return bool(GeomLib_IsPlanarSurface(BRep_Tool.Surface_s(face), _FLAT).IsPlanar())


def _rounded(body: _Polyhedron, radius: float, makers: Sequence[Digest], maker: Digest) -> Brep | None:
    # Steiner: what a ball covers whose centre stays within the inset body is the rounded body
    core = _inset(body, radius)
    if core is None:
        return None
    growing = BRepOffsetAPI_MakeOffsetShape()
    try:
        growing.PerformByJoin(core.shape, radius, _FLAT, BRepOffset_Skin, False, False, GeomAbs_Arc, False)
        if not growing.IsDone():
            return None
        solids = solids_of(growing.Shape())
    except OCCT_ERRORS:
        return None
    if len(solids) != 1:
        return None
    # a plane of the result is the old face of the same normal and level; all else is new
    levels = body.levels
    made = []
    for face in faces_of(solids[0]):
        surface = BRepAdaptor_Surface(face, False)
        old = None
        if surface.GetType() == GeomAbs_Plane:
            axis, point = surface.Plane().Axis().Direction(), surface.Plane().Location()
            sign = -1.0 if face.Orientation() == TopAbs_REVERSED else 1.0
            if not surface.Plane().Direct():
                sign = -sign
            normal = sign * np.array((axis.X(), axis.Y(), axis.Z()))
            level = float(normal @ np.array((point.X(), point.Y(), point.Z())))
            apart = np.linalg.norm(body.normals - normal, axis=1) + np.abs(levels - level)
            old = int(apart.argmin())
        made.append(maker if old is None else makers[old])
    return Brep(solids[0], tuple(made))


def _inset(body: _Polyhedron, distance: float) -> Brep | None:
    """All faces moved inwards; None if one of them vanishes."""
    normals, levels = body.normals, body.levels - distance
    size = float(np.ptp(body.corners, axis=0).max())
    # corners are where three planes meet at a point that lies behind all other planes
    triples = np.array(list(combinations(range(len(normals)), 3)))
    matrices = normals[triples]
    triples = triples[np.abs(np.linalg.det(matrices)) > 1e-9]
    points = np.linalg.solve(normals[triples], levels[triples][:, :, None])[:, :, 0]
    inside = (points @ normals.T - levels <= 1e-9 * size).all(axis=1)
    distinct: list[_Points] = []
    # where more than three planes meet, several triples give the same corner
    for point in points[inside]:
        if all(np.linalg.norm(point - other) > 1e-7 * size for other in distinct):
            distinct.append(point)
    if len(distinct) < 4:
        return None
    positions = np.array(distinct)
    polygons = []
    for normal, level in zip(normals, levels, strict=True):
        on = np.flatnonzero(np.abs(positions @ normal - level) <= 1e-8 * size)
        # no corner is left of this face
        if len(on) < 3:
            return None
        polygons.append(_around(positions, on, normal))
    return _solid(positions, polygons, [b""] * len(polygons))  # the core's faces are looked at no more


def _around(positions: _Points, indices: NDArray[np.intp], normal: _Points) -> list[int]:
    """Indices in counter-clockwise order seen against the normal."""
    centre = positions[indices].mean(axis=0)
    first = positions[indices[0]] - centre
    second = np.cross(normal, first)
    rays = positions[indices] - centre
    order = np.argsort(np.arctan2(rays @ second, rays @ first))
    return [int(index) for index in indices[order]]


def _bevelled(body: _Polyhedron, distance: float, makers: Sequence[Digest], maker: Digest) -> Brep | None:
    trimmed: dict[tuple[int, int], int] = {}
    points: list[_Points] = []
    for number, (face, normal) in enumerate(zip(body.faces, body.normals, strict=True)):
        # 1. each face within its plane, with corners of its own
        shrunk = _shrunk(body.corners[list(face)], normal, distance)
        if shrunk is None:
            return None
        for corner, point in zip(face, shrunk, strict=True):
            trimmed[number, corner] = len(points)
            points.append(point)
    polygons = [[trimmed[number, corner] for corner in face] for number, face in enumerate(body.faces)]
    made = list(makers)
    # 2. a strip along each edge, between the shrunk faces at both sides
    side_of = {
        (a, b): number for number, face in enumerate(body.faces) for a, b in pairwise((*face, face[0]))
    }
    for (a, b), left in side_of.items():
        right = side_of[b, a]
        if a < b:
            polygons.append([trimmed[left, b], trimmed[left, a], trimmed[right, a], trimmed[right, b]])
    positions = np.array(points)
    # 3. a cap over each corner, between the corners of the shrunk faces around it
    for corner in range(len(body.corners)):
        cap = np.array([index for (_, at), index in trimmed.items() if at == corner])
        pieces = _cap(positions, cap, body.corners[corner])
        if pieces is None:
            return None
        polygons += pieces
    made += [maker] * (len(polygons) - len(made))
    return _solid(positions, polygons, made)


def _cap(positions: _Points, indices: NDArray[np.intp], corner: _Points) -> list[list[int]] | None:
    """The flat polygon that cuts a corner off; two triangles if four points are in no plane."""
    centre = positions[indices].mean(axis=0)
    spread = positions[indices] - centre
    # the plane that fits best is square to the direction in which the points spread least
    normal = np.linalg.svd(spread)[2][2]
    if normal @ (corner - centre) < 0:
        normal = -normal
    around = _around(positions, indices, normal)
    if np.abs(spread @ normal).max() <= _FLAT:
        return [around]
    if len(around) != 4:
        return None
    a, b, c, d = around
    rising = np.linalg.det(positions[[b, c, d]] - positions[a])
    # Of the two diagonals the one that leaves the piece convex.
    return [[a, b, c], [a, c, d]] if rising < 0 else [[a, b, d], [b, c, d]]


def _shrunk(outline: _Points, normal: _Points, distance: float) -> _Points | None:
    """A convex polygon with all sides moved inwards; None if a side vanishes."""
    along = np.roll(outline, -1, axis=0) - outline
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    before = np.roll(along, 1, axis=0)
    # Both sides at a corner move by the distance: the corner goes along their bisector by d / sin(angle).
    sine = np.einsum("ij,j->i", np.cross(before, along), normal)
    moved = np.asarray(outline + (along - before) * (distance / sine)[:, None], dtype=np.float64)
    sides = np.roll(moved, -1, axis=0) - moved
    return moved if bool((np.einsum("ij,ij->i", sides, along) > 1e-9 * distance).all()) else None


def _solid(positions: _Points, polygons: Sequence[Sequence[int]], makers: Sequence[Digest]) -> Brep:
    triangles = [(face[0], a, b) for face in polygons for a, b in pairwise(face[1:])]
    made = [maker for face, maker in zip(polygons, makers, strict=True) for _ in face[2:]]
    return faceted(positions, np.array(triangles, dtype=np.int64), made)
