"""How two faces of a body meet along an edge: outward, inward or smoothly, and by how much; and whether
a body is convex, which follows from its joints and faces.

Angles in radians. Seams and degenerate edges (poles, apexes) are no joints.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepTools import BRepTools
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere, GeomAbs_Torus
from OCP.GeomLib import GeomLib_IsPlanarSurface
from OCP.TopAbs import TopAbs_REVERSED, TopAbs_SHELL
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import faces_of, shape_map, solids_of
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import POINT, boundary_numbers
from vcad_kernel.geometry.occt.measure.topology.even_edges import even_edge
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import turns_between
from vcad_kernel.geometry.tolerance import LINEAR, SMOOTH_EDGE

__all__ = ["Joint", "is_convex", "is_planar", "joints_of"]


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
    numbers = boundary_numbers(shape)
    for number, there in enumerate(numbers.at_edge):
        if numbers.curves.kinds[number] == POINT:
            continue
        faces: list[TopoDS_Face] = []
        for index, _ in there:
            face = numbers.faces[index]
            if not any(face.IsSame(other) for other in faces):
                faces.append(face)
        if len(faces) != 2:
            continue
        edge, between = numbers.edges[number], (faces[0], faces[1])
        even = even_edge(numbers, number) if len(there) == 2 else None
        met = turns_between(edge, between) if even is None else [(even.turn, even.is_convex)]
        turns = [turn if convex else -turn for turn, convex in met]
        if turns:
            yield Joint(edge, between, max(turns), min(turns))


def is_planar(face: TopoDS_Face) -> bool:
    """Whether a face is flat, also in the guise of another surface."""
    if BRepAdaptor_Surface(face, False).GetType() == GeomAbs_Plane:
        return True
    return bool(GeomLib_IsPlanarSurface(BRep_Tool.Surface_s(face), LINEAR).IsPlanar())


def is_convex(shape: TopoDS_Shape) -> bool:
    """Locally convex everywhere with one connected boundary, which makes a closed surface convex."""
    return (
        len(solids_of(shape)) == 1
        and shape_map(shape, TopAbs_SHELL).Extent() == 1
        and all(_bulges(face) for face in faces_of(shape))
        and not any(joint.is_concave for joint in joints_of(shape))
    )


def _bulges(face: TopoDS_Face) -> bool:
    """Whether a face is planar, or curves away from its outward normal everywhere."""
    if is_planar(face):
        return True
    surface = BRepAdaptor_Surface(face, False)
    kind = surface.GetType()
    if kind == GeomAbs_Cylinder:
        direct = surface.Cylinder().Position().Direct()
    elif kind == GeomAbs_Cone:
        direct = surface.Cone().Position().Direct()
    elif kind == GeomAbs_Sphere:
        direct = surface.Sphere().Position().Direct()
    elif kind == GeomAbs_Torus:
        _, _, low, high = BRepTools.UVBounds_s(face)
        middle = math.remainder((low + high) / 2.0, 2.0 * math.pi)
        # the inner half of a torus is a saddle
        if abs(middle) + (high - low) / 2.0 > math.pi / 2.0 + 1e-9:
            return False
        direct = surface.Torus().Position().Direct()
    else:
        return False
    return bool(direct) != bool(face.Orientation() == TopAbs_REVERSED)
