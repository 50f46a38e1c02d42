"""What there is to say about a name, once, for all who say it: Shift-Tab, completion, `vcad doc`,
the language server, agents and the reference pages.

Knows no library: entries of the language itself are in reference_entries.py, those of a library come
with it (`Library.entries`), those of a program from its own text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from vcad_kernel.errors import Place

__all__ = ["Chapter", "Entry", "EntryKind", "Key", "arrows", "fitting", "markdown", "plain", "with_unit"]

EntryKind = Literal["form", "function", "constructor", "constant", "effect", "macro", "module", "variable"]


@dataclass(frozen=True, slots=True)
class Key:
    """A key that a map among a function's arguments may have."""

    name: str
    """With its colon: ``:twist``."""
    text: str = ""
    """What stands under it, for people: ``a number, degrees; the turn of the end``."""
    unit: str = ""
    type: str = ""
    """The type of that in the checker's notation; empty where several are taken."""
    keywords: tuple[str, ...] = ()
    """The keywords that it may be, where it is one."""
    holds: str = ""
    """Where a map stands under it: the name of that map's keys among `Entry.keys`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A name and what it means."""

    name: str
    kind: EntryKind
    usage: str = ""
    """How it is written: ``[fillet r s]``. Several ways are separated by ``" | "``."""
    type: str = ""
    """In the checker's notation, also read by it: ``Real -> Solid -> Solid``. Alternatives by number
    of arguments are separated by ``" | "``. Empty where no type can be given."""
    doc: str = ""
    """Plain sentences; angles and lengths say their units. The first sentence stands alone."""
    example: str = ""
    """Loon text that runs by itself."""
    result: str = ""
    """The display form of the example's value; empty when it is geometry."""
    group: str = ""
    """The chapter it belongs to: ``Primitives``, ``Vectors``, ``Mathematics`` …"""
    parameters: tuple[str, ...] = ()
    """What each argument of ``usage`` is: ``r: a number, mm``."""
    keys: Mapping[str, tuple[Key, ...]] = field(default_factory=dict, hash=False)
    """By parameter, the keys that its map may have; and by the names that these say, those of maps within."""
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """By parameter, the keywords that it may be."""
    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """By parameter that may be of several types, which ``type`` leaves open: their names. A map is one."""
    units: Mapping[str, str] = field(default_factory=dict, hash=False)
    """By parameter, what its number counts, where that has a unit: ``mm``."""
    place: Place | None = None
    """Where it is defined, when that is in the user's reach."""
    prefix: str = ""
    """That of its library: ``cad.size`` is the library's whatever a program has bound ``size`` to."""

    @property
    def ways(self) -> tuple[tuple[str, ...], ...]:
        """The names of the parameters, for each way to call it."""
        return tuple(tuple(way.strip("[]").split()[1:]) for way in self.usage.split(" | "))

    def text_of(self, parameter: str) -> str:
        """What a parameter is, in a sentence: ``a number (mm)``; maybe nothing."""
        for line in self.parameters:
            names, _, text = line.partition(": ")
            if parameter in names.split(", "):
                return with_unit(text, self.units.get(parameter, ""))
        return ""

    def called(self, name: str) -> Entry:
        """The entry of the same thing under another name: ``a.f`` for the ``f`` of a module."""
        usage = name if self.usage == self.name else self.usage.replace(f"[{self.name}", f"[{name}")
        return replace(self, name=name, usage=usage)


class Chapter:
    """A short way to write entries that share a group; the name is read off the usage."""

    def __init__(self, group: str) -> None:
        self.group = group

    def function(
        self, usage: str, type_: str, doc: str, example: str, result: str, *parameters: str
    ) -> Entry:
        """A function; each of ``parameters`` says what one or several of its arguments are."""
        return self._entry("function", usage, type_, doc, example, result, parameters)

    def constructor(
        self, usage: str, type_: str, doc: str, example: str, result: str, *parameters: str
    ) -> Entry:
        """A function that makes a value of a type, or such a value itself."""
        return self._entry("constructor", usage, type_, doc, example, result, parameters)

    def constant(self, usage: str, type_: str, doc: str, example: str, result: str) -> Entry:
        """A value."""
        return self._entry("constant", usage, type_, doc, example, result, ())

    def form(self, usage: str, doc: str, example: str, result: str, *parameters: str) -> Entry:
        """A special form, which has no type of its own."""
        return self._entry("form", usage, "", doc, example, result, parameters)

    def effect(self, usage: str, doc: str, example: str, result: str, *parameters: str) -> Entry:
        """An operation that is answered although no ``handle`` does."""
        return self._entry("effect", usage, "", doc, example, result, parameters)

    def _entry(
        self,
        kind: EntryKind,
        usage: str,
        type_: str,
        doc: str,
        example: str,
        result: str,
        parameters: tuple[str, ...],
    ) -> Entry:
        name = usage.strip("[]").split()[0]
        return Entry(name, kind, usage, type_, doc, example, result, self.group, parameters)


def with_unit(text: str, unit: str) -> str:
    """``a number, mm`` as it stands in a sentence: ``a number (mm)``."""
    return f"{text.removesuffix(f', {unit}')} ({unit})" if unit else text


def fitting(ways: Sequence[tuple[str, ...]], count: int) -> tuple[str, ...]:
    """The names of the parameters for a call of so many arguments, else those of the first way."""
    return next((way for way in ways if len(way) == count), ways[0] if ways else ())


def arrows(notation: str) -> str:
    """A type as people read it: ``Real → Solid → Solid``."""
    return notation.replace("->", "→").replace("forall ", "∀")


def plain(entry: Entry) -> str:
    """All of an entry as plain text, for terminals, Shift-Tab and agents."""
    lines = (entry.usage or entry.name).split(" | ")
    if entry.type:
        lines.append(f"  : {arrows(entry.type)}")
    if entry.doc:
        lines += ["", entry.doc]
    if entry.parameters:
        lines += ["", *(f"  {parameter}" for parameter in entry.parameters)]
    for keys in _keys_told(entry):
        lines += ["", *(f"  {f'{key.name}: {key.text}' if key.text else key.name}" for key in keys)]
    if entry.example:
        lines += ["", *(f"  {line}" for line in entry.example.splitlines())]
    if entry.result:
        lines.append(f"  → {entry.result}")
    if entry.place is not None:
        lines += ["", f"defined at {entry.place.file}:{entry.place.line}"]
    return "\n".join(lines)


def _keys_told(entry: Entry) -> Iterator[list[Key]]:
    """The keys of an entry's maps, map by map. Of a map within maps, those that differ from the others'."""
    listed: set[tuple[str, str]] = set()
    for keys in entry.keys.values():
        fresh = [key for key in keys if (key.name, key.text) not in listed]
        listed |= {(key.name, key.text) for key in fresh}
        if fresh:
            yield fresh


def markdown(entry: Entry) -> str:
    """All of an entry as markdown, for editors and reference pages."""
    usage = (entry.usage or entry.name).replace(" | ", "\n")
    head = f"```loon\n{usage}\n```"
    parts = [head]
    if entry.type:
        parts.append(f"`{arrows(entry.type)}`")
    if entry.doc:
        parts.append(entry.doc)
    if entry.parameters:
        parts.append("\n".join(f"* {parameter}" for parameter in entry.parameters))
    for keys in _keys_told(entry):
        parts.append("\n".join([f"* `{key.name}`{f': {key.text}' if key.text else ''}" for key in keys]))
    if entry.example:
        result = f"\n; → {entry.result}" if entry.result else ""
        parts.append(f"```loon\n{entry.example}{result}\n```")
    return "\n\n".join(parts)
