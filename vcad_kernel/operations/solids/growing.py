"""Solids that grow out of profiles: pulled along the plane's normal, or spun about an axis of the plane.

Lengths are millimetres, angles degrees.
"""

import math
from typing import Annotated, ClassVar, TypeAlias

from vcad_kernel.operations.arguments import (
    Choice,
    Degrees,
    Either,
    Flag,
    Given,
    Key,
    Mm,
    Numbers,
    Several,
    Sketch,
)
from vcad_kernel.operations.node import Node, NodeId, Vec2, Vec3
from vcad_kernel.operations.numbers import VECTOR_LENGTH, direction, finite, invalid, within_reach
from vcad_kernel.operations.planes import Way
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import PROFILES

__all__ = ["Pull", "Spin"]

_FULL_TURN = 360.0 + 1e-9
_STEEPEST = 89.0
"""Degrees: a taper beyond it is a slip."""

Axis: TypeAlias = Annotated[str | tuple[Vec2, Vec2], Given(Either(Choice("x", "y"), Several(Numbers(2))))]


class Pull(Node):
    """Prism of a profile along its plane's normal; a negative height goes the other way."""

    sketch: Sketch
    height: Mm
    twist: Degrees | None = None
    """Turn of the far end about the plane's origin, from x to y."""
    taper: Degrees | None = None
    """By which sides lean inwards."""
    both: bool | None = None
    """Half of the height to each side."""
    along: Vec3 | None = None
    """A direction in place of the normal; the height still counts along the normal."""

    def children(self) -> tuple[NodeId, ...]:
        """The profile."""
        return (self.sketch,)

    def is_curved(self) -> bool:
        """With a twist, or with cones about the corners from which tapered sides lean away."""
        return bool(self.twist or self.taper)

    def check(self) -> None:
        """A height, and modifiers that go together."""
        within_reach("h", self.height)
        if self.height == 0.0:
            raise invalid("h", "must not be 0: the solid would have no thickness")
        finite("twist", self.twist or 0.0)
        if not abs(self.taper or 0.0) <= _STEEPEST:
            raise invalid(
                "taper", f"must be from -{_STEEPEST:g} to {_STEEPEST:g} degrees, got {self.taper:g}"
            )
        if self.along is not None:
            direction(("along",) * 3, self.along, "direction")
        given = [name for name in ("twist", "taper", "along") if getattr(self, name)]
        if len(given) > 1:
            raise invalid(given[1], f"does not go together with :{given[0]}")


@operation(
    PROFILES,
    "[pull 12 [rect 20 10]]",
    options=(
        Key("twist", Degrees, 0.0, "turn of the far end, about the plane's origin"),
        Key("taper", Degrees, 0.0, "by which the sides lean inwards; negative ones lean outwards"),
        Key("both", Flag, False, "half of h to each side of the plane"),
        Key("along", Way, None, "a direction other than the normal; h still counts along the normal"),
    ),
)
def pull(h: Mm, k: Sketch, *, twist: float, taper: float, both: bool, along: Vec3 | None) -> Pull:
    """Solid of the profile, h high along the normal of its plane; a negative h goes the other way."""
    return Pull(k, h, twist or None, taper or None, both or None, along)


class Spin(Node):
    """A profile turned about a line of its plane, from where it stands."""

    CURVED: ClassVar[bool] = True

    sketch: Sketch
    angle_deg: Degrees
    """Negative: the other way round."""
    axis_origin: Vec2
    """In the plane's coordinates, as the next."""
    axis_dir: Vec2

    def children(self) -> tuple[NodeId, ...]:
        """The profile."""
        return (self.sketch,)

    def check(self) -> None:
        """An angle of at most a full turn."""
        finite("angle", self.angle_deg)
        if not 0.0 < abs(self.angle_deg) <= _FULL_TURN:
            raise invalid(
                "angle", f"must be above 0 and at most 360, or as much the other way, got {self.angle_deg:g}"
            )


@operation(
    PROFILES,
    "[spin 360 [translate 12 0 0 [circle 4]]]",
    options=(
        Key("axis", Axis, "y", "the axis :x or :y of the profile's plane, or a line #[#[x y] #[x y]] in it"),
    ),
)
def spin(angle: Degrees, k: Sketch, *, axis: str | tuple[Vec2, ...]) -> Spin:
    """Solid of the profile turned about an axis of its plane, the y axis if nothing is said, right-handed
    about it. The profile lies on one side of the axis and may touch it."""
    if isinstance(axis, str):
        return Spin(k, angle, (0.0, 0.0), (1.0, 0.0) if axis == "x" else (0.0, 1.0))
    if len(axis) != 2 or math.dist(*axis) < VECTOR_LENGTH:
        raise invalid("axis", "must be :x, :y or two points #[#[x y] #[x y]]")
    (u, v), (p, q) = axis
    return Spin(k, angle, (u, v), (p - u, q - v))
