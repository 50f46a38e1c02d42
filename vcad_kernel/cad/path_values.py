"""Path and profile values to what nodes hold: numbers in a row to points, knots and segments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from vcad_kernel.ir.nodes import CylinderPath, Line, LinePath, Path, PolylinePath, Segment, SplinePath
from vcad_kernel.ir.vectors import Vec2, Vec3

__all__ = ["Fault", "path_of", "polygon_of", "rectangle_of"]

Fault: TypeAlias = tuple[str, str]
"""The name of an argument, and what is wrong with it."""


def path_of(variant: str, numbers: Sequence[Any]) -> Path | Fault:
    """The path that a variant's checked fields stand for.

    What is wrong with a path as a curve (points that coincide, angles out of order, a bend that does not
    fit) is found when it is swept along.
    """
    match variant, numbers:
        case "PathLine", (sx, sy, sz, ex, ey, ez):
            return LinePath((sx, sy, sz), (ex, ey, ez))
        case "PathPolyline", (bend, points):
            triples = _triples(points)
            if triples is None:
                return _not_in("points", points, 3, "x y z")
            if bend < 0.0:
                return "bend", f"must not be negative, got {bend:g}"
            return _too_few("points", triples, "x y z") or PolylinePath(triples, bend)
        case "PathSpline", (points,):
            triples = _triples(points)
            if triples is None:
                return _not_in("points", points, 3, "x y z")
            return _too_few("points", triples, "x y z") or SplinePath(triples)
        case "Helix", (radius, rate, start, arc):
            return _helix(radius, rate, start, arc)
        case "HelixRes", (step, radius, rate, start, arc):
            return _too_fine(step) or _helix(radius, rate, start, arc, step)
        case "CamPath", (radius, knots):
            return _cam(radius, knots)
        case "CamPathRes", (step, radius, knots):
            return _too_fine(step) or _cam(radius, knots, step)
    raise AssertionError(f"no path is made of {variant}")


def _triples(numbers: Sequence[float]) -> tuple[Vec3, ...] | None:
    if len(numbers) % 3:
        return None
    return tuple(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True))


def _not_in(name: str, numbers: Sequence[float], size: int, order: str) -> Fault:
    return name, f"must be numbers in groups of {size}, {order} in turn, got {len(numbers)} numbers"


def _too_few(name: str, points: Sequence[object], order: str) -> Fault | None:
    return None if len(points) > 1 else (name, f"must be at least 2 points ({order}), got {len(points)}")


def _too_fine(step: float) -> Fault | None:
    return None if step > 0.0 else ("seg", f"must be above 0 degrees, got {step:g}")


def _helix(radius: float, rate: float, start: float, arc: float, step: float | None = None) -> Path | Fault:
    if arc == 0.0:
        return "arc", "must not be 0: the path would have no length"
    end, height = start + arc, rate * arc
    if not (math.isfinite(end) and math.isfinite(height)):
        return "arc", f"leads out of all bounds, got {arc:g}"
    return _track(radius, ((start, 0.0), (end, height)), step)


def _cam(radius: float, knots: Sequence[float], step: float | None = None) -> Path | Fault:
    if len(knots) % 2:
        return _not_in("knots", knots, 2, "degrees and height")
    pairs = tuple(zip(knots[::2], knots[1::2], strict=True))
    return _too_few("knots", pairs, "degrees height") or _track(radius, pairs, step)


def _track(radius: float, knots: tuple[Vec2, ...], step: float | None) -> Path | Fault:
    if not radius > 0.0:
        return "r", f"must be greater than 0 mm, got {radius:g}"
    return CylinderPath(radius, knots) if step is None else CylinderPath(radius, knots, step)


def polygon_of(numbers: Sequence[float]) -> tuple[Segment, ...] | Fault:
    """The closed chain of lines through corners ``u v u v …``; a last corner like the first adds nothing."""
    if len(numbers) % 2:
        return _not_in("points", numbers, 2, "u v")
    corners: list[Vec2] = list(zip(numbers[::2], numbers[1::2], strict=True))
    if len(corners) > 1 and corners[0] == corners[-1]:
        corners.pop()
    return tuple(Line(start, end) for start, end in zip(corners, [*corners[1:], *corners[:1]], strict=True))


def rectangle_of(radial: float, axial: float) -> tuple[Segment, ...] | Fault:
    """The rectangle about the origin, counter-clockwise."""
    for name, size in (("radial", radial), ("axial", axial)):
        if not size > 0.0:
            return name, f"must be above 0 mm, got {size:g}"
    u, v = radial / 2, axial / 2
    return polygon_of((-u, -v, u, -v, u, v, -u, v))
