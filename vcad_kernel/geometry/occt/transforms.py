"""Moved, turned, mirrored and scaled bodies: one 3×4 matrix, whatever the chain of nodes was.

Rigid motions share the geometry of the original; other similarities copy it and keep every surface
what it is. Under any other matrix polyhedra stay polyhedra, and curved faces become B-splines: ``gp_Trsf``
cannot hold such a matrix (cad.md §10.11). A stretch is therefore carried down to the primitives where it
can be (``taken_up`` of :mod:`vcad_kernel.geometry.occt.primitives`).

Polyhedra earn their place by `test_stretching_leaves_the_edges_of_a_polyhedron_straight`: OpenCASCADE alone
makes splines of the edges, which no selection of straight ones finds, and whose fillet takes eight times
as long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepBuilderAPI import BRepBuilderAPI_GTransform, BRepBuilderAPI_MakeEdge, BRepBuilderAPI_Transform
from OCP.Geom import Geom_Plane
from OCP.GeomAbs import GeomAbs_Line, GeomAbs_Plane
from OCP.gp import gp_Ax3, gp_Dir, gp_GTrsf, gp_Pnt, gp_Trsf, gp_Vec
from OCP.TopAbs import (
    TopAbs_EDGE,
    TopAbs_FACE,
    TopAbs_FORWARD,
    TopAbs_REVERSED,
    TopAbs_SHELL,
    TopAbs_SOLID,
    TopAbs_VERTEX,
)
from OCP.TopExp import TopExp
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import (
    TopoDS,
    TopoDS_Compound,
    TopoDS_Face,
    TopoDS_Iterator,
    TopoDS_Shape,
    TopoDS_Shell,
    TopoDS_Solid,
    TopoDS_Vertex,
    TopoDS_Wire,
)

from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of, shape_map
from vcad_kernel.geometry.occt.measure.distances.meetings import same_volume, shifted
from vcad_kernel.geometry.occt.measure.validity import rough_volume
from vcad_kernel.geometry.placement import IDENTITY, Matrix

__all__ = ["is_similarity", "moved", "scaled", "similarity"]

_UNTURNED = IDENTITY[:, :3].tobytes()
_ROUNDING = 1e-11
"""Relative: how far from a similarity the product of many similarities may be."""


def is_similarity(matrix: Matrix) -> bool:
    """Whether a matrix scales alike in all directions, apart from turning, mirroring and moving."""
    if _only_moves(matrix):
        return True
    square = matrix[:, :3].T @ matrix[:, :3]
    size = float(np.trace(square)) / 3.0
    return bool(np.all(np.abs(square - size * np.eye(3)) <= _ROUNDING * size))


def moved(brep: Brep, matrix: Matrix) -> Brep:
    """The body under any matrix but a singular one; of positive volume also where that mirrors."""
    if _only_moves(matrix):
        shift = matrix[:, 3].tolist()
        return (
            shifted(Brep(brep.shape.Moved(_by(shift)), brep.makers, brep.deviations), brep, shift)
            if any(shift)
            else brep
        )
    if not is_similarity(matrix):
        return _stretched(brep, matrix)
    change = similarity(matrix)
    if abs(float(np.linalg.det(matrix[:, :3])) - 1.0) <= _ROUNDING:
        turned = brep.shape.Moved(TopLoc_Location(change))
        return same_volume(Brep(turned, brep.makers, brep.deviations), brep)
    maker = BRepBuilderAPI_Transform(brep.shape, change, True)
    became = [maker.ModifiedShape(face) for face in faces_of(brep.shape)]
    return _one_to_one(brep, maker.Shape(), became, matrix)


def scaled(shape: TopoDS_Shape, times: float) -> TopoDS_Shape:
    """A shape that much larger about the origin; a power of two rounds nothing.

    For what OpenCASCADE does to 1e-7 or 1e-5 mm, whatever the size.
    """
    change = gp_Trsf()
    change.SetScaleFactor(times)
    return BRepBuilderAPI_Transform(shape, change, True).Shape()


def _only_moves(matrix: Matrix) -> bool:
    # bytes are compared in a twentieth of the time that arrays take; adding 0 makes one of the two zeros
    return bool((matrix[:, :3] + 0.0).tobytes() == _UNTURNED)


def _by(shift: Sequence[float]) -> TopLoc_Location:
    # a location that only moves is applied exactly, and sooner
    change = gp_Trsf()
    change.SetTranslation(gp_Vec(*shift))
    return TopLoc_Location(change)


def similarity(matrix: Matrix) -> gp_Trsf:
    """A matrix that is one, as OpenCASCADE has it."""
    change = gp_Trsf()
    change.SetValues(*(float(value) for value in matrix.ravel()))
    return change


def _stretched(brep: Brep, matrix: Matrix) -> Brep:
    """The body under a matrix with any regular linear part; of positive volume."""
    if _is_polyhedron(brep.shape):
        return _polyhedron(brep, matrix)
    change = gp_GTrsf()
    for row in range(3):
        for column in range(4):
            change.SetValue(row + 1, column + 1, float(matrix[row, column]))
    mirrored = float(np.linalg.det(matrix[:, :3])) < 0.0
    maker = BRepBuilderAPI_GTransform(brep.shape, change, True)
    became: list[TopoDS_Shape] = []
    for face in faces_of(brep.shape):
        new = TopoDS.Face(maker.ModifiedShape(face))
        if BRepAdaptor_Surface(face, False).GetType() == GeomAbs_Plane:
            # flat faces stay planes: later features treat them apart from other surfaces
            plane = _plane(face, matrix)
            if mirrored:
                # as the mapped surface that it replaces: the whole body is turned inside out below
                plane.UReverse()
            BRep_Builder().UpdateFace(new, plane, TopLoc_Location(), BRep_Tool.Tolerance_s(new))
        became.append(new)
    shape = maker.Shape()
    # which side is out any integral says; how much there is follows from the matrix
    if rough_volume(shape) < 0.0:
        shape = shape.Reversed()
    times = abs(float(np.linalg.det(matrix[:, :3])))
    return same_volume(_one_to_one(brep, shape, became, matrix), brep, times)


def _one_to_one(brep: Brep, shape: TopoDS_Shape, became: Sequence[TopoDS_Shape], matrix: Matrix) -> Brep:
    """The result of a change that turned each face of ``brep``, in order, into one of ``became``."""
    faces = shape_map(shape, TopAbs_FACE)
    makers = list(brep.makers)
    for face, maker in zip(became, brep.makers, strict=True):
        makers[faces.FindIndex(face) - 1] = maker
    # no distance grows by more than the largest stretch
    most = float(np.linalg.norm(matrix[:, :3], 2)) if brep.deviations else 1.0
    return Brep(shape, tuple(makers), {maker: most * distance for maker, distance in brep.deviations.items()})


def _point(matrix: Matrix, point: gp_Pnt) -> gp_Pnt:
    x, y, z = (float(value) for value in matrix @ (point.X(), point.Y(), point.Z(), 1.0))
    return gp_Pnt(x, y, z)


def _plane(face: TopoDS_Face, matrix: Matrix) -> Geom_Plane:
    """The plane of a flat face under a matrix; what was above it is above it still."""
    axes = BRepAdaptor_Surface(face, False).Plane().Position()
    linear = matrix[:, :3]
    x, y = ((way.X(), way.Y(), way.Z()) for way in (axes.XDirection(), axes.YDirection()))
    # a plane's normal goes with the inverse transpose; x × y and not Direction(), as axes may be left-handed
    normal = np.linalg.solve(linear.T, np.cross(x, y))
    return Geom_Plane(
        gp_Ax3(
            _point(matrix, axes.Location()),
            gp_Dir(*(float(value) for value in normal)),
            gp_Dir(*(float(value) for value in linear @ x)),
        )
    )


def _is_polyhedron(shape: TopoDS_Shape) -> bool:
    return all(
        BRepAdaptor_Surface(face, False).GetType() == GeomAbs_Plane for face in faces_of(shape)
    ) and all(BRepAdaptor_Curve(edge).GetType() == GeomAbs_Line for edge in edges_of(shape))


def _parts(shape: TopoDS_Shape) -> Iterator[TopoDS_Shape]:
    """The shapes one level down, each as it stands in the given shape."""
    walk = TopoDS_Iterator(shape)
    while walk.More():
        yield walk.Value()
        walk.Next()


def _polyhedron(brep: Brep, matrix: Matrix) -> Brep:
    """Planes and straight edges set up again on the moved corners, wires turned round where mirrored."""
    builder = BRep_Builder()
    vertices = shape_map(brep.shape, TopAbs_VERTEX)
    # 1. corners
    corners: list[TopoDS_Vertex] = []
    for index in range(1, vertices.Extent() + 1):
        old = TopoDS.Vertex(vertices.FindKey(index))
        corner = TopoDS_Vertex()
        builder.MakeVertex(corner, _point(matrix, BRep_Tool.Pnt_s(old)), BRep_Tool.Tolerance_s(old))
        corners.append(corner)
    edges = shape_map(brep.shape, TopAbs_EDGE)
    # 2. edges, forward: each wire adds its own orientation
    sides = []
    for index in range(1, edges.Extent() + 1):
        edge = TopoDS.Edge(edges.FindKey(index).Oriented(TopAbs_FORWARD))
        first, last = TopExp.FirstVertex_s(edge), TopExp.LastVertex_s(edge)
        sides.append(
            BRepBuilderAPI_MakeEdge(
                corners[vertices.FindIndex(first) - 1], corners[vertices.FindIndex(last) - 1]
            ).Edge()
        )
    # 3. faces on the mapped planes; a mirror image turns borders round
    mirrored = float(np.linalg.det(matrix[:, :3])) < 0.0
    faces: list[TopoDS_Shape] = []
    for old_face in faces_of(brep.shape):
        forward = TopoDS.Face(old_face.Oriented(TopAbs_FORWARD))
        face = TopoDS_Face()
        builder.MakeFace(face, _plane(forward, matrix), BRep_Tool.Tolerance_s(old_face))
        for old_wire in _parts(forward):
            wire = TopoDS_Wire()
            builder.MakeWire(wire)
            for edge in _parts(old_wire.Oriented(TopAbs_FORWARD)):
                builder.Add(wire, sides[edges.FindIndex(edge) - 1].Oriented(edge.Orientation()))
            wire.Closed(True)
            turned = (old_wire.Orientation() == TopAbs_REVERSED) is not mirrored
            builder.Add(face, wire.Oriented(TopAbs_REVERSED if turned else TopAbs_FORWARD))
        faces.append(face)
    # 4. the same shells and solids around them
    known = shape_map(brep.shape, TopAbs_FACE)

    def shell_of(old: TopoDS_Shape) -> TopoDS_Shape:
        shell = TopoDS_Shell()
        builder.MakeShell(shell)
        for part in _parts(old.Oriented(TopAbs_FORWARD)):
            builder.Add(shell, faces[known.FindIndex(part) - 1].Oriented(part.Orientation()))
        shell.Closed(True)
        return shell.Oriented(old.Orientation())

    def solid_of(old: TopoDS_Shape) -> TopoDS_Shape:
        solid = TopoDS_Solid()
        builder.MakeSolid(solid)
        for part in _parts(old.Oriented(TopAbs_FORWARD)):
            if part.ShapeType() == TopAbs_SHELL:
                builder.Add(solid, shell_of(part))
        return solid.Oriented(old.Orientation())

    if brep.shape.ShapeType() == TopAbs_SOLID:
        return _one_to_one(brep, solid_of(brep.shape), faces, matrix)
    solids = shape_map(brep.shape, TopAbs_SOLID)
    whole = TopoDS_Compound()
    builder.MakeCompound(whole)
    for index in range(1, solids.Extent() + 1):
        builder.Add(whole, solid_of(solids.FindKey(index)))
    return _one_to_one(brep, whole, faces, matrix)
