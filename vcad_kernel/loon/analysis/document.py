"""One text with all that its walk found, put together: what the questions are asked of.

Globals are looked up late, so only here, with the whole text at hand, is it settled what a global name
means: something that the text defines anywhere, or something outside of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.analysis.knowledge import Knowledge, KnownEntries
from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.scoping.bindings import Definition, Found, Global, Local, Occurrence
from vcad_kernel.loon.scoping.nodes import LIST, SYMBOL, is_whole, parsed, parts, sections
from vcad_kernel.loon.scoping.walk import Walk

if TYPE_CHECKING:
    from vcad_kernel.loon.checking.check import Checked
    from vcad_kernel.loon.checking.known import Known
    from vcad_kernel.loon.macros import Expander
    from vcad_kernel.loon.syntax import Form

__all__ = ["Document", "Meaning", "Mention", "PlacedDefinition", "PlacedLocal", "outside"]


class PlacedLocal(NamedTuple):
    """A local, and the number of the section it is in: sections of equal text share what was found."""

    section: int
    local: Local


Meaning: TypeAlias = PlacedLocal | Global


def outside(name: str) -> Global:
    """The global of that name which the world around the text had bound before the text bound it."""
    return Global("value", "outside " + name)  # no name holds a blank


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a name stands, and what it means, or may mean."""

    start: int
    end: int
    name: str
    meanings: tuple[Meaning, ...]
    occurrence: Occurrence
    section: int


@dataclass(frozen=True, slots=True)
class PlacedDefinition:
    """A definition, and where it is in the text."""

    definition: Definition
    start: int
    end: int
    """The extent of the form that defines."""
    name_start: int
    name_end: int


class Document:
    """A text, analysed. Making one is cheap when most of its sections were seen before.

    knowledge: what is bound outside of it.
    """

    def __init__(self, text: str, knowledge: Knowledge | None = None) -> None:
        self.text = text
        self.knowledge: Knowledge = knowledge if knowledge is not None else KnownEntries()
        self.sections = sections(text)
        declared = [_declared(section.text) for section in self.sections]
        macros = frozenset[str]().union(*(names[0] for names in declared))
        nullary = frozenset[str]().union(*(names[1] for names in declared))
        self.constructors = nullary | {
            name
            for name, entry in self.knowledge.entries().items()
            if entry.kind == "constructor" and not entry.usage.startswith("[")
        }
        self.walked = [_found(section.text, macros, self.constructors) for section in self.sections]

    # Places

    def section_at(self, offset: int) -> int:
        """The number of the section that an offset lies in."""
        return max(0, bisect_right(self.sections, offset, key=lambda section: section.start) - 1)

    # Globals

    @cached_property
    def definitions(self) -> dict[Global, list[PlacedDefinition]]:
        """The globals that the text defines, in its order."""
        out: dict[Global, list[PlacedDefinition]] = {}
        for section, walked in zip(self.sections, self.walked, strict=True):
            for definition in walked.definitions:
                placed = PlacedDefinition(
                    definition,
                    section.start + definition.start,
                    section.start + definition.end,
                    section.start + definition.occurrence.start,
                    section.start + definition.occurrence.end,
                )
                out.setdefault(Global(definition.space, definition.name), []).append(placed)
        return out

    def defined(self, name: Global, offset: int) -> PlacedDefinition | None:
        """The definition of a global that a reader at an offset looks for: the last one before it."""
        known = self.definitions.get(name)
        if not known:
            return None
        earlier = [placed for placed in known if placed.start <= offset]
        return earlier[-1] if earlier else known[0]

    @cached_property
    def modules(self) -> dict[str, str]:
        """What stands before the dot → the module it means."""
        return {item.alias: item.module for walked in self.walked for item in walked.imports if item.alias}

    # Types

    def type_of(self, name: str) -> str:
        """The type of a global that the text defines, as people read it; empty when it has none."""
        types = self._types
        return types.bindings.get(name, "") if types is not None else ""

    def type_at(self, offset: int) -> str:
        """The type of the smallest form around an offset; empty when nothing is known."""
        types = self._types
        return (types.type_at(offset) or "") if types is not None else ""

    @cached_property
    def _types(self) -> Checked | None:
        return checked(self.text, self.knowledge.entries())

    # Names

    @cached_property
    def mentions(self) -> list[Mention]:
        """Every place of a name, in the order of the text."""
        out: list[Mention] = []
        for number, (section, walked) in enumerate(zip(self.sections, self.walked, strict=True)):
            for occurrence in walked.occurrences:
                out.extend(self._mentions_of(number, section.start, occurrence))
        out.sort(key=lambda mention: (mention.start, mention.end))
        return out

    def mention_at(self, offset: int) -> Mention | None:
        """The name that a cursor touches; one that begins there wins over one that ends there."""
        at = bisect_right(self.mentions, offset, key=lambda mention: mention.start)
        last = self.mentions[at - 1] if at else None
        return last if last is not None and offset <= last.end else None

    def _mentions_of(self, number: int, base: int, occurrence: Occurrence) -> Iterator[Mention]:
        start, end = base + occurrence.start, base + occurrence.end
        if (
            occurrence.dotted
            and occurrence.reaches_global
            and Global("value", occurrence.name) not in self.definitions
        ):
            yield from self._dotted(number, start, end, occurrence)
            return
        meanings: list[Meaning] = [PlacedLocal(number, local) for local in occurrence.locals]
        if occurrence.reaches_global:
            if occurrence.dotted:
                prefix = self.definitions[Global("value", occurrence.name)][0].definition.occurrence.prefix
                if prefix:
                    middle = start + len(prefix)
                    yield Mention(
                        start, middle - 1, prefix[:-1], (Global("type", prefix[:-1]),), occurrence, number
                    )
                    start = middle
            meanings += self._global_meanings(occurrence, start)
        yield Mention(start, end, occurrence.name, tuple(meanings), occurrence, number)

    def _dotted(self, number: int, start: int, end: int, occurrence: Occurrence) -> Iterator[Mention]:
        """``module.export``, ``value.field``, or a dotted name of the world outside."""
        known = self.knowledge.entries()
        alias = max(
            (name for name in self.modules if occurrence.name.startswith(name + ".")), key=len, default=""
        )
        dot = occurrence.name.find(".", 1)
        base = occurrence.name[:dot]
        if alias:
            middle = start + len(alias)
            yield Mention(start, middle, alias, (Global("module", alias),), occurrence, number)
            yield Mention(
                middle + 1, end, occurrence.name, (Global("value", occurrence.name),), occurrence, number
            )
        elif occurrence.name not in known and (Global("value", base) in self.definitions or base in known):
            yield Mention(
                start,
                start + dot,
                base,
                tuple(self._global_meanings(occurrence, start, base)),
                occurrence,
                number,
            )
        else:
            yield Mention(
                start, end, occurrence.name, (Global("value", occurrence.name),), occurrence, number
            )

    def _global_meanings(self, occurrence: Occurrence, start: int, name: str = "") -> list[Meaning]:
        """What a global name may mean: what the text defines, what it hides, or both.

        A name of the world outside that the text redefines has its old meaning until that happens.
        """
        key = Global(occurrence.space, name or occurrence.name)
        known = self.definitions.get(key)
        entry = self.knowledge.entries().get(key.name) if occurrence.space == "value" else None
        if known is None or occurrence.defines or entry is None or entry.place is not None:
            return [key]
        first = known[0]
        if not first.definition.certain:
            return [key, outside(key.name)]
        if occurrence.deferred:
            return [key] if start >= first.start else [key, outside(key.name)]
        return [key] if start >= first.end else [outside(key.name)]


_SPECIAL: Final = {name: form.walks for name, form in FORMS.items()}


@lru_cache(maxsize=2048)
def _found(text: str, macros: frozenset[str], constructors: frozenset[str]) -> Found:
    """The scopes, definitions and names of the top-level forms of a section."""
    program = parsed(text)
    walk = Walk(program, _SPECIAL, macros, constructors)
    walk.sequence(parts(program))
    return walk.found


@lru_cache(maxsize=2048)
def _declared(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The macros that a section defines, and the constructors without fields."""
    macros: set[str] = set()
    nullary: set[str] = set()
    waiting = list(parts(parsed(text))) if "macro" in text or "type" in text else []
    while waiting:
        node = waiting.pop()
        items = parts(node) if node.kind == LIST else ()
        if items and items[0].text == "pub":
            items = items[1:]
            if len(items) == 1 and items[0].kind == LIST:
                waiting.append(items[0])
        if len(items) < 2 or items[0].kind != SYMBOL:
            continue
        head = items[0].text
        if head == "macro" and items[1].kind == SYMBOL:
            macros.add(items[1].text)
        elif head == "type":
            nullary.update(item.text for item in items[2:] if item.kind == SYMBOL and item.text[:1].isupper())
        elif head in ("do", "derive"):
            waiting.extend(items[1:])
    return frozenset(macros), frozenset(nullary)


# ---- what the checker says of the types in a text, half-typed or not -------------------------
# Sections that cannot be read are left out; the rest is checked as it stands. Findings are not looked at:
# those of a text that is whole come with its run, or from `Environment.check`.


_MOST_EXPANSIONS = 10_000


def checked(text: str, entries: Mapping[str, Entry]) -> Checked | None:
    """A text, checked with what the entries say of the names outside; None when it cannot be read.

    Offsets are those of the text.
    """
    parts = sections(text)
    readable = "".join([part.text if is_whole(part.text) else " " * len(part.text) for part in parts])
    return _checked(readable, _Entries(entries))


class _Entries:
    """Entries as a key: the same for the same mapping."""

    def __init__(self, held: Mapping[str, Entry]) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Entries) and self.held is other.held

    def __hash__(self) -> int:
        return id(self.held)


@lru_cache(maxsize=16)
def _checked(text: str, entries: _Entries) -> Checked | None:
    # What checks whole texts is loaded when types are asked for: completion does without.
    from vcad_kernel.loon.checking.check import Part, check
    from vcad_kernel.loon.macros import Expander
    from vcad_kernel.loon.reading.reader import read
    from vcad_kernel.loon.source import Source

    source = Source("text", text)
    try:
        chunks = read(source)
    except LoonError:
        return None
    expander = Expander({}, _refuse, _MOST_EXPANSIONS)
    parts = [Part(read_chunk.chunk, tuple(_expanded(expander, read_chunk.forms))) for read_chunk in chunks]
    return check(source, parts, _known(entries))


def _expanded(expander: Expander, forms: tuple[Form, ...]) -> list[Form]:
    """The forms with template macros expanded; what only running code could expand stays as it is."""
    from vcad_kernel.loon.macros import MacroFault

    out = []
    for form in forms:
        try:
            expanded = expander.top_level(form)
        except MacroFault:
            expanded = form
        if expanded is not None:
            out.append(expanded)
    return out


def _refuse(macro: object, arguments: object, call: Form) -> Form:
    from vcad_kernel.loon.macros import MacroFault

    del macro, arguments
    raise MacroFault("nothing is run to look at a text", call)


@lru_cache(maxsize=8)
def _known(entries: _Entries) -> Known:
    """The names outside, with the types that their entries give."""
    from vcad_kernel.loon.checking.known import Known
    from vcad_kernel.loon.checking.types.notation import scheme_of
    from vcad_kernel.loon.program.library import Library
    from vcad_kernel.loon.reference_entries.table import ENTRIES

    typed = {}
    for name, entry in entries.held.items():
        if entry.type and ENTRIES.get(name) is not entry:
            try:
                scheme_of(entry.type, lambda _: 0)
            except ValueError:
                continue  # a type for people to read, such as an open record's
            typed[name] = entry
    return Known.base().with_library(Library("outside", "", entries=typed), Known.base())
