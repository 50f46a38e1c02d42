"""Lofts as B-reps: ruled through their sections, edge to edge (cad.md §3.10)."""

from __future__ import annotations

from vcad_kernel.geometry.loft import matched
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.ruling import ruled
from vcad_kernel.geometry.occt.sketches import plane_of, wire_of
from vcad_kernel.geometry.occt.unify import unified
from vcad_kernel.geometry.occt.validity import ROUND, sound
from vcad_kernel.geometry.profile import read_profile
from vcad_kernel.geometry.sweeping import lofted
from vcad_kernel.ir.nodes import Loft

__all__ = ["loft"]


def loft(build: Build, node: Loft, _operands: Operands) -> Brep:
    """Ruled solid through the sketches in order; what the mesh side refuses is refused in the same words."""
    profiles = [read_profile(build.document, sketch) for sketch in node.sketches]
    near = lofted(build.document, build.node, profiles, ROUND, 1.0).volume
    outlines = [profile.outline(ROUND) for profile in profiles]
    sections = matched(profiles, outlines, closed=bool(node.closed))
    wires = [wire_of(section.segments, plane_of(section.profile)) for section in sections]
    try:
        shape = ruled(wires, closed=bool(node.closed))
    except OCCT_ERRORS as error:
        raise build.fault("LOFT_FAILED", f"the sections cannot be joined: {error}") from None
    brep = sound(build, shape, "LOFT_FAILED", volume=near)
    # two half circles over two half circles are one cone
    return unified(brep) if any(profile.has_arcs for profile in profiles) else brep
