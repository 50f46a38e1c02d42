"""What there is to say about a name, once, for all who say it: Shift-Tab, completion, `vcad doc`,
the language server, agents and the reference pages.

Knows no library: entries of the language itself are in reference_entries.py, those of a library come
with it (`Library.entries`), those of a program from its own text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from vcad_kernel.errors import Place

__all__ = ["Chapter", "Entry", "EntryKind", "arrows", "markdown", "plain"]

EntryKind = Literal["form", "function", "constructor", "constant", "effect", "macro", "module", "variable"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A name and what it means."""

    name: str
    kind: EntryKind
    usage: str = ""
    """How it is written: ``[fillet r s]``."""
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
    keys: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The keys that a map among its arguments may have, each with the keywords that it may hold, if those are
    known: ``(":kind", (":line", ":circle"))``."""
    place: Place | None = None
    """Where it is defined, when that is in the user's reach."""

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
        """An operation that somebody answers although no ``handle`` does."""
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


def arrows(notation: str) -> str:
    """A type as people read it: ``Real → Solid → Solid``."""
    return notation.replace("->", "→").replace("forall ", "∀")


def plain(entry: Entry) -> str:
    """All of an entry as plain text, for terminals, Shift-Tab and agents."""
    lines = [entry.usage or entry.name]
    if entry.type:
        lines.append(f"  : {arrows(entry.type)}")
    if entry.doc:
        lines += ["", entry.doc]
    if entry.parameters:
        lines += ["", *(f"  {parameter}" for parameter in entry.parameters)]
    if entry.example:
        lines += ["", *(f"  {line}" for line in entry.example.splitlines())]
    if entry.result:
        lines.append(f"  → {entry.result}")
    if entry.place is not None:
        lines += ["", f"defined at {entry.place.file}:{entry.place.line}"]
    return "\n".join(lines)


def markdown(entry: Entry) -> str:
    """All of an entry as markdown, for editors and reference pages."""
    head = f"```loon\n{entry.usage or entry.name}\n```"
    parts = [head]
    if entry.type:
        parts.append(f"`{arrows(entry.type)}`")
    if entry.doc:
        parts.append(entry.doc)
    if entry.parameters:
        parts.append("\n".join(f"* {parameter}" for parameter in entry.parameters))
    if entry.example:
        result = f"\n; → {entry.result}" if entry.result else ""
        parts.append(f"```loon\n{entry.example}{result}\n```")
    return "\n\n".join(parts)
