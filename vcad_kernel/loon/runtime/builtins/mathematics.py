"""The mathematics that modelling needs and the language lacks: roots, angles, rounding, blending.

Angles are degrees, as everywhere in modelling. Where the numbers given have no real answer, the
class is ``domain`` (or ``zero-division``) instead of a NaN that would turn up in a solid later;
infinities follow IEEE, and NaN in gives NaN out.
"""

from __future__ import annotations

import math
from typing import Any

from vcad_kernel import units
from vcad_kernel.loon.printing.display import display, number
from vcad_kernel.loon.runtime.builtins.arithmetic import divide, to_int, wrap
from vcad_kernel.loon.runtime.builtins.registry import BUILTINS, builtin
from vcad_kernel.loon.runtime.faults import fault, type_fault

BUILTINS["pi"] = math.pi
BUILTINS["tau"] = math.tau


def _number(operation: str, value: Any) -> Any:
    if type(value) is not int and type(value) is not float:
        raise type_fault(operation, "a number", value)
    return value


def _float(operation: str, value: Any) -> float:
    return float(_number(operation, value))


def _finite(operation: str, value: Any) -> float:
    """An angle or a ratio: infinite ones have no sine."""
    given = _float(operation, value)
    if math.isinf(given):
        raise fault("domain", f"{operation} of an infinite angle has no value")
    return given


def _ratio(operation: str, value: Any) -> float:
    given = _float(operation, value)
    if abs(given) > 1.0:
        raise fault(
            "domain",
            f"{operation} needs a number from -1 to 1, not {number(given)}",
            why=f"no angle has this {'sine' if operation == 'asin' else 'cosine'}",
            fix="[clamp -1 1 x] takes off what rounding has put on",
        )
    return given


@builtin("sqrt")
def square_root(value: object, *_surplus: object) -> float:
    """The square root."""
    given = _float("sqrt", value)
    if given < 0.0:
        raise fault(
            "domain",
            f"sqrt of the negative number {number(given)} has no value",
            fix="check the sign; [max 0 x] takes off what rounding has put below zero",
        )
    return math.sqrt(given)


@builtin("sin")
def sine(angle: object, *_surplus: object) -> float:
    """Sine of an angle in degrees."""
    return units.sind(_finite("sin", angle))


@builtin("cos")
def cosine(angle: object, *_surplus: object) -> float:
    """Cosine of an angle in degrees."""
    return units.cosd(_finite("cos", angle))


@builtin("tan")
def tangent(angle: object, *_surplus: object) -> float:
    """Tangent of an angle in degrees."""
    given = _finite("tan", angle)
    result = units.tand(given)
    if math.isinf(result):
        raise fault("domain", f"tan of {number(given)} degrees has no value")
    return result


@builtin("asin")
def arc_sine(ratio: object, *_surplus: object) -> float:
    """The angle in degrees, -90 to 90, with this sine."""
    return units.asind(_ratio("asin", ratio))


@builtin("acos")
def arc_cosine(ratio: object, *_surplus: object) -> float:
    """The angle in degrees, 0 to 180, with this cosine."""
    return units.acosd(_ratio("acos", ratio))


@builtin("atan")
def arc_tangent(ratio: object, *_surplus: object) -> float:
    """The angle in degrees, -90 to 90, with this tangent."""
    return units.atan2d(_float("atan", ratio), 1.0)


@builtin("atan2")
def direction(y: object, x: object, *_surplus: object) -> float:
    """The direction of the point (x, y) in degrees, -180 to 180; y comes first."""
    return units.atan2d(_float("atan2", y), _float("atan2", x))


@builtin("deg")
def to_degrees(radians: object, *_surplus: object) -> float:
    """Radians as degrees."""
    return math.degrees(_float("deg", radians))


@builtin("rad")
def to_radians(degrees: object, *_surplus: object) -> float:
    """Degrees as radians."""
    return math.radians(_float("rad", degrees))


@builtin("pow")
def power(base: object, exponent: object, *_surplus: object) -> float:
    """A power, always a float."""
    x, y = _float("pow", base), _float("pow", exponent)
    odd = math.isfinite(y) and y % 2.0 == 1.0
    if x == 0.0 and y < 0.0:
        return math.copysign(math.inf, x) if odd else math.inf
    if x < 0.0 and math.isfinite(x) and math.isfinite(y) and not y.is_integer():
        raise fault(
            "domain",
            f"[pow {number(x)} {number(y)}] has no value",
            why="a negative number has whole powers only",
        )
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0.0 and odd else math.inf


@builtin("abs")
def magnitude(value: object, *_surplus: object) -> int | float:
    """The number without its sign; an int stays an int (the least int wraps to itself)."""
    size: int | float = abs(_number("abs", value))
    return wrap(size) if type(size) is int else size


def _whole(operation: str, value: float) -> int:
    """A float without fraction as an int, saturating at 64 bits."""
    if math.isnan(value):
        raise fault("domain", f"{operation} of NaN has no value")
    return to_int(value)


@builtin("floor")
def round_down(value: object, *_surplus: object) -> int:
    """The next int below or equal."""
    given = _number("floor", value)
    if type(given) is int:
        return given
    return _whole("floor", float(math.floor(given)) if math.isfinite(given) else given)


@builtin("ceil")
def round_up(value: object, *_surplus: object) -> int:
    """The next int above or equal."""
    given = _number("ceil", value)
    if type(given) is int:
        return given
    return _whole("ceil", float(math.ceil(given)) if math.isfinite(given) else given)


@builtin("round")
def round_nearest(value: object, *_surplus: object) -> int:
    """The nearest int; halves go away from zero."""
    given = _number("round", value)
    if type(given) is int:
        return given
    if not math.isfinite(given):
        return _whole("round", given)
    # Adding ½ first would round 0.49999999999999994 up; size minus its floor is exact.
    size = abs(given)
    nearest = math.floor(size)
    if size - nearest >= 0.5:
        nearest += 1
    return _whole("round", math.copysign(float(nearest), given))


@builtin("mod")
def modulo(value: object, divisor: object, *_surplus: object) -> int | float:
    """What is left of a division rounded down: the sign is the divisor's."""
    a, b = _number("mod", value), _number("mod", divisor)
    if b == 0:
        raise fault("zero-division", f"[mod {display(a)} {display(b)}] has no value")
    if math.isinf(a):
        raise fault("domain", "mod of an infinite number has no value")
    rest: int | float = a % b
    return rest


@builtin("lerp")
def blend(start: object, end: object, part: object, *_surplus: object) -> float:
    """The number that lies ``part`` of the way from ``start`` (0) to ``end`` (1), both met exactly."""
    a, b, t = _float("lerp", start), _float("lerp", end), _float("lerp", part)
    return a + (b - a) * t if t < 0.5 else b - (b - a) * (1.0 - t)


@builtin("clamp")
def clamp(low: object, high: object, value: object, *_surplus: object) -> int | float:
    """The number moved into the range from ``low`` to ``high``; one that is inside stays as it is."""
    least, most = _number("clamp", low), _number("clamp", high)
    given: int | float = _number("clamp", value)
    if least > most:
        raise fault(
            "domain",
            f"clamp needs its lower bound first, not {display(least)} and {display(most)}",
            fix="write [clamp low high x]",
        )
    return least if given < least else most if given > most else given


@builtin("div")
def whole_quotient(a: Any, b: Any, *_surplus: object) -> int:
    """The whole part of a quotient, an int: what `/` gives of two ints, said on purpose."""
    dividend, divisor = _number("div", a), _number("div", b)
    if type(dividend) is int and type(divisor) is int:
        return int(divide(dividend, divisor))
    if divisor == 0:
        raise fault("zero-division", f"[div {display(dividend)} {display(divisor)}] has no value")
    return to_int(float(dividend) / float(divisor))
