"""The seam between documents and kernels: a solid is asked for a mesh or for a B-rep.

The mesh side is :mod:`vcad_kernel.geometry.manifold_kernel`. The exact side is whatever
implements :class:`ExactKernel`; until one is installed :class:`NoExactKernel` stands there and
says, naming the node and its place, that the capability is missing. Nothing here knows a library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from vcad_kernel.errors import CapabilityUnavailable, GeometryError
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.geometry.traced import TracedMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.nodes import NodeId
from vcad_kernel.ir.vectors import Vec3

__all__ = [
    "ExactFigures",
    "ExactKernel",
    "NoExactKernel",
    "geometry_error",
    "mesh_without_brep",
    "unavailable",
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


class NoExactKernel:
    """The exact kernel of a build that has none: every question is answered with a clear refusal."""

    identity = "none"

    def brep(self, document: Document, node: NodeId) -> NoReturn:
        """Refuse, naming the node's function and place."""
        raise unavailable(document, node)

    def tessellate(
        self, document: Document, node: NodeId, tessellation: Tessellation, scale: float = 1.0
    ) -> NoReturn:
        """Refuse, naming the node's function and place."""
        del tessellation, scale
        raise unavailable(document, node)

    def figures(self, document: Document, node: NodeId) -> NoReturn:
        """Refuse, naming the node's function and place."""
        raise unavailable(document, node)


def unavailable(document: Document, node: NodeId, what: str | None = None) -> CapabilityUnavailable:
    """The refusal of something that needs the exact kernel.

    what: the part of the operation that is missing, when it is not the whole of it.
    """
    function = document.nodes[node].function
    return CapabilityUnavailable(
        f"{what or function} needs the exact (B-rep) kernel, which this build does not have",
        place=document.place_of(node),
        fix="model the shape with booleans, extrude, revolve or loft, which the mesh kernel builds",
        details={"required_capability": "brep", "operation": function, "node_id": int(node)},
    )


def mesh_without_brep(document: Document, node: NodeId) -> CapabilityUnavailable:
    """The refusal of what asks a mesh for its exact solid."""
    function = document.nodes[node].function
    return CapabilityUnavailable(
        f"{function}: an imported mesh has no B-rep, which features, STEP and exact figures need",
        place=document.place_of(node),
        fix="use the mesh in booleans, transforms and patterns only, or import the part as STEP",
        details={"required_capability": "brep", "operation": function, "node_id": int(node)},
    )


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
    function = document.nodes[node].function
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
