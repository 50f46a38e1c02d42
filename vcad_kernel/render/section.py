"""Parts cut open for a picture: the half before a plane is gone, and the cut is a surface of its own.

    cut = cut_open(parts, Cut("x", 20.0), toward=camera_direction)

The plane is square to one axis. What is taken away is the half on the viewer's side, so that the cut shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np

from vcad_kernel.geometry.manifold_kernel import KernelFault, half, of_skin, read
from vcad_kernel.geometry.mesh import FloatArray, IndexArray, PartMesh, TriMesh
from vcad_kernel.geometry.swept import Skin
from vcad_kernel.ir.material import Material

__all__ = ["AXES", "Axis", "Cut", "cut_open"]

Axis: TypeAlias = Literal["x", "y", "z"]

AXES: Final = ("x", "y", "z")
_DARKER: Final = 0.72
"""Of the part's colour, on the cut."""
_NEAR: Final = 1e-7
"""Share of a part's size within which a point lies in the plane."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A plane square to an axis, at this coordinate, mm."""

    axis: Axis
    at: float


def cut_open(parts: Iterable[PartMesh], cut: Cut, toward: Sequence[float] | FloatArray) -> list[PartMesh]:
    """The parts without what lies before the plane, each followed by its surface in the plane.

    toward: (3,) vector to the viewer; seen along the plane, the half of larger coordinates goes. A part whose
    mesh is not closed is cut without such a surface.
    """
    axis = AXES.index(cut.axis)
    sign = -1.0 if float(toward[axis]) >= -1e-9 else 1.0
    found: list[PartMesh] = []
    for part in parts:
        if part.mesh.is_empty:
            continue
        side = sign * (part.mesh.positions[:, axis] - cut.at)
        if side.min() >= 0:
            found.append(part)
        elif side.max() > 0:
            found.extend(_cut(part, axis, sign, cut.at))
    return found


def _cut(part: PartMesh, axis: int, sign: float, at: float) -> list[PartMesh]:
    normal = np.zeros(3)
    normal[axis] = sign
    try:
        positions, indices = _closed_half(part.mesh, normal, sign * at)
    except KernelFault:
        return [replace(part, mesh=_open_half(part.mesh, normal, sign * at))]
    size = float(np.ptp(part.mesh.positions, axis=0).max())
    in_plane = np.abs(positions[:, axis] - at) <= max(size * _NEAR, 1e-9)
    on_cut = in_plane[indices].all(axis=1)
    # what the body itself has in the plane looks the other way, or is the same surface
    body, surface = TriMesh.of(positions, indices[~on_cut]), TriMesh.of(positions, indices[on_cut])
    faces = [replace(part, mesh=_used(body))]
    if not surface.is_empty:
        faces.append(PartMesh(part.name, _used(surface), _darker(part.material)))
    return faces


def _closed_half(mesh: TriMesh, normal: FloatArray, offset: float) -> tuple[FloatArray, IndexArray]:
    """Points and triangles of the half that the normal points to. Raises: KernelFault."""
    reading = read(half(of_skin(Skin(mesh.positions, mesh.indices.astype(np.int64))), normal, offset))
    return reading.positions, reading.triangles


def _open_half(mesh: TriMesh, normal: FloatArray, offset: float) -> TriMesh:
    """The triangles that lie wholly on the side of the normal."""
    kept = (mesh.positions @ normal >= offset)[mesh.indices].all(axis=1)
    return _used(TriMesh.of(mesh.positions, mesh.indices[kept]))


def _used(mesh: TriMesh) -> TriMesh:
    """The same without points that no triangle has: a picture is fitted to its points."""
    rows, indices = np.unique(mesh.indices.reshape(-1), return_inverse=True)
    return TriMesh.of(mesh.positions[rows], indices.reshape(-1, 3))


def _darker(material: Material) -> Material:
    red, green, blue = (_DARKER * one for one in material.color)
    return replace(material, name=f"{material.name} (cut)", color=(red, green, blue))
