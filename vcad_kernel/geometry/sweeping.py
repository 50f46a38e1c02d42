"""Solids swept from profiles, as skins: extrude, revolve, sweeps and lofts (cad.md §3.7–3.10).

Each function takes a checked node with its profiles and gives closed outward skins whose union is
the solid, with how far they are from the true surface.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.crossing import crosses_itself
from vcad_kernel.geometry.loft import LoftFault, loft
from vcad_kernel.geometry.manifold_kernel import triangulate
from vcad_kernel.geometry.placement import unit
from vcad_kernel.geometry.profile import Outline, Profile
from vcad_kernel.geometry.solid import geometry_error, unavailable
from vcad_kernel.geometry.swept import Skin, cap, helix_rings, outward, prism, tube, turned
from vcad_kernel.geometry.tolerance import EMPTY_VOLUME, IN_PLANE, LINEAR, Tessellation, sagitta
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.nodes import Extrude, HelixPath, LinePath, Loft, NodeId, Revolve, Sweep, Vec2

__all__ = ["Swept", "extrude", "lofted", "revolve", "sweep"]

_LINE_PIECES = 16
"""Pieces of a straight side turned about an axis that is not in its plane: it sweeps a hyperboloid."""


@dataclass(frozen=True, slots=True, eq=False)
class Swept:
    """The solid as a union of skins, usually one."""

    skins: tuple[Skin, ...]
    deviation: float


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
    frame = (origin, axis, e, np.cross(axis, e))
    return turned(
        around,
        along,
        frame,
        angle,
        sides,
        lambda: cap(around if outline is None else outline, triangulate),
        flat=flat,
    )


# ---------------------------------------------------------------- extrude, sweep-line


def extrude(
    document: Document, node: NodeId, profiles: Sequence[Profile], tessellation: Tessellation, scale: float
) -> Swept:
    """Prism of the profile along the full direction vector, square to the plane or not."""
    value, (profile,) = document.nodes[node], profiles
    assert isinstance(value, Extrude)
    if value.twist_angle or value.scale_end not in (None, 1.0):
        raise unavailable(document, node, "a twisted or tapered extrusion")
    direction = np.array(value.direction)
    if abs(np.asarray(unit(value.direction)) @ profile.normal) < IN_PLANE:
        raise geometry_error(
            document,
            node,
            "INVALID_PARAMETER",
            "the direction lies in the plane of the sketch, which encloses no volume",
            argument="dx",
        )
    outline = profile.outline(tessellation, scale)
    skin = prism(profile.place(outline.points), direction, outline.points, triangulate)
    return Swept((outward(skin)[0],), outline.deviation)


def sweep(
    document: Document, node: NodeId, profiles: Sequence[Profile], tessellation: Tessellation, scale: float
) -> Swept:
    """Profile carried along a line or a helix; the sketch's own plane plays no part."""
    value, (profile,) = document.nodes[node], profiles
    assert isinstance(value, Sweep)
    if value.twist_angle or value.orientation or {value.scale_start, value.scale_end} - {None, 1.0}:
        raise unavailable(document, node, "a twisted or tapered sweep")
    outline = profile.outline(tessellation, scale)
    if isinstance(value.path, HelixPath):
        return _helix(document, node, value.path, outline, tessellation, scale)
    return _straight(value.path, outline)


def _straight(path: LinePath, outline: Outline) -> Swept:
    start, end = np.array(path.start), np.array(path.end)
    x, y, z = (after - before for before, after in zip(path.start, path.end, strict=True))
    tangent = np.array(unit((x, y, z)))
    reference = np.array([1.0, 0.0, 0.0]) if abs(tangent[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    n = np.array(unit(tuple(np.cross(reference, tangent))))
    b = np.cross(tangent, n)
    base = start + outline.points[:, :1] * n + outline.points[:, 1:] * b
    skin = prism(base, end - start, outline.points, triangulate)
    return Swept((outward(skin)[0],), outline.deviation)


# ---------------------------------------------------------------- sweep-helix


def _helix(
    document: Document,
    node: NodeId,
    path: HelixPath,
    outline: Outline,
    tessellation: Tessellation,
    scale: float,
) -> Swept:
    reach = float(np.max(np.linalg.norm(outline.points, axis=1)))
    sides = tessellation.sides(path.radius + reach, scale=scale)
    rise = path.height / (2.0 * math.pi * path.turns)
    speed = math.hypot(path.radius, rise)
    steps = max(math.ceil(sides * path.turns * speed / path.radius), 4)
    rings = helix_rings(path.radius, path.height, path.turns, outline.points, steps)
    share = np.arange(steps + 1) / steps
    phi = 2.0 * math.pi * path.turns * share
    inward = np.stack([-np.cos(phi), -np.sin(phi), np.zeros_like(phi)], axis=1)
    centre = np.stack([path.radius * np.cos(phi), path.radius * np.sin(phi), path.height * share], axis=1)
    toward = np.einsum("kni,ki->kn", rings - centre[:, None, :], inward)
    if float(np.max(toward)) * path.radius / speed**2 >= 1.0 - 1e-9:
        raise geometry_error(
            document,
            node,
            "SWEEP_FAILED",
            "the profile reaches past the centre of the helix's curvature, where it would turn inside out",
            argument="radius",
            failed=True,
        )
    deviation = outline.deviation + sagitta(path.radius + reach, sides) * scale
    between_turns = 2.0 * math.pi * abs(rise) * path.radius / speed
    if path.turns <= 0.5 or 2.0 * reach < 0.9 * between_turns:
        pieces = [rings]
    else:
        # turns may overlap: cut into half turns, each simple, and let the kernel unite them
        count = math.ceil(2.0 * path.turns)
        cuts = [round(steps * index / count) for index in range(count + 1)]
        pieces = [rings[first : last + 1] for first, last in itertools.pairwise(cuts)]
    skins = tuple(outward(tube(piece, outline.points, triangulate))[0] for piece in pieces)
    return Swept(skins, deviation)


# ---------------------------------------------------------------- revolve


def revolve(
    document: Document, node: NodeId, profiles: Sequence[Profile], tessellation: Tessellation, scale: float
) -> Swept:
    """Profile turned about an axis; touching the axis closes the body."""
    value, (profile,) = document.nodes[node], profiles
    assert isinstance(value, Revolve)
    axis, origin = np.array(unit(value.axis_dir)), np.array(value.axis_origin)
    lies_in_plane = (
        abs(axis @ profile.normal) < IN_PLANE and abs((origin - profile.origin) @ profile.normal) <= LINEAR
    )
    if lies_in_plane:
        return _in_plane(document, node, value, profile, axis, origin, tessellation, scale)
    return _off_plane(document, node, value, profile, axis, origin, tessellation, scale)


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
    e = np.cross(profile.normal, axis)
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
    placed = profile.place(outline.points) - origin
    distance = placed @ e
    distance[np.abs(distance) <= LINEAR] = 0.0
    radius = float(np.max(np.abs(distance)))
    sides = tessellation.sides(radius, scale=scale)
    around = np.column_stack([distance, np.zeros_like(distance)])
    skin = _turn(around, placed @ axis, origin, axis, e, value.angle_deg, sides, outline.points)
    return Swept((outward(skin)[0],), outline.deviation + sagitta(radius, sides) * scale)


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
    points = _subdivided(outline.points)
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


def _subdivided(points: NDArray[np.float64]) -> NDArray[np.float64]:
    ends = np.roll(points, -1, axis=0)
    share = (np.arange(_LINE_PIECES) / _LINE_PIECES)[None, :, None]
    return np.asarray((points[:, None, :] * (1.0 - share) + ends[:, None, :] * share).reshape(-1, 2))


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
