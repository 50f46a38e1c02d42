"""What drawings come to, for their tests: areas in closed form."""

from __future__ import annotations

from collections.abc import Iterable

from vcad_kernel.geometry.sweeps.profiles.curves import outline_moments
from vcad_kernel.operations.profiles.sketches import Outlines


def area_of(outlines: Outlines) -> float:
    """mm²: that of the first outline less that of the others, its holes."""
    first, *holes = (abs(float(outline_moments(outline)[0])) for outline in outlines)
    return first - sum(holes)


def kinds_of(outlines: Iterable[Outlines]) -> set[str]:
    return {type(curve).__name__ for layer in outlines for outline in layer for curve in outline}
