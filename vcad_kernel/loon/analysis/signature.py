"""The call that a cursor is in: how it is written, and which argument is being written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vcad_kernel.loon.analysis.cursor import Cursor, cursor_at
from vcad_kernel.loon.analysis.description import described
from vcad_kernel.loon.analysis.document import Document
from vcad_kernel.loon.analysis.knowledge import Knowledge
from vcad_kernel.loon.reading.concrete import Node, parse
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.scoping.nodes import LIST, SYMBOL, headed, parts

__all__ = ["Signature", "signature_at"]


@dataclass(frozen=True, slots=True)
class Signature:
    """One way to call a function, and where in it the cursor is."""

    entry: Entry
    usage: str
    """The alternative of ``entry.usage`` that fits the arguments there are."""
    parameters: tuple[tuple[int, int], ...]
    """Where the parameters stand in ``usage``."""
    active: int | None
    """The parameter being written; None when there is none left, or none at all."""


def signature_at(text: str, offset: int, knowledge: Knowledge) -> Signature | None:
    """The innermost call around an offset whose function is known; None when there is none."""
    document = Document(text, knowledge)
    cursor = cursor_at(document, offset)
    for depth in range(len(cursor.path) - 1, -1, -1):
        node = cursor.path[depth]
        head = parts(node)[:1] if node.kind == LIST else ()
        if not head or head[0].kind != SYMBOL or cursor.base + head[0].end >= offset:
            continue
        entry = described(document, cursor.base + head[0].start)
        if entry is not None and entry.usage.startswith("["):
            before = len(cursor.before(node)) - 1
            piped = depth > 0 and headed(cursor.path[depth - 1], "pipe") and _is_step(cursor, depth)
            return _fitting(entry, before, len(parts(node)) - 1 + piped)
    return None


def _is_step(cursor: Cursor, depth: int) -> bool:
    """Whether a list within a pipe is a step, which gets one more argument, rather than the value."""
    return parts(cursor.path[depth - 1])[1:2] != (cursor.path[depth],)


def _fitting(entry: Entry, before: int, given: int) -> Signature:
    """The first way to call that takes the arguments given, else the one that takes most."""
    ways = [(usage, list(_parameters(usage))) for usage in entry.usage.split(" | ")]
    usage, parameters = next(
        (way for way in ways if len(way[1]) >= max(given, before + 1) or _is_open(way[1])),
        max(ways, key=lambda way: len(way[1])),
    )
    named = [parameter for parameter in parameters if parameter.spelling() not in ("&", "…", "...")]
    spans = tuple((parameter.start, parameter.end) for parameter in named)
    active = min(before, len(spans) - 1) if spans and (before < len(spans) or _is_open(parameters)) else None
    return Signature(entry, usage, spans, active)


def _parameters(usage: str) -> Iterator[Node]:
    """What stands behind the name in ``[name a b]``."""
    for node in parse(usage).children:
        if node.kind == LIST:
            yield from [child for child in node.children[1:-1] if child.kind != "blank"][1:]
            return


def _is_open(parameters: Sequence[Node]) -> bool:
    """Whether any number of arguments may follow."""
    return any(parameter.spelling() in ("&", "…", "...") for parameter in parameters)
