"""Volume and area of bodies of planes, cylinders, cones and pieces of spheres and tori, from their edges.

Stokes makes line integrals of both, so that all a face has to know is its edges:

    plane      ∬ dA = ½ ∮ P × dP;   volume: a point of the plane times that, a third
    cylinder   ∬ g dθ dh = -∮ h g dθ, g = r for the area, (O·n + r)·r / 3 for the volume
    sphere     ∬ dA = ∮ r (q × dq)·w / (r + q·w); volume: r times that and O·½ ∮ P × dP, a third
    cone       ∬ dA = a·½ ∮ P × dP / sin t; volume: its apex times ½ ∮ P × dP, a third
    torus      ∬ g du dv = -∮ G du, G = ∫ g dv, g = r (R + r cos v) for the area, that times r + R cos v and
               O·½ ∮ P × dP for the volume, a third

where P runs along the border as seen from outside, O is a point of the axis or the centre, q = P - O,
w a direction whose opposite is not in the face, a the axis of a cone and t its slope. Along lines and circles
these have antiderivatives, but for the sphere's, which is so smooth that Gauss's rule is exact. OpenCASCADE
takes up to 100 µs for every curved face, and as much again for its area.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from OCP.BRepTools import BRepTools
from OCP.GeomAbs import (
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Plane,
    GeomAbs_Sphere,
    GeomAbs_Torus,
)
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.measure.parametric.edge_gaps import fits_together
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import (
    CIRCLE,
    LINE,
    POINT,
    BoundaryNumbers,
    boundary_numbers,
)
from vcad_kernel.geometry.placement import cross, crossed
from vcad_kernel.operations.node import Vec3

__all__ = ["plain_figures"]

_ON_AXIS = 1e-9
"""How far from 1 the cosine of the angle between an edge on a cylinder and the axis may be."""

# numbers, since comparing two of OpenCASCADE's names takes as long as asking for five
_PLANE, _CYLINDER, _SPHERE = GeomAbs_Plane.value, GeomAbs_Cylinder.value, GeomAbs_Sphere.value
_CONE, _TORUS = GeomAbs_Cone.value, GeomAbs_Torus.value
_KINDS = frozenset({_PLANE, _CYLINDER, _SPHERE, _CONE, _TORUS})
_RING = 2.0 * math.pi
_LONGEST_ARC = math.pi * (1.0 + 1e-9)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
"""For arcs on spheres of up to half a turn, which stay away from the pole of the integrand."""
_FROM_POLE = 0.5
"""Share of the radius by which they must."""
_STEEP = 1e-3
"""Radians: the apex of a cone that is nearer to a cylinder is too far away to measure from."""
_ON_TORUS = 1e-7
"""Millimetres by which circles on a torus may miss its parameters."""

_Rows = NDArray[np.float64]


_LATEST: deque[tuple[TopoDS_Shape, tuple[float, float] | None]] = deque(maxlen=6)
"""The bodies that were asked about last. Shapes do not change, and a place changes no figure."""


def plain_figures(shape: TopoDS_Shape) -> tuple[float, float] | None:
    """Signed volume, mm³, and area, mm².

    None where there are other faces than planes, cylinders, cones and pieces of spheres and tori, bounded by
    lines and circles that lie on them.
    """
    # what a body measures is asked several times while it is checked
    for known, figures in tuple(_LATEST):
        if known.IsPartner(shape) and known.Orientation() == shape.Orientation():
            return figures
    figures = _figures(shape)
    _LATEST.append((shape, figures))
    return figures


def _figures(shape: TopoDS_Shape) -> tuple[float, float] | None:
    numbers = boundary_numbers(shape)
    is_simple = all(kind in _KINDS for kind, sign in zip(numbers.kinds, numbers.signs, strict=True) if sign)
    if not is_simple or not any(numbers.signs):
        return None
    boundary = _Boundary(numbers)
    taken = all(boundary.takes(face) for face, sign in enumerate(numbers.signs) if sign)
    return boundary.figures() if taken and fits_together(shape) else None


class _Boundary:
    """Elementary faces and the edges between them.

    What planes, cylinders and cones amount to is added up in plain numbers: bodies mostly have few edges, and
    arrays of a dozen take ten times as long.
    """

    def __init__(self, numbers: BoundaryNumbers) -> None:
        self._numbers = numbers
        self._edges = numbers.curves.table
        """Start, end, centre, axis, radius and angle; lines have no angle."""
        starts = [row for row, kind in zip(self._edges, numbers.curves.kinds, strict=True) if kind != POINT]
        # measured from among the points, since far from a body its volume is a difference of large numbers
        x, y, z = (sum(row[axis] for row in starts) / max(len(starts), 1) for axis in range(3))
        self._middle = (x, y, z)
        self._swept: dict[int, Vec3] = {}
        """½ ∫ P × dP along edges, as far as it was asked for."""
        self._thrice = 0.0
        """Three times the volume by the faces that were noted so far, but for pieces of spheres and tori."""
        self._area = 0.0
        """Of the same."""
        self._spheres: list[list[float]] = []
        """Centre and radius, negative where the body is outside the ball."""
        self._sphere_sides: list[tuple[int, int, float]] = []
        """Sphere, edge, and 1 or -1 where the border runs against the edge."""
        self._tori: list[tuple[float, ...]] = []
        """Of each centre, axis, both radii, 1 or -1 where the body is outside the tube, and from which angle
        across the tube on the face lies."""
        self._torus_sides: list[tuple[int, int, float]] = []
        self._torus_rings: list[tuple[int, int, float]] = []
        """Those of its sides that run along the tube."""

    def takes(self, face: int) -> bool:
        """Notes a face; False = it has no closed form."""
        kind = self._numbers.kinds[face]
        sides = []
        curves = self._numbers.curves.kinds
        for edge, sign in self._numbers.sides[face]:
            if not sign:
                continue
            # a pole or an apex has no length and adds nothing to a line integral
            if curves[edge] == POINT and kind in (_SPHERE, _CONE):
                continue
            if curves[edge] not in (LINE, CIRCLE):
                return False
            sides.append((edge, sign))
        if kind == _PLANE:
            # divergence theorem: the volume is a third of ∮ P·n over all faces
            across = self._around(sides)
            self._thrice += _dot(self._from_middle(self._numbers.surface_numbers(face)), across)
            self._area += math.hypot(*across)
            return True
        if kind == _SPHERE:
            if any(not 0.0 < self._edges[edge][13] <= _LONGEST_ARC for edge, _ in sides):
                return False
            *centre, _, _, _, radius = self._numbers.surface_numbers(face)
            number = len(self._spheres)
            self._spheres.append([*centre, self._numbers.outwards(face) * radius])
            self._sphere_sides += [(number, edge, sign) for edge, sign in sides]
            return bool(sides)
        if kind == _CONE:
            return self._takes_cone(face, sides)
        if kind == _TORUS:
            return self._takes_torus(face, sides)
        return self._takes_cylinder(face, sides)

    def _from_middle(self, place: Sequence[float], at: int = 0) -> Vec3:
        """The three coordinates from one on."""
        x, y, z = self._middle
        return place[at] - x, place[at + 1] - y, place[at + 2] - z

    def _along(self, edge: int) -> Vec3:
        """½ ∫ P × dP along an edge."""
        known = self._swept.get(edge)
        if known is None:
            row = self._edges[edge]
            start, end = self._from_middle(row), self._from_middle(row, 3)
            angle = row[13]
            if angle:
                # along an arc about C ½ C × (E − S) + ½ r²·angle·axis
                chord = end[0] - start[0], end[1] - start[1], end[2] - start[2]
                x, y, z = cross(self._from_middle(row, 6), chord)
                bulge = row[12] ** 2 * angle
                x, y, z = x + bulge * row[9], y + bulge * row[10], z + bulge * row[11]
            else:
                # from S to E along a line ½ S × E
                x, y, z = cross(start, end)
            known = self._swept[edge] = (0.5 * x, 0.5 * y, 0.5 * z)
        return known

    def _around(self, sides: Sequence[tuple[int, float]]) -> Vec3:
        """½ ∮ P × dP along the border of a face."""
        x = y = z = 0.0
        for edge, sign in sides:
            u, v, w = self._along(edge)
            x, y, z = x + sign * u, y + sign * v, z + sign * w
        return x, y, z

    def _takes_cylinder(self, face: int, sides: list[tuple[int, float]]) -> bool:
        cylinder = self._numbers.surface_numbers(face)
        along, radius = (cylinder[3], cylinder[4], cylinder[5]), cylinder[6]
        origin = self._from_middle(cylinder)
        leaning = swept = 0.0
        for edge, sign in sides:
            row = self._edges[edge]
            cosine = _dot(row[9:12], along)
            # a ring or a ruling, which only tolerances could deny
            if not abs(cosine) > 1.0 - _ON_AXIS:
                return False
            if not row[13]:
                # no height along a ruling, for it does not turn
                continue
            centre = self._from_middle(row, 6)
            height = _dot((centre[0] - origin[0], centre[1] - origin[1], centre[2] - origin[2]), along)
            # ∫ O·n dθ = -O·(axis × chord) / r
            chord = row[3] - row[0], row[4] - row[1], row[5] - row[2]
            leaning += sign * height * _dot(origin, cross(along, chord))
            # −∮ h dθ: constant height along a ring, which may run the other way about its own axis
            swept -= sign * height * math.copysign(row[13], cosine)
        self._thrice += leaning + swept * radius**2
        self._area += abs(swept * radius)
        return True

    def _takes_cone(self, face: int, sides: list[tuple[int, float]]) -> bool:
        cone = self._numbers.surfaces[face].Cone()
        slope = math.sin(cone.SemiAngle())
        if abs(slope) < _STEEP:
            return False
        across = self._around(sides)
        # the normal leans by as much from the axis all over the cone, and is square to the way to the apex
        self._thrice += _dot(self._from_middle(cone.Apex().Coord()), across)
        self._area += abs(_dot(cone.Axis().Direction().Coord(), across) / slope)
        return True

    def _takes_torus(self, face: int, sides: list[tuple[int, float]]) -> bool:
        torus = self._numbers.surface_numbers(face)
        centre, along, large, small = torus[:3], torus[3:6], torus[6], torus[7]
        _, _, low, high = BRepTools.UVBounds_s(self._numbers.faces[face])
        # all around the tube a circle along it is at the beginning and at the end
        spare = 0.5 * (_RING - (high - low))
        if spare < 1e-3 or large <= small:
            return False
        number = len(self._tori)
        for row, sign in sides:
            edge = self._edges[row]
            offset = [edge[6 + at] - centre[at] for at in range(3)]
            cosine = sum(edge[9 + at] * along[at] for at in range(3))
            height = sum(offset[at] * along[at] for at in range(3))
            aside = math.sqrt(sum((offset[at] - height * along[at]) ** 2 for at in range(3)))
            if abs(cosine) > 1.0 - _ON_AXIS and aside <= _ON_TORUS:
                self._torus_rings.append((number, row, sign))
            elif not (
                abs(cosine) < _ON_AXIS
                and abs(height) <= _ON_TORUS
                and abs(aside - large) <= _ON_TORUS
                and abs(edge[12] - small) <= _ON_TORUS
            ):
                return False
        outwards = self._numbers.outwards(face)
        self._tori.append((*centre, *along, large, small, outwards, low - spare))
        self._torus_sides += [(number, edge, sign) for edge, sign in sides]
        return True

    def figures(self) -> tuple[float, float] | None:
        """Signed volume and area of what was noted; None where an arc meets a pole of its integrand."""
        volume, area = self._thrice / 3.0, self._area
        if not (self._spheres or self._tori):
            return volume, area
        rows = self._numbers.curves.rows.copy()
        middle = np.array(self._middle)
        rows[:, 0:6] -= np.tile(middle, 2)
        rows[:, 6:9] -= middle
        if self._spheres:
            spheres = np.array(self._spheres)
            spheres[:, 0:3] -= middle
            swept = self._around_each(len(spheres), self._sphere_sides)
            rest = _of_spheres(spheres, np.array(self._sphere_sides), swept, rows)
            if rest is None:
                return None
            volume, area = volume + rest[0], area + rest[1]
        if self._tori:
            tori = np.array(self._tori)
            tori[:, 0:3] -= middle
            swept = self._around_each(len(tori), self._torus_sides)
            more = _of_tori(tori, swept, np.array(self._torus_rings), rows)
            volume, area = volume + more[0], area + more[1]
        return volume, area

    def _around_each(self, count: int, sides: Sequence[tuple[int, int, float]]) -> _Rows:
        """(count, 3): ½ ∮ P × dP along the border of each face."""
        of_face: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        for face, edge, sign in sides:
            of_face[face].append((edge, sign))
        return np.array([self._around(each) for each in of_face])


def _of_tori(surfaces: _Rows, swept: _Rows, rings: _Rows, edges: _Rows) -> tuple[float, float]:
    """Volume and area of pieces of tori.

    surfaces: as noted. swept: ½ ∮ P × dP along their borders. rings: the sides that run along the tube.
    """
    count = len(surfaces)
    leaning = float(np.sum(surfaces[:, :3] * swept))
    face, edge, sign = rings.reshape(-1, 3).T
    number, rows = face.astype(int), edges[edge.astype(int)]
    centre, along = surfaces[number, :3], surfaces[number, 3:6]
    large, small, first = surfaces[number, 6], surfaces[number, 7], surfaces[number, 9]
    turn = sign * rows[:, 13] * np.sign(_dots(rows[:, 9:12], along))
    across = np.arctan2(_dots(rows[:, 6:9] - centre, along), rows[:, 12] - large)
    across = first + np.mod(across - first, _RING)
    areas = np.bincount(number, turn * small * (large * across + small * np.sin(across)), count)
    bulges = np.bincount(
        number,
        turn
        * small
        * (
            (large**2 + small**2) * np.sin(across)
            + large * small * (1.5 * across + 0.25 * np.sin(2.0 * across))
        ),
        count,
    )
    # the border runs one way round or the other; the area says which
    volume = (leaning + float(np.sum(surfaces[:, 8] * np.sign(areas) * bulges))) / 3.0
    return volume, float(np.abs(areas).sum())


def _of_spheres(surfaces: _Rows, sides: _Rows, borders: _Rows, edges: _Rows) -> tuple[float, float] | None:
    """Volume and area of pieces of spheres.

    surfaces: centre, and radius with the sign of the curvature. borders: ½ ∮ P × dP along each.
    """
    face, edge, sign = sides.T
    number, rows = face.astype(int), edges[edge.astype(int)]
    count = len(surfaces)
    centre, radius = surfaces[number, :3], np.abs(surfaces[number, 3])
    # the direction to the middle of the corners, from which the face's own opposite is far
    start = rows[:, 0:3] - centre
    towards = np.stack([np.bincount(number, start[:, axis], count) for axis in range(3)], axis=1)
    length = np.linalg.norm(towards, axis=1)
    if np.any(length < 1e-3 * np.abs(surfaces[:, 3])):
        return None
    way = (towards / length[:, None])[number]
    turn = 0.5 * rows[:, 13, None] * (_NODES + 1.0)
    across = rows[:, 0:3] - rows[:, 6:9]
    along = crossed(rows[:, 9:12], across)
    sine, cosine = np.sin(turn)[:, :, None], np.cos(turn)[:, :, None]
    # q and dq of each arc at its nodes
    place = (rows[:, 6:9] - centre)[:, None] + cosine * across[:, None] + sine * along[:, None]
    onwards = cosine * along[:, None] - sine * across[:, None]
    height = np.einsum("ijk,ik->ij", place, way) + radius[:, None]
    if np.any(height < _FROM_POLE * radius[:, None]):
        return None
    # (q × dq)·w / (r + q·w) at Gauss's nodes
    turning = np.einsum("ijk,ik->ij", crossed(place, onwards), way) / height
    swept = sign * radius * 0.5 * rows[:, 13] * (turning @ _WEIGHTS)
    areas = np.bincount(number, swept, count) * np.sign(surfaces[:, 3])
    # the face is what lies beyond the border where that runs round it the other way
    areas = np.where(areas < 0.0, areas + 4.0 * math.pi * surfaces[:, 3] ** 2, areas)
    leaning = np.sum(surfaces[:, :3] * borders)
    return float(leaning + np.sum(surfaces[:, 3] * areas)) / 3.0, float(areas.sum())


def _dots(a: _Rows, b: _Rows) -> _Rows:
    return np.asarray(np.einsum("ij,ij->i", a, b))


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
