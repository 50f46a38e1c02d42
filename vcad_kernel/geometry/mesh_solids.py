"""The mesh answer of every node: a document's sub-graph to one noted body, then to a mesh.

    builder = MeshBuilder(document, Tessellation(), NoExactKernel())
    solid = builder.solid(node)

Walks without recursion. Each node is checked on the way down (parameters before children) and
built once on the way up. Chains of transforms become one matrix, chains of booleans and nested
patterns one list. Features ask the exact kernel for their own tessellation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from vcad_kernel.errors import Cancelled
from vcad_kernel.geometry.ball import ball
from vcad_kernel.geometry.checks import check_parameters
from vcad_kernel.geometry.manifold_kernel import Body, KernelFault, Operation
from vcad_kernel.geometry.mesh_literal import read_mesh, separate_lumps
from vcad_kernel.geometry.placement import compose, copies, enlargement, is_transform, matrix_of
from vcad_kernel.geometry.profile import Profile, read_profile
from vcad_kernel.geometry.solid import ExactKernel, geometry_error
from vcad_kernel.geometry.sweeping import Swept, extrude, lofted, revolve, sweep
from vcad_kernel.geometry.swept import Skin
from vcad_kernel.geometry.tolerance import Tessellation, sagitta
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.nodes import (
    Chamfer,
    CircularPattern,
    Cone,
    Cube,
    Cylinder,
    Difference,
    Empty,
    Extrude,
    Fillet,
    HelixPath,
    ImportedMesh,
    Intersection,
    LinearPattern,
    Loft,
    Node,
    NodeId,
    Revolve,
    Rotate,
    Scale,
    Shell,
    Sketch2D,
    Sphere,
    Sweep,
    Translate,
    Union,
)

__all__ = ["MeshBuilder", "MeshSolid", "Note"]

_Answer: TypeAlias = Body | Profile | None
"""What a node gives its parents; None is the solid known to be empty."""


@dataclass(frozen=True, slots=True)
class Note:
    """A warning about a node."""

    code: str
    message: str
    node: NodeId


@dataclass(frozen=True, slots=True, eq=False)
class MeshSolid:
    """The answer for one root."""

    body: Body | None
    """None = empty."""
    chord: float
    """Largest distance between the mesh and the true surface of the operands, millimetres."""
    makers: dict[int, NodeId]
    """The node that made each original body."""
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class _Visit:
    node: NodeId
    scale: float
    """How much the operations above enlarge this node."""


class MeshBuilder:
    """Builds the meshes of one document's roots; forget it afterwards."""

    def __init__(
        self,
        document: Document,
        tessellation: Tessellation,
        exact: ExactKernel,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self._document = document
        self._tessellation = tessellation
        self._exact = exact
        self._cancelled = cancelled
        self._answers: dict[_Visit, _Answer] = {}
        self._checked: set[NodeId] = set()
        self._uses: Counter[NodeId] = Counter()
        self._chord = 0.0
        self._makers: dict[int, NodeId] = {}
        self._notes: list[Note] = []

    def solid(self, root: NodeId) -> MeshSolid:
        """The body of a node, its operations noted.

        Raises: GeometryError, CapabilityUnavailable, Cancelled.
        """
        self._chord, self._makers, self._notes = 0.0, {}, []
        self._answers, self._checked = {}, set()
        document = self._document
        self._uses = Counter(
            child for node in document.subgraph(root) for child in document.nodes[node].children()
        )
        top = _Visit(root, 1.0)
        pending: list[tuple[_Visit, list[_Visit] | None]] = [(top, None)]
        while pending:
            visit, children = pending.pop()
            if visit in self._answers:
                continue
            if children is None:
                children = self._enter(visit)
                pending.append((visit, children))
                pending.extend((child, None) for child in reversed(children))
            else:
                self._leave(visit, children)
        body = self._solid_of(top)
        return MeshSolid(body, self._chord, self._makers, tuple(self._notes))

    def _enter(self, visit: _Visit) -> list[_Visit]:
        """Check a node's own parameters; what must be built before it."""
        node = self._document.nodes[visit.node]
        self._check(visit.node)
        if is_transform(node):
            return [self._chain_end(visit)]
        return [_Visit(child, visit.scale) for child in node.children()]

    def _check(self, node: NodeId) -> None:
        if node not in self._checked:
            check_parameters(self._document, node)
            self._checked.add(node)

    def _chain_end(self, visit: _Visit) -> _Visit:
        """The first node below a chain of transforms that is no transform, or has other parents."""
        nodes = self._document.nodes
        scale, here = visit.scale, nodes[visit.node]
        while True:
            (child,) = here.children()
            scale *= enlargement(here)
            here = nodes[child]
            if not is_transform(here) or self._uses[child] > 1:
                return _Visit(child, scale)
            self._check(child)

    def _leave(self, visit: _Visit, children: list[_Visit]) -> None:
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("the evaluation was stopped")
        node = self._document.nodes[visit.node]
        try:
            answer = _BUILD[type(node)](self, node, visit, children)
        except KernelFault as fault:
            raise geometry_error(
                self._document, visit.node, _failure_code(node), str(fault), failed=True
            ) from None
        if isinstance(answer, Body) and self._uses[visit.node] > 1:
            answer = answer.shared()
        self._answers[visit] = answer

    def _solid_of(self, visit: _Visit) -> Body | None:
        """The body of a child, ready to be used up by one parent."""
        answer = self._answers[visit]
        if isinstance(answer, Profile):
            raise geometry_error(
                self._document, visit.node, "TYPE_MISMATCH", "a solid is expected here, not a sketch"
            )
        if answer is not None and self._uses[visit.node] > 1:
            return answer.again()
        return answer

    def _profile_of(self, visit: _Visit) -> Profile:
        answer = self._answers[visit]
        # whatever is no sketch is refused by the reader of sketches, in its own words
        return answer if isinstance(answer, Profile) else read_profile(self._document, visit.node)

    def _original(self, body: Body, node: NodeId) -> Body:
        self._makers[body.original()] = node
        return body

    def _sides(self, radius: float, hint: int, scale: float) -> int:
        sides = self._tessellation.sides(radius, hint=hint, scale=scale)
        self._chord = max(self._chord, sagitta(radius, sides) * scale)
        return sides

    # ------------------------------------------------------------ node kinds

    def _empty(self, _node: Empty, _visit: _Visit, _children: list[_Visit]) -> _Answer:
        return None

    def _cube(self, node: Cube, visit: _Visit, _children: list[_Visit]) -> _Answer:
        return self._original(Body.cube(node.size), visit.node)

    def _cylinder(self, node: Cylinder, visit: _Visit, _children: list[_Visit]) -> _Answer:
        sides = self._sides(node.radius, node.segments, visit.scale)
        return self._original(Body.cylinder(node.radius, node.height, sides), visit.node)

    def _cone(self, node: Cone, visit: _Visit, _children: list[_Visit]) -> _Answer:
        sides = self._sides(max(node.radius_bottom, node.radius_top), node.segments, visit.scale)
        body = Body.cone(node.radius_bottom, node.radius_top, node.height, sides)
        return self._original(body, visit.node)

    def _sphere(self, node: Sphere, visit: _Visit, _children: list[_Visit]) -> _Answer:
        sides = self._sides(node.radius, node.segments, visit.scale)
        return self._original(Body.of_skin(ball(node.radius, sides)), visit.node)

    def _mesh(self, _node: ImportedMesh, visit: _Visit, _children: list[_Visit]) -> _Answer:
        skin = read_mesh(self._document, visit.node)
        return None if skin is None else self._original_union(separate_lumps(skin), visit.node)

    def _boolean(
        self, node: Union | Difference | Intersection, _visit: _Visit, children: list[_Visit]
    ) -> _Answer:
        left, right = (self._solid_of(child) for child in children)
        if node.left == node.right:
            return None if isinstance(node, Difference) else left
        operation = _OPERATIONS[type(node)]
        if left is None:
            return right if operation is Operation.UNION else None
        if right is None:
            return None if operation is Operation.INTERSECTION else left
        return left.combined(right, operation)

    def _transform(self, node: Node, _visit: _Visit, children: list[_Visit]) -> _Answer:
        body = self._solid_of(children[0])
        if body is None:
            return None
        matrix = matrix_of(node)
        here = node
        while True:
            (child,) = here.children()
            if child == children[0].node:
                return body.moved(matrix)
            here = self._document.nodes[child]
            matrix = compose(matrix, matrix_of(here))

    def _pattern(
        self, node: LinearPattern | CircularPattern, _visit: _Visit, children: list[_Visit]
    ) -> _Answer:
        body = self._solid_of(children[0])
        if body is None or node.count == 1:
            return body
        return body.repeated(copies(node))

    def _sketch(self, _node: Sketch2D, visit: _Visit, _children: list[_Visit]) -> _Answer:
        return read_profile(self._document, visit.node)

    def _swept(self, node: Node, visit: _Visit, children: list[_Visit]) -> _Answer:
        profiles = [self._profile_of(child) for child in children]
        make: Callable[..., Swept] = _SWEEPS[type(node)]
        swept = make(self._document, visit.node, profiles, self._tessellation, visit.scale)
        self._chord = max(self._chord, swept.deviation)
        if isinstance(node, Sweep) and isinstance(node.path, HelixPath):
            self._note_pitch(node.path, visit.node)
        return self._original_union(swept.skins, visit.node)

    def _original_union(self, skins: tuple[Skin, ...], node: NodeId) -> Body:
        first, *rest = (self._original(Body.of_skin(skin), node) for skin in skins)
        for body in rest:
            first = first.combined(body, Operation.UNION)
        return first

    def _note_pitch(self, path: HelixPath, node: NodeId) -> None:
        if abs(path.pitch * path.turns - path.height) > 1e-6 * max(1.0, abs(path.height)):
            self._notes.append(
                Note(
                    "PITCH_MISMATCH",
                    f"sweep-helix: pitch {path.pitch:g} × turns {path.turns:g} is not height {path.height:g};"
                    " height and turns are used",
                    node,
                )
            )

    def _feature(self, _node: Node, visit: _Visit, children: list[_Visit]) -> _Answer:
        body = self._solid_of(children[0])
        if body is None or body.is_empty():
            return None
        mesh = self._exact.tessellate(self._document, visit.node, self._tessellation)
        self._chord = max(self._chord, self._tessellation.chord)
        skin = Skin(mesh.positions, mesh.indices.astype(np.int64))
        return self._original(Body.of_skin(skin), visit.node)


def _failure_code(node: Node) -> str:
    return {Sweep: "SWEEP_FAILED", Loft: "LOFT_FAILED", ImportedMesh: "MESH_NOT_MANIFOLD"}.get(
        type(node), "BOOLEAN_FAILED"
    )


_OPERATIONS: dict[type[Node], Operation] = {
    Union: Operation.UNION,
    Difference: Operation.DIFFERENCE,
    Intersection: Operation.INTERSECTION,
}

_SWEEPS: dict[type[Node], Callable[..., Swept]] = {
    Extrude: extrude,
    Revolve: revolve,
    Sweep: sweep,
    Loft: lofted,
}

_BUILD: dict[type[Node], Callable[[MeshBuilder, Any, _Visit, list[_Visit]], _Answer]] = {
    Empty: MeshBuilder._empty,
    Cube: MeshBuilder._cube,
    Cylinder: MeshBuilder._cylinder,
    Cone: MeshBuilder._cone,
    Sphere: MeshBuilder._sphere,
    ImportedMesh: MeshBuilder._mesh,
    **dict.fromkeys((Union, Difference, Intersection), MeshBuilder._boolean),
    **dict.fromkeys((LinearPattern, CircularPattern), MeshBuilder._pattern),
    Sketch2D: MeshBuilder._sketch,
    **dict.fromkeys((Translate, Rotate, Scale), MeshBuilder._transform),
    **dict.fromkeys(_SWEEPS, MeshBuilder._swept),
    **dict.fromkeys((Fillet, Chamfer, Shell), MeshBuilder._feature),
}
