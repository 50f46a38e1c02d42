"""Slits: gaps between facets of what is one surface, as of a plug in its bore that is turned against it.

    if has_slits(positions, triangles, chord): …

Chords of the same circle that begin at different places cross each other: the mesh of both has a row of
gaps, thinner than the chord error, and is closed. Nothing is there of the true body. They end in edges as
sharp as knives, many of them, where faces lie within the chord error of each other all the way to their
other corners; surfaces that touch along a line have two such edges.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["has_slits"]

_OPPOSED = -0.8665
"""Cosine between outward normals of facets that meet at a knife's edge: circles have 12 sides at least, so
below 30°, at which the flanks of a screw thread run out into a plane face."""
_FEW = 6
"""Knives that are taken for those of surfaces which touch."""


def has_slits(
    positions: NDArray[np.float64],
    triangles: NDArray[np.integer],
    chord: float,
    *,
    among: NDArray[np.bool_],
) -> bool:
    """Whether facets of one surface lie apart from each other, back to back.

    positions: (n, 3), mm. triangles: (m, 3), closed and outward. chord: how far a mesh may be from its
    surface, mm. among: (m,) the triangles to look at.
    """
    if len(triangles) < 4 or chord <= 0.0:
        return False
    corners = positions[triangles]
    normals = crossed(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    broad = (lengths > LINEAR**2) & among
    normals[broad] /= lengths[broad, None]
    starts = triangles.astype(np.int64)
    ends = np.roll(starts, -1, axis=1)
    # each edge is there once each way, so that both ways in order are partners
    count = len(positions)
    there, back = (starts * count + ends).ravel(), (ends * count + starts).ravel()
    first, second = np.argsort(there, kind="stable"), np.argsort(back, kind="stable")
    if not np.array_equal(there[first], back[second]):
        return False
    once = there[first] < back[first]
    first, second = first[once], second[once]
    left, right = first // 3, second // 3
    knives = (
        (np.einsum("ij,ij->i", normals[left], normals[right]) < _OPPOSED) & broad[left] & broad[right]
    ).nonzero()[0]
    if len(knives) <= _FEW:
        return False
    left, right = left[knives], right[knives]
    # the corner of each triangle that is not on the edge, from the plane of the other one
    tips = [corners[side // 3, (side + 2) % 3] for side in (first[knives], second[knives])]
    apart = [
        np.abs(np.einsum("ij,ij->i", tip - corners[against, 0], normals[against]))
        for tip, against in zip(tips, (right, left), strict=True)
    ]
    return int(np.count_nonzero(np.minimum(*apart) <= 2.0 * chord)) > _FEW
