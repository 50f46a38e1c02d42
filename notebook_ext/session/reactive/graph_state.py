"""The graph as it is now, for people and programs: what there is, what is built from what, how it stands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from notebook_ext.session.reactive import graph as vertices
from notebook_ext.session.reactive.dependencies import Dependencies

__all__ = ["Edge", "GraphState", "Kind", "Status", "Vertex", "graph_state"]

Kind: TypeAlias = Literal["cell", "file", "entity"]
Status: TypeAlias = Literal["up to date", "out of date", "failed", "running", ""]
"""Of a cell; empty for what is not evaluated."""


@dataclass(frozen=True, slots=True)
class Vertex:
    """A cell, a file or an entity."""

    vertex_id: str
    """As ``cell:…``, ``file:…``, ``entity:…``."""
    kind: Kind
    title: str
    """How people call it."""
    node_id: str | None = None
    """The part that a cell makes."""
    status: Status = ""
    why: str = ""
    """Why it is out of date or failed, in words."""
    revision: int | None = None
    """Of the part."""
    seconds: float | None = None
    """Of the last evaluation."""


@dataclass(frozen=True, slots=True)
class Edge:
    """The one is built from the other."""

    source: str
    target: str
    """What is built from the source."""
    names: tuple[str, ...] = ()
    """The names that are used."""
    only_marks: bool = False
    """Whether a change of the source marks the target and does not run it: it would close a cycle."""


@dataclass(frozen=True, slots=True)
class GraphState:
    """All of it, at one moment."""

    vertices: tuple[Vertex, ...]
    """Each after what it is built from."""
    edges: tuple[Edge, ...]
    cycles: tuple[tuple[str, ...], ...]
    """By vertex ids; each ends where it begins."""


def graph_state(
    dependencies: Dependencies,
    marks: Mapping[str, str],
    running: str | None,
    title: Callable[[str], str],
    part: Callable[[str], tuple[str, int] | None],
    among: Collection[str] | None = None,
) -> GraphState:
    """The state of a graph, on the session's thread.

    marks: cell → why it is out of date. title: of a cell. part: the id and revision of the part that a cell
    makes. among: only these cells, what they are built from and what is built from them.
    """
    graph = dependencies.graph
    wanted = None
    if among is not None:
        roots = [vertices.cell(cell_id) for cell_id in among]
        wanted = {*roots, *graph.upstream(roots), *graph.downstream(roots)}
    described: list[Vertex] = []
    for vertex in graph.order(wanted):
        kind, _, key = vertex.partition(":")
        if kind != "cell":
            described.append(Vertex(vertex, "file" if kind == "file" else "entity", key))
            continue
        run, made = dependencies.run_of(key), part(key)
        reason = dependencies.reason(key)
        status: Status = "up to date"
        if key == running:
            status = "running"
        elif reason is not None and reason.kind == "failed":
            status = "failed"
        elif key in marks:
            status = "out of date"
        described.append(
            Vertex(
                vertex,
                "cell",
                title(key),
                None if made is None else made[0],
                status,
                marks.get(key, ""),
                None if made is None else made[1],
                None if run is None else run.seconds,
            )
        )
    there = {vertex.vertex_id for vertex in described}
    edges = [
        Edge(source, target, _names(dependencies, source, target), only_marks)
        for pairs, only_marks in ((graph.edges, False), (graph.marking_edges, True))
        for source, target in pairs
        if source in there and target in there
    ]
    cycles = [cycle for cycle in graph.cycles if there.issuperset(cycle)]
    return GraphState(tuple(described), tuple(edges), tuple(cycles))


def _names(dependencies: Dependencies, source: str, target: str) -> tuple[str, ...]:
    """The names of one cell that another uses."""
    run = dependencies.run_of(vertices.key_of(target))
    if run is None or run.names is None or not source.startswith(vertices.CELL):
        return ()
    owner = vertices.key_of(source)
    return tuple(sorted(name for name, by in run.names.uses.items() if by == owner))
