"""Planes, cylinders, cones, spheres and tori as numbers, and how far points are from them.

Surfaces are taken whole: from a face, which is a piece of one, a point is at least as far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere, GeomAbs_Torus
from OCP.gp import gp_Ax3

__all__ = ["ELEMENTARY", "Elementary"]

_SHAPE = 6
"""From which of its numbers on those of a surface's shape come, behind origin and direction of its axis."""

_Points: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Elementary:
    """One kind of surface."""

    form: Callable[[BRepAdaptor_Surface], Any]
    """As OpenCASCADE knows it: a gp_Pln, gp_Cylinder, …"""
    sizes: Callable[[Any], tuple[float, ...]]
    """What it measures, behind origin and direction of its axis."""
    distance: Callable[[_Points, _Points], _Points]
    """Distances, millimetres, of points (3, n) from surfaces, given by numbers (k, n) or (k, 1)."""
    normal: Callable[[_Points, _Points], _Points]
    """Unit normals (3, n) where points (3, n) are nearest: of a plane along its axis, of others away from it,
    or from the middle of the tube."""

    def axes(self, surface: BRepAdaptor_Surface) -> gp_Ax3:
        """Its own axes."""
        return self.form(surface).Position()

    def numbers(self, surface: BRepAdaptor_Surface) -> list[float]:
        """Where and what a surface is."""
        return self.read(surface)[0]

    def read(self, surface: BRepAdaptor_Surface) -> tuple[list[float], bool]:
        """The same, and whether its axes are right-handed."""
        form = self.form(surface)
        axes = form.Position()
        return [*axes.Location().Coord(), *axes.Direction().Coord(), *self.sizes(form)], axes.Direct()


def _local(points: _Points, surfaces: _Points) -> tuple[_Points, _Points]:
    """Distance from the axis and height along it."""
    offset, along = points - surfaces[:3], surfaces[3:6]
    height = offset[0] * along[0] + offset[1] * along[1] + offset[2] * along[2]
    across = offset - height * along
    return _length(across), height


def _length(vectors: _Points) -> _Points:
    return np.asarray(np.sqrt(vectors[0] ** 2 + vectors[1] ** 2 + vectors[2] ** 2))


def _radial(points: _Points, surfaces: _Points) -> _Points:
    """Unit vectors (3, n) away from the axis; zero on it."""
    offset, along = points - surfaces[:3], surfaces[3:6]
    height = offset[0] * along[0] + offset[1] * along[1] + offset[2] * along[2]
    return _unit(offset - height * along)


def _unit(vectors: _Points) -> _Points:
    length = _length(vectors)
    return np.asarray(vectors / np.where(length > 0.0, length, 1.0))


def _along(points: _Points, surfaces: _Points) -> _Points:
    return np.broadcast_to(surfaces[3:6], points.shape)


def _to_plane(points: _Points, surfaces: _Points) -> _Points:
    offset, along = points - surfaces[:3], surfaces[3:6]
    return np.asarray(np.abs(offset[0] * along[0] + offset[1] * along[1] + offset[2] * along[2]))


def _to_cylinder(points: _Points, surfaces: _Points) -> _Points:
    return np.asarray(np.abs(_local(points, surfaces)[0] - surfaces[_SHAPE]))


def _to_cone(points: _Points, surfaces: _Points) -> _Points:
    radius, height = _local(points, surfaces)
    reference, tilt = surfaces[_SHAPE], surfaces[_SHAPE + 1]
    return np.asarray(np.abs(radius - np.abs(reference + height * np.tan(tilt))) * np.cos(tilt))


def _off_cone(points: _Points, surfaces: _Points) -> _Points:
    _, height = _local(points, surfaces)
    reference, tilt = surfaces[_SHAPE], surfaces[_SHAPE + 1]
    # beyond the apex the other half of the cone widens again
    half = np.where(reference + height * np.tan(tilt) < 0.0, -1.0, 1.0)
    return np.asarray(np.cos(tilt) * _radial(points, surfaces) - half * np.sin(tilt) * surfaces[3:6])


def _to_sphere(points: _Points, surfaces: _Points) -> _Points:
    return np.asarray(np.abs(_length(points - surfaces[:3]) - surfaces[_SHAPE]))


def _off_centre(points: _Points, surfaces: _Points) -> _Points:
    return _unit(points - surfaces[:3])


def _to_torus(points: _Points, surfaces: _Points) -> _Points:
    radius, height = _local(points, surfaces)
    return np.asarray(np.abs(np.hypot(radius - surfaces[_SHAPE], height) - surfaces[_SHAPE + 1]))


def _off_tube(points: _Points, surfaces: _Points) -> _Points:
    middle = surfaces[:3] + surfaces[_SHAPE] * _radial(points, surfaces)
    return _unit(points - middle)


ELEMENTARY: dict[int, Elementary] = {
    GeomAbs_Plane.value: Elementary(BRepAdaptor_Surface.Plane, lambda _: (), _to_plane, _along),
    GeomAbs_Cylinder.value: Elementary(
        BRepAdaptor_Surface.Cylinder, lambda form: (form.Radius(),), _to_cylinder, _radial
    ),
    GeomAbs_Cone.value: Elementary(
        BRepAdaptor_Surface.Cone, lambda form: (form.RefRadius(), form.SemiAngle()), _to_cone, _off_cone
    ),
    GeomAbs_Sphere.value: Elementary(
        BRepAdaptor_Surface.Sphere, lambda form: (form.Radius(),), _to_sphere, _off_centre
    ),
    GeomAbs_Torus.value: Elementary(
        BRepAdaptor_Surface.Torus, lambda form: (form.MajorRadius(), form.MinorRadius()), _to_torus, _off_tube
    ),
}
"""By the number of ``GeomAbs_SurfaceType``; its names themselves are slow to compare."""
