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
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.BRepPrimAPI import BRepPrimAPI_MakePrism
from OCP.gp import gp_Dir, gp_Pln, gp_Pnt, gp_Vec
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.booleans.booleans import common
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.distances.off_faces import distances_to_faces
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.validity import checked, volume_of
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
    block = _behind(middle, gp_Vec(origin, middle).Dot(normal), normal, math.dist(low, high))
    # none where the box reaches behind the plane and the body does not
    kept = common(build, [body, Brep.made(block, build.maker)])
    if kept is None:
        return None
    return checked(build, unified(kept), _FAILED, volume=(0.0, volume_of(body.shape)), box=(low, high))


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
    build.fits.extend(distances_to_faces(there, on_splines(outlines)))
    if not all(map(math.isfinite, build.fits)):
        raise build.fault(
            _FAILED,
            "how near the outline is to the body cannot be measured",
            fix="cut a little beside this place, or keep the body on one side of the plane, with keep",
        )
    return plane, outlines
