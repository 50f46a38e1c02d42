"""What could be written at a cursor.

Names that begin as typed come before those that merely hold the typed letters in order; among these
locals come first, then what the text defines, then the world outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from vcad_kernel.loon.analysis.cursor import Cursor, cursor_at
from vcad_kernel.loon.analysis.document import Document, PlacedDefinition
from vcad_kernel.loon.analysis.knowledge import Knowledge
from vcad_kernel.loon.analysis.symbols import doc_above
from vcad_kernel.loon.guesses import kebab
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Entry, EntryKind
from vcad_kernel.loon.scoping.bindings import ENTRY_KINDS, Global, Local, Scope
from vcad_kernel.loon.scoping.nodes import LIST, MAP, TUPLE, VECTOR, headed, keywords_in, parts

__all__ = ["Completion", "CompletionKind", "Completions", "complete", "locals_at"]

CompletionKind = EntryKind | Literal["keyword", "parameter", "type", "key"]


@dataclass(frozen=True, slots=True)
class Completion:
    """One thing that could be written."""

    label: str
    kind: CompletionKind
    detail: str = ""
    """Its type, else how it is written."""
    doc: str = ""
    insert: str = ""
    """What takes the place of the stretch."""


@dataclass(frozen=True, slots=True)
class Completions:
    """What could be written in place of the text from ``start`` to ``end``, best first."""

    start: int
    end: int
    items: tuple[Completion, ...] = ()


_TYPES = ("Int", "Float", "Bool", "String", "Keyword", "Vec", "Set", "Map", "Option", "Result")

_Ranked = tuple[int, Completion]


def complete(text: str, offset: int, knowledge: Knowledge) -> Completions:
    """What could be written at an offset of a text."""
    document = Document(text, knowledge)
    cursor = cursor_at(document, offset)
    ranked = []
    for group, item in _offered(document, cursor):
        quality = _quality(item.label, cursor.typed)
        if quality is not None:
            ranked.append((quality, group, item.label, item))
    ranked.sort(key=lambda row: row[:3])
    items: dict[str, Completion] = {}
    for *_, item in ranked:
        items.setdefault(item.label, item)
    return Completions(cursor.start, cursor.end, tuple(items.values()))


def _quality(label: str, typed: str) -> int | None:
    """0 for a name that begins as typed, 1 but for case, 2 if it holds the letters; None if it does not."""
    if label.startswith(typed):
        return 0
    label, typed = label.lower(), typed.lower()
    if label.startswith(typed):
        return 1
    letters = iter(label)
    return 2 if all(letter in letters for letter in typed) else None


def _offered(document: Document, cursor: Cursor) -> Iterator[_Ranked]:
    """Everything that fits the place, with its group: the lower, the nearer to the user."""
    expected = cursor.expected
    knowledge = document.knowledge
    known = _in_an_argument(document, cursor) if expected in ("keyword", "operand") else ()
    if known and (expected == "keyword" or cursor.inner.kind != LIST):
        yield from ((0, keyword) for keyword in known)
    elif expected == "keyword":
        yield from ((1, _keyword(name)) for name in _keywords(document, cursor))
    elif expected == "key":
        yield from ((1, Completion(name[1:], "key", insert=name[1:])) for name in _keywords(document, cursor))
    elif expected == "module":
        yield from ((1, Completion(name, "module", insert=name)) for name in knowledge.modules())
    elif expected == "export":
        named = parts(cursor.path[-2])[1:2]
        exports = knowledge.exports(named[0].text) if named else {}
        yield from ((1, _of_entry(name, entry)) for name, entry in exports.items())
    elif expected == "type":
        yield from _types(document)
    elif expected in ("head", "operand", "pattern"):
        yield from ((1, keyword) for keyword in known)
        yield from _names(document, cursor)


def _names(document: Document, cursor: Cursor) -> Iterator[_Ranked]:
    head = cursor.expected == "head"
    pattern = cursor.expected == "pattern"
    if "." in cursor.typed:
        yield from _behind_the_dot(document, cursor)
    if not pattern:
        for local in locals_at(document, cursor.start):
            yield 0, _of_local(document, local, cursor)
    for (space, name), placed in document.definitions.items():
        own = placed[0].definition
        if (space in ("value", "operation", "module")) and _fits(ENTRY_KINDS[own.kind], head, pattern):
            yield 1, _of_definition(document, name, placed[-1])
    for alias, module in document.modules.items():
        for name, entry in document.knowledge.exports(module).items():
            if _fits(entry.kind, head, pattern):
                yield 1, _of_entry(f"{alias}.{name}", entry)
    entries = document.knowledge.entries()
    for name, entry in entries.items():
        if entry.prefix and cursor.typed.startswith(f"{entry.prefix}.") and _fits(entry.kind, head, pattern):
            yield 2, _of_entry(f"{entry.prefix}.{name}", entry)
        if _fits(entry.kind, head, pattern) and not (name == "when" and not pattern):
            # of a function and the constructor behind it the function is meant, unless in capitals
            behind = not pattern and entry.kind == "constructor" and kebab(name) in entries
            if not behind or cursor.typed[:1].isupper():
                yield 2, _of_entry(name, entry)
    if not head and not pattern and _asks_for_a_key(cursor):
        yield from ((1, _keyword(name)) for name in _keywords(document, cursor))


def _fits(kind: EntryKind, head: bool, pattern: bool) -> bool:
    """Whether a name of this kind makes sense where a head, an operand or a pattern stands."""
    if pattern:
        return kind == "constructor"
    return head or kind not in ("form", "macro", "effect")


def _behind_the_dot(document: Document, cursor: Cursor) -> Iterator[_Ranked]:
    """The named fields of the text's types, for a variable and a dot."""
    base = cursor.typed.partition(".")[0]
    known = any(local.name == base for local in locals_at(document, cursor.start))
    if not known and Global("value", base) not in document.definitions:
        return
    for placed in document.definitions.values():
        if placed[0].definition.kind == "constructor":
            for word in placed[0].definition.usage.rstrip("]").split():
                if word.startswith(":"):
                    label = f"{base}.{word[1:]}"
                    yield 1, Completion(label, "key", insert=label)


def _asks_for_a_key(cursor: Cursor) -> bool:
    """Whether the cursor stands where ``get`` and its like take the key of a record."""
    inner = cursor.inner
    if inner.kind != LIST or cursor.typed:
        return False
    return len(cursor.before(inner)) == 2 and inner.head() in ("get", "assoc", "update", "remove")


def _in_an_argument(document: Document, cursor: Cursor) -> Sequence[Completion]:
    """The keys of the map around the cursor, where it is an argument that has keys; the keywords under one of
    them; or those that the argument itself may be."""
    depth = next((at for at in reversed(range(len(cursor.path))) if cursor.path[at].kind == LIST), -1)
    entry = document.knowledge.entries().get(cursor.path[depth].head()) if depth >= 0 else None
    if entry is None or not (entry.keys or entry.keywords):
        return ()
    at = len(_earlier(cursor, depth)) - 1
    named = [way[at] for way in entry.ways if 0 <= at < len(way)]
    words = next((entry.keywords[name] for name in named if name in entry.keywords), ())
    if depth == len(cursor.path) - 1:
        return [_keyword(word) for word in words]
    keys = next((entry.keys[name] for name in named if name in entry.keys), ())
    for inner in range(depth + 1, len(cursor.path)):
        node = cursor.path[inner]
        if node.kind == MAP:
            before = [part.text for part in _earlier(cursor, inner)]
            if len(before) % 2 == 0:
                return [_keyword(key.name, key.text) for key in keys if key.name not in before[::2]]
            under = next((key for key in keys if key.name == before[-1]), None)
            if under is None:
                return ()
            if node is cursor.inner:
                return [_keyword(word) for word in under.keywords]
            keys = entry.keys.get(under.holds, ())
            words = under.keywords
    # in a tuple or a vector stands what might stand there alone
    return [_keyword(word) for word in words] if cursor.inner.kind in (TUPLE, VECTOR) else ()


def _earlier(cursor: Cursor, depth: int) -> Sequence[Node]:
    """The forms in a node around the cursor that stand before what the cursor is in."""
    node = cursor.path[depth]
    if depth == len(cursor.path) - 1:
        return cursor.before(node)
    return [part for part in parts(node) if part.end <= cursor.path[depth + 1].start]


def _keyword(name: str, detail: str = "") -> Completion:
    return Completion(name, "keyword", detail, insert=name)


def _keywords(document: Document, cursor: Cursor) -> list[str]:
    """The keywords that the text uses elsewhere."""
    names: dict[str, int] = {}
    for section in document.sections:
        for name in keywords_in(section.text):
            names[name] = names.get(name, 0) + 1
    if cursor.word in names:
        names[cursor.word] -= 1
    if headed(cursor.inner, "use"):
        names[":as"] = 1
    return [name for name, count in names.items() if count > 0]


def _types(document: Document) -> Iterator[_Ranked]:
    for (space, name), placed in document.definitions.items():
        if space == "type" and placed[0].definition.kind in ("type", "trait"):
            yield 1, Completion(name, "type", doc=doc_above(document.text, placed[0].start), insert=name)
    yield from ((2, Completion(name, "type", insert=name)) for name in _TYPES)


def locals_at(document: Document, offset: int) -> list[Local]:
    """The locals that the text at an offset can mean, nearest first."""
    number = document.section_at(offset)
    inside = offset - document.sections[number].start
    scope: Scope | None = document.walked[number].root
    inner = scope
    while inner is not None:
        scope = inner
        inner = next(
            (deeper for deeper in reversed(scope.inner) if deeper.start <= inside <= deeper.end), None
        )
    out: dict[str, Local] = {}
    while scope is not None:
        for name, local in scope.slots.items():
            if local.visible_from <= inside:
                out.setdefault(name, local)
        scope = None if scope.closed else scope.outer
    return list(out.values())


def _of_local(document: Document, local: Local, cursor: Cursor) -> Completion:
    kind: CompletionKind = "parameter" if local.kind == "parameter" else "variable"
    known = document.type_at(cursor.base + local.sites[-1].start) if local.sites else ""
    return Completion(local.name, kind, known or local.kind, insert=local.name)


def _of_definition(document: Document, name: str, placed: PlacedDefinition) -> Completion:
    definition = placed.definition
    return Completion(
        name, ENTRY_KINDS[definition.kind], definition.usage, doc_above(document.text, placed.start), name
    )


def _of_entry(name: str, entry: Entry) -> Completion:
    return Completion(name, entry.kind, entry.type or entry.usage, entry.doc, name)
