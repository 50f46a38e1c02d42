"""``%loon_env``: what the cells have defined, as a table in text and in HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from notebook_ext.display.tables import html_table, text_table
from notebook_ext.session.cells.knowledge import SessionKnowledge

if TYPE_CHECKING:
    from vcad_kernel.service.protocol import Definition

__all__ = ["EnvironmentView"]

_HEAD = ("name", "type", "cell", "value", "out of date")
_WIDEST = 60
"""Characters of a column in plain text."""


class EnvironmentView:
    """The definitions of a session as they were when it was made, in the order in which they appeared."""

    def __init__(self, knowledge: SessionKnowledge) -> None:
        marks = knowledge.marks()
        rows = [
            (
                name,
                _kind(name, definition, knowledge),
                knowledge.cells.get(definition.cell_id, definition.cell_id),
                knowledge.value(definition.entry) or definition.entry.doc.partition("\n")[0],
                marks.get(definition.cell_id, ""),
            )
            for name, definition in knowledge.definitions.items()
        ]
        rows += [
            (name, "part", name, figures, "")
            for name, figures in knowledge.parts.items()
            if name not in knowledge.definitions
        ]
        self.head = _HEAD if any(row[-1] for row in rows) else _HEAD[:-1]
        self.rows = [row[: len(self.head)] for row in rows]

    def __repr__(self) -> str:
        if not self.rows:
            return "no cell has defined anything yet"
        return text_table(self.head, [[_shortened(text) for text in row] for row in self.rows])

    def _repr_mimebundle_(self, **_tiers: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html()}

    def html(self) -> str:
        """The table for a browser, in the theme's own way of showing tables."""
        if not self.rows:
            return f"<div>{escape(repr(self))}</div>"
        return html_table(self.head, self.rows, cell=_code)


def _kind(name: str, definition: Definition, knowledge: SessionKnowledge) -> str:
    """A name's type, or what else is known of what it is."""
    from vcad_kernel.loon.reference import arrows

    if definition.given and name in knowledge.parts:
        return "part"
    return arrows(definition.entry.type) or definition.entry.kind


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>" if text else ""


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
