"""Films: two sheets of one surface that lie back to back, closer than what counts as contact.

    if has_film(positions, triangles): …

A film has no volume, so of the figures only the area shows it; but it closes a bore, or parts what should
be one. It is found by its geometry alone: two triangles of opposite sense in one plane that overlap. Where
no plane has triangles of both senses, as in most bodies, that is known after one sort.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["has_film"]

_BROAD = 10.0 * LINEAR
"""Lower triangles are not looked at, and a smaller overlap is none, mm: a tenth of the smallest feature."""
_SENSE = np.array([0.61237, 0.53033, 0.58630])
"""A direction square to no plane that a person would draw: it tells the two senses of a plane apart."""
_MIX = np.array([0.26726, -0.80178, 0.53452])
"""Another one: what a plane's normal adds to the number that planes are sorted by."""
_MOST_PAIRS = 2_000_000
"""Pairs of triangles compared at once."""

_Array = NDArray[np.float64]


def has_film(positions: _Array, triangles: NDArray[np.integer]) -> bool:
    """Whether two sheets of a surface lie back to back, less than 1e-6 mm apart.

    positions: (n, 3), mm. triangles: (m, 3), closed and outward.
    """
    if len(triangles) < 4:
        return False
    low, high = positions.min(axis=0), positions.max(axis=0)
    corners = (positions - 0.5 * (low + high))[triangles]
    sides = corners[:, [1, 2, 0]] - corners
    normals = crossed(sides[:, 0], sides[:, 1])
    doubled = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    longest = np.einsum("ijk,ijk->ij", sides, sides).max(axis=1)
    broad = doubled > _BROAD * np.sqrt(longest)
    corners, normals = corners[broad], normals[broad] / doubled[broad, None]
    sense = np.sign(normals @ _SENSE)
    normals *= sense[:, None]
    offsets = np.einsum("ij,ij->i", normals, corners[:, 0])
    # planes that are nearly the same have nearly the same number; others seldom
    numbers = offsets + float((high - low).max()) * (normals @ _MIX)
    order = np.argsort(numbers)
    rising, senses = numbers[order], sense[order]
    near = rising[1:] - rising[:-1] <= LINEAR
    if not np.any(near & (senses[1:] != senses[:-1])):
        return False
    begins = np.concatenate([[0], np.flatnonzero(~near) + 1])
    up = np.maximum.reduceat(senses, begins) > 0.0
    down = np.minimum.reduceat(senses, begins) < 0.0
    ends = np.append(begins[1:], len(order))
    for group in np.flatnonzero(up & down):
        inside = order[begins[group] : ends[group]]
        if _back_to_back(corners[inside], normals[inside], sense[inside]):
            return True
    return False


def _back_to_back(corners: _Array, normals: _Array, sense: _Array) -> bool:
    """Whether triangles (m, 3, 3) of both senses overlap, among those in nearly one plane."""
    normal = normals[0]
    across = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    across /= np.linalg.norm(across)
    flat = corners @ np.stack([across, np.cross(normal, across)], axis=1)
    fronts, backs = flat[sense > 0.0], flat[sense < 0.0]
    if len(fronts) > len(backs):
        fronts, backs = backs, fronts
    low, high = backs.min(axis=1), backs.max(axis=1)
    step = max(1, _MOST_PAIRS // len(backs))
    for start in range(0, len(fronts), step):
        few = fronts[start : start + step]
        least, most = few.min(axis=1)[:, None], few.max(axis=1)[:, None]
        boxes = np.all(np.minimum(most, high) - np.maximum(least, low) > _BROAD, axis=2)
        front, back = np.nonzero(boxes)
        if len(front) and np.any(_overlap(few[front], backs[back])):
            return True
    return False


def _overlap(a: _Array, b: _Array) -> NDArray[np.bool_]:
    """Which pairs of triangles (n, 3, 2) overlap, by separating lines along their sides."""
    apart = np.zeros(len(a), bool)
    for triangle in (a, b):
        sides = np.roll(triangle, -1, axis=1) - triangle
        lines = np.stack([-sides[:, :, 1], sides[:, :, 0]], axis=2)
        lines /= np.linalg.norm(lines, axis=2, keepdims=True)
        of_a, of_b = (np.einsum("nld,ncd->nlc", lines, corners) for corners in (a, b))
        deep = np.minimum(of_a.max(axis=2), of_b.max(axis=2)) - np.maximum(of_a.min(axis=2), of_b.min(axis=2))
        apart |= np.any(deep <= _BROAD, axis=1)
    return ~apart
