"""What the numbers of swept bodies must satisfy (cad.md §3.7–3.10): extrusions, turned bodies, paths, lofts.

Shapes of the sketches themselves are read in :mod:`vcad_kernel.geometry.sweeps.profile`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from vcad_kernel.geometry.number_checks import (
    XYZ,
    ParameterFault,
    direction,
    finite,
    finite_vector,
    positive,
    within_reach,
)
from vcad_kernel.geometry.tolerance import LINEAR, VECTOR_LENGTH
from vcad_kernel.ir.nodes import (
    CylinderPath,
    Extrude,
    HelixPath,
    LinePath,
    Loft,
    PolylinePath,
    Revolve,
    Sweep,
    Vec3,
)

__all__ = ["extrude", "loft", "revolve", "sweep"]

_FULL_TURN = 360.0 + 1e-9
_LEAST_TURNS = 1e-6
"""Of a helix: with fewer its rise by turn is beyond all numbers."""


def extrude(node: Extrude) -> None:
    """A vector with a length, a finite twist, a positive scale."""
    direction(("dx", "dy", "dz"), node.direction, "direction")
    finite("twist_angle", node.twist_angle or 0.0)
    end = 1.0 if node.scale_end is None else node.scale_end
    positive("scale_end", end)


def revolve(node: Revolve) -> None:
    """An axis, and an angle of at most a full turn."""
    finite_vector(("aox", "aoy", "aoz"), node.axis_origin)
    direction(("adx", "ady", "adz"), node.axis_dir, "axis")
    finite("angle", node.angle_deg)
    if not 0.0 < node.angle_deg <= _FULL_TURN:
        hint = "; reverse the axis to turn the other way" if node.angle_deg < 0.0 else ""
        raise ParameterFault(
            "INVALID_PARAMETER",
            "angle",
            f"angle must be greater than 0 and at most 360 degrees, got {node.angle_deg:g}{hint}",
        )


def sweep(node: Sweep) -> None:
    """The path, and the modifiers that go with its kind."""
    for name, number in (("twist_angle", node.twist_angle), ("orientation", node.orientation)):
        finite(name, number or 0.0)
    for name, scale in (("scale_start", node.scale_start), ("scale_end", node.scale_end)):
        positive(name, 1.0 if scale is None else scale)
    path = node.path
    if isinstance(path, CylinderPath | PolylinePath):
        for name, number, still in (
            ("twist_angle", node.twist_angle, 0.0),
            ("orientation", node.orientation, 0.0),
            ("scale_start", node.scale_start, 1.0),
            ("scale_end", node.scale_end, 1.0),
        ):
            if number is not None and number != still:
                raise ParameterFault(
                    "INVALID_PARAMETER", name, f"{name} does not go with a path of this kind"
                )
    if isinstance(path, LinePath):
        finite_vector(("sx", "sy", "sz"), path.start)
        finite_vector(("ex", "ey", "ez"), path.end)
        if math.dist(path.start, path.end) < VECTOR_LENGTH:
            raise ParameterFault(
                "SWEEP_FAILED", "ex", "the path starts and ends at the same point", failed=True
            )
    elif isinstance(path, HelixPath):
        _helix(path)
    elif isinstance(path, CylinderPath):
        _cylinder_path(path)
    else:
        _points(path.points)
        if isinstance(path, PolylinePath):
            finite("bend", path.bend)
            if path.bend < 0.0:
                raise ParameterFault(
                    "INVALID_PARAMETER", "bend", f"bend must not be negative, got {path.bend:g}"
                )


def _cylinder_path(path: CylinderPath) -> None:
    positive("r", path.radius)
    for knot in path.knots:
        finite_vector(("deg", "z"), knot)
    if len(path.knots) < 2:
        raise ParameterFault(
            "INVALID_PARAMETER", "path", f"the path needs at least 2 knots (deg z), got {len(path.knots)}"
        )
    steps = np.diff([angle for angle, _ in path.knots])
    # nearer knots than this are one and the same on the cylinder
    least = np.degrees(LINEAR / path.radius)
    if not (np.all(steps > least) or np.all(steps < -least)):
        raise ParameterFault(
            "INVALID_PARAMETER", "path", "the angles of the path must rise, or fall, from knot to knot"
        )
    positive("seg-deg", path.step)


def _points(points: Sequence[Vec3]) -> None:
    for point in points:
        finite_vector(XYZ, point)
    if len(points) < 2:
        raise ParameterFault(
            "INVALID_PARAMETER", "points", f"the path needs at least 2 points, got {len(points)}"
        )
    for number, (before, after) in enumerate(itertools.pairwise(points), 1):
        if math.dist(before, after) < LINEAR:
            raise ParameterFault(
                "INVALID_PARAMETER", "points", f"points {number} and {number + 1} of the path coincide"
            )


def _helix(path: HelixPath) -> None:
    positive("radius", path.radius)
    finite("pitch", path.pitch)
    within_reach("height", path.height)
    positive("turns", path.turns)
    if path.turns < _LEAST_TURNS:
        raise ParameterFault(
            "INVALID_PARAMETER", "turns", f"turns must be at least {_LEAST_TURNS:g}, got {path.turns:g}"
        )
    if path.height == 0.0 and path.turns >= 1.0:
        raise ParameterFault("INVALID_PARAMETER", "height", "height must not be 0 for a full turn or more")


def loft(node: Loft) -> None:
    """Enough sections."""
    least = 3 if node.closed else 2
    if len(node.sketches) < least:
        message = f"needs at least {least} sketches, got {len(node.sketches)}"
        raise ParameterFault("LOFT_FAILED", "sketches", message, failed=True)
