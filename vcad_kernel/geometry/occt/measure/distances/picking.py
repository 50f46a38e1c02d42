"""One picked face, edge, vertex or whole of an exact body, placed, and how far two such are apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeVertex, BRepBuilderAPI_Transform
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.GeomAbs import GeomAbs_Circle
from OCP.gp import gp_Dir, gp_Pnt, gp_Trsf
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.measure.readings import Gap, Picked, PickedReading
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.distances.clearances import clearance
from vcad_kernel.geometry.occt.measure.distances.elementary import ELEMENTARY
from vcad_kernel.geometry.occt.measure.integration.masses import area_and_centre
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import (
    direction_of_edge,
    kind_of_edge,
    kind_of_face,
    length_of,
    plane_normal,
    radius_of_edge,
    radius_of_face,
)
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.node import Vec3

__all__ = ["PickedShape", "nearest", "picked_shape"]


@dataclass(frozen=True, slots=True, eq=False)
class PickedShape:
    """A piece of a body where it is placed, and what is read of it."""

    shape: TopoDS_Shape
    reading: PickedReading


def picked_shape(brep: Brep, picked: Picked, pose: NDArray[np.float64]) -> PickedShape:
    """The thing of a number, else the nearest to its point, which is one of the body's frame.

    pose: (4, 4) rigid. Raises: ValueError when the body has none of this number.
    """
    if picked.kind == "part":
        shape = _placed(brep.shape, pose)
        area = sum(area_and_centre(face)[0] for face in faces_of(shape))
        return PickedShape(shape, PickedReading("part", area=area, box=_box(shape)))
    if picked.kind == "face":
        face = TopoDS.Face(_placed(_chosen(faces_of(brep.shape), picked, "face"), pose))
        return PickedShape(face, _of_face(face))
    edges = edges_of(brep.shape)
    if picked.kind == "edge":
        edge = TopoDS.Edge(_placed(_chosen(_real(edges), picked, "edge"), pose))
        return PickedShape(edge, _of_edge(edge))
    where = gp_Pnt(*picked.point) if picked.index is None and picked.point else _end(edges, picked)
    vertex = _placed(BRepBuilderAPI_MakeVertex(where).Vertex(), pose)
    place = _vec3(BRep_Tool.Pnt_s(TopoDS.Vertex(vertex)))
    return PickedShape(vertex, PickedReading("vertex", box=(place, place)))


def _of_face(face: TopoDS_Face) -> PickedReading:
    kind, normal = kind_of_face(face), plane_normal(face)
    surface = BRepAdaptor_Surface(face, False)
    elementary = ELEMENTARY.get(surface.GetType().value)
    direction = origin = None
    if normal is not None:
        direction = _vec3(normal)
    elif elementary is not None and kind != "sphere":
        x, y, z, *along = elementary.numbers(surface)[:6]
        origin, direction = (x, y, z), (along[0], along[1], along[2])
    return PickedReading(
        kind,
        radius_of_face(face),
        area=area_and_centre(face)[0],
        direction=direction,
        is_plane=normal is not None,
        origin=origin,
        box=_box(face),
    )


def _of_edge(edge: TopoDS_Edge) -> PickedReading:
    direction = direction_of_edge(edge)
    curve = BRepAdaptor_Curve(edge)
    is_round = curve.GetType() == GeomAbs_Circle
    return PickedReading(
        kind_of_edge(edge),
        radius_of_edge(edge),
        length=length_of(edge),
        direction=None if direction is None else _vec3(direction),
        origin=_vec3(curve.Circle().Location()) if is_round else None,
        box=_box(edge),
    )


def nearest(a: TopoDS_Shape, b: TopoDS_Shape) -> Gap | None:
    """The least distance, 0 where they touch or overlap; None when it is not found."""
    try:
        search = BRepExtrema_DistShapeShape(a, b)
        if not search.IsDone() or search.NbSolution() == 0:
            return None
        if search.InnerSolution():
            return Gap(0.0, None)
        points = _vec3(search.PointOnShape1(1)), _vec3(search.PointOnShape2(1))
        return Gap(0.0 if search.Value() <= LINEAR else float(search.Value()), points)
    except OCCT_ERRORS:
        return None


def _chosen(there: Sequence[TopoDS_Shape | None], picked: Picked, what: str) -> TopoDS_Shape:
    """The shape of a number, else the nearest to a point. Raises: ValueError."""
    index = picked.index
    if index is None:
        assert picked.point is not None  # one of both is given
        place = gp_Pnt(*picked.point)
        shapes = [shape for shape in there if shape is not None]
        if not shapes:
            raise ValueError(f"is of a part that has no {what}")
        return min(shapes, key=lambda shape: clearance(place, shape))
    shape = there[index] if 0 <= index < len(there) else None
    if shape is None:
        raise ValueError(f"is of a part that has no {what} {index}: the last is {len(there) - 1}")
    return shape


def _real(edges: Sequence[TopoDS_Edge]) -> list[TopoDS_Edge | None]:
    """Edges by number; None for a pole."""
    return [None if BRep_Tool.Degenerated_s(edge) else edge for edge in edges]


def _end(edges: Sequence[TopoDS_Edge], picked: Picked) -> gp_Pnt:
    """The place of a vertex by number. Raises: ValueError."""
    assert picked.index is not None  # there is no point
    index = picked.index
    edge = _chosen(_real(edges), Picked("edge", index // 2), "edge")
    curve = BRepAdaptor_Curve(TopoDS.Edge(edge))
    return curve.Value(curve.LastParameter() if index % 2 else curve.FirstParameter())


def _placed(shape: TopoDS_Shape, pose: NDArray[np.float64]) -> TopoDS_Shape:
    if np.array_equal(pose, np.eye(4)):
        return shape
    change = gp_Trsf()
    change.SetValues(*pose[:3].reshape(-1).tolist())
    return BRepBuilderAPI_Transform(shape, change, True).Shape()


def _box(shape: TopoDS_Shape) -> tuple[Vec3, Vec3]:
    box = Bnd_Box()
    BRepBndLib.AddOptimal_s(shape, box, False, False)
    return _vec3(box.CornerMin()), _vec3(box.CornerMax())


def _vec3(point: gp_Pnt | gp_Dir) -> Vec3:
    # without the sign that a zero may have
    return (point.X() + 0.0, point.Y() + 0.0, point.Z() + 0.0)
