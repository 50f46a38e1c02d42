"""A short way to write the entries of one chapter."""

from __future__ import annotations

from vcad_kernel.loon.reference import Entry, EntryKind

__all__ = ["Chapter"]


class Chapter:
    """Makes entries that share a group; the name is read off the usage."""

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
