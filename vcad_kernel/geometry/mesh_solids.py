"""The mesh answer of every node: a document's sub-graph to one noted body.

    builder = MeshBuilder(document, Tessellation(), exact, cache, Recorder())
    answer = builder.answer(node)          # answer.body, None = empty; answer.trace
    solid = builder.carried_out(answer)

Walks without recursion, from the root down to what is known already. Each node is checked on the way
down (parameters before children) and built once on the way up; every answer is kept by content, so
that an edit builds the changed node and what is above it. What only the exact kernel can build is its
own tessellation, in which each face remembers its maker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from vcad_kernel.errors import Cancelled
from vcad_kernel.geometry import manifold_kernel as library
from vcad_kernel.geometry.ball import ball
from vcad_kernel.geometry.body import Body, BodyFault, BodyKey, carry_out, combined, placed, primitive
from vcad_kernel.geometry.cache import CacheKey, SolidCache
from vcad_kernel.geometry.checks import check_parameters
from vcad_kernel.geometry.manifold_kernel import KernelFault, Made, Operation
from vcad_kernel.geometry.mesh_literal import read_mesh, separate_lumps
from vcad_kernel.geometry.mesh_reading import read_mesh_file
from vcad_kernel.geometry.mesh_shapes import gear, prism, text, torus, wedge
from vcad_kernel.geometry.mesh_site import Answer, Site
from vcad_kernel.geometry.placement import copies, enlargement, matrix_of
from vcad_kernel.geometry.profile import Profile, read_profile
from vcad_kernel.geometry.profiling import Recorder
from vcad_kernel.geometry.solid import ExactKernel, geometry_error
from vcad_kernel.geometry.sweeping import Swept, extrude, lofted, revolve, sweep
from vcad_kernel.geometry.swept import Skin
from vcad_kernel.geometry.tolerance import Tessellation, sagitta
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.nodes import (
    Chamfer,
    ChamferAt,
    CircularPattern,
    Cone,
    Cube,
    Cylinder,
    Difference,
    Draft,
    Empty,
    Extrude,
    Fillet,
    FilletAt,
    Gear,
    HelixPath,
    Hull,
    ImportedMesh,
    Intersection,
    LinearPattern,
    Loft,
    MeshFile,
    Mirror,
    Node,
    NodeId,
    Offset,
    Prism,
    Revolve,
    Rotate,
    Scale,
    Section,
    Shell,
    ShellOpen,
    Sketch2D,
    Sphere,
    StepFile,
    Sweep,
    Text,
    Torus,
    Translate,
    Union,
    Wedge,
)
from vcad_kernel.paths import Workspace

__all__ = ["MeshBuilder", "failure_code", "fault_of"]


@dataclass(frozen=True, slots=True)
class _Visit:
    node: NodeId
    scale: float
    """How much the operations above enlarge this node."""


_Built: TypeAlias = "Body | None"


class MeshBuilder:
    """Builds the meshes of one document's roots; forget it afterwards.

    cache: answers from before, looked up and added to. cancelled: asked between nodes.
    files: where imported meshes are read from.
    """

    def __init__(
        self,
        document: Document,
        tessellation: Tessellation,
        exact: ExactKernel,
        cache: SolidCache,
        recorder: Recorder,
        cancelled: Callable[[], bool] | None = None,
        files: Workspace | None = None,
    ) -> None:
        self._document = document
        self._tessellation = tessellation
        self._exact = exact
        self._cache = cache
        self._recorder = recorder
        self._cancelled = cancelled
        self._files = files
        self._identity = f"{library.identity()} / {exact.identity}"
        self._answers: dict[_Visit, Answer] = {}
        self._checked: set[NodeId] = set()
        self._begun: list[tuple[float, float]] = []

    def answer(self, root: NodeId) -> Answer:
        """The body of a node, its operations noted.

        Raises: GeometryError, CapabilityUnavailable, Cancelled.
        """
        top = _Visit(root, 1.0)
        pending: list[tuple[_Visit, list[_Visit] | None]] = [(top, None)]
        while pending:
            visit, children = pending.pop()
            if visit in self._answers:
                self._recorder.known(self._document.digest(visit.node))
                continue
            if children is None:
                known = self._cache.get(self._key(visit, "body"))
                if known is not None:
                    self._recorder.known(self._document.digest(visit.node))
                    self._answers[visit] = known
                    continue
                children = self._enter(visit)
                pending.append((visit, children))
                pending.extend((child, None) for child in reversed(children))
            else:
                self._leave(visit, children)
        return self._answers[top]

    def carried_out(self, answer: Answer) -> Made | None:
        """The solid of an answer; None = empty. Raises: BodyFault."""
        if answer.body is None:
            return None
        made = carry_out(answer.body, self)
        return None if made.is_empty else made

    # ------------------------------------------------------------ what was carried out (Results)

    def get(self, body: Body) -> Made | None:
        """The solid of a body, if it was carried out before and is still known."""
        known: Made | None = self._cache.look(self._result_key(body.key))
        return known

    def begin(self, body: Body) -> None:
        """Start the clock for a batch, unless the evaluation is to stop."""
        del body
        self._ask_whether_to_stop()
        self._begun.append(self._recorder.start())

    def done(self, body: Body, made: Made) -> None:
        """Keep a result, and charge its node."""
        self._recorder.spent(body.key.digest, self._begun.pop(), made.triangles)
        self._cache.put(self._result_key(body.key), made)

    def _key(self, visit: _Visit, what: str) -> CacheKey:
        digest = self._document.digest(visit.node)
        return digest, f"{what} ×{visit.scale!r} {self._identity}", self._tessellation

    def solid_key(self, node: NodeId) -> CacheKey:
        """The key of a node's finished mesh."""
        return self._key(_Visit(node, 1.0), "mesh")

    def _result_key(self, key: BodyKey) -> CacheKey:
        return key.digest, f"result {key.piece} ×{key.scale!r} {self._identity}", self._tessellation

    # ------------------------------------------------------------ the walk

    def _enter(self, visit: _Visit) -> list[_Visit]:
        """Check a node's own parameters; what must be built before it."""
        node = self._document.nodes[visit.node]
        if visit.node not in self._checked:
            check_parameters(self._document, visit.node)
            self._checked.add(visit.node)
        if not isinstance(node, _OPERATORS):
            # sketches are read by who sweeps them, and solids by the exact kernel itself
            return []
        scale = visit.scale * enlargement(node)
        return [_Visit(child, scale) for child in node.children()]

    def _leave(self, visit: _Visit, children: list[_Visit]) -> None:
        self._ask_whether_to_stop()
        node = self._document.nodes[visit.node]
        digest = self._document.digest(visit.node)
        begun = self._recorder.start()
        operands = [self._answers[child] for child in children]
        site = Site(self._document, visit.node, digest, visit.scale, operands)
        try:
            body = _BUILD[type(node)](self, node, site)
        except KernelFault as fault:
            raise geometry_error(
                self._document, visit.node, failure_code(node), str(fault), failed=True
            ) from None
        answer = Answer(body, site.trace())
        self._answers[visit] = answer
        solid = None if body is None else body.solid
        self._recorder.built(digest, begun, None if solid is None else solid.triangles)
        if body is None or body.heaviest <= self._cache.limit:
            self._keep(visit, answer, body)

    def _keep(self, visit: _Visit, answer: Answer, body: Body | None) -> None:
        made_here = () if body is None else (body, *body.operands)
        for one in made_here:
            if one.solid is not None:
                self._cache.hold(one.solid)
        self._cache.put(self._key(visit, "body"), answer)

    def _ask_whether_to_stop(self) -> None:
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("the evaluation was stopped")

    def _sides(self, radius: float, hint: int, site: Site) -> int:
        sides = self._tessellation.sides(radius, hint=hint, scale=site.scale)
        site.chord = max(site.chord, sagitta(radius, sides) * site.scale)
        return sides

    # ------------------------------------------------------------ node kinds

    def _empty(self, _node: Empty, _site: Site) -> _Built:
        return None

    def _cube(self, node: Cube, site: Site) -> _Built:
        return site.made(library.cube(node.size))

    def _cylinder(self, node: Cylinder, site: Site) -> _Built:
        sides = self._sides(node.radius, node.segments, site)
        return site.made(library.cylinder(node.radius, node.height, sides))

    def _cone(self, node: Cone, site: Site) -> _Built:
        sides = self._sides(max(node.radius_bottom, node.radius_top), node.segments, site)
        return site.made(library.cone(node.radius_bottom, node.radius_top, node.height, sides))

    def _sphere(self, node: Sphere, site: Site) -> _Built:
        return site.union((ball(node.radius, self._sides(node.radius, node.segments, site)),))

    def _shape(self, node: Node, site: Site) -> _Built:
        swept = _SHAPES[type(node)](self._document, site.node, self._tessellation, site.scale)
        site.chord = swept.deviation
        # a text of blanks has no letters
        return site.union(swept.skins) if swept.skins else None

    def _mesh(self, _node: ImportedMesh, site: Site) -> _Built:
        skin = read_mesh(self._document, site.node)
        return None if skin is None else site.union(separate_lumps(skin))

    def _mesh_file(self, _node: MeshFile, site: Site) -> _Built:
        skin = read_mesh_file(self._document, site.node, self._files)
        return None if skin is None else site.union(separate_lumps(skin))

    def _boolean(self, node: Union | Difference | Intersection, site: Site) -> _Built:
        left, right = (operand.body for operand in site.operands)
        operation = _OPERATIONS[type(node)]
        if left is None:
            return right if operation is Operation.UNION else None
        if right is None:
            return None if operation is Operation.INTERSECTION else left
        if left.key == right.key:
            return None if operation is Operation.DIFFERENCE else left
        return combined(site.key(), operation, (left, right))

    def _transform(self, node: Node, site: Site) -> _Built:
        body = site.operands[0].body
        return None if body is None else placed(site.key(), body, (matrix_of(node),))

    def _pattern(self, node: LinearPattern | CircularPattern, site: Site) -> _Built:
        body = site.operands[0].body
        return body if body is None or node.count == 1 else placed(site.key(), body, copies(node))

    def _hull(self, _node: Hull, site: Site) -> _Built:
        solid = self._operand(site)
        return None if solid is None else site.made(library.hull(solid))

    def _section(self, node: Section, site: Site) -> _Built:
        solid = self._operand(site)
        if solid is None:
            return None
        kept, original = library.cut(solid, node.origin, node.normal)
        if kept.is_empty:
            return None
        if original is not None:
            site.makers.append((original, site.digest))
        return primitive(site.key(), kept)

    def _operand(self, site: Site) -> Made | None:
        """The operand of a node that needs it whole."""
        try:
            return self.carried_out(site.operands[0])
        except BodyFault as fault:
            raise fault_of(self._document, fault) from None

    def _sketch(self, _node: Sketch2D, site: Site) -> _Built:
        raise geometry_error(
            self._document, site.node, "TYPE_MISMATCH", "a solid is expected here, not a sketch"
        )

    def _swept(self, node: Node, site: Site) -> _Built:
        profiles = [self._profile_of(child) for child in node.children()]
        make: Callable[..., Swept] = _SWEEPS[type(node)]
        swept = make(self._document, site.node, profiles, self._tessellation, site.scale)
        site.chord = swept.deviation
        if isinstance(node, Sweep) and isinstance(node.path, HelixPath):
            site.note_pitch(node.path)
        return site.union(swept.skins)

    def _profile_of(self, sketch: NodeId) -> Profile:
        # whatever is no sketch is refused by the reader of sketches, in its own words
        return read_profile(self._document, sketch)

    def _feature(self, node: Node, site: Site) -> _Built:
        children = node.children()
        if children and isinstance(self._document.nodes[children[0]], Empty):
            return None
        traced = self._exact.tessellate(self._document, site.node, self._tessellation, site.scale)
        if traced is None or traced.mesh.is_empty:
            return None
        site.chord = traced.chord
        site.notes += traced.notes
        # one run for each maker, so that faces keep their makers through later booleans
        order = np.argsort(traced.maker_of, kind="stable")
        lengths = np.bincount(traced.maker_of, minlength=len(traced.makers))
        used = np.flatnonzero(lengths)
        skin = Skin(traced.mesh.positions, traced.mesh.indices[order].astype(np.int64))
        solid, originals = library.of_runs(skin, lengths[used].tolist())
        makers = [traced.makers[index] for index in used]
        site.makers += zip(originals, makers, strict=True)
        return primitive(site.key(), solid)


def failure_code(node: Node) -> str:
    """The code of a node whose solid the mesh kernel could not make."""
    return _FAILURES.get(type(node), "BOOLEAN_FAILED")


def fault_of(document: Document, fault: BodyFault) -> Exception:
    """The error of a body that could not be carried out."""
    node = document.by_digest[fault.body.key.digest]
    code = "INVALID_PARAMETER" if fault.status == "NonFiniteVertex" else failure_code(document.nodes[node])
    return geometry_error(
        document, node, code, f"could not be built: {fault}", failed=code != "INVALID_PARAMETER"
    )


_FAILURES: dict[type[Node], str] = {
    Sweep: "SWEEP_FAILED",
    Loft: "LOFT_FAILED",
    Hull: "HULL_FAILED",
    ImportedMesh: "MESH_NOT_MANIFOLD",
    MeshFile: "MESH_NOT_MANIFOLD",
}

_OPERATIONS: dict[type[Node], Operation] = {
    Union: Operation.UNION,
    Difference: Operation.DIFFERENCE,
    Intersection: Operation.INTERSECTION,
}

_OPERATORS = (
    Union,
    Difference,
    Intersection,
    LinearPattern,
    CircularPattern,
    Translate,
    Rotate,
    Scale,
    Mirror,
    Hull,
    Section,
)
"""What is built from the meshes of its children."""

_SWEEPS: dict[type[Node], Callable[..., Swept]] = {
    Extrude: extrude,
    Revolve: revolve,
    Sweep: sweep,
    Loft: lofted,
}

_SHAPES: dict[type[Node], Callable[[Document, NodeId, Tessellation, float], Swept]] = {
    Torus: torus,
    Wedge: wedge,
    Prism: prism,
    Gear: gear,
    Text: text,
}

_FEATURES = (Fillet, Chamfer, Shell, FilletAt, ChamferAt, ShellOpen, Offset, Draft, StepFile)
"""What only the exact kernel builds."""

_BUILD: dict[type[Node], Callable[[MeshBuilder, Any, Site], _Built]] = {
    Empty: MeshBuilder._empty,
    Cube: MeshBuilder._cube,
    Cylinder: MeshBuilder._cylinder,
    Cone: MeshBuilder._cone,
    Sphere: MeshBuilder._sphere,
    ImportedMesh: MeshBuilder._mesh,
    MeshFile: MeshBuilder._mesh_file,
    **dict.fromkeys((Union, Difference, Intersection), MeshBuilder._boolean),
    **dict.fromkeys((LinearPattern, CircularPattern), MeshBuilder._pattern),
    Hull: MeshBuilder._hull,
    Section: MeshBuilder._section,
    Sketch2D: MeshBuilder._sketch,
    **dict.fromkeys((Translate, Rotate, Scale, Mirror), MeshBuilder._transform),
    **dict.fromkeys(_SWEEPS, MeshBuilder._swept),
    **dict.fromkeys(_SHAPES, MeshBuilder._shape),
    **dict.fromkeys(_FEATURES, MeshBuilder._feature),
}
