"""All edges of a convex body rounded by growing: the body inset by the radius, grown again by a ball.

For bodies with edges that fade: the angle between the faces becomes small, as where two cylinders of
about one size cross. OpenCASCADE's blends of such edges go astray, while growing a convex body is the
one offset that it gets right where it gives one at all.

Earns its place by `test_blend_grown_rounds_a_quarter_of_a_groin_vault`: OpenCASCADE alone gives a body that
is valid and wrong by 1.4e-4.
"""

from __future__ import annotations

from collections.abc import Sequence

from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepOffset import BRepOffset_Skin
from OCP.BRepOffsetAPI import BRepOffsetAPI_MakeOffsetShape
from OCP.GeomAbs import GeomAbs_Arc, GeomAbs_BSplineSurface
from OCP.IntTools import IntTools_Context
from OCP.TopAbs import TopAbs_SHELL
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, faces_of, shape_map
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.insets.cavities import filled
from vcad_kernel.geometry.occt.insets.insetting import Inset
from vcad_kernel.geometry.occt.measure.distances.clearances import clearance
from vcad_kernel.geometry.occt.measure.distances.depth import face_point
from vcad_kernel.geometry.occt.measure.topology.joints import is_convex
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, fades, sharp_edges
from vcad_kernel.ir.digest import Digest

__all__ = ["as_grown"]

_CLOSE = 1e-6


def as_grown(solid: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep | None:
    """The rounded body; None where it is not convex, no edge fades, or OpenCASCADE cannot grow it."""
    if blend.kind != "fillet" or blend.end is not None or len(corners) != len(sharp_edges(solid.shape)):
        return None
    if not all(corner.convex for corner in corners) or not any(fades(corner) for corner in corners):
        return None
    if not is_convex(solid.shape):
        return None
    growing = BRepOffsetAPI_MakeOffsetShape()
    try:
        core = Inset(solid.shape).at(blend.size)
        if core is None:
            return None
        core = unified(Brep.made(core, maker)).shape
        growing.PerformByJoin(core, blend.size, _CLOSE, BRepOffset_Skin, False, False, GeomAbs_Arc)
        if not growing.IsDone() or growing.Shape().IsNull():
            return None
        shells = shape_map(growing.Shape(), TopAbs_SHELL)
        body = filled(shells.FindKey(1)) if shells.Extent() == 1 else None
    except OCCT_ERRORS:
        return None
    return None if body is None else Brep(body, _makers(body, solid, maker))


def _makers(body: TopoDS_Shape, solid: Brep, maker: Digest) -> tuple[Digest, ...]:
    """Of each face: of the old one on which its middle lies, or the new maker."""
    context = IntTools_Context()
    old = list(zip(faces_of(solid.shape), solid.makers, strict=True))
    makers = []
    for face in faces_of(body):
        point, _ = face_point(face, context)
        of_spline = BRepAdaptor_Surface(face, False).GetType() == GeomAbs_BSplineSurface
        near = [made for old_face, made in old if not of_spline and clearance(point, old_face) <= _CLOSE]
        makers.append(near[0] if near else maker)
    return tuple(makers)
