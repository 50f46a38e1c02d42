"""Profiles within a closed curve that a function gives, or points in order.

A function is called when the program runs; what is kept of it are points.
"""

import itertools
import math
from typing import Annotated, ClassVar, Final, TypeAlias

from vcad_kernel.operations.arguments import Given, Key, Keys, Kind, Mm, Real, keyed
from vcad_kernel.operations.node import Node, Vec2
from vcad_kernel.operations.numbers import LARGEST, ParameterFault, invalid, positive
from vcad_kernel.operations.profiles.profiles import Corners
from vcad_kernel.operations.record import Composed, operation
from vcad_kernel.operations.sections import PROFILES

__all__ = ["CurveProfile"]

_ERROR: Final = 1e-4
_PIECES: Final = 512
"""In which a function's range is looked at."""
_LEAST: Final = 65
"""Points: fewer say too little of what lies between them."""

Function: TypeAlias = Annotated[str, Given(Kind.FUNCTION)]
Fit: TypeAlias = Annotated[
    Keys, keyed("a fit", Key("error", Mm, _ERROR, "how far the border may be from the curve"))
]


class CurveProfile(Node):
    """What lies within a closed curve through points in order, the last of which is the first again."""

    GIVES: ClassVar[str] = "Sketch"
    CURVED: ClassVar[bool] = True

    coordinates: tuple[float, ...]
    """x y of each point in turn."""
    error: Mm

    @property
    def points(self) -> tuple[Vec2, ...]:
        """As pairs."""
        return tuple(zip(self.coordinates[::2], self.coordinates[1::2], strict=True))

    def check(self) -> None:
        """Enough points, the last of which is the first."""
        positive("error", self.error)
        points = self.points
        if len(points) < _LEAST:
            raise invalid("points", f"must be at least {_LEAST}, got {len(points)}")
        for u, v in points:
            if not math.hypot(u, v) <= LARGEST:
                raise invalid("points", f"must stay within {LARGEST:.0f} of the origin, got {u:g} {v:g}")
        (a, b), (c, d) = points[0], points[-1]
        if math.dist(points[0], points[-1]) > self.error:
            raise ParameterFault(
                "SKETCH_NOT_CLOSED",
                "points",
                f"the curve is open: it runs from ({a:g}, {b:g}) to ({c:g}, {d:g})",
            )


@operation(
    PROFILES,
    "[curve-profile {:error 0.01} points]",
    "[let points [map [fn [i] #[[* 9 [cos [* i 5.625]]] [* 5 [sin [* i 5.625]]]]] [range 0 65]]]\n"
    "[pull 3 [curve-profile {:error 0.01} points]]",
    name="curve-profile",
    variant="CurveProfile",
)
def curve_profile_of(how: Fit, points: Corners) -> CurveProfile:
    """Of points, 65 at least, it is the curve through them; the last is the first again."""
    error = how["error"]
    if len(points) > 1 and math.dist(points[0], points[-1]) <= error:
        points = (*points[:-1], points[0])
    return CurveProfile(tuple(itertools.chain.from_iterable(points)), error)


class Parametric(Composed):
    """The profile of a function."""

    GIVES: ClassVar[str] = "Sketch"


_LEAF: Final = "[fn leaf [t] #[[* 9 [cos t]] [+ [* 5 [sin t]] [cos [* 2 t]]]]]\n"


@operation(
    PROFILES,
    "[curve-profile leaf 0 360]",
    f"{_LEAF}[pull 3 [curve-profile leaf 0 360]]",
    name="curve-profile",
)
def curve_profile(f: Function, start: Real, end: Real) -> Parametric:
    """What lies within a closed curve: f gives its points #[x y] from start to end. It is fitted, within
    0.0001 mm unless :error says more, so figures are ≈; the curve must be smooth but where it begins."""
    return Parametric(_sampled("{}", f, start, end))


@operation(
    PROFILES,
    "[curve-profile {:error 0.001} leaf 0 360]",
    f"{_LEAF}[pull 3 [curve-profile {{:error 0.001}} leaf 0 360]]",
    name="curve-profile",
)
def curve_profile_within(how: Fit, f: Function, start: Real, end: Real) -> Parametric:
    return Parametric(_sampled(how, f, start, end))


def _sampled(how: object, f: str, start: object, end: object) -> str:
    share = f"[/ i {_PIECES}.0]"
    at = f"[+ {start} [* {share} [- {end} {start}]]]"
    return f"[CurveProfile {how} [map [fn [i] [{f} {at}]] [range 0 {_PIECES + 1}]]]"
