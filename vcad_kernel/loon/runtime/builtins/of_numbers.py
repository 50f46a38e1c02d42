"""Builtins of a host whose quantities are ints and floats alike: what it puts in place of the language's own.

All but ``min`` and ``max`` take what the language's own take, with the same result, and more, so that what is
compiled in place for those holds for these (``extension``): comparisons mix ints and floats, and where a
count or an index is wanted a float without a fraction is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.runtime.builtins import arithmetic, sequences
from vcad_kernel.loon.runtime.builtins.registry import extension, name_builtin
from vcad_kernel.loon.runtime.collections import Vector
from vcad_kernel.loon.runtime.faults import fault, type_fault
from vcad_kernel.loon.runtime.values import UNSET

__all__ = ["OF_NUMBERS"]

_NUMERIC: Final = frozenset({int, float})

WHOLE: Final = "a parameter that counts is declared with {:whole true}; [int x] cuts a fraction off"


def _compares(name: str, of_alike: Callable[..., bool], test: Callable[[Any, Any], bool]) -> Any:
    def compare(a: Any, b: Any, *_surplus: object) -> bool:
        if type(a) in _NUMERIC and type(b) in _NUMERIC:
            return test(a, b)
        return of_alike(a, b)

    return extension(name)(compare)


def _whole(operation: str, value: Any) -> Any:
    """A float without a fraction as the int that it is; other values as they are."""
    if type(value) is not float:
        return value
    if value.is_integer():
        return int(value)
    raise _fraction(operation, value)


def _fraction(operation: str, value: float) -> LoonError:
    return fault("type", f"{operation} needs a whole number, not {value:g}", fix=WHOLE)


@extension("range")
def _range(first: Any, end: Any = UNSET, *_surplus: object) -> Vector:
    return sequences.number_range(_whole("range", first), _whole("range", end))


@extension("nth")
def _nth(collection: Any, index: Any, default: Any = UNSET, *_surplus: object) -> object:
    return sequences.nth(collection, _whole("nth", index), default)


@extension("get")
def _get(collection: Any, index: Any, *default: object) -> object:
    if isinstance(collection, Vector):
        index = _whole("get", index)
    return sequences.get(collection, index, *default)


@extension("take")
def _take(count: Any, items: Any = UNSET, *_surplus: object) -> object:
    return sequences.take(_whole("take", count), items)


@extension("drop")
def _drop(count: Any, items: Any = UNSET, *_surplus: object) -> object:
    return sequences.drop(_whole("drop", count), items)


@extension("chunk")
def _chunk(size: Any, items: Any, *_surplus: object) -> Vector:
    return sequences.chunk(_whole("chunk", size), items)


@extension("%")
def _remainder(a: Any, b: Any, *_surplus: object) -> Any:
    return arithmetic.remainder(_whole("%", a), _whole("%", b))


def _number(operation: str, value: Any) -> Any:
    if type(value) not in _NUMERIC:
        raise type_fault(operation, "a number", value)
    return value


def _of_numbers(operation: str, of_vector: Callable[..., object]) -> Callable[..., Any]:
    """``min`` or ``max`` that takes numbers one by one besides a vector."""

    def extreme(first: object, *more: object) -> Any:
        if isinstance(first, Vector) or not more:
            return of_vector(first)
        best = _number(operation, first)
        for further in more:
            given = _number(operation, further)
            if (given < best if operation == "min" else given > best) or given != given:
                best = given
        return best

    return name_builtin(extreme, operation)


OF_NUMBERS: Final[Mapping[str, Callable[..., Any]]] = {
    "<": _compares("<", arithmetic.less, lambda a, b: a < b),
    ">": _compares(">", arithmetic.greater, lambda a, b: a > b),
    "<=": _compares("<=", arithmetic.at_most, lambda a, b: a <= b),
    ">=": _compares(">=", arithmetic.at_least, lambda a, b: a >= b),
    "%": _remainder,
    "range": _range,
    "nth": _nth,
    "get": _get,
    "take": _take,
    "drop": _drop,
    "chunk": _chunk,
    "min": _of_numbers("min", sequences.smallest),
    "max": _of_numbers("max", sequences.largest),
}
"""By name. The language's own ``min`` and ``max`` take one vector and refuse numbers (§11.3); these compare
numbers by value, an int with a float too, and give one of them; the first of equals; NaN wins."""
