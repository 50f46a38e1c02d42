"""What there is to say about the name at a cursor: for hover, Shift-Tab and the like."""

from __future__ import annotations

from collections.abc import Mapping

from vcad_kernel.errors import Place
from vcad_kernel.loon.analysis.cursor import cursor_at
from vcad_kernel.loon.analysis.document import Document, Mention, PlacedDefinition, PlacedLocal, outside
from vcad_kernel.loon.analysis.knowledge import Knowledge
from vcad_kernel.loon.analysis.symbols import doc_above
from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.scoping.bindings import ENTRY_KINDS, Global, Local
from vcad_kernel.loon.source import Source, Span

__all__ = ["describe", "described", "entry_of", "of_definition"]

_LOCALS: Mapping[str, str] = {
    "variable": "A variable of the surrounding function.",
    "parameter": "A parameter of the surrounding function.",
    "pattern": "Bound by the pattern to what stands in its place.",
    "type parameter": "A parameter of the type.",
    "resume": "Continues the handled expression, with its argument as the operation's value. Once only.",
}


def describe(text: str, offset: int, knowledge: Knowledge, name: str = "") -> Entry | None:
    """What there is to say about the name at an offset of a text; None when there is no name known.

    name: how the text is called in places.
    """
    return described(Document(text, knowledge), offset, name)


def described(document: Document, offset: int, source: str = "") -> Entry | None:
    """The same for a document."""
    mention = document.mention_at(offset)
    return entry_of(document, mention, source) if mention is not None else _form(document, offset)


def _form(document: Document, offset: int) -> Entry | None:
    """A special form's entry, when its name is at the offset."""
    for at in (offset, offset + 1):
        cursor = cursor_at(document, at)
        if cursor.start <= offset <= cursor.end and cursor.word in FORMS:
            return document.knowledge.entries().get(cursor.word)
    return None


def entry_of(document: Document, mention: Mention, source: str = "") -> Entry | None:
    """What a name means; None when it is not known."""
    for meaning in mention.meanings:
        if isinstance(meaning, PlacedLocal):
            return _of_local(document, mention, meaning.local, source)
        placed = document.defined(meaning, mention.start)
        if placed is not None:
            return of_definition(document, placed, source)
        entry = _outside(document, meaning)
        if entry is not None:
            return entry
    return None


def _of_local(document: Document, mention: Mention, local: Local, source: str) -> Entry:
    base = document.sections[mention.section].start
    sites = [known for known in (mention.occurrence.site, *local.sites[:1]) if known is not None]
    place = _place(document, source, base + sites[0].start, base + sites[0].end) if sites else None
    known = document.type_at(mention.start) if local.kind not in ("type parameter", "resume") else ""
    return Entry(local.name, "variable", local.name, known, _LOCALS[local.kind], place=place)


def of_definition(document: Document, placed: PlacedDefinition, source: str) -> Entry:
    """The entry of a global that the text defines."""
    definition = placed.definition
    known = document.knowledge.exports(definition.owner) if definition.kind in ("import", "module") else {}
    if definition.kind == "import" and definition.name in known:
        return known[definition.name]
    doc = doc_above(document.text, placed.start)
    if definition.kind == "module":
        doc = "The module " + definition.owner + (f": {', '.join(sorted(known))}." if known else ".")
    place = _place(document, source, placed.name_start, placed.name_end)
    typed = definition.space == "value" and definition.kind != "macro"
    type_ = document.type_of(definition.name) if typed else ""
    return Entry(definition.name, ENTRY_KINDS[definition.kind], definition.usage, type_, doc, place=place)


def _outside(document: Document, name: Global) -> Entry | None:
    """The entry of a name that the text does not define."""
    known = document.knowledge.entries()
    if name.space in ("value", "operation"):
        bare = name.name.removeprefix(outside("").name)
        if bare in known and known[bare].kind != "form":
            return known[bare]
        prefix, _, word = bare.partition(".")
        if word in known and prefix and known[word].prefix == prefix:
            return known[word].called(bare)
        for alias, module in document.modules.items():
            if bare.startswith(alias + "."):
                return document.knowledge.exports(module).get(bare[len(alias) + 1 :])
    elif name.space == "effect":
        operations = [operation for operation in known if operation.startswith(name.name + ".")]
        if operations:
            doc = f"Operations: {', '.join(operations)}."
            return Entry(name.name, "effect", name.name, doc=doc)
    return None


def _place(document: Document, source: str, start: int, end: int) -> Place:
    return Span(Source(source, document.text), start, end).place()
