"""A body cut by a plane: the part that is kept, and the cut itself as a profile.

Lengths in millimetres.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace, BRepBuilderAPI_MakeVertex
from OCP.BRepExtrema import BRepExtrema_DistShapeShape, BRepExtrema_IsInFace, BRepExtrema_IsOnEdge
from OCP.BRepPrimAPI import BRepPrimAPI_MakePrism
from OCP.gp import gp_Dir, gp_Pln, gp_Pnt, gp_Vec
from OCP.TopoDS import TopoDS, TopoDS_Shape

from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, carried, compound_of, faces_of, solids_of, with_history
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import box_of, checked, volume_of
from vcad_kernel.geometry.occt.sweeps.profiles.regions import curves_of_faces, plane_faces
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import location_in, point_of, vector_of
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.sweeps.profiles.fits import on_splines
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.bodies.bodies import Section
from vcad_kernel.operations.bodies.parting import Keep, SectionProfile
from vcad_kernel.operations.profiles.sketches import Outlines

__all__ = ["keep", "section", "section_profile"]

Vector: TypeAlias = NDArray[np.float64]

_FAILED = "BOOLEAN_FAILED"


def section(build: Build, node: Section, operands: Operands) -> Brep | None:
    """What lies behind the plane; None when nothing does. Raises: BOOLEAN_FAILED."""
    (body,) = operands
    return None if body is None else _behind_plane(build, body, node.origin, node.normal)


def keep(build: Build, node: Keep, operands: Operands) -> Brep | None:
    """What lies on the side of the plane that is kept; None when nothing does. Raises: BOOLEAN_FAILED."""
    body = operands[0]
    plane = build.plane(node.plane)
    if body is None:
        return None
    away = plane.normal if node.side == "below" else -plane.normal
    return _behind_plane(build, body, plane.origin, away)


def _behind_plane(
    build: Build, body: Brep, through: Sequence[float] | Vector, away: Sequence[float] | Vector
) -> Brep | None:
    """What of a body lies on the side of a plane to which ``away`` does not point."""
    origin, normal = point_of(through), vector_of(away).Normalized()
    low, high = box_of(body.shape)
    corners = [gp_Pnt(*corner) for corner in itertools.product(*zip(low, high, strict=True))]
    heights = [gp_Vec(origin, corner).Dot(normal) for corner in corners]
    # the corners of the box decide without a boolean where the plane misses it
    if max(heights) <= LINEAR:
        return body
    if min(heights) >= -LINEAR:
        return None
    middle = gp_Pnt(*((a + b) / 2.0 for a, b in zip(low, high, strict=True)))
    keep = _behind(middle, gp_Vec(origin, middle).Dot(normal), normal, math.dist(low, high))
    try:
        cutting = BRepAlgoAPI_Common(body.shape, keep)
        result = cutting.Shape() if cutting.IsDone() else None
    except OCCT_ERRORS as error:
        raise build.fault(_FAILED, f"the plane cannot be cut with ({type(error).__name__})") from error
    if result is None:
        raise build.fault(_FAILED, "the plane cannot be cut with")
    if not solids_of(result):
        # the box reaches behind the plane, the body does not
        return None
    brep = unified(carried(result, (body,), with_history(cutting.History()), build.maker))
    whole = volume_of(body.shape)
    return checked(build, brep, _FAILED, volume=(0.0, whole), box=(low, high))


def _behind(middle: gp_Pnt, height: float, normal: gp_Vec, size: float) -> TopoDS_Shape:
    """A block behind the plane, wide enough for a body of this size around ``middle``."""
    foot = middle.Translated(normal * -height)
    face = BRepBuilderAPI_MakeFace(gp_Pln(foot, gp_Dir(normal)), -size, size, -size, size).Face()
    return BRepPrimAPI_MakePrism(face, normal * -(size + abs(height))).Shape()


def section_profile(build: Build, node: SectionProfile, operands: Operands) -> tuple[Plane, Outlines]:
    """The cut of the body with the plane. Raises: BOOLEAN_FAILED."""
    body = operands[0]
    plane = build.plane(node.plane)
    if body is None:
        return plane, ()
    # in the plane's own coordinates, where the cut is read
    there = body.shape.Moved(location_in(plane))
    low, high = box_of(there)
    if low[2] > LINEAR or high[2] < -LINEAR:
        return plane, ()
    sheet = BRepBuilderAPI_MakeFace(gp_Pln(), low[0] - 1.0, high[0] + 1.0, low[1] - 1.0, high[1] + 1.0).Face()
    try:
        cutting = BRepAlgoAPI_Common(sheet, there)
        result = cutting.Shape() if cutting.IsDone() else None
    except OCCT_ERRORS as error:
        raise build.fault(_FAILED, f"the plane cannot be cut with ({type(error).__name__})") from error
    if result is None:
        raise build.fault(_FAILED, "the plane cannot be cut with")
    outlines = curves_of_faces(plane_faces(build, result), build.fits)
    build.fits.extend(distances_to(there, on_splines(outlines)))
    return plane, outlines


# ---- how far points lie from the faces of a shape --------------------------------------------


def distances_to(shape: TopoDS_Shape, points: NDArray[np.float64]) -> list[float]:
    """Of each point (k, 3) to the nearest face, mm; a point within a solid is not at it."""
    search = BRepExtrema_DistShapeShape()
    search.LoadS1(compound_of(faces_of(shape)))
    found = []
    for x, y, z in points.tolist():
        point = gp_Pnt(x, y, z)
        search.LoadS2(BRepBuilderAPI_MakeVertex(point).Vertex())
        if search.Perform():
            found.append(_square_to(search, point))
    return found


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
