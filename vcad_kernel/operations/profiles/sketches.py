"""Sketches: closed profiles on a plane, and the segments they are made of.

Segments are in the coordinates of their sketch. Lengths are millimetres.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Annotated, ClassVar, TypeAlias

from vcad_kernel.operations.arguments import Coordinates, Flag, Given, Kind, Mm, Real
from vcad_kernel.operations.bodies.transforms import ORIGIN, X, Y
from vcad_kernel.operations.node import Node, Record, Vec2, Vec3
from vcad_kernel.operations.numbers import LARGEST, finite_vector, invalid, positive
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import OLDER, PROFILES
from vcad_kernel.units import cosd, sind

__all__ = [
    "Arc",
    "Curve",
    "Curves",
    "EllipseArc",
    "Line",
    "Outlines",
    "Segment",
    "Segments",
    "Sketch2D",
    "Spline",
    "ellipse_arc",
    "ellipse_reach",
    "in_groups",
]


_HIGHEST_DEGREE = 25
"""That OpenCASCADE's splines have."""


class _Segment(Record, tag=True, tag_field="type"):
    GIVES: ClassVar[str] = "SketchSeg"


class Line(_Segment):
    """A straight sketch segment."""

    start: Vec2
    end: Vec2


@operation(
    OLDER,
    "[line 0 0 10 0]",
    "[extrude 0 0 4 [sketch 0 0 0  1 0 0  0 1 0\n  #[[line 0 0 10 0] [line 10 0 0 6] [line 0 6 0 0]]]]",
    variant="SLine",
    instead="line-to",
)
def line(x1: Mm, y1: Mm, x2: Mm, y2: Mm) -> Line:
    """Straight segment of a sketch, from point 1 to point 2."""
    return Line((x1, y1), (x2, y2))


class Arc(_Segment):
    """A circular sketch segment from start to end about center; ``ccw`` as seen from the tip of x × y."""

    start: Vec2
    end: Vec2
    center: Vec2
    ccw: bool


@operation(
    OLDER,
    "[arc 5 0 -5 0 0 0 true]",
    "[extrude 0 0 4 [sketch 0 0 0  1 0 0  0 1 0\n  #[[arc 5 0 -5 0 0 0 true] [line -5 0 5 0]]]]",
    variant="SArc",
    instead="arc-to",
)
def arc(x1: Mm, y1: Mm, x2: Mm, y2: Mm, cx: Mm, cy: Mm, ccw: Flag) -> Arc:
    """Circular segment of a sketch from point 1 to point 2 about (cx, cy); counter-clockwise if ccw
    is true. A full circle takes two."""
    return Arc((x1, y1), (x2, y2), (cx, cy), ccw)


Segment: TypeAlias = Line | Arc
Segments: TypeAlias = Annotated[tuple[Segment, ...], Given(Kind.SEGMENTS)]


class EllipseArc(_Segment):
    """An elliptic segment from start to end: center + cos t · major + sin t · minor.

    The half axes are square to each other. ``ccw`` as seen from the tip of x × y.
    """

    start: Vec2
    end: Vec2
    center: Vec2
    major: Vec2
    minor: Vec2
    ccw: bool


class Spline(_Segment):
    """A B-spline of plain control points, from the first to the last of them.

    knots: non-decreasing, len(poles) + degree + 1 of them, the first and the last degree + 1 times.
    """

    degree: int
    poles: tuple[Vec2, ...]
    knots: tuple[float, ...]

    def check(self) -> None:
        """Whether the numbers make a spline. Raises: ParameterFault."""
        multiple = self.degree + 1
        if not 1 <= self.degree <= _HIGHEST_DEGREE or len(self.poles) < multiple:
            raise invalid("outlines", f"hold a spline of degree {self.degree} with {len(self.poles)} poles")
        ends = (self.knots[:multiple], self.knots[-multiple:])
        rising = all(before <= after for before, after in itertools.pairwise(self.knots))
        clamped = all(len(set(end)) == 1 for end in ends) and self.knots[0] < self.knots[-1]
        if len(self.knots) != len(self.poles) + multiple or not (rising and clamped):
            raise invalid("outlines", "hold a spline whose knots do not go with its poles and degree")

    @property
    def start(self) -> Vec2:
        """Where it begins."""
        return self.poles[0]

    @property
    def end(self) -> Vec2:
        """Where it ends."""
        return self.poles[-1]


Curve: TypeAlias = Line | Arc | EllipseArc | Spline
"""What the outlines of a profile are made of."""
Curves: TypeAlias = tuple[Curve, ...]
"""A closed chain: each begins where the one before ends, the first where the last does."""
Outlines: TypeAlias = tuple[Curves, ...]
"""Closed chains that do not meet; what lies within an odd number of them is inside."""


class Sketch2D(Node):
    """A closed profile on a plane; not a solid."""

    GIVES: ClassVar[str] = "Sketch"

    origin: Vec3
    x_dir: Vec3
    y_dir: Vec3
    segments: Segments

    def is_curved(self) -> bool:
        """With an arc."""
        return any(isinstance(segment, Arc) for segment in self.segments)

    def check(self) -> None:
        """Within reach; whether the segments close is seen when the sketch is read."""
        finite_vector(("ox", "oy", "oz"), self.origin)
        for segment in self.segments:
            points = (segment.start, segment.end)
            for point in (*points, segment.center) if isinstance(segment, Arc) else points:
                if not math.hypot(*point) <= LARGEST:
                    raise invalid(
                        "segments",
                        f"must stay within {LARGEST:.0f} of the origin, got {point[0]:g} {point[1]:g}",
                    )


@operation(
    OLDER,
    "[sketch 0 0 0 1 0 0 0 1 0 #[[line 0 0 6 0] [line 6 0 0 8] [line 0 8 0 0]]]",
    "[extrude 0 0 4\n  [sketch 0 0 0 1 0 0 0 1 0 #[[line 0 0 6 0] [line 6 0 0 8] [line 0 8 0 0]]]]",
    instead="outline",
)
def sketch(
    ox: Mm, oy: Mm, oz: Mm, xx: Real, xy: Real, xz: Real, yx: Real, yy: Real, yz: Real, segments: Segments
) -> Sketch2D:
    """Closed profile on the plane through o with axes x and y. The segments follow each other and
    end where they began; the axes are directions, their length does not matter."""
    return Sketch2D((ox, oy, oz), (xx, xy, xz), (yx, yy, yz), segments)


def _profile(segments: tuple[Segment, ...]) -> Sketch2D:
    """A sketch on the XY plane."""
    return Sketch2D(ORIGIN, X, Y, segments)


def _polygon(corners: Sequence[Vec2]) -> Sketch2D:
    """The closed chain of lines through corners."""
    return _profile(tuple(Line(a, b) for a, b in zip(corners, [*corners[1:], *corners[:1]], strict=True)))


def in_groups(name: str, numbers: Sequence[float], size: int, order: str) -> list[tuple[float, ...]]:
    """Numbers in a row as points. Raises: ParameterFault for one too few."""
    if len(numbers) % size:
        raise invalid(
            name, f"must be numbers in groups of {size}, {order} in turn, got {len(numbers)} numbers"
        )
    return list(zip(*(numbers[offset::size] for offset in range(size)), strict=True))


@operation(
    OLDER,
    "[profile-polyline #[0 0  4 0  4 2  0 3]]",
    "[sweep [path-line 0 0 0  0 0 20] [profile-polyline #[0 0  4 0  4 2  0 3]]]",
    renamed={"segments": "points"},
    instead="polygon",
)
def profile_polyline(points: Coordinates) -> Sketch2D:
    """Closed profile through corners u v u v …, for sweeps. It closes itself; on its own it lies on
    the XY plane."""
    corners: list[Vec2] = [(u, v) for u, v in in_groups("points", points, 2, "u v")]
    if len(corners) > 1 and corners[0] == corners[-1]:
        corners.pop()
    return _polygon(corners)


@operation(
    OLDER,
    "[profile-rect 4 3]",
    "[sweep [path-line 0 0 0  0 0 20] [profile-rect 4 3]]",
    renamed={"segments": "radial"},
    instead="rect",
)
def profile_rect(radial: Mm, axial: Mm) -> Sketch2D:
    """Rectangle about the origin, radial wide and axial high, for sweeps."""
    for name, size in (("radial", radial), ("axial", axial)):
        if not size > 0.0:
            raise invalid(name, f"must be above 0 mm, got {size:g}")
    u, v = radial / 2, axial / 2
    return _polygon(((-u, -v), (u, -v), (u, v), (-u, v)))


@operation(PROFILES, "[slot 30 10]", "[pull 5 [slot 30 10]]", renamed={"segments": "length"})
def slot(length: Mm, width: Mm) -> Sketch2D:
    """Slot with round ends, about the origin on the XY plane. length is the overall length, along x; width
    is across, and less."""
    positive("length", length)
    positive("width", width)
    if length <= width:
        raise invalid("length", f"must be greater than the width ({width:g}), got {length:g}")
    radius = width / 2
    middle = length / 2 - radius
    return _profile(
        (
            Line((-middle, -radius), (middle, -radius)),
            Arc((middle, -radius), (middle, radius), (middle, 0.0), True),
            Line((middle, radius), (-middle, radius)),
            Arc((-middle, radius), (-middle, -radius), (-middle, 0.0), True),
        )
    )


# ---- arcs of ellipses between two points. Lengths are millimetres, angles degrees ------------


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
