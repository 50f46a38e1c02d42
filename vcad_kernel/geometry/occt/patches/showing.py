"""A surface as it is shown, and what is measured of it."""

from __future__ import annotations

import numpy as np

from vcad_kernel.geometry.occt.brep import faces_of
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.integration.masses import area_and_centre
from vcad_kernel.geometry.occt.measure.integration.quadrature import integrated
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers
from vcad_kernel.geometry.occt.patches.plating import Surface
from vcad_kernel.geometry.occt.tessellation import meshed
from vcad_kernel.geometry.occt.triangulations import chord_of, face_meshes
from vcad_kernel.geometry.solid import ShownSurface
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["shown"]

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
