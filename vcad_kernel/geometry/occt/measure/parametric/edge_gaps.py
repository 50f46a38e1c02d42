"""How far edges are from their faces and their corners: what tolerances should say, and often do not.

OpenCASCADE keeps with each edge a distance within which it lies on its faces. No edge has less than 1e-7 mm,
most are much better, and for a plane in a file it is not even looked at: a face may be a micrometre away from
the lines around it. Lengths in millimetres.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.ElCLib import ElCLib
from OCP.GeomAbs import GeomAbs_Circle, GeomAbs_Line
from OCP.TopAbs import TopAbs_EDGE, TopAbs_VERTEX
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Shape, TopoDS_Vertex

from vcad_kernel.geometry.occt.brep import edges_of, faces_of, shape_map
from vcad_kernel.geometry.occt.measure.parametric.meeting_surfaces import ROUNDING

__all__ = ["EXACT_EDGE", "end_at_corners", "fits_together", "note_gaps"]

EXACT_EDGE = 1.000001e-7
"""The tolerance of an edge that lies on its faces as well as OpenCASCADE can say (Precision::Confusion). A
line or a circle whose tolerance is larger is not taken for exact unseen."""
_LARGER = 1.1
"""Times that, for edges that are found to lie beside their faces."""
_WRITTEN = 1e-11
"""Part of the coordinates that may be lost in a file, where they often have twelve digits."""
_LINE = GeomAbs_Line.value
_SHARES = {_LINE: (0.0, 0.4, 1.0), GeomAbs_Circle.value: (0.0, 0.27, 0.5, 0.81, 1.0)}
"""Of an edge; one that is on a plane, cylinder, cone, ball or ring at so many places is on it."""


def fits_together(shape: TopoDS_Shape) -> bool:
    """Whether edges with a larger tolerance than need be lie on their faces all the same, and end at corners
    with one."""
    loose = BRep_Tool.MaxTolerance_s(shape, TopAbs_VERTEX) > EXACT_EDGE
    if loose and any(gap > _WRITTEN * size for _, _, gap, size in _ends(shape, EXACT_EDGE)):
        return False
    if BRep_Tool.MaxTolerance_s(shape, TopAbs_EDGE) <= EXACT_EDGE:
        return True
    return not any(gap > ROUNDING * size for _, gap, size in _gaps(shape, EXACT_EDGE))


def end_at_corners(shape: TopoDS_Shape) -> None:
    """Gives lines and circles that end beside a corner the ranges of parameters that end there."""
    builder = BRep_Builder()
    moved: dict[TopoDS_Edge, list[float]] = {}
    for edge, is_last, gap, size in _ends(shape, 0.0):
        if gap <= _WRITTEN * size:
            continue
        curve = BRepAdaptor_Curve(edge)
        ends = moved.setdefault(edge, [curve.FirstParameter(), curve.LastParameter()])
        corner = BRep_Tool.Pnt_s(_corner(edge, is_last))
        if curve.GetType().value == _LINE:
            ends[is_last] = ElCLib.Parameter_s(curve.Line(), corner)
        else:
            turn = ElCLib.Parameter_s(curve.Circle(), corner)
            ends[is_last] = turn + math.tau * round((ends[is_last] - turn) / math.tau)
    for edge, (first, last) in moved.items():
        builder.Range(edge, first, last)


def _ends(shape: TopoDS_Shape, least: float) -> Iterator[tuple[TopoDS_Edge, bool, float, float]]:
    """Ends of lines and circles at corners with a tolerance above: whether it is the last, how far from the
    corner, and how far that is out."""
    for edge in edges_of(shape):
        if BRep_Tool.Degenerated_s(edge):
            continue
        curve = None
        for is_last in (False, True):
            corner = _corner(edge, is_last)
            if corner.IsNull() or BRep_Tool.Tolerance_s(corner) <= least:
                continue
            curve = curve or BRepAdaptor_Curve(edge)
            if curve.GetType().value not in _SHARES:
                break
            there = BRep_Tool.Pnt_s(corner)
            gap = there.Distance(curve.Value(curve.LastParameter() if is_last else curve.FirstParameter()))
            yield edge, is_last, gap, max(1.0, *map(abs, there.Coord()))


def _corner(edge: TopoDS_Edge, is_last: bool) -> TopoDS_Vertex:
    """Where the curve of an edge begins or ends, whichever way the edge runs; null where it has no end."""
    return TopExp.LastVertex_s(edge) if is_last else TopExp.FirstVertex_s(edge)


def note_gaps(shape: TopoDS_Shape) -> None:
    """Gives edges that lie beside a face a tolerance that says so, and their ends no smaller one."""
    builder = BRep_Builder()
    for edge, gap, size in _gaps(shape, 0.0):
        if gap > _WRITTEN * size:
            tolerance = max(gap, _LARGER * EXACT_EDGE)
            builder.UpdateEdge(edge, tolerance)
            ends = shape_map(edge, TopAbs_VERTEX)
            for index in range(1, ends.Extent() + 1):
                builder.UpdateVertex(TopoDS.Vertex(ends.FindKey(index)), tolerance)


def _gaps(shape: TopoDS_Shape, least: float) -> Iterator[tuple[TopoDS_Edge, float, float]]:
    """Lines and circles with a tolerance above, how far each is from a face of its, and how far out it is.

    Any other edge is known to come only near.
    """
    for face in faces_of(shape):
        surface = BRepAdaptor_Surface(face, False)
        for edge in edges_of(face):
            if BRep_Tool.Tolerance_s(edge) <= least or BRep_Tool.Degenerated_s(edge):
                continue
            curve = BRepAdaptor_Curve(edge)
            shares = _SHARES.get(curve.GetType().value)
            if shares is not None:
                yield edge, *_gap(curve, BRepAdaptor_Curve2d(edge, face), surface, shares)


def _gap(
    curve: BRepAdaptor_Curve,
    border: BRepAdaptor_Curve2d,
    surface: BRepAdaptor_Surface,
    shares: Sequence[float],
) -> tuple[float, float]:
    first, last = curve.FirstParameter(), curve.LastParameter()
    widest, size = 0.0, 1.0
    for share in shares:
        parameter = first + share * (last - first)
        there, spot = curve.Value(parameter), border.Value(parameter)
        widest = max(widest, there.Distance(surface.Value(spot.X(), spot.Y())))
        size = max(size, abs(there.X()), abs(there.Y()), abs(there.Z()))
    return widest, size
