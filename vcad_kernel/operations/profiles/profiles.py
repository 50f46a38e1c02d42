"""Profiles: regions of a plane with any number of outlines and holes, in exact curves.

They lie on the XY plane until they are placed. Lengths are millimetres.
"""

import math
from collections.abc import Sequence
from typing import Annotated, ClassVar, TypeAlias

from vcad_kernel.operations.arguments import Count, Given, Mm, Numbers, Several
from vcad_kernel.operations.node import Node, Vec2
from vcad_kernel.operations.numbers import LARGEST, invalid, positive
from vcad_kernel.operations.profiles.sketches import Arc, Curve, Curves, EllipseArc, Line, Outlines, Spline
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import PROFILES
from vcad_kernel.units import cosd, sind

__all__ = ["Region", "chain", "ring"]

Corners: TypeAlias = Annotated[tuple[Vec2, ...], Given(Several(Numbers(2)), "mm")]


class Region(Node):
    """What lies within an odd number of the outlines, on the XY plane."""

    GIVES: ClassVar[str] = "Sketch"

    outlines: Outlines

    def is_curved(self) -> bool:
        """With anything but lines."""
        return any(not isinstance(curve, Line) for outline in self.outlines for curve in outline)

    def check(self) -> None:
        """Within reach, and splines that are some; whether outlines close is seen when they are read."""
        for outline in self.outlines:
            for curve in outline:
                if isinstance(curve, Spline):
                    curve.check()
                for point in curve.poles if isinstance(curve, Spline) else (curve.start, curve.end):
                    if not math.hypot(*point) <= LARGEST:
                        raise invalid(
                            "outlines",
                            f"must stay within {LARGEST:.0f} of the origin, got {point[0]:g} {point[1]:g}",
                        )


def chain(corners: Sequence[Vec2]) -> Curves:
    """The closed chain of lines through corners."""
    return tuple(Line(a, b) for a, b in zip(corners, [*corners[1:], *corners[:1]], strict=True))


def ring(radius: float, center: Vec2 = (0.0, 0.0)) -> Curves:
    """A full circle, counter-clockwise, in two halves."""
    (x, y), r = center, radius
    right, left = (x + r, y), (x - r, y)
    return (Arc(right, left, center, True), Arc(left, right, center, True))


@operation(PROFILES, "[circle 8]", "[pull 5 [circle 8]]")
def circle(r: Mm) -> Region:
    """Disc about the origin. r is the radius, not the diameter."""
    positive("r", r)
    return Region((ring(r),))


@operation(PROFILES, "[ellipse 12 7]", "[pull 5 [ellipse 12 7]]")
def ellipse(a: Mm, b: Mm) -> Region:
    """Ellipse about the origin: a is half its width along x, b half its height along y."""
    positive("a", a)
    positive("b", b)
    if a == b:
        return Region((ring(a),))
    center, right, left = (0.0, 0.0), (a, 0.0), (-a, 0.0)
    axes = ((a, 0.0), (0.0, b))
    return Region(
        ((EllipseArc(right, left, center, *axes, True), EllipseArc(left, right, center, *axes, True)),)
    )


@operation(PROFILES, "[rect 20 12]", "[pull 5 [rect 20 12]]")
def rect(w: Mm, h: Mm) -> Region:
    """Rectangle about the origin, w wide along x and h high along y."""
    positive("w", w)
    positive("h", h)
    x, y = w / 2, h / 2
    return Region((chain(((-x, -y), (x, -y), (x, y), (-x, y))),))


@operation(PROFILES, "[rounded-rect 20 12 3]", "[pull 5 [rounded-rect 20 12 3]]")
def rounded_rect(w: Mm, h: Mm, r: Mm) -> Region:
    """Rectangle about the origin with round corners of radius r, at most half of the shorter side."""
    positive("w", w)
    positive("h", h)
    positive("r", r)
    most = min(w, h) / 2
    if r > most:
        raise invalid("r", f"must be at most {most:g}, half of the shorter side, got {r:g}")
    x, y = w / 2 - r, h / 2 - r
    # corner by corner from the lower right, each with the side that follows it
    ways = ((1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0))
    curves: list[Curve] = []
    for at, (right, up) in enumerate(ways):
        center = (right * x, up * y)
        if at % 2 == 0:
            start, end = (center[0], center[1] + up * r), (center[0] + right * r, center[1])
        else:
            start, end = (center[0] + right * r, center[1]), (center[0], center[1] + up * r)
        if curves and math.dist(curves[-1].end, start) > 0.0:
            curves.append(Line(curves[-1].end, start))
        curves.append(Arc(start, end, center, True))
    if math.dist(curves[-1].end, curves[0].start) > 0.0:
        curves.append(Line(curves[-1].end, curves[0].start))
    return Region((tuple(curves),))


@operation(PROFILES, "[regular 6 8]", "[pull 5 [regular 6 8]]")
def regular(n: Count, r: Mm) -> Region:
    """Regular polygon of n corners about the origin. r is the radius of its corners, the first of which lies
    on the x axis."""
    if not 3 <= n <= 10_000:
        raise invalid("n", f"must be from 3 to 10000, got {n}")
    positive("r", r)
    turns = [360.0 * at / n for at in range(n)]
    return Region((chain([(r * cosd(turn), r * sind(turn)) for turn in turns]),))


@operation(PROFILES, "[polygon #[#[0 0] #[20 0] #[0 12]]]", "[pull 5 [polygon #[#[0 0] #[20 0] #[0 12]]]]")
def polygon(points: Corners) -> Region:
    """Polygon through points #[x y]; it closes itself. The order may be either way round."""
    corners = [*points]
    if len(corners) > 1 and corners[0] == corners[-1]:
        corners.pop()
    if len(corners) < 3:
        raise invalid("points", f"must be at least 3, got {len(corners)}")
    return Region((chain(corners),))
