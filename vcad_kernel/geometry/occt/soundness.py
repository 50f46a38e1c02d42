"""Quick checks of bodies just made: valid, outward, and about as large as their mesh says.

The accurate integrals of :mod:`vcad_kernel.geometry.occt.validity` cost more than the making of a
gear; here a volume within a few hundredths tells a right body from a wrong one.
"""

from __future__ import annotations

from OCP.BRep import BRep_Builder
from OCP.BRepGProp import BRepGProp
from OCP.GProp import GProp_GProps
from OCP.TopoDS import TopoDS_Iterator, TopoDS_Shape, TopoDS_Solid

from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.validity import is_valid
from vcad_kernel.geometry.tolerance import Tessellation

__all__ = ["ROUND", "outward_solid", "rough_volume", "sound"]

ROUND = Tessellation(segments=128)
"""Fineness of the meshes that say how large a body must be."""
_NEAR = 0.03
"""Relative: what such a mesh loses, and what the quick integral may be wrong by (cad.md §10.3)."""


def rough_volume(shape: TopoDS_Shape) -> float:
    """Signed volume, mm³; up to a hundredth wrong where faces are splines."""
    properties = GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, properties)
    return float(properties.Mass())


def outward_solid(solid: TopoDS_Shape) -> TopoDS_Shape:
    """A solid of one shell with that shell turned so that the volume is positive."""
    if rough_volume(solid) > 0.0:
        return solid
    builder, turned = BRep_Builder(), TopoDS_Solid()
    builder.MakeSolid(turned)
    shells = TopoDS_Iterator(solid)
    while shells.More():
        builder.Add(turned, shells.Value().Reversed())
        shells.Next()
    return turned


def sound(build: Build, shape: TopoDS_Shape, code: str, *, volume: float | None = None) -> Brep:
    """The body as made by the node alone, after it has passed; else the node's error ``code``.

    volume: about what it must have, mm³.
    """
    reason = None
    if not is_valid(shape):
        reason = "its faces do not fit together"
    else:
        amount = rough_volume(shape)
        if amount <= 0.0:
            reason = "it is inside out"
        elif volume is not None and abs(amount - volume) > _NEAR * volume:
            reason = f"its volume is {amount:g} mm³ instead of about {volume:g}"
    if reason is not None:
        raise build.fault(
            code, f"the result is not a sound solid: {reason}", failed=code != "INVALID_PARAMETER"
        )
    return Brep.made(shape, build.maker)
