"""What kernels read of edges, faces and gaps: values without libraries, from either kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from vcad_kernel.ir.digest import Digest
from vcad_kernel.operations.node import Vec3

__all__ = ["EdgeReading", "FaceReading", "Gap", "Picked", "PickedReading", "RoundReading"]


@dataclass(frozen=True, slots=True)
class EdgeReading:
    """One edge; what the fields mean stands at ``Edge`` of `inspection/inspection.py`."""

    index: int
    kind: str
    length: float
    radius: float | None
    center: Vec3
    direction: Vec3 | None
    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FaceReading:
    """One face; what the fields mean stands at ``Face`` of `inspection/inspection.py`."""

    index: int
    kind: str
    area: float
    radius: float | None
    center: Vec3
    normal: Vec3 | None
    maker: Digest
    exact: bool


@dataclass(frozen=True, slots=True)
class PickedReading:
    """A thing that was picked, where it is placed. mm, mm²."""

    name: str
    """Its kind for people: ``cylinder``, ``line``, ``vertex``, ``part``."""
    radius: float | None = None
    length: float | None = None
    area: float | None = None
    direction: Vec3 | None = None
    """The normal of a plane, else that of a line or an axis."""
    is_plane: bool = False
    origin: Vec3 | None = None
    """A point of the axis of a round thing."""
    box: tuple[Vec3, Vec3] | None = None
    """Lowest and highest corner."""


@dataclass(frozen=True, slots=True)
class RoundReading:
    """A whole cylinder of a body, as a kernel reads it. mm."""

    face: int
    radius: float
    ends: tuple[Vec3, Vec3]
    """Of its axis."""
    opens: tuple[bool, bool]
    """Whether the body ends there: material inside the corner, or none beyond the end."""
    inwards: bool
    """Whether its outside looks at the axis."""
    maker: Digest


@dataclass(frozen=True, slots=True)
class Gap:
    """The least distance of two bodies, mm."""

    distance: float
    points: tuple[Vec3, Vec3] | None
    """The nearest points, of the first body and of the second; None where they overlap."""


# ---- a thing that was pointed at, in a view or by number -------------------------------------


class Picked(msgspec.Struct, frozen=True):
    """A face, edge or vertex of a part, or the part. Named by number, by point, or both."""

    kind: Literal["face", "edge", "vertex", "part"]
    index: int | None = None
    """Its number in the tables. Of a vertex twice that of its edge, and one more for the end of the line."""
    point: tuple[float, float, float] | None = None
    """Where it was touched, mm, as the part is placed. It counts where there is no number."""
