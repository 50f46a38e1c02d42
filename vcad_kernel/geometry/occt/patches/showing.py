"""A surface as it is shown, and what is measured of it."""

from __future__ import annotations

import numpy as np

from vcad_kernel.geometry.occt.brep import faces_of
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.integration.masses import area_and_centre
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers
from vcad_kernel.geometry.occt.patches.plating import Surface
from vcad_kernel.geometry.occt.tessellation import meshed
from vcad_kernel.geometry.occt.triangulations import chord_of, face_meshes
from vcad_kernel.geometry.solid import ShownSurface
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["shown"]


def shown(surface: Surface, tessellation: Tessellation) -> ShownSurface | None:
    """Triangles and figures of a surface; None where it could not be meshed."""
    faces = faces_of(surface.face.shape)
    with meshed(faces, tessellation.chord):
        meshes = face_meshes(faces)
        chord = chord_of(boundary_numbers(surface.face.shape), range(len(faces)), meshes)
    (mesh,) = meshes
    if mesh is None:
        return None
    area, centre = area_and_centre(faces[0])
    x, y, z = (value + 0.0 for value in centre.Coord())
    return ShownSurface(
        TriMesh(mesh.nodes, (mesh.triangles - 1).astype(np.uint32)),
        chord,
        area,
        box_of(surface.face.shape),
        (x, y, z),
        surface.face.farthest_off,
    )
