"""The boundary of a body as numbers, read once for all who ask: faces, edges, and which face has which edge.

Volume, area, sharp edges, boxes, clearances and chord errors all begin with the same questions to
OpenCASCADE: what surface a face lies on, what curve an edge is, where it begins and ends. A question takes a
microsecond, and a rounded box of 26 faces answers a thousand of them. Millimetres and radians.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_Circle, GeomAbs_Line
from OCP.gp import gp_Pnt, gp_Vec
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_FORWARD, TopAbs_REVERSED, TopAbs_VERTEX
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import shape_map
from vcad_kernel.geometry.occt.measure.distances.elementary import ELEMENTARY
from vcad_kernel.geometry.placement import crossed

__all__ = ["CIRCLE", "LINE", "POINT", "BoundaryNumbers", "Numbers", "boundary_numbers"]

Numbers = NDArray[np.float64]

# numbers, since comparing two of OpenCASCADE's names takes as long as asking for five
LINE, CIRCLE = GeomAbs_Line.value, GeomAbs_Circle.value
POINT = -1
"""The kind of an edge that is no curve at all: a pole or an apex."""
_SIGNS = {TopAbs_FORWARD.value: 1.0, TopAbs_REVERSED.value: -1.0}
_RING = 2.0 * math.pi
_QUARTERS = np.array([0.25, 0.5, 0.75])


class BoundaryNumbers:
    """Of one body, or of any shape with faces. Nothing of it changes."""

    def __init__(self, shape: TopoDS_Shape) -> None:
        self._shape = shape
        numbered = shape_map(shape, TopAbs_EDGE)
        self.edges: list[TopoDS_Edge] = [
            TopoDS.Edge(numbered.FindKey(index)) for index in range(1, numbered.Extent() + 1)
        ]
        """Each once, in the order of ``brep.edges_of``."""
        self.faces: list[TopoDS_Face] = []
        """In the order of ``brep.faces_of``; one that the shape has twice is there twice."""
        self.surfaces: list[BRepAdaptor_Surface] = []
        self.kinds: list[int] = []
        """Of the surfaces, numbers of ``GeomAbs_SurfaceType``."""
        self.signs: list[float] = []
        """1 of a face that is forward, -1 of a reversed one, 0 of one that is no boundary."""
        self.sides: list[list[tuple[int, float]]] = []
        """The edges around each face, and 1 or -1 where the border runs along or against the edge; 0 of an
        edge that lies within the face."""
        self.at_edge: list[list[tuple[int, float]]] = [[] for _ in self.edges]
        """The faces at each edge, and the same sign. A seam has its face twice."""
        walk, around = TopExp_Explorer(shape, TopAbs_FACE), TopExp_Explorer()
        while walk.More():
            face = TopoDS.Face(walk.Current())
            walk.Next()
            number, there = len(self.faces), []
            around.Init(face, TopAbs_EDGE)
            while around.More():
                edge = around.Current()
                around.Next()
                index, sign = numbered.FindIndex(edge) - 1, _SIGNS.get(edge.Orientation().value, 0.0)
                there.append((index, sign))
                self.at_edge[index].append((number, sign))
            surface = BRepAdaptor_Surface(face, False)
            self.faces.append(face)
            self.surfaces.append(surface)
            self.kinds.append(surface.GetType().value)
            self.signs.append(_SIGNS.get(face.Orientation().value, 0.0))
            self.sides.append(there)
        self._known: list[list[float] | None] = [None] * len(self.faces)
        self._facing: list[float] = [0.0] * len(self.faces)

    @cached_property
    def ends(self) -> list[tuple[int, int, bool]]:
        """First and last vertex of each edge, by the numbers of ``shape_map``, and whether it is a point."""
        vertices = shape_map(self._shape, TopAbs_VERTEX)
        return [
            (
                vertices.FindIndex(TopExp.FirstVertex_s(edge)),
                vertices.FindIndex(TopExp.LastVertex_s(edge)),
                BRep_Tool.Degenerated_s(edge),
            )
            for edge in self.edges
        ]

    @cached_property
    def is_elementary(self) -> bool:
        """Whether every face is a piece of a plane, cylinder, cone, sphere or torus."""
        return all(kind in ELEMENTARY for kind in self.kinds)

    def surface_numbers(self, face: int) -> list[float]:
        """Where and what the surface of a face is, which must be elementary."""
        known = self._known[face]
        if known is None:
            known, is_direct = ELEMENTARY[self.kinds[face]].read(self.surfaces[face])
            self._facing[face] = 1.0 if is_direct != (self.signs[face] < 0.0) else -1.0
            self._known[face] = known
        return known

    def outwards(self, face: int) -> float:
        """1 where the normal of an elementary surface leads out of the body, -1 where it leads into it."""
        self.surface_numbers(face)
        return self._facing[face]

    @cached_property
    def curves(self) -> Curves:
        """The edges as curves."""
        return Curves(self.edges)

    @cached_property
    def stations(self) -> Numbers:
        """(n, 3) corners, and places along bent edges at every quarter of their parameters."""
        kinds = self.curves.kinds
        ends = self.curves.rows[[kind != POINT for kind in kinds], :6].reshape(-1, 3)
        bent = [number for number, kind in enumerate(kinds) if kind not in (LINE, POINT)]
        if not bent:
            return ends
        return np.concatenate([ends, self.curves.along(bent, _QUARTERS)[0].reshape(-1, 3)])


class Curves:
    """Edges as curves, in the order given."""

    def __init__(self, edges: Sequence[TopoDS_Edge]) -> None:
        self.adaptors: list[BRepAdaptor_Curve | None] = []
        """None of a point. A curve runs the same way, whichever way its edge does."""
        kinds: list[int] = []
        rows = self.table = list[tuple[float, ...]]()
        """Of each edge start, end, centre, axis or direction, radius and angle. Lines have no centre and no
        angle, other curves but circles nothing except start and end."""
        nothing = (0.0, 0.0, 0.0)
        for edge in edges:
            if BRep_Tool.Degenerated_s(edge):
                self.adaptors.append(None)
                kinds.append(POINT)
                rows.append((*nothing, *nothing, *nothing, *nothing, 0.0, 0.0))
                continue
            curve = BRepAdaptor_Curve(edge)
            kind = curve.GetType().value
            low, high = curve.FirstParameter(), curve.LastParameter()
            start = end = curve.Value(low).Coord()
            if kind == LINE:
                along = curve.Line().Direction().Coord()
                rows.append((*start, *curve.Value(high).Coord(), *nothing, *along, 0.0, 0.0))
            elif kind == CIRCLE:
                circle = curve.Circle()
                axis = circle.Axis()
                if high - low != _RING:
                    end = curve.Value(high).Coord()
                centre, along = axis.Location().Coord(), axis.Direction().Coord()
                rows.append((*start, *end, *centre, *along, circle.Radius(), high - low))
            else:
                rows.append((*start, *curve.Value(high).Coord(), *nothing, *nothing, 0.0, 0.0))
            self.adaptors.append(curve)
            kinds.append(kind)
        self.kinds: list[int] = kinds
        """Numbers of ``GeomAbs_CurveType``, or ``POINT``."""

    @cached_property
    def rows(self) -> Numbers:
        """(n, 14) the same as one array."""
        return np.array(self.table).reshape(-1, 14)

    def is_plain(self) -> bool:
        """Whether all are lines and circles."""
        return all(kind in (LINE, CIRCLE, POINT) for kind in self.kinds)

    def along(self, which: Sequence[int], shares: Numbers) -> tuple[Numbers, Numbers]:
        """Points (n, k, 3) of n curves at k shares of their ranges of parameters, and the tangents there.

        Tangents have no particular length. which: none of them a point.
        """
        rows = self.rows[np.asarray(which, np.intp)]
        start, end, centre, axis = (rows[:, None, at : at + 3] for at in (0, 3, 6, 9))
        share, angle = shares[:, None], rows[:, 13, None, None]
        turn = angle * share
        out = start - centre
        aside = crossed(axis, out)
        cosine, sine = np.cos(turn), np.sin(turn)
        is_round = angle != 0.0
        points = np.where(is_round, centre + cosine * out + sine * aside, start + share * (end - start))
        tangents = np.where(is_round, cosine * aside - sine * out, axis)
        point, tangent = gp_Pnt(), gp_Vec()
        for row, number in enumerate(which):
            curve = self.adaptors[number]
            if curve is not None and self.kinds[number] not in (LINE, CIRCLE):
                low, high = curve.FirstParameter(), curve.LastParameter()
                for column, part in enumerate(shares.tolist()):
                    curve.D1(low + part * (high - low), point, tangent)
                    points[row, column], tangents[row, column] = point.Coord(), tangent.Coord()
        return points, tangents


_LATEST: deque[tuple[TopoDS_Shape, BoundaryNumbers]] = deque(maxlen=6)
"""The bodies that were read last. Shapes do not change."""


def boundary_numbers(shape: TopoDS_Shape) -> BoundaryNumbers:
    """What is read of a shape; of bodies kept while they are among the last few."""
    if shape.ShapeType() == TopAbs_FACE:
        return BoundaryNumbers(shape)
    for known, numbers in tuple(_LATEST):
        if known.IsEqual(shape):
            return numbers
    numbers = BoundaryNumbers(shape)
    _LATEST.append((shape, numbers))
    return numbers
