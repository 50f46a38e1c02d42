"""Loon text that is there before a program begins, such as the CAD library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from vcad_kernel.errors import Place, VcadError
from vcad_kernel.loon.guesses import Guesses
from vcad_kernel.loon.reference import Entry

__all__ = ["Library", "LibraryTrait"]


class LibraryTrait(NamedTuple):
    """Types of a library of which its words take values of each alike, with the words of messages for it."""

    types: tuple[str, ...]
    words: str


@dataclass(frozen=True, slots=True)
class Library:
    """Loon text that is loaded before user code, transparent for errors and call sites.

    arity_error: makes the error for a wrong number of arguments to one of its functions, from the
    function's name, the expected and given numbers and the place; None for the language's own.
    """

    name: str
    text: str
    arity_error: Callable[[str, int, int, Place | None], VcadError] | None = None
    prefix: str = ""
    """Before a dot it names the library's own meaning of a name, whatever a program has bound that to:
    ``cad.size``; empty where there is no such way."""
    functions: Mapping[str, Callable[..., object]] = field(default_factory=dict, compare=False)
    """Names that it binds besides those of its text, to functions of the host."""
    tolerant: bool = False
    """Whether the checker has nothing to say, where this library is loaded, about calls of the language's own
    functions that its types refuse and the run time takes, such as an int beside a float."""
    entries: Mapping[str, Entry] = field(default_factory=dict, compare=False)
    """What there is to say about its names; the checker takes their types from here."""
    traits: Mapping[str, LibraryTrait] = field(default_factory=dict, compare=False)
    """By the name that types have for them: ``Shape a => a -> a -> a``."""
    guesses: Guesses = field(default_factory=Guesses, compare=False)
    """What people write for its names who know others."""
