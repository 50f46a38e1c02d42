"""Every tolerance and every tessellation rule, once (cad.md §9). Lengths are millimetres.

Those by which an operation is judged by its numbers alone stand with the records, and are the same here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from vcad_kernel.operations.numbers import LARGEST, LINEAR

__all__ = [
    "ANGULAR",
    "DISPLAY_CHORD",
    "EMPTY_VOLUME",
    "EXPORT_CHORD",
    "FILE_SIDES",
    "FILE_TRIANGLES",
    "IN_PLANE",
    "LARGEST",
    "LARGE_TRIANGLE_COUNT",
    "LINEAR",
    "MAX_SIDES",
    "MIN_SIDES",
    "REFEREE_SIDES",
    "SMOOTH_EDGE",
    "WELD",
    "Tessellation",
    "sagitta",
]

WELD = LINEAR
"""Vertices of a mesh literal closer than this are one."""
ANGULAR = 1e-9
"""Radians."""
SMOOTH_EDGE = 1e-3
"""Radians between outward normals below which an edge is not sharp."""
IN_PLANE = 1e-9
"""|unit direction · unit normal| below which a direction lies in the plane."""
EMPTY_VOLUME = 1e-12
"""mm³: a body of no more volume is the empty solid."""
DISPLAY_CHORD = 0.02
"""Distance between a curved face and its picture."""
EXPORT_CHORD = 0.005
"""The same for files."""
MIN_SIDES = 32
MAX_SIDES = 1024
"""Of a full circle in a picture."""
FILE_SIDES = 65_536
"""The same in a file."""
REFEREE_SIDES = 128
"""Sides of a circle in mesh booleans that stand in for, or check, exact ones."""
LARGE_TRIANGLE_COUNT = 1_000_000
"""A part with more triangles gets the warning LARGE_TESSELLATION."""
FILE_TRIANGLES = 5_000_000
"""A part that would take more of them in a file is refused."""


def sagitta(radius: float, sides: float) -> float:
    """Largest distance between a circle and its inscribed polygon, millimetres."""
    return abs(radius) * (1.0 - math.cos(math.pi / sides))


@dataclass(frozen=True, slots=True)
class Tessellation:
    """How finely curved faces become triangles."""

    segments: int | None = None
    """Sides of every full circle, outright; None = by chord error."""
    chord: float = DISPLAY_CHORD
    """Largest distance wanted between circle and polygon, millimetres."""
    for_file: bool = False
    """As near as wanted all over, whatever it takes; a picture is so along circles, within MAX_SIDES."""

    def __post_init__(self) -> None:
        """A polygon has at least three sides, and a chord error is a length."""
        if self.segments is not None and self.segments < 3:
            raise ValueError(f"segments must be at least 3, got {self.segments}")
        if not self.chord > 0.0:
            raise ValueError(f"chord must be greater than 0, got {self.chord}")

    @property
    def most_sides(self) -> int:
        """Of a full circle, however small the chord error."""
        return FILE_SIDES if self.for_file else MAX_SIDES

    def sides(self, radius: float, *, hint: int = 0, scale: float = 1.0) -> int:
        """Number of sides of a full circle of this radius.

        hint: what the document requests (0 = none); it can make the circle finer, never coarser.
        scale: how much later transforms enlarge the circle, which the chord error must allow for.
        """
        if self.segments is not None:
            return self.segments
        size = abs(radius) * scale
        wanted: float = MIN_SIDES
        if size > 0.0:
            ratio = self.chord / size
            if ratio < 1.0:
                # where 1 − ratio rounds to 1 the half angle is √(2·ratio) to first order
                half = math.acos(1.0 - ratio) or math.sqrt(2.0 * ratio)
                wanted = min(math.ceil(math.pi / half), self.most_sides)
        count = min(max(int(wanted), hint, MIN_SIDES), self.most_sides)
        return -(-count // 4) * 4
