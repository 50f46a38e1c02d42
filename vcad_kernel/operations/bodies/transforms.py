"""Solids and profiles moved, turned, stretched and reflected."""

import math
from collections.abc import Sequence
from typing import Annotated, ClassVar, TypeAlias

from vcad_kernel.operations.arguments import (
    Degrees,
    Given,
    Key,
    Keys,
    Mm,
    Numbers,
    Real,
    Sketch,
    Solid,
    keyed,
)
from vcad_kernel.operations.bodies.bodies import OneSolid
from vcad_kernel.operations.node import Add, Vec3
from vcad_kernel.operations.numbers import XYZ, direction, finite, finite_vector, invalid, not_flat
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import TRANSFORMS

__all__ = [
    "ORIGIN",
    "Mirror",
    "ProfileMirror",
    "ProfileRotate",
    "ProfileScale",
    "ProfileTranslate",
    "Rotate",
    "Scale",
    "Translate",
    "X",
    "Y",
    "Z",
    "turn_of",
]

ORIGIN: Vec3 = (0.0, 0.0, 0.0)
X: Vec3 = (1.0, 0.0, 0.0)
Y: Vec3 = (0.0, 1.0, 0.0)
Z: Vec3 = (0.0, 0.0, 1.0)


class Translate(OneSolid):
    """Move by offset."""

    offset: Vec3

    def check(self) -> None:
        """Within reach."""
        finite_vector(XYZ, self.offset)


@operation(TRANSFORMS, "[translate 10 0 5 [cube 4 4 4]]")
def translate(x: Mm, y: Mm, z: Mm, s: Solid) -> Translate:
    """The solid moved."""
    return Translate(s, (x, y, z))


class Rotate(OneSolid):
    """p ↦ Rx·Ry·Rz·p, degrees, about the world origin."""

    angles: Vec3

    def check(self) -> None:
        """Any angles."""
        for name, value in zip(XYZ, self.angles, strict=True):
            finite(name, value)


@operation(TRANSFORMS, "[rotate 0 0 90 [cube 1 2 3]]")
def rotate(x: Degrees, y: Degrees, z: Degrees, s: Solid) -> Rotate:
    """The solid turned about the world origin: about z first, then y, then x; counter-clockwise seen
    from the tip of the axis."""
    return Rotate(s, (x, y, z))


class Scale(OneSolid):
    """Componentwise about the world origin; negative factors mirror."""

    factor: Vec3

    def check(self) -> None:
        """No factor of 0."""
        not_flat(XYZ, self.factor)


@operation(TRANSFORMS, "[scale 1 1 2 [sphere 5]]")
def scale(x: Real, y: Real, z: Real, s: Solid) -> Scale:
    """The solid stretched about the world origin; a negative factor mirrors."""
    return Scale(s, (x, y, z))


class Mirror(OneSolid):
    """Reflected in the plane through ``origin`` with normal ``normal``, whose length does not matter."""

    origin: Vec3
    normal: Vec3

    def check(self) -> None:
        """A plane."""
        finite_vector(("ox", "oy", "oz"), self.origin)
        direction(("nx", "ny", "nz"), self.normal, "normal of the mirror plane")


@operation(TRANSFORMS, "[mirror 5 0 0 1 0 0 [wedge 4 3 2]]")
def mirror(ox: Mm, oy: Mm, oz: Mm, nx: Real, ny: Real, nz: Real, s: Solid) -> Mirror:
    """The solid reflected in the plane through o with normal n. The length of the normal does not matter."""
    return Mirror(s, (ox, oy, oz), (nx, ny, nz))


@operation(TRANSFORMS, "[mirror-x [wedge 4 3 2]]")
def mirror_x(s: Solid) -> Mirror:
    """The solid reflected in the plane x = 0."""
    return Mirror(s, ORIGIN, X)


@operation(TRANSFORMS, "[mirror-y [wedge 4 3 2]]")
def mirror_y(s: Solid) -> Mirror:
    """The solid reflected in the plane y = 0."""
    return Mirror(s, ORIGIN, Y)


@operation(TRANSFORMS, "[mirror-z [wedge 4 3 2]]")
def mirror_z(s: Solid) -> Mirror:
    """The solid reflected in the plane z = 0."""
    return Mirror(s, ORIGIN, Z)


_Matrix: TypeAlias = Annotated[tuple[float, ...], Given(Numbers(16))]
Transformation: TypeAlias = Annotated[
    Keys, keyed("where something stands", Key("matrix", _Matrix, doc="16 numbers, column by column, mm"))
]
"""As `[import :transform …]` gives it."""


@operation(
    TRANSFORMS,
    "[place-as {:matrix #[0 1 0 0  -1 0 0 0  0 0 1 0  20 10 0 1]} [cube 9 4 2]]",
)
def place_as(where: Transformation, s: Solid, *, add: Add) -> Translate:
    """The solid turned and moved to where something stands in SketchUp, by its import :transform. For an
    imported solid comes in its own axes and from its own origin; size and mirroring stay its own."""
    matrix: Sequence[float] = where["matrix"]
    for value in matrix:
        finite(":matrix", value)
    turn = turn_of(matrix)
    (r00, r10, _), (r01, r11, _), (r02, r12, r22) = turn
    level = math.hypot(r00, r01)
    if level > _UPRIGHT:
        angles = math.atan2(-r12, r22), math.atan2(r02, level), math.atan2(-r01, r00)
    else:  # x and z turn about one line: z does it all
        angles = 0.0, math.atan2(r02, level), math.atan2(r10, r11)
    x, y, z = (value / matrix[15] for value in matrix[12:15])
    turned = Rotate(s, (math.degrees(angles[0]), math.degrees(angles[1]), math.degrees(angles[2])))
    return Translate(add(turned) if any(turned.angles) else s, (x, y, z))


_UPRIGHT = 1e-12
"""How near to the world's Z an x axis is to count as it: rounding of unit vectors."""


def turn_of(matrix: Sequence[float]) -> tuple[Vec3, Vec3, Vec3]:
    """The rotation in a transformation, without scale, shear and mirroring: its columns, of length 1.

    matrix: 16 numbers, column by column. Its linear part is M = Q U with Q this rotation and U upper
    triangular; a mirroring is in the first row of U.
    Raises: ParameterFault for one that flattens everything.
    """
    columns: list[Vec3] = []
    for start in (0, 4, 8):
        a, b, c = (value / matrix[15] if matrix[15] else math.nan for value in matrix[start : start + 3])
        size = math.hypot(a, b, c)
        for _ in range(2):  # once more, for what rounding has left
            for x, y, z in columns:
                along = a * x + b * y + c * z
                a, b, c = a - along * x, b - along * y, c - along * z
        left = math.hypot(a, b, c)
        if not left > _FLAT * size:
            raise invalid(":matrix", "must keep solids solid: it flattens them")
        columns.append((a / left, b / left, c / left))
    (x0, x1, x2), (y0, y1, y2), z_dir = columns
    across = (x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0)
    mirrors = sum(a * b for a, b in zip(across, z_dir, strict=True)) < 0
    return ((-x0, -x1, -x2) if mirrors else columns[0]), columns[1], z_dir


_FLAT = 1e-12
"""Of a column's length, what must be left of it square to the others."""


# ---------------------------------------------------------------- profiles: the world's transforms, too


class ProfileTranslate(Translate):
    """Move a profile by offset."""

    GIVES: ClassVar[str] = "Sketch"


@operation(
    TRANSFORMS,
    "[translate 10 0 0 [rect 8 8]]",
    "[pull 3 [translate 10 0 0 [rect 8 8]]]",
    name="translate",
    variant="ProfileTranslate",
)
def profile_translate(x: Mm, y: Mm, z: Mm, s: Sketch) -> ProfileTranslate:
    """A profile is moved in the world, as solids are; what stays within its plane leaves the plane's axes
    where they are."""
    return ProfileTranslate(s, (x, y, z))


class ProfileRotate(Rotate):
    """Turn a profile about the world origin."""

    GIVES: ClassVar[str] = "Sketch"


@operation(
    TRANSFORMS,
    "[rotate 0 0 45 [rect 8 8]]",
    "[pull 3 [rotate 0 0 45 [rect 8 8]]]",
    name="rotate",
    variant="ProfileRotate",
)
def profile_rotate(x: Degrees, y: Degrees, z: Degrees, s: Sketch) -> ProfileRotate:
    return ProfileRotate(s, (x, y, z))


class ProfileScale(Scale):
    """Stretch a profile about the world origin."""

    GIVES: ClassVar[str] = "Sketch"


@operation(
    TRANSFORMS,
    "[scale 2 1 1 [circle 5]]",
    "[pull 3 [scale 2 1 1 [circle 5]]]",
    name="scale",
    variant="ProfileScale",
)
def profile_scale(x: Real, y: Real, z: Real, s: Sketch) -> ProfileScale:
    return ProfileScale(s, (x, y, z))


class ProfileMirror(Mirror):
    """Reflect a profile in a plane."""

    GIVES: ClassVar[str] = "Sketch"


@operation(
    TRANSFORMS,
    "[mirror 5 0 0 1 0 0 [polygon #[#[0 0] #[4 0] #[0 3]]]]",
    "[pull 3 [mirror 5 0 0 1 0 0 [polygon #[#[0 0] #[4 0] #[0 3]]]]]",
    name="mirror",
    variant="ProfileMirror",
)
def profile_mirror(ox: Mm, oy: Mm, oz: Mm, nx: Real, ny: Real, nz: Real, s: Sketch) -> ProfileMirror:
    return ProfileMirror(s, (ox, oy, oz), (nx, ny, nz))


@operation(
    TRANSFORMS,
    "[mirror-x [polygon #[#[1 0] #[4 0] #[1 3]]]]",
    "[pull 3 [mirror-x [polygon #[#[1 0] #[4 0] #[1 3]]]]]",
    name="mirror-x",
    variant="ProfileMirrorX",
)
def profile_mirror_x(s: Sketch) -> ProfileMirror:
    return ProfileMirror(s, ORIGIN, X)


@operation(
    TRANSFORMS,
    "[mirror-y [polygon #[#[1 1] #[4 1] #[1 3]]]]",
    "[pull 3 [mirror-y [polygon #[#[1 1] #[4 1] #[1 3]]]]]",
    name="mirror-y",
    variant="ProfileMirrorY",
)
def profile_mirror_y(s: Sketch) -> ProfileMirror:
    return ProfileMirror(s, ORIGIN, Y)


@operation(
    TRANSFORMS,
    "[mirror-z [on :xz [rect 4 3]]]",
    "[pull 3 [mirror-z [on :xz [rect 4 3]]]]",
    name="mirror-z",
    variant="ProfileMirrorZ",
)
def profile_mirror_z(s: Sketch) -> ProfileMirror:
    return ProfileMirror(s, ORIGIN, Z)
