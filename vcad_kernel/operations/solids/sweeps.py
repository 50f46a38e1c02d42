"""Solids that are swept from sketches.

Lengths are millimetres; angles are degrees except ``twist_angle`` (radians, by the document format).
"""

from typing import Annotated, ClassVar

from vcad_kernel.operations.arguments import Degrees, Given, Kind, Mm, Real, Sketch, Sketches
from vcad_kernel.operations.node import Node, NodeId, Vec3
from vcad_kernel.operations.numbers import ParameterFault, direction, finite, finite_vector, invalid, positive
from vcad_kernel.operations.profiles.paths import (
    TRIANGLE,
    CylinderPath,
    DrawnPath,
    HelixPath,
    LinePath,
    Path,
    PolylinePath,
    Track,
    is_bent,
)
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import OLDER, SWEEPS

__all__ = ["Extrude", "Loft", "Revolve", "Sweep", "SweepOn"]

_FULL_TURN = 360.0 + 1e-9

_WEDGE = """[let k [on :xz [polygon #[#[2 0] #[6 0] #[2 8]]]]]
"""
"""A triangle that stands on the XZ plane, beside the Z axis."""

_SQUARES = """[let bottom [rect 12 12]]
[let top [translate 0 0 9 [rect 6 6]]]
"""

_LEAVES = """[let a [on :xz [polygon #[#[8 0] #[12 0] #[12 3]]]]]
[let b [rotate 0 0 120 a]]
[let c [rotate 0 0 240 a]]
"""
"""Three triangles on planes through the Z axis."""


class _OneSketch(Node):
    """What every operation on one sketch shares."""

    sketch: Sketch

    def children(self) -> tuple[NodeId, ...]:
        """The profile."""
        return (self.sketch,)


class Extrude(_OneSketch):
    """Prism of a profile along the full vector."""

    direction: Vec3
    twist_angle: float | None = None
    scale_end: float | None = None

    def is_curved(self) -> bool:
        """With a twist."""
        return bool(self.twist_angle)

    def check(self) -> None:
        """A vector with a length, a finite twist, a positive scale."""
        direction(("dx", "dy", "dz"), self.direction, "direction")
        finite("twist_angle", self.twist_angle or 0.0)
        positive("scale_end", 1.0 if self.scale_end is None else self.scale_end)


@operation(OLDER, "[extrude 0 20 0 k]", _WEDGE + "[extrude 0 20 0 k]", instead="pull")
def extrude(dx: Mm, dy: Mm, dz: Mm, k: Sketch) -> Extrude:
    """Prism of the profile along the full vector: direction and distance in one."""
    return Extrude(k, (dx, dy, dz))


class Revolve(_OneSketch):
    """Profile turned about an axis, starting at the sketch plane."""

    CURVED: ClassVar[bool] = True

    axis_origin: Vec3
    axis_dir: Vec3
    angle_deg: Degrees

    def check(self) -> None:
        """An axis, and an angle of at most a full turn."""
        finite_vector(("aox", "aoy", "aoz"), self.axis_origin)
        direction(("adx", "ady", "adz"), self.axis_dir, "axis")
        finite("angle", self.angle_deg)
        if not 0.0 < self.angle_deg <= _FULL_TURN:
            hint = "; reverse the axis to turn the other way" if self.angle_deg < 0.0 else ""
            raise invalid(
                "angle", f"must be greater than 0 and at most 360 degrees, got {self.angle_deg:g}{hint}"
            )


@operation(OLDER, "[revolve 0 0 0 0 0 1 360 k]", _WEDGE + "[revolve 0 0 0 0 0 1 360 k]", instead="spin")
def revolve(aox: Mm, aoy: Mm, aoz: Mm, adx: Real, ady: Real, adz: Real, angle: Degrees, k: Sketch) -> Revolve:
    """The profile turned about the axis through ao along ad. It lies on one side of the axis; angle
    is above 0, at most 360."""
    return Revolve(k, (aox, aoy, aoz), (adx, ady, adz), angle)


class Sweep(_OneSketch):
    """Profile carried along a path."""

    FAILURE: ClassVar[str] = "SWEEP_FAILED"

    path: Path
    twist_angle: float | None = None
    scale_start: float | None = None
    scale_end: float | None = None
    orientation: float | None = None
    path_segments: int | None = None
    arc_segments: int | None = None

    @property
    def function(self) -> str:
        """``sweep-line``, ``sweep-helix`` or ``sweep``, by the path."""
        if isinstance(self.path, LinePath):
            return "sweep-line"
        return "sweep-helix" if isinstance(self.path, HelixPath) else "sweep"

    @property
    def functions(self) -> frozenset[str]:
        """``sweep`` goes along any path."""
        return frozenset((self.function, "sweep"))

    def is_curved(self) -> bool:
        """With a twist, or along what is not straight."""
        return bool(self.twist_angle) or is_bent(self.path)

    def check(self) -> None:
        """The path, and the modifiers that go with its kind."""
        for name, number in (("twist_angle", self.twist_angle), ("orientation", self.orientation)):
            finite(name, number or 0.0)
        for name, scale in (("scale_start", self.scale_start), ("scale_end", self.scale_end)):
            positive(name, 1.0 if scale is None else scale)
        if isinstance(self.path, DrawnPath):
            self.path.check_swept()
        if isinstance(self.path, CylinderPath | PolylinePath | DrawnPath):
            for name, modifier, still in (
                ("twist_angle", self.twist_angle, 0.0),
                ("orientation", self.orientation, 0.0),
                ("scale_start", self.scale_start, 1.0),
                ("scale_end", self.scale_end, 1.0),
            ):
                if modifier is not None and modifier != still:
                    raise invalid(name, "does not go with a path of this kind")
        self.path.check()


class SweepOn(_OneSketch):
    """Profile carried along a path that stands on a face."""

    FAILURE: ClassVar[str] = "SWEEP_FAILED"
    FUNCTION: ClassVar[str] = "sweep"

    path: Annotated[NodeId, Given(Kind.PATH)]

    def children(self) -> tuple[NodeId, ...]:
        """The profile, then the path."""
        return (self.sketch, self.path)


@operation(SWEEPS, "[sweep [helix 12 0.05 0 720] k]", TRIANGLE + "[sweep [helix 12 0.05 0 720] k]")
def sweep(path: Track, k: Sketch) -> Sweep | SweepOn:
    """The profile carried along a path. The sketch's own plane does not matter: on a path about the Z
    axis its x points outwards and its y up."""
    return SweepOn(k, path) if isinstance(path, int) else Sweep(k, path)


@operation(OLDER, "[sweep-line 0 0 0 0 0 25 k]", TRIANGLE + "[sweep-line 0 0 0 0 0 25 k]", instead="pull")
def sweep_line(sx: Mm, sy: Mm, sz: Mm, ex: Mm, ey: Mm, ez: Mm, k: Sketch) -> Sweep:
    """The profile carried along the segment from s to e. It stands square to the path; the sketch's
    own plane does not matter."""
    return Sweep(k, LinePath((sx, sy, sz), (ex, ey, ez)))


@operation(SWEEPS, "[sweep-helix 10 5 15 3 k]", TRIANGLE + "[sweep-helix 10 5 15 3 k]")
def sweep_helix(radius: Mm, pitch: Mm, height: Mm, turns: Real, k: Sketch) -> Sweep:
    """The profile carried along a helix about +Z. height and turns rule; pitch is there to be
    checked. The profile stands in the plane through the axis: its x points outwards and its y up."""
    return Sweep(k, HelixPath(radius, pitch, height, turns))


class Loft(Node):
    """Ruled solid through sketches; ``closed`` joins the last to the first."""

    FAILURE: ClassVar[str] = "LOFT_FAILED"

    sketches: Sketches
    closed: bool | None = None

    @property
    def function(self) -> str:
        """``loft`` or ``loft-closed``."""
        return "loft-closed" if self.closed else "loft"

    def children(self) -> tuple[NodeId, ...]:
        """The sections, in order."""
        return self.sketches

    def check(self) -> None:
        """Enough sections."""
        least = 3 if self.closed else 2
        if len(self.sketches) < least:
            message = f"needs at least {least} sketches, got {len(self.sketches)}"
            raise ParameterFault("LOFT_FAILED", "sketches", message, failed=True)


@operation(SWEEPS, "[loft #[bottom top]]", _SQUARES + "[loft #[bottom top]]")
def loft(sketches: Sketches) -> Loft:
    """Ruled solid through sketches. With the same number of segments they are matched in order; where
    one number goes into another, as of a square and a disc of two arcs, by their corners."""
    return Loft(sketches)


@operation(SWEEPS, "[loft-closed #[a b c]]", _LEAVES + "[loft-closed #[a b c]]")
def loft_closed(sketches: Sketches) -> Loft:
    """Ruled ring through three or more sketches, the last joined to the first."""
    return Loft(sketches, closed=True)
