"""Primitives: solids by their numbers alone. Lengths are millimetres."""

import math
from typing import ClassVar

from vcad_kernel.operations.arguments import Count, Fidelity, Mm
from vcad_kernel.operations.node import Node, Vec3
from vcad_kernel.operations.numbers import (
    MOST_SIDES,
    XYZ,
    between,
    invalid,
    not_negative,
    positive,
    within_reach,
)
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import OLDER, PRIMITIVES

__all__ = ["Cone", "Cube", "Cylinder", "Empty", "Prism", "Sphere", "Torus", "Wedge", "with_hint"]


def with_hint(function: str, hint: int) -> frozenset[str]:
    """The functions that give a node with such a fidelity hint (0 = none)."""
    return frozenset((function, f"{function}-n") if hint else (function,))


class _Box(Node):
    """What fills a box."""

    size: Vec3

    def check(self) -> None:
        """Sizes above 0."""
        for name, value in zip(XYZ, self.size, strict=True):
            positive(name, value)


class Cube(_Box):
    """Box with a corner at the origin."""


@operation(PRIMITIVES, "[cube 50 30 5]")
def cube(x: Mm, y: Mm, z: Mm) -> Cube:
    """Box with one corner at the origin. It is not centred."""
    return Cube((x, y, z))


class Cylinder(Node):
    """Cylinder about +Z, base disc at z = 0."""

    CURVED: ClassVar[bool] = True

    radius: Mm
    height: Mm
    segments: int = 0
    """Fidelity hint; 0 = automatic."""

    @property
    def functions(self) -> frozenset[str]:
        """With a hint, the form that takes one too."""
        return with_hint(self.FUNCTION, self.segments)

    def check(self) -> None:
        """Sizes above 0."""
        positive("r", self.radius)
        positive("h", self.height)


@operation(PRIMITIVES, "[cylinder 3 12]")
def cylinder(r: Mm, h: Mm) -> Cylinder:
    """Cylinder along +Z, base disc at z = 0. r is the radius, not the diameter."""
    return Cylinder(r, h)


class Sphere(Node):
    """Ball centred at the origin."""

    CURVED: ClassVar[bool] = True

    radius: Mm
    segments: int = 0

    @property
    def functions(self) -> frozenset[str]:
        """With a hint, the form that takes one too."""
        return with_hint(self.FUNCTION, self.segments)

    def check(self) -> None:
        """A radius above 0."""
        positive("r", self.radius)


@operation(PRIMITIVES, "[sphere 5]")
def sphere(r: Mm) -> Sphere:
    """Ball centred at the origin."""
    return Sphere(r)


class Cone(Node):
    """Frustum about +Z; one radius may be 0."""

    CURVED: ClassVar[bool] = True

    radius_bottom: Mm
    radius_top: Mm
    height: Mm
    segments: int = 0

    @property
    def functions(self) -> frozenset[str]:
        """With a hint, the form that takes one too."""
        return with_hint(self.FUNCTION, self.segments)

    def check(self) -> None:
        """At most one radius of 0."""
        for name, value in (("rb", self.radius_bottom), ("rt", self.radius_top)):
            within_reach(name, value)
            not_negative(name, value)
        if self.radius_bottom == 0.0 and self.radius_top == 0.0:
            raise invalid("rb", "and rt must not both be 0")
        positive("h", self.height)


@operation(PRIMITIVES, "[cone 6 2 9]")
def cone(rb: Mm, rt: Mm, h: Mm) -> Cone:
    """Frustum along +Z from radius rb at z = 0 to rt at z = h; one radius may be 0."""
    return Cone(rb, rt, h)


class Torus(Node):
    """Ring about +Z, centred at the origin."""

    CURVED: ClassVar[bool] = True

    major_radius: Mm
    minor_radius: Mm
    segments: int = 0

    @property
    def functions(self) -> frozenset[str]:
        """With a hint, the form that takes one too."""
        return with_hint(self.FUNCTION, self.segments)

    def check(self) -> None:
        """A tube that leaves a hole."""
        positive("major", self.major_radius)
        positive("minor", self.minor_radius)
        if self.minor_radius >= self.major_radius:
            raise invalid(
                "minor",
                f"must be less than major ({self.major_radius:g}), or the ring meets itself;"
                f" got {self.minor_radius:g}",
            )


@operation(PRIMITIVES, "[torus 10 3]")
def torus(major: Mm, minor: Mm) -> Torus:
    """Ring about the Z axis, centred at the origin. major reaches to the middle of the tube, minor is
    the radius of the tube."""
    return Torus(major, minor)


class Wedge(_Box):
    """Right-triangular prism in the box of ``size``: full height at x = 0, an edge at x = size.x."""


@operation(PRIMITIVES, "[wedge 30 20 10]")
def wedge(x: Mm, y: Mm, z: Mm) -> Wedge:
    """Ramp in the box from the origin to x y z. It is full height at x = 0 and ends in an edge at the
    other side."""
    return Wedge((x, y, z))


class Prism(Node):
    """Regular prism about +Z from z = 0; ``radius`` is that of the corners, one of which lies on +X."""

    sides: int
    radius: Mm
    height: Mm

    @property
    def functions(self) -> frozenset[str]:
        """``prism`` by both its names; of six sides also ``hex-prism``."""
        return frozenset(("prism", "polygon-prism", *(("hex-prism",) if self.sides == 6 else ())))

    def check(self) -> None:
        """Three sides or more."""
        between("n", self.sides, 3, MOST_SIDES)
        positive("r", self.radius)
        positive("h", self.height)


@operation(PRIMITIVES, "[prism 5 8 12]")
def prism(n: Count, r: Mm, h: Mm) -> Prism:
    """Regular prism of n sides along +Z, base at z = 0. r is the radius of the corners, one of which
    lies on +X."""
    return Prism(n, r, h)


@operation(OLDER, "[polygon-prism 8 6 10]", instead="prism")
def polygon_prism(n: Count, r: Mm, h: Mm) -> Prism:
    """Another name of prism. r is the radius of the corners."""
    return Prism(n, r, h)


@operation(PRIMITIVES, "[hex-prism 13 8]", renamed={"r": "af"})
def hex_prism(af: Mm, h: Mm) -> Prism:
    """Hexagonal prism along +Z, by its width across flats. A corner lies on +X."""
    # across flats is no field of a node: only here can be said what is wrong with it
    if not af > 0.0:
        raise invalid("af", f"must be greater than 0, got {af:g}")
    # it is twice the apothem, which is the corner radius times cos 30°
    return Prism(6, af / math.sqrt(3.0), h)


class Empty(Node):
    """The empty solid."""


@operation(
    PRIMITIVES,
    "[fold Empty union parts]",
    "[let parts #[[cube 9 9 9] [sphere 6]]]\n[fold Empty union parts]",
    name="Empty",
)
def empty() -> Empty:
    """The empty solid. What a fold of unions starts from."""
    return Empty()


# Round bodies with a hint for the number of sides


@operation(PRIMITIVES, "[cylinder-n 10 5 12]")
def cylinder_n(r: Mm, h: Mm, n: Fidelity) -> Cylinder:
    """Cylinder as of cylinder, drawn with n sides. The body itself stays round."""
    return Cylinder(r, h, n)


@operation(PRIMITIVES, "[sphere-n 8 16]")
def sphere_n(r: Mm, n: Fidelity) -> Sphere:
    """Ball as of sphere, drawn with n sides around. The body itself stays round."""
    return Sphere(r, n)


@operation(PRIMITIVES, "[cone-n 8 3 10 12]")
def cone_n(rb: Mm, rt: Mm, h: Mm, n: Fidelity) -> Cone:
    """Frustum as of cone, drawn with n sides. The body itself stays round."""
    return Cone(rb, rt, h, n)


@operation(PRIMITIVES, "[torus-n 10 3 16]")
def torus_n(major: Mm, minor: Mm, n: Fidelity) -> Torus:
    """Ring as of torus, drawn with n sides around. The body itself stays round."""
    return Torus(major, minor, n)
