"""CachedSolid: a finished mesh with its figures, as caches keep it for every document that contains it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.measure.figures import Figures, measure
from vcad_kernel.geometry.measure.referee import MESH_UNSOUND
from vcad_kernel.geometry.solid import Note
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.digest import Digest

__all__ = ["NOTHING", "CachedSolid", "finished"]


@dataclass(frozen=True, slots=True, eq=False)
class CachedSolid:
    """An evaluated solid without reference to any document's node ids."""

    mesh: TriMesh
    """Without source nodes."""
    figures: Figures
    """Measured of the mesh."""
    makers: tuple[Digest, ...]
    """Nodes that made triangles, by content."""
    maker_of: NDArray[np.uint32]
    """(m,) index into ``makers`` for each triangle."""
    notes: tuple[Note, ...]
    """Warnings."""
    planar: bool
    """Whether the document makes planar faces only."""
    chord: float
    """Largest distance between the mesh and the true surface of any operand, millimetres."""

    @property
    def nbytes(self) -> int:
        """Memory held, roughly: the arrays."""
        return self.mesh.nbytes + self.maker_of.nbytes + 512


def finished(
    mesh: TriMesh,
    planar: bool,
    chord: float,
    makers: tuple[Digest, ...],
    maker_of: NDArray[np.uint32],
    notes: tuple[Note, ...],
) -> CachedSolid:
    """A closed outward mesh, measured. What its notes say against the mesh, its figures say, too."""
    figures = measure(mesh, exact=planar, tolerance=chord)
    doubts = tuple(note for note in notes if note.code == MESH_UNSOUND)
    if doubts:
        figures = replace(figures, exact=False, tolerance=chord, notes=doubts)
    if figures.is_empty and not mesh.is_empty:
        # a body of no volume is the empty solid, and the empty solid has no triangles
        return finished(TriMesh.empty(), planar, chord, (), np.empty(0, np.uint32), notes)
    return CachedSolid(mesh, figures, makers, maker_of, notes, planar, chord)


NOTHING = finished(TriMesh.empty(), True, 0.0, (), np.empty(0, np.uint32), ())
