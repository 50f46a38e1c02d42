"""The seam between documents and kernels: a solid is asked for a mesh or for a B-rep.

The mesh side is :mod:`vcad_kernel.geometry.mesh.solids`. The exact side is whatever implements
:class:`ExactKernel`: :mod:`vcad_kernel.geometry.exact` has the installed one. Refusals of both name the
node and its place.

Answers travel between the kernels with who made them: makers are digests of document nodes, so that an
answer serves every document with the same content. How far a feature that cannot be built looks for the
largest size that can is handed down with the question. Nothing here knows a library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.errors import CapabilityUnavailable, GeometryError
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.digest import Digest
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.library import WORDS
from vcad_kernel.operations.node import NodeId, Vec3
from vcad_kernel.operations.numbers import ParameterFault

__all__ = [
    "NOTHING_LEFT",
    "ExactFigures",
    "ExactKernel",
    "Note",
    "SearchLimit",
    "ShownSurface",
    "TracedMesh",
    "box_in_words",
    "check_parameters",
    "geometry_error",
    "mesh_without_brep",
    "no_brep",
    "nothing_common",
    "nothing_left",
    "refuse_no_solid",
]


@dataclass(frozen=True, slots=True)
class ExactFigures:
    """Figures of an exact body. Millimetres, mm², mm³; cavities count negative."""

    volume: float
    surface_area: float
    bounds: tuple[Vec3, Vec3] | None
    """None when empty, as the next two."""
    center_of_mass: Vec3 | None
    inertia: tuple[Vec3, Vec3, Vec3] | None
    """Second moments of the volume about the centre of mass, mm⁵ (density 1), as a symmetric matrix."""
    genus: int
    lumps: int
    shells: int
    tolerance: float = 0.0
    """How far the boundary may be from where it was measured, mm, as a bound for volume and area; 0 = the
    figures are right to 1e-9 of themselves, boxes of splines to 1e-8."""
    notes: tuple[Note, ...] = field(default=(), kw_only=True)
    """Why it may be, where the body is not the one that was meant but near it."""
    farthest_off: float = field(default=0.0, kw_only=True)
    """How far any place of the body may be from what was asked, mm, which no finer mesh mends."""


class ExactKernel(Protocol):
    """Boundary representations: features, exact figures, STEP."""

    @property
    def identity(self) -> str:
        """Name and version, part of every cache key."""

    def brep(self, document: Document, node: NodeId) -> Any:
        """The exact solid of a node, opaque outside the kernel; None = the empty solid.

        Raises: GeometryError (…_FAILED), CapabilityUnavailable (a mesh has no B-rep).
        """

    def tessellate(
        self, document: Document, node: NodeId, tessellation: Tessellation, scale: float = 1.0
    ) -> TracedMesh | None:
        """The mesh of a node's B-rep, closed and outward; None = the empty solid.

        scale: how much later transforms enlarge it, which the chord error must allow for.
        Raises: as ``brep``.
        """

    def figures(self, document: Document, node: NodeId) -> ExactFigures:
        """What is measured of a node's B-rep. Raises: as ``brep``."""

    def notes(self, document: Document, node: NodeId) -> tuple[Note, ...]:
        """The warnings of a node's B-rep and of all that it is made of. Raises: as ``brep``."""

    def plane(self, document: Document, node: NodeId) -> Any:
        """Where the face of a ``FacePlane`` lies, as a `Plane`.

        Raises: as ``brep``, and GeometryError for a selection that does not take one plane face.
        """

    def content(self, document: Document, node: NodeId) -> bytes:
        """The bytes of the file that a node is read from. Raises: as `imported_file.content_of`."""

    def outlines(self, document: Document, node: NodeId) -> Any:
        """The plane of a profile and its outlines in it, as one shape. Raises: as ``brep``."""

    def fit(self, document: Document, node: NodeId) -> float:
        """How far the outlines of a profile may be off that had to be fitted, mm. Raises: as ``brep``."""

    def outline_notes(self, document: Document, node: NodeId) -> tuple[Note, ...]:
        """What there is to say of the outlines of a profile that only it builds. Raises: as ``brep``."""

    def surface(self, document: Document, node: NodeId) -> Any:
        """The surface of a ``Patch``, opaque outside the kernel. Raises: as ``brep``."""

    def shown_surface(self, document: Document, node: NodeId, tessellation: Tessellation) -> ShownSurface:
        """The surface of a node for a picture, and what is measured of it. Raises: as ``brep``."""

    def bores(self, document: Document, node: NodeId) -> Any:
        """Where the holes of a ``DrillTool`` are, as `Bores`.

        Raises: as ``brep``, and GeometryError for a face or places that are not there.
        """


def no_brep(
    document: Document, node: NodeId, message: str, fix: str, why: str | None = None
) -> CapabilityUnavailable:
    """The refusal of what needs the exact solid of a node that cannot be had, with the node's place.

    why: what this machine lacks, where it is not the model that has none.
    """
    return CapabilityUnavailable(
        message,
        place=document.place_of(node),
        why=why,
        fix=fix,
        details={
            "required_capability": "brep",
            "operation": document.function_of(node),
            "node_id": int(node),
        },
    )


def mesh_without_brep(document: Document, node: NodeId) -> CapabilityUnavailable:
    """The refusal of what asks a mesh for its exact solid."""
    return no_brep(
        document,
        node,
        f"{document.function_of(node)}: an imported mesh has no B-rep,"
        " which features, STEP and exact figures need",
        "use the mesh in booleans, transforms and patterns only, or import the part as STEP",
    )


def refuse_no_solid(document: Document, node: NodeId) -> None:
    """Raises: GeometryError TYPE_MISMATCH for a profile or a surface, which can be shown and is no solid."""
    refusal = _NO_SOLIDS.get(document.nodes[node].GIVES)
    if refusal is not None:
        message, fix = refusal
        raise geometry_error(document, node, "TYPE_MISMATCH", message, fix=fix)


_NO_SOLIDS: Mapping[str, tuple[str, str]] = {
    "Sketch": ("a profile is no solid", "pull, spin, extrude, sweep or loft it to get one"),
    "Surface": ("a surface is no solid", "thicken it to get one"),
}
"""What is shown and is no solid, by its type: what is said of it, and the way to a solid."""


def check_parameters(document: Document, node: NodeId) -> None:
    """Refuse a node whose own numbers are wrong, children not looked at.

    Asked for every node on the way down, so that a bad size is reported even under an empty solid.
    Raises: GeometryError INVALID_PARAMETER, ZERO_VECTOR …
    """
    try:
        document.nodes[node].check()
    except ParameterFault as fault:
        raise geometry_error(
            document, node, fault.code, fault.message, argument=fault.argument, failed=fault.failed
        ) from None


def geometry_error(
    document: Document,
    node: NodeId,
    code: str,
    message: str,
    *,
    argument: str | None = None,
    failed: bool = False,
    fix: str | None = None,
) -> GeometryError:
    """An error of a node, with the function as the user wrote it and where.

    message: what is wrong, to be read after ``function: ``.
    """
    function = document.function_of(node)
    word = WORDS.get(function)
    written = word.renamed.get(argument or "") if word is not None else None
    if written is not None:
        message = message.replace(f"{argument} must", f"{written} must", 1)
        argument = written
    return GeometryError(
        f"{function}: {message}",
        code=code,
        operation=function,
        argument=argument,
        node_id=int(node),
        failed=failed,
        place=document.place_of(node),
        fix=fix,
    )


@dataclass(frozen=True, slots=True)
class Note:
    """A warning about a node, by content."""

    code: str
    message: str
    maker: Digest


NOTHING_LEFT = "NOTHING_LEFT"
"""Note about an operation whose operands are something and whose result is nothing."""


def nothing_left(function: str, subject: NDArray[np.float64], tool: NDArray[np.float64]) -> str:
    """What to say of a difference that leaves nothing. subject, tool: their boxes (2, 3), mm."""
    said = f"nothing is left: the subject lies {box_in_words(subject)}, the tool {box_in_words(tool)}"
    # of a hole or a pocket the order of operands is not the user's
    return said + ("; the subject comes last" if function.startswith("difference") else "")


def nothing_common(first: NDArray[np.float64], second: NDArray[np.float64]) -> str:
    """What to say of an intersection that leaves nothing. first, second: boxes (2, 3), mm."""
    return f"nothing is common to both: one lies {box_in_words(first)}, the other {box_in_words(second)}"


def box_in_words(box: NDArray[np.float64]) -> str:
    """``0 ≤ x ≤ 1, …`` of the corners (2, 3) of a box, mm."""
    spans = zip("xyz", *(np.round(box, 6) + 0.0).tolist(), strict=True)
    return ", ".join([f"{low:.6g} ≤ {axis} ≤ {high:.6g}" for axis, low, high in spans])


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


@dataclass(frozen=True, slots=True, eq=False)
class ShownSurface:
    """A surface as it is shown, from its front. Millimetres, mm²."""

    mesh: TriMesh
    """Open; without source nodes."""
    chord: float
    """Largest distance between the mesh and the surface."""
    area: float
    bounds: tuple[Vec3, Vec3]
    center: Vec3
    tolerance: float
    """How far the surface may be from the edges and points that it was asked to meet; 0 = not at all."""


@dataclass(frozen=True, slots=True)
class SearchLimit:
    """The search ends with the first of the two that is used up: its time, or its trials."""

    blend_seconds: float = 2.5
    """For a fillet or a chamfer; of the thread's processor time."""
    wall_seconds: float = 3.0
    """For a shell, an offset or a draft."""
    trials: int = 40
    """Bodies built at most. More than the precision of an answer ever needs; fewer give the same rough
    answer on every machine."""
