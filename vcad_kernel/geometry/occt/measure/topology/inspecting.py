"""What the edges and faces of an exact body measure, and how far two bodies are apart.

Numbers follow :func:`~vcad_kernel.geometry.occt.brep.faces_of` and ``edges_of`` of the merged body, the
one that selectors and features see. Millimetres, mm².
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.GCPnts import GCPnts_QuasiUniformDeflection
from OCP.GeomAbs import GeomAbs_Circle, GeomAbs_Line
from OCP.gp import gp_Dir, gp_Pnt
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.measure.readings import EdgeReading, FaceReading, Gap
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of, listed, shape_map
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.integration.masses import (
    area_and_centre,
    is_plain,
    quick_area_and_centre,
)
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import (
    direction_of_edge,
    kind_of_edge,
    kind_of_face,
    length_of,
    middle_of,
    plane_normal,
    radius_of_edge,
    radius_of_face,
)
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import faces_by_edge, sharp_edges
from vcad_kernel.geometry.tolerance import LINEAR, Tessellation
from vcad_kernel.operations.features.selections import Target
from vcad_kernel.operations.node import Vec3

__all__ = [
    "edge_lines",
    "edge_readings",
    "face_readings",
    "gap",
    "lines_of",
    "merged",
    "numbered",
    "sharpness",
    "sub_shapes",
]


def merged(brep: Brep) -> Brep:
    """The body as features see it: without edges between faces of one surface."""
    return unified(brep)


def edge_readings(brep: Brep) -> tuple[EdgeReading, ...]:
    """Every edge that has a length, in order; seams are edges, too. A pole's number is left out."""
    neighbours = faces_by_edge(brep.shape)
    numbers = shape_map(brep.shape, TopAbs_FACE)
    readings = []
    for index, edge in enumerate(edges_of(brep.shape)):
        if BRep_Tool.Degenerated_s(edge):
            continue
        faces = sorted({numbers.FindIndex(face) - 1 for face in listed(neighbours.FindFromKey(edge))})
        readings.append(_edge(index, edge, tuple(faces)))
    return tuple(readings)


def face_readings(brep: Brep, *, quick: bool = False) -> tuple[FaceReading, ...]:
    """Every face, in order. quick: areas that take an integration of their own are near, and say so."""
    return tuple(
        _face(index, face, maker, quick)
        for index, (face, maker) in enumerate(zip(faces_of(brep.shape), brep.makers, strict=True))
    )


def sharpness(brep: Brep) -> dict[int, bool | None]:
    """The numbers of the sharp edges, and whether they are convex; None where that changes on the way."""
    number = numbered(brep, "edge")
    return {number(corner.edge): corner.convex for corner in sharp_edges(brep.shape)}


def sub_shapes(brep: Brep, target: Target) -> list[TopoDS_Edge] | list[TopoDS_Face]:
    """Its edges or faces, each under its number."""
    return edges_of(brep.shape) if target == "edge" else faces_of(brep.shape)


def numbered(brep: Brep, target: Target) -> Callable[[TopoDS_Shape], int]:
    """What number an edge or face has."""
    numbers = shape_map(brep.shape, TopAbs_EDGE if target == "edge" else TopAbs_FACE)
    return lambda one: int(numbers.FindIndex(one)) - 1


_DRAWN: Final = 0.002
"""How far a drawn line may be off its edge, as a share of the edge's length."""


def lines_of(one: TopoDS_Shape) -> tuple[tuple[Vec3, ...], ...]:
    """The points of an edge, or of the edges around a face, to be drawn."""
    return tuple(_points(edge) for edge in edges_of(one) if not BRep_Tool.Degenerated_s(edge))


def _points(edge: TopoDS_Edge) -> tuple[Vec3, ...]:
    curve = BRepAdaptor_Curve(edge)
    first, last = curve.FirstParameter(), curve.LastParameter()
    if curve.GetType() == GeomAbs_Line:
        return (_vec3(curve.Value(first)), _vec3(curve.Value(last)))
    points = GCPnts_QuasiUniformDeflection(curve, _DRAWN * length_of(edge), first, last)
    if not points.IsDone():
        return (_vec3(curve.Value(first)), _vec3(curve.Value(last)))
    return tuple(_vec3(points.Value(index)) for index in range(1, points.NbPoints() + 1))


def gap(a: Brep, b: Brep) -> Gap | None:
    """The least distance between two bodies, 0 where they touch or overlap; None when it is not found."""
    try:
        search = BRepExtrema_DistShapeShape(a.shape, b.shape)
        if not search.IsDone() or search.NbSolution() == 0:
            return None
        if search.InnerSolution() or search.Value() <= LINEAR:
            return Gap(0.0, None)
        return Gap(float(search.Value()), (_vec3(search.PointOnShape1(1)), _vec3(search.PointOnShape2(1))))
    except OCCT_ERRORS:
        return None


def _edge(index: int, edge: TopoDS_Edge, faces: tuple[int, ...]) -> EdgeReading:
    direction = direction_of_edge(edge)
    return EdgeReading(
        index,
        kind_of_edge(edge),
        length_of(edge),
        radius_of_edge(edge),
        _vec3(middle_of(edge)),
        None if direction is None else _vec3(direction),
        faces,
    )


def _face(index: int, face: TopoDS_Face, maker: bytes, quick: bool) -> FaceReading:
    area, centre = quick_area_and_centre(face) if quick else area_and_centre(face)
    exact = not quick or is_plain(face)
    normal = plane_normal(face)
    return FaceReading(
        index,
        kind_of_face(face),
        area,
        radius_of_face(face),
        _vec3(centre),
        None if normal is None else _vec3(normal),
        maker,
        exact,
    )


def _vec3(point: gp_Pnt | gp_Dir) -> Vec3:
    # without the sign that a zero may have
    return (point.X() + 0.0, point.Y() + 0.0, point.Z() + 0.0)


# ---- the edges of an exact body as lines to draw, and which of them a person takes for no edge ----


def edge_lines(brep: Brep, chord: float) -> list[tuple[NDArray[np.float64], bool]]:
    """Of each edge by its number the points (p, 3), mm, and whether the surface goes on smoothly across it.

    A pole has no points. chord: how far a line may be off its edge, mm.
    """
    sharp = sharpness(brep)
    tessellation = Tessellation(chord=chord)
    return [
        (_polyline(edge, tessellation), number not in sharp)
        for number, edge in enumerate(edges_of(brep.shape))
    ]


def _polyline(edge: TopoDS_Edge, tessellation: Tessellation) -> NDArray[np.float64]:
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
