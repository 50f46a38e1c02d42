"""Which edges or faces of a solid a feature works on, as data (cad.md §2.8, modelling.md §4).

A selector holds criteria, never ids: it is applied to the solid each time that is built. All given
criteria must hold; ``largest`` and ``smallest``, then ``nth``, choose among what is left, and ``chain`` adds
to it. How criteria are measured on a B-rep is the exact kernel's business.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Literal, NamedTuple, NewType, TypeAlias

from vcad_kernel.operations.arguments import Given, Kind, Solid, joined
from vcad_kernel.operations.node import Record, Vec3
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import SELECTIONS

__all__ = [
    "AXES",
    "CRITERIA",
    "EDGE_KINDS",
    "FACE_KINDS",
    "SIDES",
    "WORDS",
    "Coordinates",
    "Criterion",
    "Edges",
    "Faces",
    "Ordinal",
    "Range",
    "Selector",
    "Takes",
    "Target",
    "keywords_of",
]

Target: TypeAlias = Literal["edge", "face"]
Coordinates: TypeAlias = tuple[tuple[Literal["x", "y", "z"], float], ...]
"""World coordinates by axis, in the order x, y, z; not all three need be there."""
Range: TypeAlias = tuple[float, float]
"""Lowest and highest."""
Ordinal = NewType("Ordinal", int)
"""A place in an order: 0 is the first, -1 the last."""

EDGE_KINDS = ("line", "circle", "other")
FACE_KINDS = ("plane", "cylinder", "cone", "sphere", "torus", "other")

AXES: Final[Mapping[str, Vec3]] = MappingProxyType(
    {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
)
"""Directions that have a name."""
SIDES: Final[Mapping[str, Vec3]] = MappingProxyType(
    {
        "top": (0.0, 0.0, 1.0),
        "bottom": (0.0, 0.0, -1.0),
        "left": (-1.0, 0.0, 0.0),
        "right": (1.0, 0.0, 0.0),
        "front": (0.0, -1.0, 0.0),
        "back": (0.0, 1.0, 0.0),
    }
)
"""The sides of a body, and which way its faces look there."""
WORDS: Final[Mapping[Target, tuple[str, ...]]] = MappingProxyType(
    {"edge": ("all", *SIDES, "inside", "outside"), "face": ("all", *SIDES)}
)
"""What may stand for a map: without criteria, with a side alone, or with one that is only true or false."""
_ORDERS: Final[Mapping[Target, tuple[str, ...]]] = MappingProxyType(
    {"edge": ("x", "y", "z", "length", "radius"), "face": ("x", "y", "z", "area", "radius")}
)


class Selector(Record):
    """Criteria for edges or faces; None = any. Lengths mm, areas mm²."""

    GIVES: ClassVar[str] = "Selection"

    target: Target
    parallel: Vec3 | None = None
    """Edges: straight and along this direction, either way. Faces: planar and along it."""
    at: Coordinates | None = None
    """The middle lies there, within 1e-6 mm. Middle: of an edge the point at half its length (of a closed
    circle its centre); of a face its centroid."""
    above: Coordinates | None = None
    """The middle is beyond these coordinates by more than 1e-6 mm."""
    below: Coordinates | None = None
    length: Range | None = None
    """Edges: length, both ends of the range included within 1e-6."""
    radius: Range | None = None
    """Radius of a circle, cylinder, sphere, or minor radius of a torus."""
    convex: bool | None = None
    """Edges: material on the inside of the corner (True), or a concave corner (False)."""
    kind: str | None = None
    """One of EDGE_KINDS or FACE_KINDS."""
    normal: Vec3 | None = None
    """Faces: planar, with this outward normal."""
    largest: int | None = None
    """The so many longest edges or largest faces; ties all stay."""
    smallest: int | None = None
    made_by: str | None = None
    """Made by a call of this function (``cylinder``) or by the form of this name."""
    adjacent: "Selector | None" = None
    """Edges: of a face that this selects. Faces: next to a face that this selects."""
    side: str | None = None
    """One of SIDES. Faces: planar, looking that way, and the furthest out of those that do. Edges: of such a
    face."""
    inside: bool | None = None
    """Edges: on an inner outline of a plane face, where the corner is not concave: the rim of a hole."""
    outside: bool | None = None
    """Edges: of plane faces, and on the outer outline of each of them."""
    new: bool | None = None
    """Edges: no part lies on an edge of what the outermost operation works on; transforms are no such
    operation."""
    between: tuple["Selector", ...] | None = None
    """Edges: between a face that the first of two selects and one that the second does."""
    any_of: tuple["Selector", ...] | None = None
    """Taken by one of these at least."""
    all_of: tuple["Selector", ...] | None = None
    """Taken by each of these."""
    none_of: "Selector | None" = None
    """Not taken by this."""
    nth: Ordinal | None = None
    """Of what is left, in the order of ``sort_by``; what is within 1e-6 is in the body's order."""
    sort_by: str | None = None
    """A coordinate of the middle, length or area, or the radius; what has none is left out."""
    chain: bool | None = None
    """With all that runs on smoothly: edges from end to end, faces across edges that are not sharp."""

    @property
    def within(self) -> tuple["Selector", ...]:
        """The selectors that stand in it."""
        single = [selector for selector in (self.adjacent, self.none_of) if selector is not None]
        return (*single, *(self.between or ()), *(self.any_of or ()), *(self.all_of or ()))


Takes: TypeAlias = Literal[
    "direction",
    "coordinates",
    "range",
    "flag",
    "kind",
    "side",
    "order",
    "count",
    "ordinal",
    "text",
    "faces",
    "two faces",
    "alike",
    "several alike",
]
"""What stands under a key: a plain value, or selections: of faces, or of what is selected itself."""


_WRITTEN: Final[Mapping[Takes, str]] = MappingProxyType(
    {
        "direction": "a direction, as :z or #[1 1 0]",
        "coordinates": "a map of coordinates, as {:z 5}",
        "range": "a number, or (lowest highest)",
        "flag": "true or false",
        "count": "a whole number from 1",
        "ordinal": "a whole number",
        "text": "a text",
        "faces": "a selection of faces",
        "two faces": "two selections of faces, as (:top :front)",
        "alike": "a selection",
        "several alike": "selections, as (:top {:radius 3})",
    }
)
"""What stands under a key, in words, where that is no list of keywords."""


class Criterion(NamedTuple):
    """A key of a map that is a selection."""

    name: str
    """As users write it, without the colon."""
    takes: Takes
    says: str
    """What it says of an edge or a face, for people."""
    targets: tuple[Target, ...] = ("edge", "face")
    """What may be selected by it."""
    field: str = ""
    """Of the selector, where that has another name for it."""

    def text(self, target: Target) -> str:
        """What is to be written, and what that says: ``true or false; …``."""
        written = _WRITTEN.get(self.takes)
        if written is None:
            written = joined([f":{word}" for word in keywords_of(self.takes, target)])
        return f"{written}; {self.says}"

    @property
    def member(self) -> str:
        """The selector's field."""
        return self.field or self.name.replace("-", "_")


_EDGE: Final[tuple[Target, ...]] = ("edge",)
_FACE: Final[tuple[Target, ...]] = ("face",)

CRITERIA: Final = (
    Criterion("parallel", "direction", "straight or plane, and along it"),
    Criterion("normal", "direction", "plane, and looking that way out of the body", _FACE),
    Criterion("side", "side", "the plane faces furthest out there (left is -x, front -y), or their edges"),
    Criterion("kind", "kind", "what it is; an arc is a circle, too"),
    Criterion(
        "at",
        "coordinates",
        "its middle lies there, within 1e-6 mm: half-way along an edge, the centre of a closed circle, the "
        "centroid of a face",
    ),
    Criterion("above", "coordinates", "its middle lies beyond"),
    Criterion("below", "coordinates", "its middle lies before"),
    Criterion("length", "range", "in mm", _EDGE),
    Criterion("radius", "range", "of a circle, a cylinder, a sphere or the tube of a torus, mm"),
    Criterion("convex", "flag", "an outer corner, or one that a fillet fills", _EDGE),
    Criterion(
        "inside",
        "flag",
        "the rim of a hole: on an inner outline of a plane face, and not the foot of what stands there",
        _EDGE,
    ),
    Criterion(
        "outside", "flag", "of plane faces, and on the outer outline of each plane face that it is of", _EDGE
    ),
    Criterion(
        "new",
        "flag",
        "no part of it lies on an edge of what the last operation was given as its last argument; moving, "
        "turning, scaling and mirroring are no operation",
        _EDGE,
    ),
    Criterion("between", "two faces", "where a face of one meets a face of the other", _EDGE),
    Criterion("adjacent", "faces", "an edge of such a face, or a face next to one"),
    Criterion(
        "made-by", "text", "a face that a call of this function or the form of this name made, or its edges"
    ),
    Criterion("or", "several alike", "taken by one of them", field="any_of"),
    Criterion("all-of", "several alike", "taken by each of them"),
    Criterion("not", "alike", "not taken by it", field="none_of"),
    Criterion("largest", "count", "so many, the longest or largest of those that are left; ties all stay"),
    Criterion("smallest", "count", "so many, the shortest or smallest of those that are left; ties all stay"),
    Criterion(
        "nth", "ordinal", "one of those that are left, as :sort-by orders them: 0 is the first, -1 the last"
    ),
    Criterion("sort-by", "order", "of the middle, or a size, from low to high"),
    Criterion("chain", "flag", "with all that runs on smoothly from what is taken"),
)
"""All keys, in the order in which they are listed for users."""


def keywords_of(takes: Takes, target: Target) -> tuple[str, ...]:
    """The names of the keywords that may stand under a key; of several selections, in their tuple."""
    match takes:
        case "kind":
            return EDGE_KINDS if target == "edge" else FACE_KINDS
        case "side":
            return tuple(SIDES)
        case "order":
            return _ORDERS[target]
        case "direction":
            return tuple(AXES)
        case "faces" | "two faces" | "alike" | "several alike":
            return WORDS["face" if takes.endswith("faces") else target]
    return ()


Edges: TypeAlias = Annotated[Selector, Given(Kind.EDGES)]
Faces: TypeAlias = Annotated[Selector, Given(Kind.FACES)]


@operation(
    SELECTIONS,
    "[edges {:new true} box]",
    "[let box [difference [translate 10 7 -1 [cylinder 4 20]] [cube 20 15 6]]]\n"
    "[let rims [edges {:new true} box]]\n"
    "[chamfer-at 1 rims box]",
)
def edges(which: Edges, s: Solid) -> Selector:
    """Edges of a solid, as a value that stands for its criteria. It may be given wherever a selection
    may."""
    del s
    return which


@operation(
    SELECTIONS,
    "[faces {:or (:top :front)} box]",
    "[let box [cube 20 15 10]]\n[let open [faces {:or (:top :front)} box]]\n[shell-open 2 open box]",
)
def faces(which: Faces, s: Solid) -> Selector:
    """Faces of a solid, as a value that stands for its criteria. It may be given wherever a selection
    may."""
    del s
    return which
