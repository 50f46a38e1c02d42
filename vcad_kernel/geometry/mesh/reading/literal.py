"""Mesh literals: from flat number lists to a closed, outward mesh, or a clear refusal (cad.md §3.11)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.rounding.contact import welded
from vcad_kernel.geometry.mesh.surface.components import connected
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.sweeps.swept import Skin, outward
from vcad_kernel.geometry.tolerance import WELD
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.solids.imported import ImportedMesh

__all__ = ["closed_edges", "closed_skin", "read_mesh", "separate_lumps"]


def read_mesh(document: Document, node: NodeId) -> Skin | None:
    """The literal as a closed mesh with positive volume; None when nothing of it is left.

    Raises: GeometryError INVALID_PARAMETER or MESH_NOT_MANIFOLD.
    """
    literal = document.nodes[node]
    assert isinstance(literal, ImportedMesh)
    _check_lists(document, node, literal)
    positions = np.array(literal.positions, np.float64).reshape(-1, 3)
    triangles = np.array(literal.indices, np.int64).reshape(-1, 3)
    return closed_skin(document, node, positions, triangles, argument="indices")


def closed_skin(
    document: Document,
    node: NodeId,
    positions: NDArray[np.float64],
    triangles: NDArray[np.int64],
    *,
    argument: str,
) -> Skin | None:
    """A foreign mesh welded, without degenerate triangles and outward; None when nothing of it is left.

    positions: (n, 3) finite, mm; triangles: (m, 3) in range. argument: of the node, for the error.
    Raises: GeometryError MESH_NOT_MANIFOLD.
    """
    if len(triangles) == 0:
        return None
    given = triangles
    # vertices in one place become one; triangles that lose a corner by that are gone
    kept, labels = welded(positions, WELD)
    triangles = labels[triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (a != c)]
    if len(triangles) == 0:
        return None
    bad = closed_edges(triangles, len(kept))
    if bad:
        # a triangle without area is dropped unless it closes the mesh where three vertices are in line
        broad = triangles[_has_area(kept, triangles)]
        if len(broad) < len(triangles) and closed_edges(broad, len(kept)) == 0:
            triangles, bad = broad, 0
    if bad and closed_edges(given, len(positions)) == 0:
        # bodies that touch along an edge have four triangles there once their corners are one
        kept, triangles, bad = positions, given, 0
    if bad:
        # where walls touch along a line, what names no vertices (STL) keeps them a step apart
        exact, number = np.unique(positions, axis=0, return_inverse=True)
        same = number.reshape(-1)[given]
        if closed_edges(same, len(exact)) == 0:
            kept, triangles, bad = exact, same, 0
    if bad:
        raise geometry_error(
            document,
            node,
            "MESH_NOT_MANIFOLD",
            f"the mesh is not closed: {bad} edges are not shared by two triangles of opposite direction",
            argument=argument,
        )
    if len(triangles) == 0:
        return None
    return outward(Skin(kept, np.ascontiguousarray(triangles)))[0]


def separate_lumps(mesh: Skin) -> tuple[Skin, ...]:
    """The lumps of a literal, each outward, to be united: they may overlap. One skin when it has cavities."""
    ends = np.roll(mesh.triangles, -1, axis=1)
    labels = connected(len(mesh.positions), mesh.triangles.ravel(), ends.ravel())
    shell_of = labels[mesh.triangles[:, 0]]
    used = np.unique(shell_of)
    if len(used) == 1:
        return (mesh,)
    lumps: list[Skin] = []
    inverted: list[Skin] = []
    for shell in used:
        # a shell with negative volume is inside out: a cavity, or a lump that was turned
        chosen = mesh.triangles[shell_of == shell]
        vertices, compact = np.unique(chosen, return_inverse=True)
        piece = Skin(mesh.positions[vertices], compact.reshape(-1, 3))
        lump = outward(piece)[0]
        (lumps if lump is piece else inverted).append(lump)
    if any(_within(cavity, lump) for cavity in inverted for lump in lumps):
        return (mesh,)
    return (*lumps, *inverted)


def _within(inner: Skin, outer: Skin) -> bool:
    low, high = outer.positions.min(axis=0), outer.positions.max(axis=0)
    return bool(np.all((low <= inner.positions) & (inner.positions <= high)))


def _check_lists(document: Document, node: NodeId, literal: ImportedMesh) -> None:
    def invalid(argument: str, message: str) -> Exception:
        return geometry_error(document, node, "INVALID_PARAMETER", message, argument=argument)

    lists = (("positions", literal.positions), ("indices", literal.indices), ("normals", literal.normals))
    for name, values in lists:
        if values is not None and len(values) % 3:
            raise invalid(name, f"{name} come in threes, got {len(values)} numbers")
    if not np.all(np.isfinite(literal.positions)):
        raise invalid("positions", "positions must be finite numbers")
    count = len(literal.positions) // 3
    for index in literal.indices:
        if not 0 <= index < count:
            raise invalid("indices", f"index {index} is out of range: there are {count} vertices")


def _has_area(positions: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which triangles are higher than what counts as contact."""
    a, b, c = np.moveaxis(positions[triangles], 1, 0)
    doubled = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    longest = np.max([np.linalg.norm(side, axis=1) for side in (b - a, c - b, a - c)], axis=0)
    return np.asarray(doubled > WELD * longest)


def closed_edges(triangles: NDArray[np.int64], vertices: int) -> int:
    """How many edges break the rule "once in each direction"; 0 for a closed oriented mesh."""
    starts, ends = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    there, back = np.sort(starts * vertices + ends), np.sort(ends * vertices + starts)
    again = there[1:] == there[:-1]
    if np.array_equal(there, back) and not np.any(again):
        return 0
    first = np.flatnonzero(np.concatenate([[True], ~again]))
    uses = np.diff(first, append=len(there))
    unmatched = np.isin(there[first], back, invert=True)
    return int(np.count_nonzero(uses > 1) + np.count_nonzero(unmatched))
