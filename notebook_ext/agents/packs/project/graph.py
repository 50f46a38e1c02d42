"""What is built from what, for agents: the graph along which a change goes on."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool

__all__ = ["tools"]

_PACK: Final = "project"


class _Which(Arguments):
    node_id: str | None = Field(
        None, description="only what this part is built from, and what is built from it"
    )


class _Node(BaseModel):
    id: str
    kind: Literal["cell", "file", "entity"]
    title: str
    node_id: str | None
    status: str
    why: str
    revision: int | None


class _Edge(BaseModel):
    source: str
    target: str
    names: list[str]
    only_marks: bool


class _Graph(Answer):
    nodes: list[_Node]
    edges: list[_Edge]
    order: list[str]
    cycles: list[list[str]]


def tools() -> tuple[Tool, ...]:
    """The tool of the graph."""
    return (
        Tool(
            "vcad_graph",
            _PACK,
            "R",
            True,
            "What is built from what, and what is out of date: cells, files, SketchUp's entities.",
            _Which,
            _Graph,
            _graph,
        ),
    )


def _graph(arguments: _Which, call: Call) -> _Graph:
    state = call.session.graph(arguments.node_id)
    return _Graph(
        nodes=[
            _Node(
                id=vertex.vertex_id,
                kind=vertex.kind,
                title=vertex.title,
                node_id=vertex.node_id,
                status=vertex.status,
                why=vertex.why,
                revision=vertex.revision,
            )
            for vertex in state.vertices
        ],
        edges=[
            _Edge(source=edge.source, target=edge.target, names=list(edge.names), only_marks=edge.only_marks)
            for edge in state.edges
        ],
        order=[vertex.vertex_id for vertex in state.vertices],
        cycles=[list(cycle) for cycle in state.cycles],
    )
