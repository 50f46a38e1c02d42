"""Copies of a solid or a profile, fused."""

from typing import ClassVar

from vcad_kernel.operations.arguments import Count, Degrees, Mm, Real, Sketch, Solid
from vcad_kernel.operations.bodies.bodies import OneSolid
from vcad_kernel.operations.bodies.booleans import ProfileUnion, Union
from vcad_kernel.operations.bodies.transforms import ORIGIN, Mirror, ProfileMirror, X, Y, Z
from vcad_kernel.operations.node import Add, NodeId, Vec3
from vcad_kernel.operations.numbers import LARGEST, MAX_COPIES, direction, finite, finite_vector, invalid
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import PATTERNS

__all__ = ["CircularPattern", "LinearPattern", "ProfileCircularPattern", "ProfileLinearPattern"]


def _count(value: int) -> None:
    if value < 1:
        raise invalid("count", f"must be a whole number from 1, got {value}")
    if value > MAX_COPIES:
        raise invalid("count", f"must be at most {MAX_COPIES}, got {value}")


class LinearPattern(OneSolid):
    """Union of count copies along a direction; the direction's length does not matter."""

    direction: Vec3
    count: int
    spacing: Mm

    def check(self) -> None:
        """A last copy within reach, and a direction where there are copies."""
        _count(self.count)
        finite("spacing", self.spacing)
        reach = abs(self.spacing) * (self.count - 1)
        if reach > LARGEST:
            raise invalid(
                "spacing", f"leads the last copy {reach:g} mm away, where {LARGEST:.0f} is the most"
            )
        if self.count > 1:
            direction(("dx", "dy", "dz"), self.direction, "direction")


@operation(PATTERNS, "[linear-pattern 1 0 0 4 20 [cylinder 3 9]]")
def linear_pattern(dx: Real, dy: Real, dz: Real, count: Count, spacing: Mm, s: Solid) -> LinearPattern:
    """count copies, spacing apart along a direction. The original counts; the length of the
    direction does not matter."""
    return LinearPattern(s, (dx, dy, dz), count, spacing)


class CircularPattern(OneSolid):
    """Union of count copies about an axis, step angle_deg / count."""

    axis_origin: Vec3
    axis_dir: Vec3
    count: int
    angle_deg: Degrees

    def check(self) -> None:
        """An axis where there are copies."""
        _count(self.count)
        finite("angle", self.angle_deg)
        finite_vector(("ox", "oy", "oz"), self.axis_origin)
        if self.count > 1:
            direction(("ax", "ay", "az"), self.axis_dir, "axis")


@operation(PATTERNS, "[circular-pattern 0 0 0 0 0 1 6 360 [translate 20 0 0 [cylinder 3 5]]]")
def circular_pattern(
    ox: Mm, oy: Mm, oz: Mm, ax: Real, ay: Real, az: Real, count: Count, angle: Degrees, s: Solid
) -> CircularPattern:
    """count copies about an axis through o along a, angle / count apart. The original counts: 4
    copies over 90 degrees stand at 0, 22.5, 45 and 67.5."""
    return CircularPattern(s, (ox, oy, oz), (ax, ay, az), count, angle)


def _both(add: Add, child: NodeId, normal: Vec3) -> Union:
    """A solid and its reflection in a plane through the origin."""
    return Union(child, add(Mirror(child, ORIGIN, normal)))


@operation(PATTERNS, "[mirror-pattern 1 1 0 [wedge 9 3 2]]")
def mirror_pattern(nx: Real, ny: Real, nz: Real, s: Solid, *, add: Add) -> Union:
    """The solid together with its reflection in the plane through the origin with normal n."""
    return _both(add, s, (nx, ny, nz))


@operation(PATTERNS, "[mirror-pattern-x [wedge 9 3 2]]")
def mirror_pattern_x(s: Solid, *, add: Add) -> Union:
    """The solid together with its reflection in the plane x = 0."""
    return _both(add, s, X)


@operation(PATTERNS, "[mirror-pattern-y [wedge 9 3 2]]")
def mirror_pattern_y(s: Solid, *, add: Add) -> Union:
    """The solid together with its reflection in the plane y = 0."""
    return _both(add, s, Y)


@operation(PATTERNS, "[mirror-pattern-z [wedge 9 3 2]]")
def mirror_pattern_z(s: Solid, *, add: Add) -> Union:
    """The solid together with its reflection in the plane z = 0."""
    return _both(add, s, Z)


@operation(PATTERNS, "[quad-pattern [translate 10 8 0 [cylinder 3 5]]]")
def quad_pattern(s: Solid, *, add: Add) -> Union:
    """The solid with its reflections in the planes x = 0 and y = 0: one in each quadrant."""
    return _both(add, add(_both(add, s, X)), Y)


# ---------------------------------------------------------------- profiles: copies within their plane


class ProfileLinearPattern(LinearPattern):
    """Union of count copies of a profile along a direction."""

    GIVES: ClassVar[str] = "Sketch"


@operation(
    PATTERNS,
    "[linear-pattern 1 0 0 4 10 [circle 4]]",
    "[pull 3 [linear-pattern 1 0 0 4 10 [circle 4]]]",
    name="linear-pattern",
    variant="ProfileLinearPattern",
)
def profile_linear_pattern(
    dx: Real, dy: Real, dz: Real, count: Count, spacing: Mm, s: Sketch
) -> ProfileLinearPattern:
    """Copies of a profile stay in its plane."""
    return ProfileLinearPattern(s, (dx, dy, dz), count, spacing)


class ProfileCircularPattern(CircularPattern):
    """Union of count copies of a profile about an axis."""

    GIVES: ClassVar[str] = "Sketch"


@operation(
    PATTERNS,
    "[circular-pattern 0 0 0 0 0 1 6 360 [translate 12 0 0 [circle 4]]]",
    "[pull 3 [circular-pattern 0 0 0 0 0 1 6 360 [translate 12 0 0 [circle 4]]]]",
    name="circular-pattern",
    variant="ProfileCircularPattern",
)
def profile_circular_pattern(
    ox: Mm, oy: Mm, oz: Mm, ax: Real, ay: Real, az: Real, count: Count, angle: Degrees, s: Sketch
) -> ProfileCircularPattern:
    """Copies of a profile stay in its plane."""
    return ProfileCircularPattern(s, (ox, oy, oz), (ax, ay, az), count, angle)


def _both_profiles(add: Add, child: NodeId, normal: Vec3) -> ProfileUnion:
    """A profile and its reflection in a plane through the origin."""
    return ProfileUnion(child, add(ProfileMirror(child, ORIGIN, normal)))


@operation(
    PATTERNS,
    "[mirror-pattern 1 1 0 [rect 9 3]]",
    "[pull 3 [mirror-pattern 1 1 0 [rect 9 3]]]",
    name="mirror-pattern",
    variant="ProfileMirrorPattern",
)
def profile_mirror_pattern(nx: Real, ny: Real, nz: Real, s: Sketch, *, add: Add) -> ProfileUnion:
    """Copies of a profile stay in its plane."""
    return _both_profiles(add, s, (nx, ny, nz))


@operation(
    PATTERNS,
    "[mirror-pattern-x [polygon #[#[0 0] #[9 0] #[0 3]]]]",
    "[pull 3 [mirror-pattern-x [polygon #[#[0 0] #[9 0] #[0 3]]]]]",
    name="mirror-pattern-x",
    variant="ProfileMirrorPatternX",
)
def profile_mirror_pattern_x(s: Sketch, *, add: Add) -> ProfileUnion:
    """Copies of a profile stay in its plane."""
    return _both_profiles(add, s, X)


@operation(
    PATTERNS,
    "[mirror-pattern-y [polygon #[#[0 0] #[9 0] #[0 3]]]]",
    "[pull 3 [mirror-pattern-y [polygon #[#[0 0] #[9 0] #[0 3]]]]]",
    name="mirror-pattern-y",
    variant="ProfileMirrorPatternY",
)
def profile_mirror_pattern_y(s: Sketch, *, add: Add) -> ProfileUnion:
    """Copies of a profile stay in its plane."""
    return _both_profiles(add, s, Y)
