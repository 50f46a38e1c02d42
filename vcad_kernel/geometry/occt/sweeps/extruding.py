"""Extrusions: prisms along a vector, square to the sketch or not, twisted or tapered where asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from OCP.BRepPrimAPI import BRepPrimAPI_MakePrism
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import sound
from vcad_kernel.geometry.occt.sweeps.lofting import ruled
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import (
    checked_profile,
    face_of,
    merged,
    plane_of,
    vector_of,
    wire_of,
)
from vcad_kernel.geometry.occt.sweeps.skinning import Misfit, skinned
from vcad_kernel.geometry.sweeps.paths.along_paths import extrusion_track
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.sweeps.profiles.profile import Profile
from vcad_kernel.geometry.sweeps.sweeping import refuse_flat
from vcad_kernel.geometry.tolerance import ANGULAR
from vcad_kernel.operations.profiles.sketches import Curves
from vcad_kernel.operations.solids.sweeps import Extrude

__all__ = ["extrude", "extruded_outline", "prism_of"]

_FAULTS: tuple[type[Exception], ...] = (*OCCT_ERRORS, Misfit)


def prism_of(face: TopoDS_Face, normal: NDArray[np.float64], along: NDArray[np.float64]) -> TopoDS_Shape:
    """The outward prism over a face whose outward side is that of ``normal``."""
    if float(normal @ along) < 0.0:
        # the sweep takes the face for the bottom of what it makes
        face = TopoDS.Face(face.Reversed())
    return BRepPrimAPI_MakePrism(face, vector_of(along)).Shape()


def extrude(build: Build, node: Extrude, _operands: Operands) -> Brep:
    """Prism of a sketch along the full direction vector."""
    return extruded_outline(build, node, *checked_profile(build, node.sketch))


def extruded_outline(build: Build, node: Extrude, profile: Profile, segments: Curves) -> Brep:
    """The prism of one outline, counter-clockwise."""
    along = np.array(node.direction)
    refuse_flat(build.document, build.node, node, profile)
    try:
        if node.twist_angle or node.scale_end not in (None, 1.0):
            shape = _modified(node, profile, segments)
        else:
            shape = _straight(profile, segments, along)
    except _FAULTS as error:
        raise build.fault("INVALID_PARAMETER", f"no prism: {error}", failed=False) from None
    return sound(build, shape, "INVALID_PARAMETER")


def _straight(profile: Profile, segments: Curves, along: NDArray[np.float64]) -> TopoDS_Shape:
    plane = plane_of(profile)
    across = float(np.linalg.norm(np.cross(profile.normal, along)))
    if plane.conformal and across <= ANGULAR * float(np.linalg.norm(along)):
        segments = merged(segments)
    # circles that become elliptic cylinders stay in two halves: a whole one has a seam for nothing
    return prism_of(face_of(segments, plane), profile.normal, along)


def _modified(node: Extrude, profile: Profile, segments: Curves) -> TopoDS_Shape:
    """Turned or tapered on the way; a taper alone has plane and conical sides."""
    segments, track = merged(segments), extrusion_track(node, profile)
    if node.twist_angle:
        return skinned(segments, [track])
    ends = track.at(np.array([0.0, 1.0]))
    planes = [Plane(*frame) for frame in zip(ends.points, ends.u, ends.v, strict=True)]
    return ruled([wire_of(segments, plane) for plane in planes])
