"""What works on the edges and faces of a body: blends, shells, drafts."""

from typing import ClassVar

from vcad_kernel.operations.arguments import Degrees, Mm, Real, Solid
from vcad_kernel.operations.bodies.bodies import Feature
from vcad_kernel.operations.features.selections import Edges, Faces, Selector
from vcad_kernel.operations.node import Vec3
from vcad_kernel.operations.numbers import direction, finite, finite_vector, invalid, positive
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import FEATURES

__all__ = ["Chamfer", "ChamferAt", "Draft", "Fillet", "FilletAt", "Shell", "ShellOpen"]


class Fillet(Feature):
    """Every sharp edge rounded by a rolling ball."""

    FAILURE: ClassVar[str] = "FILLET_FAILED"
    CURVED: ClassVar[bool] = True

    radius: Mm

    def check(self) -> None:
        """A radius above 0."""
        positive("r", self.radius)


@operation(FEATURES, "[fillet 1 [cube 10 10 10]]")
def fillet(r: Mm, s: Solid) -> Fillet:
    """Every sharp edge rounded by a rolling ball of radius r. Inner edges are filled. A radius of
    half the thinnest wall makes a full round; a larger one cannot be built."""
    return Fillet(s, r)


class Chamfer(Feature):
    """Every sharp edge bevelled."""

    FAILURE: ClassVar[str] = "CHAMFER_FAILED"

    distance: Mm

    def check(self) -> None:
        """A setback above 0."""
        positive("d", self.distance)


@operation(FEATURES, "[chamfer 1 [cube 10 10 10]]")
def chamfer(d: Mm, s: Solid) -> Chamfer:
    """Every sharp edge bevelled, setback d on both faces."""
    return Chamfer(s, d)


class Shell(Feature):
    """Hollowed inwards, no face opened."""

    FAILURE: ClassVar[str] = "SHELL_FAILED"

    thickness: Mm

    def check(self) -> None:
        """A wall above 0."""
        positive("t", self.thickness)


@operation(FEATURES, "[shell 2 [cube 40 30 20]]")
def shell(t: Mm, s: Solid) -> Shell:
    """The solid hollowed out, wall t inwards, no face opened. For an open tray cut the hollow with
    difference."""
    return Shell(s, t)


class FilletAt(Feature):
    """Selected edges rounded; from ``radius`` to ``radius_end`` along each where that is given."""

    FAILURE: ClassVar[str] = "FILLET_FAILED"
    CURVED: ClassVar[bool] = True

    radius: Mm
    edges: Selector
    radius_end: Mm | None = None
    """At the end that is later in x, then y, then z."""

    @property
    def function(self) -> str:
        """``fillet-at`` or ``fillet-vary``."""
        return "fillet-at" if self.radius_end is None else "fillet-vary"

    def check(self) -> None:
        """Radii above 0."""
        if self.radius_end is None:
            positive("r", self.radius)
        else:
            positive("r1", self.radius)
            positive("r2", self.radius_end)


@operation(FEATURES, "[fillet-at 2 {:parallel :z} [cube 20 15 10]]")
def fillet_at(r: Mm, which: Edges, s: Solid) -> FilletAt:
    """The selected edges rounded by a rolling ball of radius r. Selecting none is an error."""
    return FilletAt(s, r, which)


@operation(FEATURES, "[fillet-vary 1 3 {:between (:top :front)} [cube 20 15 10]]", renamed={"r": "r1"})
def fillet_vary(r1: Mm, r2: Mm, which: Edges, s: Solid) -> FilletAt:
    """The selected edges rounded, the radius going from r1 to r2 along each. r2 is at the end that is
    further in x, then y, then z."""
    return FilletAt(s, r1, which, r2)


class ChamferAt(Feature):
    """Selected edges bevelled."""

    FAILURE: ClassVar[str] = "CHAMFER_FAILED"

    distance: Mm
    edges: Selector

    def check(self) -> None:
        """A setback above 0."""
        positive("d", self.distance)


@operation(FEATURES, "[chamfer-at 1.5 :top [cube 20 15 10]]")
def chamfer_at(d: Mm, which: Edges, s: Solid) -> ChamferAt:
    """The selected edges bevelled, setback d on both faces. Selecting none is an error."""
    return ChamferAt(s, d, which)


class ShellOpen(Feature):
    """Hollowed inwards with the selected faces open."""

    FAILURE: ClassVar[str] = "SHELL_FAILED"

    thickness: Mm
    faces: Selector

    def check(self) -> None:
        """A wall above 0."""
        positive("t", self.thickness)


@operation(FEATURES, "[shell-open 2 :top [cube 40 30 20]]")
def shell_open(t: Mm, which: Faces, s: Solid) -> ShellOpen:
    """The solid hollowed out, wall t inwards, with the selected faces open."""
    return ShellOpen(s, t, which)


class Draft(Feature):
    """Selected faces tilted about the line in which they meet the neutral plane.

    ``normal`` is the pull direction; a positive angle makes the body thinner along it.
    """

    FAILURE: ClassVar[str] = "DRAFT_FAILED"

    origin: Vec3
    normal: Vec3
    angle_deg: Degrees
    faces: Selector

    def check(self) -> None:
        """A plane, and an angle that tilts."""
        finite_vector(("ox", "oy", "oz"), self.origin)
        direction(("nx", "ny", "nz"), self.normal, "pull direction")
        finite("angle", self.angle_deg)
        if not -90.0 < self.angle_deg < 90.0 or self.angle_deg == 0.0:
            raise invalid("angle", f"must be between -90 and 90 degrees and not 0, got {self.angle_deg:g}")


@operation(FEATURES, "[draft 0 0 0 0 0 1 5 :right [cube 20 15 10]]")
def draft(
    ox: Mm, oy: Mm, oz: Mm, nx: Real, ny: Real, nz: Real, angle: Degrees, which: Faces, s: Solid
) -> Draft:
    """The selected faces tilted about where they meet the plane through o. Its normal n is the pull
    direction, along which a positive angle makes the body thinner."""
    return Draft(s, (ox, oy, oz), (nx, ny, nz), angle, which)
