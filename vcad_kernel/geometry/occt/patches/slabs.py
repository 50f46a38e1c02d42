"""Solids between two surfaces that have their parameters in common, with straight sides along their normals.

Borders are splines through images of points, on both surfaces at once, so that below, above and parameters
share their knots: the sides are ruled surfaces, and all faces meet in the very same curves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Builder
from OCP.BRepBuilderAPI import BRepBuilderAPI_Sewing
from OCP.collections import Array1_gp_Pnt, Array1_gp_Pnt2d, Array2_gp_Pnt
from OCP.Geom import Geom_BSplineCurve, Geom_BSplineSurface, Geom_Line, Geom_Surface
from OCP.Geom2d import Geom2d_BSplineCurve, Geom2d_Line
from OCP.gp import gp_Dir2d, gp_Pnt2d
from OCP.TopAbs import TopAbs_FORWARD, TopAbs_REVERSED, TopAbs_SHELL
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import (
    TopoDS,
    TopoDS_Edge,
    TopoDS_Face,
    TopoDS_Shape,
    TopoDS_Solid,
    TopoDS_Vertex,
    TopoDS_Wire,
)

from vcad_kernel.geometry.occt.brep import shape_map
from vcad_kernel.geometry.occt.measure.validity import outward_solid
from vcad_kernel.geometry.occt.sweeps.fitting import (
    DEGREE,
    FittedSpline,
    curve_of,
    fitted,
    integers,
    reals,
)
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import direction_of, edge_on, point_of, vertex_at
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["Border", "Slab", "parameter_curve"]

Points = NDArray[np.float64]

_CLOSE = 1e-7
_SAME = 1e-12
"""Relative: lengths that differ by rounding."""
_LOOSE = 10.0
"""Times how far a border is off where it was looked at: the tolerance of its edges."""


@dataclass(frozen=True, slots=True, eq=False)
class Border:
    """A smooth piece of a border."""

    images: Callable[[Points], Points]
    """Parameters (k,) to (k, 8): the point below, the point above, and their parameters on the surfaces."""
    first: float
    last: float


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """The edges below and above of a piece, and the side between them."""

    below: TopoDS_Edge
    above: TopoDS_Edge
    side: TopoDS_Face


@dataclass(frozen=True, slots=True, eq=False)
class _Rail:
    """A straight edge from one surface to the other, where two pieces of a border meet."""

    below: TopoDS_Vertex
    above: TopoDS_Vertex
    edge: TopoDS_Edge


class Slab:
    """What lies between two surfaces.

    thickness: how far they are apart, mm, along the normals. exact: how near borders are fitted, mm.
    """

    def __init__(self, surfaces: tuple[Geom_Surface, Geom_Surface], thickness: float, exact: float) -> None:
        self._surfaces = surfaces
        self._thickness = thickness
        self._exact = exact
        self._builder = BRep_Builder()

    def solid(self, chains: Sequence[Sequence[Border]]) -> TopoDS_Shape:
        """The outward solid within closed chains of borders, of at least two pieces each."""
        made = [self._chain(chain) for chain in chains]
        faces = [border.side for chain in made for border in chain]
        for at, surface in enumerate(self._surfaces):
            faces.append(
                self._lid(surface, [[(one.below, one.above)[at] for one in chain] for chain in made])
            )
        sewing = BRepBuilderAPI_Sewing(LINEAR)
        for face in faces:
            sewing.Add(face)
        sewing.Perform()
        shells = shape_map(sewing.SewedShape(), TopAbs_SHELL)
        solid = TopoDS_Solid()
        self._builder.MakeSolid(solid)
        for at in range(1, shells.Extent() + 1):
            self._builder.Add(solid, TopoDS.Shell(shells.FindKey(at)))
        return outward_solid(solid)

    def _lid(self, surface: Geom_Surface, chains: Sequence[Sequence[TopoDS_Edge]]) -> TopoDS_Face:
        face = TopoDS_Face()
        self._builder.MakeFace(face, surface, _CLOSE)
        for chain in chains:
            wire = TopoDS_Wire()
            self._builder.MakeWire(wire)
            for edge in chain:
                self._builder.Add(wire, edge)
            wire.Closed(True)
            self._builder.Add(face, wire)
        return face

    def _chain(self, chain: Sequence[Border]) -> list[_Made]:
        rails = [self._rail(border.images(np.array([border.first]))[0]) for border in chain]
        return [
            self._made(border, rails[at], rails[(at + 1) % len(rails)]) for at, border in enumerate(chain)
        ]

    def _rail(self, image: Points) -> _Rail:
        low, high = image[:3], image[3:6]
        ends = vertex_at(low, 2.0 * _CLOSE), vertex_at(high, 2.0 * _CLOSE)
        straight = Geom_Line(point_of(low), direction_of(high - low))
        if abs(math.dist(low, high) - self._thickness) <= _SAME * self._thickness:
            return _Rail(*ends, edge_on(straight, 0.0, self._thickness, *ends))
        # between surfaces that are only near to parallel: as long in its parameter as the sides are
        poles = Array1_gp_Pnt(1, 2)
        poles.SetValue(1, point_of(low))
        poles.SetValue(2, point_of(high))
        line = Geom_BSplineCurve(poles, reals([0.0, self._thickness]), integers([2, 2]), 1)
        return _Rail(*ends, edge_on(line, 0.0, self._thickness, *ends))

    def _made(self, border: Border, begin: _Rail, end: _Rail) -> _Made:
        # points and parameters fitted together, so that they share their knots
        spline = fitted(border.images, (border.first, border.last), self._exact)
        knots = float(spline.knots[0]), float(spline.knots[-1])
        near = max(_CLOSE, _LOOSE * spline.error)
        sides = (spline.poles[:, :3], spline.poles[:, 3:6])
        below, above = (
            edge_on(curve_of(spline, poles), *knots, *ends)
            for poles, ends in zip(sides, ((begin.below, end.below), (begin.above, end.above)), strict=True)
        )
        flat = parameter_curve(spline, spline.poles[:, 6:])
        for edge, surface in zip((below, above), self._surfaces, strict=True):
            self._builder.UpdateEdge(edge, flat, surface, TopLoc_Location(), near)
        for corner in (begin.below, begin.above, end.below, end.above):
            self._builder.UpdateVertex(corner, 2.0 * near)
        # the side: straight along the normals
        points = Array2_gp_Pnt(1, len(spline.poles), 1, 2)
        for row, poles in enumerate(sides, 1):
            for at, pole in enumerate(poles, 1):
                points.SetValue(at, row, point_of(pole))
        ruled = Geom_BSplineSurface(
            points,
            reals(spline.knots),
            reals([0.0, self._thickness]),
            integers(spline.multiplicities),
            integers([2, 2]),
            DEGREE,
            1,
        )
        return _Made(below, above, self._side(ruled, knots, begin, end, below, above))

    def _side(
        self,
        ruled: Geom_BSplineSurface,
        knots: tuple[float, float],
        begin: _Rail,
        end: _Rail,
        below: TopoDS_Edge,
        above: TopoDS_Edge,
    ) -> TopoDS_Face:
        first, last = knots
        face, wire = TopoDS_Face(), TopoDS_Wire()
        self._builder.MakeFace(face, ruled, _CLOSE)
        self._builder.MakeWire(wire)
        around, up = gp_Dir2d(1.0, 0.0), gp_Dir2d(0.0, 1.0)
        for edge, line, orientation in (
            (below, Geom2d_Line(gp_Pnt2d(0.0, 0.0), around), TopAbs_FORWARD),
            (end.edge, Geom2d_Line(gp_Pnt2d(last, 0.0), up), TopAbs_FORWARD),
            (above, Geom2d_Line(gp_Pnt2d(0.0, self._thickness), around), TopAbs_REVERSED),
            (begin.edge, Geom2d_Line(gp_Pnt2d(first, 0.0), up), TopAbs_REVERSED),
        ):
            self._builder.UpdateEdge(edge, line, ruled, TopLoc_Location(), _CLOSE)
            self._builder.Add(wire, edge.Oriented(orientation))
        wire.Closed(True)
        self._builder.Add(face, wire)
        return face


def parameter_curve(spline: FittedSpline, poles: Points) -> Geom2d_BSplineCurve:
    """The curve among the parameters of a surface with a spline's knots and these poles (n, 2)."""
    points = Array1_gp_Pnt2d(1, len(poles))
    for at, pole in enumerate(poles.tolist(), 1):
        points.SetValue(at, gp_Pnt2d(*pole))
    return Geom2d_BSplineCurve(points, reals(spline.knots), integers(spline.multiplicities), DEGREE)
