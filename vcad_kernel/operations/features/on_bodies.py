"""A profile on the face of a body: raised to a boss, sunk to a pocket, cut through.

By a number they are what they are made of, prisms and booleans; up to a face of the body they are nodes of
their own, since only the body knows how far that is. Lengths are millimetres.
"""

from typing import Annotated, ClassVar, Literal, TypeAlias

from vcad_kernel.operations.arguments import Choice, Given, Mm, Sketch, Solid
from vcad_kernel.operations.bodies.booleans import Difference, Union
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.node import Add, Node, NodeId
from vcad_kernel.operations.numbers import positive
from vcad_kernel.operations.planes import Face, On, face_node
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import PROFILES
from vcad_kernel.operations.solids.growing import Pull

__all__ = ["BossTo", "CutThrough", "OnBody", "PocketTo"]

End: TypeAlias = Annotated[Literal["next", "last"], Given(Choice("next", "last"))]
"""The next face that is met, or the last one."""

_RENAMED = {"which": "face"}
"""What selects is called so by the records of features."""
_BOX = "[let box [cube 30 20 8]]\n"


class OnBody(Node):
    """A body, and a profile that stands where it begins to grow; the plane's normal points away from it."""

    child: Solid
    sketch: Sketch

    def children(self) -> tuple[NodeId, ...]:
        """The body, then the profile."""
        return (self.child, self.sketch)


class BossTo(OnBody):
    """A body with what lies free above a profile filled: up to the next face, or as far as the last one."""

    FUNCTION: ClassVar[str] = "boss-on"

    end: str
    """One of ``End``, as in the next."""


class PocketTo(OnBody):
    """A body without what of it lies below a profile: its first wall, or all of them."""

    FUNCTION: ClassVar[str] = "pocket-on"

    end: str


class CutThrough(OnBody):
    """A body without all that lies below a profile."""

    FUNCTION: ClassVar[str] = "cut-through"

    both: bool | None = None
    """Above it, too."""


@operation(
    PROFILES,
    "[boss-on :top 5 [circle 4] box]",
    _BOX + "[boss-on :top 5 [circle 4] box]",
    renamed=_RENAMED,
)
def boss_on(face: Face, h: Mm, k: Sketch, s: Solid, *, add: Add) -> Union:
    """The solid with the profile raised on a face, h high. The face is a selection of one plane face, or a
    plane; the profile lies on it about the middle of the face, or about the plane's origin."""
    positive("h", h)
    return Union(s, add(Pull(_on(face, k, s, add), h)))


@operation(
    PROFILES,
    "[boss-on {:at {:y 3}} :next [circle 2] box]",
    "[let box [difference [translate 0 3 4 [cube 20 14 12]] [cube 20 20 12]]]\n"
    "[boss-on {:at {:y 3}} :next [circle 2] box]",
    name="boss-on",
    variant="BossTo",
    renamed=_RENAMED,
)
def boss_to(face: Face, h: End, k: Sketch, s: Solid, *, add: Add) -> BossTo:
    """With :next in place of a height it grows until it meets the body all over, with :last through all gaps
    up to the last face that it meets."""
    return BossTo(s, _on(face, k, s, add), h)


@operation(
    PROFILES,
    "[pocket-on :top 3 [rect 16 8] box]",
    _BOX + "[pocket-on :top 3 [rect 16 8] box]",
    renamed=_RENAMED,
)
def pocket_on(face: Face, depth: Mm, k: Sketch, s: Solid, *, add: Add) -> Difference:
    """The solid with the profile sunk into a face, so deep. The face is a selection of one plane face, or a
    plane, below which it goes."""
    positive("depth", depth)
    return Difference(s, add(Pull(_on(face, k, s, add), -depth)))


@operation(
    PROFILES,
    "[pocket-on :top :next [circle 4] box]",
    "[let box [difference [translate -1 2 2 [cube 32 16 8]] [cube 30 20 12]]]\n"
    "[pocket-on :top :next [circle 4] box]",
    name="pocket-on",
    variant="PocketTo",
    renamed=_RENAMED,
)
def pocket_to(face: Face, depth: End, k: Sketch, s: Solid, *, add: Add) -> PocketTo:
    """With :next in place of a depth it goes through the first wall, with :last through all of them."""
    return PocketTo(s, _on(face, k, s, add), depth)


@operation(
    PROFILES,
    "[cut-through :top [circle 4] box]",
    _BOX + "[cut-through :top [circle 4] box]",
    renamed=_RENAMED,
)
def cut_through(face: Face, k: Sketch, s: Solid, *, add: Add) -> CutThrough:
    """The solid with the profile cut out of all that lies below a face, however thick it is. A plane in
    place of the face cuts both ways: [cut-through :xz [circle 2] shaft]."""
    return CutThrough(s, _on(face, k, s, add), None if isinstance(face, Selector) else True)


def _on(face: NodeId | str | Selector, sketch: NodeId, solid: NodeId, add: Add) -> NodeId:
    return add(On(face_node(face, solid, add), sketch))
