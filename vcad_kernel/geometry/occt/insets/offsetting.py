"""Offset: a body grown with round joins, or shrunk with sharp ones. Lengths in millimetres."""

from __future__ import annotations

import time

from vcad_kernel.geometry.occt.brep import Brep, faces_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.insets.deviation import deviating
from vcad_kernel.geometry.occt.insets.growing import Growth
from vcad_kernel.geometry.occt.insets.insetting import Inset
from vcad_kernel.geometry.occt.insets.wall_limits import (
    Clock,
    borders,
    described_faces,
    largest_working,
    rounded_down,
)
from vcad_kernel.geometry.occt.measure.validity import box_of, checked, volume_of
from vcad_kernel.operations.bodies.bodies import Offset

__all__ = ["offset"]

_FAILED = "OFFSET_FAILED"


def offset(build: Build, node: Offset, operands: Operands, *, clock: Clock = time.monotonic) -> Brep | None:
    """The body grown (distance > 0) or shrunk (distance < 0). Raises: OFFSET_FAILED."""
    (body,) = operands
    if body is None or node.distance == 0.0:
        return body
    size = abs(node.distance)
    moving: Growth | Inset = Growth(body.shape) if node.distance > 0.0 else Inset(body.shape)
    result = moving.at(size)
    if result is None:
        raise _refusal(build, node, body, moving, clock)
    low, high = box_of(body.shape)
    box = tuple(value - node.distance for value in low), tuple(value + node.distance for value in high)
    whole = volume_of(body.shape)
    volume = (whole, float("inf")) if node.distance > 0.0 else (0.0, whole)
    if node.distance > 0.0:
        volume = (whole, _box_volume(box))
    grown = deviating(Brep.made(result, build.maker), body, size, build.maker)
    return checked(build, grown, _FAILED, volume=volume, box=box)  # type: ignore[arg-type]


def _box_volume(box: tuple[tuple[float, ...], tuple[float, ...]]) -> float:
    volume = 1.0
    for low, high in zip(*box, strict=True):
        volume *= high - low
    return volume


def _refusal(build: Build, node: Offset, body: Brep, moving: Growth | Inset, clock: Clock) -> Exception:
    """The refusal, with the largest distance that works and the faces that stand in the way."""
    size, sign = abs(node.distance), 1.0 if node.distance > 0.0 else -1.0
    failing = min(size, moving.bound) if isinstance(moving, Inset) else moving.room(size)
    largest = largest_working(
        lambda value: moving.at(value) is not None,
        failing,
        seconds=build.search.wall_seconds,
        trials=build.search.trials,
        clock=clock,
    )
    faces = moving.collapsing(size) if isinstance(moving, Inset) else moving.swallowed(size)
    if isinstance(moving, Inset) and moving.is_too_freeform:
        return build.fault(
            _FAILED,
            "this body has too many free-form faces to be moved inwards together",
            fix="build the smaller body directly",
            details={"largest_working": None, "failing_faces": []},
        )
    how = "grown" if sign > 0.0 else "shrunk"
    message = f"the body cannot be {how} by {size:g} mm"
    fix = "simplify the body, or use a smaller distance"
    if largest is not None:
        largest = sign * rounded_down(largest)
        message += f"; the largest distance that works is {largest:g} mm"
        fix = f"use a distance of {largest:g}"
    return build.fault(
        _FAILED,
        message,
        argument="d",
        fix=fix,
        details={
            "largest_working": largest,
            "failing_faces": described_faces(faces_of(body.shape), faces),
        },
        lines=borders(faces_of(body.shape), faces),
    )
