"""How far two edges of a face are apart across it, millimetres.

Parallel lines, and circles about one axis, say it in closed form: OpenCASCADE takes 15 µs for two lines, and
for such circles 12 ms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.ElCLib import ElCLib
from OCP.gp import gp_Pnt, gp_Vec
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS_Face, TopoDS_Vertex

from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import CIRCLE, LINE
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, inwards
from vcad_kernel.geometry.placement import cross
from vcad_kernel.operations.node import Vec3

__all__ = ["gap_across"]

_TOUCHING = 1e-7
"""Millimetres."""
_SQUARE = 1.0 - 1e-6
"""Cosine of the angle between the way across and the way into the face, of strips that meet: those that only
point at each other's ends need not."""
_OPPOSITE = 1.0 - 5e-6
"""Cosine of twice that angle, and a little less."""
_PARALLEL = 1e-9
"""Sine of the angle between directions."""
_FULL = 2.0 * math.pi * (1.0 - 1e-12)


def gap_across(corner: SharpEdge, other: SharpEdge, face: TopoDS_Face) -> float | None:
    """Distance of two edges across a face; None when they touch, or the face is not between them."""
    here, there = corner.into_face(face), other.into_face(face)
    if here is not None and there is not None and corner.curve == other.curve:
        is_parallel = math.hypot(*cross(corner.row[9:12], other.row[9:12])) <= _PARALLEL
        if corner.curve == LINE:
            if _dot(here, there) > -_OPPOSITE:
                return None
            if is_parallel:
                return _between_lines(corner.row, other.row, here, there)
        elif is_parallel and max(corner.row[13], other.row[13]) >= _FULL and _is_on_axis(corner, other):
            return _between_rings(corner.row, other.row, here, there)
    if TopExp.CommonVertex_s(corner.edge, other.edge, TopoDS_Vertex()):
        return None
    for start, end in _nearest(corner, other):
        if start.Distance(end) <= _TOUCHING:
            return None
        across = gp_Vec(start, end).Coord()
        gap = _square_gap(across, _inwards_at(corner, face, start), _inwards_at(other, face, end))
        if gap is not None:
            return gap
    return None


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _square_gap(across: Sequence[float], here: Sequence[float], there: Sequence[float]) -> float | None:
    """How long the way across is; None unless it is square to both edges, between them, and longer than none.

    here, there: unit directions into the face, at either end.
    """
    gap = math.hypot(*across)
    least = _SQUARE * gap
    return gap if gap > _TOUCHING and _dot(here, across) > least and _dot(there, across) < -least else None


def _between_lines(
    row: Sequence[float], other: Sequence[float], here: Sequence[float], there: Sequence[float]
) -> float | None:
    """Of parallel ones."""
    along = row[9:12]
    offset = [other[at] - row[at] for at in range(3)]
    start, end = _dot(offset, along), _dot([other[3 + at] - row[at] for at in range(3)], along)
    length = _dot([row[3 + at] - row[at] for at in range(3)], along)
    # where one begins beyond the end of the other, the nearest places are those two
    beyond = max(0.0, min(start, end) - length, -max(start, end))
    return _square_gap([offset[at] + (beyond - start) * along[at] for at in range(3)], here, there)


def _is_on_axis(corner: SharpEdge, other: SharpEdge) -> bool:
    row, centre = corner.row, other.row[6:9]
    offset = centre[0] - row[6], centre[1] - row[7], centre[2] - row[8]
    return math.hypot(*cross(row[9:12], offset)) <= _TOUCHING


def _between_rings(
    row: Sequence[float], other: Sequence[float], here: Sequence[float], there: Sequence[float]
) -> float | None:
    """Of circles about one axis: as far all around. here, there: at the starts of both."""
    axis = row[9:12]

    def parts(each: Sequence[float], way: Sequence[float]) -> Vec3:
        """Of a direction: away from the axis, along it, and around it."""
        return _dot([each[at] - each[6 + at] for at in range(3)], way) / each[12], _dot(axis, way), 0.0

    height = _dot([other[6 + at] - row[6 + at] for at in range(3)], axis)
    return _square_gap((other[12] - row[12], height, 0.0), parts(row, here), parts(other, there))


def _nearest(corner: SharpEdge, other: SharpEdge) -> Iterator[tuple[gp_Pnt, gp_Pnt]]:
    """Places of two edges that are nearest to each other; none of circles about one axis side by side."""
    if corner.curve == other.curve == CIRCLE:
        curves = BRepAdaptor_Curve(corner.edge), BRepAdaptor_Curve(other.edge)
        axes = [curve.Circle().Axis() for curve in curves]
        if axes[0].IsCoaxial(axes[1], 1e-9, 1e-7) or axes[0].IsCoaxial(axes[1].Reversed(), 1e-9, 1e-7):
            # as far apart all around, which takes OpenCASCADE 12 ms to find out
            facing = _facing(*curves) or [(end, start) for start, end in _facing(*curves[::-1])]
            yield from facing[:1]
            return
    measured = BRepExtrema_DistShapeShape(corner.edge, other.edge)
    for solution in range(1, measured.NbSolution() + 1):
        yield measured.PointOnShape1(solution), measured.PointOnShape2(solution)


def _facing(arc: BRepAdaptor_Curve, other: BRepAdaptor_Curve) -> list[tuple[gp_Pnt, gp_Pnt]]:
    """Places near the ends and in the middle of an arc, with those of another one at the same angle."""
    first, last = other.FirstParameter(), other.LastParameter()
    facing = []
    for share in (0.5, 0.001, 0.999):
        here = arc.Value(arc.FirstParameter() + share * (arc.LastParameter() - arc.FirstParameter()))
        there = ElCLib.InPeriod_s(ElCLib.Parameter_s(other.Circle(), here), first, first + 2.0 * math.pi)
        if there <= last:
            facing.append((here, other.Value(there)))
    return facing


def _inwards_at(corner: SharpEdge, face: TopoDS_Face, point: gp_Pnt) -> Vec3:
    curve = BRepAdaptor_Curve(corner.edge)
    at = 0.5 * (curve.FirstParameter() + curve.LastParameter())
    if corner.curve == CIRCLE:
        at = ElCLib.Parameter_s(curve.Circle(), point)
    x, y, z = inwards(corner, face, at).Coord()
    return x, y, z
