"""Figures of a part: volume, area, box, centre, and how the boundary hangs together (cad.md §8).

    figures = measure(mesh, exact=is_planar(document, node), tolerance=chord)

Sums run over the triangles about the middle of the body's box, so that a small part far from the
origin keeps its digits. What takes longer (genus, lumps, shells) is found when first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.components import connected
from vcad_kernel.geometry.loft import sides_are_planar
from vcad_kernel.geometry.mesh import TriMesh
from vcad_kernel.geometry.mesh_literal import closed_edges
from vcad_kernel.geometry.profile import read_profile
from vcad_kernel.geometry.tolerance import EMPTY_VOLUME
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.nodes import (
    Arc,
    Cone,
    Cylinder,
    Extrude,
    Fillet,
    HelixPath,
    Loft,
    NodeId,
    Revolve,
    Sketch2D,
    Sphere,
    Sweep,
    Vec3,
)

__all__ = ["Bounds", "Figures", "is_planar", "measure"]

Bounds: TypeAlias = tuple[Vec3, Vec3]


@dataclass(frozen=True)
class Figures:
    """What is measured of one part. Millimetres, mm², mm³."""

    volume: float
    surface_area: float
    """The whole boundary, cavity walls included."""
    bounds: Bounds | None
    """(min, max) corner; None when empty."""
    center_of_mass: Vec3 | None
    """Volume centroid; None when empty."""
    is_empty: bool
    triangles: int
    vertices: int
    exact: bool
    """The figures are those of the true body (to rounding), not of an approximation."""
    tolerance: float | None
    """Largest distance between mesh and true surface, when not exact."""
    mesh: TriMesh = field(compare=False, repr=False)

    @property
    def relative(self) -> float | None:
        """Bound on the relative error of the volume, when not exact: tolerance × area / volume."""
        if self.tolerance is None or self.is_empty:
            return None
        return self.tolerance * self.surface_area / self.volume

    @cached_property
    def is_manifold(self) -> bool:
        """Whether every edge belongs to exactly two triangles of opposite direction."""
        if self.mesh.is_empty:
            return True
        return closed_edges(self.mesh.indices.astype(np.int64), self.mesh.vertex_count) == 0

    @property
    def genus(self) -> int:
        """Through-holes: Σ (2 − χ)/2 over the components of the boundary."""
        return self._topology[0]

    @property
    def lumps(self) -> int:
        """Connected components of the solid."""
        return self._topology[1]

    @property
    def shells(self) -> int:
        """Connected components of the boundary."""
        return self._topology[2]

    @cached_property
    def _topology(self) -> tuple[int, int, int]:
        return (0, 0, 0) if self.is_empty else _topology(self.mesh)


def measure(mesh: TriMesh, *, exact: bool, tolerance: float | None = None) -> Figures:
    """Figures of a closed outward mesh.

    exact: the body has planar faces only, so that the mesh is the body.
    tolerance: largest distance between mesh and body, millimetres; not used when exact.
    """
    kept = None if exact else tolerance
    box = mesh.bounds()
    if box is None:
        return _empty(mesh, exact, kept)
    middle = box.mean(axis=0)
    corners = (mesh.positions - middle)[mesh.indices]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = np.cross(b - a, c - a)
    sixfold = np.einsum("ij,ij->i", a, normals)
    volume = float(sixfold.sum()) / 6.0
    if volume <= EMPTY_VOLUME:
        return _empty(mesh, exact, kept)
    area = 0.5 * float(np.sqrt(np.einsum("ij,ij->i", normals, normals)).sum())
    moment = np.einsum("i,ij->j", sixfold, a + b + c) / 24.0
    return Figures(
        volume=volume,
        surface_area=area,
        bounds=(_vec3(box[0]), _vec3(box[1])),
        center_of_mass=_vec3(middle + moment / volume),
        is_empty=False,
        triangles=mesh.triangle_count,
        vertices=mesh.vertex_count,
        exact=exact,
        tolerance=kept,
        mesh=mesh,
    )


def is_planar(document: Document, root: NodeId) -> bool:
    """Whether a sub-graph makes planar faces only. A rule on the document; nothing is built."""
    for node_id in document.subgraph(root):
        node = document.nodes[node_id]
        if isinstance(node, Cylinder | Sphere | Cone | Revolve | Fillet):
            return False
        if isinstance(node, Sketch2D) and any(isinstance(segment, Arc) for segment in node.segments):
            return False
        if isinstance(node, Sweep) and (isinstance(node.path, HelixPath) or node.twist_angle):
            return False
        if isinstance(node, Extrude) and node.twist_angle:
            return False
        if isinstance(node, Loft):
            profiles = [read_profile(document, sketch) for sketch in node.sketches]
            if not sides_are_planar(profiles, closed=bool(node.closed)):
                return False
    return True


def _vec3(value: NDArray[np.float64]) -> Vec3:
    x, y, z = (float(part) + 0.0 for part in value)
    return (x, y, z)


def _empty(mesh: TriMesh, exact: bool, tolerance: float | None) -> Figures:
    return Figures(0.0, 0.0, None, None, True, mesh.triangle_count, mesh.vertex_count, exact, tolerance, mesh)


def _topology(mesh: TriMesh) -> tuple[int, int, int]:
    """(genus, lumps, shells). A shell that encloses positive volume is the outside of a lump."""
    starts = mesh.indices.ravel().astype(np.int64)
    ends = np.roll(mesh.indices, -1, axis=1).ravel().astype(np.int64)
    labels = connected(mesh.vertex_count, starts, ends)
    shell_of = labels[mesh.indices[:, 0]]
    count = int(labels.max()) + 1
    faces = np.bincount(shell_of, minlength=count)
    vertices = np.bincount(labels, minlength=count)
    # a closed mesh has three half edges per triangle, two per edge: χ = V − F/2
    genus = (2 - (vertices - faces // 2)) // 2
    corners = (mesh.positions - mesh.positions.mean(axis=0))[mesh.indices]
    sixfold = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    volumes = np.bincount(shell_of, weights=sixfold, minlength=count)
    # a shell of no volume is debris of a boolean, as an empty body is: no part of the boundary
    lumps, cavities = volumes > 6.0 * EMPTY_VOLUME, volumes < -6.0 * EMPTY_VOLUME
    real = lumps | cavities
    return int(genus[real].sum()), int(np.count_nonzero(lumps)), int(np.count_nonzero(real))
