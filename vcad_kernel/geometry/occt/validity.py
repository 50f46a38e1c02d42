"""What a body measures, quickly and without being fooled, and whether OpenCASCADE finds it sound.

Lengths in millimetres. Volumes are signed: an inside-out body has a negative one. The figures shown
to users, which are slower and tighter, are in :mod:`vcad_kernel.geometry.occt.measuring`.
"""

from __future__ import annotations

from typing import TypeAlias

from OCP.Bnd import Bnd_Box
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepGProp import BRepGProp
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere, GeomAbs_Torus
from OCP.GProp import GProp_GProps
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.brep import Brep, faces_of
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.ir.vectors import Vec3

__all__ = [
    "Box",
    "area_of",
    "box_of",
    "checked",
    "flaw",
    "is_elementary",
    "is_valid",
    "volume_of",
    "volume_properties",
]

Box: TypeAlias = tuple[Vec3, Vec3]
"""Lowest and highest corner."""

_ACCURACY = 1e-10
"""Relative, for faces whose integrals are not in closed form (cad.md §10.3). What is reached is 1e-7:
on a stretched ball 1e-7 asked for gives 3e-6. The other way, Gauss–Kronrod span by span, is exact
there, but takes seconds for a face with a curved border."""
_ELEMENTARY = frozenset({GeomAbs_Plane, GeomAbs_Cylinder, GeomAbs_Cone, GeomAbs_Sphere, GeomAbs_Torus})


def is_elementary(shape: TopoDS_Shape) -> bool:
    """Whether every face is a piece of a plane, cylinder, cone, sphere or torus."""
    return all(BRepAdaptor_Surface(face, False).GetType() in _ELEMENTARY for face in faces_of(shape))


def volume_of(shape: TopoDS_Shape) -> float:
    """Signed volume, mm³; accurate to about 1e-7 of it for faces of any kind."""
    return float(volume_properties(shape).Mass())


def volume_properties(shape: TopoDS_Shape) -> GProp_GProps:
    """Volume, its centre and its inertia."""
    properties = GProp_GProps()
    if is_elementary(shape):
        BRepGProp.VolumeProperties_s(shape, properties)
    else:
        BRepGProp.VolumeProperties_s(shape, properties, _ACCURACY)
    return properties


def area_of(shape: TopoDS_Shape) -> float:
    """Area of the whole boundary, mm²; accurate to about 1e-7 of it for faces of any kind."""
    properties = GProp_GProps()
    if is_elementary(shape):
        BRepGProp.SurfaceProperties_s(shape, properties)
    else:
        BRepGProp.SurfaceProperties_s(shape, properties, _ACCURACY)
    return float(properties.Mass())


def box_of(shape: TopoDS_Shape) -> Box:
    """The axis-parallel box, without tolerances; up to 1 % too large around B-spline faces."""
    box = Bnd_Box()
    BRepBndLib.AddOptimal_s(shape, box, False, False)
    box.SetGap(0.0)
    low, high = box.CornerMin(), box.CornerMax()
    return (low.X(), low.Y(), low.Z()), (high.X(), high.Y(), high.Z())


def is_valid(shape: TopoDS_Shape) -> bool:
    """Whether OpenCASCADE's own check passes: closed wires, edges on their faces, shells in order."""
    return not shape.IsNull() and bool(BRepCheck_Analyzer(shape).IsValid())


def checked(
    build: Build,
    brep: Brep,
    code: str,
    *,
    volume: tuple[float, float] | None = None,
    box: Box | None = None,
    slack: float = 1e-6,
) -> Brep:
    """The body itself, after it has passed; else the node's error ``code``.

    volume: least and greatest that the operation can possibly give, mm³. box: what must contain it.
    slack: relative to the size of the numbers compared.
    """
    reason = flaw(brep.shape, volume=volume, box=box, slack=slack)
    if reason is not None:
        raise build.fault(code, f"the result is not a sound solid: {reason}")
    return brep


def flaw(
    shape: TopoDS_Shape,
    *,
    volume: tuple[float, float] | None = None,
    box: Box | None = None,
    slack: float = 1e-6,
) -> str | None:
    """What is wrong with a body, in words; None when nothing is. Arguments as of :func:`checked`."""
    if not is_valid(shape):
        return "its faces do not fit together"
    amount = volume_of(shape)
    if amount <= 0.0:
        return "it is inside out"
    if volume is not None:
        low, high = volume
        spare = slack * max(abs(low), abs(high), amount)
        if not low - spare <= amount <= high + spare:
            return f"its volume is {amount:g} mm³, where {low:g} to {high:g} are possible"
    if box is not None and not _within(box_of(shape), box, slack, is_elementary(shape)):
        return "it reaches out of the box it must lie in"
    return None


def _within(inner: Box, outer: Box, slack: float, tight: bool) -> bool:
    size = max(high - low for low, high in zip(*outer, strict=True))
    spare = max(slack, 0.0 if tight else 0.01) * size + 1e-6
    return all(
        outer[0][axis] - spare <= inner[0][axis] and inner[1][axis] <= outer[1][axis] + spare
        for axis in range(3)
    )
