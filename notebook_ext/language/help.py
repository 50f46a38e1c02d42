"""Completion and Shift-Tab for Loon text in notebook cells.

Answers from the text as it stands and from the session's last published knowledge; evaluates nothing and
never waits, so that it may run on any thread while a cell computes. What a name means is the
business of vcad_kernel.loon.analysis; here its answers become those of the Jupyter protocol.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_ext.language.loon_text import LoonText, loon_text_at
from notebook_ext.magics.line import inputs_named

if TYPE_CHECKING:
    from notebook_ext.session.cells.knowledge import SessionKnowledge
    from vcad_kernel.loon.reference import Entry

__all__ = ["LanguageHelp", "Suggestion", "Suggestions"]

Content = dict[str, Any]

_KINDS = {"form": "keyword", "variable": "instance", "constructor": "class"}
"""Kinds of Loon names that front ends have an icon for under another word."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One way to go on."""

    text: str
    kind: str
    detail: str
    """Its type or use, in a few words."""


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Ways to go on, and the stretch of the cell that each would replace, in code points."""

    start: int
    end: int
    items: tuple[Suggestion, ...]


class LanguageHelp:
    """Help with the Loon text of a notebook's cells.

    knowledge: the session's, as it is when asked. parser: of the options of ``%%loon``. variables: a
    copy of the user's Python names. help_text: of ``%%loon``.
    """

    def __init__(
        self,
        knowledge: Callable[[], SessionKnowledge],
        parser: argparse.ArgumentParser,
        variables: Callable[[], Mapping[str, Any]],
        help_text: Callable[[], str],
    ) -> None:
        self._knowledge = knowledge
        self._parser = parser
        self._variables = variables
        self._help_text = help_text

    # ---- what is known ---------------------------------------------------------------------

    def suggest(self, cell: str, offset: int) -> Suggestions | None:
        """How the text could go on at an offset; None where it is no Loon."""
        loon = loon_text_at(cell, offset)
        if loon is None:
            return None
        if loon.in_head(offset):
            return self._in_head(loon, offset) if offset > loon.head_start else None
        from vcad_kernel.loon.analysis.completion import complete

        completed = complete(loon.text, offset - loon.start, self._for_cell(loon))
        return Suggestions(
            loon.start + completed.start,
            loon.start + completed.end,
            tuple(
                Suggestion(item.insert, _KINDS.get(item.kind, item.kind), item.detail)
                for item in completed.items
            ),
        )

    def describe(self, cell: str, offset: int) -> Content | None:
        """What there is to say about the name at an offset, or else the call around it, as a mime bundle.

        Empty where nothing is known; None where the text is no Loon.
        """
        loon = loon_text_at(cell, offset)
        if loon is None:
            return None
        if loon.in_head(offset):
            return {"text/plain": self._help_text()}
        from vcad_kernel.loon.reference import markdown, plain

        knowledge = self._for_cell(loon)
        entry = _entry_at(cell, loon, offset, knowledge)
        if entry is None:
            return {}
        value = knowledge.value(entry)
        return {
            "text/plain": plain(entry) + (f"\n\nvalue: {value}" if value else ""),
            "text/markdown": markdown(entry) + (f"\n\nvalue:\n\n```loon\n{value}\n```" if value else ""),
        }

    def _for_cell(self, loon: LoonText) -> SessionKnowledge:
        """The session's knowledge and the Python variables that the cell takes in."""
        return self._knowledge().taking_in(inputs_named(loon.head), self._variables())

    def _in_head(self, loon: LoonText, offset: int) -> Suggestions:
        from notebook_ext.language.head_completion import completed_head

        head = loon.head[: offset - loon.head_start]
        parts = tuple(self._knowledge().parts)
        items = completed_head(head, self._parser, self._variables(), parts, Path.cwd())
        start = items[0].start if items else len(head)
        return Suggestions(
            loon.head_start + start,
            offset,
            tuple(Suggestion(item.text, item.kind, item.detail) for item in items),
        )

    # ---- as the Jupyter protocol asks --------------------------------------------------------

    def answer_completion(self, request: Content) -> Content | None:
        """The content of a ``complete_reply``; None when the request is not about Loon."""
        cursor = _cursor(request)
        suggestions = self.suggest(request["code"], cursor)
        if suggestions is None:
            return None
        typed = [
            {
                "start": suggestions.start,
                "end": suggestions.end,
                "text": item.text,
                "type": item.kind,
                "signature": item.detail,
            }
            for item in suggestions.items
        ]
        return {
            "status": "ok",
            "matches": [item.text for item in suggestions.items],
            "cursor_start": suggestions.start,
            "cursor_end": suggestions.end,
            "metadata": {"_jupyter_types_experimental": typed},
        }

    def answer_inspection(self, request: Content) -> Content | None:
        """The content of an ``inspect_reply``; None when the request is not about Loon."""
        bundle = self.describe(request["code"], _cursor(request))
        if bundle is None:
            return None
        return {"status": "ok", "found": bool(bundle), "data": bundle, "metadata": {}}


def _entry_at(cell: str, loon: LoonText, offset: int, knowledge: SessionKnowledge) -> Entry | None:
    """The entry of the name at an offset of the cell; where there is none, of the function being called."""
    from vcad_kernel.loon.analysis.description import describe
    from vcad_kernel.loon.analysis.signature import signature_at

    above = cell.count("\n", 0, loon.start)
    text = "\n" * above + loon.text  # places count the lines of the cell
    at = offset - loon.start + above
    entry = describe(text, at, knowledge, "this cell")
    if entry is not None:
        return entry
    call = signature_at(text, at, knowledge)
    return None if call is None else call.entry


def _cursor(request: Content) -> int:
    cursor = request.get("cursor_pos")
    return len(request["code"]) if cursor is None else int(cursor)
