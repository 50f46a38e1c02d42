"""Whether an edge lies on others for some part of its length.

known = SharedCurves(edges_of(before))
known.holds(edge)                       # some part of it lies on an edge of the body before
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepBndLib import BRepBndLib
from OCP.Extrema import Extrema_ExtPC
from OCP.gp import gp_Pnt
from OCP.TopoDS import TopoDS_Edge

__all__ = ["SharedCurves"]

_NEAR = 1e-6
"""Millimetres within which a point lies on an edge."""
_STATIONS = (0.5, 0.37)
"""Shares of a stretch: curves that only cross may meet at one, not at both."""
_SHORTEST = 1e-9
"""Share of an edge's parameters: a shorter stretch is a point."""


class SharedCurves:
    """Edges that others may lie on."""

    def __init__(self, edges: Sequence[TopoDS_Edge]) -> None:
        self._edges = [(BRepAdaptor_Curve(edge), BRep_Tool.Tolerance_s(edge)) for edge in edges]
        self._boxes = np.array([_box(edge) for edge in edges]).reshape(-1, 2, 3)

    def holds(self, edge: TopoDS_Edge) -> bool:
        """Whether some part of an edge lies on one of these."""
        low, high = _box(edge)
        apart = (self._boxes[:, 0] > high) | (self._boxes[:, 1] < low)
        curve, tolerance = BRepAdaptor_Curve(edge), BRep_Tool.Tolerance_s(edge)
        return any(
            _share(curve, other, max(_NEAR, tolerance + loose))
            for other, loose in (self._edges[index] for index in np.flatnonzero(~apart.any(axis=1)))
        )


def _box(edge: TopoDS_Edge) -> NDArray[np.float64]:
    """(2, 3): lowest and highest corner."""
    box = Bnd_Box()
    BRepBndLib.Add_s(edge, box, False)
    box.Enlarge(_NEAR)
    return np.array([box.CornerMin().Coord(), box.CornerMax().Coord()])


def _share(curve: BRepAdaptor_Curve, other: BRepAdaptor_Curve, near: float) -> bool:
    """Whether two curves run along each other somewhere.

    Where they begin and cease to is an end of one or the other, so one place between any two such ends says
    it of all between them.
    """
    first, last = curve.FirstParameter(), curve.LastParameter()
    cuts = [first, last]
    for end in (other.FirstParameter(), other.LastParameter()):
        cuts += [at for at, gap in _nearest(other.Value(end), curve) if gap <= near]
    cuts.sort()
    return any(
        all(_is_on(curve.Value(low + share * (high - low)), other, near) for share in _STATIONS)
        for low, high in pairwise(cuts)
        if high - low > _SHORTEST * (last - first)
    )


def _is_on(point: gp_Pnt, curve: BRepAdaptor_Curve, near: float) -> bool:
    return any(gap <= near for _, gap in _nearest(point, curve)) or any(
        point.Distance(curve.Value(end)) <= near for end in (curve.FirstParameter(), curve.LastParameter())
    )


def _nearest(point: gp_Pnt, curve: BRepAdaptor_Curve) -> Iterator[tuple[float, float]]:
    """Parameters between a curve's ends at which it is nearest to a point, and how far it is there, mm."""
    search = Extrema_ExtPC(point, curve)
    if search.IsDone():
        for index in range(1, search.NbExt() + 1):
            yield float(search.Point(index).Parameter()), float(search.SquareDistance(index)) ** 0.5
