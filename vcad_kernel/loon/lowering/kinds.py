"""What is known of a value before the program runs: its kind and, of an int, its bounds.

The knowledge travels on the expressions themselves. It is never needed for a right result, only for
a quick one: who knows nothing asks the value when the program runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from vcad_kernel.loon.runtime.builtins.arithmetic import INT_MAX, INT_MIN

__all__ = [
    "ANY",
    "BOOL",
    "FLOAT",
    "INT",
    "LOOSE",
    "STR",
    "VECTOR",
    "Kind",
    "either",
    "kind_of",
    "noted",
    "raw_of",
    "refinements",
    "whole",
    "with_raw",
]

KindName = Literal["any", "int", "float", "bool", "str", "vector"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value; ``low`` and ``high`` bound an int, both inclusive."""

    name: KindName
    low: int = 0
    high: int = 0

    @property
    def fits(self) -> bool:
        """Whether an int of these bounds needs no wrapping."""
        return self.low >= INT_MIN and self.high <= INT_MAX

    def covers(self, other: Kind) -> bool:
        """Whether every value of the other kind is of this one."""
        if self.name == "any":
            return True
        return self.name == other.name and self.low <= other.low and other.high <= self.high


def whole(low: int, high: int) -> Kind:
    """An int between two bounds."""
    return Kind("int", low, high)


ANY = Kind("any")
INT = whole(INT_MIN, INT_MAX)
LOOSE = whole(-(1 << 250), 1 << 250)
"""A sum that is wrapped to 64 bits only at its end: adding wraps at the end or at each step alike."""
FLOAT = Kind("float")
BOOL = Kind("bool")
STR = Kind("str")
VECTOR = Kind("vector")


def either(left: Kind, right: Kind) -> Kind:
    """The kind of a value that is of one or of the other."""
    if left.name != right.name:
        return ANY
    return Kind(left.name, min(left.low, right.low), max(left.high, right.high))


def kind_of(value: ast.expr) -> Kind:
    """What an expression says of itself; of a variable the Emitter knows more."""
    if isinstance(value, ast.Constant):
        constant = value.value
        if type(constant) is int:
            return whole(constant, constant)
        return {bool: BOOL, float: FLOAT, str: STR}.get(type(constant), ANY)
    kind: Kind = vars(value).get("loon_kind", ANY)
    return kind


def noted(value: ast.expr, kind: Kind) -> ast.expr:
    """The expression, with what is known of its value."""
    if kind is not ANY:
        vars(value)["loon_kind"] = kind
    return value


def with_raw(value: ast.expr, raw: ast.expr, bounds: Kind) -> ast.expr:
    """An int that is wrapped to 64 bits, with the expression that it was before."""
    vars(value)["loon_raw"] = raw, bounds
    return value


def raw_of(value: ast.expr, kind: Kind) -> tuple[ast.expr, Kind]:
    """An operand of ``+``, ``-`` or ``*`` that need not be wrapped, because the result will be."""
    raw, bounds = vars(value).get("loon_raw", (value, kind))
    return (raw, bounds) if LOOSE.covers(bounds) else (value, kind)


def refinements(test: ast.expr, holds: bool, kind: Callable[[ast.expr], Kind]) -> Iterator[tuple[str, Kind]]:
    """What a comparison of known ints says of its variables, when it holds or when it does not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from refinements(test.operand, not holds, kind)
    elif isinstance(test, ast.BoolOp) and holds is isinstance(test.op, ast.And):
        for part in test.values:
            yield from refinements(part, holds, kind)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        operator = _HELD.get(type(test.ops[0])) if holds else _FAILED.get(type(test.ops[0]))
        if operator is None:
            return
        for operand, other, relation in ((left, right, operator), (right, left, _MIRRORED[operator])):
            known, bound = kind(operand), kind(other)
            if isinstance(operand, ast.Name) and known.name == bound.name == "int":
                yield operand.id, _narrowed(known, relation, bound)


_HELD: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "="}
_FAILED: dict[type[ast.cmpop], str] = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<"}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


def _narrowed(known: Kind, relation: str, bound: Kind) -> Kind:
    low, high = known.low, known.high
    if relation in ("<", "<=", "="):
        high = min(high, bound.high - (relation == "<"))
    if relation in (">", ">=", "="):
        low = max(low, bound.low + (relation == ">"))
    return whole(low, high) if low <= high else known
