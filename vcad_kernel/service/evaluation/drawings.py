"""Sections and drawings of a result's parts: exact lines where figures would be exact, else the mesh's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vcad_kernel.errors import ErrorCode, SceneError
from vcad_kernel.exchange.drawing.drawing import DrawnPart, Plane, write_drawing, write_section
from vcad_kernel.operations.node import Vec3
from vcad_kernel.service.protocol import MeasuredPart

__all__ = ["drawing", "drawn_parts", "section"]


def section(
    path: Path, parts: Sequence[MeasuredPart], origin: Vec3 | None, normal: Vec3, *, hatch: bool = True
) -> int:
    """Write what a plane cuts of parts as .dxf or .svg; the size of the file in bytes.

    origin: a point of the plane, mm; None = the middle of the parts' box. normal: towards the viewer.
    hatch: fill what is cut with lines, in an SVG.
    Raises: SceneError when all parts are empty; ExportError as `write_section`.
    """
    drawn = drawn_parts(parts)
    plane = Plane.facing(normal, origin=_middle(drawn) if origin is None else origin)
    return write_section(path, drawn, plane, hatch=hatch)


def drawing(path: Path, parts: Sequence[MeasuredPart], views: Sequence[str], scale: float | None) -> int:
    """Write views with hidden lines on one sheet as .svg; arguments and errors as `write_drawing`."""
    return write_drawing(path, drawn_parts(parts), views, scale=scale)


def drawn_parts(parts: Sequence[MeasuredPart]) -> list[DrawnPart]:
    """The parts as a drawing takes them, with the B-reps of those whose figures come from one."""
    return [
        DrawnPart(
            measured.part.name,
            measured.part.mesh,
            measured.brep() if measured.measurement.answers_exactly() else None,
            measured.part.material,
        )
        for measured in parts
    ]


def _middle(parts: Sequence[DrawnPart]) -> Vec3:
    boxes = [box for box in (part.mesh.bounds() for part in parts) if box is not None]
    if not boxes:
        raise SceneError(
            "there is nothing to cut: no part has any surface", code=ErrorCode.NO_GEOMETRY, count=0
        )
    x, y, z = (
        0.5 * float(min(box[0][axis] for box in boxes) + max(box[1][axis] for box in boxes))
        for axis in range(3)
    )
    return (x, y, z)
