"""What kernels read of edges, faces and gaps: values without libraries, from either kernel."""

from __future__ import annotations

from dataclasses import dataclass

from vcad_kernel.ir.digest import Digest
from vcad_kernel.operations.node import Vec3

__all__ = ["EdgeReading", "FaceReading", "Gap"]


@dataclass(frozen=True, slots=True)
class EdgeReading:
    """One edge; what the fields mean stands at :class:`vcad_kernel.geometry.measure.inspection.Edge`."""

    index: int
    kind: str
    length: float
    radius: float | None
    center: Vec3
    direction: Vec3 | None
    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FaceReading:
    """One face; what the fields mean stands at :class:`vcad_kernel.geometry.measure.inspection.Face`."""

    index: int
    kind: str
    area: float
    radius: float | None
    center: Vec3
    normal: Vec3 | None
    maker: Digest


@dataclass(frozen=True, slots=True)
class Gap:
    """The least distance of two bodies, mm."""

    distance: float
    points: tuple[Vec3, Vec3] | None
    """The nearest points, of the first body and of the second; None where they overlap."""
