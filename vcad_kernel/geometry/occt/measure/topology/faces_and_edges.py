"""What single faces and edges are, for selectors, tables and errors: kind, length, middle, radius, direction.

Millimetres. Areas and centroids of faces are ``area_and_centre`` of
:mod:`vcad_kernel.geometry.occt.measure.integration.masses`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepClass import BRepClass_FaceClassifier
from OCP.BRepLProp import BRepLProp_SLProps
from OCP.BRepTools import BRepTools
from OCP.GCPnts import GCPnts_AbscissaPoint
from OCP.GeomAbs import (
    GeomAbs_Circle,
    GeomAbs_CN,
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Line,
    GeomAbs_Plane,
    GeomAbs_Sphere,
    GeomAbs_Torus,
)
from OCP.gp import gp_Dir, gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.TopAbs import TopAbs_IN, TopAbs_REVERSED
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face

from vcad_kernel.geometry.tolerance import LINEAR

__all__ = [
    "OutwardNormals",
    "direction_of_edge",
    "is_free_form",
    "kind_of_edge",
    "kind_of_face",
    "length_of",
    "mean_bend",
    "middle_of",
    "outward_normal",
    "places_over",
    "plane_normal",
    "radius_of_edge",
    "radius_of_face",
]

_CURVES = {GeomAbs_Line: "line", GeomAbs_Circle: "circle"}
_SURFACES = {
    GeomAbs_Plane: "plane",
    GeomAbs_Cylinder: "cylinder",
    GeomAbs_Cone: "cone",
    GeomAbs_Sphere: "sphere",
    GeomAbs_Torus: "torus",
}
_REVERSED = TopAbs_REVERSED.value
_PLACES, _MOST_PLACES = 3, 72
"""Along a parameter of a free-form face, of which each smooth piece has two, and on all of it."""
_SINGULAR = 1e-9
"""Derivatives shorter than this make no normal."""


def kind_of_edge(edge: TopoDS_Edge) -> str:
    """``line``, ``circle`` (arcs too) or ``other``."""
    return _CURVES.get(BRepAdaptor_Curve(edge).GetType(), "other")


def length_of(edge: TopoDS_Edge) -> float:
    """Arc length; 0 of an edge that is a point."""
    if BRep_Tool.Degenerated_s(edge):
        return 0.0
    return float(GCPnts_AbscissaPoint.Length_s(BRepAdaptor_Curve(edge), LINEAR))


def middle_of(edge: TopoDS_Edge) -> gp_Pnt:
    """The point at half the length; of a closed circle the centre."""
    curve = BRepAdaptor_Curve(edge)
    low, high = curve.FirstParameter(), curve.LastParameter()
    if curve.GetType() == GeomAbs_Circle and math.isclose(high - low, 2 * math.pi, rel_tol=1e-9):
        return curve.Circle().Location()
    if curve.GetType() in _CURVES:
        return curve.Value((low + high) / 2)
    half = GCPnts_AbscissaPoint(curve, GCPnts_AbscissaPoint.Length_s(curve, LINEAR) / 2, low, LINEAR)
    return curve.Value(half.Parameter())


def radius_of_edge(edge: TopoDS_Edge) -> float | None:
    """Of a circle or an arc."""
    curve = BRepAdaptor_Curve(edge)
    return float(curve.Circle().Radius()) if curve.GetType() == GeomAbs_Circle else None


def direction_of_edge(edge: TopoDS_Edge) -> gp_Dir | None:
    """Along a line, either way; the axis of a circle; None of any other edge."""
    curve = BRepAdaptor_Curve(edge)
    if curve.GetType() == GeomAbs_Line:
        return curve.Line().Direction()
    return curve.Circle().Axis().Direction() if curve.GetType() == GeomAbs_Circle else None


def kind_of_face(face: TopoDS_Face) -> str:
    """``plane``, ``cylinder``, ``cone``, ``sphere``, ``torus`` or ``other``."""
    return _SURFACES.get(BRepAdaptor_Surface(face, False).GetType(), "other")


def radius_of_face(face: TopoDS_Face) -> float | None:
    """Of a cylinder or a sphere; of a torus that of its tube."""
    surface = BRepAdaptor_Surface(face, False)
    kind = surface.GetType()
    if kind == GeomAbs_Cylinder:
        return float(surface.Cylinder().Radius())
    if kind == GeomAbs_Sphere:
        return float(surface.Sphere().Radius())
    if kind == GeomAbs_Torus:
        return float(surface.Torus().MinorRadius())
    return None


def plane_normal(face: TopoDS_Face) -> gp_Dir | None:
    """The direction out of the body in which a plane looks; None of any other face."""
    surface = BRepAdaptor_Surface(face, False)
    if surface.GetType() != GeomAbs_Plane:
        return None
    axes = surface.Plane().Position()
    # in a left-handed frame ∂u × ∂v leads the other way
    is_along = axes.Direct() != (face.Orientation().value == _REVERSED)
    return axes.Direction() if is_along else axes.Direction().Reversed()


def outward_normal(face: TopoDS_Face, place: gp_Pnt2d) -> gp_Vec | None:
    """The unit normal out of the body at a place (u, v) of a face; None at a singular one."""
    return OutwardNormals(face).at(place)


class OutwardNormals:
    """The unit normals of one face out of the body."""

    def __init__(self, face: TopoDS_Face) -> None:
        self.surface = BRepAdaptor_Surface(face, False)
        self._properties = BRepLProp_SLProps(self.surface, 1, _SINGULAR)
        self._is_reversed = face.Orientation().value == _REVERSED

    def at(self, place: gp_Pnt2d) -> gp_Vec | None:
        """The normal at a place (u, v); None at a singular one."""
        self._properties.SetParameters(place.X(), place.Y())
        if not self._properties.IsNormalDefined():
            return None
        normal = gp_Vec(self._properties.Normal())
        if self._is_reversed:
            normal.Reverse()
        return normal


def is_free_form(face: TopoDS_Face) -> bool:
    """Whether a face is no piece of a plane, cylinder, cone, sphere or torus."""
    return BRepAdaptor_Surface(face, False).GetType() not in _SURFACES


def mean_bend(face: TopoDS_Face) -> float:
    """The mean of both curvatures together, over places of a free-form face, 1/mm."""
    properties = BRepLProp_SLProps(BRepAdaptor_Surface(face, False), 2, _SINGULAR)
    bends = []
    for u, v in places_over(face):
        properties.SetParameters(u, v)
        if properties.IsCurvatureDefined():
            bends.append(abs(properties.MaxCurvature()) + abs(properties.MinCurvature()))
    return sum(bends) / len(bends) if bends else 0.0


def places_over(face: TopoDS_Face) -> Iterator[tuple[float, float]]:
    """Parameters of places spread over the smooth pieces of a free-form face, none of them on its border."""
    low_u, high_u, low_v, high_v = BRepTools.UVBounds_s(face)
    surface = BRepAdaptor_Surface(face, False)
    counts = [
        max(_PLACES, 2 * pieces)
        for pieces in (surface.NbUIntervals(GeomAbs_CN), surface.NbVIntervals(GeomAbs_CN))
    ]
    # few across a strip leave more along it
    most = max(math.isqrt(_MOST_PLACES), _MOST_PLACES // min(counts))
    u_shares, v_shares = (
        (np.arange(count) + 0.5) / count for count in (min(most, count) for count in counts)
    )
    for u in (low_u + u_shares * (high_u - low_u)).tolist():
        for v in (low_v + v_shares * (high_v - low_v)).tolist():
            if BRepClass_FaceClassifier(face, gp_Pnt2d(u, v), _SINGULAR).State() == TopAbs_IN:
                yield u, v
