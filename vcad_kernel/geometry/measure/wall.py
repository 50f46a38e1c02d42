"""The thinnest wall of a part, by rays through its mesh.

    thinnest_wall(measurement)          # Wall: thickness and where, on either side

A wall is what lies between two faces that look away from each other. Rays go straight in from points
spread over the whole surface; the shortest one that leaves through a face opposite is looked at again
with points closer together. The answer is the thinnest wall that a ray has met, so it is never too thin
by more than the facets stand off the curved faces, and too thick only where a wall changes between rays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.mesh.manifold_kernel import Made, finer, first_hits, of_skin, read
from vcad_kernel.geometry.sweeps.swept import Skin
from vcad_kernel.operations.node import Vec3

__all__ = ["Wall", "thinnest_wall"]

_OPPOSITE: Final = math.cos(math.radians(30.0))
"""How straight two faces must look away from each other: a wedge is no wall."""
_RAYS: Final = 10_000
"""About so many go in at first."""
_STEPS: Final = 8
"""By so much closer the points stand where the wall is thinnest."""
_AGAIN: Final = 40
"""Triangles that are looked at closely."""
_TOGETHER: Final = 64
"""Rays between two looks at how thin the thinnest wall is by now."""
_SLACK: Final = 1.1
"""Rays are by so much longer than that."""

_Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Wall:
    """What lies between two faces that look away from each other."""

    thickness: float
    """mm, measured straight in from the first point's face."""
    points: tuple[Vec3, Vec3]
    """Where it is that thick: on the one face and on the other."""
    tolerance: float
    """How far the facets of the mesh may be off the faces, both together, mm; 0 between plane faces."""

    def __repr__(self) -> str:
        within = f" within {self.tolerance:.2g} mm" if self.tolerance else ""
        start, end = (", ".join(f"{part + 0.0:.6g}" for part in point) for point in self.points)
        return f"wall ≈ {self.thickness:.6g} mm{within}, from ({start}) to ({end})"


def thinnest_wall(part: Measurement) -> Wall | None:
    """The thinnest wall of a part that is not empty; None where no two faces look away from each other.

    Raises: KernelFault when its mesh is not closed.
    """
    mesh = part.on_mesh.mesh
    solid = of_skin(Skin(mesh.positions.copy(), mesh.indices.astype(np.int64)))
    # 1. points as far apart as that many points on this surface are, at the middles of small triangles
    apart = math.sqrt(part.on_mesh.surface_area / _RAYS)
    spread = read(finer(solid, 2.0 * apart))
    # (thin facets of curved faces are many more, and neighbours tell the same)
    corners = spread.positions[spread.triangles[:: 1 + len(spread.triangles) // (2 * _RAYS)]]
    rays = _Rays.through(solid, corners.mean(axis=1), _normals(corners), _across(mesh.positions))
    if not len(rays.lengths):
        return None
    # 2. where the wall is thinnest, the same triangles with many more points
    nearest = np.argsort(rays.lengths)[:_AGAIN]
    close = corners[rays.sources[nearest]]
    shares = _shares(_STEPS)
    points = np.einsum("sc,tcx->tsx", shares, close).reshape(-1, 3)
    normals = np.repeat(_normals(close), len(shares), axis=0)
    again = _Rays.through(solid, points, normals, rays.lengths[nearest[0]])
    best = min((rays, again), key=lambda each: each.lengths.min(initial=math.inf))
    at = int(np.argmin(best.lengths))
    tolerance = 0.0 if part.on_mesh.exact else 2.0 * (part.on_mesh.tolerance or 0.0)
    return Wall(float(best.lengths[at]), (_vec3(best.starts[at]), _vec3(best.ends[at])), tolerance)


@dataclass(frozen=True, slots=True)
class _Rays:
    """Those that have met a face opposite."""

    sources: NDArray[np.intp]
    """(k,) which of the points each has started from."""
    starts: _Points
    ends: _Points
    lengths: _Points
    """(k,) mm."""

    @classmethod
    def through(cls, solid: Made, points: _Points, normals: _Points, reach: float) -> _Rays:
        """Rays from points (n, 3) of the surface, against its outward unit normals there.

        reach: how long they may be, mm; those much longer than the shortest before them are left out.
        """
        rays = []
        for first in range(0, len(points), _TOGETHER):
            some = slice(first, first + _TOGETHER)
            ends, facing = first_hits(solid, points[some], -normals[some], reach)
            # a ray that starts on an edge by chance meets nothing, or the face beside it
            opposite = np.einsum("ij,ij->i", facing, -normals[some]) >= _OPPOSITE
            lengths = np.linalg.norm(ends - points[some], axis=1)
            rays += [
                (first + at, points[first + at], ends[at], lengths[at]) for at in np.flatnonzero(opposite)
            ]
            reach = min(reach, _SLACK * lengths[opposite].min(initial=reach))
        sources, starts, hits, lengths = zip(*rays, strict=True) if rays else ((), (), (), ())
        return cls(
            np.array(sources, int), np.array(starts).reshape(-1, 3), np.array(hits), np.array(lengths, float)
        )


def _across(points: _Points) -> float:
    """The diagonal of the box of points (n, 3), mm."""
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def _normals(corners: _Points) -> _Points:
    """Outward unit normals of triangles (m, 3, 3); zero for one without area."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(across, axis=1, keepdims=True)
    return across / np.where(sizes > 0.0, sizes, 1.0)


def _shares(steps: int) -> _Points:
    """Barycentric coordinates (k, 3) of points that are spread over a triangle, none on its border."""
    places = [(i, j) for i in range(steps) for j in range(steps - i)]
    first, second = (np.array(places, float) + 1.0 / 3.0).T / steps
    return np.stack([first, second, 1.0 - first - second], axis=1)


def _vec3(point: _Points) -> Vec3:
    x, y, z = (float(part) + 0.0 for part in point)
    return (x, y, z)
