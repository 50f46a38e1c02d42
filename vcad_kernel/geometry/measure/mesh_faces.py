"""The faces of a mesh as its user sees them: connected surface of one maker, without an edge in it.

    faces = MeshFaces.of(mesh, planar=False)
    faces.labels[triangle]        # the face of a triangle that was picked
    faces.areas, faces.nodes      # one entry for each face

Faces are numbered by their first triangle, so the same mesh always has the same numbers. What counts
as an edge is :mod:`vcad_kernel.geometry.mesh.edges`' rule, which viewers and exporters share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.components import connected
from vcad_kernel.geometry.mesh.edges import CREASE_ANGLE, PLANAR_CREASE, Creases
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["MeshFaces"]


@dataclass(frozen=True, slots=True, eq=False)
class MeshFaces:
    """Which triangles make each face."""

    labels: NDArray[np.uint32]
    """(m,) the face of each triangle, from 0."""
    areas: NDArray[np.float64]
    """(k,) mm²."""
    nodes: NDArray[np.uint32]
    """(k,) the document node that made each face; empty when the mesh does not know."""

    @classmethod
    def of(cls, mesh: TriMesh, *, planar: bool = False) -> MeshFaces:
        """The faces of a closed mesh.

        planar: the body has planar faces only, so that even a slight turn is an edge.
        """
        known = len(mesh.source_nodes) == mesh.triangle_count
        if mesh.is_empty:
            nothing = np.empty(0, np.uint32)
            return cls(nothing, np.empty(0), nothing)
        creases = Creases.of(mesh, PLANAR_CREASE if planar else CREASE_ANGLE)
        joined = np.flatnonzero(creases.smooth)
        near, far = joined // 3, creases.twin[joined] // 3
        if known:
            same = mesh.source_nodes[near] == mesh.source_nodes[far]
            near, far = near[same], far[same]
        labels = connected(mesh.triangle_count, near, far)
        corners = mesh.corners()
        doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = np.bincount(labels, weights=0.5 * np.linalg.norm(doubled, axis=1)).astype(np.float64)
        first = np.unique(labels, return_index=True)[1]
        nodes = mesh.source_nodes[first] if known else np.empty(0, np.uint32)
        return cls(labels.astype(np.uint32), areas, nodes)

    def __len__(self) -> int:
        return len(self.areas)

    def triangles(self, face: int) -> NDArray[np.int64]:
        """The triangles of a face, in order. Raises IndexError when there is no such face."""
        if not 0 <= face < len(self):
            raise IndexError(f"face {face} does not exist: there are {len(self)}, counted from 0")
        return np.flatnonzero(self.labels == face)
