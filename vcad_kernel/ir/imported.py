"""The nodes whose solid comes from elsewhere: a mesh in the document, a mesh file, a body of a STEP file."""

from __future__ import annotations

from dataclasses import dataclass

from vcad_kernel.ir.node import Node, fields
from vcad_kernel.ir.vectors import Vec3

__all__ = [
    "ImportedMesh",
    "MeshFile",
    "StepFile",
]


@dataclass(frozen=True, slots=True)
class ImportedMesh(Node):
    """A triangle mesh as a solid: flat triples, indices 0-based."""

    KIND = "ImportedMesh"
    FIELDS = fields("positions:numbers indices:indices normals?:numbers source?:text")
    FUNCTION = "ImportedMesh"
    positions: tuple[float, ...]
    indices: tuple[int, ...]
    normals: tuple[float, ...] | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class MeshFile(Node):
    """A mesh file as a solid without B-rep, scaled about the origin.

    ``content`` is the hash of the file's bytes when the program ran: the digest stands for the content.
    """

    KIND = "MeshFile"
    FIELDS = fields("path:text scale:vec3 content:text")
    FUNCTION = "import-mesh"
    path: str
    scale: Vec3
    content: str
    """Hexadecimal blake3."""


@dataclass(frozen=True, slots=True)
class StepFile(Node):
    """One body of a STEP file, by its position from 0."""

    KIND = "StepFile"
    FIELDS = fields("path:text body:count content:text")
    FUNCTION = "import-step"
    path: str
    body: int
    content: str
    """Hexadecimal blake3."""

    @property
    def functions(self) -> frozenset[str]:
        """``import-step-body`` names any body, the first too."""
        return frozenset(("import-step", "import-step-body"))
