"""The kinds of node a document is made of (cad.md §6.3), as frozen values.

A node names its children by id and knows three things about itself as data: its ``KIND`` (the
``type`` of its JSON form), its ``FIELDS`` (what the codec and the digest walk) and the CAD
function a user writes to get it. It knows no document, no kernel and no Loon.

Lengths are millimetres; angles are degrees except ``twist_angle`` (radians, by the document format).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, NewType, TypeAlias

from vcad_kernel.ir.selector import Selector
from vcad_kernel.ir.vectors import Vec2, Vec3

__all__ = [
    "KINDS",
    "Arc",
    "Chamfer",
    "ChamferAt",
    "CircularPattern",
    "Cone",
    "Cube",
    "Cylinder",
    "CylinderPath",
    "Difference",
    "Draft",
    "Empty",
    "Extrude",
    "Field",
    "Fillet",
    "FilletAt",
    "Gear",
    "HelixPath",
    "Hull",
    "ImportedMesh",
    "Intersection",
    "Line",
    "LinePath",
    "LinearPattern",
    "Loft",
    "MeshFile",
    "Mirror",
    "Node",
    "NodeId",
    "Offset",
    "Path",
    "PolylinePath",
    "Prism",
    "Revolve",
    "Rotate",
    "Scale",
    "Section",
    "Segment",
    "Selector",
    "Shape",
    "Shell",
    "ShellOpen",
    "Sketch2D",
    "Sphere",
    "SplinePath",
    "StepFile",
    "Sweep",
    "Text",
    "Torus",
    "Translate",
    "Union",
    "Vec2",
    "Vec3",
    "Wedge",
]

NodeId = NewType("NodeId", int)


class Shape(Enum):
    """What one field of a node holds."""

    NUMBER = "number"
    COUNT = "count"
    VEC3 = "vec3"
    CHILD = "child"
    CHILDREN = "children"
    SEGMENTS = "segments"
    PATH = "path"
    NUMBERS = "numbers"
    INDICES = "indices"
    TEXT = "text"
    FLAG = "flag"
    SELECTOR = "selector"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a node kind: attribute (and JSON member) name, and what it holds."""

    name: str
    shape: Shape
    optional: bool = False
    """Absent from the JSON form, and ``None`` here, when unused."""


def _fields(text: str) -> tuple[Field, ...]:
    """``"child:child radius:number twist?:number"`` as fields; keeps the table below readable."""
    result = []
    for item in text.split():
        name, _, shape = item.partition(":")
        result.append(Field(name.rstrip("?"), Shape(shape), name.endswith("?")))
    return tuple(result)


@dataclass(frozen=True, slots=True)
class Line:
    """A straight sketch segment, sketch coordinates."""

    start: Vec2
    end: Vec2


@dataclass(frozen=True, slots=True)
class Arc:
    """A circular sketch segment from start to end about center; ``ccw`` as seen from the tip of x × y."""

    start: Vec2
    end: Vec2
    center: Vec2
    ccw: bool


Segment: TypeAlias = Line | Arc


@dataclass(frozen=True, slots=True)
class LinePath:
    """A straight sweep path."""

    start: Vec3
    end: Vec3


@dataclass(frozen=True, slots=True)
class HelixPath:
    """A helix about +Z from (radius, 0, 0); height and turns rule, pitch is informational."""

    radius: float
    pitch: float
    height: float
    turns: float


@dataclass(frozen=True, slots=True)
class CylinderPath:
    """A track about +Z at ``radius``: height over angle, straight between knots once unrolled."""

    radius: float
    knots: tuple[Vec2, ...]
    """(angle in degrees, height in mm), strictly monotonic in the angle; at least two."""
    step: float = 0.5
    """Fidelity hint: degrees per piece of a mesh."""


@dataclass(frozen=True, slots=True)
class PolylinePath:
    """Straight from point to point, corners rounded with the radius ``bend`` (0 = mitred)."""

    points: tuple[Vec3, ...]
    bend: float = 0.0


@dataclass(frozen=True, slots=True)
class SplinePath:
    """A smooth curve through points: the natural cubic spline over chord length."""

    points: tuple[Vec3, ...]


Path: TypeAlias = LinePath | HelixPath | CylinderPath | PolylinePath | SplinePath


@dataclass(frozen=True, slots=True)
class Node:
    """Base of all node kinds."""

    KIND: ClassVar[str] = ""
    FIELDS: ClassVar[tuple[Field, ...]] = ()
    FUNCTION: ClassVar[str] = ""

    @property
    def function(self) -> str:
        """The CAD function as the user writes it, for messages."""
        return self.FUNCTION

    def children(self) -> tuple[NodeId, ...]:
        """Ids this node refers to, in the order in which they are evaluated."""
        return ()

    def references(self) -> Iterator[tuple[str, NodeId]]:
        """Each child with the path of the member that names it: ``child``, ``sketches[2]`` …"""
        for field in self.FIELDS:
            if field.shape is Shape.CHILD:
                yield field.name, getattr(self, field.name)
            elif field.shape is Shape.CHILDREN:
                for index, child in enumerate(getattr(self, field.name)):
                    yield f"{field.name}[{index}]", child


@dataclass(frozen=True, slots=True)
class Cube(Node):
    """Box with a corner at the origin."""

    KIND = "Cube"
    FIELDS = _fields("size:vec3")
    FUNCTION = "cube"
    size: Vec3


@dataclass(frozen=True, slots=True)
class Cylinder(Node):
    """Cylinder about +Z, base disc at z = 0."""

    KIND = "Cylinder"
    FIELDS = _fields("radius:number height:number segments:count")
    FUNCTION = "cylinder"
    radius: float
    height: float
    segments: int = 0
    """Fidelity hint; 0 = automatic."""


@dataclass(frozen=True, slots=True)
class Sphere(Node):
    """Ball centred at the origin."""

    KIND = "Sphere"
    FIELDS = _fields("radius:number segments:count")
    FUNCTION = "sphere"
    radius: float
    segments: int = 0


@dataclass(frozen=True, slots=True)
class Cone(Node):
    """Frustum about +Z; one radius may be 0."""

    KIND = "Cone"
    FIELDS = _fields("radius_bottom:number radius_top:number height:number segments:count")
    FUNCTION = "cone"
    radius_bottom: float
    radius_top: float
    height: float
    segments: int = 0


@dataclass(frozen=True, slots=True)
class Torus(Node):
    """Ring about +Z, centred at the origin."""

    KIND = "Torus"
    FIELDS = _fields("major_radius:number minor_radius:number segments:count")
    FUNCTION = "torus"
    major_radius: float
    minor_radius: float
    segments: int = 0


@dataclass(frozen=True, slots=True)
class Wedge(Node):
    """Right-triangular prism in the box of ``size``: full height at x = 0, an edge at x = size.x."""

    KIND = "Wedge"
    FIELDS = _fields("size:vec3")
    FUNCTION = "wedge"
    size: Vec3


@dataclass(frozen=True, slots=True)
class Prism(Node):
    """Regular prism about +Z from z = 0; ``radius`` is that of the corners, one of which lies on +X."""

    KIND = "Prism"
    FIELDS = _fields("sides:count radius:number height:number")
    FUNCTION = "prism"
    sides: int
    radius: float
    height: float


@dataclass(frozen=True, slots=True)
class Gear(Node):
    """Involute spur gear about +Z from z = 0, 20° pressure angle; ``internal``: the bore of a ring gear."""

    KIND = "Gear"
    FIELDS = _fields("module:number teeth:count width:number backlash:number internal:flag flank:count")
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


@dataclass(frozen=True, slots=True)
class Text(Node):
    """Letters standing on the X axis from the origin, extruded from z = 0."""

    KIND = "Text"
    FIELDS = _fields("text:text size:number height:number")
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


@dataclass(frozen=True, slots=True)
class _Boolean(Node):
    """What the three booleans share."""

    FIELDS = _fields("left:child right:child")
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
    FIELDS = _fields("child:child offset:vec3")
    FUNCTION = "translate"
    offset: Vec3


@dataclass(frozen=True, slots=True)
class Rotate(_OneChild):
    """p ↦ Rx·Ry·Rz·p, degrees, about the world origin."""

    KIND = "Rotate"
    FIELDS = _fields("child:child angles:vec3")
    FUNCTION = "rotate"
    angles: Vec3


@dataclass(frozen=True, slots=True)
class Scale(_OneChild):
    """Componentwise about the world origin; negative factors mirror."""

    KIND = "Scale"
    FIELDS = _fields("child:child factor:vec3")
    FUNCTION = "scale"
    factor: Vec3


@dataclass(frozen=True, slots=True)
class Mirror(_OneChild):
    """Reflected in the plane through ``origin`` with normal ``normal``, whose length does not matter."""

    KIND = "Mirror"
    FIELDS = _fields("child:child origin:vec3 normal:vec3")
    FUNCTION = "mirror"
    origin: Vec3
    normal: Vec3


@dataclass(frozen=True, slots=True)
class Hull(_OneChild):
    """The convex hull."""

    KIND = "Hull"
    FIELDS = _fields("child:child")
    FUNCTION = "hull"


@dataclass(frozen=True, slots=True)
class Offset(_OneChild):
    """Grown (distance > 0, convex edges rounded) or shrunk (distance < 0, sharp joins) along its normals."""

    KIND = "Offset"
    FIELDS = _fields("child:child distance:number")
    FUNCTION = "offset"
    distance: float


@dataclass(frozen=True, slots=True)
class Section(_OneChild):
    """What lies behind a plane: the side to which ``normal`` points is cut away."""

    KIND = "Section"
    FIELDS = _fields("child:child origin:vec3 normal:vec3")
    FUNCTION = "section"
    origin: Vec3
    normal: Vec3


@dataclass(frozen=True, slots=True)
class Draft(_OneChild):
    """Selected faces tilted about the line in which they meet the neutral plane.

    ``normal`` is the pull direction; a positive angle makes the body thinner along it.
    """

    KIND = "Draft"
    FIELDS = _fields("child:child origin:vec3 normal:vec3 angle_deg:number faces:selector")
    FUNCTION = "draft"
    origin: Vec3
    normal: Vec3
    angle_deg: float
    faces: Selector


@dataclass(frozen=True, slots=True)
class FilletAt(_OneChild):
    """Selected edges rounded; from ``radius`` to ``radius_end`` along each where that is given."""

    KIND = "FilletAt"
    FIELDS = _fields("child:child radius:number edges:selector radius_end?:number")
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
    FIELDS = _fields("child:child distance:number edges:selector")
    FUNCTION = "chamfer-at"
    distance: float
    edges: Selector


@dataclass(frozen=True, slots=True)
class ShellOpen(_OneChild):
    """Hollowed inwards with the selected faces open."""

    KIND = "ShellOpen"
    FIELDS = _fields("child:child thickness:number faces:selector")
    FUNCTION = "shell-open"
    thickness: float
    faces: Selector


@dataclass(frozen=True, slots=True)
class Fillet(_OneChild):
    """Every sharp edge rounded by a rolling ball."""

    KIND = "Fillet"
    FIELDS = _fields("child:child radius:number")
    FUNCTION = "fillet"
    radius: float


@dataclass(frozen=True, slots=True)
class Chamfer(_OneChild):
    """Every sharp edge bevelled."""

    KIND = "Chamfer"
    FIELDS = _fields("child:child distance:number")
    FUNCTION = "chamfer"
    distance: float


@dataclass(frozen=True, slots=True)
class Shell(_OneChild):
    """Hollowed inwards, no face opened."""

    KIND = "Shell"
    FIELDS = _fields("child:child thickness:number")
    FUNCTION = "shell"
    thickness: float


@dataclass(frozen=True, slots=True)
class LinearPattern(_OneChild):
    """Union of count copies along a direction; the direction's length does not matter."""

    KIND = "LinearPattern"
    FIELDS = _fields("child:child direction:vec3 count:count spacing:number")
    FUNCTION = "linear-pattern"
    direction: Vec3
    count: int
    spacing: float


@dataclass(frozen=True, slots=True)
class CircularPattern(_OneChild):
    """Union of count copies about an axis, step angle_deg / count."""

    KIND = "CircularPattern"
    FIELDS = _fields("child:child axis_origin:vec3 axis_dir:vec3 count:count angle_deg:number")
    FUNCTION = "circular-pattern"
    axis_origin: Vec3
    axis_dir: Vec3
    count: int
    angle_deg: float


@dataclass(frozen=True, slots=True)
class Sketch2D(Node):
    """A closed profile on a plane; not a solid."""

    KIND = "Sketch2D"
    FIELDS = _fields("origin:vec3 x_dir:vec3 y_dir:vec3 segments:segments")
    FUNCTION = "sketch"
    origin: Vec3
    x_dir: Vec3
    y_dir: Vec3
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class _OneSketch(Node):
    """What every operation on one sketch shares."""

    sketch: NodeId

    def children(self) -> tuple[NodeId, ...]:
        """The profile."""
        return (self.sketch,)


@dataclass(frozen=True, slots=True)
class Extrude(_OneSketch):
    """Prism of a profile along the full vector."""

    KIND = "Extrude"
    FIELDS = _fields("sketch:child direction:vec3 twist_angle?:number scale_end?:number")
    FUNCTION = "extrude"
    direction: Vec3
    twist_angle: float | None = None
    scale_end: float | None = None


@dataclass(frozen=True, slots=True)
class Revolve(_OneSketch):
    """Profile turned about an axis, starting at the sketch plane."""

    KIND = "Revolve"
    FIELDS = _fields("sketch:child axis_origin:vec3 axis_dir:vec3 angle_deg:number")
    FUNCTION = "revolve"
    axis_origin: Vec3
    axis_dir: Vec3
    angle_deg: float


@dataclass(frozen=True, slots=True)
class Sweep(_OneSketch):
    """Profile carried along a path."""

    KIND = "Sweep"
    FIELDS = _fields(
        "sketch:child path:path twist_angle?:number scale_start?:number scale_end?:number"
        " orientation?:number path_segments?:count arc_segments?:count"
    )
    path: Path
    twist_angle: float | None = None
    scale_start: float | None = None
    scale_end: float | None = None
    orientation: float | None = None
    path_segments: int | None = None
    arc_segments: int | None = None

    @property
    def function(self) -> str:
        """``sweep-line``, ``sweep-helix`` or ``sweep``, by the path."""
        if isinstance(self.path, LinePath):
            return "sweep-line"
        return "sweep-helix" if isinstance(self.path, HelixPath) else "sweep"


@dataclass(frozen=True, slots=True)
class Loft(Node):
    """Ruled solid through sketches; ``closed`` joins the last to the first."""

    KIND = "Loft"
    FIELDS = _fields("sketches:children closed?:flag")
    sketches: tuple[NodeId, ...]
    closed: bool | None = None

    @property
    def function(self) -> str:
        """``loft`` or ``loft-closed``."""
        return "loft-closed" if self.closed else "loft"

    def children(self) -> tuple[NodeId, ...]:
        """The sections, in order."""
        return self.sketches


@dataclass(frozen=True, slots=True)
class ImportedMesh(Node):
    """A triangle mesh as a solid: flat triples, indices 0-based."""

    KIND = "ImportedMesh"
    FIELDS = _fields("positions:numbers indices:indices normals?:numbers source?:text")
    FUNCTION = "ImportedMesh"
    positions: tuple[float, ...]
    indices: tuple[int, ...]
    normals: tuple[float, ...] | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class MeshFile(Node):
    """A mesh file as a solid without B-rep, scaled about the origin.

    ``content`` is the hash of the file's bytes when the program ran: the digest stands for the content.
    """

    KIND = "MeshFile"
    FIELDS = _fields("path:text scale:vec3 content:text")
    FUNCTION = "import-mesh"
    path: str
    scale: Vec3
    content: str
    """Hexadecimal blake3."""


@dataclass(frozen=True, slots=True)
class StepFile(Node):
    """One body of a STEP file, by its position from 0."""

    KIND = "StepFile"
    FIELDS = _fields("path:text body:count content:text")
    FUNCTION = "import-step"
    path: str
    body: int
    content: str
    """Hexadecimal blake3."""


KINDS: dict[str, type[Node]] = {
    kind.KIND: kind
    for kind in (
        Cube,
        Cylinder,
        Sphere,
        Cone,
        Empty,
        Union,
        Difference,
        Intersection,
        Translate,
        Rotate,
        Scale,
        Sketch2D,
        Extrude,
        Revolve,
        Sweep,
        Loft,
        LinearPattern,
        CircularPattern,
        Shell,
        Fillet,
        Chamfer,
        ImportedMesh,
        Torus,
        Wedge,
        Prism,
        Gear,
        Text,
        Mirror,
        Hull,
        Offset,
        Section,
        Draft,
        FilletAt,
        ChamferAt,
        ShellOpen,
        MeshFile,
        StepFile,
    )
}
"""Every kind by its JSON ``type``."""
