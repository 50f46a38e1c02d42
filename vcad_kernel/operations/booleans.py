"""Solids put together, cut and intersected."""

from vcad_kernel.operations.arguments import Solid
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import BOOLEANS

__all__ = ["Difference", "Intersection", "Union"]


class _Boolean(Node):
    """What the three booleans share."""

    left: Solid
    right: Solid

    def children(self) -> tuple[NodeId, ...]:
        """Left, then right."""
        return (self.left, self.right)


class Union(_Boolean):
    """left ∪ right."""


@operation(BOOLEANS, "[pipe [cube 9 9 9] [union [sphere 6]]]")
def union(other: Solid, s: Solid) -> Union:
    """The solid together with another."""
    return Union(s, other)


class Difference(_Boolean):
    """left − right."""


@operation(BOOLEANS, "[pipe [cube 9 9 9] [difference [sphere 6]]]")
def difference(tool: Solid, s: Solid) -> Difference:
    """The solid with the tool cut away. The tool comes first, so that a pipe reads well."""
    return Difference(s, tool)


class Intersection(_Boolean):
    """left ∩ right."""


@operation(BOOLEANS, "[pipe [cube 9 9 9] [intersection [sphere 6]]]")
def intersection(other: Solid, s: Solid) -> Intersection:
    """What the solid shares with another."""
    return Intersection(s, other)
