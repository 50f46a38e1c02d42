"""Where a face comes from: the node of the document that made it, and the call that made the node.

Makers travel with the triangles: through mesh booleans by the kernel's original solids, through
features by the exact kernel's history. A fillet made the rounding, the box below it the flat rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.errors import Place
from vcad_kernel.geometry.measure.mesh_faces import MeshFaces
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId

__all__ = ["FaceSource", "face_source"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FaceSource:
    """The origin of one face of a mesh."""

    face: int
    node: NodeId
    """The node that made it."""
    function: str
    """The call as the user wrote it."""
    name: str | None
    """The node's name in the document, when it has one."""
    places: tuple[Place, ...]
    """Where the calls stand that made the node: several where equal solids are one node."""
    area: float
    """mm²."""
    triangles: NDArray[np.int64]
    """Which triangles of the mesh make it."""

    @property
    def place(self) -> Place | None:
        """Where the first of the calls stands."""
        return self.places[0] if self.places else None

    def __repr__(self) -> str:
        at = "" if self.place is None else f" at {self.place.file}:{self.place.line}:{self.place.column}"
        return f"face {self.face}: {self.name or self.function}{at}, {self.area:g} mm²"


def face_source(
    document: Document, mesh: TriMesh, face: int, *, faces: MeshFaces | None = None
) -> FaceSource:
    """Who made a face of an evaluated part's mesh.

    faces: those of the mesh, where they are known already.
    Raises: IndexError when there is no such face; ValueError for a mesh that does not know its makers.
    """
    faces = MeshFaces.of(mesh) if faces is None else faces
    triangles = faces.triangles(face)
    if len(faces.nodes) == 0:
        raise ValueError("the mesh does not know who made its triangles")
    node = NodeId(int(faces.nodes[face]))
    sites = (site.place() for site in document.sites.get(node, ()))
    return FaceSource(
        face=face,
        node=node,
        function=document.function_of(node),
        name=document.names.get(node),
        places=tuple(place for place in sites if place is not None),
        area=float(faces.areas[face]),
        triangles=triangles,
    )
