"""What each node's own numbers must satisfy (cad.md §2–4), before anything is built.

Checked for every node on the way down, children not yet looked at, so that a bad size is
reported even under an empty solid. Shapes of sketches and meshes have files of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.tolerance import MAX_COPIES, VECTOR_LENGTH
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.nodes import (
    Chamfer,
    CircularPattern,
    Cone,
    Cube,
    Cylinder,
    Extrude,
    Fillet,
    HelixPath,
    LinearPattern,
    LinePath,
    Loft,
    Node,
    NodeId,
    Revolve,
    Rotate,
    Scale,
    Shell,
    Sphere,
    Sweep,
    Translate,
)

__all__ = ["check_parameters"]

_FULL_TURN = 360.0 + 1e-9
_XYZ = ("x", "y", "z")


class _Fault(Exception):
    """A check's finding on its way to the one caller, which adds node, function and place."""

    def __init__(self, code: str, argument: str | None, message: str, *, failed: bool = False) -> None:
        super().__init__(message)
        self.code, self.argument, self.message, self.failed = code, argument, message, failed


def check_parameters(document: Document, node: NodeId) -> None:
    """Raise GeometryError (INVALID_PARAMETER, ZERO_VECTOR, …) when a node's own numbers are wrong."""
    value = document.nodes[node]
    check = _CHECKS.get(type(value))
    if check is None:
        return
    try:
        check(value)
    except _Fault as fault:
        raise geometry_error(
            document, node, fault.code, fault.message, argument=fault.argument, failed=fault.failed
        ) from None


def _finite(name: str, value: float) -> None:
    if not math.isfinite(value):
        raise _Fault("INVALID_PARAMETER", name, f"{name} must be a finite number, got {value}")


def _positive(name: str, value: float) -> None:
    _finite(name, value)
    if value <= 0.0:
        raise _Fault("INVALID_PARAMETER", name, f"{name} must be greater than 0, got {value:g}")


def _finite_vector(names: Sequence[str], value: Sequence[float]) -> None:
    for name, part in zip(names, value, strict=True):
        _finite(name, part)


def _direction(names: Sequence[str], value: Sequence[float], what: str) -> None:
    _finite_vector(names, value)
    if math.hypot(*value) < VECTOR_LENGTH:
        raise _Fault("ZERO_VECTOR", names[0], f"the {what} ({', '.join(names)}) has no length")


def _cube(node: Cube) -> None:
    for name, value in zip(_XYZ, node.size, strict=True):
        _positive(name, value)


def _cylinder(node: Cylinder) -> None:
    _positive("r", node.radius)
    _positive("h", node.height)


def _sphere(node: Sphere) -> None:
    _positive("r", node.radius)


def _cone(node: Cone) -> None:
    for name, value in (("rb", node.radius_bottom), ("rt", node.radius_top)):
        _finite(name, value)
        if value < 0.0:
            raise _Fault("INVALID_PARAMETER", name, f"{name} must not be negative, got {value:g}")
    if node.radius_bottom == 0.0 and node.radius_top == 0.0:
        raise _Fault("INVALID_PARAMETER", "rb", "rb and rt must not both be 0")
    _positive("h", node.height)


def _translate(node: Translate) -> None:
    _finite_vector(_XYZ, node.offset)


def _rotate(node: Rotate) -> None:
    _finite_vector(_XYZ, node.angles)


def _scale(node: Scale) -> None:
    for name, value in zip(_XYZ, node.factor, strict=True):
        _finite(name, value)
        if value == 0.0:
            raise _Fault("INVALID_PARAMETER", name, f"{name} must not be 0: it would flatten the body")


def _fillet(node: Fillet) -> None:
    _positive("r", node.radius)


def _chamfer(node: Chamfer) -> None:
    _positive("d", node.distance)


def _shell(node: Shell) -> None:
    _positive("t", node.thickness)


def _count(value: int) -> None:
    if value < 1:
        raise _Fault("INVALID_PARAMETER", "count", f"count must be a whole number from 1, got {value}")
    if value > MAX_COPIES:
        raise _Fault("INVALID_PARAMETER", "count", f"count must be at most {MAX_COPIES}, got {value}")


def _linear_pattern(node: LinearPattern) -> None:
    _count(node.count)
    _finite("spacing", node.spacing)
    if node.count > 1:
        _direction(("dx", "dy", "dz"), node.direction, "direction")


def _circular_pattern(node: CircularPattern) -> None:
    _count(node.count)
    _finite("angle", node.angle_deg)
    _finite_vector(("ox", "oy", "oz"), node.axis_origin)
    if node.count > 1:
        _direction(("ax", "ay", "az"), node.axis_dir, "axis")


def _extrude(node: Extrude) -> None:
    _direction(("dx", "dy", "dz"), node.direction, "direction")


def _revolve(node: Revolve) -> None:
    _finite_vector(("aox", "aoy", "aoz"), node.axis_origin)
    _direction(("adx", "ady", "adz"), node.axis_dir, "axis")
    _finite("angle", node.angle_deg)
    if not 0.0 < node.angle_deg <= _FULL_TURN:
        hint = "; reverse the axis to turn the other way" if node.angle_deg < 0.0 else ""
        raise _Fault(
            "INVALID_PARAMETER",
            "angle",
            f"angle must be greater than 0 and at most 360 degrees, got {node.angle_deg:g}{hint}",
        )


def _sweep(node: Sweep) -> None:
    path = node.path
    if isinstance(path, LinePath):
        _finite_vector(("sx", "sy", "sz"), path.start)
        _finite_vector(("ex", "ey", "ez"), path.end)
        if math.dist(path.start, path.end) < VECTOR_LENGTH:
            raise _Fault("SWEEP_FAILED", "ex", "the path starts and ends at the same point", failed=True)
    else:
        _helix(path)


def _helix(path: HelixPath) -> None:
    _positive("radius", path.radius)
    _finite("pitch", path.pitch)
    _finite("height", path.height)
    _positive("turns", path.turns)
    if path.height == 0.0 and path.turns >= 1.0:
        raise _Fault("INVALID_PARAMETER", "height", "height must not be 0 for a full turn or more")


def _loft(node: Loft) -> None:
    least = 3 if node.closed else 2
    if len(node.sketches) < least:
        message = f"needs at least {least} sketches, got {len(node.sketches)}"
        raise _Fault("LOFT_FAILED", "sketches", message, failed=True)


_CHECKS: dict[type[Node], Callable[[Any], None]] = {
    Cube: _cube,
    Cylinder: _cylinder,
    Sphere: _sphere,
    Cone: _cone,
    Translate: _translate,
    Rotate: _rotate,
    Scale: _scale,
    Fillet: _fillet,
    Chamfer: _chamfer,
    Shell: _shell,
    LinearPattern: _linear_pattern,
    CircularPattern: _circular_pattern,
    Extrude: _extrude,
    Revolve: _revolve,
    Sweep: _sweep,
    Loft: _loft,
}
