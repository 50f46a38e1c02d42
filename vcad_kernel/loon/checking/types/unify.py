"""Making two types equal by filling in their variables.

What does not fit raises Clash and leaves the types as they were. Traits that were demanded of a
variable which has become a concrete type are put into ``due``: who asked for the types to be equal
knows the place to blame, and whether the type has the trait.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from vcad_kernel.loon.checking.types.types import (
    KEYWORD,
    NUMBER_BOUNDS,
    NUMBERS,
    Con,
    Fn,
    Overload,
    Record,
    Type,
    Var,
    mapping_of,
    prune,
    row_of,
)

__all__ = ["RIGID", "Clash", "ClashKind", "Unifier"]

ClashKind = Literal["types", "count", "circle", "fields"]
"""types: they differ; count: functions of different numbers of parameters; circle: a type would
contain itself; fields: a record lacks a field."""

RIGID = "'"
"""How the names of types begin that stand for any type in a ``sig``; traits are not asked of them."""


class Clash(Exception):
    """Two types that cannot be one: ``wanted`` and ``given`` are the parts that differ."""

    def __init__(self, kind: ClashKind, wanted: Type, given: Type, fields: tuple[str, ...] = ()) -> None:
        super().__init__(kind)
        self.kind: ClashKind = kind
        self.wanted = wanted
        self.given = given
        self.fields = fields
        """The fields that are missing."""


_Saved: TypeAlias = "tuple[Var, Type | None, int, Mapping[str, int] | None]"


class Unifier:
    """Makes types equal; remembers what it filled in for as long as that may have to be taken back.

    traits: a host's, each with its types: what lacks one is the wrong type.
    """

    __slots__ = ("_trail", "_types", "due")

    def __init__(self, traits: Mapping[str, Collection[str]] = MappingProxyType({})) -> None:
        self._types = {**dict.fromkeys(NUMBER_BOUNDS, NUMBERS), **traits}
        self._trail: list[_Saved] = []
        self.due: list[tuple[str, Type]] = []
        """Traits that concrete types must have."""

    def equal(self, wanted: Type, given: Type) -> None:
        """Make the types equal.

        Raises: Clash; nothing has changed then.
        """
        mark, owed = len(self._trail), len(self.due)
        try:
            self._unify(wanted, given)
        except Clash:
            self.undo(mark)
            del self.due[owed:]
            raise

    def mark(self) -> int:
        """A point to come back to with ``undo``."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Take back what was filled in since the mark."""
        trail = self._trail
        while len(trail) > mark:
            var, ref, level, bounds = trail.pop()
            var.ref, var.level, var.bounds = ref, level, bounds

    def forget(self) -> None:
        """What was filled in stays."""
        self._trail.clear()

    def _save(self, var: Var) -> None:
        self._trail.append((var, var.ref, var.level, var.bounds))

    def _unify(self, wanted: Type, given: Type) -> None:
        wanted, given = prune(wanted), prune(given)
        if wanted is given:
            return
        if isinstance(wanted, Var):
            self._bind(wanted, given, flipped=False)
        elif isinstance(given, Var):
            self._bind(given, wanted, flipped=True)
        elif isinstance(wanted, Con) and isinstance(given, Con):
            if wanted.name != given.name or len(wanted.args) != len(given.args):
                raise Clash("types", wanted, given)
            for mine, other in zip(wanted.args, given.args, strict=True):
                self._unify(mine, other)
        elif isinstance(wanted, Overload) or isinstance(given, Overload):
            self._choose(wanted, given)
        elif isinstance(wanted, Fn) and isinstance(given, Fn):
            self._functions(wanted, given)
        elif isinstance(wanted, Record) and isinstance(given, Record):
            self._records(wanted, given)
        elif isinstance(wanted, Record) and isinstance(given, Con) and given.name == "Map":
            self._record_as_map(wanted, given)
        elif isinstance(given, Record) and isinstance(wanted, Con) and wanted.name == "Map":
            self._record_as_map(given, wanted)
        else:
            raise Clash("types", wanted, given)

    def _bind(self, var: Var, term: Type, *, flipped: bool) -> None:
        if isinstance(term, Var):
            self._save(term)
            if var.level < term.level:
                term.level = var.level
            if var.bounds:
                both = dict(var.bounds)
                for trait, at in (term.bounds or {}).items():
                    both[trait] = min(at, both.get(trait, at))
                term.bounds = both
        else:
            self._sink(var, term)
            for trait in var.bounds or ():
                types = self._types.get(trait)
                if types is not None:
                    if not (isinstance(term, Con) and (term.name in types or term.name.startswith(RIGID))):
                        raise Clash("types", *((term, var) if flipped else (var, term)))
                else:
                    self.due.append((trait, term))
        self._save(var)
        var.ref = term

    def _sink(self, var: Var, term: Type) -> None:
        """Bring the variables of ``term`` up to the level of ``var``, which must not be among them."""
        waiting = [term]
        seen: set[int] = set()  # parts may be shared, and shared parts share parts
        while waiting:
            inner = prune(waiting.pop())
            if isinstance(inner, Var):
                if inner is var:
                    raise Clash("circle", var, term)
                if inner.level > var.level:
                    self._save(inner)
                    inner.level = var.level
                continue
            if id(inner) in seen:
                continue
            seen.add(id(inner))
            if isinstance(inner, Con):
                waiting += inner.args
            elif isinstance(inner, Fn):
                waiting += inner.params
                waiting.append(inner.result)
                if inner.rest is not None:
                    waiting.append(inner.rest)
            elif isinstance(inner, Record):
                waiting += inner.fields.values()
                if inner.tail is not None:
                    waiting.append(inner.tail)
            else:
                waiting += inner.alternatives

    def _functions(self, wanted: Fn, given: Fn) -> None:
        short, long = (wanted, given) if len(wanted.params) <= len(given.params) else (given, wanted)
        beyond = long.params[len(short.params) :]
        if beyond and short.rest is None:
            raise Clash("count", wanted, given)
        for param, other in zip(wanted.params, given.params, strict=False):
            self._unify(param, other)
        if short.rest is not None:
            for param in beyond:
                self._unify(short.rest, param)
            if long.rest is not None:
                self._unify(short.rest, long.rest)
        self._unify(wanted.result, given.result)

    def _choose(self, wanted: Type, given: Type) -> None:
        """The first alternative that fits is taken."""
        if isinstance(wanted, Overload) and isinstance(given, Overload):
            if len(wanted.alternatives) != len(given.alternatives):
                raise Clash("count", wanted, given)
            for mine, other in zip(wanted.alternatives, given.alternatives, strict=True):
                self._unify(mine, other)
            return
        many, flipped = (wanted, False) if isinstance(wanted, Overload) else (given, True)
        assert isinstance(many, Overload)
        single = wanted if flipped else given
        failure: Clash | None = None
        for alternative in many.alternatives:
            try:
                self.equal(*((single, alternative) if flipped else (alternative, single)))
            except Clash as clash:
                if failure is None or failure.kind == "count":
                    failure = clash
            else:
                return
        assert failure is not None
        raise failure

    def _records(self, wanted: Record, given: Record) -> None:
        done: set[str] = set()
        while True:  # making fields equal may bring more of them to light
            mine, my_tail = row_of(wanted)
            theirs, their_tail = row_of(given)
            common = [name for name in mine if name in theirs and name not in done]
            if not common:
                break
            done.update(common)
            for name in common:
                self._unify(mine[name], theirs[name])
        i_lack = {name: field for name, field in theirs.items() if name not in mine}
        they_lack = {name: field for name, field in mine.items() if name not in theirs}
        if my_tail is their_tail and my_tail is not None and (i_lack or they_lack):
            raise Clash("circle", wanted, given)
        self._extend(my_tail, i_lack, wanted, given)
        self._extend(_end(their_tail), they_lack, given, wanted)
        my_end, their_end = _end(my_tail), _end(their_tail)
        if my_end is their_end:
            return
        if my_end is None or their_end is None:
            var = their_end if my_end is None else my_end
            if isinstance(var, Var):  # a record of unknown fields turns out to have no others
                self._save(var)
                var.ref = Record({}, None)
            return
        self._unify(my_end, their_end)

    def _extend(self, tail: Type | None, fields: dict[str, Type], lacking: Type, having: Type) -> None:
        """Add fields to the unknown part of a record."""
        if not fields:
            return
        if isinstance(tail, Var):
            more = Record(fields, Var(tail.level))
            self._sink(tail, more)
            self._save(tail)
            tail.ref = more
        elif isinstance(tail, Con):
            for field in fields.values():
                self._unify(tail.args[1], field)
        else:
            raise Clash("fields", having, lacking, tuple(fields))

    def _record_as_map(self, record: Record, mapping: Con) -> None:
        """A record is a map with keywords as keys, if all its values are of one type."""
        key, value = mapping.args
        self._unify(KEYWORD, key)
        fields, tail = row_of(record)
        for field in fields.values():
            self._unify(value, field)
        if isinstance(tail, Var):
            whole = mapping_of(KEYWORD, value)
            self._sink(tail, whole)
            self._save(tail)
            tail.ref = whole
        elif isinstance(tail, Con):
            self._unify(tail, mapping)


def _end(tail: Type | None) -> Type | None:
    """Where a record's tail ends by now."""
    if tail is None:
        return None
    tail = prune(tail)
    return row_of(tail)[1] if isinstance(tail, Record) else tail
