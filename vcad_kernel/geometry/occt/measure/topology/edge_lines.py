"""The edges of an exact body as lines to draw, and which of them a person takes for no edge."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.GCPnts import GCPnts_QuasiUniformDeflection
from OCP.GeomAbs import GeomAbs_Circle, GeomAbs_Line
from OCP.TopoDS import TopoDS_Edge

from vcad_kernel.geometry.occt.brep import Brep, edges_of
from vcad_kernel.geometry.occt.measure.topology.inspecting import sharpness
from vcad_kernel.geometry.tolerance import Tessellation

__all__ = ["edge_lines"]


def edge_lines(brep: Brep, chord: float) -> list[tuple[NDArray[np.float64], bool]]:
    """Of each edge by its number the points (p, 3), mm, and whether the surface goes on smoothly across it.

    A pole has no points. chord: how far a line may be off its edge, mm.
    """
    sharp = sharpness(brep)
    tessellation = Tessellation(chord=chord)
    return [
        (_points(edge, tessellation), number not in sharp) for number, edge in enumerate(edges_of(brep.shape))
    ]


def _points(edge: TopoDS_Edge, tessellation: Tessellation) -> NDArray[np.float64]:
    if BRep_Tool.Degenerated_s(edge):
        return np.empty((0, 3))
    curve = BRepAdaptor_Curve(edge)
    first, last = curve.FirstParameter(), curve.LastParameter()
    kind = curve.GetType()
    if kind == GeomAbs_Line:
        places = [first, last]
    elif kind == GeomAbs_Circle:
        sides = tessellation.sides(curve.Circle().Radius())
        pieces = max(1, math.ceil(sides * (last - first) / (2.0 * math.pi) - 1e-9))
        places = np.linspace(first, last, pieces + 1).tolist()
    else:
        points = GCPnts_QuasiUniformDeflection(curve, 0.5 * tessellation.chord, first, last)
        if points.IsDone():
            places = [points.Parameter(index) for index in range(1, points.NbPoints() + 1)]
        else:
            places = np.linspace(first, last, 2).tolist()
    return np.array([curve.Value(place).Coord() for place in places])
