"""How far points lie from the faces of a shape."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeVertex
from OCP.BRepExtrema import BRepExtrema_DistShapeShape, BRepExtrema_IsInFace, BRepExtrema_IsOnEdge
from OCP.gp import gp_Pnt, gp_Vec
from OCP.TopoDS import TopoDS, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import compound_of, faces_of

__all__ = ["distances_to_faces"]


def distances_to_faces(shape: TopoDS_Shape, points: NDArray[np.float64]) -> list[float]:
    """Of each point (k, 3) to the nearest face, mm; a point within a solid is not at it.

    Infinite where OpenCASCADE finds none.
    """
    search = BRepExtrema_DistShapeShape()
    search.LoadS1(compound_of(faces_of(shape)))
    distances = []
    for x, y, z in points.tolist():
        point = gp_Pnt(x, y, z)
        search.LoadS2(BRepBuilderAPI_MakeVertex(point).Vertex())
        distances.append(_square_to(search, point) if search.Perform() else math.inf)
    return distances


def _square_to(search: BRepExtrema_DistShapeShape, point: gp_Pnt) -> float:
    """A distance without what the search, which stops early, is off along the surface or the edge."""
    foot, along, across = gp_Pnt(), gp_Vec(), gp_Vec()
    support = search.SupportOnShape1(1)
    if search.SupportTypeShape1(1) == BRepExtrema_IsInFace:
        BRepAdaptor_Surface(TopoDS.Face(support)).D1(*search.ParOnFaceS1(1), foot, along, across)
        normal = along.Crossed(across)
        if normal.Magnitude() > 0.0:
            return abs(float(gp_Vec(foot, point).Dot(normal))) / float(normal.Magnitude())
    if search.SupportTypeShape1(1) == BRepExtrema_IsOnEdge:
        BRepAdaptor_Curve(TopoDS.Edge(support)).D1(*search.ParOnEdgeS1(1), foot, along)
        if along.Magnitude() > 0.0:
            return float(gp_Vec(foot, point).CrossMagnitude(along)) / float(along.Magnitude())
    return float(search.Value())
