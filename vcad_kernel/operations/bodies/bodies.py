"""What takes a solid whole: hull, offset, section."""

from typing import ClassVar

from vcad_kernel.operations.arguments import Mm, Real, Solid
from vcad_kernel.operations.node import Node, NodeId, Vec3
from vcad_kernel.operations.numbers import direction, finite_vector, invalid, within_reach
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import WHOLE_BODIES

__all__ = ["Feature", "Hull", "Offset", "OneSolid", "Section"]


# ---- what the nodes that make a solid of one other share -------------------------------------


class OneSolid(Node):
    """An operation on one solid."""

    child: Solid

    def children(self) -> tuple[NodeId, ...]:
        """The one operand."""
        return (self.child,)


class Feature(OneSolid):
    """An operation on the edges and faces of the merged body, which only the exact kernel builds."""


# ---- hull, offset, section -------------------------------------------------------------------


class Hull(OneSolid):
    """The convex hull."""

    FAILURE: ClassVar[str] = "HULL_FAILED"


@operation(WHOLE_BODIES, "[hull [union [translate 20 0 0 [sphere 3]] [cylinder 6 4]]]")
def hull(s: Solid) -> Hull:
    """The smallest convex solid or profile that holds this one."""
    return Hull(s)


class Offset(Feature):
    """Grown (distance > 0, convex edges rounded) or shrunk (distance < 0, sharp joins) along its normals."""

    FAILURE: ClassVar[str] = "OFFSET_FAILED"

    distance: Mm

    def is_curved(self) -> bool:
        """Grown, it has rounded edges."""
        return self.distance > 0.0

    def check(self) -> None:
        """Either way, but not 0."""
        within_reach("d", self.distance)
        if self.distance == 0.0:
            raise invalid("d", "must not be 0: it would change nothing")


@operation(WHOLE_BODIES, "[offset 2 [cube 10 8 6]]")
def offset(d: Mm, s: Solid) -> Offset:
    """The solid grown by d, with convex edges rounded. A negative d shrinks it, with sharp edges."""
    return Offset(s, d)


class Section(OneSolid):
    """What lies behind a plane: the side to which ``normal`` points is cut away."""

    origin: Vec3
    normal: Vec3

    def check(self) -> None:
        """A plane."""
        finite_vector(("ox", "oy", "oz"), self.origin)
        direction(("nx", "ny", "nz"), self.normal, "normal of the cutting plane")


@operation(WHOLE_BODIES, "[section 0 0 0 0 -1 0 [shell 2 [sphere 10]]]")
def section(ox: Mm, oy: Mm, oz: Mm, nx: Real, ny: Real, nz: Real, s: Solid) -> Section:
    """What is left behind a cut along the plane through o. The side that the normal n points to is gone."""
    return Section(s, (ox, oy, oz), (nx, ny, nz))
