"""TriMesh: the one triangle mesh that everything after the kernels understands.

Pure data over numpy. Does not know who made it (a kernel, an importer) or who will use it
(viewer, exporters, measurement).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.operations.scene import DEFAULT_MATERIAL, Material

__all__ = ["FloatArray", "IndexArray", "PartMesh", "TriMesh"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class TriMesh:
    """A closed, outward-oriented triangle mesh: counter-clockwise seen from outside.

    Vertices are shared: an edge is the same pair of indices in both its triangles.
    """

    positions: FloatArray
    """(n, 3) float64, millimetres."""
    indices: IndexArray
    """(m, 3) uint32, 0-based."""
    source_nodes: IndexArray = field(default_factory=lambda: np.empty(0, np.uint32))
    """(m,) uint32: the document node that made each triangle, or empty when unknown."""

    def __post_init__(self) -> None:
        """Refuse arrays of the wrong shape early, where the mistake is."""
        if self.positions.ndim != 2 or self.positions.shape[1] != 3:
            raise ValueError(f"positions must be (n, 3), got {self.positions.shape}")
        if self.indices.ndim != 2 or self.indices.shape[1] != 3:
            raise ValueError(f"indices must be (m, 3), got {self.indices.shape}")

    @classmethod
    def of(cls, positions: Any, indices: Any) -> TriMesh:
        """A mesh from anything array-like; copies only when dtype or layout differ."""
        return cls(
            np.ascontiguousarray(positions, np.float64).reshape(-1, 3),
            np.ascontiguousarray(indices, np.uint32).reshape(-1, 3),
        )

    @classmethod
    def empty(cls) -> TriMesh:
        """The mesh of the empty solid."""
        return cls(np.empty((0, 3), np.float64), np.empty((0, 3), np.uint32))

    @classmethod
    def joined(cls, meshes: Sequence[TriMesh]) -> TriMesh:
        """Several meshes side by side as one; nothing is merged. One mesh alone is itself.

        Source nodes are kept only when every mesh knows its own.
        """
        if len(meshes) == 1:
            return meshes[0]
        if not meshes:
            return cls.empty()
        firsts = np.cumsum([0, *(mesh.vertex_count for mesh in meshes[:-1])])
        indices = [mesh.indices + np.uint32(first) for mesh, first in zip(meshes, firsts, strict=True)]
        known = all(len(mesh.source_nodes) == len(mesh.indices) for mesh in meshes)
        return cls(
            np.concatenate([mesh.positions for mesh in meshes]),
            np.concatenate(indices).astype(np.uint32),
            np.concatenate([mesh.source_nodes for mesh in meshes]) if known else np.empty(0, np.uint32),
        )

    @property
    def triangle_count(self) -> int:
        """How many triangles."""
        return len(self.indices)

    @property
    def vertex_count(self) -> int:
        """How many vertices."""
        return len(self.positions)

    @property
    def is_empty(self) -> bool:
        """Whether there is no triangle at all."""
        return len(self.indices) == 0

    @property
    def nbytes(self) -> int:
        """Memory held, for caches with a byte limit."""
        return self.positions.nbytes + self.indices.nbytes + self.source_nodes.nbytes

    def bounds(self) -> FloatArray | None:
        """(2, 3) float64 min and max corner, millimetres; None when empty."""
        if self.is_empty:
            return None
        used = self.positions
        return np.stack([used.min(axis=0), used.max(axis=0)])

    def corners(self) -> FloatArray:
        """(m, 3, 3) float64: the three points of each triangle."""
        return self.positions[self.indices]

    def placed(self, pose: FloatArray) -> TriMesh:
        """The mesh moved by a (4, 4) affine matrix for columns; mirrored, its surface still looks outward."""
        turn = pose[:3, :3]
        indices = self.indices[:, ::-1] if np.linalg.det(turn) < 0 else self.indices
        return TriMesh(
            self.positions @ turn.T + pose[:3, 3], np.ascontiguousarray(indices), self.source_nodes
        )

    def face_normals(self) -> FloatArray:
        """(m, 3) float64 unit normals, outward; zero for degenerate triangles."""
        a, b, c = np.moveaxis(self.corners(), 1, 0)
        normal = np.cross(b - a, c - a)
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        return np.asarray(np.divide(normal, length, out=np.zeros_like(normal), where=length > 0))


@dataclass(frozen=True, slots=True, eq=False)
class PartMesh:
    """One part as viewers, exporters and the picture take it: a named mesh with its material."""

    name: str
    mesh: TriMesh
    material: Material = DEFAULT_MATERIAL
