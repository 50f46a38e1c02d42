"""Planes, cylinders, cones, spheres and tori as numbers, and how far points are from them.

Surfaces are taken whole: from a face, which is a piece of one, a point is at least as far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere, GeomAbs_Torus
from OCP.gp import gp_Ax3

__all__ = ["ELEMENTARY", "Elementary"]

_SHAPE = 6
"""From which of its numbers on those of a surface's shape come, behind origin and direction of its axis."""

_Points: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Elementary:
    """One kind of surface."""

    numbers: Callable[[BRepAdaptor_Surface], list[float]]
    """Where and what a surface is."""
    distance: Callable[[_Points, _Points], _Points]
    """Distances, millimetres, of points (3, n) from surfaces, given by numbers (k, n) or (k, 1)."""


def _axis(axes: gp_Ax3) -> list[float]:
    return [*axes.Location().Coord(), *axes.Direction().Coord()]


def _local(points: _Points, surfaces: _Points) -> tuple[_Points, _Points]:
    """Distance from the axis and height along it."""
    offset, along = points - surfaces[:3], surfaces[3:6]
    height = offset[0] * along[0] + offset[1] * along[1] + offset[2] * along[2]
    across = offset - height * along
    return _length(across), height


def _length(vectors: _Points) -> _Points:
    return np.asarray(np.sqrt(vectors[0] ** 2 + vectors[1] ** 2 + vectors[2] ** 2))


def _plane(surface: BRepAdaptor_Surface) -> list[float]:
    return _axis(surface.Plane().Position())


def _to_plane(points: _Points, surfaces: _Points) -> _Points:
    return np.asarray(np.abs(_local(points, surfaces)[1]))


def _cylinder(surface: BRepAdaptor_Surface) -> list[float]:
    cylinder = surface.Cylinder()
    return [*_axis(cylinder.Position()), cylinder.Radius()]


def _to_cylinder(points: _Points, surfaces: _Points) -> _Points:
    return np.asarray(np.abs(_local(points, surfaces)[0] - surfaces[_SHAPE]))


def _cone(surface: BRepAdaptor_Surface) -> list[float]:
    cone = surface.Cone()
    return [*_axis(cone.Position()), cone.RefRadius(), cone.SemiAngle()]


def _to_cone(points: _Points, surfaces: _Points) -> _Points:
    radius, height = _local(points, surfaces)
    reference, tilt = surfaces[_SHAPE], surfaces[_SHAPE + 1]
    return np.asarray(np.abs(radius - np.abs(reference + height * np.tan(tilt))) * np.cos(tilt))


def _sphere(surface: BRepAdaptor_Surface) -> list[float]:
    sphere = surface.Sphere()
    return [*_axis(sphere.Position()), sphere.Radius()]


def _to_sphere(points: _Points, surfaces: _Points) -> _Points:
    return np.asarray(np.abs(_length(points - surfaces[:3]) - surfaces[_SHAPE]))


def _torus(surface: BRepAdaptor_Surface) -> list[float]:
    torus = surface.Torus()
    return [*_axis(torus.Position()), torus.MajorRadius(), torus.MinorRadius()]


def _to_torus(points: _Points, surfaces: _Points) -> _Points:
    radius, height = _local(points, surfaces)
    return np.asarray(np.abs(np.hypot(radius - surfaces[_SHAPE], height) - surfaces[_SHAPE + 1]))


ELEMENTARY: dict[int, Elementary] = {
    GeomAbs_Plane.value: Elementary(_plane, _to_plane),
    GeomAbs_Cylinder.value: Elementary(_cylinder, _to_cylinder),
    GeomAbs_Cone.value: Elementary(_cone, _to_cone),
    GeomAbs_Sphere.value: Elementary(_sphere, _to_sphere),
    GeomAbs_Torus.value: Elementary(_torus, _to_torus),
}
"""By the number of ``GeomAbs_SurfaceType``; its names themselves are slow to compare."""
