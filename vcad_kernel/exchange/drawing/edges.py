"""B-reps to curves in a plane, by OpenCASCADE: what a plane cuts, and what is seen and hidden.

The section is the intersection of the solid with a face as large as the solid, so its loops are closed
and bound material. Hidden lines are found by the exact algorithm of HLRBRep.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy, BRepBuilderAPI_MakeFace
from OCP.BRepLib import BRepLib
from OCP.BRepTools import BRepTools, BRepTools_WireExplorer
from OCP.GCPnts import GCPnts_QuasiUniformDeflection
from OCP.GeomAbs import GeomAbs_Circle, GeomAbs_Line
from OCP.gp import gp_Ax2, gp_Ax3, gp_Dir, gp_Pln, gp_Pnt
from OCP.HLRAlgo import HLRAlgo_Projector
from OCP.HLRBRep import HLRBRep_Algo, HLRBRep_HLRToShape
from OCP.TopAbs import TopAbs_FORWARD, TopAbs_WIRE
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Shape

from vcad_kernel.errors import ExportError
from vcad_kernel.exchange.drawing.planar_curves import Bow, Curve, Plane, Run, Stroke
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.boxes import quick_box_of
from vcad_kernel.operations.node import Vec2, Vec3

__all__ = ["cut", "seen_and_hidden"]

_CHORD = 0.005
"""Millimetres between a curve that is no line and no circle and the points that stand for it."""
_SHORTEST = 1e-6
_TANGENT = 1e-3
"""Radians that faces may turn at an edge which counts as smooth."""


def cut(brep: Brep, plane: Plane) -> tuple[tuple[Curve, ...], ...]:
    """The closed loops in which a plane cuts a solid; none where it misses it. Raises ExportError."""
    low, high = quick_box_of(brep.shape)
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    spread = [_flat(corner, plane) for corner in corners]
    margin = 1.0 + 0.1 * math.dist(low, high)
    us, vs = [u for u, _ in spread], [v for _, v in spread]
    geometric = gp_Pln(gp_Ax3(gp_Pnt(*plane.origin), gp_Dir(*plane.normal), gp_Dir(*plane.right)))
    try:
        # a piece of the plane that is larger than the body's shadow on it
        face = BRepBuilderAPI_MakeFace(
            geometric, min(us) - margin, max(us) + margin, min(vs) - margin, max(vs) + margin
        ).Face()
        common = BRepAlgoAPI_Common(face, brep.shape)
        if not common.IsDone():
            raise ExportError("OpenCASCADE could not cut the part with the plane")
        common.SimplifyResult(True, True)
        return tuple(loop for piece in faces_of(common.Shape()) for loop in _loops(piece, plane))
    except OCCT_ERRORS as failed:
        raise ExportError("OpenCASCADE could not cut the part with the plane", why=str(failed)) from failed


def seen_and_hidden(breps: Sequence[Brep], plane: Plane) -> tuple[list[Curve], list[Curve], list[Curve]]:
    """The (visible, hidden, smooth) lines of solids together, looked at against the plane's normal.

    Smooth are the visible edges where faces run into each other without a corner, as around a fillet.
    Raises ExportError.
    """
    view = gp_Ax2(gp_Pnt(*plane.origin), gp_Dir(*plane.normal), gp_Dir(*plane.right))
    algorithm = HLRBRep_Algo()
    try:
        for brep in breps:
            algorithm.Add(_with_smooth_edges_marked(unified(brep).shape))
        algorithm.Projector(HLRAlgo_Projector(view))
        algorithm.Update()
        algorithm.Hide()
        lines = HLRBRep_HLRToShape(algorithm)
        seen = [*_flattened(lines.VCompound()), *_flattened(lines.OutLineVCompound())]
        smooth = _flattened(lines.Rg1LineVCompound())
        hidden = [*_flattened(lines.HCompound()), *_flattened(lines.OutLineHCompound())]
    except OCCT_ERRORS as failed:
        raise ExportError("OpenCASCADE could not find the hidden lines", why=str(failed)) from failed
    return _merged(seen), _merged(hidden), _merged(smooth)


def _with_smooth_edges_marked(shape: TopoDS_Shape) -> TopoDS_Shape:
    """A copy whose edges know where faces meet without a corner, which HLRBRep believes and does not measure.

    Fillets mark their edges, offsets, booleans and files do not.
    """
    copy = BRepBuilderAPI_Copy(shape).Shape()
    BRepLib.EncodeRegularity_s(copy, _TANGENT)
    return copy


# ---------------------------------------------------------------- sections


def _loops(face: Any, plane: Plane) -> list[tuple[Curve, ...]]:
    """The outer loop of a planar face counter-clockwise, then its holes clockwise."""
    outer = BRepTools.OuterWire_s(face)
    loops: list[tuple[Curve, ...]] = []
    explorer = TopExp_Explorer(face, TopAbs_WIRE)
    while explorer.More():
        wire = TopoDS.Wire(explorer.Current())
        curves: list[Curve] = []
        walking = BRepTools_WireExplorer(wire, face)
        while walking.More():
            edge = walking.Current()
            for curve in _of_edge(edge, lambda point: _flat(point, plane)):
                curves.append(curve if edge.Orientation() == TopAbs_FORWARD else _reversed(curve))
            walking.Next()
        if curves:
            is_outer = wire.IsSame(outer)
            # outer loops counter-clockwise, holes clockwise, seen against the plane's normal
            if (_area(curves) > 0.0) != is_outer:
                curves = [_reversed(curve) for curve in reversed(curves)]
            loops.insert(0 if is_outer else len(loops), tuple(curves))
        explorer.Next()
    return loops


def _area(curves: Sequence[Curve]) -> float:
    """Signed area within a loop, positive when counter-clockwise."""
    total = 0.0
    for curve in curves:
        points = curve.points if isinstance(curve, Run) else (curve.start, curve.end)
        for (ax, ay), (bx, by) in pairwise(points):
            total += 0.5 * (ax * by - bx * ay)
        if isinstance(curve, Bow):
            turn = math.radians(curve.sweep)
            total += 0.5 * curve.radius**2 * (turn - math.sin(turn))
    return total


def _reversed(curve: Curve) -> Curve:
    if isinstance(curve, Stroke):
        return Stroke(curve.end, curve.start)
    if isinstance(curve, Bow):
        return Bow(curve.center, curve.radius, curve.first + curve.sweep, -curve.sweep)
    return Run(curve.points[::-1])


# ---------------------------------------------------------------- edges


def _flat(point: Vec3, plane: Plane) -> Vec2:
    away = [point[axis] - plane.origin[axis] for axis in range(3)]
    return (
        sum(a * b for a, b in zip(away, plane.right, strict=True)),
        sum(a * b for a, b in zip(away, plane.up, strict=True)),
    )


def _of_edge(edge: TopoDS_Edge, flat: Any) -> list[Curve]:
    """An edge that lies in the drawing's plane, in the direction of its parameter."""
    curve = BRepAdaptor_Curve(edge)
    first, last = curve.FirstParameter(), curve.LastParameter()

    def at(parameter: float) -> Vec2:
        point = curve.Value(parameter)
        projected: Vec2 = flat((point.X(), point.Y(), point.Z()))
        return projected

    start, end = at(first), at(last)
    if curve.GetType() == GeomAbs_Line:
        return [Stroke(start, end)] if math.dist(start, end) > _SHORTEST else []
    if curve.GetType() == GeomAbs_Circle:
        center = curve.Circle().Location()
        x, y = flat((center.X(), center.Y(), center.Z()))
        angle = math.degrees(math.atan2(start[1] - y, start[0] - x))
        # a quarter of the way on shows in which sense the projected arc runs
        middle = at(first + 0.25 * (last - first))
        quarter = (math.degrees(math.atan2(middle[1] - y, middle[0] - x)) - angle) % 360.0
        sweep = math.degrees(last - first)
        return [Bow((x, y), curve.Circle().Radius(), angle, sweep if quarter < 180.0 else -sweep)]
    points = GCPnts_QuasiUniformDeflection(curve, _CHORD, first, last)
    if not points.IsDone() or points.NbPoints() < 2:
        return [Run((start, end))]
    spots = [points.Value(index) for index in range(1, points.NbPoints() + 1)]
    return [Run(tuple(flat((point.X(), point.Y(), point.Z())) for point in spots))]


def _flattened(lines: TopoDS_Shape | None) -> list[Curve]:
    """The curves of a compound of projected edges, whose coordinates are those of the view."""
    if lines is None or lines.IsNull():
        return []
    BRepLib.BuildCurves3d_s(lines)
    return [curve for edge in edges_of(lines) for curve in _of_edge(edge, lambda point: point[:2])]


def _merged(curves: Sequence[Curve]) -> list[Curve]:
    """Each line once: edges that lie behind one another project to the same one."""
    distinct: dict[tuple[float, ...], Curve] = {}
    for curve in curves:
        if isinstance(curve, Bow):
            # where a curve lies, whichever way it runs
            numbers = (*curve.center, curve.radius, *sorted((*curve.start, *curve.end)), curve.full)
        else:
            points = curve.points if isinstance(curve, Run) else (curve.start, curve.end)
            numbers = tuple(number for point in sorted((points[0], points[-1])) for number in point)
            numbers += points[len(points) // 2] if isinstance(curve, Run) else ()
        distinct.setdefault(tuple(round(number, 5) + 0.0 for number in numbers), curve)
    return list(distinct.values())
