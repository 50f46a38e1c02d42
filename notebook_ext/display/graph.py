"""``%loon_graph``: what is built from what, as a picture whose boxes lead to their cells, and as text."""

from __future__ import annotations

from html import escape
from typing import Any, Final

from notebook_ext.session.reactive.graph_state import Edge, GraphState, Vertex

__all__ = ["GraphView"]

_WIDTH: Final = 190
_HEIGHT: Final = 44
_ACROSS: Final = 70
"""Between two columns, px."""
_BETWEEN: Final = 18
"""Between two boxes of a column, px."""
_MOST: Final = 24
"""Characters of a title."""

_COLORS: Final = {
    "up to date": "var(--jp-success-color1, #2e7d32)",
    "out of date": "var(--jp-warn-color1, #b26a00)",
    "failed": "var(--jp-error-color1, #c62828)",
    "running": "var(--jp-brand-color1, #1565c0)",
    "": "var(--jp-border-color1, #8a8f98)",
}


class GraphView:
    """A graph as it was when the view was made."""

    def __init__(self, state: GraphState) -> None:
        self.state = state

    def __repr__(self) -> str:
        if not self.state.vertices:
            return "no cell has run yet"
        titles = {vertex.vertex_id: vertex.title for vertex in self.state.vertices}
        lines = []
        for vertex in self.state.vertices:
            used = [titles[edge.source] for edge in self.state.edges if edge.target == vertex.vertex_id]
            line = f"{vertex.title} ← {', '.join(used)}" if used else vertex.title
            lines.append(f"{line} · {vertex.status}" if vertex.status not in ("", "up to date") else line)
        return "\n".join(lines)

    def _repr_mimebundle_(self, **_tiers: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html()}

    def html(self) -> str:
        """The picture: columns from what is used to what uses it; cells are links."""
        if not self.state.vertices:
            return f'<div class="vcad-graph">{escape(repr(self))}</div>'
        places = _places(self.state)
        width = max(x for x, _ in places.values()) + _WIDTH + 2
        height = max(y for _, y in places.values()) + _HEIGHT + 2
        boxes = "".join(_box(vertex, *places[vertex.vertex_id]) for vertex in self.state.vertices)
        lines = "".join(_line(edge, places[edge.source], places[edge.target]) for edge in self.state.edges)
        # JupyterLab handles links of HTML only, so they lie over the boxes
        links = "".join(_link(vertex, *places[vertex.vertex_id]) for vertex in self.state.vertices)
        return (
            '<div class="vcad-graph" style="position: relative; overflow-x: auto">'
            f'<svg role="img" aria-label="{escape(repr(self))}" width="{width}" height="{height}" '
            f'font-family="var(--jp-ui-font-family, sans-serif)" font-size="12">{lines}{boxes}</svg>'
            f"{links}</div>"
        )


def _places(state: GraphState) -> dict[str, tuple[int, int]]:
    """Each vertex's upper left corner, px: in the column after the last of what it is built from."""
    column: dict[str, int] = {}
    sources: dict[str, list[str]] = {}
    for edge in state.edges:
        if not edge.only_marks:
            sources.setdefault(edge.target, []).append(edge.source)
    for vertex in state.vertices:
        used = sources.get(vertex.vertex_id, [])
        column[vertex.vertex_id] = max((column[each] + 1 for each in used), default=0)
    places, row = {}, dict[int, int]()
    for vertex in state.vertices:
        across = column[vertex.vertex_id]
        down = row[across] = row.get(across, -1) + 1
        places[vertex.vertex_id] = 1 + across * (_WIDTH + _ACROSS), 1 + down * (_HEIGHT + _BETWEEN)
    return places


def _box(vertex: Vertex, x: int, y: int) -> str:
    title = vertex.title if len(vertex.title) <= _MOST else vertex.title[: _MOST - 1] + "…"
    facts: list[str] = [vertex.status or vertex.kind]
    if vertex.revision:
        facts.append(f"revision {vertex.revision}")
    if vertex.seconds:
        facts.append(f"{vertex.seconds * 1e3:.0f} ms" if vertex.seconds < 1 else f"{vertex.seconds:.1f} s")
    dashed = "" if vertex.kind == "cell" else ' stroke-dasharray="4 3"'
    hint = f"<title>{escape(vertex.why or vertex.title)}</title>"
    return (
        f'<g data-vertex="{escape(vertex.vertex_id)}" data-status="{escape(vertex.status)}">{hint}'
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="5" '
        f'fill="var(--jp-layout-color1, #fff)" stroke="{_COLORS[vertex.status]}" stroke-width="1.5"{dashed}/>'
        f'<text x="{x + 10}" y="{y + 18}" fill="var(--jp-ui-font-color1, #222)">{escape(title)}</text>'
        f'<text x="{x + 10}" y="{y + 35}" font-size="11" fill="var(--jp-ui-font-color2, #555)">'
        f"{escape(' · '.join(facts))}</text></g>"
    )


def _link(vertex: Vertex, x: int, y: int) -> str:
    """What leads to the cell of a box; nothing for what is no cell of the notebook."""
    if vertex.kind != "cell" or vertex.vertex_id.startswith(_ELSEWHERE):
        return ""
    cell_id = vertex.vertex_id.partition(":")[2].partition(":")[0]
    return (
        f'<a href="#cell-id={escape(cell_id)}" aria-label="{escape(vertex.title)}" '
        f'title="{escape(vertex.why or vertex.title)}" style="position: absolute; left: {x}px; '
        f'top: {y}px; width: {_WIDTH}px; height: {_HEIGHT}px"></a>'
    )


_ELSEWHERE: Final = ("cell:name:", "cell:file:", "cell:node:", "cell:nameless:")
"""Cells that no notebook has by their id."""


def _line(edge: Edge, source: tuple[int, int], target: tuple[int, int]) -> str:
    x1, y1 = source[0] + _WIDTH, source[1] + _HEIGHT // 2
    x2, y2 = target[0], target[1] + _HEIGHT // 2
    bend = max(_ACROSS // 2, abs(x2 - x1) // 3)
    dashed = ' stroke-dasharray="2 3"' if edge.only_marks else ""
    names = f"<title>{escape(', '.join(edge.names))}</title>" if edge.names else ""
    return (
        f'<path d="M {x1} {y1} C {x1 + bend} {y1}, {x2 - bend} {y2}, {x2 - 7} {y2}" fill="none" '
        f'stroke="var(--jp-border-color0, #8a8f98)" stroke-width="1.3"{dashed}>{names}</path>'
        f'<path d="M {x2 - 8} {y2 - 4} L {x2} {y2} L {x2 - 8} {y2 + 4} z" '
        'fill="var(--jp-border-color0, #8a8f98)"/>'
    )
