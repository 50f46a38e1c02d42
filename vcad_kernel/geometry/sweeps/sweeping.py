"""Solids swept from profiles, as skins: extrude, revolve, sweeps and lofts (cad.md §3.7–3.10).

Each function takes a checked value with its profiles and gives closed outward skins whose union is
the solid, with how far they are from the true surface.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.mesh.manifold_kernel import triangulate
from vcad_kernel.geometry.placement import cross, unit
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.sweeps.loft import LoftFault, loft
from vcad_kernel.geometry.sweeps.paths.along_paths import subdivided, twisted
from vcad_kernel.geometry.sweeps.profiles.crossing import crosses_itself
from vcad_kernel.geometry.sweeps.profiles.profile import Profile
from vcad_kernel.geometry.sweeps.swept import Skin, Swept, cap, outward, prism, turned
from vcad_kernel.geometry.tolerance import EMPTY_VOLUME, IN_PLANE, LINEAR, Tessellation, sagitta
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId, Vec2
from vcad_kernel.operations.solids.sweeps import Extrude, Loft, Revolve

__all__ = [
    "Swept",
    "axis_in_plane",
    "extruded",
    "lofted",
    "refuse_flat",
    "revolved",
    "turned_volume",
]


def _turn(
    around: NDArray[np.float64],
    along: NDArray[np.float64],
    origin: NDArray[np.float64],
    axis: NDArray[np.float64],
    e: NDArray[np.float64],
    angle: float,
    sides: int,
    outline: NDArray[np.float64] | None = None,
    *,
    flat: bool = True,
) -> Skin:
    """One turned skin; ``outline`` is the profile in its own plane, for the ends of a partial turn."""
    frame = (origin, axis, e, np.array(cross(axis.tolist(), e.tolist())))
    return turned(
        around,
        along,
        frame,
        angle,
        sides,
        lambda: cap(around if outline is None else outline, triangulate),
        flat=flat,
    )


# ---------------------------------------------------------------- extrude


def extruded(
    document: Document,
    node: NodeId,
    value: Extrude,
    profile: Profile,
    tessellation: Tessellation,
    scale: float,
) -> Swept:
    """Prism of the profile along the full direction vector, square to the plane or not.

    value: need not be the node's.
    """
    direction = np.array(value.direction)
    refuse_flat(document, node, value, profile)
    if value.twist_angle or value.scale_end not in (None, 1.0):
        return twisted(value, profile, tessellation, scale)
    outline = profile.outline(tessellation, scale)
    skin = prism(profile.place(outline.points), direction, outline.points, triangulate)
    return Swept((outward(skin)[0],), outline.deviation)


def refuse_flat(document: Document, node: NodeId, value: Extrude, profile: Profile) -> None:
    """Raise INVALID_PARAMETER when an extrusion's direction lies in the plane of its sketch."""
    if abs(np.asarray(unit(value.direction)) @ profile.normal) < IN_PLANE:
        raise geometry_error(
            document,
            node,
            "INVALID_PARAMETER",
            "the direction lies in the plane of the sketch, which encloses no volume",
            argument="dx",
        )


# ---------------------------------------------------------------- revolve


def revolved(
    document: Document,
    node: NodeId,
    value: Revolve,
    profile: Profile,
    tessellation: Tessellation,
    scale: float,
) -> Swept:
    """Profile turned about an axis; touching the axis closes the body. value: need not be the node's."""
    axis, origin = np.array(unit(value.axis_dir)), np.array(value.axis_origin)
    make = _in_plane if axis_in_plane(profile, origin, axis) else _off_plane
    return make(document, node, value, profile, axis, origin, tessellation, scale)


def axis_in_plane(profile: Profile, origin: NDArray[np.float64], axis: NDArray[np.float64]) -> bool:
    """Whether a line lies in the plane of a sketch; its direction has length 1."""
    return bool(
        abs(axis @ profile.normal) < IN_PLANE and abs((origin - profile.origin) @ profile.normal) <= LINEAR
    )


def _in_plane(
    document: Document,
    node: NodeId,
    value: Revolve,
    profile: Profile,
    axis: NDArray[np.float64],
    origin: NDArray[np.float64],
    tessellation: Tessellation,
    scale: float,
) -> Swept:
    outline = profile.outline(tessellation, scale)
    e, _, _ = _from_axis(document, node, profile, axis, origin)
    placed = profile.place(outline.points) - origin
    distance = placed @ e
    distance[np.abs(distance) <= LINEAR] = 0.0
    radius = float(np.max(np.abs(distance)))
    sides = tessellation.sides(radius, scale=scale)
    around = np.column_stack([distance, np.zeros_like(distance)])
    skin = _turn(around, placed @ axis, origin, axis, e, value.angle_deg, sides, outline.points)
    return Swept((outward(skin)[0],), outline.deviation + sagitta(radius, sides) * scale)


def _from_axis(
    document: Document,
    node: NodeId,
    profile: Profile,
    axis: NDArray[np.float64],
    origin: NDArray[np.float64],
) -> tuple[NDArray[np.float64], Vec2, float]:
    """Which way distances from an axis in the plane of a profile are counted, in space and in the sketch, and
    that of its origin.

    Raises: GeometryError PROFILE_CROSSES_AXIS.
    """
    e = np.array(cross(profile.normal.tolist(), axis.tolist()))
    direction: Vec2 = (float(profile.x @ e), float(profile.y @ e))
    offset = float((profile.origin - origin) @ e)
    low, high = (edge + offset for edge in profile.extent(direction))
    if low < -LINEAR and high > LINEAR:
        raise geometry_error(
            document,
            node,
            "PROFILE_CROSSES_AXIS",
            f"the profile lies on both sides of the axis ({low:g} to {high:g} mm from it)",
            argument="k",
        )
    return e, direction, offset


def turned_volume(
    document: Document, node: NodeId, value: Revolve, profile: Profile, tessellation: Tessellation
) -> float:
    """About what a turned profile's volume must be, mm³, after all the checks of :func:`revolved`.

    By Pappus: the angle times the distance from the axis, integrated over the polygon. value: need not be the
    node's.
    """
    axis, origin = np.array(unit(value.axis_dir)), np.array(value.axis_origin)
    if not axis_in_plane(profile, origin, axis):
        return revolved(document, node, value, profile, tessellation, 1.0).volume
    points = profile.outline(tessellation).points
    _, direction, offset = _from_axis(document, node, profile, axis, origin)
    # triangle by triangle from the sketch's origin, each by the mean of its corners
    after = np.concatenate((points[1:], points[:1]))
    doubled = points[:, 0] * after[:, 1] - points[:, 1] * after[:, 0]
    distances = (points + after) @ np.array(direction) + 3.0 * offset
    moment = float(doubled @ distances) / 6.0 * math.hypot(*cross(profile.x.tolist(), profile.y.tolist()))
    return math.radians(min(value.angle_deg, 360.0)) * abs(moment)


def _off_plane(
    document: Document,
    node: NodeId,
    value: Revolve,
    profile: Profile,
    axis: NDArray[np.float64],
    origin: NDArray[np.float64],
    tessellation: Tessellation,
    scale: float,
) -> Swept:
    """The axis does not lie in the sketch plane: still a solid while its meridian section is simple."""
    outline = profile.outline(tessellation, scale)
    points = subdivided(outline.points, math.inf, LINEAR)
    placed = profile.place(points) - origin
    along = placed @ axis
    e = np.array(unit(tuple(_square_to(axis))))
    f = np.cross(axis, e)
    around = np.column_stack([placed @ e, placed @ f])
    distance = np.linalg.norm(around, axis=1)
    around[distance <= LINEAR] = 0.0
    section = np.column_stack([distance, along])
    if crosses_itself(section):
        raise _self_intersecting(document, node)
    radius = float(np.max(distance))
    sides = tessellation.sides(radius, scale=scale)
    skin = _turn(around, along, origin, axis, e, value.angle_deg, sides, points, flat=False)
    solid, volume = outward(skin)
    if volume <= EMPTY_VOLUME:
        raise _self_intersecting(document, node)
    return Swept((solid,), outline.deviation + sagitta(radius, sides) * scale)


def _self_intersecting(document: Document, node: NodeId) -> GeometryError:
    return geometry_error(
        document,
        node,
        "INVALID_PARAMETER",
        "the axis does not lie in the plane of the sketch, and the turned profile would run through itself",
        argument="adx",
    )


def _square_to(axis: NDArray[np.float64]) -> NDArray[np.float64]:
    reference = np.eye(3)[int(np.argmin(np.abs(axis)))]
    return np.asarray(np.cross(axis, reference))


# ---------------------------------------------------------------- loft


def lofted(
    document: Document, node: NodeId, profiles: Sequence[Profile], tessellation: Tessellation, scale: float
) -> Swept:
    """Ruled solid through the profiles, in order."""
    value = document.nodes[node]
    assert isinstance(value, Loft)
    outlines = [profile.outline(tessellation, scale) for profile in profiles]
    try:
        ruled = loft(profiles, outlines, tessellation, scale, triangulate, closed=bool(value.closed))
    except LoftFault as fault:
        raise _loft_failed(document, node, str(fault)) from None
    solid, volume = outward(ruled.skin)
    if volume <= EMPTY_VOLUME:
        raise _loft_failed(document, node, "the sections enclose no volume")
    return Swept((solid,), ruled.deviation)


def _loft_failed(document: Document, node: NodeId, message: str) -> GeometryError:
    return geometry_error(document, node, "LOFT_FAILED", message, argument="sketches", failed=True)
