"""What must be built before a node, and how the node is then put together.

Chains of transforms become one matrix; chains of unions and nested patterns one list of placed
bodies; chains of differences one list of tools (cad.md §10.7). A matrix that is no similarity sinks
through booleans to the primitives, whose sizes take it up where they can. Nothing here recurses, and
a node with several parents is built once, as a body of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.occt.booleans.booleans import common, cut, united
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build, Builder
from vcad_kernel.geometry.occt.measure.boxes import loose_box
from vcad_kernel.geometry.occt.measure.distances.meetings import volume_between
from vcad_kernel.geometry.occt.primitives import PRIMITIVES, taken_up
from vcad_kernel.geometry.occt.transforms import is_similarity, moved
from vcad_kernel.geometry.placement import IDENTITY, Matrix, compose, copies, is_transform, matrix_of
from vcad_kernel.geometry.solid import NOTHING_LEFT, nothing_common, nothing_left
from vcad_kernel.geometry.sweeps.profiles.regions import is_bodiless, solids_under
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.bodies.bodies import Feature
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.solids.shapes import Empty

__all__ = ["Plan", "Visit", "plan_of"]

_MUCH_LARGER = 10.0
"""A body that is enlarged takes its tolerances with it: beyond this, primitives are made large instead."""

Bodies: TypeAlias = Sequence[Brep | None]


@dataclass(frozen=True, slots=True)
class Visit:
    """A solid to be built: a node's, perhaps stretched or with its faces merged."""

    node: NodeId
    stretch: tuple[float, ...] = ()
    """Nine numbers, row by row, applied to the node's solid; () = none. No similarity, unless it enlarges
    much."""
    merged: bool = False

    @property
    def form(self) -> str:
        """What distinguishes it from the other solids of the same node, as part of a cache key."""
        stretch = "".join(f" {value.hex()}" for value in self.stretch)
        return f"{' merged' if self.merged else ''}{stretch}"


@dataclass(frozen=True, slots=True)
class Plan:
    """How a visit is answered."""

    visits: tuple[Visit, ...]
    """What must be there before, each once."""
    build: Callable[[Build, Bodies], Brep | None]
    """From the bodies of the visits, in order."""


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """A node's solid under a matrix."""

    node: NodeId
    matrix: Matrix


def plan_of(
    document: Document, uses: Counter[NodeId], visit: Visit, builders: dict[type[Node], Builder]
) -> Plan:
    """The plan of a visit. uses: how many parents each node has under the root that is built."""
    planner = _Planner(document, uses, builders)
    if visit.merged:
        end = planner._chain_end(_Placed(visit.node, IDENTITY)).node
        build = _as_it_is if isinstance(document.nodes[end], PRIMITIVES) else _merged
        return Plan((Visit(visit.node, visit.stretch),), build)
    return planner.plan(visit)


def _merged(_build: Build, bodies: Bodies) -> Brep | None:
    (body,) = bodies
    return None if body is None else unified(body)


def _as_it_is(_build: Build, bodies: Bodies) -> Brep | None:
    """A primitive has no two faces of one surface."""
    (body,) = bodies
    return body


def _box_of(bodies: Sequence[Brep]) -> NDArray[np.float64]:
    """The corners (2, 3) of a box about some bodies, mm."""
    boxes = np.array([loose_box(body) for body in bodies])
    return np.array([boxes[:, 0].min(0), boxes[:, 1].max(0)])


class _Planner:
    def __init__(
        self, document: Document, uses: Counter[NodeId], builders: dict[type[Node], Builder]
    ) -> None:
        self._document = document
        self._uses = uses
        self._builders = builders

    def plan(self, visit: Visit) -> Plan:
        node = self._document.nodes[visit.node]
        matrix = (
            np.hstack([np.reshape(visit.stretch, (3, 3)), np.zeros((3, 1))]) if visit.stretch else IDENTITY
        )
        if is_transform(node):
            return self._moved(_Placed(visit.node, matrix))
        match node:
            case Union() | LinearPattern() | CircularPattern():
                return self._united(_Placed(visit.node, matrix))
            case Difference():
                return self._cut(_Placed(visit.node, matrix))
            case Intersection():
                return self._common(_Placed(visit.node, matrix))
        return self._built(node, matrix)

    # ------------------------------------------------------------ kinds of plan

    def _built(self, node: Node, matrix: Matrix) -> Plan:
        """By the node's own builder; a primitive takes a stretch up."""
        builder = self._builders[type(node)]
        taken = None if matrix is IDENTITY else taken_up(node, matrix)
        if taken is not None:
            other, place = taken

            def stretched(build: Build, _bodies: Bodies) -> Brep | None:
                body = builder(build, other, ())
                return None if body is None else moved(body, place)

            return Plan((), stretched)
        document = self._document
        children = node.children()
        flat = [child for child in children if is_bodiless(document.nodes[child])]
        if not flat:
            visits = tuple(Visit(child, merged=isinstance(node, Feature)) for child in children)
            return Plan(visits, lambda build, bodies: builder(build, node, bodies))
        # profiles and planes have no body: builders read them themselves, and need what they stand on
        places: dict[NodeId, int] = {}
        for child in children:
            if child not in flat:
                places.setdefault(child, len(places))
        own = [Visit(child, merged=isinstance(node, Feature)) for child in places]
        under = [Visit(below, merged=True) for child in flat for below in solids_under(document, child)]
        visits = tuple(dict.fromkeys([*own, *under]))

        def grown(build: Build, bodies: Bodies) -> Brep | None:
            operands = [None if child in flat else bodies[places[child]] for child in children]
            body = builder(build, node, operands)
            return None if body is None else body.off_by(build.fit, build.maker)

        return Plan(visits, grown)

    def _moved(self, top: _Placed) -> Plan:
        visit, place = self._visit(self._chain_end(top))

        def build(_build: Build, bodies: Bodies) -> Brep | None:
            (body,) = bodies
            return None if body is None else moved(body, place)

        return Plan((visit,), build)

    def _united(self, top: _Placed) -> Plan:
        wanted = _Wanted(self, self._spread(top, dissolve=True))
        return Plan(wanted.visits, lambda build, bodies: united(build, wanted.there(bodies)))

    def _cut(self, top: _Placed) -> Plan:
        nodes = self._document.nodes
        tools: list[_Placed] = []
        here = top.node
        gone = False
        while True:
            node = nodes[here]
            assert isinstance(node, Difference)
            # A − A is empty, whatever else is cut off
            gone = gone or self._document.digest(node.left) == self._document.digest(node.right)
            # (a − b) − c is a − (b ∪ c): one boolean for the chain, down to a difference that others use, too
            tools[:0] = self._spread(_Placed(node.right, top.matrix), dissolve=self._uses[node.right] < 2)
            here = node.left
            if not isinstance(nodes[here], Difference) or self._uses[here] > 1:
                break
        wanted = _Wanted(self, [_Placed(here, top.matrix), *tools])

        def build(build: Build, bodies: Bodies) -> Brep | None:
            base, *others = wanted.all(bodies)
            if base is None:
                return None
            there = [body for body in others if body is not None]
            left = None if gone else cut(build, base, there) if there else base
            if left is None:
                function = build.document.function_of(build.node)
                build.warn(NOTHING_LEFT, nothing_left(function, loose_box(base), _box_of(there)))
            return left

        return Plan(wanted.visits, build)

    def _common(self, top: _Placed) -> Plan:
        nodes = self._document.nodes
        operands: list[_Placed] = []
        pending = [top.node]
        while pending:
            here = pending.pop()
            node = nodes[here]
            if isinstance(node, Intersection) and (here == top.node or self._uses[here] < 2):
                pending += (node.right, node.left)
            else:
                operands.append(_Placed(here, top.matrix))
        wanted = _Wanted(self, self._distinct(operands))

        def build(build: Build, bodies: Bodies) -> Brep | None:
            there = wanted.there(bodies)
            if len(there) < len(wanted.places):
                return None
            shared = common(build, there)
            if shared is None:
                build.warn(NOTHING_LEFT, nothing_common(loose_box(there[0]), _box_of(there[1:])))
            return shared

        return Plan(wanted.visits, build)

    # ------------------------------------------------------------ lists of placed bodies

    def _chain_end(self, top: _Placed) -> _Placed:
        """The first node below transforms that is none, under all of them."""
        nodes = self._document.nodes
        here, matrix = top.node, top.matrix
        while is_transform(nodes[here]):
            matrix = compose(matrix, matrix_of(nodes[here]))
            (here,) = nodes[here].children()
        return _Placed(here, matrix)

    def _spread(self, top: _Placed, *, dissolve: bool) -> list[_Placed]:
        """The bodies whose union a node is. dissolve: also when the node itself is a union or a pattern."""
        nodes = self._document.nodes
        operands: list[_Placed] = []
        pending = [(top, True, dissolve)]
        while pending:
            placed, of_union, open_it = pending.pop()
            end = self._chain_end(placed)
            node = nodes[end.node]
            # a union that others use, too, is carried out once and kept
            alone = open_it if end.node == top.node else self._uses[end.node] < 2
            if isinstance(node, LinearPattern | CircularPattern) and alone:
                # a union under a pattern is carried out once, not once for each copy
                pending += [
                    (_Placed(node.child, compose(end.matrix, place)), False, True)
                    for place in reversed(copies(node))
                ]
            elif isinstance(node, Union) and alone and of_union:
                pending += [(_Placed(child, end.matrix), True, True) for child in (node.right, node.left)]
            elif not isinstance(node, Empty):
                operands.append(end)
        return self._distinct(operands)

    def _distinct(self, bodies: Iterable[_Placed]) -> list[_Placed]:
        """Without repetitions: A ∪ A = A ∩ A = A."""
        seen: dict[tuple[bytes, bytes], _Placed] = {}
        for placed in bodies:
            # adding 0 makes one of the two zeros
            seen.setdefault((self._document.digest(placed.node), (placed.matrix + 0.0).tobytes()), placed)
        return list(seen.values())

    def _visit(self, placed: _Placed) -> tuple[Visit, Matrix]:
        """What to build of a placed body, and where to put what comes of it."""
        matrix = placed.matrix
        if is_similarity(matrix) and np.linalg.norm(matrix[:, 0]) <= _MUCH_LARGER:
            return Visit(placed.node), matrix
        node = self._document.nodes[placed.node]
        # a stretch goes down through booleans and transforms to the solids, where primitives can take it up
        sinks = isinstance(node, Union | Difference | Intersection | LinearPattern | CircularPattern)
        if not sinks and not is_transform(node) and taken_up(node, matrix) is None:
            return Visit(placed.node), matrix
        # only the linear part is built into the body: copies in other places share it
        offset = np.hstack([np.eye(3), matrix[:, 3:]])
        return Visit(placed.node, tuple(float(value) for value in matrix[:, :3].ravel())), offset


class _Wanted:
    """Placed bodies as visits, each once, and the bodies again once those are answered."""

    def __init__(self, planner: _Planner, placed: Sequence[_Placed]) -> None:
        numbers: dict[Visit, int] = {}
        self.places: list[tuple[int, Matrix]] = []
        for body in placed:
            visit, place = planner._visit(body)
            self.places.append((numbers.setdefault(visit, len(numbers)), place))
        self.visits = tuple(numbers)

    def all(self, bodies: Bodies) -> list[Brep | None]:
        """Each where it belongs; None = the empty solid."""
        for body in bodies:
            if body is not None:
                # asked for once here, and not for each of its copies
                volume_between(body)
                loose_box(body)
        placed: list[Brep | None] = []
        for number, place in self.places:
            body = bodies[number]
            placed.append(None if body is None else moved(body, place))
        return placed

    def there(self, bodies: Bodies) -> list[Brep]:
        """Those that are not empty."""
        return [body for body in self.all(bodies) if body is not None]
