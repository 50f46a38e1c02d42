"""Curves in the plane of a drawing, millimetres: straight lines, circular arcs, and points in a row.

Also the planes themselves: which way is right and up for a viewer who looks along a direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from vcad_kernel.operations.node import Vec2, Vec3
from vcad_kernel.operations.scene import DEFAULT_MATERIAL, Material

__all__ = ["Bow", "Curve", "Extent", "Outline", "Plane", "Run", "Stroke", "extent"]


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line."""

    start: Vec2
    end: Vec2


@dataclass(frozen=True, slots=True)
class Bow:
    """A circular arc, counter-clockwise from ``first`` by ``sweep``, or clockwise when that is negative."""

    center: Vec2
    radius: float
    first: float
    """Degrees from the x axis."""
    sweep: float
    """Degrees; ±360 is a full circle."""

    @property
    def full(self) -> bool:
        """Whether it is a whole circle."""
        return abs(self.sweep) > 360.0 - 1e-6

    def at(self, degrees: float) -> Vec2:
        """The point of the circle at an angle."""
        angle = math.radians(degrees)
        return (
            self.center[0] + self.radius * math.cos(angle),
            self.center[1] + self.radius * math.sin(angle),
        )

    @property
    def start(self) -> Vec2:
        """Where it begins."""
        return self.at(self.first)

    @property
    def end(self) -> Vec2:
        """Where it ends."""
        return self.at(self.first + self.sweep)

    def reach(self) -> Iterator[Vec2]:
        """Its ends and its outermost points to the four sides."""
        yield from (self.start, self.end)
        low, high = sorted((self.first, self.first + self.sweep))
        quarter = math.ceil(low / 90.0)
        while quarter * 90.0 <= high:
            yield self.at(quarter * 90.0)
            quarter += 1


@dataclass(frozen=True, slots=True)
class Run:
    """Points in a row: a curve of another kind within the chord error it was asked for, or a mesh."""

    points: tuple[Vec2, ...]

    @property
    def start(self) -> Vec2:
        """Where it begins."""
        return self.points[0]

    @property
    def end(self) -> Vec2:
        """Where it ends."""
        return self.points[-1]


Curve: TypeAlias = Stroke | Bow | Run


@dataclass(frozen=True, slots=True)
class Outline:
    """What a plane cuts of one part: closed loops, outer ones counter-clockwise, holes clockwise."""

    name: str
    loops: tuple[tuple[Curve, ...], ...]
    material: Material = DEFAULT_MATERIAL


@dataclass(frozen=True, slots=True)
class Plane:
    """A plane that is looked at against its normal, with right and up in it; unit vectors."""

    origin: Vec3
    normal: Vec3
    right: Vec3
    up: Vec3

    @classmethod
    def facing(cls, normal: Vec3, origin: Vec3 = (0.0, 0.0, 0.0)) -> Plane:
        """The plane through a point whose normal points to the viewer: +Z is up, or +Y seen along Z.

        Raises ValueError for a normal without length.
        """
        length = math.hypot(*normal)
        if not 1e-12 < length < math.inf:
            raise ValueError(f"a plane needs a normal with a length, got {normal}")
        n = (normal[0] / length, normal[1] / length, normal[2] / length)
        above = (0.0, 1.0, 0.0) if math.hypot(n[0], n[1]) < 1e-9 else (0.0, 0.0, 1.0)
        right = _cross(above, n)
        size = math.hypot(*right)
        right = (right[0] / size, right[1] / size, right[2] / size)
        return cls(origin, n, right, _cross(n, right))


Extent: TypeAlias = tuple[Vec2, Vec2]
"""Lowest and highest corner."""


def extent(curves: Sequence[Curve]) -> Extent | None:
    """The box around curves; None when there are none."""
    points: list[Vec2] = []
    for curve in curves:
        if isinstance(curve, Bow):
            points += curve.reach()
        elif isinstance(curve, Run):
            points += curve.points
        else:
            points += (curve.start, curve.end)
    if not points:
        return None
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return (min(xs), min(ys)), (max(xs), max(ys))


def _cross(a: Vec3, b: Vec3) -> Vec3:
    return (
        a[1] * b[2] - a[2] * b[1] + 0.0,
        a[2] * b[0] - a[0] * b[2] + 0.0,
        a[0] * b[1] - a[1] * b[0] + 0.0,
    )
