"""Measurement: the figures of one part, computed on first request and kept.

    measurement = Measurement(document, node, on_mesh, kernel)
    measurement.figures()       # by the rule of the document: mesh or B-rep
    measurement.exact()         # of the B-rep, or an error

A picture, an export and a push never ask, so they never wait for the exact kernel. Where the kernel
cannot answer, or the referee does not believe it, the figures are those of the mesh and say so.
"""

from __future__ import annotations

import threading
from dataclasses import replace

from vcad_kernel.errors import CapabilityUnavailable, GeometryError
from vcad_kernel.geometry.measure.figure_rule import measured_exactly, mesh_inside
from vcad_kernel.geometry.measure.figures import Figures, of_exact
from vcad_kernel.geometry.measure.referee import REFEREE_DISAGREES, disagreements
from vcad_kernel.geometry.solid import ExactKernel, Note, geometry_error, no_brep
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId

__all__ = ["FIGURES_FROM_MESH", "Measurement"]

FIGURES_FROM_MESH = "FIGURES_FROM_MESH"
"""The warning that a curved body has no exact figures: it cannot be built, or OpenCASCADE does not load."""


class Measurement:
    """Safe to ask from several threads; each answer is found once."""

    def __init__(
        self,
        document: Document,
        node: NodeId,
        on_mesh: Figures,
        kernel: ExactKernel,
        *,
        demanded: bool = False,
    ) -> None:
        self.document = document
        self.node = node
        self.on_mesh = on_mesh
        """Figures of the mesh that is shown; exact when the body is planar."""
        self.kernel = kernel
        self.demanded = demanded
        """Whether exact figures were asked for, whatever the rule says."""
        self._lock = threading.Lock()
        self._figures: Figures | None = None
        self._exact: Figures | None = None
        self._confirmed = False

    def demanding(self) -> Measurement:
        """The measurement of the same part that shows exact figures only."""
        return Measurement(self.document, self.node, self.on_mesh, self.kernel, demanded=True)

    def figures(self) -> Figures:
        """What is shown: exact where the rule of the document says so and the kernels agree.

        Raises: as ``exact`` where exact figures are demanded; else nothing.
        """
        if self.demanded:
            return self.exact()
        with self._lock:
            if self._figures is None:
                self._figures = self._by_rule()
            return self._figures

    def exact(self) -> Figures:
        """Figures of the exact body, whatever it costs.

        Raises: CapabilityUnavailable when an imported mesh is inside a curved body or no exact kernel
        is there; GeometryError when the body cannot be built exactly or the kernels disagree.
        """
        with self._lock:
            if self._exact is None:
                self._exact = self.on_mesh if self.on_mesh.exact else self._of_brep()
            return self._exact

    def confirm(self) -> None:
        """Find out whether the exact body can be built and is the one that the mesh shows.

        Raises: as ``exact``, for planar bodies, too.
        """
        with self._lock:
            if not self._confirmed:
                figures = self._of_brep()
                self._exact = self.on_mesh if self.on_mesh.exact else figures
                self._confirmed = True

    def answers_exactly(self) -> bool:
        """Whether the rule of the document asks the exact body, and it is the one that the mesh shows."""
        if not measured_exactly(self.document, self.node):
            return False
        try:
            self.confirm()
        except (CapabilityUnavailable, GeometryError):
            # its figures say so; a caller that needs more gets those of the mesh
            return False
        return True

    def _by_rule(self) -> Figures:
        if self.on_mesh.exact or not measured_exactly(self.document, self.node):
            return self.on_mesh
        try:
            self._exact = self._exact or self._of_brep()
        except (CapabilityUnavailable, GeometryError) as error:
            return replace(self.on_mesh, notes=(self._note(error),))
        return self._exact

    def _of_brep(self) -> Figures:
        inside = mesh_inside(self.document, self.node)
        if inside is not None:
            raise _no_brep(self.document, inside)
        answer = self.kernel.figures(self.document, self.node)
        differences = disagreements(self.on_mesh, answer)
        if differences:
            raise geometry_error(
                self.document, self.node, REFEREE_DISAGREES, "; ".join(differences), failed=True
            )
        return of_exact(answer, self.on_mesh.mesh)

    def _note(self, error: CapabilityUnavailable | GeometryError) -> Note:
        digest = self.document.digest(self.node)
        if error.code == REFEREE_DISAGREES:
            return Note(REFEREE_DISAGREES, f"{error.message}; the figures are those of the mesh", digest)
        if isinstance(error, CapabilityUnavailable):
            reason = f"{error.why or error.message}, so these figures are those of the mesh; {error.fix}"
            return Note(FIGURES_FROM_MESH, reason, digest)
        return Note(
            FIGURES_FROM_MESH,
            f"the exact kernel could not measure this part, so its figures are those of the mesh:"
            f" {error.message} [{error.code}]",
            digest if error.node_id is None else self.document.digest(NodeId(error.node_id)),
        )


def _no_brep(document: Document, node: NodeId) -> CapabilityUnavailable:
    return no_brep(
        document,
        node,
        f"exact figures need a B-rep, and an imported mesh has none ({document.function_of(node)})",
        "leave `exact` away: the figures of the mesh are marked ≈ and state their tolerance",
    )
