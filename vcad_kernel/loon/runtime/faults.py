"""Run-time errors by class, without a place: who catches them knows where the program stands.

The class is the word that the conformance cases use (``type``, ``arity``, ``index`` …); it travels in
``details["class"]``. ``code`` is the related E-code where the language has one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from vcad_kernel.errors import (
    LoonError,
    LoonNameError,
    LoonRuntimeError,
    LoonSyntaxError,
    LoonTypeError,
)
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.runtime.values import UNIT, Adt, Keyword

__all__ = [
    "WHERE_UNIT_COMES_FROM",
    "WrongCount",
    "a_kind",
    "class_of",
    "fault",
    "kind_of",
    "shown",
    "type_fault",
]

_CLASSES: dict[str, tuple[type[LoonError], str]] = {
    "unbound-symbol": (LoonNameError, "E0201"),
    "arity": (LoonTypeError, "E0202"),
    "type": (LoonTypeError, "E0200"),
    "not-callable": (LoonTypeError, "E0200"),
    "no-match": (LoonRuntimeError, "E0206"),
    "unhandled-effect": (LoonRuntimeError, "E0400"),
    "macro": (LoonSyntaxError, "E0100"),
    "bad-form": (LoonSyntaxError, "E0101"),
}


def fault(kind: str, message: str, *, why: str | None = None, fix: str | None = None) -> LoonError:
    """An error of a class of the language; to be raised by the caller."""
    error, code = _CLASSES.get(kind, (LoonRuntimeError, kind))
    return error(message, code=code, why=why, fix=fix, details={"class": kind})


def class_of(error: LoonError) -> str:
    """The class of any Loon error; a reading error's class is its code."""
    return str(error.details.get("class", error.code))


def type_fault(operation: str, wanted: str, got: object) -> LoonError:
    """``operation`` needs ``wanted`` and got something else."""
    failure = fault("type", f"{operation} needs {wanted}, not {a_kind(got)} ({shown(got)})")
    if got is UNIT:
        failure.why = WHERE_UNIT_COMES_FROM
    return failure


WHERE_UNIT_COMES_FROM: Final = "() is what [if c x] gives where c is false: a third part says what else"
"""Why nothing stands where a value should: it is not written there on purpose."""


def kind_of(value: Any) -> str:
    """The kind of a value in Loon's words."""
    if value is UNIT:
        return "unit"
    kind = type(value)
    names: dict[type, str] = {int: "int", float: "float", bool: "bool", str: "string", tuple: "tuple"}
    if kind in names:
        return names[kind]
    if kind is Keyword:
        return "keyword"
    if kind is Adt:
        return f"{value.tag} value"
    if isinstance(value, Callable):  # type: ignore[arg-type]
        return "function"
    return kind.__name__.lower()


def a_kind(value: object) -> str:
    """The kind with its article; unit has none."""
    kind = kind_of(value)
    if kind == "unit":
        return kind
    return f"{'an' if kind[0] in 'aeioAEIO' else 'a'} {kind}"


def shown(value: object, longest: int = 60) -> str:
    """The display form, cut short."""
    text = display(value, limit=longest + 1)
    return text if len(text) <= longest else text[:longest] + "…"


class WrongCount(Exception):
    """A call with the wrong number of arguments, as the callee found out.

    ``expected`` in words. ``inside`` says that the callee is Loon code, whose own frame is not
    where the mistake is.
    """

    def __init__(self, name: str, expected: str, given: int, *, inside: bool) -> None:
        super().__init__(name, expected, given)
        self.name = name
        self.expected = expected
        self.given = given
        self.inside = inside
