"""Mesh literals: from flat number lists to a closed, outward mesh, or a clear refusal (cad.md §3.11)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.components import connected
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.swept import Skin, outward
from vcad_kernel.geometry.tolerance import WELD
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.nodes import ImportedMesh, NodeId

__all__ = ["closed_edges", "read_mesh"]


def read_mesh(document: Document, node: NodeId) -> Skin | None:
    """The literal as a closed mesh with positive volume; None when nothing of it is left.

    Raises: GeometryError INVALID_PARAMETER or MESH_NOT_MANIFOLD.
    """
    literal = document.nodes[node]
    assert isinstance(literal, ImportedMesh)
    _check_lists(document, node, literal)
    positions = np.array(literal.positions, np.float64).reshape(-1, 3)
    triangles = np.array(literal.indices, np.int64).reshape(-1, 3)
    if len(triangles) == 0:
        return None
    kept, labels = _welded(positions)
    triangles = labels[triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (a != c)]
    if len(triangles) == 0:
        return None
    bad = closed_edges(triangles, len(kept))
    if bad:
        raise geometry_error(
            document,
            node,
            "MESH_NOT_MANIFOLD",
            f"the mesh is not closed: {bad} edges are not shared by two triangles of opposite direction",
            argument="indices",
        )
    return outward(Skin(kept, np.ascontiguousarray(triangles)))[0]


def _check_lists(document: Document, node: NodeId, literal: ImportedMesh) -> None:
    def invalid(argument: str, message: str) -> Exception:
        return geometry_error(document, node, "INVALID_PARAMETER", message, argument=argument)

    for name, values in (("positions", literal.positions), ("indices", literal.indices)):
        if len(values) % 3:
            raise invalid(name, f"{name} come in threes, got {len(values)} numbers")
    if not np.all(np.isfinite(literal.positions)):
        raise invalid("positions", "positions must be finite numbers")
    count = len(literal.positions) // 3
    for index in literal.indices:
        if not 0 <= index < count:
            raise invalid("indices", f"index {index} is out of range: there are {count} vertices")


def closed_edges(triangles: NDArray[np.int64], vertices: int) -> int:
    """How many edges break the rule "once in each direction"; 0 for a closed oriented mesh."""
    starts, ends = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    there, back = starts * vertices + ends, ends * vertices + starts
    _, uses = np.unique(there, return_counts=True)
    unmatched = np.setdiff1d(there, back, assume_unique=False)
    return int(np.count_nonzero(uses > 1)) + len(unmatched)


def _welded(positions: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices with those closer than WELD joined, and the new index of each old one."""
    pairs: list[NDArray[np.int64]] = []
    # Two points closer than WELD share a cell of twice that size in at least one of eight grids.
    for shift in np.ndindex(2, 2, 2):
        cells = np.floor(positions / (2.0 * WELD) + 0.5 * np.asarray(shift)).astype(np.int64)
        order = np.lexsort((*positions.T, *cells.T))
        same = np.all(cells[order][1:] == cells[order][:-1], axis=1)
        close = np.linalg.norm(positions[order][1:] - positions[order][:-1], axis=1) <= WELD
        pairs.append(np.column_stack([order[:-1], order[1:]])[same & close])
    joined = np.vstack(pairs)
    labels = connected(len(positions), joined[:, 0], joined[:, 1])
    kept = np.unique(labels, return_index=True)[1]
    return np.ascontiguousarray(positions[kept]), labels
