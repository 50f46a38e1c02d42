"""Numbers, comparison and logic.

Ints are signed 64-bit and wrap. ``+ - * /`` mix ints and floats, comparisons do not. A bool is no
number, although Python thinks so: kinds are decided by ``type(x) is``.
"""

from __future__ import annotations

import math
from typing import Any

from vcad_kernel.loon.runtime.builtins.registry import builtin
from vcad_kernel.loon.runtime.equality import equal
from vcad_kernel.loon.runtime.faults import fault, type_fault
from vcad_kernel.loon.runtime.values import truthy

__all__ = ["INT_MAX", "INT_MIN", "add", "wrap"]

INT_MIN = -(1 << 63)
INT_MAX = (1 << 63) - 1
_NUMERIC = frozenset({int, float})


def wrap(value: int) -> int:
    """Modulo 2^64 into the signed range."""
    return ((value - INT_MIN) & 0xFFFF_FFFF_FFFF_FFFF) + INT_MIN


@builtin("+")
def add(a: Any, b: Any, *more: Any) -> Any:
    """Sum of two or more numbers."""
    if type(a) not in _NUMERIC or type(b) not in _NUMERIC:
        raise _not_numbers("+", a, b)
    total = a + b
    if type(total) is int and not INT_MIN <= total <= INT_MAX:
        total = wrap(total)
    for number in more:
        total = add(total, number)
    return total


@builtin("*")
def multiply(a: Any, b: Any, *more: Any) -> Any:
    """Product of two or more numbers."""
    if type(a) not in _NUMERIC or type(b) not in _NUMERIC:
        raise _not_numbers("*", a, b)
    total = a * b
    if type(total) is int and not INT_MIN <= total <= INT_MAX:
        total = wrap(total)
    for number in more:
        total = multiply(total, number)
    return total


@builtin("-")
def subtract(a: Any, b: Any, *_surplus: object) -> Any:
    """Difference of two numbers."""
    if type(a) not in _NUMERIC or type(b) not in _NUMERIC:
        raise _not_numbers("-", a, b)
    total = a - b
    if type(total) is int and not INT_MIN <= total <= INT_MAX:
        return wrap(total)
    return total


def _not_numbers(operation: str, a: object, b: object) -> Exception:
    wrong = b if type(a) in _NUMERIC else a
    failure = type_fault(operation, "numbers", wrong)
    if type(wrong) is str:
        failure.fix = "str joins strings; int and float read a number from one"
    return failure


@builtin("/")
def divide(a: Any, b: Any, *_surplus: object) -> Any:
    """Quotient; of two ints truncated toward zero, else by IEEE rules."""
    if type(a) not in _NUMERIC or type(b) not in _NUMERIC:
        raise _not_numbers("/", a, b)
    if type(a) is int and type(b) is int:
        if b == 0:
            raise fault("zero-division", f"{a} / 0 has no value", fix="with a float the result is inf")
        quotient = abs(a) // abs(b)
        return wrap(quotient if (a < 0) == (b < 0) else -quotient)
    x, y = float(a), float(b)
    if y != 0.0:
        return x / y
    if x == 0.0 or math.isnan(x):
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1.0, y)


@builtin("%")
def remainder(a: Any, b: Any, *_surplus: object) -> Any:
    """Remainder of two ints, with the sign of the first."""
    if type(a) is not int or type(b) is not int:
        raise type_fault("%", "two ints", b if type(a) is int else a)
    if b == 0:
        raise fault("zero-division", f"{a} % 0 has no value")
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def _not_ordered(operation: str, a: object, b: object) -> Exception:
    if type(a) in _NUMERIC and type(b) in _NUMERIC:
        mixed = fault("type", f"{operation} compares two ints or two floats, not an int with a float")
        mixed.fix = "convert one with int or float"
        return mixed
    return type_fault(operation, "two ints or two floats", b if type(a) in _NUMERIC else a)


@builtin("<")
def less(a: Any, b: Any, *_surplus: object) -> bool:
    """Whether a < b, for two ints or two floats."""
    if type(a) is type(b) and (type(a) is int or type(a) is float):
        return bool(a < b)
    raise _not_ordered("<", a, b)


@builtin(">")
def greater(a: Any, b: Any, *_surplus: object) -> bool:
    """Whether a > b, for two ints or two floats."""
    if type(a) is type(b) and (type(a) is int or type(a) is float):
        return bool(a > b)
    raise _not_ordered(">", a, b)


@builtin("<=")
def at_most(a: Any, b: Any, *_surplus: object) -> bool:
    """Whether a ≤ b, for two ints or two floats."""
    if type(a) is type(b) and (type(a) is int or type(a) is float):
        return bool(a <= b)
    raise _not_ordered("<=", a, b)


@builtin(">=")
def at_least(a: Any, b: Any, *_surplus: object) -> bool:
    """Whether a ≥ b, for two ints or two floats."""
    if type(a) is type(b) and (type(a) is int or type(a) is float):
        return bool(a >= b)
    raise _not_ordered(">=", a, b)


@builtin("=")
def is_equal(a: object, b: object, *_surplus: object) -> bool:
    """Structural equality."""
    return equal(a, b)


@builtin("not")
def negate(value: object, *_surplus: object) -> bool:
    """Negated truthiness."""
    return not truthy(value)


@builtin("and")
def all_of(*values: object) -> object:
    """The first falsy argument, else the last; all were evaluated already."""
    last: object = True
    for last in values:
        if not truthy(last):
            return last
    return last


@builtin("or")
def one_of(*values: object) -> object:
    """The first truthy argument, else the last; all were evaluated already."""
    last: object = False
    for last in values:
        if truthy(last):
            return last
    return last


@builtin("int")
def to_int(value: Any, *_surplus: object) -> int:
    """An int from an int, a float (toward zero, saturating) or a string of digits."""
    if type(value) is int:
        return value
    if type(value) is float:
        if math.isnan(value):
            return 0
        return INT_MAX if value >= INT_MAX else INT_MIN if value <= INT_MIN else int(value)
    if type(value) is str:
        digits = value.strip()
        bare = digits[1:] if digits[:1] in ("+", "-") else digits
        if bare.isascii() and bare.isdigit() and len(bare) < 4000 and INT_MIN <= int(digits) <= INT_MAX:
            return int(digits)
        raise fault("conversion", f'int cannot read a number from "{value}"')
    raise type_fault("int", "a number or a string", value)


@builtin("float")
def to_float(value: Any, *_surplus: object) -> float:
    """A float from a number or a string that holds one."""
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    if type(value) is str:
        text = value.strip()
        if text.isascii() and "_" not in text:
            try:
                return float(text)
            except ValueError:
                pass
        raise fault("conversion", f'float cannot read a number from "{value}"')
    raise type_fault("float", "a number or a string", value)
