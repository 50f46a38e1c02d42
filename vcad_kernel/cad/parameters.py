"""The parameters of one run: what the program declares, and what the caller sets.

declarations = Declarations({"width": 50})
Environment(prelude=PRELUDE, declare=declarations.declare).run(source)
declarations.finish()                  # refuses what no declaration has asked for
declarations.declared                  # (Parameter("width", 50.0, 40.0, …),)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, Final

from vcad_kernel.cad.values import described, number_text
from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.parameter import Number, Parameter
from vcad_kernel.loon.forms.defparam import WHOLE
from vcad_kernel.loon.reading.reader import read
from vcad_kernel.loon.runtime.collections import Map
from vcad_kernel.loon.runtime.values import Keyword
from vcad_kernel.loon.source import Source
from vcad_kernel.loon.syntax import FloatLit, Form, IntLit, ListForm, Symbol

__all__ = ["Declarations", "unknown_parameter", "with_defaults"]

_TEXTS: Final = ("unit", "doc")
_NUMBERS: Final = ("min", "max", "step")
_LARGEST_WHOLE: Final = 2**63 - 1
"""What a node's digest holds."""


class Declarations:
    """What one run of a program declares; overrides: values by name, in place of defaults."""

    def __init__(self, overrides: Mapping[str, Any] | None = None) -> None:
        self._overrides = dict(overrides or {})
        self._declared: dict[str, Parameter] = {}

    @property
    def declared(self) -> tuple[Parameter, ...]:
        """The parameters so far, in the order of the program."""
        return tuple(self._declared.values())

    def declare(self, name: str, default: object, options: object) -> Number:
        """The value of a parameter: the caller's, or the default.

        Raises: GeometryError TYPE_MISMATCH or INVALID_PARAMETER; the program knows the place.
        """
        given = _options(name, options)
        kind = _whole if given.pop(WHOLE, False) else _float
        standard = kind(_number(default, name, "the default"), name, "the default")
        value = standard
        if name in self._overrides:
            value = kind(_number(self._overrides[name], name, "the value"), name, "the value")
        parameter = Parameter(name, value, standard, **given)
        _check_range(parameter)
        self._declared[name] = parameter
        return value

    def finish(self) -> None:
        """Refuse values for parameters that the program, which has ended, does not have.

        Raises: GeometryError INVALID_PARAMETER.
        """
        for name in self._overrides:
            if name not in self._declared:
                raise unknown_parameter(name, self._declared)


def unknown_parameter(name: str, known: Iterable[str]) -> GeometryError:
    """INVALID_PARAMETER for a value that nothing asks for."""
    names = list(known)
    close = get_close_matches(name, names, 1)
    has = f"it has {', '.join(names)}" if names else "it declares none with defparam"
    return _fault(
        name,
        f"the model has no parameter {name}; {has}",
        fix=f"did you mean {close[0]}?" if close else None,
        details={"known": names},
    )


def with_defaults(text: str, values: Mapping[str, Number]) -> str:
    """A Loon text whose parameters of these names have these defaults; all else stays as it is written.

    Raises: LoonSyntaxError; GeometryError INVALID_PARAMETER where a parameter is not declared in this text,
    or its default is computed and not a number that stands there.
    """
    declared = dict(_written_defaults(text))
    places = []
    for name, value in values.items():
        if name not in declared:
            raise unknown_parameter(name, declared)
        default, start = declared[name]
        if not isinstance(default, IntLit | FloatLit):
            raise _fault(
                name,
                f"the default of {name} is computed: {text[start + default.start : start + default.end]}",
                fix="change it in the source",
            )
        is_whole = isinstance(default, IntLit) and float(value).is_integer()
        places.append((start + default.start, start + default.end, _literal(value, is_whole)))
    for start, end, literal in sorted(places, reverse=True):
        text = text[:start] + literal + text[end:]
    return text


def _written_defaults(text: str) -> Iterable[tuple[str, tuple[Form, int]]]:
    """Name → the form of its default, and the offset from which that counts."""
    for chunk, forms in read(Source("<written>", text)):
        for form in forms:
            match form:
                case ListForm(items=(Symbol(name="pub"), ListForm() as inner)):
                    items = inner.items
                case ListForm(items=(Symbol(name="pub"), *rest)):
                    items = tuple(rest)
                case ListForm():
                    items = form.items
                case _:
                    continue
            match items:
                case (Symbol(name="defparam"), Symbol(name=name), default, *_):
                    yield name, (default, chunk.start)


def _literal(value: Number, is_whole: bool) -> str:
    if is_whole:
        return str(int(value))
    digits = format(Decimal(repr(float(value))), "f")
    return digits if "." in digits else f"{digits}.0"


def _fault(name: str, message: str, *, code: str = "INVALID_PARAMETER", **more: Any) -> GeometryError:
    return GeometryError(f"defparam: {message}", code=code, operation="defparam", argument=name, **more)


def _number(value: object, name: str, what: str) -> Number:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _fault(name, f"{what} of {name} must be a number, got {_words(value)}", code="TYPE_MISMATCH")
    if isinstance(value, int) and abs(value) > _LARGEST_WHOLE:
        raise _fault(name, f"{what} of {name} is too large for a whole number")
    if not math.isfinite(value):
        raise _fault(name, f"{what} of {name} must be finite, got {number_text(value)}")
    return value


def _words(value: object) -> str:
    return "None" if value is None else described(value)


def _float(value: Number, _name: str, _what: str) -> float:
    return float(value)


def _whole(value: Number, name: str, what: str) -> int:
    if not float(value).is_integer():
        raise _fault(
            name,
            f"{what} of {name} must be a whole number, got {number_text(value)}",
            fix="leave {:whole true} out to allow fractions",
        )
    if abs(value) > _LARGEST_WHOLE:
        raise _fault(name, f"{what} of {name} is too large for a whole number")
    return int(value)


def _options(name: str, options: object) -> dict[str, Any]:
    if not isinstance(options, Map):
        raise _fault(
            name,
            f"the options of {name} must be a map such as {{:min 10 :max 80}}, got {described(options)}",
            code="TYPE_MISMATCH",
        )
    settings: dict[str, Any] = {}
    for key, value in options.items():
        option = key.name if isinstance(key, Keyword) else ""
        if option in _NUMBERS:
            settings[option] = _number(value, name, f":{option}")
        elif option in _TEXTS:
            if not isinstance(value, str):
                message = f":{option} of {name} must be a text, got {described(value)}"
                raise _fault(name, message, code="TYPE_MISMATCH")
            settings[option] = value
        elif option == WHOLE:
            if not isinstance(value, bool):
                message = f":{option} of {name} must be true or false, got {described(value)}"
                raise _fault(name, message, code="TYPE_MISMATCH")
            settings[option] = value
        else:
            known = (*_TEXTS, *_NUMBERS, WHOLE)
            close = get_close_matches(option, known, 1)
            raise _fault(
                name,
                f"{name} has the unknown option {f':{option}' if option else described(key)};"
                f" options are {', '.join(f':{word}' for word in known)}",
                fix=f"did you mean :{close[0]}?" if close else None,
            )
    return settings


def _check_range(parameter: Parameter) -> None:
    name, low, high = parameter.name, parameter.min, parameter.max
    if parameter.step is not None and parameter.step <= 0:
        raise _fault(name, f":step of {name} must be above 0, got {number_text(parameter.step)}")
    if low is not None and high is not None and low > high:
        raise _fault(name, f":min of {name} is {number_text(low)}, above its :max {number_text(high)}")
    below = low is not None and parameter.value < low
    above = high is not None and parameter.value > high
    if below or above:
        wanted = _range_words(low, high)
        unit = f" {parameter.unit}" if parameter.unit else ""
        raise _fault(
            name,
            f"{name} must be {wanted}{unit}, got {number_text(parameter.value)}",
            details={"min": low, "max": high, "value": parameter.value},
        )


def _range_words(low: Number | None, high: Number | None) -> str:
    if low is not None and high is not None:
        return f"from {number_text(low)} to {number_text(high)}"
    return f"at least {number_text(low)}" if low is not None else f"at most {number_text(high or 0)}"
