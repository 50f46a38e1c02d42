"""A surface as it is shown, and what is measured of it; the solid on it as triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.occt.brep import faces_of
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.integration.masses import area_and_centre
from vcad_kernel.geometry.occt.measure.integration.quadrature import integrated
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers
from vcad_kernel.geometry.occt.patches.plating import Surface, normals_of
from vcad_kernel.geometry.occt.tessellation import meshed
from vcad_kernel.geometry.occt.triangulations import chord_of, face_meshes
from vcad_kernel.geometry.solid import ShownSurface
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["shown", "solid_mesh"]

_COARSE = 1.5
"""Times the chord error on the surface, that the side beside it may have."""
_NEAR = 1e-7
"""Relative accuracy of the area of a surface that is ≈."""


def shown(surface: Surface, tessellation: Tessellation) -> ShownSurface | None:
    """Triangles and figures of a surface; None where it could not be meshed."""
    faces = faces_of(surface.face.shape)
    with meshed(faces, tessellation.chord):
        meshes = face_meshes(faces)
        chord = chord_of(boundary_numbers(surface.face.shape), range(len(faces)), meshes)
    (mesh,) = meshes
    if mesh is None:
        return None
    # what is only near what was asked for need not be measured to the last digit
    near = integrated(faces[0], _NEAR, encloses=False) if surface.face.farthest_off else None
    if near is None:
        area, middle = area_and_centre(faces[0])
        x, y, z = (value + 0.0 for value in middle.Coord())
    else:
        area, (x, y, z) = near.area, (near.origin + near.area_first / near.area).tolist()
    return ShownSurface(
        TriMesh(mesh.nodes, (mesh.triangles - 1).astype(np.uint32)),
        chord,
        area,
        box_of(surface.face.shape),
        (x, y, z),
        surface.face.farthest_off,
    )


def solid_mesh(surface: Surface, t: float, chord: float) -> tuple[TriMesh, float] | None:
    """The closed mesh of what lies up to t beside a curved surface, and its chord error, mm.

    None where that would be more than about what is asked for: borders have nodes where the surface needs
    them. Both sides have the same triangles, so they stay apart, however thin the solid is.
    """
    faces = faces_of(surface.face.shape)
    with meshed(faces, chord):
        (mesh,) = face_meshes(faces)
        if mesh is None:
            return None
        near = chord_of(boundary_numbers(surface.face.shape), range(1), [mesh])
    triangles = mesh.triangles - 1
    beside = _beside(surface, mesh.parameters, t)
    sides = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    there = _beside(surface, mesh.parameters[sides].mean(axis=1), t)
    far = float(np.linalg.norm(beside[sides].mean(axis=1) - there, axis=1).max())
    if far > _COARSE * max(near, chord):
        return None
    count = len(mesh.nodes)
    lower, upper = (0, count) if t > 0.0 else (count, 0)
    # what is a side of one triangle only
    border = sides[~np.isin(sides[:, 1] * count + sides[:, 0], sides[:, 0] * count + sides[:, 1])]
    a, b = border.T
    walls = np.vstack(
        [
            np.column_stack([a + lower, b + lower, b + upper]),
            np.column_stack([a + lower, b + upper, a + upper]),
        ]
    )
    indices = np.vstack([triangles + upper, triangles[:, ::-1] + lower, walls])
    positions = np.vstack([mesh.nodes, beside])
    return TriMesh(positions, indices.astype(np.uint32)), max(near, far)


def _beside(surface: Surface, parameters: NDArray[np.float64], t: float) -> NDArray[np.float64]:
    """(k, 3): t away from places at parameters (k, 2), to the front."""
    places, normals, _ = normals_of(surface.surface, parameters)
    return places + t * surface.front * normals
