"""What each node's own numbers must satisfy (cad.md §2–4), before anything is built.

Checked for every node on the way down, children not yet looked at, so that a bad size is
reported even under an empty solid. Shapes of sketches and meshes have files of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from vcad_kernel.geometry.number_checks import (
    XYZ,
    ParameterFault,
    between,
    direction,
    finite,
    finite_vector,
    positive,
    within_reach,
)
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.sweeps import checks as sweep_checks
from vcad_kernel.geometry.sweeps.gear import GearFault, form_of
from vcad_kernel.geometry.sweeps.lettering import unknown_characters
from vcad_kernel.geometry.tolerance import LARGEST, MAX_COPIES
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.nodes import (
    Arc,
    Chamfer,
    ChamferAt,
    CircularPattern,
    Cone,
    Cube,
    Cylinder,
    Draft,
    Extrude,
    Fillet,
    FilletAt,
    Gear,
    LinearPattern,
    Loft,
    MeshFile,
    Mirror,
    Node,
    NodeId,
    Offset,
    Prism,
    Revolve,
    Rotate,
    Scale,
    Section,
    Shell,
    ShellOpen,
    Sketch2D,
    Sphere,
    StepFile,
    Sweep,
    Text,
    Torus,
    Translate,
    Wedge,
)

__all__ = ["check_parameters"]

_MOST_SIDES = 10_000
"""Of a prism, and teeth of a gear: more is a slip of the pen that would only exhaust the memory."""


def check_parameters(document: Document, node: NodeId) -> None:
    """Raise GeometryError (INVALID_PARAMETER, ZERO_VECTOR, …) when a node's own numbers are wrong."""
    value = document.nodes[node]
    check = _CHECKS.get(type(value))
    if check is None:
        return
    try:
        check(value)
    except ParameterFault as fault:
        raise geometry_error(
            document, node, fault.code, fault.message, argument=fault.argument, failed=fault.failed
        ) from None


def _cube(node: Cube) -> None:
    for name, value in zip(XYZ, node.size, strict=True):
        positive(name, value)


def _cylinder(node: Cylinder) -> None:
    positive("r", node.radius)
    positive("h", node.height)


def _sphere(node: Sphere) -> None:
    positive("r", node.radius)


def _cone(node: Cone) -> None:
    for name, value in (("rb", node.radius_bottom), ("rt", node.radius_top)):
        within_reach(name, value)
        if value < 0.0:
            raise ParameterFault("INVALID_PARAMETER", name, f"{name} must not be negative, got {value:g}")
    if node.radius_bottom == 0.0 and node.radius_top == 0.0:
        raise ParameterFault("INVALID_PARAMETER", "rb", "rb and rt must not both be 0")
    positive("h", node.height)


def _torus(node: Torus) -> None:
    positive("major", node.major_radius)
    positive("minor", node.minor_radius)
    if node.minor_radius >= node.major_radius:
        raise ParameterFault(
            "INVALID_PARAMETER",
            "minor",
            f"minor must be less than major ({node.major_radius:g}), or the ring meets itself;"
            f" got {node.minor_radius:g}",
        )


def _wedge(node: Wedge) -> None:
    for name, value in zip(XYZ, node.size, strict=True):
        positive(name, value)


def _prism(node: Prism) -> None:
    between("n", node.sides, 3, _MOST_SIDES)
    positive("r", node.radius)
    positive("h", node.height)


def _gear(node: Gear) -> None:
    positive("module", node.module)
    between("teeth", node.teeth, 4, _MOST_SIDES)
    positive("width", node.width)
    finite("backlash", node.backlash)
    if node.backlash < 0.0:
        raise ParameterFault(
            "INVALID_PARAMETER", "backlash", f"backlash must not be negative, got {node.backlash:g}"
        )
    if node.flank:
        between("n", node.flank, 2, 1_000)
    try:
        form_of(node)
    except GearFault as fault:
        guilty = "backlash" if node.backlash else "module"
        raise ParameterFault("INVALID_PARAMETER", guilty, str(fault)) from None


def _text(node: Text) -> None:
    positive("size", node.size)
    positive("height", node.height)
    unknown = unknown_characters(node.text)
    if unknown:
        listed = ", ".join(repr(character) for character in unknown)
        raise ParameterFault("INVALID_PARAMETER", "text", f"the font has no letter for {listed}")


def _translate(node: Translate) -> None:
    finite_vector(XYZ, node.offset)


def _rotate(node: Rotate) -> None:
    for name, value in zip(XYZ, node.angles, strict=True):
        finite(name, value)


def _scale(node: Scale) -> None:
    for name, value in zip(XYZ, node.factor, strict=True):
        within_reach(name, value)
        if value == 0.0:
            raise ParameterFault(
                "INVALID_PARAMETER", name, f"{name} must not be 0: it would flatten the body"
            )


def _mirror(node: Mirror) -> None:
    finite_vector(("ox", "oy", "oz"), node.origin)
    direction(("nx", "ny", "nz"), node.normal, "normal of the mirror plane")


def _section(node: Section) -> None:
    finite_vector(("ox", "oy", "oz"), node.origin)
    direction(("nx", "ny", "nz"), node.normal, "normal of the cutting plane")


def _draft(node: Draft) -> None:
    finite_vector(("ox", "oy", "oz"), node.origin)
    direction(("nx", "ny", "nz"), node.normal, "pull direction")
    finite("angle", node.angle_deg)
    if not -90.0 < node.angle_deg < 90.0 or node.angle_deg == 0.0:
        raise ParameterFault(
            "INVALID_PARAMETER",
            "angle",
            f"angle must be between -90 and 90 degrees and not 0, got {node.angle_deg:g}",
        )


def _offset(node: Offset) -> None:
    within_reach("d", node.distance)
    if node.distance == 0.0:
        raise ParameterFault("INVALID_PARAMETER", "d", "d must not be 0: it would change nothing")


def _fillet_at(node: FilletAt) -> None:
    if node.radius_end is None:
        positive("r", node.radius)
        return
    for name, value in (("r1", node.radius), ("r2", node.radius_end)):
        positive(name, value)


def _chamfer_at(node: ChamferAt) -> None:
    positive("d", node.distance)


def _shell_open(node: ShellOpen) -> None:
    positive("t", node.thickness)


def _mesh_file(node: MeshFile) -> None:
    for name, value in zip(("sx", "sy", "sz"), node.scale, strict=True):
        within_reach(name, value)
        if value == 0.0:
            raise ParameterFault(
                "INVALID_PARAMETER", name, f"{name} must not be 0: it would flatten the body"
            )


def _step_file(node: StepFile) -> None:
    if node.body < 0:
        raise ParameterFault("INVALID_PARAMETER", "i", f"bodies are counted from 0, got {node.body}")


def _fillet(node: Fillet) -> None:
    positive("r", node.radius)


def _chamfer(node: Chamfer) -> None:
    positive("d", node.distance)


def _shell(node: Shell) -> None:
    positive("t", node.thickness)


def _count(value: int) -> None:
    if value < 1:
        raise ParameterFault(
            "INVALID_PARAMETER", "count", f"count must be a whole number from 1, got {value}"
        )
    if value > MAX_COPIES:
        raise ParameterFault("INVALID_PARAMETER", "count", f"count must be at most {MAX_COPIES}, got {value}")


def _linear_pattern(node: LinearPattern) -> None:
    _count(node.count)
    finite("spacing", node.spacing)
    reach = abs(node.spacing) * (node.count - 1)
    if reach > LARGEST:
        raise ParameterFault(
            "INVALID_PARAMETER",
            "spacing",
            f"spacing leads the last copy {reach:g} mm away, where {LARGEST:.0f} is the most",
        )
    if node.count > 1:
        direction(("dx", "dy", "dz"), node.direction, "direction")


def _circular_pattern(node: CircularPattern) -> None:
    _count(node.count)
    finite("angle", node.angle_deg)
    finite_vector(("ox", "oy", "oz"), node.axis_origin)
    if node.count > 1:
        direction(("ax", "ay", "az"), node.axis_dir, "axis")


def _sketch(node: Sketch2D) -> None:
    finite_vector(("ox", "oy", "oz"), node.origin)
    for segment in node.segments:
        points = (segment.start, segment.end)
        for point in (*points, segment.center) if isinstance(segment, Arc) else points:
            if not math.hypot(*point) <= LARGEST:
                raise ParameterFault(
                    "INVALID_PARAMETER",
                    "segments",
                    f"segments must stay within {LARGEST:.0f} of the origin, got {point[0]:g} {point[1]:g}",
                )


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
    Extrude: sweep_checks.extrude,
    Revolve: sweep_checks.revolve,
    Sweep: sweep_checks.sweep,
    Loft: sweep_checks.loft,
    Sketch2D: _sketch,
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
