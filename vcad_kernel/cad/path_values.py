"""Path and profile values to what nodes hold: numbers in a row to points, knots and segments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

from vcad_kernel.ir.nodes import CylinderPath, Line, LinePath, Path, PolylinePath, Segment, SplinePath
from vcad_kernel.ir.vectors import Vec2, Vec3

__all__ = ["FieldFault", "path_of", "polygon_of", "rectangle_of"]

_Point = TypeVar("_Point")


class FieldFault(ValueError):
    """An argument that cannot be what it is, in words that follow its name."""

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(message)
        self.argument = argument
        self.message = message


def path_of(variant: str, numbers: Sequence[Any]) -> Path:
    """The path that a variant's checked fields stand for.

    What is wrong with a path as a curve (points that coincide, angles out of order, a bend that does not
    fit) is found when it is swept along.
    Raises: FieldFault.
    """
    match variant, numbers:
        case "PathLine", (sx, sy, sz, ex, ey, ez):
            return LinePath((sx, sy, sz), (ex, ey, ez))
        case "PathPolyline", (bend, points):
            triples = _triples(points)
            if bend < 0.0:
                raise FieldFault("bend", f"must not be negative, got {bend:g}")
            return PolylinePath(_at_least_two("points", triples, "x y z"), bend)
        case "PathSpline", (points,):
            return SplinePath(_at_least_two("points", _triples(points), "x y z"))
        case "Helix", (radius, rate, start, arc):
            return _helix(radius, rate, start, arc)
        case "HelixRes", (step, radius, rate, start, arc):
            return _helix(radius, rate, start, arc, _fine_enough(step))
        case "CamPath", (radius, knots):
            return _cam(radius, knots)
        case "CamPathRes", (step, radius, knots):
            return _cam(radius, knots, _fine_enough(step))
    raise AssertionError(f"no path is made of {variant}")


def _triples(numbers: Sequence[float]) -> tuple[Vec3, ...]:
    if len(numbers) % 3:
        raise _ungrouped("points", numbers, 3, "x y z")
    return tuple(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True))


def _ungrouped(name: str, numbers: Sequence[float], size: int, order: str) -> FieldFault:
    return FieldFault(
        name, f"must be numbers in groups of {size}, {order} in turn, got {len(numbers)} numbers"
    )


def _at_least_two(name: str, points: tuple[_Point, ...], order: str) -> tuple[_Point, ...]:
    if len(points) < 2:
        raise FieldFault(name, f"must be at least 2 points ({order}), got {len(points)}")
    return points


def _fine_enough(step: float) -> float:
    if not step > 0.0:
        raise FieldFault("seg", f"must be above 0 degrees, got {step:g}")
    return step


def _helix(radius: float, rate: float, start: float, arc: float, step: float | None = None) -> Path:
    if arc == 0.0:
        raise FieldFault("arc", "must not be 0: the path would have no length")
    end, height = start + arc, rate * arc
    if not (math.isfinite(end) and math.isfinite(height)):
        raise FieldFault("arc", f"leads out of all bounds, got {arc:g}")
    return _track(radius, ((start, 0.0), (end, height)), step)


def _cam(radius: float, knots: Sequence[float], step: float | None = None) -> Path:
    if len(knots) % 2:
        raise _ungrouped("knots", knots, 2, "degrees and height")
    pairs: tuple[Vec2, ...] = tuple(zip(knots[::2], knots[1::2], strict=True))
    return _track(radius, _at_least_two("knots", pairs, "degrees height"), step)


def _track(radius: float, knots: tuple[Vec2, ...], step: float | None) -> Path:
    if not radius > 0.0:
        raise FieldFault("r", f"must be greater than 0 mm, got {radius:g}")
    return CylinderPath(radius, knots) if step is None else CylinderPath(radius, knots, step)


def polygon_of(numbers: Sequence[float]) -> tuple[Segment, ...]:
    """The closed chain of lines through corners ``u v u v …``; a last corner like the first adds nothing.

    Raises: FieldFault.
    """
    if len(numbers) % 2:
        raise _ungrouped("points", numbers, 2, "u v")
    corners: list[Vec2] = list(zip(numbers[::2], numbers[1::2], strict=True))
    if len(corners) > 1 and corners[0] == corners[-1]:
        corners.pop()
    return tuple(Line(start, end) for start, end in zip(corners, [*corners[1:], *corners[:1]], strict=True))


def rectangle_of(radial: float, axial: float) -> tuple[Segment, ...]:
    """The rectangle about the origin, counter-clockwise. Raises: FieldFault."""
    for name, size in (("radial", radial), ("axial", axial)):
        if not size > 0.0:
            raise FieldFault(name, f"must be above 0 mm, got {size:g}")
    u, v = radial / 2, axial / 2
    return polygon_of((-u, -v, u, -v, u, v, -u, v))
