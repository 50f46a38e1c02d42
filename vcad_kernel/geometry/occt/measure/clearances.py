"""Whether there is room about a point: how far it is from faces, without asking more than needed.

A face is at least as far as the whole of its surface, which for elementary ones is in closed form. Only
of faces whose surfaces pass nearer is the distance to the faces themselves looked for.
"""

from __future__ import annotations

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
from vcad_kernel.geometry.occt.measure.boundary_numbers import BoundaryNumbers
from vcad_kernel.geometry.occt.measure.elementary import ELEMENTARY

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
        self._boxes: dict[int, Bnd_Box] = {}
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
        near = self._near(points, least, among)
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

    def _near(
        self,
        points: Sequence[gp_Pnt],
        least: Sequence[float],
        among: Sequence[Collection[int]] | None = None,
    ) -> list[list[TopoDS_Shape]]:
        """For each point the faces whose surfaces are nearer to it than its distance."""
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
        if among is not None:
            near = [
                [number for number in there if number in asked]
                for there, asked in zip(near, among, strict=True)
            ]
        return [[self._members[number] for number in there] for there in near]

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
