"""What a program prints, and assert-eq. Where print goes is the environment's choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcad_kernel.loon.display import display, raw
from vcad_kernel.loon.runtime.equality import equal
from vcad_kernel.loon.runtime.faults import fault
from vcad_kernel.loon.runtime.registry import builtin, name_builtin
from vcad_kernel.loon.runtime.values import UNIT

__all__ = ["output_builtins"]


def output_builtins(write: Callable[[str], object]) -> dict[str, Callable[..., Any]]:
    """``println``, ``print`` and what the compiler calls for ``inspect``, writing to ``write``."""

    def println(*values: object) -> object:
        write(" ".join([raw(value) for value in values]) + "\n")
        return UNIT

    def print_(*values: object) -> object:
        write(" ".join([raw(value) for value in values]))
        return UNIT

    def inspect(text: str, value: object) -> object:
        write(f"[inspect] {text} = {display(value)}\n")
        return value

    return {
        "println": name_builtin(println, "println"),
        "print": name_builtin(print_, "print"),
        "$inspect": inspect,
    }


@builtin("assert-eq")
def assert_eq(actual: object, expected: object, *_surplus: object) -> object:
    """Unit when both are equal."""
    if equal(actual, expected):
        return UNIT
    raise fault(
        "assertion",
        f"assert-eq failed:\n  expected: {display(expected)}\n  actual:   {display(actual)}",
    )
