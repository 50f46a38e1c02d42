"""What the inference of one form asks about everything around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from vcad_kernel.loon.checking.definitions import Adt, Trait, Variant
from vcad_kernel.loon.checking.known import Origin
from vcad_kernel.loon.checking.types.types import Scheme, Type
from vcad_kernel.loon.checking.types.unify import Unifier
from vcad_kernel.loon.guesses import Guesses
from vcad_kernel.loon.program.library import LibraryTrait
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.syntax import Form

__all__ = ["Names"]


class Names(Protocol):
    """What the globals of other forms, and of other texts, mean at this one."""

    level: int
    """How many definitions are under way around here."""
    unifier: Unifier

    @property
    def guesses(self) -> Guesses:
        """What people write for these names who know others."""

    @property
    def tolerant(self) -> bool:
        """Whether what runs all the same is no finding."""

    def scheme(self, name: str, *, deferred: bool) -> Scheme | Type | None:
        """The type of a global. deferred: the name is looked up when a function runs, not now."""

    def opened(self, name: str) -> bool:
        """Whether a ``use`` whose module is not known may bring in the name."""

    def variant(self, name: str) -> tuple[Adt, Variant] | None:
        """A constructor by name."""

    def adt(self, name: str) -> Adt | None:
        """A type by name."""

    def arity(self, name: str) -> int:
        """The number of parameters of a type."""

    def owners(self, field: str) -> Iterable[tuple[Adt, Variant]]:
        """The variants that name one of their fields so."""

    def trait(self, name: str) -> Trait | None:
        """A trait by name."""

    def implements(self, trait: str, owner: str) -> bool:
        """Whether a program implements a trait for a type."""

    def is_method(self, name: str) -> bool:
        """Whether a global, as it was before this form, is a method of other types."""

    def signature(self, name: str) -> tuple[Form, ...] | None:
        """The forms of the ``sig`` that this form's definition of a name must fulfil."""

    def origin(self, name: str) -> Origin:
        """Whose a global is."""

    def hidden(self, name: str) -> int:
        """The line of this text on which a name of the language or of a library got another meaning; 0 if it
        did in another text, -1 if it did not."""

    def ways(self, name: str) -> tuple[tuple[str, ...], ...]:
        """The names of a global function's parameters, for each way to call it."""

    def parameters(self, name: str, count: int = -1) -> tuple[str, ...]:
        """The names of a global function's parameters: those of the way to call it with so many arguments,
        else of the first."""

    def library_entry(self, name: str) -> Entry | None:
        """What a library says of one of its functions; None for all that is not a library's."""

    def unqualified(self, name: str) -> str:
        """The library's word that ``cad.word`` stands for; empty for other names."""

    def qualified(self, name: str) -> str:
        """``cad.word`` for a library's word; empty for other names."""

    @property
    def traits(self) -> Mapping[str, LibraryTrait]:
        """The traits of libraries, by name."""

    def names(self) -> Iterator[str]:
        """All global names."""
