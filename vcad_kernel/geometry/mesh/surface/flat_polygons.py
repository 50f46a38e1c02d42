"""Flat faces of a mesh as polygons, for hosts that model with faces rather than triangles.

A polygon stands for connected triangles of one plane that have no hole between them. It keeps every
vertex of its border, also where the border runs straight on, since the neighbours use that vertex:
left out, the surface would have a slit. Knows numpy and the crease analysis, no file format.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.surface.components import connected
from vcad_kernel.geometry.mesh.surface.edges import LEVEL, Creases
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["FlatPolygons"]

_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]

_OFF_PLANE = 1e-6
"""How far a vertex may lie off its polygon's plane, relative to the size of the mesh."""
_OFF_PLANE_LIMIT = 1e-3
"""The same in millimetres: well below what SketchUp takes for one point (0.0254 mm)."""
_FOLDED = 1e-6
"""Share of a face's area that triangles turned over may cover; only slivers are."""


@dataclass(frozen=True, slots=True, eq=False)
class FlatPolygons:
    """The polygons of one mesh and the triangles that are in none of them."""

    corners: _Ints
    """(k,) triangle corners ``3 * triangle + corner``, polygon after polygon, counter-clockwise seen
    from outside; each polygon begins at a strictly convex corner."""
    counts: _Ints
    """(n,) how many corners each polygon has, at least 3; their sum is k."""
    triangles: _Ints
    """(r,) numbers of the triangles that stay as they are, in order."""

    @classmethod
    def of(cls, creases: Creases) -> FlatPolygons:
        """Gather the flat faces of an analysed mesh."""
        region, count = _flat_regions(creases)
        corner = np.repeat(3 * np.flatnonzero(region >= 0), 3)
        corner += np.tile(np.arange(3), len(corner) // 3)
        owner = region[corner // 3]
        twin = creases.twin[corner]
        # the half-edges between two regions bound them
        border = (twin < 0) | (region[twin // 3] != owner)
        corner, owner = corner[border], owner[border]
        place = _places(creases.mesh, corner)
        # by region, and within it by place: what starts at a place is found by bisection
        order = np.argsort(owner * len(place) + place, kind="stable")
        corner, owner = corner[order], owner[order]
        good, rank = _loops(creases.mesh, corner, owner, place[order], count)
        kept = good[owner]
        corner, owner, rank = corner[kept], owner[kept], rank[kept]
        counts = np.bincount(owner, minlength=count)
        # each corner goes to its position along the border
        around = np.empty_like(corner)
        around[(np.cumsum(counts) - counts)[owner] + rank] = corner
        loose = (region < 0) | ~np.append(good, False)[region]
        return cls(around, counts[good], np.flatnonzero(loose))


def _flat_regions(creases: Creases) -> tuple[_Ints, int]:
    """For each triangle the number of its flat region of two or more triangles, or -1; their count."""
    mesh, twin = creases.mesh, creases.twin
    ours = np.flatnonzero(twin > np.arange(len(twin)))
    near, far = ours // 3, twin[ours] // 3
    level = np.einsum("ij,ij->i", creases.directions[near], creases.directions[far]) > LEVEL
    near, far = near[level], far[level]
    region = np.full(mesh.triangle_count, -1, np.int64)
    if not len(near):
        return region, 0
    touched = np.zeros(mesh.triangle_count, np.bool_)
    touched[near] = touched[far] = True
    members = np.flatnonzero(touched)
    number = np.cumsum(touched) - 1
    label = connected(len(members), number[near], number[far])
    flat = _is_flat(mesh, members, label)
    renumbered = np.where(flat, np.cumsum(flat) - 1, -1)
    region[members] = renumbered[label]
    return region, int(flat.sum())


def _is_flat(mesh: TriMesh, members: _Ints, label: _Ints) -> _Bools:
    """Whether the triangles of each label lie in one plane and none of them is folded over."""
    corners = mesh.positions[mesh.indices[members]]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    # the sum of the triangles' areas as vectors: as long as the areas together where nothing folds over
    normal = np.stack([np.bincount(label, cross[:, axis]) for axis in range(3)], axis=1)
    length = np.linalg.norm(normal, axis=1)
    covered = np.bincount(label, np.linalg.norm(cross, axis=1))
    direction = normal / np.where(length > 0, length, 1.0)[:, None]
    leader = np.unique(label, return_index=True)[1]
    off = np.einsum("ijk,ik->ij", corners - corners[leader, 0][label][:, None], direction[label])
    worst = np.zeros(len(length))
    np.maximum.at(worst, label, np.abs(off).max(axis=1))
    size = float(np.ptp(mesh.positions, axis=0).max())
    level = worst <= min(_OFF_PLANE * size, _OFF_PLANE_LIMIT)
    return np.asarray(level & (length > 0) & (covered - length <= _FOLDED * length))


def _places(mesh: TriMesh, corner: _Ints) -> _Ints:
    """A number for the place of each corner, by x, then y, then z; equal places have one number."""
    vertices = np.unique(mesh.indices.reshape(-1)[corner])
    points = mesh.positions[vertices]
    order = np.lexsort(points.T[::-1])
    moved: _Bools = (np.diff(points[order], axis=0) != 0.0).any(axis=1)
    number = np.zeros(mesh.vertex_count, np.int64)
    number[vertices[order]] = np.concatenate([[0], np.cumsum(moved)]) if len(order) else 0
    return number[mesh.indices.reshape(-1)[corner]]


def _loops(mesh: TriMesh, corner: _Ints, owner: _Ints, place: _Ints, count: int) -> tuple[_Bools, _Ints]:
    """Which regions have one simple border, and the position of each of their corners along it.

    The half-edges come sorted by region and place, so the first of a region starts at an extreme
    point of it, and an extreme point is a convex corner.
    """
    if not len(corner):
        return np.zeros(count, np.bool_), corner
    sizes = np.bincount(owner, minlength=count)
    first = np.cumsum(sizes) - sizes
    key = owner * (place.max() + 1) + place
    good = sizes >= 3
    good[owner[1:][key[1:] == key[:-1]]] = False  # two corners in one place: the border touches itself
    ending = _next_place(mesh, corner, place)
    # the half-edge that starts where this one ends, in the same region
    ahead = np.minimum(np.searchsorted(key, owner * (place.max() + 1) + ending), len(key) - 1)
    here = np.arange(len(corner))
    leader = first[owner]
    steps = (here != leader).astype(np.int64)
    ahead = np.where(here == leader, here, ahead)
    # each round doubles how far every corner looks ahead, until all reach the first of their loop
    for _ in range(int(sizes.max()).bit_length()):
        steps += steps[ahead]
        ahead = ahead[ahead]
    good[owner[ahead != leader]] = False  # a second loop: the region has a hole
    return good, np.where(steps == 0, 0, sizes[owner] - steps)


def _next_place(mesh: TriMesh, corner: _Ints, place: _Ints) -> _Ints:
    """The place where the half-edge of each corner ends; on a closed border it is a start as well."""
    vertex = mesh.indices.reshape(-1)
    number = np.zeros(mesh.vertex_count, np.int64)
    number[vertex[corner]] = place
    return number[vertex[np.where(corner % 3 == 2, corner - 2, corner + 1)]]
