"""Bodies made directly with OpenCASCADE, and the build of one node over them, for tests of features.

The node under test gets its operand handed in, so that these tests need no other builder.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from OCP.BRepAlgoAPI import BRepAlgoAPI_Common, BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepBuilderAPI import (
    BRepBuilderAPI_GTransform,
    BRepBuilderAPI_MakeFace,
    BRepBuilderAPI_MakePolygon,
    BRepBuilderAPI_MakeSolid,
    BRepBuilderAPI_Sewing,
    BRepBuilderAPI_Transform,
)
from OCP.BRepFilletAPI import BRepFilletAPI_MakeChamfer, BRepFilletAPI_MakeFillet
from OCP.BRepOffsetAPI import BRepOffsetAPI_ThruSections
from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCone,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakePrism,
    BRepPrimAPI_MakeRevol,
    BRepPrimAPI_MakeSphere,
    BRepPrimAPI_MakeTorus,
)
from OCP.collections import Array2_double, Array2_gp_Pnt
from OCP.Geom import Geom_BezierSurface
from OCP.gp import gp_Ax1, gp_Ax2, gp_Dir, gp_GTrsf, gp_Mat, gp_Pnt, gp_Trsf, gp_Vec
from OCP.TopoDS import TopoDS, TopoDS_Shape, TopoDS_Wire

from tests.geometry import models
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.measure.validity import area_of, volume_of
from vcad_kernel.geometry.solid import SearchLimit
from vcad_kernel.operations.node import Node

Builder = Callable[..., Brep | None]

FEW_TRIALS = SearchLimit(trials=2)
"""Of the search for a size that works: the limit of a face's own, if one is known, and one more."""
BELOW = b"below"
"""The maker of every face of a body given to a builder."""
Z = (0.0, 0.0, 1.0)
L_SHAPE = ((0.0, 0.0), (10.0, 0.0), (10.0, 4.0), (4.0, 4.0), (4.0, 10.0), (0.0, 10.0))


def built(builder: Builder, body: TopoDS_Shape | None, kind: type[Node], **fields: object) -> Brep | None:
    """The answer of a builder for one node over a body.

    Extra keyword ``clock`` goes to the builder; ``search`` limits what a refusal looks for, in place of
    the few trials that are enough for a test of the refusal itself.
    """
    more = {"clock": fields.pop("clock")} if "clock" in fields else {}
    search = fields.pop("search", FEW_TRIALS)
    assert isinstance(search, SearchLimit)
    document = models.document(models.solid(kind, models.box(1.0, 1.0, 1.0), **fields))
    node = document.roots[0].node
    operand = None if body is None else unified(Brep.made(body, BELOW))
    build = Build(document, node, search=search)
    return builder(build, document.nodes[node], (operand,), **more)


def made(builder: Builder, body: TopoDS_Shape, kind: type[Node], **fields: object) -> Brep:
    """The same, not empty; checks that every face knows its maker."""
    result = built(builder, body, kind, **fields)
    assert result is not None
    assert len(result.makers) == len(faces_of(result.shape))
    return result


def volume(brep: Brep) -> float:
    return volume_of(brep.shape)


def area(brep: Brep) -> float:
    return area_of(brep.shape)


def box(x: float, y: float, z: float, at: Sequence[float] = (0.0, 0.0, 0.0)) -> TopoDS_Shape:
    return BRepPrimAPI_MakeBox(gp_Pnt(*at), x, y, z).Shape()


def cylinder(
    radius: float, height: float, at: Sequence[float] = (0.0, 0.0, 0.0), along: Sequence[float] = Z
) -> TopoDS_Shape:
    return BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(*at), gp_Dir(*along)), radius, height).Shape()


def sphere(radius: float, at: Sequence[float] = (0.0, 0.0, 0.0), along: Sequence[float] = Z) -> TopoDS_Shape:
    return BRepPrimAPI_MakeSphere(gp_Ax2(gp_Pnt(*at), gp_Dir(*along)), radius).Shape()


def cone(bottom: float, top: float, height: float) -> TopoDS_Shape:
    return BRepPrimAPI_MakeCone(bottom, top, height).Shape()


def torus(major: float, minor: float) -> TopoDS_Shape:
    return BRepPrimAPI_MakeTorus(major, minor).Shape()


def _polygon(points: Sequence[Sequence[float]]) -> TopoDS_Wire:
    polygon = BRepBuilderAPI_MakePolygon()
    for point in points:
        polygon.Add(gp_Pnt(*point))
    polygon.Close()
    return polygon.Wire()


def extruded(outline: Sequence[Sequence[float]], height: float) -> TopoDS_Shape:
    face = BRepBuilderAPI_MakeFace(_polygon([(x, y, 0.0) for x, y in outline])).Face()
    return BRepPrimAPI_MakePrism(face, gp_Vec(0.0, 0.0, height)).Shape()


def revolved(outline: Sequence[Sequence[float]], angle: float = 2.0 * math.pi) -> TopoDS_Shape:
    """A polygon of (radius, height) turned about +Z."""
    face = BRepBuilderAPI_MakeFace(_polygon([(r, 0.0, z) for r, z in outline])).Face()
    return BRepPrimAPI_MakeRevol(face, gp_Ax1(gp_Pnt(), gp_Dir(*Z)), angle).Shape()


def lofted(*sections: Sequence[Sequence[float]]) -> TopoDS_Shape:
    loft = BRepOffsetAPI_ThruSections(True, True)
    loft.CheckCompatibility(False)
    for section in sections:
        loft.AddWire(_polygon(section))
    return loft.Shape()


def union(first: TopoDS_Shape, second: TopoDS_Shape) -> TopoDS_Shape:
    return BRepAlgoAPI_Fuse(first, second).Shape()


def difference(first: TopoDS_Shape, second: TopoDS_Shape) -> TopoDS_Shape:
    return BRepAlgoAPI_Cut(first, second).Shape()


def intersection(first: TopoDS_Shape, second: TopoDS_Shape) -> TopoDS_Shape:
    return BRepAlgoAPI_Common(first, second).Shape()


def filleted(shape: TopoDS_Shape, radius: float) -> TopoDS_Shape:
    merged = unified(Brep.made(shape, BELOW)).shape
    fillet = BRepFilletAPI_MakeFillet(merged)
    for edge in edges_of(merged):
        fillet.Add(radius, edge)
    return fillet.Shape()


def chamfered(shape: TopoDS_Shape, setback: float) -> TopoDS_Shape:
    chamfer = BRepFilletAPI_MakeChamfer(shape)
    for edge in edges_of(shape):
        chamfer.Add(setback, edge)
    return chamfer.Shape()


def turned(shape: TopoDS_Shape, angle: float, about: Sequence[float]) -> TopoDS_Shape:
    """Rotated about an axis through (1, 1, 1); angle in radians."""
    rotation = gp_Trsf()
    rotation.SetRotation(gp_Ax1(gp_Pnt(1.0, 1.0, 1.0), gp_Dir(*about)), angle)
    return BRepBuilderAPI_Transform(shape, rotation, True).Shape()


def mirrored(shape: TopoDS_Shape) -> TopoDS_Shape:
    """In the YZ plane."""
    mirror = gp_Trsf()
    mirror.SetMirror(gp_Ax2(gp_Pnt(), gp_Dir(1.0, 0.0, 0.0)))
    return BRepBuilderAPI_Transform(shape, mirror, True).Shape()


def stretched(shape: TopoDS_Shape, x: float, y: float, z: float) -> TopoDS_Shape:
    """Scaled componentwise; curved faces become B-splines."""
    matrix = gp_GTrsf()
    matrix.SetVectorialPart(gp_Mat(x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z))
    return BRepBuilderAPI_GTransform(shape, matrix, True).Shape()


def cushion(weight: float) -> TopoDS_Shape:
    """A block of 10 by 10 by 2, whose top is a rational patch of nine poles: the one amid is at z = 12."""
    poles, weights = Array2_gp_Pnt(1, 3, 1, 3), Array2_double(1, 3, 1, 3)
    for row in range(3):
        for column in range(3):
            amid = row == column == 1
            poles.SetValue(row + 1, column + 1, gp_Pnt(5.0 * row, 5.0 * column, 12.0 if amid else 2.0))
            weights.SetValue(row + 1, column + 1, weight if amid else 1.0)
    sewing = BRepBuilderAPI_Sewing(1e-6)
    sewing.Add(BRepBuilderAPI_MakeFace(Geom_BezierSurface(poles, weights), 1e-7).Face())
    for face in faces_of(box(10, 10, 2))[:5]:
        sewing.Add(face)
    sewing.Perform()
    return BRepBuilderAPI_MakeSolid(TopoDS.Shell(sewing.SewedShape())).Solid()


ALL_KINDS = [
    box(3, 4, 5),
    sphere(5),
    torus(8, 3),
    turned(cylinder(4, 9), 33.0, (1, 2, 0)),
    filleted(box(9, 9, 9), 2),
    stretched(sphere(2), 1.0, 2.0, 3.0),
]
"""A body of each kind of face: flat, round, turned askew, rounded, and of splines."""
