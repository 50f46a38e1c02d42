"""Blends of rims whose shape is known beforehand: what lies between edge and blend, swept and taken away.

Along a line or an arc between faces that are straight across, the section between the corner and its blend
is the same everywhere: a prism along the line, a body of revolution along the arc. Of a closed contour they
fit together end to end.

So a bevel may reach beyond the centre of a corner's arc: its cone comes to a point there, below the flat
face, and from the point on the bevels of both neighbours meet in an edge. The section of the arc ends at the
arc's axis, for beyond it the neighbours' strips take all there is.

Earns its place by `test_a_rim_is_bevelled_by_more_than_its_corners`: OpenCASCADE alone builds no bevel from
the radius of the corner on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepAlgoAPI import BRepAlgoAPI_BooleanOperation, BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge, BRepBuilderAPI_MakeFace, BRepBuilderAPI_MakeWire
from OCP.BRepClass import BRepClass_FaceClassifier
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.BRepPrimAPI import BRepPrimAPI_MakePrism, BRepPrimAPI_MakeRevol
from OCP.collections import IndexedMap_TopoDS_Shape_TopTools_ShapeMapHasher as ShapeMap
from OCP.collections import List_TopoDS_Shape
from OCP.GC import GC_MakeArcOfCircle
from OCP.GeomAbs import GeomAbs_Line, GeomAbs_Plane
from OCP.gp import gp_Ax1, gp_Pnt, gp_Vec
from OCP.TopAbs import TopAbs_OUT, TopAbs_VERTEX, TopAbs_WIRE
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.blends.limits import trims_evenly
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, carried, edges_of, shape_map, solids_of, with_history
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import CIRCLE
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, inner_radius, inwards
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.ir.digest import Digest

__all__ = ["as_pointed_rims", "boolean", "carved"]

_TANGENT = 1e-6
"""Radians: edges that turn by no more run on, walls that lean by no more are upright."""

_PLACES = 9
"""Along an edge, at which it is asked whether its strip ends on the face."""
_BORDER = 1e-7
"""Millimetres: a strip may use up a wall to the last of it."""


def as_pointed_rims(solid: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep | None:
    """The body with bevels that reach the centre of a corner's arc, or beyond it; None where none does.

    Convex and concave contours one after the other. None, too, unless all are closed and the pieces that are
    swept along their edges cover what the bevels take.
    """
    if blend.kind != "chamfer" or not any(_is_used_up(corner, blend) for corner in corners):
        return None
    if not _is_covered(solid, corners):
        return None
    result: Brep | None = solid
    for kind in (False, True):
        alike = [corner for corner in corners if corner.convex is kind]
        if alike and result is not None:
            result = carved(result, alike, blend, maker)
    return None if result is None else unified(result)


def _is_used_up(corner: SharpEdge, blend: Blend) -> bool:
    """Whether its strip reaches the centre of the arc."""
    radius = min(inner_radius(corner, face) for face in corner.faces)
    return trims_evenly(corner, blend) and blend.trim(corner) >= radius * (1.0 - LINEAR)


def _is_covered(solid: Brep, corners: Sequence[SharpEdge]) -> bool:
    """Whether pieces that end square to their edges leave nothing out where two edges meet.

    They do not where one edge goes on the same way as the other. Where they turn towards the flat face, of
    two places the nearer edge has one beside it, if the walls are upright; where they turn away from it a
    wedge lies beside neither.
    """
    ends_at: dict[int, list[tuple[SharpEdge, float, gp_Vec]]] = {}
    vertices = shape_map(solid.shape, TopAbs_VERTEX)
    for corner in corners:
        curve = BRepAdaptor_Curve(corner.edge)
        ends = (curve.FirstParameter(), 1.0), (curve.LastParameter(), -1.0)
        if shape_map(corner.edge, TopAbs_VERTEX).Extent() < 2:
            continue
        for (parameter, sign), vertex in zip(ends, (TopExp.FirstVertex_s, TopExp.LastVertex_s), strict=True):
            point, way = gp_Pnt(), gp_Vec()
            curve.D1(parameter, point, way)
            number = vertices.FindIndex(vertex(corner.edge))
            ends_at.setdefault(number, []).append((corner, parameter, way.Normalized() * sign))
    return all(len(there) == 2 and _leave_nothing(*there) for there in ends_at.values())


def _leave_nothing(end: tuple[SharpEdge, float, gp_Vec], other: tuple[SharpEdge, float, gp_Vec]) -> bool:
    (corner, parameter, way), (next_corner, _, next_way) = end, other
    if way.Dot(next_way) < 0.0 and way.CrossMagnitude(next_way) <= _TANGENT:
        return True
    if any(abs(edge.turn - 0.5 * math.pi) > _TANGENT for edge in (corner, next_corner)):
        return False
    shared = [face for face in corner.faces if any(face.IsSame(each) for each in next_corner.faces)]
    return any(
        BRepAdaptor_Surface(face, False).GetType() == GeomAbs_Plane
        and inwards(corner, face, parameter).Dot(next_way) > _TANGENT
        for face in shared
    )


def carved(solid: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep | None:
    """The body without, or with, what lies between the edges of closed contours and their blends.

    None unless they are lines and arcs between faces that are straight across, convex or concave all alike,
    and no blend reaches beyond a wall or into a hole.
    """
    uses: Counter[int] = Counter()
    vertices = shape_map(solid.shape, TopAbs_VERTEX)
    for corner in corners:
        ends = shape_map(corner.edge, TopAbs_VERTEX)
        # a closed edge has one vertex, at both its ends
        uses.update(
            {vertices.FindIndex(ends.FindKey(at)): 3 - ends.Extent() for at in range(1, ends.Extent() + 1)}
        )
    kinds = {corner.convex for corner in corners}
    if set(uses.values()) != {2} or len(kinds) != 1 or None in kinds:
        return None
    if not all(trims_evenly(corner, blend) for corner in corners) or not _have_room(corners, blend):
        return None
    operation = BRepAlgoAPI_Cut() if kinds == {True} else BRepAlgoAPI_Fuse()
    try:
        swept = [Brep.made(_swept(corner, blend), maker) for corner in corners]
        return boolean(operation, solid, swept, maker)
    except OCCT_ERRORS:
        return None


def _have_room(corners: Sequence[SharpEdge], blend: Blend) -> bool:
    """Whether each strip ends on its face: what is swept takes whatever lies beyond a wall, too.

    On the flat face that arcs turn towards strips end each other; only its holes count there.
    """
    edges = ShapeMap()
    for corner in corners:
        edges.Add(corner.edge)
    for corner in corners:
        trim = blend.trim(corner)
        for face, is_flat in zip(corner.faces, _flat_faces(corner, corners), strict=True):
            if not is_flat and not all(_is_on(face, point) for point in _ends_of_strip(corner, face, trim)):
                return False
            wires = shape_map(face, TopAbs_WIRE)
            for wire in map(wires.FindKey, range(1, wires.Extent() + 1)):
                if any(edges.Contains(edge) for edge in edges_of(wire)):
                    continue
                if BRepExtrema_DistShapeShape(corner.edge, wire).Value() <= trim + LINEAR:
                    return False
    return True


def _flat_faces(corner: SharpEdge, corners: Sequence[SharpEdge]) -> list[bool]:
    """Of each face of an edge, whether it is a plane with an arc of the edges."""
    arcs = [face for each in corners if each.curve == CIRCLE for face in each.faces]
    return [
        BRepAdaptor_Surface(face, False).GetType() == GeomAbs_Plane and any(face.IsSame(arc) for arc in arcs)
        for face in corner.faces
    ]


def _ends_of_strip(corner: SharpEdge, face: TopoDS_Face, trim: float) -> Iterator[gp_Pnt]:
    """Places all along the far border of a blend on a face."""
    curve = BRepAdaptor_Curve(corner.edge)
    first, last = curve.FirstParameter(), curve.LastParameter()
    for step in range(_PLACES):
        at = first + (last - first) * (step + 0.5) / _PLACES
        yield curve.Value(at).Translated(inwards(corner, face, at) * trim)


def _is_on(face: TopoDS_Face, point: gp_Pnt) -> bool:
    return bool(BRepClass_FaceClassifier(face, point, _BORDER).State() != TopAbs_OUT)


def _swept(corner: SharpEdge, blend: Blend) -> TopoDS_Shape:
    """What lies between an edge and its blend, from one end of the edge to the other. Raises OCCT_ERRORS."""
    curve = BRepAdaptor_Curve(corner.edge)
    first, last = curve.FirstParameter(), curve.LastParameter()
    start = curve.Value(first)
    # the section square to the edge: from the corner to where the blend leaves either face
    into = [inwards(corner, face, first) for face in corner.faces]
    ends = [start.Translated(way * blend.trim(corner)) for way in into]
    if blend.kind == "chamfer":
        if curve.GetType() != GeomAbs_Line:
            ends = _up_to_axis(start, ends, curve.Circle().Axis())
        across = [_straight(before, after) for before, after in pairwise(ends)]
    else:
        # the ball's centre lies on the bisector, r / cos(φ / 2) from the corner, φ between the normals
        bisector = (into[0] + into[1]).Normalized()
        nearest = start.Translated(bisector * (blend.size * (1.0 / math.cos(corner.turn / 2.0) - 1.0)))
        across = [BRepBuilderAPI_MakeEdge(GC_MakeArcOfCircle(ends[0], nearest, ends[1]).Value()).Edge()]
    outline = BRepBuilderAPI_MakeWire()
    for edge in (_straight(start, ends[0]), *across, _straight(ends[-1], start)):
        outline.Add(edge)
    section = BRepBuilderAPI_MakeFace(outline.Wire()).Face()
    if curve.GetType() == GeomAbs_Line:
        return BRepPrimAPI_MakePrism(section, gp_Vec(start, curve.Value(last))).Shape()
    return BRepPrimAPI_MakeRevol(section, curve.Circle().Axis(), last - first).Shape()


def _straight(start: gp_Pnt, end: gp_Pnt) -> TopoDS_Edge:
    return BRepBuilderAPI_MakeEdge(start, end).Edge()


def _up_to_axis(start: gp_Pnt, ends: Sequence[gp_Pnt], axis: gp_Ax1) -> list[gp_Pnt]:
    """The border of a bevel's section from one face to the other, which ends at the axis of the arc.

    start: the corner. ends: where the bevel leaves either face. One of them at most lies beyond the axis;
    else OpenCASCADE refuses to turn the section about it.
    """
    outwards = _off_axis(start, axis).Normalized()
    first, last = (_off_axis(end, axis).Dot(outwards) for end in ends)
    if first > LINEAR and last > LINEAR:
        return list(ends)
    if first > last:
        return _up_to_axis(start, ends[::-1], axis)[::-1]

    def on_axis(inner: gp_Pnt, outer: gp_Pnt) -> gp_Pnt:
        beyond, within = (abs(_off_axis(point, axis).Dot(outwards)) for point in (inner, outer))
        return inner.Translated(gp_Vec(inner, outer) * (beyond / (beyond + within)))

    point, foot = on_axis(ends[0], ends[1]), on_axis(ends[0], start)
    return [foot, ends[1]] if foot.Distance(point) <= LINEAR else [foot, point, ends[1]]


def _off_axis(point: gp_Pnt, axis: gp_Ax1) -> gp_Vec:
    """The way to a point from the nearest one of an axis."""
    way, along = gp_Vec(axis.Location(), point), gp_Vec(axis.Direction())
    return way - along * way.Dot(along)


def boolean(
    operation: BRepAlgoAPI_BooleanOperation, body: Brep, others: Sequence[Brep], maker: Digest
) -> Brep | None:
    """The body after a boolean with others; None when OpenCASCADE cannot, or nothing is left."""
    arguments, tools = List_TopoDS_Shape(), List_TopoDS_Shape()
    arguments.Append(body.shape)
    for other in others:
        tools.Append(other.shape)
    operation.SetArguments(arguments)
    operation.SetTools(tools)
    operation.SetNonDestructive(True)
    operation.Build()
    if not operation.IsDone() or not solids_of(operation.Shape()):
        return None
    return carried(operation.Shape(), (body, *others), with_history(operation.History()), maker)
