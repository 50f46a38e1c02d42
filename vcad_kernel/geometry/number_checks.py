"""Checks of single numbers, and the fault that says which argument is wrong and why."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vcad_kernel.geometry.tolerance import LARGEST, VECTOR_LENGTH

__all__ = [
    "XYZ",
    "ParameterFault",
    "between",
    "direction",
    "finite",
    "finite_vector",
    "positive",
    "within_reach",
]

XYZ = ("x", "y", "z")


class ParameterFault(Exception):
    """A check's finding on its way to the one caller, which adds node, function and place."""

    def __init__(self, code: str, argument: str | None, message: str, *, failed: bool = False) -> None:
        super().__init__(message)
        self.code, self.argument, self.message, self.failed = code, argument, message, failed


def finite(name: str, value: float) -> None:
    """Neither infinite nor no number."""
    if not math.isfinite(value):
        raise ParameterFault("INVALID_PARAMETER", name, f"{name} must be a finite number, got {value}")


def within_reach(name: str, value: float) -> None:
    """Finite and no larger, either way, than what a model may measure."""
    finite(name, value)
    if abs(value) > LARGEST:
        raise ParameterFault(
            "INVALID_PARAMETER", name, f"{name} must be at most {LARGEST:.0f}, got {value:g}"
        )


def positive(name: str, value: float) -> None:
    """Greater than 0 and no larger than what a model may measure."""
    within_reach(name, value)
    if value <= 0.0:
        raise ParameterFault("INVALID_PARAMETER", name, f"{name} must be greater than 0, got {value:g}")


def between(name: str, value: int, least: int, most: int) -> None:
    """A whole number in a range, both ends included."""
    if not least <= value <= most:
        raise ParameterFault("INVALID_PARAMETER", name, f"{name} must be from {least} to {most}, got {value}")


def finite_vector(names: Sequence[str], value: Sequence[float]) -> None:
    """Every component within reach; names: those of the components."""
    for name, part in zip(names, value, strict=True):
        within_reach(name, part)


def direction(names: Sequence[str], value: Sequence[float], what: str) -> None:
    """A vector within reach that has a length; what: how the message calls it."""
    finite_vector(names, value)
    if math.hypot(*value) < VECTOR_LENGTH:
        raise ParameterFault("ZERO_VECTOR", names[0], f"the {what} ({', '.join(names)}) has no length")
