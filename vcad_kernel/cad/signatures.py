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
    """One line."""
    example: str
    subject_last: bool = False
    """Whether the last argument is what the function acts on, which the variant stores first."""

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


def _solid(name: str, variant: str, parameters: str, doc: str, example: str) -> Signature:
    read = _parameters(parameters)
    subject = bool(read) and read[-1].kind in (Kind.SOLID, Kind.SKETCH)
    return Signature(name, variant, read, "Solid", doc, example, subject)


SIGNATURES: tuple[Signature, ...] = (
    _solid("cube", "Cube", "x:mm y:mm z:mm", "Box with one corner at the origin.", "[cube 50 30 5]"),
    _solid(
        "cylinder",
        "Cylinder",
        "r:mm h:mm",
        "Cylinder along +Z, base disc at z = 0.",
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
    _solid("Empty", "Empty", "", "The empty solid.", "[fold Empty union parts]"),
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
        "The solid with the tool cut away.",
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
        "The solid turned about the world origin: about z first, then y, then x.",
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
        "Every sharp edge rounded by a rolling ball of radius r.",
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
        "The solid hollowed out, wall t inwards, no face opened.",
        "[shell 2 [cube 40 30 20]]",
    ),
    _solid(
        "linear-pattern",
        "LinearPattern",
        "dx dy dz count:count spacing:mm s:solid",
        "count copies, spacing apart along a direction (its length does not matter).",
        "[linear-pattern 1 0 0 4 20 [cylinder 3 9]]",
    ),
    _solid(
        "circular-pattern",
        "CircularPattern",
        "ox:mm oy:mm oz:mm ax ay az count:count angle:deg s:solid",
        "count copies about an axis, angle / count apart.",
        "[circular-pattern 0 0 0 0 0 1 6 360 [translate 20 0 0 [cylinder 3 5]]]",
    ),
    Signature(
        "line",
        "SLine",
        _parameters("x1:mm y1:mm x2:mm y2:mm"),
        "SketchSeg",
        "Straight segment of a sketch.",
        "[line 0 0 10 0]",
    ),
    Signature(
        "arc",
        "SArc",
        _parameters("x1:mm y1:mm x2:mm y2:mm cx:mm cy:mm ccw:bool"),
        "SketchSeg",
        "Circular segment of a sketch from point 1 to point 2 about (cx, cy).",
        "[arc 5 0 -5 0 0 0 true]",
    ),
    Signature(
        "sketch",
        "Sketch",
        _parameters("ox:mm oy:mm oz:mm xx xy xz yx yy yz segments:segments"),
        "Sketch",
        "Closed profile on the plane through o with axes x and y.",
        "[sketch 0 0 0 1 0 0 0 1 0 #[[line 0 0 6 0] [line 6 0 0 8] [line 0 8 0 0]]]",
    ),
    _solid(
        "extrude",
        "Extrude",
        "dx:mm dy:mm dz:mm k:sketch",
        "Prism of the profile along the full vector.",
        "[extrude 0 20 0 k]",
    ),
    _solid(
        "revolve",
        "Revolve",
        "aox:mm aoy:mm aoz:mm adx ady adz angle:deg k:sketch",
        "The profile turned about the axis through ao along ad.",
        "[revolve 0 0 0 0 0 1 360 k]",
    ),
    _solid(
        "sweep-line",
        "SweepLine",
        "sx:mm sy:mm sz:mm ex:mm ey:mm ez:mm k:sketch",
        "The profile carried along the segment from s to e.",
        "[sweep-line 0 0 0 0 0 25 k]",
    ),
    _solid(
        "sweep-helix",
        "SweepHelix",
        "radius:mm pitch:mm height:mm turns k:sketch",
        "The profile carried along a helix about +Z; height and turns rule.",
        "[sweep-helix 10 5 15 3 k]",
    ),
    _solid("loft", "Loft", "sketches:sketches", "Ruled solid through sketches.", "[loft #[bottom top]]"),
    _solid(
        "loft-closed",
        "LoftClosed",
        "sketches:sketches",
        "Ruled ring through three or more sketches, the last joined to the first.",
        "[loft-closed #[a b c]]",
    ),
    _solid(
        "ImportedMesh",
        "ImportedMesh",
        "positions:reals indices:indices normals:reals",
        "A closed triangle mesh as a solid; normals may be #[].",
        "[ImportedMesh positions indices #[]]",
    ),
    Signature(
        "root",
        "SceneEntry",
        (Parameter("s", Kind.SOLID), Parameter("material", Kind.TEXT)),
        "SceneEntry",
        "A part with the name of its material; the two may be swapped, for pipes.",
        '[root [cube 10 10 10] "steel"]',
    ),
    Signature(
        "material",
        "Material",
        _parameters("name:text r g b metallic roughness"),
        "Material",
        "What a material looks like; all numbers in 0..1.",
        '[material "brass" 0.8 0.6 0.2 1.0 0.3]',
    ),
)

FUNCTIONS: Mapping[str, Signature] = {signature.name: signature for signature in SIGNATURES}
"""By the name the user writes."""

VARIANTS: Mapping[str, Signature] = {signature.variant: signature for signature in SIGNATURES}
"""By the tag of the value."""
