"""Whether there is room about a point: how far it is from faces, without asking more than needed.

A face is at least as far as the whole of its surface, which for elementary ones is in closed form. Only
of faces whose surfaces pass nearer is the distance to the faces themselves looked for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from OCP.Bnd import Bnd_Box
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeVertex
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.gp import gp_Pnt
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import ShapeMap, compound_of
from vcad_kernel.geometry.occt.measure.distances.elementary import ELEMENTARY, Elementary

__all__ = ["Crowd", "clearance"]


class Crowd:
    """Faces, or edges, that points may be too near to."""

    def __init__(self, faces: Sequence[TopoDS_Face] | Sequence[TopoDS_Edge]) -> None:
        self._boxed = ShapeMap()
        self._boxes: list[Bnd_Box] = []
        self._others: list[TopoDS_Shape] = []
        alike: dict[Elementary, tuple[list[TopoDS_Face], list[list[float]]]] = {}
        for face in faces:
            if not isinstance(face, TopoDS_Face):
                self._others.append(face)
                continue
            surface = BRepAdaptor_Surface(face, False)
            elementary = ELEMENTARY.get(surface.GetType().value)
            if elementary is None:
                self._others.append(face)
                continue
            members, numbers = alike.setdefault(elementary, ([], []))
            members.append(face)
            numbers.append(elementary.numbers(surface))
        self._alike = [
            (elementary, members, np.array(numbers).T) for elementary, (members, numbers) in alike.items()
        ]

    def leaves_room(self, points: Sequence[gp_Pnt], least: Sequence[float]) -> list[bool]:
        """Whether each point has at least its distance, millimetres, from every face."""
        near = self._near(points, least)
        return [
            not there or clearance(point, compound_of(there)) >= distance
            for point, distance, there in zip(points, least, near, strict=True)
        ]

    def lie_at(self, points: Sequence[gp_Pnt], distance: float, spare: float) -> bool:
        """Whether the nearest face is at the distance from each point, with so much to spare, millimetres."""
        near = self._near(points, [distance + 2.0 * spare] * len(points))
        return all(
            bool(there) and abs(clearance(point, compound_of(there)) - distance) <= spare
            for point, there in zip(points, near, strict=True)
        )

    def _near(self, points: Sequence[gp_Pnt], least: Sequence[float]) -> list[list[TopoDS_Shape]]:
        """For each point the faces whose surfaces are nearer to it than its distance."""
        places = np.array([point.Coord() for point in points]).reshape(-1, 3).T[:, :, None]
        wanted = np.array(least)[:, None]
        near: list[list[TopoDS_Shape]] = [list(self._others) for _ in points]
        for elementary, members, numbers in self._alike:
            close = elementary.distance(places, numbers[:, None, :]) < wanted
            for index, member in np.argwhere(close).tolist():
                # a surface may go on where there is nothing of the face
                if self._box(members[member]).Distance(Bnd_Box(points[index], points[index])) < least[index]:
                    near[index].append(members[member])
        return near

    def _box(self, face: TopoDS_Face) -> Bnd_Box:
        """The face's box, never too small."""
        number = self._boxed.Add(face)
        if number > len(self._boxes):
            box = Bnd_Box()
            BRepBndLib.Add_s(face, box, False)
            self._boxes.append(box)
        return self._boxes[number - 1]


def clearance(point: gp_Pnt, shape: TopoDS_Shape) -> float:
    """Distance from a point to faces or edges, millimetres. (From a point in a solid it would be 0.)"""
    measured = BRepExtrema_DistShapeShape(BRepBuilderAPI_MakeVertex(point).Vertex(), shape)
    return float(measured.Value())
