"""A profile laid around a cylinder or a cone: raised on it, or sunk into it. Lengths are millimetres."""

from typing import ClassVar

from vcad_kernel.operations.arguments import Mm, Sketch, Solid
from vcad_kernel.operations.bodies.bodies import Feature
from vcad_kernel.operations.features.selections import Faces, Selector
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.numbers import invalid, within_reach
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import PROFILES

__all__ = ["WrapOn"]


class WrapOn(Feature):
    """A body with a profile raised on one of its round faces, or sunk into it where the height is below 0."""

    FAILURE: ClassVar[str] = "WRAP_FAILED"
    CURVED: ClassVar[bool] = True

    sketch: Sketch
    face: Selector
    height: Mm

    def children(self) -> tuple[NodeId, ...]:
        """The body, then the profile."""
        return (self.child, self.sketch)

    def check(self) -> None:
        """A height."""
        within_reach("h", self.height)
        if self.height == 0.0:
            raise invalid("h", "must not be 0: the profile would have no thickness")


@operation(
    PROFILES,
    '[wrap-on {:kind :cylinder} 1 [text 8 {:align :center :valign :center} "M24"] [cylinder 12 20]]',
    renamed={"which": "face"},
)
def wrap_on(face: Faces, h: Mm, k: Sketch, s: Solid) -> WrapOn:
    """The solid with a profile laid around a cylinder or a cone, h high; with h below 0 it is sunk in. Its x
    runs around the face, to the right as one sees it from outside, and its y along the axis, upwards. Its
    origin lies half way up the face: in front (-y) where the axis is upright, else on top."""
    return WrapOn(s, k, face, h)
