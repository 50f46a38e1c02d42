"""Parameters: named numbers of a model that a caller may set (``defparam``), as the document keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from vcad_kernel.operations.node import Record

__all__ = ["Number", "Parameter", "moved_words"]

Number: TypeAlias = int | float
"""A whole number stays one, so that it can be a count."""


class Parameter(Record):
    """One parameter. It changes no digest: what it does to the solids is in the nodes already."""

    name: str
    value: Number
    """What the program ran with: the override that the caller gave, or the default."""
    default: Number
    unit: str | None = None
    """As the model says it, such as ``mm`` or ``°``; for people."""
    min: Number | None = None
    """Smallest value allowed; None = no limit."""
    max: Number | None = None
    step: Number | None = None
    """Distance between the stops of a slider."""
    doc: str | None = None
    """One sentence about it."""


def moved_words(parameters: Sequence[Parameter]) -> str:
    """Which values are not what the source says: ``w = 95; the source says 75``; "" where there are none."""
    moved = [each for each in parameters if each.value != each.default]
    return " · ".join(f"{each.name} = {each.value:.9g}; the source says {each.default:.9g}" for each in moved)
