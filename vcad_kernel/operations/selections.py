"""Which edges or faces of a solid a feature works on, as data (cad.md §2.8).

A selector holds criteria, never ids: it is applied to the solid each time that is built. All given
criteria must hold; ``largest`` and ``smallest`` then choose among what is left. How criteria are
measured on a B-rep is the exact kernel's business.
"""

from typing import Annotated, ClassVar, Literal, TypeAlias

from vcad_kernel.operations.arguments import Given, Kind, Solid
from vcad_kernel.operations.node import Record, Vec3
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import SELECTIONS

__all__ = [
    "EDGE_KINDS",
    "FACE_KINDS",
    "Coordinates",
    "Edges",
    "Faces",
    "Range",
    "Selector",
    "Target",
]

Target: TypeAlias = Literal["edge", "face"]
Coordinates: TypeAlias = tuple[tuple[Literal["x", "y", "z"], float], ...]
"""World coordinates by axis, in the order x, y, z; not all three need be there."""
Range: TypeAlias = tuple[float, float]
"""Lowest and highest."""

EDGE_KINDS = ("line", "circle", "other")
FACE_KINDS = ("plane", "cylinder", "cone", "sphere", "torus", "other")


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

    @property
    def kinds(self) -> tuple[str, ...]:
        """What ``kind`` may be."""
        return EDGE_KINDS if self.target == "edge" else FACE_KINDS


Edges: TypeAlias = Annotated[Selector, Given(Kind.EDGES)]
Faces: TypeAlias = Annotated[Selector, Given(Kind.FACES)]


@operation(
    SELECTIONS,
    "[edges {:parallel #[0 0 1]} box]",
    "[let box [cube 20 15 10]]\n[let upright [edges {:parallel #[0 0 1]} box]]\n[fillet-at 2 upright box]",
)
def edges(which: Edges, s: Solid) -> Selector:
    """Edges of a solid, as a value that stands for its criteria. It may be given wherever a map of
    criteria may."""
    del s
    return which


@operation(
    SELECTIONS,
    "[faces {:normal #[0 0 1]} box]",
    "[let box [cube 20 15 10]]\n[let top [faces {:normal #[0 0 1]} box]]\n[shell-open 2 top box]",
)
def faces(which: Faces, s: Solid) -> Selector:
    """Faces of a solid, as a value that stands for its criteria. It may be given wherever a map of
    criteria may."""
    del s
    return which
