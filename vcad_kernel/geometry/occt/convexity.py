"""Whether a body is convex, told from its faces and edges."""

from __future__ import annotations

import math

from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepTools import BRepTools
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere, GeomAbs_Torus
from OCP.GeomLib import GeomLib_IsPlanarSurface
from OCP.TopAbs import TopAbs_REVERSED, TopAbs_SHELL
from OCP.TopoDS import TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import faces_of, shape_map, solids_of
from vcad_kernel.geometry.occt.joints import joints_of
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["is_convex", "is_planar"]


def is_planar(face: TopoDS_Face) -> bool:
    """Whether a face is flat, also in the guise of another surface."""
    if BRepAdaptor_Surface(face, False).GetType() == GeomAbs_Plane:
        return True
    return bool(GeomLib_IsPlanarSurface(BRep_Tool.Surface_s(face), LINEAR).IsPlanar())


def is_convex(shape: TopoDS_Shape) -> bool:
    """Locally convex everywhere with one connected boundary, which makes a closed surface convex."""
    return (
        len(solids_of(shape)) == 1
        and shape_map(shape, TopAbs_SHELL).Extent() == 1
        and all(_bulges(face) for face in faces_of(shape))
        and not any(joint.is_concave for joint in joints_of(shape))
    )


def _bulges(face: TopoDS_Face) -> bool:
    """Whether a face is planar, or curves away from its outward normal everywhere."""
    if is_planar(face):
        return True
    surface = BRepAdaptor_Surface(face, False)
    kind = surface.GetType()
    if kind == GeomAbs_Cylinder:
        direct = surface.Cylinder().Position().Direct()
    elif kind == GeomAbs_Cone:
        direct = surface.Cone().Position().Direct()
    elif kind == GeomAbs_Sphere:
        direct = surface.Sphere().Position().Direct()
    elif kind == GeomAbs_Torus:
        _, _, low, high = BRepTools.UVBounds_s(face)
        middle = math.remainder((low + high) / 2.0, 2.0 * math.pi)
        if abs(middle) + (high - low) / 2.0 > math.pi / 2.0 + 1e-9:
            return False
        direct = surface.Torus().Position().Direct()
    else:
        return False
    return bool(direct) != bool(face.Orientation() == TopAbs_REVERSED)
