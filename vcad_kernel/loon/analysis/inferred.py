"""What the checker says of the types in a text, half-typed or not.

Sections that cannot be read are left out; the rest is checked as it stands. Findings are not looked at:
those of a text that is whole come with its run, or from `Environment.check`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.scoping.nodes import is_whole, sections

if TYPE_CHECKING:
    from vcad_kernel.loon.checking.check import Checked
    from vcad_kernel.loon.checking.known import Known
    from vcad_kernel.loon.macros import Expander
    from vcad_kernel.loon.syntax import Form

__all__ = ["checked"]

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
