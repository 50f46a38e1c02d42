"""The nodes without children that are solids by their numbers alone: the primitives, and the empty solid.

Lengths are millimetres.
"""

from __future__ import annotations

from dataclasses import dataclass

from vcad_kernel.ir.node import Node, fields
from vcad_kernel.ir.vectors import Vec3

__all__ = [
    "Cone",
    "Cube",
    "Cylinder",
    "Empty",
    "Gear",
    "Prism",
    "Sphere",
    "Text",
    "Torus",
    "Wedge",
]


def _with_hint(function: str, hint: int) -> frozenset[str]:
    return frozenset((function, f"{function}-n") if hint else (function,))


@dataclass(frozen=True, slots=True)
class Cube(Node):
    """Box with a corner at the origin."""

    KIND = "Cube"
    FIELDS = fields("size:vec3")
    FUNCTION = "cube"
    size: Vec3


@dataclass(frozen=True, slots=True)
class Cylinder(Node):
    """Cylinder about +Z, base disc at z = 0."""

    KIND = "Cylinder"
    FIELDS = fields("radius:number height:number segments:count")
    FUNCTION = "cylinder"
    radius: float
    height: float
    segments: int = 0
    """Fidelity hint; 0 = automatic."""

    @property
    def functions(self) -> frozenset[str]:
        """With a hint, the form that takes one too."""
        return _with_hint(self.FUNCTION, self.segments)


@dataclass(frozen=True, slots=True)
class Sphere(Node):
    """Ball centred at the origin."""

    KIND = "Sphere"
    FIELDS = fields("radius:number segments:count")
    FUNCTION = "sphere"
    radius: float
    segments: int = 0

    @property
    def functions(self) -> frozenset[str]:
        """With a hint, the form that takes one too."""
        return _with_hint(self.FUNCTION, self.segments)


@dataclass(frozen=True, slots=True)
class Cone(Node):
    """Frustum about +Z; one radius may be 0."""

    KIND = "Cone"
    FIELDS = fields("radius_bottom:number radius_top:number height:number segments:count")
    FUNCTION = "cone"
    radius_bottom: float
    radius_top: float
    height: float
    segments: int = 0

    @property
    def functions(self) -> frozenset[str]:
        """With a hint, the form that takes one too."""
        return _with_hint(self.FUNCTION, self.segments)


@dataclass(frozen=True, slots=True)
class Torus(Node):
    """Ring about +Z, centred at the origin."""

    KIND = "Torus"
    FIELDS = fields("major_radius:number minor_radius:number segments:count")
    FUNCTION = "torus"
    major_radius: float
    minor_radius: float
    segments: int = 0

    @property
    def functions(self) -> frozenset[str]:
        """With a hint, the form that takes one too."""
        return _with_hint(self.FUNCTION, self.segments)


@dataclass(frozen=True, slots=True)
class Wedge(Node):
    """Right-triangular prism in the box of ``size``: full height at x = 0, an edge at x = size.x."""

    KIND = "Wedge"
    FIELDS = fields("size:vec3")
    FUNCTION = "wedge"
    size: Vec3


@dataclass(frozen=True, slots=True)
class Prism(Node):
    """Regular prism about +Z from z = 0; ``radius`` is that of the corners, one of which lies on +X."""

    KIND = "Prism"
    FIELDS = fields("sides:count radius:number height:number")
    FUNCTION = "prism"
    sides: int
    radius: float
    height: float

    @property
    def functions(self) -> frozenset[str]:
        """``prism`` by both its names; of six sides also ``hex-prism``."""
        return frozenset(("prism", "polygon-prism", *(("hex-prism",) if self.sides == 6 else ())))


@dataclass(frozen=True, slots=True)
class Gear(Node):
    """Involute spur gear about +Z from z = 0, 20° pressure angle; ``internal``: the bore of a ring gear."""

    KIND = "Gear"
    FIELDS = fields("module:number teeth:count width:number backlash:number internal:flag flank:count")
    FUNCTION = "gear"
    module: float
    teeth: int
    width: float
    backlash: float = 0.0
    """Thinning of each tooth along the pitch circle, millimetres."""
    internal: bool = False
    flank: int = 0
    """Fidelity hint: points per flank in a mesh; 0 = automatic."""

    @property
    def function(self) -> str:
        """``gear`` or ``ring-gear``."""
        return "ring-gear" if self.internal else "gear"

    @property
    def functions(self) -> frozenset[str]:
        """The form without, and that with, what this one has of backlash and hint."""
        form = self.function
        if self.backlash:
            form += "-backlash"
        return frozenset((self.function, form, *_with_hint(form, self.flank)))


@dataclass(frozen=True, slots=True)
class Text(Node):
    """Letters standing on the X axis from the origin, extruded from z = 0."""

    KIND = "Text"
    FIELDS = fields("text:text size:number height:number")
    FUNCTION = "text"
    text: str
    size: float
    """Height of a capital letter, millimetres."""
    height: float


@dataclass(frozen=True, slots=True)
class Empty(Node):
    """The empty solid."""

    KIND = "Empty"
    FUNCTION = "Empty"
