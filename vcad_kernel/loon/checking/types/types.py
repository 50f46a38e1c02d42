"""Types as the checker computes with them: terms with variables that are filled in place.

A variable has a *level*: how many definitions under way enclose the place that made it. When a
definition is finished, the variables that are deeper than its surroundings are its own and become
*generic*: each use of the definition gets copies of them. That costs one walk over a type where the
textbook's substitutions cost one over the whole environment.

Knows nothing of forms, names or messages. How types look is in display.py, how they are made equal in
unify.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Final, TypeAlias

__all__ = [
    "BOOL",
    "FLOAT",
    "GENERIC",
    "INT",
    "KEYWORD",
    "LARGEST",
    "NUMBERS",
    "NUMBER_BOUNDS",
    "STRING",
    "TUPLE",
    "UNIT",
    "WRITTEN_WHOLE",
    "Con",
    "Fn",
    "Overload",
    "Record",
    "Scheme",
    "Type",
    "Var",
    "Whole",
    "generalised",
    "instance",
    "mapping_of",
    "prune",
    "row_of",
    "set_of",
    "tuple_of",
    "unconstrained",
    "vector_of",
]

GENERIC: Final = 1 << 30
"""The level of a variable that stands for any type, anew at each use."""

LARGEST: Final = 20_000
"""Parts that the type of a definition may have; of a larger one nothing is known. A few lines of tuples of
tuples can make one that no machine could write down."""

_order = count()


class Var:
    """A type not known yet; ``ref`` is what it turned out to be."""

    __slots__ = ("bounds", "level", "ref")

    def __init__(self, level: int, bounds: Mapping[str, int] | None = None) -> None:
        self.ref: Type | None = None
        self.level = level
        self.bounds: Mapping[str, int] | None = bounds
        """Traits that its type must have, each with its place in the order in which they came up."""

    def bounded(self, trait: str) -> Var:
        """The variable, with one more trait demanded of it; for variables not shared yet."""
        self.bounds = {**(self.bounds or {}), trait: next(_order)}
        return self


class Con:
    """A named type and its arguments: ``Int``, ``Vec a``, ``Option Int``, a tuple."""

    __slots__ = ("args", "name")

    def __init__(self, name: str, args: tuple[Type, ...] = ()) -> None:
        self.name = name
        self.args = args


class Whole(Con):
    """The type of a name that stands for an int that is written in the text, or for a quotient of two such.

    A type like ``Int`` in all that is inferred. Only a let of such a value binds it, so that one can say of a
    name what it stands for.
    """

    __slots__ = ("value",)

    def __init__(self, value: int | tuple[int, int]) -> None:
        super().__init__("Int")
        self.value = value


class Fn:
    """A function of fixed parameters and, when ``rest`` is a type, any number of further arguments."""

    __slots__ = ("params", "rest", "result")

    def __init__(self, params: tuple[Type, ...], result: Type, rest: Type | None = None) -> None:
        self.params = params
        self.result = result
        self.rest = rest

    def takes(self, given: int) -> bool:
        """Whether a call with that many arguments fits."""
        return given == len(self.params) or (self.rest is not None and given > len(self.params))


class Record:
    """A map whose keys are known. ``tail``: a variable for fields not known yet; None for no others."""

    __slots__ = ("fields", "tail")

    def __init__(self, fields: Mapping[str, Type], tail: Type | None) -> None:
        self.fields = fields
        self.tail = tail


class Overload:
    """A function of several kinds of calls, chosen by the number of arguments, then by their types."""

    __slots__ = ("alternatives",)

    def __init__(self, alternatives: tuple[Type, ...]) -> None:
        self.alternatives = alternatives


Type: TypeAlias = Var | Con | Fn | Record | Overload

TUPLE: Final = "(,)"
"""The name under which tuples are named types."""

INT: Final = Con("Int")
FLOAT: Final = Con("Float")
WRITTEN_WHOLE: Final = Con("Float")
"""The type of a parameter that is a float though its default is written as a whole number: a float like any
other, distinct so that one can say why it equals no int."""
BOOL: Final = Con("Bool")
STRING: Final = Con("String")
KEYWORD: Final = Con("Keyword")
UNIT: Final = Con("()")

NUMBERS: Final = frozenset({"Int", "Float"})
NUMBER_BOUNDS: Final = frozenset({"Real", "Count"})
"""Traits of numbers for a host's lengths, angles and counts; what lacks them is the wrong type."""


def vector_of(item: Type) -> Con:
    """``Vec item``."""
    return Con("Vec", (item,))


def set_of(item: Type) -> Con:
    """``Set item``."""
    return Con("Set", (item,))


def mapping_of(key: Type, value: Type) -> Con:
    """``Map key value``."""
    return Con("Map", (key, value))


def tuple_of(items: Iterable[Type]) -> Con:
    """A tuple; the one without items is like unit."""
    args = tuple(items)
    return Con(TUPLE, args) if args else UNIT


def prune(term: Type) -> Type:
    """What a type has turned out to be so far."""
    while type(term) is Var and term.ref is not None:
        term = term.ref
    return term


def row_of(record: Record) -> tuple[dict[str, Type], Type | None]:
    """All fields of a record and what its tail is by now: None, a variable, or ``Map Keyword v``."""
    fields = dict(record.fields)
    tail = record.tail
    while tail is not None:
        tail = prune(tail)
        if type(tail) is not Record:
            break
        for name, held in tail.fields.items():
            fields.setdefault(name, held)
        tail = tail.tail
    return fields, tail


class Scheme:
    """The type of a definition. Its generic variables are anyone's: see ``instance``."""

    __slots__ = ("bounds", "is_closed", "is_generic", "key", "type")

    def __init__(self, term: Type) -> None:
        seen: dict[Var, None] = {}
        try:
            _collect(term, seen, [LARGEST])
        except _TooLargeError:
            term = Var(GENERIC)
            seen = {term: None}
        self.type = term
        generic = [var for var in seen if var.level == GENERIC]
        self.is_generic = bool(generic)
        self.is_closed = len(generic) == len(seen)
        """Whether it is finished: no variable in it may still turn out to be something."""
        demanded = [(at, var, trait) for var in generic for trait, at in (var.bounds or {}).items()]
        demanded.sort(key=lambda pair: pair[0])
        self.bounds = tuple((var, trait) for _, var, trait in demanded)
        """What is demanded of generic variables, in the order in which it came up."""
        self.key = _key(term, {var: f"{at}" for at, var in enumerate(seen)})
        """Equal for two schemes that mean the same."""


class _TooLargeError(Exception):
    """A type of more than LARGEST parts."""


def _collect(term: Type, seen: dict[Var, None], left: list[int]) -> None:
    """Note the variables of a type in the order of their appearance; ``left`` counts down its parts."""
    term = prune(term)
    left[0] -= 1
    if left[0] < 0:
        raise _TooLargeError
    if isinstance(term, Var):
        seen[term] = None
        return
    if isinstance(term, Con):
        parts: Iterable[Type] = term.args
    elif isinstance(term, Fn):
        parts = (*term.params, *(() if term.rest is None else (term.rest,)), term.result)
    elif isinstance(term, Record):
        fields, tail = row_of(term)
        parts = (*fields.values(), *(() if tail is None else (tail,)))
    else:
        parts = term.alternatives
    for part in parts:
        _collect(part, seen, left)


def _key(term: Type, names: Mapping[Var, str]) -> str:
    term = prune(term)
    if isinstance(term, Var):
        return f"?{names[term]}{sorted(term.bounds or ())}"
    if isinstance(term, Whole) or term is WRITTEN_WHOLE:
        return f"{term.name}={getattr(term, 'value', '')}"
    if isinstance(term, Con):
        return f"{term.name}({' '.join([_key(arg, names) for arg in term.args])})"
    if isinstance(term, Fn):
        rest = "" if term.rest is None else f"&{_key(term.rest, names)}"
        return f"[{' '.join([_key(param, names) for param in term.params])}{rest}>{_key(term.result, names)}]"
    if isinstance(term, Record):
        fields, tail = row_of(term)
        held = [f"{name}:{_key(field, names)}" for name, field in fields.items()]
        return f"{{{' '.join(held)}|{'' if tail is None else _key(tail, names)}}}"
    return f"<{'|'.join([_key(alternative, names) for alternative in term.alternatives])}>"


def generalised(term: Type, level: int) -> Scheme:
    """A finished definition's type: variables deeper than ``level`` become generic."""
    seen: dict[Var, None] = {}
    try:
        _collect(term, seen, [LARGEST])
    except _TooLargeError:
        return unconstrained()
    for var in seen:
        if var.level > level:
            var.level = GENERIC
    return Scheme(term)


def unconstrained() -> Scheme:
    """The type of something of which nothing is known."""
    return Scheme(Var(GENERIC))


def instance(scheme: Scheme, level: int) -> Type:
    """The type of one use of a definition."""
    if not scheme.is_generic:
        return scheme.type
    copies: dict[Var, Type] = {}
    copied = _copy(scheme.type, copies, level)
    for var, trait in scheme.bounds:
        # What a let inside the definition's value binds is in scope after it, and its type may have been
        # filled in by a use there; then nothing is left to be bounded.
        copy = copies.get(var)
        if isinstance(copy, Var):
            copy.bounded(trait)
    return copied


def _copy(term: Type, copies: dict[Var, Type], level: int) -> Type:
    """``term`` with generic variables replaced; parts without any are shared."""
    term = prune(term)
    kind = type(term)
    if kind is Var:
        assert isinstance(term, Var)
        if term.level != GENERIC:
            return term
        copy = copies.get(term)
        if copy is None:
            copy = copies[term] = Var(level)
        return copy
    if isinstance(term, Con):
        if not term.args:
            return term
        return Con(term.name, tuple([_copy(arg, copies, level) for arg in term.args]))
    if kind is Fn:
        assert isinstance(term, Fn)
        params = tuple([_copy(param, copies, level) for param in term.params])
        rest = None if term.rest is None else _copy(term.rest, copies, level)
        return Fn(params, _copy(term.result, copies, level), rest)
    if kind is Record:
        assert isinstance(term, Record)
        fields, tail = row_of(term)
        held = {name: _copy(field, copies, level) for name, field in fields.items()}
        return Record(held, None if tail is None else _copy(tail, copies, level))
    assert isinstance(term, Overload)
    return Overload(tuple([_copy(alternative, copies, level) for alternative in term.alternatives]))
