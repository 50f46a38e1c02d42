"""Edges along which two faces meet at one angle, so that one place says what all of them would.

A line on a plane, a cylinder or a cone is one of its rulings, whose normals are all the same. A circle
about the axis of a surface of revolution turns the normals with it.
"""

from __future__ import annotations

from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.GeomAbs import (
    GeomAbs_Circle,
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Line,
    GeomAbs_Plane,
    GeomAbs_Sphere,
)
from OCP.gp import gp_Ax1

from vcad_kernel.geometry.occt.elementary import ELEMENTARY

__all__ = ["is_even"]

_LINE, _CIRCLE = GeomAbs_Line.value, GeomAbs_Circle.value
_PLANE, _SPHERE = GeomAbs_Plane.value, GeomAbs_Sphere.value
_RULED = frozenset({_PLANE, GeomAbs_Cylinder.value, GeomAbs_Cone.value})
_SAME_AXIS = 1e-9
"""Share of the circle's radius between its centre and the axis, and radians between directions."""


def is_even(curve: BRepAdaptor_Curve, *surfaces: BRepAdaptor_Surface) -> bool:
    """Whether the surfaces meet alike all along a curve that lies on all of them."""
    kind = curve.GetType().value
    if kind == _LINE:
        return all(surface.GetType().value in _RULED for surface in surfaces)
    if kind != _CIRCLE:
        return False
    circle = curve.Circle()
    return all(_turns_about(circle.Axis(), circle.Radius(), surface) for surface in surfaces)


def _turns_about(axis: gp_Ax1, radius: float, surface: BRepAdaptor_Surface) -> bool:
    kind = surface.GetType().value
    elementary = ELEMENTARY.get(kind)
    if elementary is None:
        return False
    x, y, z, *along = elementary.numbers(surface)[:6]
    cx, cy, cz = axis.Location().Coord()
    ux, uy, uz = axis.Direction().Coord()
    if kind != _SPHERE:
        vx, vy, vz = along
        if abs(uy * vz - uz * vy) + abs(uz * vx - ux * vz) + abs(ux * vy - uy * vx) > _SAME_AXIS:
            return False
        if kind == _PLANE:
            return True
    x, y, z = x - cx, y - cy, z - cz
    return bool(abs(uy * z - uz * y) + abs(uz * x - ux * z) + abs(ux * y - uy * x) <= _SAME_AXIS * radius)
