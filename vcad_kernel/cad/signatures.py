"""Every function of the CAD library as data: for error messages, completion, hover and the reference.

The Loon text that defines the functions is ``library.oo``; a test holds the two together. The user
writes the subject last (``[translate 1 2 3 s]``), the variant stores it first (``Translate s 1 2 3``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

__all__ = ["FUNCTIONS", "SIGNATURES", "VARIANTS", "Kind", "Parameter", "Signature"]


class Kind(Enum):
    """What an argument may be; the value is how messages name it."""

    REAL = "a number"
    COUNT = "a whole number from 1"
    SOLID = "a solid"
    SKETCH = "a sketch"
    FLAG = "true or false"
    TEXT = "a text"
    SEGMENTS = "a vector of lines and arcs"
    SKETCHES = "a vector of sketches"
    REALS = "a vector of numbers"
    INDICES = "a vector of whole numbers from 0"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument."""

    name: str
    kind: Kind
    unit: str = ""
    """``mm``, ``deg`` or empty."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One library function or constant."""

    name: str
    """As the user writes it."""
    variant: str
    parameters: tuple[Parameter, ...]
    """In the order in which the user writes them."""
    gives: str
    """``Solid``, ``Sketch``, ``SketchSeg``, ``SceneEntry`` or ``Material``."""
    doc: str
    """Plain sentences; the first one stands alone."""
    example: str
    """A call, as short as messages need it; it may use names that ``program`` binds."""
    subject_last: bool = False
    """Whether the last argument is what the function acts on, which the variant stores first."""
    program: str = ""
    """A model that runs by itself and holds the example; empty where the example is one already."""
    swappable: bool = False
    """Whether the two arguments may come in either order."""

    @property
    def fields(self) -> tuple[Parameter, ...]:
        """The parameters in the order of the variant's fields."""
        if self.subject_last:
            return (self.parameters[-1], *self.parameters[:-1])
        return self.parameters

    @property
    def usage(self) -> str:
        """``[cube x y z]``; a constant is just its name."""
        if not self.parameters and self.name == self.variant:
            return self.name
        return f"[{' '.join((self.name, *(parameter.name for parameter in self.parameters)))}]"

    @property
    def type(self) -> str:
        """As the checker reads it; where the arguments may be swapped, both orders."""
        given = _arrows(self.parameters, self.gives)
        if self.swappable:
            return f"{given} | {_arrows(self.parameters[::-1], self.gives)}"
        return given

    @property
    def variant_type(self) -> str:
        """The type of the constructor."""
        return _arrows(self.fields, self.gives)


def _arrows(parameters: tuple[Parameter, ...], gives: str) -> str:
    return " -> ".join((*(_TYPES[parameter.kind] for parameter in parameters), gives))


_TYPES = {
    Kind.REAL: "Real",
    Kind.COUNT: "Count",
    Kind.SOLID: "Solid",
    Kind.SKETCH: "Sketch",
    Kind.FLAG: "Bool",
    Kind.TEXT: "String",
    Kind.SEGMENTS: "Vec SketchSeg",
    Kind.SKETCHES: "Vec Sketch",
    Kind.REALS: "Vec Real",
    Kind.INDICES: "Vec Count",
}
"""In the checker's notation: ``Real`` and ``Count`` take ints and floats alike."""


_KINDS = {
    "": Kind.REAL,
    "mm": Kind.REAL,
    "deg": Kind.REAL,
    "count": Kind.COUNT,
    "solid": Kind.SOLID,
    "sketch": Kind.SKETCH,
    "bool": Kind.FLAG,
    "text": Kind.TEXT,
    "segments": Kind.SEGMENTS,
    "sketches": Kind.SKETCHES,
    "reals": Kind.REALS,
    "indices": Kind.INDICES,
}


def _parameter(text: str) -> Parameter:
    name, _, kind = text.partition(":")
    return Parameter(name, _KINDS[kind], kind if kind in ("mm", "deg") else "")


def _parameters(text: str) -> tuple[Parameter, ...]:
    """``"x:mm count:count s:solid"``; nothing after the name is a plain number."""
    return tuple(_parameter(item) for item in text.split())


def _solid(name: str, variant: str, parameters: str, doc: str, example: str, program: str = "") -> Signature:
    read = _parameters(parameters)
    subject = bool(read) and read[-1].kind in (Kind.SOLID, Kind.SKETCH)
    return Signature(name, variant, read, "Solid", doc, example, subject, program)


_WEDGE = """[let k [sketch 0 0 0  1 0 0  0 0 1
  #[[line 2 0 6 0] [line 6 0 2 8] [line 2 8 2 0]]]]
"""
"""A triangle that stands on the XZ plane, beside the Z axis."""

_SECTION = """[let k [sketch 0 0 0  1 0 0  0 1 0
  #[[line -1 -1 1 -1] [line 1 -1 0 1] [line 0 1 -1 -1]]]]
"""
"""A triangle about the origin, which a sweep carries along its path."""

_SQUARES = """[fn square [z half]
  [let low [- 0 half]]
  [sketch 0 0 z  1 0 0  0 1 0
    #[[line low low half low] [line half low half half]
      [line half half low half] [line low half low low]]]]
[let bottom [square 0 6]]
[let top [square 9 3]]
"""

_LEAVES = """[fn leaf [turn]
  [sketch 0 0 0  [cos turn] [sin turn] 0  0 0 1
    #[[line 8 0 12 0] [line 12 0 12 3] [line 12 3 8 0]]]]
[let a [leaf 0]]
[let b [leaf 120]]
[let c [leaf 240]]
"""
"""Three triangles on planes through the Z axis."""


SIGNATURES: tuple[Signature, ...] = (
    _solid(
        "cube",
        "Cube",
        "x:mm y:mm z:mm",
        "Box with one corner at the origin. It is not centred.",
        "[cube 50 30 5]",
    ),
    _solid(
        "cylinder",
        "Cylinder",
        "r:mm h:mm",
        "Cylinder along +Z, base disc at z = 0. r is the radius, not the diameter.",
        "[cylinder 3 12]",
    ),
    _solid("sphere", "Sphere", "r:mm", "Ball centred at the origin.", "[sphere 5]"),
    _solid(
        "cone",
        "Cone",
        "rb:mm rt:mm h:mm",
        "Frustum along +Z from radius rb at z = 0 to rt at z = h; one radius may be 0.",
        "[cone 6 2 9]",
    ),
    _solid(
        "Empty",
        "Empty",
        "",
        "The empty solid. What a fold of unions starts from.",
        "[fold Empty union parts]",
        "[let parts #[[cube 9 9 9] [sphere 6]]]\n[fold Empty union parts]",
    ),
    _solid(
        "union",
        "Union",
        "other:solid s:solid",
        "The solid together with another.",
        "[pipe [cube 9 9 9] [union [sphere 6]]]",
    ),
    _solid(
        "difference",
        "Difference",
        "tool:solid s:solid",
        "The solid with the tool cut away. The tool comes first, so that a pipe reads well.",
        "[pipe [cube 9 9 9] [difference [sphere 6]]]",
    ),
    _solid(
        "intersection",
        "Intersection",
        "other:solid s:solid",
        "What the solid shares with another.",
        "[pipe [cube 9 9 9] [intersection [sphere 6]]]",
    ),
    _solid(
        "translate",
        "Translate",
        "x:mm y:mm z:mm s:solid",
        "The solid moved.",
        "[translate 10 0 5 [cube 4 4 4]]",
    ),
    _solid(
        "rotate",
        "Rotate",
        "x:deg y:deg z:deg s:solid",
        "The solid turned about the world origin: about z first, then y, then x; counter-clockwise seen "
        "from the tip of the axis.",
        "[rotate 0 0 90 [cube 1 2 3]]",
    ),
    _solid(
        "scale",
        "Scale",
        "x y z s:solid",
        "The solid stretched about the world origin; a negative factor mirrors.",
        "[scale 1 1 2 [sphere 5]]",
    ),
    _solid(
        "fillet",
        "Fillet",
        "r:mm s:solid",
        "Every sharp edge rounded by a rolling ball of radius r. Inner edges are filled. A radius of "
        "half the thinnest wall or more cannot be built.",
        "[fillet 1 [cube 10 10 10]]",
    ),
    _solid(
        "chamfer",
        "Chamfer",
        "d:mm s:solid",
        "Every sharp edge bevelled, setback d on both faces.",
        "[chamfer 1 [cube 10 10 10]]",
    ),
    _solid(
        "shell",
        "Shell",
        "t:mm s:solid",
        "The solid hollowed out, wall t inwards, no face opened. For an open tray cut the hollow with "
        "difference.",
        "[shell 2 [cube 40 30 20]]",
    ),
    _solid(
        "linear-pattern",
        "LinearPattern",
        "dx dy dz count:count spacing:mm s:solid",
        "count copies, spacing apart along a direction. The original counts; the length of the "
        "direction does not matter.",
        "[linear-pattern 1 0 0 4 20 [cylinder 3 9]]",
    ),
    _solid(
        "circular-pattern",
        "CircularPattern",
        "ox:mm oy:mm oz:mm ax ay az count:count angle:deg s:solid",
        "count copies about an axis through o along a, angle / count apart. The original counts: 4 "
        "copies over 90 degrees stand at 0, 22.5, 45 and 67.5.",
        "[circular-pattern 0 0 0 0 0 1 6 360 [translate 20 0 0 [cylinder 3 5]]]",
    ),
    Signature(
        "line",
        "SLine",
        _parameters("x1:mm y1:mm x2:mm y2:mm"),
        "SketchSeg",
        "Straight segment of a sketch, from point 1 to point 2.",
        "[line 0 0 10 0]",
        program="[extrude 0 0 4 [sketch 0 0 0  1 0 0  0 1 0\n"
        "  #[[line 0 0 10 0] [line 10 0 0 6] [line 0 6 0 0]]]]",
    ),
    Signature(
        "arc",
        "SArc",
        _parameters("x1:mm y1:mm x2:mm y2:mm cx:mm cy:mm ccw:bool"),
        "SketchSeg",
        "Circular segment of a sketch from point 1 to point 2 about (cx, cy); counter-clockwise if ccw "
        "is true. A full circle takes two.",
        "[arc 5 0 -5 0 0 0 true]",
        program="[extrude 0 0 4 [sketch 0 0 0  1 0 0  0 1 0\n  #[[arc 5 0 -5 0 0 0 true] [line -5 0 5 0]]]]",
    ),
    Signature(
        "sketch",
        "Sketch",
        _parameters("ox:mm oy:mm oz:mm xx xy xz yx yy yz segments:segments"),
        "Sketch",
        "Closed profile on the plane through o with axes x and y. The segments follow each other and "
        "end where they began; the axes are directions, their length does not matter.",
        "[sketch 0 0 0 1 0 0 0 1 0 #[[line 0 0 6 0] [line 6 0 0 8] [line 0 8 0 0]]]",
        program="[extrude 0 0 4\n"
        "  [sketch 0 0 0 1 0 0 0 1 0 #[[line 0 0 6 0] [line 6 0 0 8] [line 0 8 0 0]]]]",
    ),
    _solid(
        "extrude",
        "Extrude",
        "dx:mm dy:mm dz:mm k:sketch",
        "Prism of the profile along the full vector: direction and distance in one.",
        "[extrude 0 20 0 k]",
        _WEDGE + "[extrude 0 20 0 k]",
    ),
    _solid(
        "revolve",
        "Revolve",
        "aox:mm aoy:mm aoz:mm adx ady adz angle:deg k:sketch",
        "The profile turned about the axis through ao along ad. It lies on one side of the axis; angle "
        "is above 0, at most 360.",
        "[revolve 0 0 0 0 0 1 360 k]",
        _WEDGE + "[revolve 0 0 0 0 0 1 360 k]",
    ),
    _solid(
        "sweep-line",
        "SweepLine",
        "sx:mm sy:mm sz:mm ex:mm ey:mm ez:mm k:sketch",
        "The profile carried along the segment from s to e. It stands square to the path; the sketch's "
        "own plane does not matter.",
        "[sweep-line 0 0 0 0 0 25 k]",
        _SECTION + "[sweep-line 0 0 0 0 0 25 k]",
    ),
    _solid(
        "sweep-helix",
        "SweepHelix",
        "radius:mm pitch:mm height:mm turns k:sketch",
        "The profile carried along a helix about +Z. height and turns rule; pitch is there to be "
        "checked. The profile's x points to the axis.",
        "[sweep-helix 10 5 15 3 k]",
        _SECTION + "[sweep-helix 10 5 15 3 k]",
    ),
    _solid(
        "loft",
        "Loft",
        "sketches:sketches",
        "Ruled solid through sketches, all with the same number of segments.",
        "[loft #[bottom top]]",
        _SQUARES + "[loft #[bottom top]]",
    ),
    _solid(
        "loft-closed",
        "LoftClosed",
        "sketches:sketches",
        "Ruled ring through three or more sketches, the last joined to the first.",
        "[loft-closed #[a b c]]",
        _LEAVES + "[loft-closed #[a b c]]",
    ),
    _solid(
        "ImportedMesh",
        "ImportedMesh",
        "positions:reals indices:indices normals:reals",
        "A closed triangle mesh as a solid: x y z of each corner in turn, three indices from 0 per "
        "triangle; normals may be #[].",
        "[ImportedMesh positions indices #[]]",
        "[let positions #[0 0 0  9 0 0  0 9 0  0 0 9]]\n"
        "[let indices #[0 2 1  0 1 3  0 3 2  1 2 3]]\n"
        "[ImportedMesh positions indices #[]]",
    ),
    Signature(
        "root",
        "SceneEntry",
        (Parameter("s", Kind.SOLID), Parameter("material", Kind.TEXT)),
        "SceneEntry",
        "A part with the name of its material. The two may be swapped, for pipes.",
        '[root [cube 10 10 10] "steel"]',
        swappable=True,
    ),
    Signature(
        "material",
        "Material",
        _parameters("name:text r g b metallic roughness"),
        "Material",
        "What a material looks like; all numbers in 0..1.",
        '[material "brass" 0.8 0.6 0.2 1.0 0.3]',
        program='#[[material "brass" 0.8 0.6 0.2 1.0 0.3] [root [cylinder 6 9] "brass"]]',
    ),
)

FUNCTIONS: Mapping[str, Signature] = {signature.name: signature for signature in SIGNATURES}
"""By the name the user writes."""

VARIANTS: Mapping[str, Signature] = {signature.variant: signature for signature in SIGNATURES}
"""By the tag of the value."""
