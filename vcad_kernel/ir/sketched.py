"""The sketch, and the nodes that make a solid of one or more of them.

Lengths are millimetres; angles are degrees except ``twist_angle`` (radians, by the document format).
"""

from __future__ import annotations

from dataclasses import dataclass

from vcad_kernel.ir.curves import HelixPath, LinePath, Path, Segment
from vcad_kernel.ir.node import Node, NodeId, fields
from vcad_kernel.ir.vectors import Vec3

__all__ = [
    "Extrude",
    "Loft",
    "Revolve",
    "Sketch2D",
    "Sweep",
]


@dataclass(frozen=True, slots=True)
class Sketch2D(Node):
    """A closed profile on a plane; not a solid."""

    KIND = "Sketch2D"
    FIELDS = fields("origin:vec3 x_dir:vec3 y_dir:vec3 segments:segments")
    FUNCTION = "sketch"
    origin: Vec3
    x_dir: Vec3
    y_dir: Vec3
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class _OneSketch(Node):
    """What every operation on one sketch shares."""

    sketch: NodeId

    def children(self) -> tuple[NodeId, ...]:
        """The profile."""
        return (self.sketch,)


@dataclass(frozen=True, slots=True)
class Extrude(_OneSketch):
    """Prism of a profile along the full vector."""

    KIND = "Extrude"
    FIELDS = fields("sketch:child direction:vec3 twist_angle?:number scale_end?:number")
    FUNCTION = "extrude"
    direction: Vec3
    twist_angle: float | None = None
    scale_end: float | None = None


@dataclass(frozen=True, slots=True)
class Revolve(_OneSketch):
    """Profile turned about an axis, starting at the sketch plane."""

    KIND = "Revolve"
    FIELDS = fields("sketch:child axis_origin:vec3 axis_dir:vec3 angle_deg:number")
    FUNCTION = "revolve"
    axis_origin: Vec3
    axis_dir: Vec3
    angle_deg: float


@dataclass(frozen=True, slots=True)
class Sweep(_OneSketch):
    """Profile carried along a path."""

    KIND = "Sweep"
    FIELDS = fields(
        "sketch:child path:path twist_angle?:number scale_start?:number scale_end?:number"
        " orientation?:number path_segments?:count arc_segments?:count"
    )
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


@dataclass(frozen=True, slots=True)
class Loft(Node):
    """Ruled solid through sketches; ``closed`` joins the last to the first."""

    KIND = "Loft"
    FIELDS = fields("sketches:children closed?:flag")
    sketches: tuple[NodeId, ...]
    closed: bool | None = None

    @property
    def function(self) -> str:
        """``loft`` or ``loft-closed``."""
        return "loft-closed" if self.closed else "loft"

    def children(self) -> tuple[NodeId, ...]:
        """The sections, in order."""
        return self.sketches
