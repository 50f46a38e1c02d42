"""Closed triangle skins around swept profiles: prisms, turned bodies, helices.

Each function gives vertices and triangles, wound one way round throughout; :func:`outward` turns
them so that the volume is positive. Rings are copies of one outline; caps are triangulated by the
kernel, whose function is handed in. Exact where the true faces are planar.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.sweeps.profiles.crossing import signed_area
from vcad_kernel.geometry.sweeps.profiles.profile import circle_points

__all__ = ["Skin", "Swept", "Triangulate", "outward", "prism", "skin", "tube", "turned"]

Points: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
Triangulate: TypeAlias = Callable[[Points], Indices]
"""Triangles (m, 3) of a counter-clockwise simple polygon (n, 2), by index."""


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """A closed mesh on its way to a kernel."""

    positions: Points
    triangles: Indices


def _volume(positions: Points, triangles: Indices) -> float:
    a, b, c = np.moveaxis((positions - positions[triangles[0, 0]])[triangles], 1, 0)
    return float(np.einsum("ij,ij->", a, crossed(b, c))) / 6.0


def outward(mesh: Skin) -> tuple[Skin, float]:
    """The mesh with positive volume, and that volume in mm³."""
    volume = _volume(mesh.positions, mesh.triangles)
    if volume >= 0.0:
        return mesh, volume
    return Skin(mesh.positions, np.ascontiguousarray(mesh.triangles[:, ::-1])), -volume


@dataclass(frozen=True, slots=True, eq=False)
class Swept:
    """A solid as a union of skins, usually one."""

    skins: tuple[Skin, ...]
    deviation: float
    """Largest distance from the true surface, millimetres."""

    @property
    def volume(self) -> float:
        """Of all skins together, mm³; that of the solid where they do not overlap."""
        return sum(outward(skin)[1] for skin in self.skins)


def cap(outline: Points, triangulate: Triangulate) -> Indices:
    """Triangles over an outline, their border running as the outline runs."""
    if signed_area(outline) > 0.0:
        return triangulate(outline)
    backwards = triangulate(np.ascontiguousarray(outline[::-1]))
    return np.ascontiguousarray((len(outline) - 1 - backwards)[:, ::-1])


def skin(
    positions: Points, ids: Indices, *, wrap: bool, caps: tuple[Indices, Indices] | None, flat: bool = False
) -> Skin:
    """Join rings of vertices to a closed surface.

    ids: (rings, n) vertex of each point of each ring; a vertex may stand in several rings.
    wrap: the last ring is joined to the first and there are no caps.
    caps: triangles over the first and the last ring, in outline indices.
    flat: the quads are known to be planar. Others get a vertex in their middle, which makes the
        volume under each that of the bilinear patch exactly.
    """
    after = np.roll(ids, -1, axis=0) if wrap else ids[1:]
    here = ids if wrap else ids[:-1]
    # one quad for each side of the outline between two neighbouring rings
    quads = np.stack([here, np.roll(here, -1, axis=1), np.roll(after, -1, axis=1), after], axis=-1)
    quads = quads.reshape(-1, 4)
    parts: list[Indices] = []
    if not flat:
        bent = _bent(positions, quads)
        if np.any(bent):
            positions, fans = _fans(positions, quads[bent])
            parts.append(fans)
            quads = quads[~bent]
    sides = np.stack([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]], axis=1).reshape(-1, 3)
    parts.append(sides)
    if caps is not None:
        parts.append(ids[0][caps[0]][:, ::-1])
        parts.append(ids[-1][caps[1]])
    triangles = np.vstack(parts)
    a, b, c = triangles.T
    # where a ring touches the axis its quads shrink to triangles, or to nothing
    return Skin(positions, np.ascontiguousarray(triangles[(a != b) & (b != c) & (a != c)]))


def _bent(positions: Points, quads: Indices) -> NDArray[np.bool_]:
    # flat where the four corners span no volume, relative to their size
    p, q, r, s = (positions[quads[:, corner]] for corner in range(4))
    offset = np.abs(np.einsum("ij,ij->i", s - p, crossed(q - p, r - p)))
    size = np.maximum(np.linalg.norm(r - p, axis=1), np.linalg.norm(s - q, axis=1))
    return np.asarray(offset > 1e-9 * size**3)


def _fans(positions: Points, quads: Indices) -> tuple[Points, Indices]:
    middles = positions[quads].mean(axis=1)
    centre = np.arange(len(positions), len(positions) + len(quads))
    fans = [np.column_stack([quads[:, i], quads[:, (i + 1) % 4], centre]) for i in range(4)]
    return np.vstack([positions, middles]), np.vstack(fans)


def _rings_to_skin(
    rings: Points, outline: Points, triangulate: Triangulate, *, wrap: bool, flat: bool
) -> Skin:
    count, size, _ = rings.shape
    ids = np.arange(count * size).reshape(count, size)
    over = None
    if not wrap:
        lid = cap(outline, triangulate)
        over = (lid, lid)
    return skin(rings.reshape(-1, 3), ids, wrap=wrap, caps=over, flat=flat)


def prism(base: Points, direction: Points, outline: Points, triangulate: Triangulate) -> Skin:
    """The base (n, 3) carried along a vector; ``outline`` is the base in its own plane (n, 2)."""
    rings = np.stack([base, base + direction])
    return _rings_to_skin(rings, outline, triangulate, wrap=False, flat=True)


def turned(
    around: Points,
    along: Points,
    frame: tuple[Points, Points, Points, Points],
    angle: float,
    sides: int,
    lid: Callable[[], Indices],
    *,
    flat: bool,
) -> Skin:
    """An outline turned about an axis by degrees, starting where it stands.

    around: (n, 2) coordinates of the outline along the frame's e and f; (0, 0) is on the axis.
    along: (n,) coordinates along the axis.
    frame: origin, axis a, and e, f = a × e: unit vectors square to it.
    lid: triangles over the outline, asked for unless the turn is full.
    """
    origin, axis, e, f = frame
    full = angle >= 360.0 - 1e-9
    turns = _turn_directions(angle, sides, full)
    on_axis = ~np.any(around != 0.0, axis=1)
    cosine, sine = turns[:, :1], turns[:, 1:]
    u = cosine * around[:, 0] - sine * around[:, 1]
    v = sine * around[:, 0] + cosine * around[:, 1]
    rings = origin + along[None, :, None] * axis + u[..., None] * e + v[..., None] * f
    count, size = u.shape
    ids = np.arange(count * size).reshape(count, size)
    # points on the axis do not turn: one vertex for all rings
    ids[:, on_axis] = ids[0, on_axis]
    used, compact = np.unique(ids, return_inverse=True)
    ids = compact.reshape(count, size)
    caps = None
    if not full:
        over = lid()
        caps = (over, over)
    return skin(rings.reshape(-1, 3)[used], ids, wrap=full, caps=caps, flat=flat)


def _turn_directions(angle: float, sides: int, full: bool) -> Points:
    """(k, 2) cosine and sine of the rings' angles: multiples of 360°/sides, then the end itself."""
    step = 360.0 / sides
    if full:
        return circle_points(np.arange(sides), sides)
    # a last step shorter than a twentieth of the others would make slivers
    inner = circle_points(np.arange(max(math.ceil(angle / step - 0.05), 1)), sides)
    quarter = angle / 90.0
    end = (
        circle_points(np.array([int(quarter)]), 4)
        if quarter.is_integer()
        else np.array([[math.cos(math.radians(angle)), math.sin(math.radians(angle))]])
    )
    return np.vstack([inner, end])


def tube(rings: Points, outline: Points, triangulate: Triangulate, *, flat: bool = True) -> Skin:
    """Rings (k, n, 3) joined and capped at both ends; ``outline`` is a ring in its own plane."""
    # along a wire the quads are almost flat, and fans would double its triangles
    return _rings_to_skin(rings, outline, triangulate, wrap=False, flat=flat)
