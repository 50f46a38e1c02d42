"""Lines and circles along which two elementary faces meet alike, so that one place says what all would.

A line on a plane, a cylinder or a cone is one of its rulings, whose normals are all the same. A circle about
the axis of a surface of revolution turns the normals with it, and so does one around the tube of a torus.
Nearly all edges of designed bodies are such.

In plain numbers: an operation on arrays costs more than a few edges do. Millimetres and radians.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere, GeomAbs_Torus

from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import CIRCLE, LINE, BoundaryNumbers
from vcad_kernel.geometry.placement import cross
from vcad_kernel.operations.node import Vec3

__all__ = ["EvenEdge", "even_edge", "outward_at"]

_PLANE, _CYLINDER, _CONE = GeomAbs_Plane.value, GeomAbs_Cylinder.value, GeomAbs_Cone.value
_SPHERE, _TORUS = GeomAbs_Sphere.value, GeomAbs_Torus.value
_RULED = frozenset({_PLANE, _CYLINDER, _CONE})
_ROUND = frozenset({_CYLINDER, _CONE, _SPHERE, _TORUS})
_SAME_AXIS = 1e-9
"""Share of the circle's radius between its centre and the axis, and sine of the angle between directions."""


@dataclass(slots=True, eq=False)
class EvenEdge:
    """How the faces meet anywhere along the edge."""

    turn: float
    """Angle between the outward normals."""
    is_convex: bool
    """Of an edge that is not smooth."""
    into: tuple[Vec3, Vec3]
    """The unit directions into both faces, square to the edge, at the start of its curve."""


def even_edge(numbers: BoundaryNumbers, edge: int) -> EvenEdge | None:
    """Of an edge between two faces, by its number; None where they do not meet alike, or have other forms."""
    (first, ahead), (second, back) = numbers.at_edge[edge]
    if not (_is_even(numbers, edge, first) and _is_even(numbers, edge, second)):
        return None
    row = numbers.curves.table[edge]
    tangent = axis = row[9], row[10], row[11]
    place = row[0], row[1], row[2]
    if numbers.curves.kinds[edge] == LINE:
        # not the start, which may be the apex of a cone
        place = 0.5 * (row[0] + row[3]), 0.5 * (row[1] + row[4]), 0.5 * (row[2] + row[5])
    else:
        radius = row[12]
        out = (row[0] - row[6]) / radius, (row[1] - row[7]) / radius, (row[2] - row[8]) / radius
        tangent = cross(axis, out)
    here, there = outward_at(numbers, first, place), outward_at(numbers, second, place)
    (x, y, z), (u, v, w) = here, there
    # of nearly equal and of nearly opposite ones this is right to rounding, too
    turn = 2.0 * math.atan2(math.hypot(x - u, y - v, z - w), math.hypot(x + u, y + v, z + w))
    (x, y, z), (a, b, c) = cross(here, tangent), cross(there, tangent)
    return EvenEdge(
        turn,
        ahead * (x * u + y * v + z * w) < 0.0,
        ((ahead * x, ahead * y, ahead * z), (back * a, back * b, back * c)),
    )


def _is_even(numbers: BoundaryNumbers, edge: int, face: int) -> bool:
    """Whether the normals of a face go along with an edge on it."""
    form, kind = numbers.curves.kinds[edge], numbers.kinds[face]
    if form == LINE:
        return kind in _RULED
    if form != CIRCLE or not (kind == _PLANE or kind in _ROUND):
        return False
    row, surface = numbers.curves.table[edge], numbers.surface_numbers(face)
    axis, along = row[9:12], surface[3:6]
    is_parallel = kind == _SPHERE or _apart(axis, along) <= _SAME_AXIS
    if kind == _PLANE:
        return is_parallel
    if kind == _TORUS and surface[6] <= surface[7]:
        # the tube passes through its own axis, and places beyond it belong to the other side
        return False
    offset = row[6] - surface[0], row[7] - surface[1], row[8] - surface[2]
    spare = _SAME_AXIS * row[12]
    if is_parallel:
        return _apart(axis, offset) <= spare
    return kind == _TORUS and (
        abs(_dot(axis, along)) <= _SAME_AXIS
        and abs(_dot(axis, offset)) <= spare
        and abs(_dot(along, offset)) <= spare
        and abs(math.hypot(*offset) - surface[6]) <= spare
    )


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _apart(a: Sequence[float], b: Sequence[float]) -> float:
    """The length of the cross product."""
    return math.hypot(*cross(a, b))


def outward_at(numbers: BoundaryNumbers, face: int, place: Vec3) -> Vec3:
    """The outward unit normal of an elementary face at a place on it that is no pole."""
    kind, surface, outwards = numbers.kinds[face], numbers.surface_numbers(face), numbers.outwards(face)
    u, v, w = surface[3:6]
    if kind == _PLANE:
        return outwards * u, outwards * v, outwards * w
    x, y, z = place[0] - surface[0], place[1] - surface[1], place[2] - surface[2]
    if kind != _SPHERE:
        # away from the axis
        height = x * u + y * v + z * w
        x, y, z = x - height * u, y - height * v, z - height * w
        if kind != _CYLINDER:
            aside = math.hypot(x, y, z)
            if kind == _CONE:
                slope = math.tan(surface[7])
                # beyond the apex the other half of the cone widens again
                share, lean = 1.0, slope * (aside if surface[6] + height * slope >= 0.0 else -aside)
            else:
                # away from the middle of the tube
                share, lean = (aside - surface[6]) / aside, -height
            x, y, z = share * x - lean * u, share * y - lean * v, share * z - lean * w
    length = outwards * math.hypot(x, y, z)
    return x / length, y / length, z / length
