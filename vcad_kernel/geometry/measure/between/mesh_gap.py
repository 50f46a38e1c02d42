"""How far two closed meshes are apart, and where they come nearest.

The distance itself is the mesh kernel's, which is quick when it knows about where to stop looking:
walking from vertex to nearest vertex, back and forth, finds a close upper bound. The nearest points are
then those of the pairs of triangles whose boxes are no further apart than that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.measure.readings import Gap
from vcad_kernel.geometry.mesh.manifold_kernel import gap, of_skin
from vcad_kernel.geometry.sweeps.swept import Skin
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.node import Vec3

__all__ = ["mesh_gap", "on_triangle", "triangles_gap"]

_STARTS = 16
"""Walks that look for an upper bound, from vertices spread over the first mesh."""
_MOST_PAIRS = 200_000
"""Pairs of triangles looked at for the nearest points; more share the same distance in any case."""
_SIDES = ((0, 1), (1, 2), (2, 0))

_Points = NDArray[np.float64]


def mesh_gap(a: TriMesh, b: TriMesh) -> Gap:
    """The least distance between two closed meshes, neither empty; 0 where they touch or overlap.

    Raises: KernelFault when a mesh is not closed.
    """
    bound = _upper_bound(a.positions, b.positions)
    # meshes from a cache are read-only, which the kernel does not take
    made = [of_skin(Skin(mesh.positions.copy(), mesh.indices.astype(np.int64))) for mesh in (a, b)]
    distance = gap(made[0], made[1], bound * (1.0 + 1e-9) + LINEAR)
    if distance <= LINEAR:
        return Gap(0.0, None)
    distance = min(distance, bound)
    return Gap(distance, _nearest(a.corners(), b.corners(), distance))


def triangles_gap(a: _Points, b: _Points) -> Gap | None:
    """The least distance of triangles a (m, 3, 3) and b (n, 3, 3), closed or not; None where there are none.

    A triangle may be a line or a point.
    """
    if not len(a) or not len(b):
        return None
    bound = _upper_bound(a.reshape(-1, 3), b.reshape(-1, 3))
    met = _crossing(a, b)
    if met is not None:
        return Gap(0.0, (met, met))
    points = _nearest(a, b, bound)
    if points is None:
        return Gap(bound, None)
    distance = float(np.linalg.norm(np.array(points[1]) - np.array(points[0])))
    return Gap(0.0 if distance <= LINEAR else distance, points)


def _crossing(a: _Points, b: _Points) -> Vec3 | None:
    """A place where a side of a triangle of one runs through one of the other."""
    for sides_of, through in ((a, b), (b, a)):
        low, high = through.min(axis=1), through.max(axis=1)
        normals = np.cross(through[:, 1] - through[:, 0], through[:, 2] - through[:, 0])
        near = sides_of[_within(sides_of, through, LINEAR)]
        for triangle in near:
            beside = np.any((low > triangle.max(axis=0)) | (high < triangle.min(axis=0)), axis=1)
            met = through[~beside]
            for start, end in ((triangle[i], triangle[j]) for i, j in _SIDES):
                before, after = (_dot(place - met[:, 0], normals[~beside]) for place in (start, end))
                across = before * after < 0.0
                share = before[across] / (before[across] - after[across])
                places = start + share[:, None] * (end - start)
                off = np.linalg.norm(on_triangle(places, met[across]) - places, axis=1)
                if np.any(off <= LINEAR):
                    return _vec3(places[int(np.argmin(off))])
    return None


def _upper_bound(a: _Points, b: _Points) -> float:
    """The distance of two vertices that are near each other."""
    best = np.inf
    for start in np.unique(np.linspace(0, len(a) - 1, _STARTS).astype(int)):
        # alternate between the meshes: the vertex nearest to the last one, while they get nearer
        here = a[start]
        least = np.inf
        while True:
            squares = np.sum((b - here) ** 2, axis=1)
            there = b[np.argmin(squares)]
            squares = np.sum((a - there) ** 2, axis=1)
            here = a[np.argmin(squares)]
            if not squares.min() < least:
                break
            least = float(squares.min())
        best = min(best, least)
    return float(np.sqrt(best))


def _nearest(a: _Points, b: _Points, distance: float) -> tuple[Vec3, Vec3] | None:
    """The nearest points of triangles a (m, 3, 3) and b (n, 3, 3) that are this far apart."""
    reach = distance * (1.0 + 1e-9) + LINEAR
    a = a[_within(a, b, reach)]
    b = b[_within(b, a, reach)]
    low, high = b.min(axis=1), b.max(axis=1)
    looked_at = 0
    best = np.inf
    nearest: tuple[Vec3, Vec3] | None = None
    for triangle in a:
        apart = np.maximum(np.maximum(low - triangle.max(axis=0), triangle.min(axis=0) - high), 0.0)
        near = b[np.einsum("ij,ij->i", apart, apart) <= reach * reach]
        if len(near) == 0:
            continue
        p, q = _closest(np.broadcast_to(triangle, near.shape), near)
        lengths = np.linalg.norm(p - q, axis=1)
        at = int(np.argmin(lengths))
        if lengths[at] < best:
            best, nearest = float(lengths[at]), (_vec3(p[at]), _vec3(q[at]))
        looked_at += len(near)
        if best <= distance * (1.0 + 1e-12) or looked_at > _MOST_PAIRS:
            break
    return nearest if best <= reach else None


def _within(mine: _Points, others: _Points, reach: float) -> NDArray[np.bool_]:
    """Which triangles have a box within reach of the box around all the others."""
    low, high = others.min(axis=(0, 1)), others.max(axis=(0, 1))
    apart = np.maximum(np.maximum(low - mine.max(axis=1), mine.min(axis=1) - high), 0.0)
    return np.asarray(np.einsum("ij,ij->i", apart, apart) <= reach * reach)


def _closest(a: _Points, b: _Points) -> tuple[_Points, _Points]:
    """Nearest points of pairs of triangles that do not cross: (n, 3) each.

    They are a corner of one and a point of the other, or points of two sides.
    """
    candidates = [(a[:, corner], on_triangle(a[:, corner], b)) for corner in range(3)]
    candidates += [(on_triangle(b[:, corner], a), b[:, corner]) for corner in range(3)]
    candidates += [
        _between_segments(a[:, i], a[:, j], b[:, k], b[:, m]) for i, j in _SIDES for k, m in _SIDES
    ]
    p = np.stack([first for first, _ in candidates])
    q = np.stack([second for _, second in candidates])
    best = np.argmin(np.sum((p - q) ** 2, axis=2), axis=0)
    rows = np.arange(len(best))
    return p[best, rows], q[best, rows]


def on_triangle(points: _Points, triangles: _Points) -> _Points:
    """The point of each triangle nearest to each point: its foot where that falls inside, else on a side."""
    a, b, c = np.moveaxis(triangles, 1, 0)
    normal = np.cross(b - a, c - a)
    squared = _dot(normal, normal)
    safe = np.where(squared > 0.0, squared, 1.0)[:, None]
    foot = points - normal * (_dot(points - a, normal)[:, None] / safe)
    # the foot is inside when it lies to the left of all three sides; a degenerate triangle has no inside
    inside = squared > 0.0
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= _dot(np.cross(end - start, foot - start), normal) >= 0.0
    sides = np.stack([_on_segment(points, start, end) for start, end in ((a, b), (b, c), (c, a))])
    best = np.argmin(np.sum((sides - points) ** 2, axis=2), axis=0)
    return np.where(inside[:, None], foot, sides[best, np.arange(len(points))])


def _on_segment(points: _Points, start: _Points, end: _Points) -> _Points:
    along = end - start
    squared = _dot(along, along)
    at = _dot(points - start, along) / np.where(squared > 0.0, squared, 1.0)
    return start + np.clip(at, 0.0, 1.0)[:, None] * along


def _between_segments(p1: _Points, q1: _Points, p2: _Points, q2: _Points) -> tuple[_Points, _Points]:
    """Nearest points of pairs of segments (Ericson, Real-Time Collision Detection, 2005, §5.1.9)."""
    d1, d2, r = q1 - p1, q2 - p2, p1 - p2
    a, e = _dot(d1, d1), _dot(d2, d2)
    b, c, f = _dot(d1, d2), _dot(d1, r), _dot(d2, r)
    safe_a, safe_e = np.where(a > 0.0, a, 1.0), np.where(e > 0.0, e, 1.0)
    spread = a * e - b * b
    s = np.where(spread > 1e-14 * a * e, (b * f - c * e) / np.where(spread > 0.0, spread, 1.0), 0.0)
    s = np.clip(s, 0.0, 1.0)
    t = (b * s + f) / safe_e
    s = np.where(t < 0.0, -c / safe_a, np.where(t > 1.0, (b - c) / safe_a, s))
    s, t = np.clip(s, 0.0, 1.0), np.clip(t, 0.0, 1.0)
    return p1 + s[:, None] * d1, p2 + t[:, None] * d2


def _dot(a: _Points, b: _Points) -> _Points:
    return np.asarray(np.einsum("ij,ij->i", a, b))


def _vec3(value: _Points) -> Vec3:
    x, y, z = (float(part) + 0.0 for part in value)
    return (x, y, z)
