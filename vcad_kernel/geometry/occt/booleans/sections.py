"""Section: a body cut by a plane, of which the part behind is kept.

Lengths in millimetres.
"""

from __future__ import annotations

import itertools
import math

from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.BRepPrimAPI import BRepPrimAPI_MakePrism
from OCP.gp import gp_Dir, gp_Pln, gp_Pnt, gp_Vec
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, carried, solids_of, with_history
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import box_of, checked, volume_of
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.bodies import Section

__all__ = ["section"]

_FAILED = "BOOLEAN_FAILED"


def section(build: Build, node: Section, operands: Operands) -> Brep | None:
    """What lies behind the plane; None when nothing does. Raises: BOOLEAN_FAILED."""
    (body,) = operands
    if body is None:
        return None
    origin, normal = gp_Pnt(*node.origin), gp_Vec(*node.normal).Normalized()
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
