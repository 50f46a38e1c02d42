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
from typing import TypeAlias

import numpy as np
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
_NO_WAY = 1e-3
"""Share of the radius: corners of a face whose middle is nearer to the centre show no direction."""
_STEEP = 1e-3
"""Radians: the apex of a cone that is nearer to a cylinder is too far away to measure from."""
_ON_TORUS = 1e-7
"""Millimetres by which circles on a torus may miss its parameters."""

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
    faces = [face for face, sign in enumerate(numbers.signs) if sign]
    if not faces or any(numbers.kinds[face] not in _KINDS for face in faces):
        return None
    boundary = _Boundary(numbers)
    parts = []
    for face in faces:
        part = boundary.part(face)
        if part is None:
            return None
        parts.append(part)
    balls = boundary.balls()
    if balls is None or not fits_together(shape):
        return None
    volumes, areas = zip(*parts, balls, strict=True)
    # divergence theorem: the volume is a third of ∮ P·n over all faces
    return math.fsum(volumes) / 3.0, math.fsum(areas)


_Side: TypeAlias = tuple[int, float]
"""An edge, and 1 or -1 where the border runs along it or against it."""
_Part: TypeAlias = tuple[float, float]
"""Of a face ∬ P·n and its area."""


class _Boundary:
    """Elementary faces and the edges between them.

    In plain numbers: most bodies have so few faces that an operation on arrays costs more than it does.
    """

    def __init__(self, numbers: BoundaryNumbers) -> None:
        self._numbers = numbers
        self._kinds = numbers.curves.kinds
        self._edges = numbers.curves.table
        """Start, end, centre, axis, radius and angle; lines have no angle."""
        # measured from among the points, since far from a body its volume is a difference of large numbers
        real = [row for row, kind in zip(self._edges, self._kinds, strict=True) if kind != POINT]
        count = len(real) or 1
        x, y, z = (sum(row[at] for row in real) / count for at in range(3))
        self._middle: tuple[float, float, float] = x, y, z
        self._swept: list[tuple[float, float, float] | None] = [None] * len(self._edges)
        self._spheres: list[float] = []
        """Their radii, negative where the body is outside the ball."""
        self._arcs: list[tuple[float, ...]] = []
        """Around them: number of the sphere, radius with the sign of the side, angle, and the integrand."""

    def part(self, face: int) -> _Part | None:
        """Three times the volume that a face adds, and its area; None = it has no closed form.

        Of a sphere only what its place adds: the rest is in `balls`.
        """
        kind = self._numbers.kinds[face]
        sides: list[_Side] = []
        for edge, sign in self._numbers.sides[face]:
            # a pole or an apex has no length and adds nothing to a line integral
            if not sign or (self._kinds[edge] == POINT and kind in (_SPHERE, _CONE)):
                continue
            if self._kinds[edge] not in (LINE, CIRCLE):
                return None
            sides.append((edge, sign))
        if kind == _CYLINDER:
            return self._cylinder(face, sides)
        if kind == _CONE:
            return self._cone(face, sides)
        if kind == _TORUS:
            return self._torus(face, sides)
        if kind == _SPHERE:
            return self._sphere(face, sides)
        x, y, z = self._around(sides)
        return self._leaning(self._numbers.surface_numbers(face), (x, y, z)), math.hypot(x, y, z)

    def _around(self, sides: list[_Side]) -> tuple[float, float, float]:
        """½ ∮ P × dP along a border."""
        x = y = z = 0.0
        for edge, sign in sides:
            u, v, w = self._swept[edge] or self._swept_by(edge)
            x, y, z = x + sign * u, y + sign * v, z + sign * w
        return x, y, z

    def _swept_by(self, edge: int) -> tuple[float, float, float]:
        """The same along an edge: from S to E along a line ½ S × E; along an arc about C
        ½ C × (E − S) + ½ r²·angle·axis."""
        row, (ox, oy, oz) = self._edges[edge], self._middle
        x, y, z, u, v, w = row[0] - ox, row[1] - oy, row[2] - oz, row[3] - ox, row[4] - oy, row[5] - oz
        bend = 0.0
        if row[13] != 0.0:
            u, v, w = u - x, v - y, w - z
            x, y, z = row[6] - ox, row[7] - oy, row[8] - oz
            bend = row[12] ** 2 * row[13]
        swept = (
            0.5 * (y * w - z * v + bend * row[9]),
            0.5 * (z * u - x * w + bend * row[10]),
            0.5 * (x * v - y * u + bend * row[11]),
        )
        self._swept[edge] = swept
        return swept

    def _leaning(self, point: Sequence[float], around: tuple[float, float, float]) -> float:
        """The dot product of a point and ½ ∮ P × dP."""
        x, y, z = self._middle
        a, b, c = around
        return (point[0] - x) * a + (point[1] - y) * b + (point[2] - z) * c

    def _cylinder(self, face: int, sides: list[_Side]) -> _Part | None:
        x, y, z, *along, radius = self._numbers.surface_numbers(face)
        ax, ay, az = along
        x, y, z = x - self._middle[0], y - self._middle[1], z - self._middle[2]
        volume = area = 0.0
        for edge, sign in sides:
            row = self._edges[edge]
            cosine = row[9] * ax + row[10] * ay + row[11] * az
            # a ring or a ruling, which only tolerances could deny
            if abs(cosine) <= 1.0 - _ON_AXIS:
                return None
            if row[13] == 0.0:
                continue
            # −∮ h dθ: constant height along a ring, no turn along a ruling
            height = sign * (
                (row[6] - self._middle[0] - x) * ax
                + (row[7] - self._middle[1] - y) * ay
                + (row[8] - self._middle[2] - z) * az
            )
            # a ring may run the other way about its own axis
            swept = -height * math.copysign(row[13], row[13] * cosine)
            # ∫ O·n dθ = -O·(axis × chord) / r
            u, v, w = row[3] - row[0], row[4] - row[1], row[5] - row[2]
            volume += height * (x * (ay * w - az * v) + y * (az * u - ax * w) + z * (ax * v - ay * u))
            volume += swept * radius**2
            area += swept * radius
        return volume, abs(area)

    def _cone(self, face: int, sides: list[_Side]) -> _Part | None:
        cone = self._numbers.surfaces[face].Cone()
        slope = math.sin(cone.SemiAngle())
        if abs(slope) < _STEEP:
            return None
        around = self._around(sides)
        ax, ay, az = cone.Axis().Direction().Coord()
        # the normal leans by as much from the axis all over the cone, and is square to the way to the apex
        area = abs((around[0] * ax + around[1] * ay + around[2] * az) / slope)
        return self._leaning(cone.Apex().Coord(), around), area

    def _torus(self, face: int, sides: list[_Side]) -> _Part | None:
        torus = self._numbers.surface_numbers(face)
        centre, along, large, small = torus[:3], torus[3:6], torus[6], torus[7]
        _, _, low, high = BRepTools.UVBounds_s(self._numbers.faces[face])
        # all around the tube a circle along it is at the beginning and at the end
        spare = 0.5 * (_RING - (high - low))
        if spare < 1e-3 or large <= small:
            return None
        area = bulge = 0.0
        for edge, sign in sides:
            row = self._edges[edge]
            x, y, z = row[6] - centre[0], row[7] - centre[1], row[8] - centre[2]
            cosine = row[9] * along[0] + row[10] * along[1] + row[11] * along[2]
            height = x * along[0] + y * along[1] + z * along[2]
            aside = math.hypot(x - height * along[0], y - height * along[1], z - height * along[2])
            if abs(cosine) > 1.0 - _ON_AXIS and aside <= _ON_TORUS:
                # along the tube
                turn = sign * small * math.copysign(row[13], row[13] * cosine)
                first = low - spare
                across = first + (math.atan2(height, row[12] - large) - first) % _RING
                sine = math.sin(across)
                area += turn * (large * across + small * sine)
                bulge += turn * (
                    (large**2 + small**2) * sine
                    + large * small * (1.5 * across + 0.25 * math.sin(2.0 * across))
                )
            elif not (
                abs(cosine) < _ON_AXIS
                and abs(height) <= _ON_TORUS
                and abs(aside - large) <= _ON_TORUS
                and abs(row[12] - small) <= _ON_TORUS
            ):
                return None
        # the border runs one way round or the other; the area says which
        facing = self._numbers.outwards(face) * math.copysign(1.0, area)
        return self._leaning(centre, self._around(sides)) + facing * bulge, abs(area)

    def _sphere(self, face: int, sides: list[_Side]) -> _Part | None:
        x, y, z, _, _, _, radius = self._numbers.surface_numbers(face)
        # the direction to the middle of the corners, from which the face's own opposite is far
        starts = [self._edges[edge] for edge, _ in sides]
        way = [sum(row[at] for row in starts) - len(starts) * centre for at, centre in enumerate((x, y, z))]
        length = math.hypot(*way)
        if length < _NO_WAY * radius or any(not 0.0 < row[13] <= _LONGEST_ARC for row in starts):
            return None
        u, v, w = (part / length for part in way)
        number = len(self._spheres)
        self._spheres.append(self._numbers.outwards(face) * radius)
        for row, (_, sign) in zip(starts, sides, strict=True):
            cx, cy, cz = row[6] - x, row[7] - y, row[8] - z
            # from the centre of the arc to its start, and on by a right angle
            ax, ay, az = row[0] - row[6], row[1] - row[7], row[2] - row[8]
            bx, by, bz = row[10] * az - row[11] * ay, row[11] * ax - row[9] * az, row[9] * ay - row[10] * ax
            self._arcs.append(
                (
                    number,
                    sign * radius,
                    row[13],
                    # (q × dq)·w: what is constant of it, and what goes with cosine and sine of the angle
                    (ay * bz - az * by) * u + (az * bx - ax * bz) * v + (ax * by - ay * bx) * w,
                    (cy * bz - cz * by) * u + (cz * bx - cx * bz) * v + (cx * by - cy * bx) * w,
                    (cz * ay - cy * az) * u + (cx * az - cz * ax) * v + (cy * ax - cx * ay) * w,
                    # and r + q·w
                    radius + cx * u + cy * v + cz * w,
                    ax * u + ay * v + az * w,
                    bx * u + by * v + bz * w,
                )
            )
        return self._leaning((x, y, z), self._around(sides)), 0.0

    def balls(self) -> _Part | None:
        """What the bulges of all spheres add to three times the volume, and their area.

        None where an arc meets a pole of its integrand.
        """
        if not self._spheres:
            return 0.0, 0.0
        arcs = np.array(self._arcs)
        radius, angle = arcs[:, 1], arcs[:, 2]
        turn = 0.5 * angle[:, None] * (_NODES + 1.0)
        sine, cosine = np.sin(turn), np.cos(turn)
        height = arcs[:, 6, None] + arcs[:, 7, None] * cosine + arcs[:, 8, None] * sine
        if np.any(height < _FROM_POLE * np.abs(radius)[:, None]):
            return None
        # (q × dq)·w / (r + q·w) at Gauss's nodes
        turning = (arcs[:, 3, None] + arcs[:, 4, None] * cosine + arcs[:, 5, None] * sine) / height
        swept = radius * 0.5 * angle * (turning @ _WEIGHTS)
        radii = np.array(self._spheres)
        areas = np.bincount(arcs[:, 0].astype(int), swept, len(radii)) * np.sign(radii)
        # the face is what lies beyond the border where that runs round it the other way
        areas = np.where(areas < 0.0, areas + 4.0 * math.pi * radii**2, areas)
        return float(np.sum(radii * areas)), float(areas.sum())
