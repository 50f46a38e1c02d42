"""What a solid is made of, with who made it: the answers that travel between the kernels.

Makers are digests of document nodes, so that an answer serves every document with the same content.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh import TriMesh
from vcad_kernel.ir.digest import Digest

__all__ = ["Note", "TracedMesh"]


@dataclass(frozen=True, slots=True)
class Note:
    """A warning about a node, by content."""

    code: str
    message: str
    maker: Digest


@dataclass(frozen=True, slots=True, eq=False)
class TracedMesh:
    """A closed mesh whose triangles know the node that made them."""

    mesh: TriMesh
    """Without source nodes."""
    makers: tuple[Digest, ...]
    maker_of: NDArray[np.uint32]
    """(m,) index into ``makers`` for each triangle."""
    chord: float
    """Largest distance between the mesh and the true surface, millimetres; 0 for planar faces."""
    notes: tuple[Note, ...] = ()

    @property
    def nbytes(self) -> int:
        """Memory held, roughly: the arrays."""
        return self.mesh.nbytes + self.maker_of.nbytes + 512
