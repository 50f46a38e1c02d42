"""Exact kernels for tests that do not want the installed one."""

from __future__ import annotations

from typing import NoReturn

from vcad_kernel.geometry.solid import no_brep
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId


class NoExactKernel:
    """Refuses every question, as the installed kernel does where its library is missing."""

    identity = "none"

    def brep(self, document: Document, node: NodeId) -> NoReturn:
        raise no_brep(document, node, "there is no exact kernel", "ask for a mesh")

    def tessellate(
        self, document: Document, node: NodeId, tessellation: Tessellation, scale: float = 1.0
    ) -> NoReturn:
        self.brep(document, node)

    def figures(self, document: Document, node: NodeId) -> NoReturn:
        self.brep(document, node)
