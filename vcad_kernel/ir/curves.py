"""What sketches are bounded by and what profiles are swept along: plain values inside a node.

Sketch segments are in the coordinates of their sketch, paths in those of the world. Lengths in millimetres,
angles in degrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from vcad_kernel.ir.vectors import Vec2, Vec3

__all__ = [
    "Arc",
    "CylinderPath",
    "HelixPath",
    "Line",
    "LinePath",
    "Path",
    "PolylinePath",
    "Segment",
    "SplinePath",
]


@dataclass(frozen=True, slots=True)
class Line:
    """A straight sketch segment, sketch coordinates."""

    start: Vec2
    end: Vec2


@dataclass(frozen=True, slots=True)
class Arc:
    """A circular sketch segment from start to end about center; ``ccw`` as seen from the tip of x × y."""

    start: Vec2
    end: Vec2
    center: Vec2
    ccw: bool


Segment: TypeAlias = Line | Arc


@dataclass(frozen=True, slots=True)
class LinePath:
    """A straight sweep path."""

    start: Vec3
    end: Vec3


@dataclass(frozen=True, slots=True)
class HelixPath:
    """A helix about +Z from (radius, 0, 0); height and turns rule, pitch is informational."""

    radius: float
    pitch: float
    height: float
    turns: float


@dataclass(frozen=True, slots=True)
class CylinderPath:
    """A track about +Z at ``radius``: height over angle, straight between knots once unrolled."""

    radius: float
    knots: tuple[Vec2, ...]
    """(angle in degrees, height in mm), strictly monotonic in the angle; at least two."""
    step: float = 0.5
    """Fidelity hint: degrees per piece of a mesh."""


@dataclass(frozen=True, slots=True)
class PolylinePath:
    """Straight from point to point, corners rounded with the radius ``bend`` (0 = mitred)."""

    points: tuple[Vec3, ...]
    bend: float = 0.0


@dataclass(frozen=True, slots=True)
class SplinePath:
    """A smooth curve through points: the natural cubic spline over chord length."""

    points: tuple[Vec3, ...]


Path: TypeAlias = LinePath | HelixPath | CylinderPath | PolylinePath | SplinePath
