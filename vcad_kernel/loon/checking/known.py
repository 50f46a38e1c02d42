"""What the checker knows of names outside the text it looks at.

A Known is never changed: each of its methods gives another one. Behind a program's own definitions stand
those of the language and of libraries, as at run time; so taking a definition back brings back what it
shadowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal, TypeVar

from vcad_kernel.loon.checking.declared import TypeForm, VariantForm
from vcad_kernel.loon.checking.definitions import Adt, Performs, Trait, Variant, adt_of, for_host
from vcad_kernel.loon.checking.ownership.variables import BORROWS, Modes
from vcad_kernel.loon.checking.types.notation import scheme_of
from vcad_kernel.loon.checking.types.types import (
    BOOL,
    FLOAT,
    GENERIC,
    INT,
    KEYWORD,
    STRING,
    UNIT,
    Con,
    Record,
    Scheme,
    Type,
    Var,
    tuple_of,
    unconstrained,
    vector_of,
)
from vcad_kernel.loon.guesses import LANGUAGE, Guesses
from vcad_kernel.loon.program.library import Library, LibraryTrait
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.reference_entries import VALUES
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.values import Adt as Value
from vcad_kernel.loon.runtime.values import Keyword
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["Definitions", "Known", "Origin"]

_T = TypeVar("_T")

Origin = Literal["own", "language", "library", "nowhere"]
"""Whose definition a name has: the program's, the language's, a library's."""


@dataclass(frozen=True)
class Definitions:
    """What a text defines."""

    schemes: Mapping[str, Scheme] = field(default_factory=dict)
    variants: Mapping[str, tuple[Adt, Variant]] = field(default_factory=dict)
    types: Mapping[str, Adt] = field(default_factory=dict)
    traits: Mapping[str, Trait] = field(default_factory=dict)
    impls: frozenset[tuple[str, str]] = frozenset()
    methods: frozenset[str] = frozenset()
    """Functions that go by the variant of their argument, of any number of types."""
    performs: Mapping[str, Performs] = field(default_factory=dict)
    modes: Mapping[str, Modes] = field(default_factory=dict)
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The names of a function's parameters."""
    signatures: Mapping[str, tuple[Form, ...]] = field(default_factory=dict)
    """The forms of a ``sig`` whose definition has not come yet."""

    def over(self, older: Definitions) -> Definitions:
        """These definitions put over older ones: a name means one thing."""
        gone = self.schemes.keys()
        return Definitions(
            {**older.schemes, **self.schemes},
            {**_but_for(gone, older.variants), **self.variants},
            {**older.types, **self.types},
            {**older.traits, **self.traits},
            older.impls | self.impls,
            (older.methods - gone) | self.methods,
            {**_but_for(gone, older.performs), **self.performs},
            {**_but_for(gone, older.modes), **self.modes},
            {**_but_for(gone, older.parameters), **self.parameters},
            {**_but_for(gone, older.signatures), **self.signatures},
        )

    def without(self, names: Iterable[str]) -> Definitions:
        """The definitions but for some names; a type goes with the last of its constructors."""
        gone = set(names)
        types = {
            name: adt
            for name, adt in self.types.items()
            if not adt.variants or any(variant.name not in gone for variant in adt.variants)
        }
        return replace(
            self,
            schemes=_but_for(gone, self.schemes),
            variants=_but_for(gone, self.variants),
            types=types,
            methods=self.methods - gone,
            performs=_but_for(gone, self.performs),
            modes=_but_for(gone, self.modes),
            parameters=_but_for(gone, self.parameters),
        )

    def of(self, name: str) -> Definitions:
        """The definition of one name, as far as it is one; a type's with it for each of its constructors."""
        held = self.variants.get(name)
        return Definitions(
            schemes=_only(name, self.schemes),
            variants=_only(name, self.variants),
            types={} if held is None else {held[0].name: held[0]},
            methods=self.methods & {name},
            performs=_only(name, self.performs),
            modes=_only(name, self.modes),
            parameters=_only(name, self.parameters),
        )


def _only(name: str, held: Mapping[str, _T]) -> Mapping[str, _T]:
    """What is held by one name."""
    return {name: held[name]} if name in held else {}


def _but_for(names: Set[str], held: Mapping[str, _T]) -> Mapping[str, _T]:
    """What is held by name, without some names; itself where it has none of them."""
    if names.isdisjoint(held):
        return held
    return {name: value for name, value in held.items() if name not in names}


@dataclass(frozen=True)
class _Host:
    """What the libraries say of texts that use them, besides their names."""

    guesses: Guesses = LANGUAGE
    tolerant: bool = False
    traits: Mapping[str, LibraryTrait] = field(default_factory=dict)
    prefixes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Before a dot they name a library's own meaning of one of these names."""


class Known:
    """The names that a text may use without defining them."""

    __slots__ = ("_host", "_language", "_libraries", "_own", "_parsed", "_texts")

    def __init__(
        self,
        texts: Mapping[str, Entry],
        language: Definitions,
        libraries: frozenset[str],
        own: Definitions,
        parsed: dict[str, Scheme],
        host: _Host,
    ) -> None:
        self._host = host
        self._texts = texts
        self._language = language
        self._libraries = libraries
        self._own = own
        self._parsed = parsed  # kept by name; filled on demand, the same for all that share texts

    @staticmethod
    @cache
    def base() -> Known:
        """The language itself."""
        option = adt_of(_variants("Option", ("t",), ("Some", ("t",)), ("None", None)), lambda _: 0)
        result = adt_of(_variants("Result", ("t", "e"), ("Ok", ("t",)), ("Err", ("e",))), lambda _: 0)
        adts = (option, result)
        language = Definitions(
            schemes={variant.name: variant.scheme for adt in adts for variant in adt.variants},
            variants={variant.name: (adt, variant) for adt in adts for variant in adt.variants},
            types={adt.name: adt for adt in adts},
        )
        texts = {name: entry for name, entry in VALUES.items() if entry.type}
        return Known(texts, language, frozenset(), Definitions(), {}, _Host())

    # Making others

    def with_library(self, library: Library, definitions: Known) -> Known:
        """With a library: what it says of its names, and the definitions of its own text."""
        given = definitions._own
        types = {name: for_host(adt) for name, adt in given.types.items()}
        variants = {variant.name: (adt, variant) for adt in types.values() for variant in adt.variants}
        typed = {name: entry for name, entry in library.entries.items() if entry.type}
        own = replace(
            given,
            schemes={**given.schemes, **{name: held[1].scheme for name, held in variants.items()}},
            variants=variants,
            types=types,
            modes=dict.fromkeys([*given.schemes, *typed], BORROWS),
        )
        language = own.over(self._language)
        libraries = self._libraries | frozenset(given.schemes) | frozenset(typed)
        texts = {name: entry for name, entry in self._texts.items() if name not in given.schemes}
        return Known(
            {**texts, **typed},
            language,
            libraries,
            self._own,
            {},
            replace(
                self._host,
                guesses=self._host.guesses.and_those(library.guesses),
                tolerant=self._host.tolerant or library.tolerant,
                traits={**self._host.traits, **library.traits},
                prefixes={**self._host.prefixes, library.prefix: frozenset({*given.schemes, *typed})},
            ),
        )

    def with_value(self, name: str, value: object) -> Known:
        """With a value that a host binds; what it is decides its type."""
        held = self.variant(value.tag) if isinstance(value, Value) else None
        if held is None:
            return self.with_definitions(Definitions({name: Scheme(_type_of(value))}))
        adt = held[0]
        whole = Con(adt.name, tuple([Var(GENERIC) for _ in range(adt.arity)]))
        return self.with_definitions(Definitions({name: Scheme(whole)}))

    def with_definitions(self, newer: Definitions) -> Known:
        """With definitions put over the program's own."""
        return self._with_own(newer.over(self._own))

    def without(self, names: Iterable[str]) -> Known:
        """Without the program's definitions of these names."""
        return self._with_own(self._own.without(names))

    def _with_own(self, own: Definitions) -> Known:
        return Known(self._texts, self._language, self._libraries, own, self._parsed, self._host)

    # Asking

    @property
    def guesses(self) -> Guesses:
        """What people write for these names who know others."""
        return self._host.guesses

    @property
    def tolerant(self) -> bool:
        """Whether calls that run all the same are no findings (see inference/calls.py)."""
        return self._host.tolerant

    @property
    def traits(self) -> Mapping[str, LibraryTrait]:
        """The traits of libraries, by name."""
        return self._host.traits

    @property
    def own(self) -> Definitions:
        """What the program itself has defined."""
        return self._own

    def scheme(self, name: str) -> Scheme | None:
        """The type of a name, None when it is not bound."""
        known = self._own.schemes.get(name) or self._parsed.get(name)
        if known is None:
            name = self.unqualified(name) or name
            known = self._parsed.get(name)
        if known is None and name in self._texts:
            known = self._parsed[name] = scheme_of(self._texts[name].type, self._language_arity)
        if known is None:
            known = self._language.schemes.get(name)
        return known

    def _language_arity(self, name: str) -> int:
        known = self._language.types.get(name)
        return 0 if known is None else known.arity

    def origin(self, name: str) -> Origin:
        """Whose a name is."""
        if name in self._own.schemes:
            return "own"
        if name in self._libraries or self.unqualified(name):
            return "library"
        return "language" if self.scheme(name) is not None else "nowhere"

    def unqualified(self, name: str) -> str:
        """The library's word that ``cad.word`` stands for, whatever the program calls so; maybe none."""
        prefix, _, word = name.partition(".")
        return word if word in self._host.prefixes.get(prefix, ()) else ""

    def qualified(self, name: str) -> str:
        """``cad.word`` for a library's word; empty for other names."""
        prefixes = [prefix for prefix, words in self._host.prefixes.items() if prefix and name in words]
        return f"{prefixes[0]}.{name}" if prefixes else ""

    def names(self) -> Iterator[str]:
        """All names that are bound."""
        yield from {**self._own.schemes, **self._language.schemes, **self._texts}
        for prefix, words in self._host.prefixes.items():
            yield from (f"{prefix}.{word}" for word in words if prefix)

    def variant(self, name: str) -> tuple[Adt, Variant] | None:
        """The constructor of a name, unless the name means something else by now."""
        if name in self._own.schemes:
            return self._own.variants.get(name)
        return self._language.variants.get(name)

    def adt(self, name: str) -> Adt | None:
        """A type by name."""
        return self._own.types.get(name) or self._language.types.get(name)

    def adts(self) -> Iterator[Adt]:
        """All types."""
        yield from {**self._language.types, **self._own.types}.values()

    def arity(self, name: str) -> int:
        """The number of parameters of a type; 0 for unknown ones."""
        known = self.adt(name)
        return 0 if known is None else known.arity

    def trait(self, name: str) -> Trait | None:
        """A trait that a program has defined."""
        return self._own.traits.get(name) or self._language.traits.get(name)

    def implements(self, trait: str, owner: str) -> bool:
        """Whether some program has implemented a trait for a type."""
        return (trait, owner) in self._own.impls or (trait, owner) in self._language.impls

    def is_method(self, name: str) -> bool:
        """Whether a name is a method of types of the program."""
        return name in self._own.methods

    def performs(self, name: str) -> Performs | None:
        """What a named function performs and calls."""
        return self._own.performs.get(name) or self._language.performs.get(name)

    def modes(self) -> Mapping[str, Modes]:
        """What functions do with their arguments, for the ownership check."""
        return {**self._language.modes, **self._own.modes}

    def signature(self, name: str) -> tuple[Form, ...] | None:
        """The forms of a ``sig`` that still waits for its definition."""
        return self._own.signatures.get(name)

    def covers(self, name: str) -> bool:
        """Whether a definition of the program stands before one of the language or a library."""
        return name in self._own.schemes and (name in self._texts or name in self._language.schemes)

    def ways(self, name: str) -> tuple[tuple[str, ...], ...]:
        """The names of a function's parameters, for each way to call it, as far as they are known."""
        if name not in self._own.schemes:
            entry = self._texts.get(self.unqualified(name) or name)
            if entry is not None and entry.usage.startswith("["):
                return entry.ways
        names = (self._own if name in self._own.schemes else self._language).parameters.get(name, ())
        return (names,) if names else ()

    def library_entry(self, name: str) -> Entry | None:
        """What a library says of one of its functions."""
        word = self.unqualified(name)
        if not word and (name in self._own.schemes or name not in self._libraries):
            return None
        return self._texts.get(word or name)


def _variants(name: str, params: tuple[str, ...], *variants: tuple[str, tuple[str, ...] | None]) -> TypeForm:
    made = []
    for tag, fields in variants:
        symbol = Symbol(0, 0, tag)
        parts = tuple([Symbol(0, 0, name) for name in fields or ()])
        form = ListForm(0, 0, (symbol, *parts))
        made.append(VariantForm(symbol, form, parts, ("",) * len(parts), (), fields is None))
    return TypeForm(name, params, tuple(made), is_copy=False)


_ATOMS: Mapping[type, Type] = {bool: BOOL, int: INT, float: FLOAT, str: STRING, Keyword: KEYWORD}

_LOOKED_AT = 1000
"""Items of a vector of no atoms whose types are compared; of more, nothing is known."""


def _type_of(value: object) -> Type:
    """The type of plain data; where parts of it differ, nothing is known of them."""
    atom = _ATOMS.get(type(value))
    if atom is not None:
        return atom
    if value is None:
        return UNIT
    if isinstance(value, list | Vector):
        kinds = set(map(type, value))
        if len(kinds) == 1 and (atom := _ATOMS.get(kinds.pop())) is not None:
            return vector_of(atom)
        if len(value) > _LOOKED_AT:
            return vector_of(Var(GENERIC))
        held = [_type_of(item) for item in value]
        alike = len({Scheme(kind).key for kind in held}) == 1
        return vector_of(held[0] if alike else Var(GENERIC))
    if isinstance(value, tuple):
        return tuple_of([_type_of(item) for item in value])
    if isinstance(value, dict | Map):
        pairs = {str(getattr(key, "name", key)): _type_of(held) for key, held in value.items()}
        return Record(pairs, None) if pairs else unconstrained().type
    return unconstrained().type
