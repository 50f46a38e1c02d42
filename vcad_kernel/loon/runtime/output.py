"""What a program prints, and assert-eq. Where print goes is the environment's choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcad_kernel.loon.display import display, raw
from vcad_kernel.loon.runtime.allowance import allowed_size
from vcad_kernel.loon.runtime.equality import equal
from vcad_kernel.loon.runtime.faults import fault, shown
from vcad_kernel.loon.runtime.limits import check_size
from vcad_kernel.loon.runtime.registry import builtin, name_builtin
from vcad_kernel.loon.runtime.values import UNIT

__all__ = ["output_builtins"]


def output_builtins(write: Callable[[str], object]) -> dict[str, Callable[..., Any]]:
    """``println``, ``print`` and what the compiler calls for ``inspect``, writing to ``write``."""

    def println(*values: object) -> object:
        write(_line("println", values) + "\n")
        return UNIT

    def print_(*values: object) -> object:
        write(_line("print", values))
        return UNIT

    def inspect(text: str, value: object) -> object:
        form = display(value, allowed_size())
        check_size("inspect", len(form))
        write(f"[inspect] {text} = {form}\n")
        return value

    return {
        "println": name_builtin(println, "println"),
        "print": name_builtin(print_, "print"),
        "$inspect": inspect,
    }


def _line(operation: str, values: tuple[object, ...]) -> str:
    text = " ".join([raw(value) for value in values])
    check_size(operation, len(text))
    return text


_LONGEST_SHOWN = 10_000
"""Characters of a value in the message of a failed assertion."""


@builtin("assert-eq")
def assert_eq(actual: object, expected: object, *_surplus: object) -> object:
    """Unit when both are equal."""
    if equal(actual, expected):
        return UNIT
    wanted, got = shown(expected, _LONGEST_SHOWN), shown(actual, _LONGEST_SHOWN)
    raise fault("assertion", f"assert-eq failed:\n  expected: {wanted}\n  actual:   {got}")
