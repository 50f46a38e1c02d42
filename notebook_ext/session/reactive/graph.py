"""What is built from what: the graph along which a change goes on.

    graph = DependencyGraph()
    graph.refresh("cell:lid", ["cell:wall", "file:dims.oo", "entity:pid:12"])
    graph.order(graph.downstream(["file:dims.oo"]))     # ["cell:lid", …]

A vertex is a cell, a file of the workspace or an entity of SketchUp (`cell`, `file`, `entity` name it).
An edge means "is built from". There are no cycles among the edges along which changes run: one that would
close a cycle is refused, or kept as a mark that says so and runs nothing. Knows neither sessions nor what a
vertex holds; networkx is loaded with the first edge.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Any, Final

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["CELL", "ENTITY", "FILE", "DependencyGraph", "cell", "entity", "file", "key_of"]

CELL: Final = "cell:"
FILE: Final = "file:"
ENTITY: Final = "entity:"


def cell(cell_id: str) -> str:
    """The vertex of a cell."""
    return CELL + cell_id


def file(path: str) -> str:
    """The vertex of a file. path: from the workspace, with ``/``."""
    return FILE + path


def entity(reference: str) -> str:
    """The vertex of an entity. reference: ``pid:N`` or ``id:N``."""
    return ENTITY + reference


def key_of(vertex: str) -> str:
    """What the vertex stands for: the cell's id, the file's path, the entity's reference."""
    return vertex.partition(":")[2]


class DependencyGraph:
    """Not for several threads at once."""

    def __init__(self) -> None:
        self._edges: Any = None
        """A `networkx.DiGraph` from what is used to what uses it; None before the first edge."""
        self.marking: dict[str, dict[str, tuple[str, ...]]] = {}
        """Vertex → a source of it whose edge runs nothing → the cycle that it would close."""
        self._added: dict[str, int] = {}
        """Vertex → its number, in the order in which they came, or came again."""
        self._count = 0
        self._places: dict[str, int] | None = None
        """Vertex → its place in the order of all; None until it is asked for."""

    @property
    def vertices(self) -> tuple[str, ...]:
        """All of them, in the order in which they came."""
        return tuple(self._added)

    def __contains__(self, vertex: object) -> bool:
        return vertex in self._added

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """(used, user) of every edge along which a change runs."""
        return () if self._edges is None else tuple(self._edges.edges)

    @property
    def marking_edges(self) -> tuple[tuple[str, str], ...]:
        """(used, user) of every edge that only marks."""
        return tuple((source, user) for user, sources in self.marking.items() for source in sources)

    @property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """The cycles that the marking edges would close; each begins and ends with the same vertex."""
        return tuple(cycle for sources in self.marking.values() for cycle in sources.values())

    def add(self, vertex: str) -> None:
        """Have a vertex; one that is there stays as it is."""
        if vertex in self._added:
            return
        self._count += 1
        self._places = None
        self._added[vertex] = self._count
        if self._edges is not None:
            self._edges.add_node(vertex)

    def _link(self, source: str, user: str) -> None:
        """Have an edge between two vertices that there are."""
        if self._edges is None:
            from networkx import DiGraph

            self._edges = DiGraph()
            self._edges.add_nodes_from(self._added)
        self._edges.add_edge(source, user)
        self._places = None

    def _used_by(self, vertex: str) -> Iterator[str]:
        """What a vertex is built from, by edges along which a change runs."""
        return iter(()) if self._edges is None else self._edges.predecessors(vertex)

    def _users_of(self, vertex: str) -> Iterator[str]:
        return iter(()) if self._edges is None else self._edges.successors(vertex)

    def come_again(self, vertex: str) -> None:
        """Have a vertex be the last of all, as far as it is not built from others; it may be new."""
        self.add(vertex)
        self._count += 1
        self._places = None
        del self._added[vertex]
        self._added[vertex] = self._count

    def came_before(self, vertex: str, other: str) -> bool:
        """Whether of two vertices that there are this one came earlier."""
        return self._added[vertex] < self._added[other]

    def refresh(self, vertex: str, sources: Iterable[str], *, marks: bool = False) -> Sequence[Sequence[str]]:
        """Have a vertex be built from these, and from nothing else any more.

        marks: an edge that would close a cycle is kept as one that only marks; otherwise it is refused.
        Returns: the cycles of such edges.
        Raises: ServiceFailure DEPENDENCY_CYCLE with the cycle; nothing has changed then.
        """
        wanted = dict.fromkeys(sources)
        closing = self._closing(vertex, wanted)
        if closing and not marks:
            raise _refusal(next(iter(closing.values())))
        self.add(vertex)
        running = [source for source in wanted if source not in closing]
        if list(self._used_by(vertex)) == running and self.marking.get(vertex, {}) == closing:
            return tuple(closing.values())
        self._places = None
        if self._edges is not None:
            self._edges.remove_edges_from(list(self._edges.in_edges(vertex)))
        self.marking.pop(vertex, None)
        if closing:
            self.marking[vertex] = closing
        for source in wanted:
            self.add(source)
            if source not in closing:
                self._link(source, vertex)
        self._look_at_marks_again()
        return tuple(closing.values())

    def remove(self, vertex: str) -> None:
        """Forget a vertex and its edges; one that there is not is no error."""
        if vertex not in self._added:
            return
        self._places = None
        del self._added[vertex]
        if self._edges is not None:
            self._edges.remove_node(vertex)
        self.marking.pop(vertex, None)
        for user in [user for user, sources in self.marking.items() if vertex in sources]:
            del self.marking[user][vertex]
            if not self.marking[user]:
                del self.marking[user]
        self._look_at_marks_again()

    def _look_at_marks_again(self) -> None:
        """Have marking edges run that close no cycle any more; the others know which one they would."""
        for user, sources in list(self.marking.items()):
            closing = {}
            for source in sources:
                if cycle := self._cycle(source, user):
                    closing[source] = cycle
                else:
                    self._link(source, user)
            if closing:
                self.marking[user] = closing
            else:
                del self.marking[user]

    def only_marks(self, source: str, user: str) -> bool:
        """Whether a change of the one only marks the other."""
        return source in self.marking.get(user, ())

    def sources(self, vertex: str) -> tuple[str, ...]:
        """What a vertex is built from, marking edges included."""
        if vertex not in self._added:
            return ()
        return (*self._used_by(vertex), *self.marking.get(vertex, ()))

    def users(self, vertex: str) -> tuple[str, ...]:
        """What is built from a vertex, at once; by edges along which a change runs."""
        return tuple(self._users_of(vertex)) if vertex in self._added else ()

    def downstream(self, vertices: Iterable[str]) -> frozenset[str]:
        """All that is built from some vertices, however far away; not these themselves, unless they are."""
        return self._reached(vertices, self._users_of)

    def upstream(self, vertices: Iterable[str]) -> frozenset[str]:
        """All that some vertices are built from."""
        return self._reached(vertices, self._used_by)

    def _reached(self, vertices: Iterable[str], step: Callable[[str], Iterable[str]]) -> frozenset[str]:
        reached: set[str] = set()
        pending = [vertex for vertex in vertices if vertex in self._added]
        while pending:
            for neighbour in step(pending.pop()):
                if neighbour not in reached:
                    reached.add(neighbour)
                    pending.append(neighbour)
        return frozenset(reached)

    def order(self, vertices: Collection[str] | None = None) -> tuple[str, ...]:
        """Some vertices, by default all, each after what it is built from; else as they came."""
        if vertices is not None and not vertices:
            return ()
        if self._places is None:
            order: Iterable[str] = self._added if self._edges is None else self._sorted()
            self._places = {vertex: place for place, vertex in enumerate(order)}
        if vertices is None:
            return tuple(self._places)
        return tuple(
            sorted((each for each in vertices if each in self._places), key=self._places.__getitem__)
        )

    def _sorted(self) -> Iterator[str]:
        """All vertices as `order` has them: as networkx sorts them, in a quarter of its time."""
        users = dict(self._edges.adjacency())
        missing = dict.fromkeys(self._added, 0)
        for each in users.values():
            for user in each:
                missing[user] += 1
        ready = [(number, vertex) for vertex, number in self._added.items() if not missing[vertex]]
        heapify(ready)
        while ready:
            _, vertex = heappop(ready)
            yield vertex
            for user in users[vertex]:
                missing[user] -= 1
                if not missing[user]:
                    heappush(ready, (self._added[user], user))

    def _closing(self, vertex: str, sources: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The sources whose edges would close a cycle, each with that."""
        return {source: cycle for source in sources if (cycle := self._cycle(source, vertex))}

    def _cycle(self, source: str, vertex: str) -> tuple[str, ...]:
        """The cycle that an edge from a source to a vertex would close; empty where it closes none."""
        if source == vertex:
            return (vertex, vertex)
        if self._edges is None or source not in self._added or vertex not in self._added:
            return ()
        from networkx import NetworkXNoPath, shortest_path

        try:
            return (*shortest_path(self._edges, vertex, source), vertex)
        except NetworkXNoPath:
            return ()


def _refusal(cycle: Sequence[str]) -> ServiceFailure:
    names = [key_of(vertex) for vertex in cycle]
    return ServiceFailure(
        ErrorCode.DEPENDENCY_CYCLE,
        f"this would make a cycle: {' → '.join(names)}",
        fix="let what both need stand in a third part or in a module",
        details={"cycle": names},
    )
