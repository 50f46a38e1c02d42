"""A body and a plane: what lies on one side of it, the cut, and the shadow on it. Lengths are millimetres."""

from typing import Annotated, ClassVar, TypeAlias

from vcad_kernel.operations.arguments import Choice, Given, Solid
from vcad_kernel.operations.node import Add, Node, NodeId
from vcad_kernel.operations.planes import AnyPlane, plane_node
from vcad_kernel.operations.record import Composed, operation
from vcad_kernel.operations.sections import WHOLE_BODIES

__all__ = ["Halves", "Keep", "Project", "SectionProfile"]

Side: TypeAlias = Annotated[str, Given(Choice("above", "below"))]


class _AtPlane(Node):
    """A body and a plane."""

    child: Solid
    plane: NodeId

    def children(self) -> tuple[NodeId, ...]:
        """The body, then the plane."""
        return (self.child, self.plane)


class Keep(_AtPlane):
    """What of a body lies on one side of a plane."""

    side: str
    """``above``, to where the plane's normal points, or ``below``."""


@operation(WHOLE_BODIES, "[keep :above :xy [sphere 10]]")
def keep(side: Side, plane: AnyPlane, s: Solid, *, add: Add) -> Keep:
    """What lies on one side of a plane: :above is where its normal points, +z for :xy. The rest is gone."""
    return Keep(s, plane_node(plane, add), side)


class Halves(Composed):
    """Both sides of a body."""

    GIVES: ClassVar[str] = "Vec Solid"


@operation(
    WHOLE_BODIES,
    "[halves :yz [cylinder 8 12]]",
    "[let [right left] [halves :yz [cylinder 8 12]]]\n#[[translate 3 0 0 right] left]",
)
def halves(plane: AnyPlane, s: Solid) -> Halves:
    """Both parts into which a plane cuts the solid, as a vector: above it, then below it."""
    return Halves(f"#[[Keep {s} :above {plane}] [Keep {s} :below {plane}]]")


class SectionProfile(_AtPlane):
    """The profile of a body's cut with a plane."""

    GIVES: ClassVar[str] = "Sketch"


@operation(
    WHOLE_BODIES,
    "[section-profile :xz [cylinder 9 12]]",
    "[pull 2 [section-profile :xz [cylinder 9 12]]]",
)
def section_profile(plane: AnyPlane, s: Solid, *, add: Add) -> SectionProfile:
    """The cut of the solid with a plane, as a profile on that plane. Where the plane misses the solid, it is
    empty; where it runs along a face, it is the face."""
    return SectionProfile(s, plane_node(plane, add))


class Project(_AtPlane):
    """The shadow of a body on a plane, square to it."""

    GIVES: ClassVar[str] = "Sketch"


@operation(
    WHOLE_BODIES,
    "[project :xy [rotate 0 30 0 [cylinder 6 20]]]",
    "[pull 1 [project :xy [rotate 0 30 0 [cylinder 6 20]]]]",
)
def project(plane: AnyPlane, s: Solid, *, add: Add) -> Project:
    """The shadow of the solid on a plane, square to it, as a profile there: what lies above or below any part
    of the solid. Lines, circles and ellipses stay exact."""
    return Project(s, plane_node(plane, add))
