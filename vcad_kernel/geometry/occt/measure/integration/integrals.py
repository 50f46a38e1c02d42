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
from vcad_kernel.geometry.placement import crossed

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
    """Elementary faces and the edges between them."""

    def __init__(self, numbers: BoundaryNumbers) -> None:
        self._numbers = numbers
        self._edges = numbers.curves.rows.tolist()
        """Start, end, centre, axis, radius and angle; lines have no angle."""
        self._planes: list[list[float]] = []
        """A point of each."""
        self._cylinders: list[list[float]] = []
        """Of each a point of the axis, its direction and the radius."""
        self._plane_sides: list[tuple[int, int, float]] = []
        """Plane, edge, and 1 or -1 where the border runs against the edge."""
        self._cylinder_sides: list[tuple[int, int, float]] = []
        self._spheres: list[list[float]] = []
        """Centre and radius, negative where the body is outside the ball."""
        self._sphere_sides: list[tuple[int, int, float]] = []
        self._cones: list[tuple[float, ...]] = []
        """Of each the apex, the axis and the sine of the slope."""
        self._cone_sides: list[tuple[int, int, float]] = []
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
            number = len(self._planes)
            self._planes.append(self._numbers.surface_numbers(face)[:3])
            self._plane_sides += [(number, edge, sign) for edge, sign in sides]
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
        cylinder = self._numbers.surface_numbers(face)
        if not all(self._fits(edge, cylinder[3:6]) for edge, _ in sides):
            return False
        number = len(self._cylinders)
        self._cylinders.append(cylinder)
        self._cylinder_sides += [(number, edge, sign) for edge, sign in sides]
        return True

    def _takes_cone(self, face: int, sides: list[tuple[int, float]]) -> bool:
        cone = self._numbers.surfaces[face].Cone()
        slope = math.sin(cone.SemiAngle())
        if abs(slope) < _STEEP:
            return False
        number = len(self._cones)
        self._cones.append((*cone.Apex().Coord(), *cone.Axis().Direction().Coord(), slope))
        self._cone_sides += [(number, edge, sign) for edge, sign in sides]
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

    def _fits(self, row: int, along: list[float]) -> bool:
        """Whether an edge on a cylinder is a ring or a ruling, which only tolerances could deny."""
        way = self._edges[row][9:12]
        cosine = way[0] * along[0] + way[1] * along[1] + way[2] * along[2]
        return bool(abs(cosine) > 1.0 - _ON_AXIS)

    def figures(self) -> tuple[float, float] | None:
        """Signed volume and area of what was noted; None where an arc meets a pole of its integrand."""
        rows = self._numbers.curves.rows.copy()
        real = np.array(self._numbers.curves.kinds) != POINT
        # measured from among the points, since far from a body its volume is a difference of large numbers
        middle = rows[real, 0:3].mean(axis=0)
        ends = np.tile(middle, 2)
        rows[:, 0:6] -= ends
        rows[:, 6:9] -= middle
        volume = area = 0.0
        if self._planes:
            # divergence theorem: the volume is a third of ∮ P·n over all faces
            volume, area = _of_planes(np.array(self._planes) - middle, np.array(self._plane_sides), rows)
        if self._cylinders:
            cylinders = np.array(self._cylinders)
            cylinders[:, 0:3] -= middle
            more = _of_cylinders(cylinders, np.array(self._cylinder_sides), rows)
            volume, area = volume + more[0], area + more[1]
        if self._spheres:
            spheres = np.array(self._spheres)
            spheres[:, 0:3] -= middle
            rest = _of_spheres(spheres, np.array(self._sphere_sides), rows)
            if rest is None:
                return None
            volume, area = volume + rest[0], area + rest[1]
        if self._cones:
            cones = np.array(self._cones)
            cones[:, 0:3] -= middle
            more = _of_cones(cones, np.array(self._cone_sides), rows)
            volume, area = volume + more[0], area + more[1]
        if self._tori:
            tori = np.array(self._tori)
            tori[:, 0:3] -= middle
            more = _of_tori(tori, np.array(self._torus_sides), np.array(self._torus_rings), rows)
            volume, area = volume + more[0], area + more[1]
        return volume, area


def _of_planes(points: _Rows, sides: _Rows, edges: _Rows) -> tuple[float, float]:
    """Volume and area of flat faces. points: one of each. sides: of their borders."""
    areas = _swept(len(points), sides, edges)
    return float(np.sum(points * areas)) / 3.0, float(np.linalg.norm(areas, axis=1).sum())


def _swept(count: int, sides: _Rows, edges: _Rows) -> _Rows:
    """(count, 3): ½ ∮ P × dP along the border of each face."""
    face, edge, sign = sides.T
    start, end, centre, axis = (edges[:, at : at + 3] for at in (0, 3, 6, 9))
    radius, angle = edges[:, 12], edges[:, 13]
    # from S to E along a line ½ S × E; along an arc about C ½ C × (E − S) + ½ r²·angle·axis
    bent = (angle != 0.0)[:, None]
    swept = 0.5 * (
        crossed(np.where(bent, centre, start), np.where(bent, end - start, end))
        + (radius**2 * angle)[:, None] * axis
    )
    areas = np.zeros((count, 3))
    np.add.at(areas, face.astype(int), sign[:, None] * swept[edge.astype(int)])
    return areas


def _of_cylinders(surfaces: _Rows, sides: _Rows, edges: _Rows) -> tuple[float, float]:
    """Volume and area of cylindrical faces. surfaces: point and direction of the axis, radius."""
    face, edge, sign = sides.T
    number = face.astype(int)
    beneath, rows = surfaces[number], edges[edge.astype(int)]
    origin, along, radius = beneath[:, :3], beneath[:, 3:6], beneath[:, 6]
    angle = rows[:, 13]
    chord = rows[:, 3:6] - rows[:, 0:3]
    # a ring may run the other way about its own axis; a ruling has no angle
    turn = angle * np.sign(_dots(rows[:, 9:12], along))
    height = np.where(angle != 0.0, _dots(rows[:, 6:9] - origin, along), 0.0)
    # −∮ h dθ: constant height along a ring, no turn along a ruling
    swept = -sign * height * turn
    # ∫ O·n dθ = -O·(axis × chord) / r
    leaning = sign * height * _dots(origin, crossed(along, chord))
    volume = float(np.sum(leaning + swept * radius**2)) / 3.0
    areas = np.bincount(number, swept * radius, len(surfaces))
    return volume, float(np.abs(areas).sum())


def _of_cones(surfaces: _Rows, sides: _Rows, edges: _Rows) -> tuple[float, float]:
    """Volume and area of conical faces. surfaces: apex, axis and sine of the slope."""
    swept = _swept(len(surfaces), sides, edges)
    # the normal leans by as much from the axis all over the cone, and is square to the way to the apex
    volume = float(np.sum(surfaces[:, :3] * swept)) / 3.0
    return volume, float(np.abs(_dots(swept, surfaces[:, 3:6]) / surfaces[:, 6]).sum())


def _of_tori(surfaces: _Rows, sides: _Rows, rings: _Rows, edges: _Rows) -> tuple[float, float]:
    """Volume and area of pieces of tori. surfaces: as noted. rings: those sides that run along the tube."""
    count = len(surfaces)
    leaning = float(np.sum(surfaces[:, :3] * _swept(count, sides, edges)))
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


def _of_spheres(surfaces: _Rows, sides: _Rows, edges: _Rows) -> tuple[float, float] | None:
    """Volume and area of pieces of spheres. surfaces: centre, and radius with the sign of the curvature."""
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
    leaning = np.sum(surfaces[:, :3] * _swept(count, sides, edges))
    return float(leaning + np.sum(surfaces[:, 3] * areas)) / 3.0, float(areas.sum())


def _dots(a: _Rows, b: _Rows) -> _Rows:
    return np.asarray(np.einsum("ij,ij->i", a, b))
