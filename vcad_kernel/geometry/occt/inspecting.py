"""What the edges and faces of an exact body measure, and how far two bodies are apart.

Numbers follow :func:`~vcad_kernel.geometry.occt.brep.faces_of` and ``edges_of`` of the merged body, the
one that selectors and features see. Millimetres, mm².
"""

from __future__ import annotations

import math

from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.BRepGProp import BRepGProp
from OCP.collections import (
    IndexedDataMap_TopoDS_Shape_List_TopoDS_Shape_TopTools_ShapeMapHasher as Ancestors,
)
from OCP.GCPnts import GCPnts_AbscissaPoint
from OCP.GeomAbs import (
    GeomAbs_Circle,
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Line,
    GeomAbs_Plane,
    GeomAbs_Sphere,
    GeomAbs_Torus,
)
from OCP.gp import gp_Dir, gp_Pnt
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_REVERSED
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face

from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of, shape_map
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.unify import unified
from vcad_kernel.geometry.readings import EdgeReading, FaceReading, Gap
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.ir.vectors import Vec3

__all__ = ["edge_readings", "face_readings", "gap", "merged"]

_CURVES = {GeomAbs_Line: "line", GeomAbs_Circle: "circle"}
_SURFACES = {
    GeomAbs_Plane: "plane",
    GeomAbs_Cylinder: "cylinder",
    GeomAbs_Cone: "cone",
    GeomAbs_Sphere: "sphere",
    GeomAbs_Torus: "torus",
}
_ACCURACY = 1e-7
"""Relative, of areas of faces that have no closed form."""


def merged(brep: Brep) -> Brep:
    """The body as features see it: without edges between faces of one surface."""
    return unified(brep)


def edge_readings(brep: Brep) -> tuple[EdgeReading, ...]:
    """Every edge that has a length, in order; seams are edges, too. A pole's number is left out."""
    neighbours = Ancestors()
    TopExp.MapShapesAndAncestors_s(brep.shape, TopAbs_EDGE, TopAbs_FACE, neighbours)
    numbers = shape_map(brep.shape, TopAbs_FACE)
    found = []
    for index, edge in enumerate(edges_of(brep.shape)):
        if BRep_Tool.Degenerated_s(edge):
            continue
        faces = sorted({numbers.FindIndex(face) - 1 for face in neighbours.FindFromKey(edge)})
        found.append(_edge(index, edge, tuple(faces)))
    return tuple(found)


def face_readings(brep: Brep) -> tuple[FaceReading, ...]:
    """Every face, in order."""
    return tuple(
        _face(index, face, maker)
        for index, (face, maker) in enumerate(zip(faces_of(brep.shape), brep.makers, strict=True))
    )


def gap(a: Brep, b: Brep) -> Gap | None:
    """The least distance between two bodies, 0 where they touch or overlap; None when it is not found."""
    try:
        search = BRepExtrema_DistShapeShape(a.shape, b.shape)
        if not search.IsDone() or search.NbSolution() == 0:
            return None
        if search.InnerSolution() or search.Value() <= LINEAR:
            return Gap(0.0, None)
        return Gap(float(search.Value()), (_vec3(search.PointOnShape1(1)), _vec3(search.PointOnShape2(1))))
    except OCCT_ERRORS:
        return None


def _edge(index: int, edge: TopoDS_Edge, faces: tuple[int, ...]) -> EdgeReading:
    curve = BRepAdaptor_Curve(edge)
    kind = _CURVES.get(curve.GetType(), "other")
    first, last = curve.FirstParameter(), curve.LastParameter()
    length = float(GCPnts_AbscissaPoint.Length_s(curve, first, last, LINEAR))
    radius, direction = None, None
    middle = curve.Value(GCPnts_AbscissaPoint(curve, 0.5 * length, first).Parameter())
    if kind == "line":
        direction = _direction(curve.Line().Direction())
    elif kind == "circle":
        circle = curve.Circle()
        radius = float(circle.Radius())
        direction = _direction(circle.Axis().Direction())
        if curve.IsClosed() or last - first > 2.0 * math.pi - 1e-9:
            middle = circle.Location()
    return EdgeReading(index, kind, length, radius, _vec3(middle), direction, faces)


def _face(index: int, face: TopoDS_Face, maker: bytes) -> FaceReading:
    surface = BRepAdaptor_Surface(face, True)
    kind = _SURFACES.get(surface.GetType(), "other")
    properties = GProp_GProps()
    if kind == "other":
        BRepGProp.SurfaceProperties_s(face, properties, _ACCURACY)
    else:
        BRepGProp.SurfaceProperties_s(face, properties)
    radius: float | None = None
    normal: Vec3 | None = None
    if kind == "plane":
        normal = _direction(surface.Plane().Axis().Direction())
        # a left-handed plane's normal (x × y) runs against its axis
        turned = (face.Orientation() == TopAbs_REVERSED) != (not surface.Plane().Direct())
        if turned:
            normal = (-normal[0] + 0.0, -normal[1] + 0.0, -normal[2] + 0.0)
    elif kind == "cylinder":
        radius = float(surface.Cylinder().Radius())
    elif kind == "sphere":
        radius = float(surface.Sphere().Radius())
    elif kind == "torus":
        radius = float(surface.Torus().MinorRadius())
    return FaceReading(
        index, kind, float(properties.Mass()), radius, _vec3(properties.CentreOfMass()), normal, maker
    )


def _vec3(point: gp_Pnt) -> Vec3:
    return (point.X() + 0.0, point.Y() + 0.0, point.Z() + 0.0)


def _direction(direction: gp_Dir) -> Vec3:
    return (direction.X() + 0.0, direction.Y() + 0.0, direction.Z() + 0.0)
