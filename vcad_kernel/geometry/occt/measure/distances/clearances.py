"""Whether there is room about a point: how far it is from faces, without asking more than needed.

A face is at least as far as the whole of its surface, which for elementary ones is in closed form. Only
of faces whose surfaces pass nearer is the distance to the faces themselves looked for; of flat ones with
straight edges that, too, is in closed form.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
from OCP.Bnd import Bnd_Box
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeVertex
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.gp import gp_Pnt
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import compound_of
from vcad_kernel.geometry.occt.measure.distances.elementary import ELEMENTARY
from vcad_kernel.geometry.occt.measure.distances.polygons import Polygon, polygon_of
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import BoundaryNumbers, boundary_numbers

__all__ = ["Crowd", "clearance"]


class Crowd:
    """Faces, or edges, that points may be too near to."""

    def __init__(
        self,
        faces: Sequence[TopoDS_Face] | Sequence[TopoDS_Edge],
        numbers: BoundaryNumbers | None = None,
    ) -> None:
        """numbers: of the body whose faces these are, all of them, where it has been read."""
        self._members: Sequence[TopoDS_Shape] = faces
        self._numbers = numbers
        self._boxes: dict[int, Bnd_Box] = {}
        self._polygons: dict[int, Polygon | None] = {}
        self._others: list[int] = []
        alike: dict[int, tuple[list[int], list[list[float]]]] = {}
        for index, face in enumerate(faces):
            if not isinstance(face, TopoDS_Face):
                self._others.append(index)
                continue
            surface = BRepAdaptor_Surface(face, False) if numbers is None else numbers.surfaces[index]
            kind = surface.GetType().value
            if kind not in ELEMENTARY:
                self._others.append(index)
                continue
            members, rows = alike.setdefault(kind, ([], []))
            members.append(index)
            rows.append(
                ELEMENTARY[kind].numbers(surface) if numbers is None else numbers.surface_numbers(index)
            )
        self._alike = [
            (ELEMENTARY[kind], members, np.array(rows).T) for kind, (members, rows) in alike.items()
        ]

    def leaves_room(
        self,
        points: Sequence[gp_Pnt],
        least: Sequence[float],
        among: Sequence[Collection[int]] | None = None,
    ) -> list[bool]:
        """Whether each point has at least its distance, millimetres, from every face.

        among: for each point the faces that are asked, by number; None = all.
        """
        far = self._clearances(points, self._near(points, least, among))
        return [distance >= wanted for distance, wanted in zip(far, least, strict=True)]

    def lie_at(self, points: Sequence[gp_Pnt], distance: float, spare: float) -> bool:
        """Whether the nearest face is at the distance from each point, with so much to spare, millimetres."""
        near = self._near(points, [distance + 2.0 * spare] * len(points))
        return all(abs(apart - distance) <= spare for apart in self._clearances(points, near))

    def _near(
        self,
        points: Sequence[gp_Pnt],
        least: Sequence[float],
        among: Sequence[Collection[int]] | None = None,
    ) -> list[list[int]]:
        """For each point the faces whose surfaces are nearer to it than its distance, by number."""
        places = np.array([point.Coord() for point in points]).reshape(-1, 3).T[:, :, None]
        wanted = np.array(least)[:, None]
        near = [[*self._others] for _ in points]
        for elementary, members, rows in self._alike:
            close = elementary.distance(places, rows[:, None, :]) < wanted
            for index, member in np.argwhere(close).tolist():
                number = members[member]
                # a surface may go on where there is nothing of the face
                if (among is None or number in among[index]) and self._box(number).Distance(
                    Bnd_Box(points[index], points[index])
                ) < least[index]:
                    near[index].append(number)
        if among is None:
            return near
        return [
            [number for number in there if number in asked] for there, asked in zip(near, among, strict=True)
        ]

    def _clearances(self, points: Sequence[gp_Pnt], near: Sequence[Sequence[int]]) -> list[float]:
        """How far each point is from the nearest of its faces; ∞ where it has none."""
        asked_of: dict[int, list[int]] = {}
        for index, there in enumerate(near):
            for number in there:
                asked_of.setdefault(number, []).append(index)
        far = np.full(len(points), math.inf)
        places = np.array([point.Coord() for point in points]).reshape(-1, 3)
        without_form: list[list[TopoDS_Shape]] = [[] for _ in points]
        for number, indices in asked_of.items():
            polygon = self._polygon(number)
            if polygon is None:
                for index in indices:
                    without_form[index].append(self._members[number])
                continue
            far[indices] = np.minimum(far[indices], polygon.distances(places[indices]))
        return [
            min(distance, clearance(point, compound_of(others))) if others else distance
            for point, distance, others in zip(points, far.tolist(), without_form, strict=True)
        ]

    def _polygon(self, number: int) -> Polygon | None:
        """A flat face between straight edges as such."""
        if number not in self._polygons:
            face = self._members[number]
            polygon = None
            if isinstance(face, TopoDS_Face):
                read, index = (
                    (boundary_numbers(face), 0) if self._numbers is None else (self._numbers, number)
                )
                polygon = polygon_of(read, index)
            self._polygons[number] = polygon
        return self._polygons[number]

    def _box(self, number: int) -> Bnd_Box:
        """A face's box, never too small."""
        box = self._boxes.get(number)
        if box is None:
            box = self._boxes[number] = Bnd_Box()
            BRepBndLib.Add_s(self._members[number], box, False)
        return box


def clearance(point: gp_Pnt, shape: TopoDS_Shape) -> float:
    """Distance from a point to faces or edges, millimetres. (From a point in a solid it would be 0.)"""
    measured = BRepExtrema_DistShapeShape(BRepBuilderAPI_MakeVertex(point).Vertex(), shape)
    return float(measured.Value())
