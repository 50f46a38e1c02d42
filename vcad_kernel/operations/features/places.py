"""Where on a face holes are: plain values inside the node that drills them, in the coordinates of the face.

Millimetres. What follows from a body (its outline, edges, other holes) is found when that is built.
"""

from typing import Annotated, ClassVar, TypeAlias

from vcad_kernel.operations.arguments import Count, Given, Kind, Mm
from vcad_kernel.operations.features.selections import Edges, Selector
from vcad_kernel.operations.node import Record, Vec2
from vcad_kernel.operations.numbers import (
    MAX_COPIES,
    finite_vector,
    invalid,
    not_negative,
    positive,
    within_reach,
)
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import HOLES

__all__ = ["AlongEdge", "CentersOf", "Corners", "Grid", "Places", "Points", "Ring", "Spots"]

_PLATE = "[drill :top {:d 4} "


class _Places(Record, tag_field="type"):
    GIVES: ClassVar[str] = "Places"

    @property
    def count(self) -> int:
        """How many holes there are; 1 where only the body can tell."""
        return 1

    def check(self) -> None:
        """Whether there is a place. Raises: ParameterFault."""


class Points(_Places, tag="Points"):
    """One after the other."""

    points: tuple[Vec2, ...]

    @property
    def count(self) -> int:
        """Each point's."""
        return len(self.points)

    def check(self) -> None:
        """One at least, none out of reach."""
        if not self.points:
            raise invalid("places", "must hold a point at least, as #[#[0 0]]")
        for point in self.points:
            finite_vector(("places", "places"), point)


class Grid(_Places, tag="Grid"):
    """Rows and columns about the origin, row by row from the lowest."""

    columns: int
    rows: int
    spacing: Vec2

    @property
    def count(self) -> int:
        """Columns times rows."""
        return self.columns * self.rows

    def check(self) -> None:
        """Places apart from each other, not too many."""
        for name, count, spacing, by in (
            ("nx", self.columns, self.spacing[0], "dx"),
            ("ny", self.rows, self.spacing[1], "dy"),
        ):
            if count < 1:
                raise invalid(name, f"must be a whole number from 1, got {count}")
            within_reach(by, spacing)
            if count > 1 and spacing == 0.0:
                raise invalid(by, "must not be 0: the holes would be in one place")
        if self.count > MAX_COPIES:
            raise invalid("nx", f"times ny must be at most {MAX_COPIES}, got {self.count}")


@operation(HOLES, "[grid 3 2 12 10]", "[pipe [cube 40 25 5] " + _PLATE + "[grid 3 2 12 10]]]")
def grid(nx: Count, ny: Count, dx: Mm, dy: Mm) -> Grid:
    """Places in nx columns and ny rows, dx and dy apart, about the middle of the face."""
    return Grid(nx, ny, (dx, dy))


class Ring(_Places, tag="Ring"):
    """Evenly on a circle about the origin, the first on x."""

    number: int
    radius: float

    @property
    def count(self) -> int:
        """Their number."""
        return self.number

    def check(self) -> None:
        """A radius, not too many."""
        if not 1 <= self.number <= MAX_COPIES:
            raise invalid("n", f"must be from 1 to {MAX_COPIES}, got {self.number}")
        positive("r", self.radius)


@operation(HOLES, "[ring 6 9]", "[pipe [cylinder 13 5] " + _PLATE + "[ring 6 9]]]")
def ring(n: Count, r: Mm) -> Ring:
    """n places evenly on a circle of radius r about the middle of the face. The first is on its x axis, the
    next one towards y."""
    return Ring(n, r)


class Corners(_Places, tag="Corners"):
    """The corners of the rectangle about the face's outer outline, moved inwards along both sides."""

    inset: float

    @property
    def count(self) -> int:
        """A rectangle's."""
        return 4

    def check(self) -> None:
        """None outside."""
        within_reach("inset", self.inset)
        not_negative("inset", self.inset)


@operation(HOLES, "[corners 6]", "[pipe [cube 40 25 5] " + _PLATE + "[corners 6]]]")
def corners(inset: Mm) -> Corners:
    """Four places: the corners of the rectangle about the face's outer outline, inset from both sides.
    They go round from the lowest x and y."""
    return Corners(inset)


class AlongEdge(_Places, tag="AlongEdge"):
    """Evenly along a straight edge of the face, beside it."""

    edge: Selector
    number: int
    inset: float

    @property
    def count(self) -> int:
        """Their number."""
        return self.number

    def check(self) -> None:
        """Beside the edge, not too many."""
        if not 1 <= self.number <= MAX_COPIES:
            raise invalid("n", f"must be from 1 to {MAX_COPIES}, got {self.number}")
        within_reach("inset", self.inset)
        not_negative("inset", self.inset)


@operation(
    HOLES,
    "[along-edge {:at {:y 0}} 3 5]",
    "[pipe [cube 40 25 5] " + _PLATE + "[along-edge {:at {:y 0}} 3 5]]]",
)
def along_edge(edge: Edges, n: Count, inset: Mm) -> AlongEdge:
    """n places along a straight edge of the face, inset from it into the face. The first and the last are
    as far from the edge's ends, the others evenly between; one alone is beside its middle. The selection
    takes one edge among those of the face."""
    return AlongEdge(edge, n, inset)


class CentersOf(_Places, tag="CentersOf"):
    """The centres of edges or faces of the body, seen along the normal."""

    which: Selector


AnySelection: TypeAlias = Annotated[Selector, Given(Kind.SELECTION)]
"""Of edges or of faces."""


@operation(
    HOLES,
    "[centers-of {:radius 1.5}]",
    "[let base [drill :top {:d 3} [ring 4 9] [cylinder 13 5]]]\n"
    "[drill :top {:d 5 :depth 2} [centers-of {:radius 1.5}] base]",
)
def centers_of(which: AnySelection) -> CentersOf:
    """The centres of what a selection of the body takes, seen along the face's normal. Of circles and arcs
    it is the centre, of other edges the middle, of faces the centroid. A word or a map is one of edges,
    unless only faces have its keys. Centres in one place count once."""
    return CentersOf(which)


Places: TypeAlias = Points | Grid | Ring | Corners | AlongEdge | CentersOf
Spots: TypeAlias = Annotated[Places, Given(Kind.PLACES, "mm")]
