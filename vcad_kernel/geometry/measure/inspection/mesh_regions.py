"""Faces and edges read off a mesh: what its faces measure, and the lines between them.

Of a planar body these are its faces and edges, exactly, though a face that two nodes made is two. Of a
curved one they are what a person would call so: a face ends at a crease and where another node's
surface begins. What counts as an edge is :mod:`vcad_kernel.geometry.mesh.surface.edges`' rule, which
viewers and exporters share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.surface.components import connected
from vcad_kernel.geometry.mesh.surface.edges import CREASE_ANGLE, PLANAR_CREASE, Creases
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.node import Vec3

__all__ = ["Border", "Region", "Regions", "trail"]

_Ints = NDArray[np.int64]
_SAME = 1e-9
"""Of direction vectors: one minus their product."""


@dataclass(frozen=True, slots=True)
class Region:
    """One face of a mesh."""

    index: int
    area: float
    """mm²"""
    center: Vec3
    """Centroid of the surface."""
    normal: Vec3 | None
    """Outward; None when the region is not flat."""
    triangles: NDArray[np.int64]
    """Which triangles belong to it."""


@dataclass(frozen=True, slots=True)
class Border:
    """One edge of a mesh: a connected line between the same two regions."""

    index: int
    length: float
    """mm"""
    center: Vec3
    """Its mean over its length: of a straight one the middle."""
    direction: Vec3 | None
    """None when it is not straight."""
    regions: tuple[int, ...]
    line: NDArray[np.float64]
    """(p, 3) its points in order; of a closed one the last is the first. Where it branches, pieces of it come
    twice."""
    smooth: bool
    """Whether the surface goes on across it without a turn, all along."""


class Regions:
    """The regions of one closed mesh, numbered by their first triangle: of the same mesh always the same."""

    def __init__(self, mesh: TriMesh, *, planar: bool) -> None:
        """planar: the body has flat faces only, so that every turn is an edge."""
        self._mesh = mesh
        self._planar = planar
        self._creases = Creases.of(mesh, PLANAR_CREASE if planar else CREASE_ANGLE)
        self.label = self._labels()
        """(m,) the region of each triangle."""

    def _labels(self) -> _Ints:
        joined = np.flatnonzero(self._creases.smooth)
        near, far = joined // 3, self._creases.twin[joined] // 3
        makers = self._mesh.source_nodes
        if len(makers) == self._mesh.triangle_count:
            same = makers[near] == makers[far]
            near, far = near[same], far[same]
        return connected(self._mesh.triangle_count, near, far)

    def __iter__(self) -> Iterator[Region]:
        corners = self._mesh.corners()
        doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = 0.5 * np.linalg.norm(doubled, axis=1)
        centres = corners.mean(axis=1)
        # triangles sorted by region: each region is one slice of them
        order = np.argsort(self.label, kind="stable")
        stops = np.searchsorted(self.label[order], np.arange(self.count + 1))
        for index in range(self.count):
            members = order[stops[index] : stops[index + 1]]
            area = float(areas[members].sum())
            weights = areas[members] / area if area > 0.0 else np.full(len(members), 1.0 / len(members))
            # a region is flat when no triangle leans away from the mean normal
            mean = _unit(doubled[members].sum(axis=0))
            directions = self._creases.directions[members]
            flat = bool(np.all(directions @ mean > 1.0 - _SAME))
            normal = _vec3(mean) if flat else None
            yield Region(index, area, _vec3(weights @ centres[members]), normal, members)

    @property
    def count(self) -> int:
        """How many regions there are."""
        return int(self.label.max(initial=-1)) + 1

    def borders(self) -> Iterator[Border]:
        """The lines between regions; where a region meets itself in a crease, that is one, too."""
        segments = self._borders()
        if segments is None:
            return
        from_vertex, to_vertex, pairs, group, is_smooth = segments
        count = int(group.max()) + 1
        positions = self._mesh.positions
        starts, ends = positions[from_vertex], positions[to_vertex]
        vectors = ends - starts
        lengths = np.linalg.norm(vectors, axis=1)
        order = np.argsort(group, kind="stable")
        stops = np.searchsorted(group[order], np.arange(count + 1))
        for index in range(count):
            members = order[stops[index] : stops[index + 1]]
            total = float(lengths[members].sum())
            points = np.concatenate([starts[members], ends[members]])
            line = _straight(points, total)
            middles = 0.5 * (starts[members] + ends[members])
            centre = lengths[members] @ middles / total
            sides = tuple(sorted({int(side) for side in pairs[members[0]]}))
            joints = zip(from_vertex[members].tolist(), to_vertex[members].tolist(), strict=True)
            run = positions[trail(list(joints))]
            yield Border(index, total, _vec3(centre), line, sides, run, bool(is_smooth[members].all()))

    def corners(self) -> tuple[int, int]:
        """How many lines there are between regions, and how many places where several of them end."""
        segments = self._borders()
        if segments is None:
            return 0, 0
        from_vertex, to_vertex, _, group, _ = segments
        points = self._mesh.positions[np.concatenate([from_vertex, to_vertex])]
        places = np.unique(points, axis=0, return_inverse=True)[1].reshape(-1)
        met = np.unique(np.stack([places, np.concatenate([group, group])], axis=1), axis=0)
        return int(group.max()) + 1, int(np.count_nonzero(np.bincount(met[:, 0]) > 1))

    def _borders(self) -> tuple[_Ints, _Ints, _Ints, _Ints, NDArray[np.bool_]] | None:
        """Segments between regions: both vertices, the pair of regions, the border, whether smooth."""
        creases, mesh = self._creases, self._mesh
        # each edge once, by the half-edge that stands for it, with the regions at both sides
        first = creases.first[creases.twin[creases.first] >= 0]
        near, far = self.label[first // 3], self.label[creases.twin[first] // 3]
        kept = ~creases.smooth[first]
        if not self._planar:
            # curved faces of different makers meet in an edge, too, even when one goes on as the other
            kept |= near != far
        first, near, far = first[kept], near[kept], far[kept]
        is_smooth = creases.smooth[first]
        corner = mesh.indices.reshape(-1).astype(np.int64)
        following = np.where(first % 3 == 2, first - 2, first + 1)
        from_vertex, to_vertex = corner[first], corner[following]
        # zero-length edges of degenerate triangles belong to no line
        long = np.linalg.norm(mesh.positions[to_vertex] - mesh.positions[from_vertex], axis=1) > 0.0
        from_vertex, to_vertex, near, far = from_vertex[long], to_vertex[long], near[long], far[long]
        is_smooth = is_smooth[long]
        if len(from_vertex) == 0:
            return None
        pairs = np.sort(np.stack([near, far], axis=1), axis=1)
        # segments of one pair that share a vertex belong together: one graph vertex per (pair, vertex)
        pair_number = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
        keys = np.concatenate(
            [pair_number * mesh.vertex_count + from_vertex, pair_number * mesh.vertex_count + to_vertex]
        )
        numbers = np.unique(keys, return_inverse=True)[1].reshape(-1)
        half = len(from_vertex)
        # the components of that graph are the borders
        labels = connected(int(numbers.max()) + 1, numbers[:half], numbers[half:])
        group = np.unique(labels[numbers[:half]], return_inverse=True)[1].reshape(-1)
        return from_vertex, to_vertex, pairs, group, is_smooth


def _straight(points: NDArray[np.float64], length: float) -> Vec3 | None:
    """The direction of points on one line (n, 3), without sign; None when they are not on one."""
    origin = points[0]
    # the point furthest from the first gives the direction with the smallest error
    far = points[np.argmax(np.linalg.norm(points - origin, axis=1))]
    direction = _unit(far - origin)
    off = points - origin
    across = off - np.outer(off @ direction, direction)
    if not np.all(np.linalg.norm(across, axis=1) <= 1e-6 * max(length, 1.0)):
        return None
    # the same line has the same direction, whichever of its points came first
    leading = direction[int(np.argmax(np.abs(direction)))]
    return _vec3(direction if leading > 0.0 else -direction)


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else vector


def _vec3(value: NDArray[np.float64]) -> Vec3:
    x, y, z = (float(part) + 0.0 for part in value)
    return (x, y, z)


# ---- lines drawn without lifting the pen: the segments of a connected graph as one run of vertices ----
# Where every segment can be drawn once, it is; where the segments branch too often for that, the pen goes
# back over some of them rather than through the air.


def trail(segments: Sequence[tuple[int, int]]) -> list[int]:
    """The vertices of a run over all segments, each a pair of vertices; together they are connected.

    A closed line ends where it begins. Empty for none.
    """
    if not segments:
        return []
    around: dict[int, list[tuple[int, int]]] = defaultdict(list)
    """Vertex → (segment, vertex at its other end)."""
    for number, (start, end) in enumerate(segments):
        around[start].append((number, end))
        around[end].append((number, start))
    odd = [vertex for vertex, ends in around.items() if len(ends) % 2]
    if len(odd) > 2:
        return _there_and_back(around, segments[0][0])
    # Hierholzer's way: walk until stuck, then insert the loops that were left aside
    drawn = [False] * len(segments)
    pending, run = [odd[0] if odd else segments[0][0]], []
    while pending:
        ends = around[pending[-1]]
        while ends and drawn[ends[-1][0]]:
            ends.pop()
        if ends:
            number, other = ends.pop()
            drawn[number] = True
            pending.append(other)
        else:
            run.append(pending.pop())
    return run


def _there_and_back(around: dict[int, list[tuple[int, int]]], start: int) -> list[int]:
    """A walk over every segment, most of them twice."""
    drawn: set[int] = set()
    run, pending = [start], [start]
    while pending:
        ends = around[pending[-1]]
        while ends and ends[-1][0] in drawn:
            ends.pop()
        if ends:
            number, other = ends.pop()
            drawn.add(number)
            pending.append(other)
            run.append(other)
        else:
            pending.pop()
            if pending:
                run.append(pending[-1])
    return run
