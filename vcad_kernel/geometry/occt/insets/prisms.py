"""Right prisms among bodies: gears, letters, whatever stands straight on a flat outline.

Many free-form walls take minutes to be cut with each other in space. Of a right prism it is enough to
move the curves of its outline and to cut those in their plane. Lengths in millimetres.

Earns its place by `test_prisms_hollow_a_gear_teeth_and_all`: OpenCASCADE's own offset refuses the gear, and
with its walls cut in space there is no end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from OCP.BOPAlgo import BOPAlgo_Tools
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge, BRepBuilderAPI_Transform
from OCP.BRepPrimAPI import BRepPrimAPI_MakePrism
from OCP.GeomAbs import GeomAbs_Circle, GeomAbs_Cylinder, GeomAbs_Line, GeomAbs_SurfaceOfExtrusion
from OCP.gp import gp_Circ, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
from OCP.TopAbs import TopAbs_REVERSED
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS, TopoDS_Compound, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import compound_of, edges_of, faces_of, listed
from vcad_kernel.geometry.occt.insets.moving.moved_sweeps import moved_curve
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import plane_normal
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import faces_by_edge, oriented_in
from vcad_kernel.geometry.occt.measure.validity import outward_solid
from vcad_kernel.geometry.tolerance import LINEAR, SMOOTH_EDGE

__all__ = ["Moves", "Prism", "prism_of"]

Moves: TypeAlias = Callable[[TopoDS_Face], float]
"""How far a face goes inwards."""

_ALONG = 1e-7
"""Radians by which a wall may miss the direction of the prism."""
_TURN = 2.0 * math.pi


@dataclass(frozen=True, slots=True, eq=False)
class _Wall:
    """A wall and its edge in the base, which is oriented with the base on its left, seen from outside."""

    face: TopoDS_Face
    edge: TopoDS_Edge

    @property
    def is_reversed(self) -> bool:
        """Whether the outline runs against the curve."""
        return bool(self.edge.Orientation() == TopAbs_REVERSED)

    def along(self, last: bool) -> gp_Vec:
        """The direction of the outline at an end of the curve."""
        curve = BRepAdaptor_Curve(self.edge)
        point, tangent = gp_Pnt(), gp_Vec()
        curve.D1(curve.LastParameter() if last else curve.FirstParameter(), point, tangent)
        return tangent.Reversed() if self.is_reversed else tangent


class Prism:
    """A right prism: its base, its top, the way from there to there, and its walls."""

    def __init__(self, base: TopoDS_Face, top: TopoDS_Face, rise: gp_Vec, walls: Sequence[_Wall]) -> None:
        """rise: from the base to the top, square to both."""
        self.base, self.top, self.rise = base, top, rise
        self._walls = walls
        self._next = self._smooth_neighbours()

    @property
    def outline(self) -> list[TopoDS_Edge]:
        """The edges of the walls in the base."""
        return [wall.edge for wall in self._walls]

    def wall_of(self, edge: TopoDS_Edge) -> TopoDS_Face:
        """The wall that stands on an edge of the outline."""
        return next(wall.face for wall in self._walls if wall.edge.IsSame(edge))

    def cells(self, moves: Moves, reach: float) -> list[TopoDS_Face]:
        """The pieces into which the moved outline cuts the plane of the base.

        reach: how far a wall is prolonged to meet its neighbours.
        """
        moved: list[TopoDS_Edge] = []
        for number, wall in enumerate(self._walls):
            by = moves(wall.face)
            more = [0.0 if self._meets(number, last, moves) else reach for last in (False, True)]
            moved += self._moved(wall, by, more[0], more[1])
        # the plane is cut along all moved and prolonged edges, whose crossings bound the pieces
        wires, faces = TopoDS_Compound(), TopoDS_Compound()
        if not moved or BOPAlgo_Tools.EdgesToWires_s(compound_of(moved), wires) != 0:
            return []
        if not BOPAlgo_Tools.WiresToFaces_s(wires, faces):
            return []
        return faces_of(faces)

    def raised(self, cell: TopoDS_Face, low: float, high: float) -> TopoDS_Shape:
        """A piece of the base as a solid, from so far above the base to so far below the top."""
        up, height = self.rise.Normalized(), self.rise.Magnitude()
        lifting = gp_Trsf()
        lifting.SetTranslation(up * low)
        lifted = BRepBuilderAPI_Transform(cell, lifting, True).Shape()
        return outward_solid(BRepPrimAPI_MakePrism(lifted, up * (height - low - high)).Shape())

    def _smooth_neighbours(self) -> dict[tuple[int, bool], int]:
        """The wall into which another one runs on smoothly at an end of its curve."""
        ends = [(number, last) for number in range(len(self._walls)) for last in (False, True)]
        next_wall: dict[tuple[int, bool], int] = {}
        for end in ends:
            # just one other edge that goes on in the same direction: the outline is smooth there
            there = [
                other for other in ends if other != end and self._vertex(other).IsSame(self._vertex(end))
            ]
            if len(there) == 1 and self._along(end).Angle(self._along(there[0])) < SMOOTH_EDGE:
                next_wall[end] = there[0][0]
        return next_wall

    def _vertex(self, end: tuple[int, bool]) -> TopoDS_Shape:
        number, last = end
        return (TopExp.LastVertex_s if last else TopExp.FirstVertex_s)(self._walls[number].edge)

    def _along(self, end: tuple[int, bool]) -> gp_Vec:
        return self._walls[end[0]].along(end[1])

    def _meets(self, number: int, last: bool, moves: Moves) -> bool:
        """Whether the moved wall ends exactly where its moved neighbour does."""
        neighbour = self._next.get((number, last))
        if neighbour is None:
            return False
        by, other = moves(self._walls[number].face), self._walls[neighbour]
        return moves(other.face) == by and bool(self._moved(other, by))

    def _moved(self, wall: _Wall, by: float, before: float = 0.0, after: float = 0.0) -> list[TopoDS_Edge]:
        """A wall's edge moved inwards and prolonged at the ends of its curve; none when it vanishes."""
        curve = BRepAdaptor_Curve(wall.edge)
        low, high = curve.FirstParameter(), curve.LastParameter()
        start, tangent = gp_Pnt(), gp_Vec()
        curve.D1(low, start, tangent)
        down = self.rise.Reversed().Normalized()
        # out of the base × along its outline leads into the base
        side = -by if wall.is_reversed else by
        across = down.Crossed(tangent).Normalized()
        if curve.GetType() == GeomAbs_Line:
            first = start.Translated(across * side - tangent.Normalized() * before)
            last = curve.Value(high).Translated(across * side + tangent.Normalized() * after)
            return [BRepBuilderAPI_MakeEdge(first, last).Edge()]
        if curve.GetType() == GeomAbs_Circle:
            circle = curve.Circle()
            outwards = gp_Vec(circle.Location(), start).Dot(across) > 0.0
            radius = circle.Radius() + (side if outwards else -side)
            if radius <= LINEAR:
                return []
            low, high = low - before / radius, high + after / radius
            # prolonged beyond a full turn an arc would overlap itself
            if high - low > _TURN - 1e-3:
                low, high = 0.0, _TURN
            return [BRepBuilderAPI_MakeEdge(gp_Circ(circle.Position(), radius), low, high).Edge()]
        moved = moved_curve(BRep_Tool.Curve_s(wall.edge, low, high), down, -side, low, high)
        if moved is None:
            return []
        edges = [BRepBuilderAPI_MakeEdge(moved, low, high).Edge()]
        for at, more in ((low, -before), (high, after)):
            if more:
                moved.D1(at, start, tangent)
                far = start.Translated(tangent.Normalized() * more)
                edges.append(BRepBuilderAPI_MakeEdge(start, far).Edge())
        return edges


def prism_of(solid: TopoDS_Shape) -> Prism | None:
    """The body as a right prism; None when it is none."""
    flat = [face for face in faces_of(solid) if plane_normal(face) is not None]
    if len(flat) < 2:
        return None
    # a base has as many edges as there are walls, a wall has four at most
    return _standing_on(max(flat, key=lambda face: len(edges_of(face))), solid)


def _standing_on(base: TopoDS_Face, solid: TopoDS_Shape) -> Prism | None:
    down = plane_normal(base)
    assert down is not None
    # base and top are the only faces that are no walls, and parallel
    across = [face for face in faces_of(solid) if not _runs_along(face, down)]
    if len(across) != 2:
        return None
    top = across[0] if across[1].IsSame(base) else across[1]
    up = plane_normal(top)
    if up is None or not up.IsOpposite(down, _ALONG):
        return None
    neighbours = faces_by_edge(solid)
    walls: list[_Wall] = []
    for edge in edges_of(base):
        faces = [TopoDS.Face(face) for face in listed(neighbours.FindFromKey(edge))]
        # each edge of the base carries one wall of its own
        others = [face for face in faces if not face.IsSame(base)]
        if len(others) != 1 or any(others[0].IsSame(wall.face) for wall in walls):
            return None
        walls.append(_Wall(others[0], oriented_in(edge, base)))
    if len(walls) + 2 != len(faces_of(solid)):
        return None
    here = BRepAdaptor_Surface(base, False).Plane().Location()
    there = BRepAdaptor_Surface(top, False).Plane().Location()
    return Prism(base, top, gp_Vec(up) * gp_Vec(here, there).Dot(gp_Vec(up)), walls)


def _runs_along(face: TopoDS_Face, direction: gp_Dir) -> bool:
    """Whether a face is a piece of wall along a direction."""
    normal = plane_normal(face)
    if normal is not None:
        return bool(normal.IsNormal(direction, _ALONG))
    surface = BRepAdaptor_Surface(face, False)
    if surface.GetType() == GeomAbs_Cylinder:
        return bool(surface.Cylinder().Axis().Direction().IsParallel(direction, _ALONG))
    if surface.GetType() == GeomAbs_SurfaceOfExtrusion:
        return bool(surface.Direction().IsParallel(direction, _ALONG))
    return False
