"""What changed between two parts: the material that came, went and stayed, and the figures of both.

    changed_from(new, old).added            # a TriMesh; empty where nothing came

Made of the meshes, so pieces thinner than the chord errors of both, on the average, are left out: the same
curved face may be approximated in two ways, and what lies between is no change.
"""

from __future__ import annotations

from dataclasses import dataclass

from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.mesh.comparison import compared
from vcad_kernel.geometry.mesh.manifold_kernel import KernelFault
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["Changed", "changed_from"]


@dataclass(frozen=True, slots=True, eq=False)
class Changed:
    """Closed meshes, mm; each may be empty."""

    added: TriMesh
    removed: TriMesh
    unchanged: TriMesh
    new: Figures
    old: Figures
    film: float
    """Pieces that came or went and are no thicker than this on the average, mm, were left out."""


def changed_from(new: Measurement, old: Measurement) -> Changed:
    """What a part is more and less than another.

    Raises: GeometryError MESH_UNSOUND for a part whose mesh is none of it.
    """
    meshes = [measurement.sound_mesh() for measurement in (old, new)]
    film = sum((mesh.tolerance or 0.0 for mesh in meshes), LINEAR)
    try:
        difference = compared(meshes[0].mesh, meshes[1].mesh, film=film)
    except KernelFault as fault:
        raise geometry_error(
            new.document,
            new.node,
            "BOOLEAN_FAILED",
            "what changed could not be found on the meshes",
            failed=True,
        ) from fault
    return Changed(difference.added, difference.removed, difference.kept, new.figures(), old.figures(), film)
