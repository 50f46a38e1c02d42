"""Numbers, comparisons and logic (§4, §11.1) for the reference evaluator."""

from __future__ import annotations

import math
import re

from tests.loon.oracle.values import Builtin, Fault, Value, equal, truthy

__all__ = ["ARITHMETIC", "less", "to_float", "to_int", "total", "wrapped"]

_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1


def wrapped(number: int) -> int:
    """An int within 64 bits."""
    return (number - _LOWEST) % (1 << 64) + _LOWEST


def _is_number(value: Value) -> bool:
    return type(value) in (int, float)


def _pair(one: Value, other: Value) -> tuple[Value, Value]:
    """Two numbers of one kind."""
    if not (_is_number(one) and _is_number(other)):
        raise Fault("type")
    return (one, other) if type(one) is type(other) else (float(one), float(other))


def _plus(one: Value, other: Value) -> Value:
    one, other = _pair(one, other)
    return wrapped(one + other) if type(one) is int else one + other


def _minus(one: Value, other: Value) -> Value:
    one, other = _pair(one, other)
    return wrapped(one - other) if type(one) is int else one - other


def _times(one: Value, other: Value) -> Value:
    one, other = _pair(one, other)
    return wrapped(one * other) if type(one) is int else one * other


def _divided(one: Value, other: Value) -> Value:
    one, other = _pair(one, other)
    if type(one) is int:
        if other == 0:
            raise Fault("zero-division")
        quotient = abs(one) // abs(other)
        return wrapped(quotient if (one < 0) == (other < 0) else -quotient)
    if other == 0.0:
        if one == 0.0 or one != one:
            return math.nan
        return math.copysign(math.inf, math.copysign(1.0, one) * math.copysign(1.0, other))
    return one / other


def _remainder(one: Value, other: Value) -> Value:
    if type(one) is not int or type(other) is not int:
        raise Fault("type")
    if other == 0:
        raise Fault("zero-division")
    rest = abs(one) % abs(other)
    return -rest if one < 0 else rest


def _comparable(one: Value, other: Value) -> None:
    if not (_is_number(one) and type(one) is type(other)):
        raise Fault("type")


def less(one: Value, other: Value) -> bool:
    """The looser comparison of sort, min and max (§4)."""
    if type(one) is type(other) and type(one) in (int, float, str):
        return bool(one < other)
    return False


def total(values: list[Value]) -> Value:
    """The sum of a vector's numbers."""
    result: Value = 0
    for value in values:
        result = _plus(result, value)
    return result


def to_int(value: Value) -> int:
    """``int``."""
    if type(value) is int:
        return value
    if type(value) is float:
        if value != value:
            return 0
        if math.isinf(value):
            return _HIGHEST if value > 0 else _LOWEST
        return min(max(math.trunc(value), _LOWEST), _HIGHEST)
    if type(value) is str:
        text = value.strip()
        if not re.fullmatch(r"[+-]?[0-9]+", text) or not _LOWEST <= int(text) <= _HIGHEST:
            raise Fault("conversion")
        return int(text)
    raise Fault("type")


def to_float(value: Value) -> float:
    """``float``."""
    if type(value) in (int, float):
        return float(value)
    if type(value) is str:
        text = value.strip()
        number = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
        if re.fullmatch(number, text) or text.lstrip("+-").lower() in ("inf", "nan", "infinity"):
            return float(text)
        raise Fault("conversion")
    raise Fault("type")


def _add(_: object, first: Value, second: Value, *others: Value) -> Value:
    result = _plus(first, second)
    for one in others:
        result = _plus(result, one)
    return result


def _multiply(_: object, first: Value, second: Value, *others: Value) -> Value:
    result = _times(first, second)
    for one in others:
        result = _times(result, one)
    return result


def _less(_: object, one: Value, other: Value, *__: Value) -> bool:
    _comparable(one, other)
    return bool(one < other)


def _greater(_: object, one: Value, other: Value, *__: Value) -> bool:
    _comparable(one, other)
    return bool(one > other)


def _at_most(_: object, one: Value, other: Value, *__: Value) -> bool:
    _comparable(one, other)
    return bool(one <= other)


def _at_least(_: object, one: Value, other: Value, *__: Value) -> bool:
    _comparable(one, other)
    return bool(one >= other)


def _and(_: object, *values: Value) -> Value:
    return next((one for one in values if not truthy(one)), values[-1] if values else True)


def _or(_: object, *values: Value) -> Value:
    return next((one for one in values if truthy(one)), values[-1] if values else False)


ARITHMETIC = [
    Builtin("+", _add, 2),
    Builtin("*", _multiply, 2),
    Builtin("-", lambda _, one, other, *__: _minus(one, other), 2),
    Builtin("/", lambda _, one, other, *__: _divided(one, other), 2),
    Builtin("%", lambda _, one, other, *__: _remainder(one, other), 2),
    Builtin("<", _less, 2),
    Builtin(">", _greater, 2),
    Builtin("<=", _at_most, 2),
    Builtin(">=", _at_least, 2),
    Builtin("=", lambda _, one, other, *__: equal(one, other), 2),
    Builtin("not", lambda _, one, *__: not truthy(one), 1),
    Builtin("and", _and),
    Builtin("or", _or),
    Builtin("int", lambda _, one, *__: to_int(one), 1),
    Builtin("float", lambda _, one, *__: to_float(one), 1),
]
