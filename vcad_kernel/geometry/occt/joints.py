"""How two faces of a body meet along an edge: outward, inward or smoothly, and by how much.

Angles in radians. Seams and degenerate edges (poles, apexes) are no joints.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.BRepLProp import BRepLProp_SLProps
from OCP.collections import (
    IndexedDataMap_TopoDS_Shape_List_TopoDS_Shape_TopTools_ShapeMapHasher as AncestorMap,
)
from OCP.gp import gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_REVERSED
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.tolerance import SMOOTH_EDGE

__all__ = ["Joint", "joints_of", "outward_normal"]

_STATIONS = (0.03, 0.25, 0.5, 0.75, 0.97)
"""Where along an edge it is looked at, as parts of its parameter range."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """An edge and the two faces that meet there."""

    edge: TopoDS_Edge
    faces: tuple[TopoDS_Face, TopoDS_Face]
    sharpest: float
    """Largest turn of the outward normal from one face to the other; positive at convex places."""
    deepest: float
    """Least turn: negative where the edge is concave somewhere."""

    @property
    def is_smooth(self) -> bool:
        """No corner anywhere along it (cad.md §3.3)."""
        return max(self.sharpest, -self.deepest) < SMOOTH_EDGE

    @property
    def is_concave(self) -> bool:
        """An inward corner at some place at least."""
        return self.deepest <= -SMOOTH_EDGE


def outward_normal(face: TopoDS_Face, at: gp_Pnt2d) -> gp_Vec | None:
    """The unit normal out of the body at a place of a face; None at a singular one."""
    properties = BRepLProp_SLProps(BRepAdaptor_Surface(face, False), at.X(), at.Y(), 1, 1e-9)
    if not properties.IsNormalDefined():
        return None
    normal = gp_Vec(properties.Normal())
    return normal.Reversed() if face.Orientation() == TopAbs_REVERSED else normal


def joints_of(shape: TopoDS_Shape) -> Iterator[Joint]:
    """Every edge at which two different faces meet, or one face meets itself at an angle."""
    neighbours = AncestorMap()
    TopExp.MapShapesAndAncestors_s(shape, TopAbs_EDGE, TopAbs_FACE, neighbours)
    for index in range(1, neighbours.Extent() + 1):
        edge = TopoDS.Edge(neighbours.FindKey(index))
        if BRep_Tool.Degenerated_s(edge):
            continue
        faces: list[TopoDS_Face] = []
        for shape_there in neighbours.FindFromIndex(index):
            face = TopoDS.Face(shape_there)
            if not any(face.IsSame(other) for other in faces):
                faces.append(face)
        if len(faces) != 2:
            continue
        turns = [turn for turn in _turns(edge, faces[0], faces[1]) if turn is not None]
        if turns:
            yield Joint(edge, (faces[0], faces[1]), max(turns), min(turns))


def _turns(edge: TopoDS_Edge, first: TopoDS_Face, second: TopoDS_Face) -> Iterator[float | None]:
    """The signed angle between the outward normals at the stations along the edge."""
    space = BRepAdaptor_Curve(edge)
    on_first = BRepAdaptor_Curve2d(edge, first)
    on_second = BRepAdaptor_Curve2d(edge, second)
    low, high = space.FirstParameter(), space.LastParameter()
    backwards = _runs_backwards(edge, first)
    for station in _STATIONS:
        at = low + station * (high - low)
        normals = outward_normal(first, on_first.Value(at)), outward_normal(second, on_second.Value(at))
        if normals[0] is None or normals[1] is None:
            yield None
            continue
        point, along = gp_Pnt(), gp_Vec()
        space.D1(at, point, along)
        if backwards:
            along.Reverse()
        # the body's first face lies to the left of its edge, seen from outside
        into_first = normals[0].Crossed(along)
        angle = math.acos(max(-1.0, min(1.0, normals[0].Dot(normals[1]))))
        yield angle if normals[1].Dot(into_first) < 0.0 else -angle


def _runs_backwards(edge: TopoDS_Edge, face: TopoDS_Face) -> bool:
    explorer = TopExp_Explorer(face, TopAbs_EDGE)
    while explorer.More():
        if explorer.Current().IsSame(edge):
            return bool(explorer.Current().Orientation() == TopAbs_REVERSED)
        explorer.Next()
    return False
