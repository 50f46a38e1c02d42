"""Figures of a part: volume, area, box, centre, and how the boundary hangs together (cad.md §8).

    figures = measure(mesh, exact=is_planar(document, node), tolerance=chord)

Sums run over the triangles about the middle of the body's box, so that a small part far from the
origin keeps its digits. What takes longer (inertia, genus, lumps, shells) is found when first asked
for. Figures of a B-rep come from the exact kernel and are only put into the same form here; which of
the two a part gets is :mod:`vcad_kernel.geometry.measure.figure_rule`'s to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.reading.literal import closed_edges
from vcad_kernel.geometry.mesh.surface.components import connected
from vcad_kernel.geometry.placement import crossed
from vcad_kernel.geometry.solid import ExactFigures, Note
from vcad_kernel.geometry.tolerance import EMPTY_VOLUME
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.node import Vec3

__all__ = ["Bounds", "Figures", "Matrix3", "measure", "of_exact", "total"]

Bounds: TypeAlias = tuple[Vec3, Vec3]
Matrix3: TypeAlias = tuple[Vec3, Vec3, Vec3]


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
    mesh_of: Callable[[], TriMesh] = field(compare=False, repr=False)
    """Gives the mesh, of which is found what takes longer; it need not be in memory."""
    notes: tuple[Note, ...] = field(default=(), compare=False)
    """What to know about how they were found, as when the exact kernel could not answer."""
    from_brep: ExactFigures | None = field(default=None, repr=False)
    """What the exact kernel said, where the figures are its own."""

    @property
    def mesh(self) -> TriMesh:
        """The mesh that was measured. Raises: VcadError where it is somewhere else, and cannot be had."""
        return self.mesh_of()

    @property
    def relative(self) -> float | None:
        """Bound on the relative error of the volume, when not exact: tolerance × area / volume."""
        if self.tolerance is None or self.is_empty:
            return None
        return self.tolerance * self.surface_area / self.volume

    @cached_property
    def inertia(self) -> Matrix3 | None:
        """Inertia tensor about the centre of mass at density 1, mm⁵; None when empty.

        On the diagonal ∫(y² + z²) dV and so on, beside it −∫xy dV and so on.
        """
        if self.from_brep is not None:
            return self.from_brep.inertia
        return None if self.is_empty else _inertia(self.mesh)

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
        if self.from_brep is not None:
            return self.from_brep.genus, self.from_brep.lumps, self.from_brep.shells
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
    # about the middle of the box: far from the origin volumes are small differences of large numbers
    corners = (mesh.positions - middle)[mesh.indices]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = crossed(b - a, c - a)
    # signed tetrahedra from there to each triangle: together the volume, with their centres the moment
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
        mesh_of=lambda: mesh,
    )


def of_exact(body: ExactFigures, mesh: TriMesh) -> Figures:
    """Figures of a B-rep, with the mesh that stands for it in pictures."""
    return _given(body, mesh, exact=not body.tolerance, tolerance=body.tolerance or None)


def _given(body: ExactFigures, mesh: TriMesh, *, exact: bool, tolerance: float | None) -> Figures:
    empty = body.volume <= EMPTY_VOLUME or body.bounds is None
    return Figures(
        volume=0.0 if empty else body.volume,
        surface_area=0.0 if empty else body.surface_area,
        bounds=None if empty else body.bounds,
        center_of_mass=None if empty else body.center_of_mass,
        is_empty=empty,
        triangles=mesh.triangle_count,
        vertices=mesh.vertex_count,
        exact=exact,
        tolerance=tolerance,
        mesh_of=lambda: mesh,
        notes=body.notes,
        from_brep=body,
    )


def total(each: Sequence[Figures], mesh_of: Callable[[], TriMesh]) -> Figures:
    """Figures of several bodies side by side, as if they were one; where they overlap counts twice.

    mesh_of: gives the meshes of all of them together; asked now, and for what is found later.
    """
    return replace(_summed(each, mesh_of()), mesh_of=mesh_of)


def _summed(each: Sequence[Figures], mesh: TriMesh) -> Figures:
    solid = [figures for figures in each if not figures.is_empty]
    chords = [figures.tolerance for figures in each if figures.tolerance is not None]
    exact = all(figures.exact for figures in each)
    if not any(figures.from_brep is not None for figures in solid):
        return measure(mesh, exact=exact, tolerance=max(chords, default=None))
    weights = np.array([figures.volume for figures in solid])
    centres = np.array([figures.center_of_mass for figures in solid])
    centre = weights @ centres / weights.sum()
    tensor = np.zeros((3, 3))
    for figures, away in zip(solid, centres - centre, strict=True):
        # the parallel axis theorem
        tensor += np.array(figures.inertia) + figures.volume * (
            away @ away * np.eye(3) - np.outer(away, away)
        )
    boxes = np.array([figures.bounds for figures in solid])
    return _given(
        ExactFigures(
            volume=float(weights.sum()),
            surface_area=sum(figures.surface_area for figures in solid),
            bounds=(_vec3(boxes[:, 0].min(axis=0)), _vec3(boxes[:, 1].max(axis=0))),
            center_of_mass=_vec3(centre),
            inertia=(_vec3(tensor[0]), _vec3(tensor[1]), _vec3(tensor[2])),
            genus=sum(figures.genus for figures in solid),
            lumps=sum(figures.lumps for figures in solid),
            shells=sum(figures.shells for figures in solid),
        ),
        mesh,
        exact=exact,
        tolerance=max(chords, default=None),
    )


def _vec3(value: NDArray[np.float64]) -> Vec3:
    x, y, z = (float(part) + 0.0 for part in value)
    return (x, y, z)


def _empty(mesh: TriMesh, exact: bool, tolerance: float | None) -> Figures:
    counts = mesh.triangle_count, mesh.vertex_count
    return Figures(0.0, 0.0, None, None, True, *counts, exact, tolerance, lambda: mesh)


def _inertia(mesh: TriMesh) -> Matrix3:
    """Second moments summed over the tetrahedra between each triangle and the middle of the box.

    Of a tetrahedron with one corner in the origin: ∫ p pᵀ dV = det / 120 · (s sᵀ + a aᵀ + b bᵀ + c cᵀ)
    with s = a + b + c (Tonon, J. Math. Stat. 1(1), 2005, in the form of a sum over corners).
    """
    middle = 0.5 * (mesh.positions.min(axis=0) + mesh.positions.max(axis=0))
    corners = (mesh.positions - middle)[mesh.indices]
    sixfold = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    sums = corners.sum(axis=1)
    second = np.einsum("i,ij,ik->jk", sixfold, sums, sums)
    second += np.einsum("i,inj,ink->jk", sixfold, corners, corners)
    second /= 120.0
    volume = sixfold.sum() / 6.0
    centre = (sixfold @ sums) / (24.0 * volume)
    second -= volume * np.outer(centre, centre)
    tensor = np.trace(second) * np.eye(3) - second
    return (_vec3(tensor[0]), _vec3(tensor[1]), _vec3(tensor[2]))


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
