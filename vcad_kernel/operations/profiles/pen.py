"""Outlines and paths drawn with a pen: from a point, step by step, in lines, arcs and splines.

Steps are plain values; what they come to is computed when all of them are known, for a corner is cut
between two of them. Lengths are millimetres.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Annotated, ClassVar, Final, NamedTuple, TypeAlias

from vcad_kernel.operations.arguments import (
    Choice,
    Degrees,
    Either,
    Flag,
    Given,
    Key,
    Keys,
    Kind,
    Mm,
    Numbers,
    keyed,
)
from vcad_kernel.operations.bodies.transforms import ORIGIN, X, Y
from vcad_kernel.operations.node import Record, Vec2
from vcad_kernel.operations.numbers import LARGEST, LINEAR, VECTOR_LENGTH, ParameterFault, positive
from vcad_kernel.operations.profiles.corners import (
    CornerFault,
    begun,
    bevelled,
    heading,
    lies_on,
    rounded,
)
from vcad_kernel.operations.profiles.paths import DrawnPath
from vcad_kernel.operations.profiles.profiles import Corners, Region
from vcad_kernel.operations.profiles.sketches import (
    Arc,
    Curve,
    Curves,
    EllipseArc,
    Line,
    Spline,
    ellipse_arc,
    ellipse_reach,
)
from vcad_kernel.operations.profiles.splines import bezier, through
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import PEN

__all__ = ["Steps"]

_STRAIGHT: Final = 1e-9
"""Relative: what bulges less is a line, of which no arc can be made."""

Place: TypeAlias = Annotated[tuple[float, float], Given(Numbers(2), "mm")]
Heading: TypeAlias = Annotated[tuple[float, float], Given(Numbers(2))]
Onward: TypeAlias = Annotated[Vec2 | str, Given(Either(Choice("tangent"), Numbers(2)))]
Next: TypeAlias = Annotated[str, Given(Choice("next"))]


class _Step(Record):
    GIVES: ClassVar[str] = "Step"

    word: str
    """As the user writes it."""


class _Drawn(_Step):
    """A step that draws: its points, the last of which is where it ends."""

    points: tuple[Vec2, ...]
    relative: bool
    """Counted from where the step begins."""
    options: Keys


class _Corner(_Step):
    """What is done to the corner between the steps before and after."""

    size: float


Steps: TypeAlias = Annotated[tuple[_Step, ...], Given(Kind.STEPS)]

ArcKeys: TypeAlias = Annotated[
    Keys,
    keyed(
        "an arc",
        Key("through", Place, None, "a point on the way"),
        Key("radius", Mm, None, "its radius; above 0 it turns left, below to the right"),
        Key("sagitta", Mm, None, "its height over the middle of its chord; above 0 it turns left"),
        Key("tangent", Heading, None, "the direction in which it begins"),
        Key(
            "tangent-to",
            Next,
            None,
            ":next draws on from the step before and ends where it touches the next step, "
            "a line or an arc that begins at the point given",
        ),
        Key("large", Flag, False, "with :radius, the longer one of the two arcs"),
    ),
]
EllipseKeys: TypeAlias = Annotated[
    Keys,
    keyed(
        "an arc of an ellipse",
        Key("a", Mm, doc="half of its width, along its own x"),
        Key("b", Mm, doc="half of its height"),
        Key("turn", Degrees, 0.0, "by which its x is turned to the left"),
        Key("large", Flag, False, "the longer one of the two arcs"),
        Key("right", Flag, False, "it turns right, not left"),
    ),
]
_ENDS: Final = (
    Key("start", Onward, None, "the direction in which it begins; :tangent goes on from the step before"),
    Key("end", Heading, None, "the direction in which it ends"),
)


# ---------------------------------------------------------------- the steps


@operation(PEN, "[line-to 20 5]", "[pull 5 [outline 0 0 #[[line-to 20 5] [line-to 0 12]]]]")
def line_to(x: Mm, y: Mm) -> _Drawn:
    """Straight to a point."""
    return _Drawn("line-to", ((x, y),), False, {})


@operation(PEN, "[line-by 0 8]", "[pull 5 [outline 0 0 #[[line-by 20 0] [line-by 0 8]]]]")
def line_by(dx: Mm, dy: Mm) -> _Drawn:
    """Straight, so far along x and y."""
    return _Drawn("line-by", ((dx, dy),), True, {})


@operation(
    PEN, "[arc-to {:radius 10} 0 12]", "[pull 5 [outline 0 0 #[[line-to 9 0] [arc-to {:radius 10} 0 12]]]]"
)
def arc_to(how: ArcKeys, x: Mm, y: Mm) -> _Drawn:
    """Arc to a point: through another one, with a radius or a sagitta, or beginning in a direction. To turn
    left is to run counter-clockwise."""
    return _Drawn("arc-to", ((x, y),), False, how)


@operation(
    PEN,
    "[arc-by {:sagitta 2} 0 12]",
    "[pull 5 [outline 0 0 #[[line-by 9 0] [arc-by {:sagitta 2} 0 12] [line-by -9 0]]]]",
)
def arc_by(how: ArcKeys, dx: Mm, dy: Mm) -> _Drawn:
    """Arc as arc-to, so far along x and y; the point of :through is counted from its start as well."""
    return _Drawn("arc-by", ((dx, dy),), True, how)


@operation(
    PEN, "[tangent-arc-to 9 8]", "[pull 5 [outline 0 0 #[[line-to 9 0] [tangent-arc-to 9 8] [line-to 0 8]]]]"
)
def tangent_arc_to(x: Mm, y: Mm) -> _Drawn:
    """Arc to a point that goes on smoothly from the step before."""
    return _Drawn("tangent-arc-to", ((x, y),), False, {})


@operation(
    PEN, "[tangent-arc-by 0 8]", "[pull 5 [outline 0 0 #[[line-by 9 0] [tangent-arc-by 0 8] [line-by -9 0]]]]"
)
def tangent_arc_by(dx: Mm, dy: Mm) -> _Drawn:
    """Arc as tangent-arc-to, so far along x and y."""
    return _Drawn("tangent-arc-by", ((dx, dy),), True, {})


@operation(
    PEN,
    "[spline-to #[#[14 4] #[8 9] #[0 8]]]",
    "[pull 5 [outline 0 0 #[[line-to 12 0] [spline-to #[#[14 4] #[8 9] #[0 8]]]]]]",
    options=_ENDS,
)
def spline_to(points: Corners, *, start: Vec2 | str | None, end: Vec2 | None) -> _Drawn:
    """Smooth curve through points #[x y], of which the last is its end. Without a direction it runs out
    straight there."""
    return _Drawn("spline-to", points, False, {"start": start, "end": end})


@operation(
    PEN,
    "[spline-by #[#[2 4] #[-4 9] #[-12 8]]]",
    "[pull 5 [outline 0 0 #[[line-by 12 0] [spline-by #[#[2 4] #[-4 9] #[-12 8]]]]]]",
    options=_ENDS,
)
def spline_by(points: Corners, *, start: Vec2 | str | None, end: Vec2 | None) -> _Drawn:
    """Smooth curve as spline-to, its points counted from its start."""
    return _Drawn("spline-by", points, True, {"start": start, "end": end})


@operation(
    PEN,
    "[bezier-to #[#[18 0] #[18 8] #[0 8]]]",
    "[pull 5 [outline 0 0 #[[line-to 12 0] [bezier-to #[#[18 0] #[18 8] #[0 8]]]]]]",
)
def bezier_to(points: Corners) -> _Drawn:
    """Bézier curve: its control points #[x y], and its end last."""
    return _Drawn("bezier-to", points, False, {})


@operation(
    PEN,
    "[bezier-by #[#[6 0] #[6 8] #[-12 8]]]",
    "[pull 5 [outline 0 0 #[[line-by 12 0] [bezier-by #[#[6 0] #[6 8] #[-12 8]]]]]]",
)
def bezier_by(points: Corners) -> _Drawn:
    """Bézier curve as bezier-to, its points counted from its start."""
    return _Drawn("bezier-by", points, True, {})


@operation(
    PEN,
    "[ellipse-arc-to {:a 9 :b 5} -9 0]",
    "[pull 5 [outline -9 0 #[[line-to 9 0] [ellipse-arc-to {:a 9 :b 5} -9 0]]]]",
)
def ellipse_arc_to(how: EllipseKeys, x: Mm, y: Mm) -> _Drawn:
    """Arc of an ellipse to a point; it turns left unless :right is true."""
    return _Drawn("ellipse-arc-to", ((x, y),), False, how)


@operation(
    PEN,
    "[ellipse-arc-by {:a 9 :b 5} -18 0]",
    "[pull 5 [outline -9 0 #[[line-to 9 0] [ellipse-arc-by {:a 9 :b 5} -18 0]]]]",
)
def ellipse_arc_by(how: EllipseKeys, dx: Mm, dy: Mm) -> _Drawn:
    """Arc as ellipse-arc-to, so far along x and y."""
    return _Drawn("ellipse-arc-by", ((dx, dy),), True, how)


@operation(
    PEN, "[corner 3]", "[pull 5 [outline 0 0 #[[line-to 20 0] [corner 3] [line-to 20 12] [line-to 0 12]]]]"
)
def corner(r: Mm) -> _Corner:
    """Round corner of radius r between the step before and the step after, lines or arcs. After the last step
    of an outline, or before its first, it is the corner where the outline begins."""
    positive("r", r)
    return _Corner("corner", r)


@operation(
    PEN, "[bevel 2]", "[pull 5 [outline 0 0 #[[line-to 20 0] [bevel 2] [line-to 20 12] [line-to 0 12]]]]"
)
def bevel(d: Mm) -> _Corner:
    """Corner cut off straight, d along the step before and the step after, lines or arcs."""
    positive("d", d)
    return _Corner("bevel", d)


# ---------------------------------------------------------------- what is drawn


@operation(
    PEN,
    "[outline 0 0 #[[line-to 20 0] [corner 3] [arc-to {:sagitta 2} 20 12] [line-to 0 12]]]",
    "[pull 5 [outline 0 0 #[[line-to 20 0] [corner 3] [arc-to {:sagitta 2} 20 12] [line-to 0 12]]]]",
)
def outline(x: Mm, y: Mm, steps: Steps) -> Region:
    """Profile drawn from (x, y), step by step. A line closes it where the last step ends elsewhere."""
    return Region((_drawn_curves(x, y, steps, closed=True),))


@operation(
    PEN,
    "[path-2d 0 0 #[[line-to 0 20] [tangent-arc-to 10 30]]]",
    "[sweep [path-2d 0 0 #[[line-to 0 20] [tangent-arc-to 10 30]]] [circle 3]]",
)
def path_2d(x: Mm, y: Mm, steps: Steps) -> DrawnPath:
    """Path drawn from (x, y) on XY, step by step; on places it on another plane. For sweep it is open and
    smooth, but for corners between two lines, which are mitred; the edge of a patch may have corners, and
    may close."""
    return DrawnPath(ORIGIN, X, Y, _drawn_curves(x, y, steps, closed=False))


def _drawn_curves(x: float, y: float, steps: Sequence[_Step], *, closed: bool) -> Curves:
    """What steps come to, drawn from a point. Raises: ParameterFault, which names the step."""
    drawing = _Drawing((x, y), steps)
    if closed:
        drawing.close()
    return drawing.curves(closed=closed)


class _Said(NamedTuple):
    """Which step is spoken of."""

    number: int
    """From 1."""
    word: str

    def error(self, words: str) -> ParameterFault:
        return ParameterFault("INVALID_PARAMETER", "steps", f"step {self.number}, {self.word}: {words}")


class _Drawing:
    """Steps as curves, in order, and the corners between them."""

    def __init__(self, start: Vec2, steps: Sequence[_Step]) -> None:
        self._start = start
        self._curves: list[Curve] = []
        self._corners: dict[int, tuple[_Said, _Corner]] = {}
        """By the number of the curve that begins there."""
        # the curve of a step that an arc before it has touched and drawn
        drawn: Curve | None = None
        for at, step in enumerate(steps):
            if isinstance(step, _Corner):
                self._take_corner(step, _Said(at + 1, step.word))
            elif drawn is not None:
                self._curves.append(drawn)
                drawn = None
            else:
                curve, drawn = _drawn(steps, at, self._here, self._curves[-1] if self._curves else None)
                self._curves.append(curve)
        if not self._curves:
            raise ParameterFault("INVALID_PARAMETER", "steps", "steps must hold one that draws")

    @property
    def _here(self) -> Vec2:
        return self._curves[-1].end if self._curves else self._start

    def _take_corner(self, step: _Corner, said: _Said) -> None:
        there = self._corners.setdefault(len(self._curves), (said, step))
        if there[1] is not step:
            raise said.error(f"step {there[0].number} is a {there[0].word} of the same corner")

    def close(self) -> None:
        """Back to the start, by a line where the last step does not end there."""
        last = self._corners.pop(len(self._curves), None)
        if math.dist(self._here, self._start) > LINEAR:
            if last is not None:
                # the corner at the end of the last step, with the line that closes
                self._corners[len(self._curves)] = last
                last = None
            self._curves.append(Line(self._here, self._start))
        if last is not None:
            said, step = last
            there = self._corners.setdefault(0, last)
            if there[1] is not step:
                raise said.error(f"step {there[0].number} is a {there[0].word} of the same corner")

    def curves(self, *, closed: bool) -> Curves:
        """All of them, corners cut."""
        curves = [*self._curves]
        blends: dict[int, Curve] = {}
        for at, (said, step) in sorted(self._corners.items()):
            if len(curves) < 2 or (not closed and at in (0, len(curves))):
                raise said.error("needs a step that draws before it and one after it")
            cut = rounded if step.word == "corner" else bevelled
            try:
                curves[at - 1], blends[at], curves[at] = cut(curves[at - 1], curves[at], step.size)
            except CornerFault as fault:
                raise said.error(f"the corner {fault.words}") from None
        result: list[Curve] = []
        for at, curve in enumerate(curves):
            if at in blends:
                result.append(blends[at])
            # two corners may leave nothing of what is between them
            if isinstance(curve, EllipseArc | Spline) or math.dist(curve.start, curve.end) > LINEAR:
                result.append(curve)
        return tuple(result)


# ---------------------------------------------------------------- one step


def _drawn(steps: Sequence[_Step], at: int, start: Vec2, before: Curve | None) -> tuple[Curve, Curve | None]:
    """The curve of a step, drawn from a point; and that of the next step, where the first touches it."""
    step = steps[at]
    assert isinstance(step, _Drawn)
    said = _Said(at + 1, step.word)
    points = [_placed(said, step, start, point) for point in step.points]
    if not points:
        raise said.error("needs at least one point, its end")
    for here, there in itertools.pairwise([start, *points]):
        if math.dist(here, there) <= LINEAR:
            raise said.error(f"goes nowhere: it is at {_told(there)} already")
    end = points[-1]
    match step.word.rpartition("-")[0]:
        case "line":
            return Line(start, end), None
        case "arc":
            if step.options["tangent-to"] is not None:
                return _touching(said, start, _onward(said, before), _next(said, steps, at, end))
            return _arc(said, step, start, end), None
        case "tangent-arc":
            return _starting(said, start, _onward(said, before), end), None
        case "bezier":
            return bezier([start, *points]), None
        case "ellipse-arc":
            return _of_ellipse(said, start, end, step.options), None
    first, last = step.options["start"], step.options["end"]
    if first == "tangent":
        first = _onward(said, before)
    for name, way in (("start", first), ("end", last)):
        if way is not None:
            _check_direction(said, name, way)
    return through([start, *points], first, last), None


def _placed(said: _Said, step: _Drawn, start: Vec2, point: Vec2) -> Vec2:
    """A point of a step in the plane."""
    place = (start[0] + point[0], start[1] + point[1]) if step.relative else point
    if not math.hypot(*place) <= LARGEST:
        raise said.error(f"must stay within {LARGEST:.0f} of the origin, got {_told(place)}")
    return place


def _told(point: Vec2) -> str:
    return f"{point[0]:g} {point[1]:g}"


def _check_direction(said: _Said, name: str, way: Vec2) -> None:
    if math.hypot(*way) < VECTOR_LENGTH:
        raise said.error(f":{name} has no length, so it shows no direction")


def _onward(said: _Said, before: Curve | None) -> Vec2:
    """The direction in which the step before ends."""
    if before is None:
        raise said.error(
            "has no step before it to go on from; [arc-to {:tangent #[dx dy]} x y] says a direction"
        )
    return heading(before, at_end=True)


def _next(said: _Said, steps: Sequence[_Step], at: int, start: Vec2) -> Line | Arc:
    """The next step, drawn from a point."""
    step = steps[at + 1] if at + 1 < len(steps) else None
    plain = isinstance(step, _Drawn) and (
        step.word.startswith("line-") or (step.word.startswith("arc-") and step.options["tangent-to"] is None)
    )
    if not plain:
        raise said.error(":tangent-to :next needs a line or an arc right after it")
    curve, _ = _drawn(steps, at + 1, start, None)
    assert isinstance(curve, Line | Arc)
    return curve


# ---------------------------------------------------------------- arcs


def _arc(said: _Said, step: _Drawn, start: Vec2, end: Vec2) -> Arc:
    how = step.options
    given = [name for name in ("through", "radius", "sagitta", "tangent") if how[name] is not None]
    if len(given) != 1:
        got = " and ".join(f":{name}" for name in given) or "none of them"
        raise said.error(f"needs one of :through, :radius, :sagitta, :tangent and :tangent-to, got {got}")
    (name,) = given
    if how["large"] and name != "radius":
        raise said.error(f":large goes with :radius, not with :{name}")
    match name:
        case "through":
            return _through(said, start, _placed(said, step, start, how["through"]), end)
        case "radius":
            return _of_radius(said, start, end, how["radius"], large=how["large"])
        case "sagitta":
            return _of_sagitta(said, start, end, how["sagitta"])
    _check_direction(said, "tangent", how["tangent"])
    return _starting(said, start, how["tangent"], end)


def _through(said: _Said, start: Vec2, middle: Vec2, end: Vec2) -> Arc:
    (a, b), (c, d) = _between(start, middle), _between(start, end)
    across = a * d - b * c
    first, second = a * a + b * b, c * c + d * d
    if abs(across) <= _STRAIGHT * math.sqrt(first * second):
        raise said.error(
            f"{_told(middle)} lies on the line from {_told(start)} to {_told(end)}, so there is no arc"
        )
    center = (
        start[0] + (d * first - b * second) / (2.0 * across),
        start[1] + (a * second - c * first) / (2.0 * across),
    )
    return Arc(start, end, center, across > 0.0)


def _of_radius(said: _Said, start: Vec2, end: Vec2, radius: float, *, large: bool) -> Arc:
    half = 0.5 * math.dist(start, end)
    if abs(radius) < half * (1.0 - _STRAIGHT):
        raise said.error(
            f"with the radius {radius:g} it cannot reach {_told(end)}; it takes at least {_up(half)}, "
            "half of the distance"
        )
    off = math.sqrt(max(radius * radius - half * half, 0.0))
    return _beside(start, end, -off if (radius > 0.0) is large else off, radius > 0.0)


def _up(size: float) -> str:
    """With six digits, rounded so that it is enough."""
    unit = 10.0 ** (math.floor(math.log10(size)) - 5)
    return f"{math.ceil(size / unit * (1.0 - 1e-12)) * unit:.6g}"


def _of_sagitta(said: _Said, start: Vec2, end: Vec2, sagitta: float) -> Arc:
    chord = math.dist(start, end)
    if abs(sagitta) <= _STRAIGHT * chord:
        raise said.error(f"with the sagitta {sagitta:g} it is straight; take a line")
    off = (chord * chord / 4.0 - sagitta * sagitta) / (2.0 * sagitta)
    return _beside(start, end, off, sagitta > 0.0)


def _beside(start: Vec2, end: Vec2, off: float, ccw: bool) -> Arc:
    """The arc whose centre is so far to the left of its chord's middle."""
    (x, y), chord = _between(start, end), math.dist(start, end)
    center = (0.5 * (start[0] + end[0]) - off * y / chord, 0.5 * (start[1] + end[1]) + off * x / chord)
    return Arc(start, end, center, ccw)


def _starting(said: _Said, start: Vec2, way: Vec2, end: Vec2) -> Arc:
    """The arc that begins in a direction."""
    (x, y), size = _between(start, end), math.hypot(*way)
    a, b = way[0] / size, way[1] / size
    square, left = x * x + y * y, a * y - b * x
    if abs(left) <= _STRAIGHT * math.sqrt(square):
        where = "straight ahead; take a line" if a * x + b * y > 0.0 else "straight behind"
        raise said.error(f"{_told(end)} lies {where}")
    return _at(start, end, (a, b), square / (2.0 * left))


def _at(start: Vec2, end: Vec2, way: Vec2, radius: float) -> Arc:
    """The arc with its centre so far to the left of its start."""
    return Arc(start, end, (start[0] - radius * way[1], start[1] + radius * way[0]), radius > 0.0)


def _touching(said: _Said, start: Vec2, way: Vec2, other: Line | Arc) -> tuple[Arc, Line | Arc]:
    """The arc that begins in a direction and ends where it touches a line or an arc; and what that leaves.

    Circles that touch in one direction have their centres on the common normal, so that the distance of the
    centres is the difference of the radii, signed by their side: an equation of the first degree.
    """
    a, b = way
    if isinstance(other, Line):
        u, v = heading(other, at_end=False)
        x, y = _between(other.start, start)
        # the centre is as far to the left of the line as of the start
        below = 1.0 - (a * u + b * v)
        radius = (u * y - v * x) / below if below > _STRAIGHT else math.inf
        center = (start[0] - radius * b, start[1] + radius * a)
        touch = (center[0] + radius * v, center[1] - radius * u)
    else:
        x, y = _between(other.center, start)
        own = math.dist(other.start, other.center) * (1.0 if other.ccw else -1.0)
        below = 2.0 * (a * y - b * x + own)
        radius = (own * own - x * x - y * y) / below if abs(below) > _STRAIGHT * abs(own) else math.inf
        center = (start[0] - radius * b, start[1] + radius * a)
        away = radius - own
        share = own / away if away else math.inf
        touch = (
            other.center[0] - share * (center[0] - other.center[0]),
            other.center[1] - share * (center[1] - other.center[1]),
        )
    within = math.isfinite(radius) and abs(radius) > LINEAR and lies_on(other, touch)
    if not within or math.dist(touch, start) <= LINEAR or math.dist(touch, other.end) <= LINEAR:
        raise said.error("no arc goes on from the step before and touches the next step before its end")
    return _at(start, touch, way, radius), begun(other, touch)


def _of_ellipse(said: _Said, start: Vec2, end: Vec2, how: Keys) -> EllipseArc | Arc:
    """The arc of an ellipse between two points."""
    a, b = how["a"], how["b"]
    for name, half in (("a", a), ("b", b)):
        if not half > 0.0:
            raise said.error(f":{name} must be greater than 0, got {half:g}")
    ellipse = (a, b, how["turn"])
    factor = ellipse_reach(start, end, *ellipse)
    if factor > 1.0 + _STRAIGHT:
        raise said.error(
            f"an ellipse of :a {a:g} and :b {b:g} cannot reach {_told(end)}; it takes at least "
            f"{_up(factor)} times as much of both"
        )
    return ellipse_arc(start, end, *ellipse, large=how["large"], ccw=not how["right"])


def _between(start: Vec2, end: Vec2) -> Vec2:
    return (end[0] - start[0], end[1] - start[1])
