"""A part as the writers of exact surfaces take it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from vcad_kernel.operations.scene import DEFAULT_MATERIAL, Material

__all__ = ["ExactPart", "ExactParts"]


@dataclass(frozen=True, slots=True, eq=False)
class ExactPart:
    """One part with exact surfaces: a named solid with its material."""

    name: str
    brep: Any
    """The exact kernel's solid (a Brep, not empty), millimetres; opaque to code that only passes it on."""
    material: Material = DEFAULT_MATERIAL


ExactParts: TypeAlias = Callable[[], Sequence[ExactPart]]
"""The parts with exact surfaces, built when a format needs them; empty parts are left out.

Raises: CapabilityUnavailable for a part that has none, such as an imported mesh; GeometryError.
"""
