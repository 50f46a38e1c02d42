"""Corners between two plane curves: rounded by an arc, or bevelled by a line.

    before, blend, after = rounded(before, after, 2.0)

Lines and arcs only, in closed form. Lengths are millimetres.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.numbers import LINEAR
from vcad_kernel.operations.profiles.sketches import Arc, Curve, EllipseArc, Line, Spline

__all__ = ["CornerFault", "Cut", "begun", "bevelled", "heading", "lies_on", "rounded", "turn_between"]

_SMOOTH = 1e-9
"""Sine of the angle below which a curve runs on smoothly."""
_SEARCH = 60
"""Halvings in search of the largest size that fits."""

Cut: TypeAlias = tuple[Curve, Curve, Curve]
"""What is left of the curve before a corner, what takes its place, and what is left of the one after."""


class CornerFault(ValueError):
    """Why there is no such corner, to be read after its place; with the largest size that works."""

    def __init__(self, words: str, largest: float | None = None) -> None:
        super().__init__(words)
        self.words = words
        self.largest = largest


class _Round(NamedTuple):
    """A circle on which a curve moved sideways lies; the radius may be 0."""

    center: Vec2
    radius: float


class _Straight(NamedTuple):
    """A line on which a curve moved sideways lies; its direction has the length 1."""

    point: Vec2
    way: Vec2


def heading(curve: Curve, *, at_end: bool) -> Vec2:
    """The direction of a curve at its start or end, of length 1."""
    x, y = _direction(curve, at_end)
    size = math.hypot(x, y)
    return (x / size, y / size)


def _direction(curve: Curve, at_end: bool) -> Vec2:
    point = curve.end if at_end else curve.start
    match curve:
        case Line():
            return (curve.end[0] - curve.start[0], curve.end[1] - curve.start[1])
        case Arc():
            x, y = point[0] - curve.center[0], point[1] - curve.center[1]
            return (-y, x) if curve.ccw else (y, -x)
        case EllipseArc():
            (a, b), (c, d) = curve.major, curve.minor
            x, y = point[0] - curve.center[0], point[1] - curve.center[1]
            cosine, sine = (x * a + y * b) / (a * a + b * b), (x * c + y * d) / (c * c + d * d)
            forwards = 1.0 if curve.ccw is (a * d - b * c > 0.0) else -1.0
            return (forwards * (cosine * c - sine * a), forwards * (cosine * d - sine * b))
        case Spline():
            poles = curve.poles[::-1] if at_end else curve.poles
            # poles may coincide at an end; the first that does not shows the way
            other = next(pole for pole in poles[1:] if pole != poles[0])
            x, y = other[0] - point[0], other[1] - point[1]
            return (-x, -y) if at_end else (x, y)


def turn_between(before: Curve, after: Curve) -> float:
    """Degrees by which the second curve turns off from the first, to the left above 0; up to ±180."""
    (a, b), (c, d) = heading(before, at_end=True), heading(after, at_end=False)
    return math.degrees(math.atan2(a * d - b * c, a * c + b * d))


def rounded(before: Curve, after: Curve, radius: float) -> Cut:
    """The corner between two curves rounded by an arc.

    Raises: CornerFault, with the largest radius that fits where a smaller one does.
    """
    return _cut(before, after, radius, "radius", _arc_between)


def bevelled(before: Curve, after: Curve, distance: float) -> Cut:
    """The corner between two curves cut off at a distance along each. Raises: as `rounded`."""
    return _cut(before, after, distance, "distance", _line_between)


def _cut(
    before: Curve,
    after: Curve,
    size: float,
    what: str,
    between: Callable[[Line | Arc, Line | Arc, float], Cut | None],
) -> Cut:
    for curve in (before, after):
        if not isinstance(curve, Line | Arc):
            kind = "a spline" if isinstance(curve, Spline) else "an ellipse"
            raise CornerFault(f"is next to {kind}; corners are cut between lines and arcs")
    assert isinstance(before, Line | Arc)
    assert isinstance(after, Line | Arc)
    if min(math.dist(curve.start, curve.end) for curve in (before, after)) <= LINEAR:
        raise CornerFault("has no room: the next corner takes all that is between them", 0.0)
    if abs(math.sin(math.radians(turn_between(before, after)))) <= _SMOOTH:
        raise CornerFault("is no corner: the curves go on smoothly there, or turn back")
    cut = between(before, after, size)
    if cut is not None:
        return cut
    largest = _largest(before, after, size, between)
    if largest <= LINEAR:
        raise CornerFault(f"has no room for a {what} of {size:g}, nor for a smaller one", 0.0)
    raise CornerFault(
        f"has no room for a {what} of {size:g}; the largest that fits is {_down(largest)}", largest
    )


def _down(size: float) -> str:
    """With six digits, rounded so that it fits still."""
    unit = 10.0 ** (math.floor(math.log10(size)) - 5)
    return f"{math.floor(size / unit * (1.0 + 1e-12)) * unit:.6g}"


def _largest(
    before: Line | Arc,
    after: Line | Arc,
    size: float,
    between: Callable[[Line | Arc, Line | Arc, float], Cut | None],
) -> float:
    fits, fails = 0.0, size
    for _ in range(_SEARCH):
        middle = 0.5 * (fits + fails)
        if between(before, after, middle) is not None:
            fits = middle
        else:
            fails = middle
    return fits


# ---------------------------------------------------------------- a round corner


def _arc_between(before: Line | Arc, after: Line | Arc, radius: float) -> Cut | None:
    """With the arc of this radius that touches both; None where it does not fit."""
    left = turn_between(before, after) > 0.0
    side = radius if left else -radius
    first, second = _moved(before, side), _moved(after, side)
    if first is None or second is None:
        return None
    best: tuple[float, Cut] | None = None
    for center in _meetings(first, second):
        ends = _foot(before, center), _foot(after, center)
        if not (lies_on(before, ends[0]) and lies_on(after, ends[1])):
            continue
        arc = Arc(ends[0], ends[1], center, left)
        corner = math.dist(ends[0], before.end) + math.dist(ends[1], after.start)
        if best is None or corner < best[0]:
            best = corner, (_ended(before, ends[0]), arc, begun(after, ends[1]))
    return best[1] if best is not None else None


def _moved(curve: Line | Arc, left: float) -> _Straight | _Round | None:
    """Where the points lie that are so far to the left of a curve; None beyond an arc's centre."""
    if isinstance(curve, Line):
        x, y = heading(curve, at_end=False)
        return _Straight((curve.start[0] - left * y, curve.start[1] + left * x), (x, y))
    radius = math.dist(curve.start, curve.center) - (left if curve.ccw else -left)
    return _Round(curve.center, radius) if radius >= 0.0 else None


def _meetings(first: _Straight | _Round, second: _Straight | _Round) -> list[Vec2]:
    if isinstance(first, _Straight) and isinstance(second, _Straight):
        (px, py), (a, b) = first
        (qx, qy), (c, d) = second
        across = a * d - b * c
        along = ((qx - px) * d - (qy - py) * c) / across
        return [(px + along * a, py + along * b)]
    if isinstance(first, _Round) and isinstance(second, _Round):
        return _circles(first, second)
    line, circle = (first, second) if isinstance(first, _Straight) else (second, first)
    assert isinstance(line, _Straight)
    assert isinstance(circle, _Round)
    (px, py), (a, b) = line
    x, y = circle.center[0] - px, circle.center[1] - py
    foot, off = x * a + y * b, x * b - y * a
    inside = circle.radius**2 - off**2
    if inside < 0.0:
        return []
    half = math.sqrt(inside)
    return [(px + along * a, py + along * b) for along in (foot - half, foot + half)]


def _circles(first: _Round, second: _Round) -> list[Vec2]:
    x, y = second.center[0] - first.center[0], second.center[1] - first.center[1]
    apart = math.hypot(x, y)
    if apart == 0.0:
        return []
    along = (apart**2 + first.radius**2 - second.radius**2) / (2.0 * apart)
    inside = first.radius**2 - along**2
    if inside < 0.0:
        return []
    x, y, up = x / apart, y / apart, math.sqrt(inside)
    foot = (first.center[0] + along * x, first.center[1] + along * y)
    return [(foot[0] - sign * up * y, foot[1] + sign * up * x) for sign in (1.0, -1.0)]


def _foot(curve: Line | Arc, point: Vec2) -> Vec2:
    """The point of a whole line or circle that is nearest to another."""
    if isinstance(curve, Line):
        x, y = heading(curve, at_end=False)
        along = (point[0] - curve.start[0]) * x + (point[1] - curve.start[1]) * y
        return (curve.start[0] + along * x, curve.start[1] + along * y)
    radius = math.dist(curve.start, curve.center)
    away = math.dist(point, curve.center)
    if away == 0.0:
        return (math.inf, math.inf)
    share = radius / away
    return (
        curve.center[0] + share * (point[0] - curve.center[0]),
        curve.center[1] + share * (point[1] - curve.center[1]),
    )


def lies_on(curve: Line | Arc, point: Vec2) -> bool:
    """Whether a point of the whole line or circle lies between the ends of a curve."""
    if not math.isfinite(point[0]):
        return False
    if isinstance(curve, Line):
        x, y = heading(curve, at_end=False)
        length = math.dist(curve.start, curve.end)
        along = (point[0] - curve.start[0]) * x + (point[1] - curve.start[1]) * y
    else:
        radius = math.dist(curve.start, curve.center)
        length, along = radius * _sweep(curve), radius * _turned(curve, point)
        if along > 0.5 * (length + 2.0 * math.pi * radius):
            along -= 2.0 * math.pi * radius
    near = _SMOOTH * max(1.0, length)
    return -near <= along <= length + near


def _sweep(arc: Arc) -> float:
    """Radians from end to end; one that ends where it starts goes round."""
    return _turned(arc, arc.end) or 2.0 * math.pi


def _turned(arc: Arc, point: Vec2) -> float:
    """Radians from the start to a point, in the arc's own sense."""
    begin = math.atan2(arc.start[1] - arc.center[1], arc.start[0] - arc.center[0])
    there = math.atan2(point[1] - arc.center[1], point[0] - arc.center[0])
    return (there - begin if arc.ccw else begin - there) % (2.0 * math.pi)


def _ended(curve: Line | Arc, end: Vec2) -> Line | Arc:
    return (
        Line(curve.start, end) if isinstance(curve, Line) else Arc(curve.start, end, curve.center, curve.ccw)
    )


def begun(curve: Line | Arc, start: Vec2) -> Line | Arc:
    """What is left of a curve from a point of it on."""
    return (
        Line(start, curve.end) if isinstance(curve, Line) else Arc(start, curve.end, curve.center, curve.ccw)
    )


# ---------------------------------------------------------------- a bevel


def _line_between(before: Line | Arc, after: Line | Arc, distance: float) -> Cut | None:
    """With the line between the points at a distance from the corner; None where one is not there."""
    first, second = _along(before, distance, from_end=True), _along(after, distance, from_end=False)
    if first is None or second is None:
        return None
    return _ended(before, first), Line(first, second), begun(after, second)


def _along(curve: Line | Arc, distance: float, *, from_end: bool) -> Vec2 | None:
    if isinstance(curve, Line):
        length = math.dist(curve.start, curve.end)
        share = distance / length
        if share > 1.0 + 1e-9:
            return None
        share = 1.0 - share if from_end else share
        (a, b), (c, d) = curve.start, curve.end
        return (a + share * (c - a), b + share * (d - b))
    radius = math.dist(curve.start, curve.center)
    whole = _sweep(curve)
    if distance > radius * whole * (1.0 + 1e-9):
        return None
    turn = whole - distance / radius if from_end else distance / radius
    turn = turn if curve.ccw else -turn
    x, y = curve.start[0] - curve.center[0], curve.start[1] - curve.center[1]
    cosine, sine = math.cos(turn), math.sin(turn)
    return (curve.center[0] + cosine * x - sine * y, curve.center[1] + sine * x + cosine * y)
