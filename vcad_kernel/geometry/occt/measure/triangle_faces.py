"""Which face of an exact body each triangle of a mesh of it lies on, whoever made the mesh.

The mesh that is shown mostly comes from the mesh kernel, and knows faces only by their makers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Surface

from vcad_kernel.geometry.occt.brep import Brep, faces_of
from vcad_kernel.geometry.occt.measure.elementary import ELEMENTARY
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["triangle_faces"]


def triangle_faces(brep: Brep, nodes: NDArray[np.int64], mesh: TriMesh, chord: float) -> NDArray[np.uint32]:
    """(m,) the number of the face that each triangle lies on.

    nodes: the document node that made each face. chord: how far the mesh may be off the body, mm.
    """
    del nodes, chord
    corners = mesh.positions.T
    best = np.full(mesh.triangle_count, np.inf)
    number = np.zeros(mesh.triangle_count, np.uint32)
    for index, face in enumerate(faces_of(brep.shape)):
        surface = BRepAdaptor_Surface(face, False)
        elementary = ELEMENTARY.get(surface.GetType().value)
        if elementary is None:
            continue
        off = elementary.distance(corners, np.array(elementary.numbers(surface))[:, None])
        worst = off[mesh.indices].max(axis=1)
        nearer = worst < best
        best[nearer], number[nearer] = worst[nearer], index
    return number
