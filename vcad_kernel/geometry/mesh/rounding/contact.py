"""Bodies a rounding error apart: which lumps touch, and their vertices brought together.

A mesh boolean is exact about its operands' coordinates, so two copies whose faces should meet may end
up 1e-16 mm apart and stay two lumps with a double wall between them. Gaps below ``LINEAR`` count as
contact (cad.md §9): what touches is found by boxes, joined vertex to vertex and face to face of
parallel boxes, and left to the kernel to unite. Nothing here moves a vertex further than that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.surface.components import connected
from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["joined", "touching", "unsettled", "welded"]

_MOST_WORK = 5_000_000
"""Shells × triangles beyond which lumps are left as they are: taking them apart costs that much."""

_Points = NDArray[np.float64]
_Indices = NDArray[np.int64]


def unsettled(positions: _Points, triangles: NDArray[np.unsignedinteger]) -> bool:
    """Whether a closed mesh has a shell thinner than what counts as contact, or lumps that may touch."""
    if len(triangles) == 0:
        return False
    corners = triangles.astype(np.int64)
    labels = connected(len(positions), corners.ravel(), np.roll(corners, -1, axis=1).ravel())
    if (int(labels.max()) + 1) * len(corners) > _MOST_WORK:
        return False
    shell_of = labels[corners[:, 0]]
    a, b, c = np.moveaxis((positions - positions.mean(axis=0))[corners], 1, 0)
    normals = crossed(b - a, c - a)
    volumes = np.bincount(shell_of, weights=np.einsum("ij,ij->i", a, normals)) / 6.0
    areas = np.bincount(shell_of, weights=0.5 * np.sqrt(np.einsum("ij,ij->i", normals, normals)))
    if np.any(2.0 * np.abs(volumes) <= LINEAR * areas):
        return True
    outer = np.flatnonzero(volumes > 0.0)
    if len(outer) < 2:
        return False
    boxes = np.full((len(volumes), 2, 3), np.inf)
    np.minimum.at(boxes[:, 0], labels, positions)
    np.minimum.at(boxes[:, 1], labels, -positions)
    boxes[:, 1] *= -1.0
    return bool(touching(boxes[outer]))


def touching(boxes: NDArray[np.float64]) -> list[_Indices]:
    """Groups of two or more boxes (n, 2, 3) that are connected by contact, each in rising order."""
    count = len(boxes)
    lower, upper = boxes[:, 0] - 0.5 * LINEAR, boxes[:, 1] + 0.5 * LINEAR
    spread = np.maximum(np.ptp(boxes.reshape(-1, 3), axis=0), LINEAR)
    # sweep along the axis on which the boxes overlap least, so that few pairs are compared
    axis = int(np.argmin(np.sum(upper - lower, axis=0) / spread))
    order = np.argsort(lower[:, axis], kind="stable")
    # how many of the following boxes begin before this one ends
    stops = np.searchsorted(lower[order, axis], upper[order, axis], side="right")
    pairs: list[_Indices] = []
    for position, here in enumerate(order):
        after = order[position + 1 : stops[position]]
        near = np.all((lower[here] <= upper[after]) & (lower[after] <= upper[here]), axis=1)
        pairs.append(np.column_stack([np.full(int(near.sum()), here), after[near]]))
    # groups are the components of the graph of contacts: two of them need not touch each other
    contacts = np.vstack(pairs)
    labels = connected(count, contacts[:, 0], contacts[:, 1])
    sizes = np.bincount(labels)
    return [np.flatnonzero(labels == label) for label in np.flatnonzero(sizes > 1)]


def joined(lumps: Sequence[_Points]) -> list[_Points]:
    """The vertices of lumps in contact, those of one place in one place exactly."""
    positions = np.vstack(lumps)
    owner = np.repeat(np.arange(len(lumps)), [len(lump) for lump in lumps])
    for axis in range(3):
        positions[:, axis] = _faces_aligned(positions[:, axis], owner, len(lumps))
    kept, labels = welded(positions)
    return np.split(kept[labels], np.cumsum([len(lump) for lump in lumps])[:-1])


def _faces_aligned(values: _Points, owner: _Indices, count: int) -> _Points:
    """One coordinate of all vertices, the outermost ones of different lumps equal where they nearly are."""
    ends = np.full((2, count), np.inf)
    np.minimum.at(ends[0], owner, values)
    np.minimum.at(ends[1], owner, -values)
    levels = np.unique(np.concatenate([ends[0], -ends[1]]))
    first = levels[0]
    target = levels.copy()
    for index, level in enumerate(levels):
        if level - first > LINEAR:
            first = level
        target[index] = first
    result = values.copy()
    for end in (ends[0], -ends[1]):
        outermost = values == end[owner]
        result[outermost] = target[np.searchsorted(levels, values[outermost])]
    return result


def welded(positions: _Points, distance: float = LINEAR) -> tuple[_Points, _Indices]:
    """Vertices with those closer than ``distance`` joined, and the new index of each old one."""
    pairs: list[_Indices] = []
    # Two points closer than that share a cell of twice the size in at least one of eight grids.
    for shift in np.ndindex(2, 2, 2):
        cells = np.floor(positions / (2.0 * distance) + 0.5 * np.asarray(shift)).astype(np.int64)
        order = np.lexsort((*positions.T, *cells.T))
        same = np.all(cells[order][1:] == cells[order][:-1], axis=1)
        close = np.linalg.norm(positions[order][1:] - positions[order][:-1], axis=1) <= distance
        pairs.append(np.column_stack([order[:-1], order[1:]])[same & close])
    contacts = np.vstack(pairs)
    labels = connected(len(positions), contacts[:, 0], contacts[:, 1])
    kept = np.unique(labels, return_index=True)[1]
    return np.ascontiguousarray(positions[kept]), labels
