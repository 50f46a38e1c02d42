"""What a relay shows: nodes, each with what is drawn of it, and the rows of its faces and edges.

Knows meshes and the messages. Does not know sessions, viewers or where a mesh came from; what is slow (a
mesh that has to be asked for, rows) is a function that is called when somebody looks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from notebook_ext.viewer.relay.messages import Buffer, MeshRows, NodeHead, NodeMaterial, Parcel
from notebook_ext.viewer.scene import part_buffers
from vcad_kernel.geometry.tri_mesh import FloatArray, PartMesh, TriMesh
from vcad_kernel.operations.scene import Material

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vcad_kernel.service.protocol import PartResult

__all__ = ["Body", "Node", "Placement", "Rows", "head_of", "mesh_buffers", "named_nodes", "rows_parcel"]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What the faces and edges of a body are."""

    faces: tuple[Mapping[str, Any], ...]
    """As `messages.MeshRows` has them, by number."""
    edges: tuple[Mapping[str, Any] | None, ...]
    """None for a number that is drawn nowhere, as a pole's."""
    triangle_faces: NDArray[np.uint32]
    """(m,) uint32: the face of each triangle."""
    lines: NDArray[np.float32]
    """(p, 3) float32: points of one polyline for each edge, mm."""
    line_starts: NDArray[np.uint32]
    """(e + 1,) uint32: where the polyline of each edge begins."""
    line_tangent: NDArray[np.uint8]
    """(e,) uint8: 1 where the surface runs on smoothly."""


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """What is drawn of one node."""

    name: str
    digest: str
    """Equal for the same triangles."""
    mesh: Callable[[], TriMesh]
    """Its triangles as it is modelled; the same each time."""
    material: Material
    exact: Callable[[], bool]
    """Whether its figures are those of the exact body, as far as they have been found."""
    rows: Callable[[], Rows] | None = None
    """Asks what its faces and edges are. Raises: VcadError."""
    part: PartResult | None = field(default=None, repr=False)
    """Whom to ask about it; None where nobody can."""


class Placement(NamedTuple):
    """Where a part stands in the scene, once."""

    name: str
    """What it is called there."""
    pose: tuple[float, ...]
    """A 4 × 4 matrix for columns, row by row, mm."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One node at one revision."""

    node_id: str
    revision: int
    body: Body
    number: int = 0
    """Which of the bodies under its name it shows."""
    group: str = ""
    pose: tuple[float, ...] | None = None
    """As of `Placement`; None where it stands as it is modelled."""
    stale: str = ""
    ingredient: bool = False
    source: Mapping[str, str] | None = None
    figures: str = ""

    @property
    def digest(self) -> str:
        """Of its triangles."""
        return self.body.digest

    @property
    def full_name(self) -> str:
        """What tells it from all others of the scene: of one of several bodies, theirs and its own."""
        if "/" not in self.node_id:
            return self.body.name
        return f"{self.group.rpartition('/')[2]}-{self.body.name}"

    def in_scene(self, point: tuple[float, float, float]) -> tuple[float, float, float]:
        """Where a point of it as it is modelled is in the scene, mm."""
        if self.pose is None:
            return point
        x, y, z, _ = (np.reshape(self.pose, (4, 4)) @ (*point, 1.0)).tolist()
        return x, y, z

    @property
    def standing(self) -> TriMesh:
        """Its triangles where it stands."""
        mesh = self.body.mesh()
        return mesh if self.pose is None else mesh.placed(np.reshape(self.pose, (4, 4)))


def named_nodes(
    name: str,
    bodies: Sequence[Body],
    *,
    placements: Sequence[Placement] = (),
    stale: str = "",
    ingredient: bool = False,
    source: Mapping[str, str] | None = None,
    figures: str = "",
) -> tuple[Node, ...]:
    """The bodies under a name, as nodes without a revision: once, or at each of some placements.

    stale: why they are out of date. ingredient: whether they are there for others that are built from them.
    source: what made them: ``{cell_id?, file?, label}``. figures: a line. One body has the name itself as
    its node's id; of several each has its number behind it (``case/2``), and all have the number of their
    placement from the second on (``case/2#3``).
    """
    several, again = len(bodies) > 1, len(placements) > 1
    nodes = []
    for place, placement in enumerate(placements or (None,), 1):
        called = placement.name if again and placement is not None else name
        for number, body in enumerate(bodies):
            node_id = f"{name}/{number + 1}" if several else name
            groups = [name] if several or again else []
            if several and again:
                groups.append(called)
            nodes.append(
                Node(
                    node_id=node_id if place == 1 else f"{node_id}#{place}",
                    revision=0,
                    body=body if several else replace(body, name=called),
                    number=number,
                    group="/".join(groups),
                    pose=None if placement is None else placement.pose,
                    stale=stale,
                    ingredient=ingredient,
                    source=source,
                    figures=figures if place == 1 and number == 0 else "",
                )
            )
    return tuple(nodes)


def head_of(node: Node) -> NodeHead:
    """All of a node but its triangles."""
    mesh = node.body.mesh()
    material = node.body.material
    return NodeHead(
        node_id=node.node_id,
        revision=node.revision,
        digest=node.digest,
        name=node.body.name,
        group=node.group,
        material=NodeMaterial(
            name=material.name,
            color=material.color,
            metallic=material.metallic,
            roughness=material.roughness,
            opacity=material.opacity,
        ),
        pose=node.pose,
        bounds=_box(mesh.bounds()),
        triangles=mesh.triangle_count,
        stale=node.stale,
        ingredient=node.ingredient,
        exact=node.body.exact(),
        source=None if node.source is None else dict(node.source),
        figures=node.figures,
    )


def _box(bounds: FloatArray | None) -> tuple[tuple[float, float, float], tuple[float, float, float]] | None:
    if bounds is None:
        return None
    low, high = bounds.tolist()
    return (low[0], low[1], low[2]), (high[0], high[1], high[2])


def mesh_buffers(*meshes: TriMesh, prefix: str = "") -> tuple[Buffer, ...]:
    """Meshes side by side as viewers draw them: positions, normals, triangles and feature edges.

    prefix: of their names.
    """
    drawn = [part_buffers(PartMesh("", mesh)) for mesh in meshes]
    firsts = np.cumsum([0, *(len(each.positions) for each in drawn[:-1])])
    indices = [each.indices.reshape(-1, 3) for each in drawn]
    indices[1:] = [rows + np.uint32(first) for rows, first in zip(indices[1:], firsts[1:], strict=True)]
    return (
        Buffer(f"{prefix}positions", "f4", _together([each.positions for each in drawn])),
        Buffer(f"{prefix}normals", "f4", _together([each.normals for each in drawn])),
        Buffer(f"{prefix}indices", "u4", _together(indices)),
        Buffer(f"{prefix}segments", "f4", _together([each.edges for each in drawn])),
    )


def _together(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """One after the other; one alone is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def rows_parcel(node_id: str, digest: str, rows: Rows) -> Parcel:
    """What the faces and edges of a node are, as a message."""
    said = MeshRows(
        node_id=node_id,
        digest=digest,
        faces=tuple(dict(row) for row in rows.faces),
        edges=tuple(None if row is None else dict(row) for row in rows.edges),
    )
    return Parcel(
        said,
        (
            Buffer("triangle_faces", "u4", rows.triangle_faces),
            Buffer("lines", "f4", rows.lines),
            Buffer("line_starts", "u4", rows.line_starts),
            Buffer("line_tangent", "u1", rows.line_tangent),
        ),
    )
