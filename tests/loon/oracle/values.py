"""The values of the reference evaluator (§4, §16): plain classes over Python lists.

Nothing is shared with the language's own runtime, and nothing is fast: sets and maps are searched from
one end to the other. Ints, floats, bools and strings are Python's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from vcad_kernel.loon.syntax import Form

__all__ = [
    "UNIT",
    "Adt",
    "Builtin",
    "Clause",
    "Fault",
    "Function",
    "Keyword",
    "MapValue",
    "Pipe",
    "PipeEnd",
    "SetValue",
    "Tup",
    "Unit",
    "Value",
    "Vec",
    "added",
    "equal",
    "put",
    "raw",
    "shown",
    "truthy",
]

Value = Any


class Fault(Exception):
    """A run-time error; ``kind`` is its class (§15.3)."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class Unit:
    """The value of definitions."""


UNIT = Unit()


@dataclass(frozen=True, eq=False)
class Keyword:
    name: str


@dataclass(frozen=True, eq=False)
class Vec:
    items: list[Value]


@dataclass(frozen=True, eq=False)
class SetValue:
    items: list[Value]


@dataclass(frozen=True, eq=False)
class MapValue:
    pairs: list[tuple[Value, Value]]

    def find(self, key: Value) -> tuple[Value] | None:
        """The value under a key, as a tuple of one."""
        for one, value in self.pairs:
            if equal(one, key):
                return (value,)
        return None


@dataclass(frozen=True, eq=False)
class Tup:
    items: list[Value]


@dataclass(frozen=True, eq=False)
class Adt:
    tag: str
    fields: list[Value]
    names: list[str] | None = None
    """The names of its fields, if its variant has named fields."""


@dataclass(frozen=True, eq=False)
class Clause:
    """One arity of a function."""

    parameters: list[Form]
    rest: str | None
    body: tuple[Form, ...]

    def fits(self, count: int) -> bool:
        """Whether it takes so many arguments."""
        required = len(self.parameters)
        return count == required if self.rest is None else count >= required


@dataclass(frozen=True, eq=False)
class Function:
    name: str | None
    clauses: list[Clause]
    captured: dict[str, Value]
    """The locals that it saw when it was made."""


@dataclass(frozen=True, eq=False)
class Builtin:
    name: str
    call: Callable[..., Any]
    """Takes the evaluator and the arguments; gives the value, or a generator that evaluates to it."""
    least: int = 0
    """Fewer arguments are an arity error."""


@dataclass(eq=False)
class Pipe:
    """What a channel's two ends share."""

    waiting: list[Value] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class PipeEnd:
    pipe: Pipe
    sends: bool


def truthy(value: Value) -> bool:
    """§4: false, unit and the int 0 are false."""
    return not (value is False or value is UNIT or (type(value) is int and value == 0))


def equal(one: Value, other: Value) -> bool:
    """§4, with quirk 2 resolved: the order of sets and maps does not count."""
    if type(one) is not type(other):
        return False
    if isinstance(one, int | float | str):
        return bool(one == other)
    if isinstance(one, Keyword):
        return bool(one.name == other.name)
    if isinstance(one, Vec | Tup):
        return _all_equal(one.items, other.items)
    if isinstance(one, Adt):
        return one.tag == other.tag and _all_equal(one.fields, other.fields)
    if isinstance(one, SetValue):
        return len(one.items) == len(other.items) and all(
            any(equal(item, held) for held in other.items) for item in one.items
        )
    if isinstance(one, MapValue):
        return len(one.pairs) == len(other.pairs) and all(
            (found := other.find(key)) is not None and equal(value, found[0]) for key, value in one.pairs
        )
    return isinstance(one, Unit)


def _all_equal(ones: list[Value], others: list[Value]) -> bool:
    return len(ones) == len(others) and all(
        equal(one, other) for one, other in zip(ones, others, strict=True)
    )


def added(items: list[Value], item: Value) -> list[Value]:
    """The items of a set with one more, unless it is there."""
    return items if any(equal(held, item) for held in items) else [*items, item]


def put(pairs: list[tuple[Value, Value]], key: Value, value: Value) -> list[tuple[Value, Value]]:
    """The pairs of a map with a key set; one that was there keeps its place."""
    if any(equal(held, key) for held, _ in pairs):
        return [(held, value if equal(held, key) else old) for held, old in pairs]
    return [*pairs, (key, value)]


def raw(value: Value) -> str:
    """The display form, of a string its bare text."""
    return value if isinstance(value, str) else shown(value)


def shown(value: Value) -> str:
    """The display form (§16)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Keyword):
        return f":{value.name}"
    if isinstance(value, Vec):
        return f"#[{_spaced(value.items)}]"
    if isinstance(value, SetValue):
        return f"#{{{_spaced(value.items)}}}"
    if isinstance(value, MapValue):
        return f"{{{_spaced([part for pair in value.pairs for part in pair])}}}"
    if isinstance(value, Tup):
        return f"({', '.join(map(shown, value.items))})"
    if isinstance(value, Adt):
        return f"[{value.tag} {_spaced(value.fields)}]" if value.fields else value.tag
    if isinstance(value, Function):
        return f"<fn {value.name or 'anonymous'}>"
    if isinstance(value, Builtin):
        return f"<builtin {value.name}>"
    if isinstance(value, PipeEnd):
        return "<channel-tx>" if value.sends else "<channel-rx>"
    return "()"


def _spaced(values: list[Value]) -> str:
    return " ".join(map(shown, values))


def _number(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    text = f"{Decimal(repr(value)):f}"
    return text.removesuffix(".0")
