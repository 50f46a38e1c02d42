"""Meshes to curves in a plane: what a plane cuts, and which feature edges are seen and which hidden.

For parts that have no B-rep. An edge is drawn where the surface bends by more than a crease or turns
away from the viewer; it is cut into short pieces, and a piece is hidden where a triangle lies before
its middle.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.exchange.drawing.planar_curves import Curve, Plane, Run, Stroke
from vcad_kernel.geometry.mesh.manifold_kernel import outlines_at
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.node import Vec2

__all__ = ["cut_mesh", "seen_and_hidden_of_meshes"]

_CREASE = math.cos(math.radians(30.0))
_PIECES = 240
"""Pieces along the longer side of the picture: an edge is seen or hidden as finely as that."""
_EDGE = 1e-9
"""Share of a triangle: a point on the edge between two triangles is behind both."""
_CELLS = 96
"""Cells along a side of the grid in which triangles are looked for."""
_TESTS = 2_000_000
"""Pairs of piece and triangle looked at in one go, which bounds the memory."""


def cut_mesh(mesh: TriMesh, plane: Plane) -> tuple[tuple[Curve, ...], ...]:
    """The closed loops in which a plane cuts a mesh, outer ones counter-clockwise."""
    loops = []
    for polygon in outlines_at(_in_view(mesh, plane), mesh.indices):
        points = tuple((float(x), float(y)) for x, y in polygon)
        loops.append((Run((*points, points[0])),))
    return tuple(loops)


def seen_and_hidden_of_meshes(meshes: Sequence[TriMesh], plane: Plane) -> tuple[list[Curve], list[Curve]]:
    """The (visible, hidden) feature edges of meshes together, looked at against the plane's normal."""
    views = [_in_view(mesh, plane) for mesh in meshes]
    ends = np.concatenate([_drawn(view, mesh) for view, mesh in zip(views, meshes, strict=True)])
    triangles = np.concatenate([view[mesh.indices] for view, mesh in zip(views, meshes, strict=True)])
    if len(ends) == 0:
        return [], []
    size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max())
    lengths = np.linalg.norm(ends[:, 1, :2] - ends[:, 0, :2], axis=1)
    # 1. edges are cut into short pieces, each hidden or seen as a whole, by its middle
    counts = np.maximum(1, np.ceil(_PIECES * lengths / size)).astype(np.int64)
    edge_of = np.repeat(np.arange(len(ends)), counts)
    number = np.concatenate([np.arange(count) for count in counts])
    share = (number + 0.5) / counts[edge_of]
    middles = ends[edge_of, 0] + share[:, None] * (ends[edge_of, 1] - ends[edge_of, 0])
    hidden = _hidden(middles, triangles, 1e-4 * size)
    seen_lines: list[Stroke] = []
    hidden_lines: list[Stroke] = []
    start = 0
    for edge, count in enumerate(counts):
        marks = hidden[start : start + count]
        start += count
        # 2. neighbouring pieces of one edge that look alike become one line again
        changes = [0, *(np.flatnonzero(np.diff(marks)) + 1).tolist(), count]
        for first, last in pairwise(changes):
            a, b = (ends[edge, 0] + at / count * (ends[edge, 1] - ends[edge, 0]) for at in (first, last))
            if math.dist(a[:2], b[:2]) > 1e-6:
                line = Stroke((float(a[0]), float(a[1])), (float(b[0]), float(b[1])))
                (hidden_lines if marks[first] else seen_lines).append(line)
    return _chained(seen_lines), _chained(hidden_lines)


def _chained(lines: Sequence[Stroke]) -> list[Curve]:
    """Lines that follow one another as one, each once, so that dashes run on over the pieces of a curve."""
    # edges that lie behind one another are one line on paper
    distinct = {frozenset((_spot(line.start), _spot(line.end))): line for line in lines}
    at: dict[Vec2, list[frozenset[Vec2]]] = {}
    for key in distinct:
        for spot in key:
            at.setdefault(spot, []).append(key)
    left = dict.fromkeys(distinct)

    def walk(spot: Vec2) -> list[Vec2]:
        """On from a point over lines not yet used, as long as there is but one way."""
        spots = []
        while len(at[spot]) == 2:
            after = next((key for key in at[spot] if key in left), None)
            if after is None:
                break
            del left[after]
            (spot,) = after - {spot}
            spots.append(spot)
        return spots

    chains: list[Curve] = []
    while left:
        # any line begins a chain, which grows to both sides until the way forks or ends
        key, _ = left.popitem()
        if len(key) < 2:
            continue
        first, last = sorted(key)
        onward, back = walk(last), walk(first)
        points = (*reversed(back), first, last, *onward)
        chains.append(Stroke(*points) if len(points) == 2 else Run(points))
    return chains


def _spot(point: Vec2) -> Vec2:
    return round(point[0], 6) + 0.0, round(point[1], 6) + 0.0


def _in_view(mesh: TriMesh, plane: Plane) -> NDArray[np.float64]:
    """(n, 3) right, up and towards the viewer."""
    axes = np.array([plane.right, plane.up, plane.normal])
    return np.asarray((mesh.positions - np.array(plane.origin)) @ axes.T)


def _drawn(view: NDArray[np.float64], mesh: TriMesh) -> NDArray[np.float64]:
    """(k, 2, 3) ends of the creases and of the silhouette."""
    corners = view[mesh.indices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, length, out=np.zeros_like(normals), where=length > 0)
    starts = mesh.indices.astype(np.int64).ravel()
    stops = np.roll(mesh.indices.astype(np.int64), -1, axis=1).ravel()
    face = np.repeat(np.arange(len(mesh.indices)), 3)
    keys = np.minimum(starts, stops) * len(view) + np.maximum(starts, stops)
    order = np.argsort(keys, kind="stable")
    first, second = order[0::2], order[1::2]  # closed: every edge belongs to two triangles
    left, right = normals[face[first]], normals[face[second]]
    # creases, and the silhouette: edges between a face that looks at the viewer and one that does not
    bent = np.einsum("ij,ij->i", left, right) < _CREASE
    outline = (left[:, 2] > 1e-9) != (right[:, 2] > 1e-9)
    chosen = first[bent | outline]
    return np.asarray(view[np.stack([starts[chosen], stops[chosen]], axis=1)])


def _hidden(points: NDArray[np.float64], triangles: NDArray[np.float64], slack: float) -> NDArray[np.bool_]:
    """Which points have a triangle more than ``slack`` before them; triangles seen edge-on hide nothing."""
    a, b, c = np.moveaxis(triangles, 1, 0)
    # only faces that look at the viewer hide: of a closed mesh they lie before all others
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    facing = area > 1e-12
    a, b, c, area = a[facing], b[facing], c[facing], area[facing]
    hidden = np.zeros(len(points), np.bool_)
    for point, other in _near(points[:, :2], np.stack([a, b, c], axis=1)[:, :, :2]):
        (x, y, z), (p, q, r) = points[point].T, (a[other], b[other], c[other])
        # barycentric coordinates: inside the triangle, and how deep its plane is there
        u = ((q[:, 0] - x) * (r[:, 1] - y) - (q[:, 1] - y) * (r[:, 0] - x)) / area[other]
        v = ((r[:, 0] - x) * (p[:, 1] - y) - (r[:, 1] - y) * (p[:, 0] - x)) / area[other]
        w = 1.0 - u - v
        inside = (u > -_EDGE) & (v > -_EDGE) & (w > -_EDGE)
        depth = u * p[:, 2] + v * q[:, 2] + w * r[:, 2]
        hidden[point[inside & (depth > z + slack)]] = True
    return hidden


def _near(
    points: NDArray[np.float64], triangles: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs of rows, a point (n, 2) and a triangle (m, 3, 2) whose box reaches into the point's cell.

    All that lie over one another are among them; the picture is a grid with a few triangles in a cell.
    """
    low = points.min(axis=0)
    size = max(float(np.ptp(points, axis=0).max()), 1e-9)
    cells = int(np.clip(math.sqrt(len(triangles)) / 2.0, 1, _CELLS))

    def cell_of(at: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.asarray(np.clip(((at - low) * (cells / size)).astype(np.int64), 0, cells - 1))

    # a point on the edge of a triangle may lie outside its box by rounding
    first = cell_of(triangles.min(axis=1) - 1e-6 * size)
    wide = cell_of(triangles.max(axis=1) + 1e-6 * size) - first + 1
    # each triangle is listed in all cells that its box covers
    number = wide.prod(axis=1)
    covering = np.repeat(np.arange(len(triangles)), number)
    step = np.arange(len(covering)) - np.repeat(np.cumsum(number) - number, number)
    column = first[covering, 0] + step % wide[covering, 0]
    cell = column * cells + first[covering, 1] + step // wide[covering, 0]
    # sorted by cell: the triangles of a cell are one slice
    order = np.argsort(cell, kind="stable")
    begins = np.searchsorted(cell[order], np.arange(cells * cells + 1))
    at = cell_of(points) @ np.array([cells, 1])
    counts = begins[at + 1] - begins[at]
    # as many points at a time as give about _TESTS pairs
    turns = np.searchsorted(np.cumsum(counts), np.arange(_TESTS, counts.sum() + _TESTS, _TESTS)) + 1
    for start, stop in pairwise([0, *turns.tolist()]):
        some = counts[start:stop]
        point = np.repeat(np.arange(start, start + len(some)), some)
        within = np.arange(len(point)) - np.repeat(np.cumsum(some) - some, some)
        yield point, covering[order[begins[at[point]] + within]]
