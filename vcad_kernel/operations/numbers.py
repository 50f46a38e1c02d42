"""What single numbers must satisfy, and the fault that says which argument is wrong and why."""

import math
from collections.abc import Sequence

__all__ = [
    "LARGEST",
    "LINEAR",
    "MAX_COPIES",
    "MOST_SIDES",
    "VECTOR_LENGTH",
    "XYZ",
    "ParameterFault",
    "between",
    "direction",
    "finite",
    "finite_vector",
    "invalid",
    "not_flat",
    "not_negative",
    "positive",
    "scaled_evenly",
    "within_reach",
]

LINEAR = 1e-6
"""Distances below this are contact: sketch closure, shortest segment, touching the axis. Millimetres."""
LARGEST = 1e8
"""Lengths and coordinates beyond this are refused: two orders above what must work, and the last at which
doubles (1.5e-8 apart there) still separate points that are not in contact. Beyond it kernels give
nothing in place of a body, or bring the process down."""
VECTOR_LENGTH = 1e-12
"""A direction or axis shorter than this is no direction."""
MAX_COPIES = 1_000_000
"""Of one pattern: more is a slip of the pen that would only exhaust the memory."""
MOST_SIDES = 10_000
"""Of a prism, and teeth of a gear: for the same reason."""

XYZ = ("x", "y", "z")

_SAME = 1e-12
"""Relative: by which factors that are alike may differ, as rounding has it."""


class ParameterFault(ValueError):
    """A check's finding on its way to its caller, which adds function, place and node.

    argument: as the function calls it. failed: the body cannot be built; else the input is bad.
    """

    def __init__(self, code: str, argument: str | None, message: str, *, failed: bool = False) -> None:
        super().__init__(message)
        self.code, self.argument, self.message, self.failed = code, argument, message, failed


def invalid(argument: str, words: str) -> ParameterFault:
    """INVALID_PARAMETER of an argument; words: what is wrong, to be read after its name."""
    return ParameterFault("INVALID_PARAMETER", argument, f"{argument} {words}")


def finite(name: str, value: float) -> None:
    """Neither infinite nor no number."""
    if not math.isfinite(value):
        raise invalid(name, f"must be a finite number, got {value}")


def within_reach(name: str, value: float) -> None:
    """Finite and no larger, either way, than what a model may measure."""
    finite(name, value)
    if abs(value) > LARGEST:
        raise invalid(name, f"must be at most {LARGEST:.0f}, got {value:g}")


def positive(name: str, value: float) -> None:
    """Greater than 0 and no larger than what a model may measure."""
    within_reach(name, value)
    if value <= 0.0:
        raise invalid(name, f"must be greater than 0, got {value:g}")


def not_negative(name: str, value: float) -> None:
    """0 or more."""
    if value < 0.0:
        raise invalid(name, f"must not be negative, got {value:g}")


def not_flat(names: Sequence[str], factors: Sequence[float]) -> None:
    """Factors of a scaling, none of which is 0."""
    for name, factor in zip(names, factors, strict=True):
        within_reach(name, factor)
        if factor == 0.0:
            raise invalid(name, "must not be 0: it would flatten the body")


def scaled_evenly(what: str, factor: tuple[float, float, float]) -> None:
    """Factors of a scaling, by which lengths grow alike in all directions. what: is scaled, in words."""
    not_flat(XYZ, factor)
    x, y, z = factor
    if max(abs(x), abs(y), abs(z)) - min(abs(x), abs(y), abs(z)) > _SAME * abs(x):
        raise invalid("y", f"must be as large as x where {what} is scaled, got {x:g}, {y:g} and {z:g}")


def between(name: str, value: int, least: int, most: int) -> None:
    """A whole number in a range, both ends included."""
    if not least <= value <= most:
        raise invalid(name, f"must be from {least} to {most}, got {value}")


def finite_vector(names: Sequence[str], value: Sequence[float]) -> None:
    """Every component within reach; names: those of the components."""
    for name, part in zip(names, value, strict=True):
        within_reach(name, part)


def direction(names: Sequence[str], value: Sequence[float], what: str) -> None:
    """A vector within reach that has a length; what: how the message calls it."""
    finite_vector(names, value)
    if math.hypot(*value) < VECTOR_LENGTH:
        written = ", ".join(dict.fromkeys(names))
        raise ParameterFault("ZERO_VECTOR", names[0], f"the {what} ({written}) has no length")
