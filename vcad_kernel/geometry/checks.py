"""What each node's own numbers must satisfy (cad.md §2–4), before anything is built.

Checked for every node on the way down, children not yet looked at, so that a bad size is
reported even under an empty solid. Shapes of sketches and meshes have files of their own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vcad_kernel.geometry.gear import GearFault, form_of
from vcad_kernel.geometry.lettering import unknown_characters
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.tolerance import LINEAR, MAX_COPIES, VECTOR_LENGTH
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.nodes import (
    Chamfer,
    ChamferAt,
    CircularPattern,
    Cone,
    Cube,
    Cylinder,
    CylinderPath,
    Draft,
    Extrude,
    Fillet,
    FilletAt,
    Gear,
    HelixPath,
    LinearPattern,
    LinePath,
    Loft,
    MeshFile,
    Mirror,
    Node,
    NodeId,
    Offset,
    PolylinePath,
    Prism,
    Revolve,
    Rotate,
    Scale,
    Section,
    Shell,
    ShellOpen,
    Sphere,
    StepFile,
    Sweep,
    Text,
    Torus,
    Translate,
    Vec3,
    Wedge,
)

__all__ = ["check_parameters"]

_FULL_TURN = 360.0 + 1e-9
_XYZ = ("x", "y", "z")
_MOST_SIDES = 10_000
"""Of a prism, and teeth of a gear: more is a slip of the pen that would only exhaust the memory."""


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


def _torus(node: Torus) -> None:
    _positive("R", node.major_radius)
    _positive("r", node.minor_radius)
    if node.minor_radius >= node.major_radius:
        raise _Fault(
            "INVALID_PARAMETER",
            "r",
            f"r must be less than R ({node.major_radius:g}), or the ring meets itself;"
            f" got {node.minor_radius:g}",
        )


def _wedge(node: Wedge) -> None:
    for name, value in zip(_XYZ, node.size, strict=True):
        _positive(name, value)


def _between(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise _Fault("INVALID_PARAMETER", name, f"{name} must be from {least} to {most}, got {value}")


def _prism(node: Prism) -> None:
    _between("n", node.sides, 3, _MOST_SIDES)
    _positive("r", node.radius)
    _positive("h", node.height)


def _gear(node: Gear) -> None:
    _positive("module", node.module)
    _between("teeth", node.teeth, 4, _MOST_SIDES)
    _positive("width", node.width)
    _finite("backlash", node.backlash)
    if node.backlash < 0.0:
        raise _Fault("INVALID_PARAMETER", "backlash", f"backlash must not be negative, got {node.backlash:g}")
    if node.flank and node.flank < 2:
        raise _Fault("INVALID_PARAMETER", "n", f"n must be at least 2 points per flank, got {node.flank}")
    try:
        form_of(node)
    except GearFault as fault:
        raise _Fault("INVALID_PARAMETER", "backlash", str(fault)) from None


def _text(node: Text) -> None:
    _positive("size", node.size)
    _positive("height", node.height)
    unknown = unknown_characters(node.text)
    if unknown:
        listed = ", ".join(repr(character) for character in unknown)
        raise _Fault("INVALID_PARAMETER", "text", f"the font has no letter for {listed}")


def _translate(node: Translate) -> None:
    _finite_vector(_XYZ, node.offset)


def _rotate(node: Rotate) -> None:
    _finite_vector(_XYZ, node.angles)


def _scale(node: Scale) -> None:
    for name, value in zip(_XYZ, node.factor, strict=True):
        _finite(name, value)
        if value == 0.0:
            raise _Fault("INVALID_PARAMETER", name, f"{name} must not be 0: it would flatten the body")


def _mirror(node: Mirror) -> None:
    _finite_vector(("ox", "oy", "oz"), node.origin)
    _direction(("nx", "ny", "nz"), node.normal, "normal of the mirror plane")


def _section(node: Section) -> None:
    _finite_vector(("ox", "oy", "oz"), node.origin)
    _direction(("nx", "ny", "nz"), node.normal, "normal of the cutting plane")


def _draft(node: Draft) -> None:
    _finite_vector(("ox", "oy", "oz"), node.origin)
    _direction(("nx", "ny", "nz"), node.normal, "pull direction")
    _finite("angle", node.angle_deg)
    if not -90.0 < node.angle_deg < 90.0 or node.angle_deg == 0.0:
        raise _Fault(
            "INVALID_PARAMETER",
            "angle",
            f"angle must be between -90 and 90 degrees and not 0, got {node.angle_deg:g}",
        )


def _offset(node: Offset) -> None:
    _finite("d", node.distance)
    if node.distance == 0.0:
        raise _Fault("INVALID_PARAMETER", "d", "d must not be 0: it would change nothing")


def _fillet_at(node: FilletAt) -> None:
    if node.radius_end is None:
        _positive("r", node.radius)
        return
    for name, value in (("r1", node.radius), ("r2", node.radius_end)):
        _positive(name, value)


def _chamfer_at(node: ChamferAt) -> None:
    _positive("d", node.distance)


def _shell_open(node: ShellOpen) -> None:
    _positive("t", node.thickness)


def _mesh_file(node: MeshFile) -> None:
    for name, value in zip(("sx", "sy", "sz"), node.scale, strict=True):
        _finite(name, value)
        if value == 0.0:
            raise _Fault("INVALID_PARAMETER", name, f"{name} must not be 0: it would flatten the body")


def _step_file(node: StepFile) -> None:
    if node.body < 0:
        raise _Fault("INVALID_PARAMETER", "i", f"bodies are counted from 0, got {node.body}")


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
    _finite("twist_angle", node.twist_angle or 0.0)
    end = 1.0 if node.scale_end is None else node.scale_end
    _positive("scale_end", end)


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
    for name, number in (("twist_angle", node.twist_angle), ("orientation", node.orientation)):
        _finite(name, number or 0.0)
    for name, scale in (("scale_start", node.scale_start), ("scale_end", node.scale_end)):
        _positive(name, 1.0 if scale is None else scale)
    path = node.path
    if isinstance(path, CylinderPath | PolylinePath):
        for name, number, still in (
            ("twist_angle", node.twist_angle, 0.0),
            ("orientation", node.orientation, 0.0),
            ("scale_start", node.scale_start, 1.0),
            ("scale_end", node.scale_end, 1.0),
        ):
            if number is not None and number != still:
                raise _Fault("INVALID_PARAMETER", name, f"{name} does not go with a path of this kind")
    if isinstance(path, LinePath):
        _finite_vector(("sx", "sy", "sz"), path.start)
        _finite_vector(("ex", "ey", "ez"), path.end)
        if math.dist(path.start, path.end) < VECTOR_LENGTH:
            raise _Fault("SWEEP_FAILED", "ex", "the path starts and ends at the same point", failed=True)
    elif isinstance(path, HelixPath):
        _helix(path)
    elif isinstance(path, CylinderPath):
        _cylinder_path(path)
    else:
        _points(path.points)
        if isinstance(path, PolylinePath):
            _finite("bend", path.bend)
            if path.bend < 0.0:
                raise _Fault("INVALID_PARAMETER", "bend", f"bend must not be negative, got {path.bend:g}")


def _cylinder_path(path: CylinderPath) -> None:
    _positive("r", path.radius)
    for knot in path.knots:
        _finite_vector(("deg", "z"), knot)
    if len(path.knots) < 2:
        raise _Fault(
            "INVALID_PARAMETER", "path", f"the path needs at least 2 knots (deg z), got {len(path.knots)}"
        )
    steps = np.diff([angle for angle, _ in path.knots])
    # nearer knots than this are one and the same on the cylinder
    least = np.degrees(LINEAR / path.radius)
    if not (np.all(steps > least) or np.all(steps < -least)):
        raise _Fault(
            "INVALID_PARAMETER", "path", "the angles of the path must rise, or fall, from knot to knot"
        )
    _positive("seg-deg", path.step)


def _points(points: Sequence[Vec3]) -> None:
    for point in points:
        _finite_vector(_XYZ, point)
    if len(points) < 2:
        raise _Fault("INVALID_PARAMETER", "points", f"the path needs at least 2 points, got {len(points)}")
    for number, (before, after) in enumerate(itertools.pairwise(points), 1):
        if math.dist(before, after) < LINEAR:
            raise _Fault(
                "INVALID_PARAMETER", "points", f"points {number} and {number + 1} of the path coincide"
            )


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
    Torus: _torus,
    Wedge: _wedge,
    Prism: _prism,
    Gear: _gear,
    Text: _text,
    Mirror: _mirror,
    Section: _section,
    Draft: _draft,
    Offset: _offset,
    FilletAt: _fillet_at,
    ChamferAt: _chamfer_at,
    ShellOpen: _shell_open,
    MeshFile: _mesh_file,
    StepFile: _step_file,
}
