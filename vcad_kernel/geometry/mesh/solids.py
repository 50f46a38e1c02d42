"""The mesh answer of every node: a document's sub-graph to one noted body.

    builder = MeshBuilder(document, Tessellation(), exact, cache, Recorder())
    answer = builder.answer(node)          # answer.body, None = empty; answer.trace
    solid = builder.carried_out(answer)

Walks without recursion, from the root down to what is known already. Each node is checked on the way
down (parameters before children) and built once on the way up; every answer is kept by content, so
that an edit builds the changed node and what is above it. What body a kind of node has stands in
:mod:`vcad_kernel.geometry.mesh.builders`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from vcad_kernel.errors import Cancelled
from vcad_kernel.geometry.cache.solid_cache import CacheKey, SolidCache
from vcad_kernel.geometry.mesh import manifold_kernel as library
from vcad_kernel.geometry.mesh.body import Body, BodyKey, carry_out
from vcad_kernel.geometry.mesh.builders import ON_FLAT, OPERATORS, body_of
from vcad_kernel.geometry.mesh.manifold_kernel import KernelFault, Made
from vcad_kernel.geometry.mesh.site import Answer, Means, Site
from vcad_kernel.geometry.placement import enlargement
from vcad_kernel.geometry.profiling import Recorder
from vcad_kernel.geometry.solid import ExactKernel, check_parameters, geometry_error
from vcad_kernel.geometry.sweeps.profiles.regions import is_bodiless
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.solids.shapes import Empty
from vcad_kernel.paths import Workspace

__all__ = ["MeshBuilder"]


@dataclass(frozen=True, slots=True)
class _Visit:
    node: NodeId
    scale: float
    """How much the operations above enlarge this node."""


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
        self._means = Means(tessellation, exact, files)
        self._tessellation = tessellation
        self._cache = cache
        self._recorder = recorder
        self._cancelled = cancelled
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

    def emptied(self, root: NodeId) -> list[NodeId]:
        """The outermost nodes of what was built that are known to be empty, and were not written so."""
        empties: dict[NodeId, None] = {}
        seen: set[_Visit] = set()
        pending = [_Visit(root, 1.0)]
        while pending:
            visit = pending.pop()
            if visit in seen:
                continue
            seen.add(visit)
            node = self._document.nodes[visit.node]
            if isinstance(node, Empty):
                continue
            if self._is_empty(visit):
                empties[visit.node] = None
            else:
                pending += reversed(self._below(visit))
        return list(empties)

    def _is_empty(self, visit: _Visit) -> bool:
        """Whether it is known: of a body that was put together as part of another it is not."""
        answer = self._answers.get(visit) or self._cache.look(self._key(visit, "body"))
        if answer is None:
            return False
        body: Body | None = answer.body
        while body is not None and len(body.matrices) == 1:
            body = body.operands[0]
        made = None if body is None else body.solid or self.get(body)
        return body is None or (made is not None and made.is_empty)

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
        if visit.node not in self._checked:
            check_parameters(self._document, visit.node)
            self._checked.add(visit.node)
        return self._below(visit)

    def _below(self, visit: _Visit) -> list[_Visit]:
        """The bodies that a node's own is made of."""
        nodes = self._document.nodes
        node = nodes[visit.node]
        if not isinstance(node, OPERATORS):
            # sketches are read by the sweeps, and solids by the exact kernel itself
            return []
        scale = visit.scale * enlargement(node)
        reads_flat = isinstance(node, ON_FLAT)
        below = [child for child in node.children() if not (reads_flat and is_bodiless(nodes[child]))]
        return [_Visit(child, scale) for child in below]

    def _leave(self, visit: _Visit, children: list[_Visit]) -> None:
        self._ask_whether_to_stop()
        node = self._document.nodes[visit.node]
        digest = self._document.digest(visit.node)
        begun = self._recorder.start()
        operands = [self._answers[child] for child in children]
        site = Site(self._document, self._means, visit.node, digest, visit.scale, operands, self.carried_out)
        try:
            body = body_of(node, site)
        except KernelFault as fault:
            raise geometry_error(self._document, visit.node, node.FAILURE, str(fault), failed=True) from None
        answer = Answer(body, site.trace())
        self._answers[visit] = answer
        solid = None if body is None else body.solid
        self._recorder.built(digest, begun, None if solid is None else solid.triangles)
        if body is None or body.heaviest <= self._cache.limit:
            self._keep(visit, answer, body)

    def _keep(self, visit: _Visit, answer: Answer, body: Body | None) -> None:
        made_here = () if body is None else (body, *body.operands)
        for part in made_here:
            if part.solid is not None:
                self._cache.hold(part.solid)
        self._cache.put(self._key(visit, "body"), answer)

    def _ask_whether_to_stop(self) -> None:
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("the evaluation was stopped")
