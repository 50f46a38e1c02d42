"""The globals of a program or session as its host sees them: bound, looked up, described, taken back.

In front stand the names that user code or the host has bound, behind them the builtins and libraries;
forgetting a name brings back what it shadowed. What the checker knows of the names is kept beside them.
Runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from vcad_kernel.loon.analysis.document import Document
from vcad_kernel.loon.analysis.symbols import doc_above
from vcad_kernel.loon.checking.known import Definitions, Known
from vcad_kernel.loon.checking.types.display import shown
from vcad_kernel.loon.checking.types.notation import scheme_of
from vcad_kernel.loon.checking.types.types import Scheme
from vcad_kernel.loon.macros import Macro
from vcad_kernel.loon.modules.linking import Module, Origin
from vcad_kernel.loon.names import demangle, is_internal, mangle
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.runtime.adts import dispatcher
from vcad_kernel.loon.runtime.faults import fault
from vcad_kernel.loon.runtime.values import UNSET
from vcad_kernel.loon.scoping.bindings import ENTRY_KINDS
from vcad_kernel.loon.source import Source, Span

__all__ = ["Binding", "Bindings", "UserGlobals"]


@lru_cache(maxsize=512)
def entries_of(source: Source) -> Mapping[str, Entry]:
    """The entries of a text's global names, each by its last definition; without types."""
    entries = {}
    for several in Document(source.text).definitions.values():
        last = several[-1]
        definition = last.definition
        if definition.space != "value":
            continue
        entries[definition.name] = Entry(
            definition.name,
            ENTRY_KINDS[definition.kind],
            definition.usage,
            doc=doc_above(source.text, last.start),
            place=Span(source, last.name_start, last.name_end).place(),
        )
    return entries


@dataclass(frozen=True, slots=True)
class Binding:
    """What a name meant at some time: enough to have it mean that again."""

    value: Any
    """UNSET for a macro."""
    macro: Macro | None
    origin: Origin | None
    known: Definitions
    """What the checker knew of it."""
    hosted: bool
    nullary: bool


class Bindings:
    """What all of a program's names mean at one time, kept while they change."""

    def __init__(self, of: UserGlobals) -> None:
        self._values = dict(of.module.globals)
        self._macros = dict(of.macros)
        self._origins = dict(of.origins)
        self._hosted = frozenset(of.hosted)
        self._nullary = frozenset(of.module.nullary)
        self._known = of.known

    def of(self, name: str) -> Binding:
        """What one name meant."""
        return Binding(
            self._values.get(mangle(name), UNSET),
            self._macros.get(name),
            self._origins.get(name),
            self._known.own.of(name),
            name in self._hosted,
            name in self._nullary,
        )


class _Said(NamedTuple):
    """What there is to say of a name as long as nothing of it has changed."""

    origin: Origin
    scheme: Scheme | None
    entry: Entry


class UserGlobals:
    """What a program has bound, in front of what there always is.

    module: its globals; known: what the checker knows where it has bound nothing.
    """

    def __init__(self, module: Module, known: Known) -> None:
        self.module = module
        self.known = known
        """What the checker knows of the names by now."""
        self.macros: dict[str, Macro] = {}
        self.origins: dict[str, Origin] = {}
        """Name → the text that has defined it."""
        self._base_nullary = frozenset(module.nullary)
        self.hosted: set[str] = set()
        """The names that the host has bound."""
        self._said: Mapping[str, _Said] = {}
        """What `entries` said last: a program has many names, and one run changes few of them."""

    def define(self, name: str, value: object) -> None:
        """Bind a name on behalf of the host; it does not count as the user's own."""
        self.module.globals[mangle(name)] = value
        self.module.globals["$sync"]()
        self.module.nullary.discard(name)
        self.hosted.add(name)
        self.origins.pop(name, None)
        self.known = self.known.with_value(name, value)

    def learn(self, name: str, notation: str) -> None:
        """Know a name that is bound elsewhere. notation: its type, as `type_of` gives it."""
        self.origins.pop(name, None)
        scheme = scheme_of(notation, self.known.arity)
        self.known = self.known.with_definitions(Definitions({name: scheme}))

    def type_of(self, name: str) -> str:
        """What is known of a name, in the checker's notation; empty where nothing is."""
        scheme = self.known.scheme(name)
        return "" if scheme is None else shown(scheme)

    def bound_by_user(self, names: Iterable[str], origins: Mapping[str, Origin]) -> None:
        """User code has bound these names. origins: their texts."""
        self.hosted -= set(names)
        self.origins.update(origins)

    def lookup(self, name: str) -> Any:
        """The value of a global, library name or builtin. Raises: LoonNameError."""
        value = self.find(name)
        if value is UNSET:
            raise fault("unbound-symbol", f"{name} is not bound")
        return value

    def find(self, name: str) -> Any:
        """As `lookup`; UNSET for a name that is not bound."""
        identifier = mangle(name)
        value = self.module.globals.get(identifier, UNSET)
        return self.module.base.get(identifier, UNSET) if value is UNSET else value

    def covers(self, name: str) -> bool:
        """Whether a definition of this name stands in front of one of the language or of a library."""
        return mangle(name) in self.module.base

    def names(self) -> Iterator[str]:
        """All names that are bound, the user's first."""
        for scope in (self.module.globals, self.module.base):
            yield from (demangle(identifier) for identifier in scope if not is_internal(identifier))

    def user_names(self) -> frozenset[str]:
        """The names that the user's own code defined."""
        names = {demangle(identifier) for identifier in self.module.globals if not is_internal(identifier)}
        return frozenset(names - self.hosted)

    def entries(self) -> Mapping[str, Entry]:
        """What there is to say about each name that user code has defined: a snapshot, for any thread."""
        known, before = self.known, self._said
        said = {}
        for name, origin in dict(self.origins).items():
            scheme = known.scheme(name)
            there = before.get(name)
            if there is None or there.origin is not origin or there.scheme is not scheme:
                entry = entries_of(origin.source).get(origin.name)
                if entry is None:
                    continue
                type_ = "" if scheme is None else shown(scheme)
                there = _Said(origin, scheme, replace(entry.called(name), type=type_))
            said[name] = there
        self._said = said
        return {name: binding.entry for name, binding in said.items() if name not in self.hosted}

    def forget(self, names: Iterable[str]) -> None:
        """Remove definitions; what they shadowed is back.

        Several types may have a method of one name: with a type goes its own, and the name is there for
        the others.
        """
        names = frozenset(names)
        shared = self._still_methods(names)
        self.known = self.known.without(names - shared)
        for name in names:
            self.module.globals.pop(mangle(name), None)
            if name in shared:
                self.module.globals[mangle(name)] = dispatcher(name, self.module.methods[name])
            else:
                self.module.methods.pop(name, None)
            self.macros.pop(name, None)
            self.hosted.discard(name)
            self.origins.pop(name, None)
            self.module.nullary.discard(name)
            if name in self._base_nullary:
                self.module.nullary.add(name)

    def bring_back(self, name: str, binding: Binding) -> None:
        """Have a name mean what it meant."""
        if binding.value is not UNSET:
            self.module.globals[mangle(name)] = binding.value
            self.module.globals["$sync"]()
        if binding.macro is not None:
            self.macros[name] = binding.macro
        if binding.origin is not None:
            self.origins[name] = binding.origin
        if binding.hosted:
            self.hosted.add(name)
        if binding.nullary:
            self.module.nullary.add(name)
        else:
            self.module.nullary.discard(name)
        self.known = self.known.with_definitions(binding.known)

    def _still_methods(self, names: frozenset[str]) -> frozenset[str]:
        """Take constructors out of the tables of methods; which of the names other types have as a method."""
        shared = set()
        for name, table in self.module.methods.items():
            gone = table.keys() & names
            for tag in gone:
                del table[tag]
            if gone and table:
                shared.add(name)
        return names & shared
