"""The same body with the seams and poles of its spheres and cylinders somewhere else.

Where a seam or a pole falls on a corner of a face, OpenCASCADE's blends go wrong there, although the
body has nothing special at that place. The surface is laid anew, cut along the old edges, and sewn in.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepAlgoAPI import BRepAlgoAPI_Splitter
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace, BRepBuilderAPI_MakeSolid, BRepBuilderAPI_Sewing
from OCP.BRepClass import BRepClass_FaceClassifier
from OCP.BRepLib import BRepLib
from OCP.BRepPrimAPI import BRepPrimAPI_MakeSphere
from OCP.BRepTools import BRepTools
from OCP.collections import List_TopoDS_Shape
from OCP.GeomAbs import GeomAbs_Cylinder, GeomAbs_Sphere
from OCP.GeomAPI import GeomAPI_ProjectPointOnSurf
from OCP.gp import gp_Ax1, gp_Ax2, gp_Dir, gp_Pnt, gp_Pnt2d
from OCP.TopAbs import TopAbs_IN, TopAbs_SHELL, TopAbs_VERTEX
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.blend_checks import clearance, compound_of
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of, shape_map
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.sharp_edges import SharpEdge
from vcad_kernel.geometry.occt.validity import area_of, is_valid, volume_of

__all__ = ["has_pole_in_corner", "lies_on", "reseamed"]

_TURNS = (0.7, 2.3, 4.1)
"""Radians by which seams turn in each attempt: nothing that a designer would draw."""
_AXES = ((0.31, 0.52, 0.79), (-0.83, 0.37, 0.41), (0.57, -0.75, 0.33))
_SEWN = 1e-6
_SAME = 1e-7
"""Relative: a body with other seams has the same volume and area."""


def reseamed(solid: Brep) -> Iterator[Brep]:
    """The solid with its seams in other places, a few times; nothing if it has no sphere or cylinder."""
    kinds = [BRepAdaptor_Surface(face, False).GetType() for face in faces_of(solid.shape)]
    if not any(kind in (GeomAbs_Sphere, GeomAbs_Cylinder) for kind in kinds):
        return
    for turn, axis in zip(_TURNS, _AXES, strict=True):
        try:
            result = _with_seams(solid, turn, gp_Dir(*axis))
        except OCCT_ERRORS:
            result = None
        if result is not None:
            yield result


def has_pole_in_corner(shape: TopoDS_Shape, corners: Sequence[SharpEdge]) -> bool:
    """Whether the pole of a sphere is an end of one of the edges."""
    ends = shape_map(compound_of(corner.edge for corner in corners), TopAbs_VERTEX)
    for face in faces_of(shape):
        if BRepAdaptor_Surface(face, False).GetType() != GeomAbs_Sphere:
            continue
        for edge in edges_of(face):
            if BRep_Tool.Degenerated_s(edge) and ends.Contains(TopExp.FirstVertex_s(edge)):
                return True
    return False


def lies_on(edge: SharpEdge, others: Sequence[SharpEdge]) -> bool:
    """Whether an edge is one of the others, or a part of one. (New seams divide edges.)"""
    curve = BRepAdaptor_Curve(edge.edge)
    low, high = curve.FirstParameter(), curve.LastParameter()
    there = compound_of(other.edge for other in others)
    return all(
        clearance(curve.Value(low + share * (high - low)), there) <= _SEWN for share in (0.13, 0.5, 0.81)
    )


def _with_seams(solid: Brep, turn: float, axis: gp_Dir) -> Brep | None:
    sewing = BRepBuilderAPI_Sewing(_SEWN)
    laid: list[TopoDS_Face] = []
    for face in faces_of(solid.shape):
        laid.append(_laid_anew(face, turn, axis) or face)
        sewing.Add(laid[-1])
    sewing.Perform()
    sewn = sewing.SewedShape()
    if sewn.ShapeType() != TopAbs_SHELL:
        return None
    body = BRepBuilderAPI_MakeSolid(TopoDS.Shell(sewn)).Solid()
    BRepLib.OrientClosedSolid_s(body)
    there = shape_map(body, laid[0].ShapeType())
    makers = {
        there.FindIndex(sewing.Modified(face)): maker for face, maker in zip(laid, solid.makers, strict=True)
    }
    if sorted(makers) != list(range(1, there.Extent() + 1)) or not is_valid(body):
        return None
    for figure in (volume_of, area_of):
        before = figure(solid.shape)
        if abs(figure(body) - before) > _SAME * before:
            return None
    return Brep(body, tuple(makers[index] for index in sorted(makers)))


def _laid_anew(face: TopoDS_Face, turn: float, axis: gp_Dir) -> TopoDS_Face | None:
    """The face on its surface with another seam; None when there is nothing to do, or no way."""
    whole = _whole(face, turn, axis)
    borders = [edge for edge in edges_of(face) if _is_border(edge, face)]
    if whole is None or not borders:
        return None
    arguments, tools = List_TopoDS_Shape(), List_TopoDS_Shape()
    arguments.Append(whole)
    for edge in borders:
        tools.Append(edge)
    splitting = BRepAlgoAPI_Splitter()
    splitting.SetArguments(arguments)
    splitting.SetTools(tools)
    splitting.Build()
    if not splitting.IsDone():
        return None
    kept = [piece for piece in faces_of(splitting.Shape()) if _overlaps(piece, face)]
    return kept[0] if len(kept) == 1 else None


def _whole(face: TopoDS_Face, turn: float, axis: gp_Dir) -> TopoDS_Shape | None:
    """All of a sphere, or of a cylinder as long as the face."""
    surface = BRepAdaptor_Surface(face, False)
    if surface.GetType() == GeomAbs_Sphere:
        ball = surface.Sphere()
        return faces_of(BRepPrimAPI_MakeSphere(gp_Ax2(ball.Location(), axis), ball.Radius()).Shape())[0]
    if surface.GetType() == GeomAbs_Cylinder:
        _, _, low, high = BRepTools.UVBounds_s(face)
        tube = surface.Cylinder()
        tube.Rotate(gp_Ax1(tube.Location(), tube.Axis().Direction()), turn)
        spare = 0.1 * (high - low)
        return BRepBuilderAPI_MakeFace(tube, 0.0, 2 * math.pi, low - spare, high + spare).Face()
    return None


def _is_border(edge: TopoDS_Edge, face: TopoDS_Face) -> bool:
    return not BRep_Tool.Degenerated_s(edge) and not BRepTools.IsReallyClosed_s(edge, face)


def _overlaps(piece: TopoDS_Face, face: TopoDS_Face) -> bool:
    """Whether a point within the piece lies within the face."""
    point = _point_within(piece)
    if point is None:
        return False
    onto = GeomAPI_ProjectPointOnSurf(point, BRep_Tool.Surface_s(face))
    if onto.NbPoints() == 0:
        return False
    u, v = onto.LowerDistanceParameters()
    return bool(BRepClass_FaceClassifier(face, gp_Pnt2d(u, v), 1e-7).State() == TopAbs_IN)


def _point_within(face: TopoDS_Face) -> gp_Pnt | None:
    low_u, high_u, low_v, high_v = BRepTools.UVBounds_s(face)
    for along in (0.5, 0.21, 0.83, 0.37, 0.66, 0.08, 0.95):
        for across in (0.5, 0.17, 0.79, 0.34, 0.62, 0.06, 0.94):
            u, v = low_u + along * (high_u - low_u), low_v + across * (high_v - low_v)
            if BRepClass_FaceClassifier(face, gp_Pnt2d(u, v), 1e-7).State() == TopAbs_IN:
                return BRepAdaptor_Surface(face, False).Value(u, v)
    return None
