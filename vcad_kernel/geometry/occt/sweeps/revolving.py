"""Turned bodies: cylinders, cones, spheres and tori where the profile has lines and arcs.

The axis may touch the profile or carry one of its sides. Whatever the mesh side refuses is refused
here in the same words: the profile's sides of the axis and the turned section are checked there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from OCP.BRepPrimAPI import BRepPrimAPI_MakeRevol
from OCP.gp import gp_Ax1
from OCP.TopoDS import TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import ROUND, outward_solid, sound
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import (
    checked_profile,
    direction_of,
    face_of,
    merged,
    plane_of,
    point_of,
)
from vcad_kernel.geometry.placement import cross, unit
from vcad_kernel.geometry.sweeps.profiles.curves import between
from vcad_kernel.geometry.sweeps.profiles.profile import Profile, arc_radius, in_sweep
from vcad_kernel.geometry.sweeps.sweeping import axis_in_plane, turned_volume
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.sketches import Arc, Curve, Curves
from vcad_kernel.operations.solids.sweeps import Revolve

__all__ = ["revolve", "turned_face", "turned_outline"]

_FULL = 360.0 - 1e-9


def turned_face(
    face: TopoDS_Face, origin: NDArray[np.float64], axis: NDArray[np.float64], angle: float
) -> TopoDS_Shape:
    """The outward body that a plane face sweeps when it turns by degrees; a full turn has no end walls."""
    about = gp_Ax1(point_of(origin), direction_of(axis))
    if angle >= _FULL:
        shape = BRepPrimAPI_MakeRevol(face, about).Shape()
    else:
        shape = BRepPrimAPI_MakeRevol(face, about, math.radians(angle)).Shape()
    return outward_solid(shape)


def revolve(build: Build, node: Revolve, _operands: Operands) -> Brep:
    """Profile turned about the axis, right-handed, from where it stands."""
    return turned_outline(build, node, *checked_profile(build, node.sketch))


def turned_outline(build: Build, node: Revolve, profile: Profile, segments: Curves) -> Brep:
    """The turned body of one outline, counter-clockwise."""
    volume = turned_volume(build.document, build.node, node, profile, ROUND)
    axis, origin = np.array(unit(node.axis_dir)), np.array(node.axis_origin)
    segments = merged(segments)
    if axis_in_plane(profile, origin, axis):
        segments = _on_axis(
            profile, segments, origin, np.array(cross(profile.normal.tolist(), axis.tolist()))
        )
    face = face_of(segments, plane_of(profile))
    try:
        shape = turned_face(face, origin, axis, node.angle_deg)
    except OCCT_ERRORS as error:
        raise build.fault("INVALID_PARAMETER", f"no turned body: {error}", failed=False) from None
    return sound(build, shape, "INVALID_PARAMETER", volume=volume)


def _on_axis(
    profile: Profile, segments: Curves, origin: NDArray[np.float64], away: NDArray[np.float64]
) -> Curves:
    """The segments with what touches the axis exactly on it, and a corner where an arc touches it."""
    # the distance from the axis as a linear function of sketch coordinates
    slope = np.array([profile.x @ away, profile.y @ away])
    offset = float((profile.origin - origin) @ away)

    def distance(point: Vec2) -> float:
        return offset + float(slope @ np.asarray(point))

    def snapped(point: Vec2) -> Vec2:
        off = distance(point)
        if off == 0.0 or abs(off) > LINEAR:
            return point
        u, v = np.asarray(point) - slope * (off / float(slope @ slope))
        return (float(u), float(v))

    result: list[Curve] = []
    for segment in segments:
        start, end = snapped(segment.start), snapped(segment.end)
        if not isinstance(segment, Arc):
            result.append(between(segment, start, end))
            continue
        touching = _extreme(segment, slope, distance)
        cuts = [start, *([] if touching is None else [snapped(touching)]), end]
        result += [Arc(first, last, segment.center, segment.ccw) for first, last in itertools.pairwise(cuts)]
    return tuple(result)


def _extreme(arc: Arc, slope: NDArray[np.float64], distance: Callable[[Vec2], float]) -> Vec2 | None:
    """Where an arc touches the axis between its ends."""
    along = slope / np.linalg.norm(slope)
    for sign in (1.0, -1.0):
        # an arc is furthest from, or nearest to, the axis along the slope from its centre
        u, v = np.asarray(arc.center) + sign * arc_radius(arc) * along
        point = (float(u), float(v))
        apart = min(math.dist(point, arc.start), math.dist(point, arc.end)) > LINEAR
        if apart and abs(distance(point)) <= LINEAR and in_sweep(arc, point):
            return point
    return None
