"""The nodes that make a solid of other solids: booleans, moves, features, patterns.

Lengths are millimetres, angles degrees.
"""

from __future__ import annotations

from dataclasses import dataclass

from vcad_kernel.ir.node import Node, NodeId, fields
from vcad_kernel.ir.selector import Selector
from vcad_kernel.ir.vectors import Vec3

__all__ = [
    "Chamfer",
    "ChamferAt",
    "CircularPattern",
    "Difference",
    "Draft",
    "Fillet",
    "FilletAt",
    "Hull",
    "Intersection",
    "LinearPattern",
    "Mirror",
    "Offset",
    "Rotate",
    "Scale",
    "Section",
    "Shell",
    "ShellOpen",
    "Translate",
    "Union",
]


@dataclass(frozen=True, slots=True)
class _Boolean(Node):
    """What the three booleans share."""

    FIELDS = fields("left:child right:child")
    left: NodeId
    right: NodeId

    def children(self) -> tuple[NodeId, ...]:
        """Left, then right."""
        return (self.left, self.right)


@dataclass(frozen=True, slots=True)
class Union(_Boolean):
    """left ∪ right."""

    KIND = "Union"
    FUNCTION = "union"


@dataclass(frozen=True, slots=True)
class Difference(_Boolean):
    """left − right."""

    KIND = "Difference"
    FUNCTION = "difference"


@dataclass(frozen=True, slots=True)
class Intersection(_Boolean):
    """left ∩ right."""

    KIND = "Intersection"
    FUNCTION = "intersection"


@dataclass(frozen=True, slots=True)
class _OneChild(Node):
    """What every operation on one solid shares."""

    child: NodeId

    def children(self) -> tuple[NodeId, ...]:
        """The one operand."""
        return (self.child,)


@dataclass(frozen=True, slots=True)
class Translate(_OneChild):
    """Move by offset."""

    KIND = "Translate"
    FIELDS = fields("child:child offset:vec3")
    FUNCTION = "translate"
    offset: Vec3


@dataclass(frozen=True, slots=True)
class Rotate(_OneChild):
    """p ↦ Rx·Ry·Rz·p, degrees, about the world origin."""

    KIND = "Rotate"
    FIELDS = fields("child:child angles:vec3")
    FUNCTION = "rotate"
    angles: Vec3


@dataclass(frozen=True, slots=True)
class Scale(_OneChild):
    """Componentwise about the world origin; negative factors mirror."""

    KIND = "Scale"
    FIELDS = fields("child:child factor:vec3")
    FUNCTION = "scale"
    factor: Vec3


@dataclass(frozen=True, slots=True)
class Mirror(_OneChild):
    """Reflected in the plane through ``origin`` with normal ``normal``, whose length does not matter."""

    KIND = "Mirror"
    FIELDS = fields("child:child origin:vec3 normal:vec3")
    FUNCTION = "mirror"
    origin: Vec3
    normal: Vec3


@dataclass(frozen=True, slots=True)
class Hull(_OneChild):
    """The convex hull."""

    KIND = "Hull"
    FIELDS = fields("child:child")
    FUNCTION = "hull"


@dataclass(frozen=True, slots=True)
class Offset(_OneChild):
    """Grown (distance > 0, convex edges rounded) or shrunk (distance < 0, sharp joins) along its normals."""

    KIND = "Offset"
    FIELDS = fields("child:child distance:number")
    FUNCTION = "offset"
    distance: float


@dataclass(frozen=True, slots=True)
class Section(_OneChild):
    """What lies behind a plane: the side to which ``normal`` points is cut away."""

    KIND = "Section"
    FIELDS = fields("child:child origin:vec3 normal:vec3")
    FUNCTION = "section"
    origin: Vec3
    normal: Vec3


@dataclass(frozen=True, slots=True)
class Draft(_OneChild):
    """Selected faces tilted about the line in which they meet the neutral plane.

    ``normal`` is the pull direction; a positive angle makes the body thinner along it.
    """

    KIND = "Draft"
    FIELDS = fields("child:child origin:vec3 normal:vec3 angle_deg:number faces:selector")
    FUNCTION = "draft"
    origin: Vec3
    normal: Vec3
    angle_deg: float
    faces: Selector


@dataclass(frozen=True, slots=True)
class FilletAt(_OneChild):
    """Selected edges rounded; from ``radius`` to ``radius_end`` along each where that is given."""

    KIND = "FilletAt"
    FIELDS = fields("child:child radius:number edges:selector radius_end?:number")
    FUNCTION = "fillet-at"
    radius: float
    edges: Selector
    radius_end: float | None = None
    """At the end that is later in x, then y, then z."""

    @property
    def function(self) -> str:
        """``fillet-at`` or ``fillet-vary``."""
        return "fillet-at" if self.radius_end is None else "fillet-vary"


@dataclass(frozen=True, slots=True)
class ChamferAt(_OneChild):
    """Selected edges bevelled."""

    KIND = "ChamferAt"
    FIELDS = fields("child:child distance:number edges:selector")
    FUNCTION = "chamfer-at"
    distance: float
    edges: Selector


@dataclass(frozen=True, slots=True)
class ShellOpen(_OneChild):
    """Hollowed inwards with the selected faces open."""

    KIND = "ShellOpen"
    FIELDS = fields("child:child thickness:number faces:selector")
    FUNCTION = "shell-open"
    thickness: float
    faces: Selector


@dataclass(frozen=True, slots=True)
class Fillet(_OneChild):
    """Every sharp edge rounded by a rolling ball."""

    KIND = "Fillet"
    FIELDS = fields("child:child radius:number")
    FUNCTION = "fillet"
    radius: float


@dataclass(frozen=True, slots=True)
class Chamfer(_OneChild):
    """Every sharp edge bevelled."""

    KIND = "Chamfer"
    FIELDS = fields("child:child distance:number")
    FUNCTION = "chamfer"
    distance: float


@dataclass(frozen=True, slots=True)
class Shell(_OneChild):
    """Hollowed inwards, no face opened."""

    KIND = "Shell"
    FIELDS = fields("child:child thickness:number")
    FUNCTION = "shell"
    thickness: float


@dataclass(frozen=True, slots=True)
class LinearPattern(_OneChild):
    """Union of count copies along a direction; the direction's length does not matter."""

    KIND = "LinearPattern"
    FIELDS = fields("child:child direction:vec3 count:count spacing:number")
    FUNCTION = "linear-pattern"
    direction: Vec3
    count: int
    spacing: float


@dataclass(frozen=True, slots=True)
class CircularPattern(_OneChild):
    """Union of count copies about an axis, step angle_deg / count."""

    KIND = "CircularPattern"
    FIELDS = fields("child:child axis_origin:vec3 axis_dir:vec3 count:count angle_deg:number")
    FUNCTION = "circular-pattern"
    axis_origin: Vec3
    axis_dir: Vec3
    count: int
    angle_deg: float
