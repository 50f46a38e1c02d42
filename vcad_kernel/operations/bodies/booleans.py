"""Solids put together, cut and intersected."""

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from vcad_kernel.operations.arguments import Sketch, Sketches, Solid, Solids
from vcad_kernel.operations.node import Add, Node, NodeId
from vcad_kernel.operations.numbers import invalid
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import BOOLEANS
from vcad_kernel.operations.solids.shapes import Empty

__all__ = [
    "Difference",
    "Intersection",
    "ProfileDifference",
    "ProfileIntersection",
    "ProfileUnion",
    "Union",
]


class _Boolean(Node):
    """What the three booleans share."""

    left: Solid
    right: Solid

    def children(self) -> tuple[NodeId, ...]:
        """Left, then right."""
        return (self.left, self.right)


_Kind = TypeVar("_Kind", bound=_Boolean)


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


class ProfileUnion(Union):
    """left ∪ right, of profiles in one plane."""

    GIVES: ClassVar[str] = "Sketch"


@operation(
    BOOLEANS,
    "[union [circle 6] [rect 20 8]]",
    "[pull 3 [union [circle 6] [rect 20 8]]]",
    name="union",
    variant="ProfileUnion",
)
def profile_union(other: Sketch, s: Sketch) -> ProfileUnion:
    """Profiles must lie in one plane, here as below."""
    return ProfileUnion(s, other)


class ProfileDifference(Difference):
    """left − right, of profiles in one plane."""

    GIVES: ClassVar[str] = "Sketch"


@operation(
    BOOLEANS,
    "[difference [circle 3] [rect 20 8]]",
    "[pull 3 [difference [circle 3] [rect 20 8]]]",
    name="difference",
    variant="ProfileDifference",
)
def profile_difference(tool: Sketch, s: Sketch) -> ProfileDifference:
    """What is cut out of a profile is a hole in it."""
    return ProfileDifference(s, tool)


class ProfileIntersection(Intersection):
    """left ∩ right, of profiles in one plane."""

    GIVES: ClassVar[str] = "Sketch"


@operation(
    BOOLEANS,
    "[intersection [circle 6] [rect 20 8]]",
    "[pull 3 [intersection [circle 6] [rect 20 8]]]",
    name="intersection",
    variant="ProfileIntersection",
)
def profile_intersection(other: Sketch, s: Sketch) -> ProfileIntersection:
    return ProfileIntersection(s, other)


@operation(BOOLEANS, "[union-all #[[cube 9 9 9] [sphere 6]]]")
def union_all(xs: Solids, *, add: Add) -> Union:
    """All solids, or all profiles, of a vector together. Of none it is the empty solid."""
    return _folded(Union, xs or (add(Empty()),), add)


@operation(BOOLEANS, "[difference-all #[[sphere 6] [cylinder 2 20]] [cube 9 9 9]]")
def difference_all(tools: Solids, s: Solid, *, add: Add) -> Difference:
    """The solid or profile with all tools of a vector cut away."""
    return Difference(s, _joined(Union, tools or (add(Empty()),), add))


@operation(BOOLEANS, "[intersection-all #[[cube 9 9 9] [sphere 10]]]")
def intersection_all(xs: Solids, *, add: Add) -> Intersection:
    """What all solids, or all profiles, of a vector share. The vector holds one at least."""
    if not xs:
        raise invalid("xs", "must hold a solid at least: nothing says what none have in common")
    return _folded(Intersection, xs, add)


@operation(
    BOOLEANS,
    "[union-all #[[circle 6] [rect 20 8]]]",
    "[pull 3 [union-all #[[circle 6] [rect 20 8]]]]",
    name="union-all",
    variant="ProfileUnionAll",
)
def profile_union_all(xs: Sketches, *, add: Add) -> ProfileUnion:
    return _folded(ProfileUnion, xs, add)


@operation(
    BOOLEANS,
    "[difference-all #[[circle 3] [rect 30 2]] [rect 20 8]]",
    "[pull 3 [difference-all #[[circle 3] [rect 30 2]] [rect 20 8]]]",
    name="difference-all",
    variant="ProfileDifferenceAll",
)
def profile_difference_all(tools: Sketches, s: Sketch, *, add: Add) -> ProfileDifference:
    # without tools, nothing of its own is cut from it: an empty profile would lie in another plane
    none = () if tools else (add(ProfileDifference(s, s)),)
    return ProfileDifference(s, _joined(ProfileUnion, tools or none, add))


@operation(
    BOOLEANS,
    "[intersection-all #[[circle 6] [rect 20 8]]]",
    "[pull 3 [intersection-all #[[circle 6] [rect 20 8]]]]",
    name="intersection-all",
    variant="ProfileIntersectionAll",
)
def profile_intersection_all(xs: Sketches, *, add: Add) -> ProfileIntersection:
    return _folded(ProfileIntersection, xs, add)


def _joined(kind: type[_Boolean], operands: Sequence[NodeId], add: Add) -> NodeId:
    """One boolean of several solids or profiles; a single one is itself."""
    return operands[0] if len(operands) == 1 else add(_folded(kind, operands, add))


def _folded(kind: type[_Kind], solids: Sequence[NodeId], add: Add) -> _Kind:
    """One boolean of several solids; of a single one with itself, which is that one."""
    left, *rest = solids
    for right in rest[:-1]:
        left = add(kind(left, right))
    return kind(left, rest[-1] if rest else left)
