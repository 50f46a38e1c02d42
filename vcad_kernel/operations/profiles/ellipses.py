"""Arcs of ellipses between two points. Lengths are millimetres, angles degrees."""

import math

from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.sketches import Arc, EllipseArc
from vcad_kernel.units import cosd, sind

__all__ = ["ellipse_arc", "ellipse_reach"]


def ellipse_reach(start: Vec2, end: Vec2, a: float, b: float, turn: float) -> float:
    """By which factor an ellipse must be larger at least to pass through both points; at most 1: it does.

    a, b: half axes. turn: of the axis a from x.
    """
    return 0.5 * math.hypot(*_on_circle(start, end, a, b, turn))


def _on_circle(start: Vec2, end: Vec2, a: float, b: float, turn: float) -> Vec2:
    """The way between the points where the ellipse is the image of a circle of radius 1."""
    cosine, sine = cosd(turn), sind(turn)
    dx, dy = end[0] - start[0], end[1] - start[1]
    return (cosine * dx + sine * dy) / a, (cosine * dy - sine * dx) / b


def ellipse_arc(
    start: Vec2, end: Vec2, a: float, b: float, turn: float, *, large: bool, ccw: bool
) -> EllipseArc | Arc:
    """The arc of an ellipse that reaches both points, which are apart; of a circle where a is b.

    large: the longer way round. ccw: counter-clockwise from start to end.
    """
    x, y = _on_circle(start, end, a, b, turn)
    chord = math.hypot(x, y)
    off = math.sqrt(max(1.0 - 0.25 * chord * chord, 0.0)) / chord
    off = -off if ccw is large else off
    u, v = a * (0.5 * x - off * y), b * (0.5 * y + off * x)
    cosine, sine = cosd(turn), sind(turn)
    center = (start[0] + cosine * u - sine * v, start[1] + sine * u + cosine * v)
    if a == b:
        return Arc(start, end, center, ccw)
    return EllipseArc(start, end, center, (a * cosine, a * sine), (-b * sine, b * cosine), ccw)
