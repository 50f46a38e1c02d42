"""How two faces of a body meet along an edge: outward, inward or smoothly, and by how much.

Angles in radians. Seams and degenerate edges (poles, apexes) are no joints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from OCP.BRep import BRep_Tool
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import listed
from vcad_kernel.geometry.occt.sharp_edges import faces_by_edge, turns_between
from vcad_kernel.geometry.tolerance import SMOOTH_EDGE

__all__ = ["Joint", "joints_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """An edge and the two faces that meet there."""

    edge: TopoDS_Edge
    faces: tuple[TopoDS_Face, TopoDS_Face]
    sharpest: float
    """Largest turn of the outward normal from one face to the other; positive at convex places."""
    deepest: float
    """Least turn: negative where the edge is concave somewhere."""

    @property
    def is_smooth(self) -> bool:
        """No corner anywhere along it (cad.md §3.3)."""
        return max(self.sharpest, -self.deepest) < SMOOTH_EDGE

    @property
    def is_concave(self) -> bool:
        """An inward corner at some place at least."""
        return self.deepest <= -SMOOTH_EDGE


def joints_of(shape: TopoDS_Shape) -> Iterator[Joint]:
    """Every edge at which two different faces meet, or one face meets itself at an angle."""
    neighbours = faces_by_edge(shape)
    for index in range(1, neighbours.Extent() + 1):
        edge = TopoDS.Edge(neighbours.FindKey(index))
        if BRep_Tool.Degenerated_s(edge):
            continue
        faces: list[TopoDS_Face] = []
        for shape_there in listed(neighbours.FindFromIndex(index)):
            face = TopoDS.Face(shape_there)
            if not any(face.IsSame(other) for other in faces):
                faces.append(face)
        if len(faces) != 2:
            continue
        turns = [turn if convex else -turn for turn, convex in turns_between(edge, (faces[0], faces[1]))]
        if turns:
            yield Joint(edge, (faces[0], faces[1]), max(turns), min(turns))
