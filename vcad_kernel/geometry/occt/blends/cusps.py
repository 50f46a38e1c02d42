"""Corners of a flat face at which two of its edges run into each other without an angle.

Beside such an edge the face becomes narrower than any strip, so that no blend of it can end there,
however small; OpenCASCADE asked for one may never return. It is so where a boss touches the border
of the plate under it, or a hole the side of its block. Lengths in millimetres.

Earns its place by `test_cusps_refuse_a_boss_that_touches_the_border_of_its_plate`: OpenCASCADE alone does
not come back.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.GeomAbs import GeomAbs_Plane
from OCP.gp import gp_Pnt, gp_Vec
from OCP.TopoDS import TopoDS_Face

from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import CIRCLE, LINE
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import length_of
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, inwards
from vcad_kernel.geometry.placement import cross
from vcad_kernel.operations.node import Vec3

__all__ = ["Cusp", "cusps"]

_PLANE = GeomAbs_Plane.value
_SAME_WAY = 1e-4
"""Radians between directions that are taken for one."""
_STEP = 0.02
"""Share of the shorter edge after which it is looked at which side of it the other one lies on."""


@dataclass(frozen=True, slots=True, eq=False)
class Cusp:
    """Where it is, and the two edges."""

    point: gp_Pnt
    edges: tuple[SharpEdge, SharpEdge]


@dataclass(slots=True, eq=False)
class _End:
    """An edge as it leaves one of its vertices, beside one of its faces."""

    corner: SharpEdge
    face: TopoDS_Face
    is_last: bool
    """Whether it is left from the end of its curve."""

    onwards: Vec3
    """The unit direction in which it leaves; no numbers where there is none."""

    def after(self, length: float) -> tuple[gp_Pnt, gp_Vec]:
        """About so far along the edge: the point, and the unit direction into the face."""
        curve = BRepAdaptor_Curve(self.corner.edge)
        start, way = (curve.LastParameter(), -1.0) if self.is_last else (curve.FirstParameter(), 1.0)
        point, tangent = gp_Pnt(), gp_Vec()
        curve.D1(start, point, tangent)
        at = start + way * length / tangent.Magnitude()
        curve.D1(at, point, tangent)
        return point, inwards(self.corner, self.face, at)


def cusps(edges: Sequence[SharpEdge], chosen: Sequence[SharpEdge]) -> Iterator[Cusp]:
    """The cusps in which a chosen edge ends.

    edges: all sharp ones of the body. chosen: those to be blended.
    """
    ends_at: dict[tuple[int, int], list[_End]] = {}
    for corner in edges:
        if _PLANE not in corner.surfaces:
            continue
        ways = _ways(corner)
        for side, kind in enumerate(corner.surfaces):
            if kind == _PLANE:
                for is_last, (vertex, way) in enumerate(zip(corner.ends, ways, strict=True)):
                    end = _End(corner, corner.faces[side], bool(is_last), way)
                    ends_at.setdefault((corner.numbers[side], vertex), []).append(end)
    for ends in ends_at.values():
        for end, other in combinations(ends, 2):
            if end.corner is other.corner or not math.dist(end.onwards, other.onwards) <= _SAME_WAY:
                continue
            if not _narrows(end, other):
                continue
            if any(each.edge.IsSame(one.corner.edge) for each in chosen for one in (end, other)):
                yield Cusp(end.after(0.0)[0], (end.corner, other.corner))


def _ways(corner: SharpEdge) -> tuple[Vec3, Vec3]:
    """The unit directions in which it leaves its first and its last vertex."""
    row = corner.row
    axis = row[9], row[10], row[11]
    if corner.curve == LINE:
        return axis, (-axis[0], -axis[1], -axis[2])
    if corner.curve == CIRCLE:
        x, y, z = ((row[6 + at] - row[3 + at]) / row[12] for at in range(3))
        u, v, w = ((row[at] - row[6 + at]) / row[12] for at in range(3))
        return cross(axis, (u, v, w)), cross(axis, (x, y, z))
    curve = BRepAdaptor_Curve(corner.edge)
    point, ahead, back = gp_Pnt(), gp_Vec(), gp_Vec()
    curve.D1(curve.FirstParameter(), point, ahead)
    curve.D1(curve.LastParameter(), point, back)
    back.Reverse()
    return _unit(ahead), _unit(back)


def _unit(vector: gp_Vec) -> Vec3:
    length = vector.Magnitude() or math.nan
    return vector.X() / length, vector.Y() / length, vector.Z() / length


def _narrows(end: _End, other: _End) -> bool:
    """Whether two that leave the same way have the face between them."""
    step = _STEP * min(length_of(end.corner.edge), length_of(other.corner.edge))
    (here, within), (there, back) = end.after(step), other.after(step)
    across = gp_Vec(here, there)
    return bool(across.Dot(within) > 0.0 > across.Dot(back))
