"""The outline of a text: its definitions, one in the other, with what is written above them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from vcad_kernel.loon.analysis.document import Document
from vcad_kernel.loon.scoping.bindings import DefinitionKind

__all__ = ["OutlineSymbol", "doc_above", "outline"]

_BEFORE_A_FORM = re.compile(r"[ \t\[(]*(?:pub[ \t\[]*|derive[ \t]+[^ \t]+[ \t\[]*)?")


@dataclass(frozen=True, slots=True)
class OutlineSymbol:
    """A definition in an outline. Offsets are code points; the ends are exclusive."""

    name: str
    kind: DefinitionKind
    start: int
    end: int
    """The extent of the form that defines it."""
    name_start: int
    name_end: int
    usage: str
    doc: str
    children: list[OutlineSymbol] = field(default_factory=list)
    """What is defined within it: the constructors of a type, the functions of a function."""


def outline(document: Document) -> list[OutlineSymbol]:
    """The definitions of a text in their order."""
    placed = sorted(
        (definition for several in document.definitions.values() for definition in several),
        key=lambda definition: (definition.start, -definition.end, definition.name_start),
    )
    top: list[OutlineSymbol] = []
    around: list[OutlineSymbol] = []
    for item in placed:
        definition = item.definition
        symbol = OutlineSymbol(
            definition.name,
            definition.kind,
            item.start,
            item.end,
            item.name_start,
            item.name_end,
            definition.usage,
            doc_above(document.text, item.start),
        )
        while around and not (symbol.end <= around[-1].end and symbol.start > around[-1].start):
            around.pop()
        (around[-1].children if around else top).append(symbol)
        around.append(symbol)
    return top


def doc_above(text: str, start: int) -> str:
    """The comment lines directly above the form that begins at an offset, without their semicolons."""
    begin = text.rfind("\n", 0, start) + 1
    if not _BEFORE_A_FORM.fullmatch(text, begin, start):
        return ""
    lines: list[str] = []
    while begin > 0:
        above = text.rfind("\n", 0, begin - 1) + 1
        line = text[above:begin].strip()
        if not line.startswith(";"):
            break
        lines.insert(0, line.lstrip(";").strip())
        begin = above
    return "\n".join(lines).strip()
