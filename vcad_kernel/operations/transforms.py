"""Solids and profiles moved, turned, stretched and reflected."""

from typing import ClassVar

from vcad_kernel.operations.arguments import Degrees, Mm, Real, Sketch, Solid
from vcad_kernel.operations.node import Vec3
from vcad_kernel.operations.numbers import XYZ, direction, finite, finite_vector, not_flat
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import TRANSFORMS
from vcad_kernel.operations.solids import OneSolid

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
