"""Profiles made larger or smaller, or convex, and their corners rounded or cut off.

Lengths are millimetres.
"""

from typing import Annotated, ClassVar, TypeAlias

from vcad_kernel.operations.arguments import Choice, Given, Key, Mm, Sketch
from vcad_kernel.operations.features.selections import Edges, Selector
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.numbers import positive, within_reach
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import PROFILES, WHOLE_BODIES

__all__ = ["CutCorners", "OffsetProfile", "ProfileHull"]

Corners: TypeAlias = Annotated[str, Given(Choice("round", "sharp"))]


class _OfProfile(Node):
    """What is made of one profile."""

    GIVES: ClassVar[str] = "Sketch"

    sketch: Sketch

    def children(self) -> tuple[NodeId, ...]:
        """The profile."""
        return (self.sketch,)


class OffsetProfile(_OfProfile):
    """A profile with its border moved outwards, or inwards where the distance is negative."""

    FAILURE: ClassVar[str] = "OFFSET_FAILED"

    distance: Mm
    sharp: bool | None = None
    """Corners that move outwards stay corners, instead of becoming arcs."""

    def is_curved(self) -> bool:
        """With arcs about corners that move outwards."""
        return not self.sharp

    def check(self) -> None:
        """A distance."""
        within_reach("d", self.distance)


@operation(
    PROFILES,
    "[offset-2d 2 [rect 20 12]]",
    "[pull 3 [offset-2d 2 [rect 20 12]]]",
    name="offset-2d",
    variant="Offset2d",
    options=(Key("corners", Corners, "round", "what becomes of corners that move outwards"),),
)
def offset_2d(d: Mm, k: Sketch, *, corners: str) -> OffsetProfile:
    """The profile with its border moved outwards by d, inwards if d is negative; holes become smaller as it
    grows. What has no width any more is gone; where nothing would be left it is refused."""
    return OffsetProfile(k, d, (corners == "sharp") or None)


class CutCorners(_OfProfile):
    """A profile with corners rounded, or cut off."""

    FAILURE: ClassVar[str] = "FILLET_FAILED"

    size: Mm
    """Radius, or the distance along both sides."""
    bevel: bool | None = None
    """Cut off instead of rounded."""
    which: Selector | None = None
    """Of the upright edges of what grows out of the profile; None = all corners."""

    def is_curved(self) -> bool:
        """With arcs."""
        return not self.bevel

    def check(self) -> None:
        """A size."""
        positive("d" if self.bevel else "r", self.size)


@operation(
    PROFILES,
    "[fillet-2d 3 [rect 20 12]]",
    "[pull 3 [fillet-2d 3 [rect 20 12]]]",
    name="fillet-2d",
    variant="Fillet2d",
)
def fillet_2d(r: Mm, k: Sketch) -> CutCorners:
    """The profile with its corners rounded with radius r: all of them, or those that a selection takes."""
    return CutCorners(k, r)


@operation(
    PROFILES,
    "[fillet-2d 3 {:above {:x 0}} [rect 20 12]]",
    "[pull 3 [fillet-2d 3 {:above {:x 0}} [rect 20 12]]]",
    name="fillet-2d",
    variant="Fillet2dAt",
)
def fillet_2d_at(r: Mm, which: Edges, k: Sketch) -> CutCorners:
    """A corner is selected as the upright edge of what grows out of the profile."""
    return CutCorners(k, r, which=which)


@operation(
    PROFILES,
    "[chamfer-2d 3 [rect 20 12]]",
    "[pull 3 [chamfer-2d 3 [rect 20 12]]]",
    name="chamfer-2d",
    variant="Chamfer2d",
)
def chamfer_2d(d: Mm, k: Sketch) -> CutCorners:
    """The profile with its corners cut off at the distance d along both sides: all of them, or those that a
    selection takes."""
    return CutCorners(k, d, bevel=True)


@operation(
    PROFILES,
    "[chamfer-2d 3 {:above {:x 0}} [rect 20 12]]",
    "[pull 3 [chamfer-2d 3 {:above {:x 0}} [rect 20 12]]]",
    name="chamfer-2d",
    variant="Chamfer2dAt",
)
def chamfer_2d_at(d: Mm, which: Edges, k: Sketch) -> CutCorners:
    """A corner is selected as the upright edge of what grows out of the profile."""
    return CutCorners(k, d, bevel=True, which=which)


class ProfileHull(_OfProfile):
    """The smallest convex region around a profile."""


@operation(
    WHOLE_BODIES,
    "[hull [union [translate 20 0 0 [circle 3]] [circle 6]]]",
    "[pull 3 [hull [union [translate 20 0 0 [circle 3]] [circle 6]]]]",
    name="hull",
    variant="ProfileHull",
)
def profile_hull(s: Sketch) -> ProfileHull:
    """That of a profile has stretches of its curves, and the lines that touch them."""
    return ProfileHull(s)
