"""How deep a point lies under the surface of a body: what wall thickness is measured by.

Lengths in millimetres. Points of a body are chosen the same way each time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cached_property

from OCP.Bnd import Bnd_Box
from OCP.BOPTools import BOPTools_AlgoTools3D
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepClass3d import BRepClass3d_SolidClassifier
from OCP.gp import gp_Dir, gp_Lin, gp_Pnt, gp_Pnt2d
from OCP.IntCurvesFace import IntCurvesFace_ShapeIntersector
from OCP.IntTools import IntTools_Context
from OCP.TopAbs import TopAbs_IN, TopAbs_VERTEX
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import compound_of, edges_of, faces_of, shape_map
from vcad_kernel.geometry.occt.measure.distances.clearances import Crowd, clearance
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import outward_normal

__all__ = ["Depth", "Inside", "boundary_points", "face_point", "inner_point"]

_FAR = 1e9
"""Longer than any body, for rays."""


class Depth:
    """Distance to a set of faces, or of edges."""

    def __init__(self, faces: Sequence[TopoDS_Face] | Sequence[TopoDS_Edge]) -> None:
        """Faces alone: the distance to a solid is zero everywhere inside it."""
        self._members = faces
        self._skin = compound_of(faces)

    def of(self, point: gp_Pnt) -> float:
        """Distance of a point from the nearest face."""
        return clearance(point, self._skin)

    def reaches(self, points: Sequence[gp_Pnt], least: float) -> bool:
        """Whether each point has at least this distance. Where surfaces keep it already, no face is asked."""
        return all(self._crowd.leaves_room(points, [least] * len(points)))

    @cached_property
    def _crowd(self) -> Crowd:
        return Crowd(self._members)


class Inside:
    """Whether points lie in a solid; prepared once, used often."""

    def __init__(self, solid: TopoDS_Shape) -> None:
        """solid: outward oriented."""
        self._classifier = BRepClass3d_SolidClassifier(solid)
        self._box = Bnd_Box()
        BRepBndLib.Add_s(solid, self._box, False)

    def holds(self, point: gp_Pnt) -> bool:
        """Strictly inside."""
        # most points about a body lie beyond its box, which is never too small
        if self._box.IsOut(point):
            return False
        self._classifier.Perform(point, 1e-9)
        return bool(self._classifier.State() == TopAbs_IN)


def face_point(face: TopoDS_Face, context: IntTools_Context) -> tuple[gp_Pnt, gp_Pnt2d]:
    """A point well within a face, in space and in its parameters."""
    point, place = gp_Pnt(), gp_Pnt2d()
    BOPTools_AlgoTools3D.PointInFace_s(face, point, place, context)
    return point, place


def boundary_points(shape: TopoDS_Shape, context: IntTools_Context) -> Iterator[gp_Pnt]:
    """All vertices, the middles of the edges, and one point of each face."""
    vertices = shape_map(shape, TopAbs_VERTEX)
    for index in range(1, vertices.Extent() + 1):
        yield BRep_Tool.Pnt_s(TopoDS.Vertex(vertices.FindKey(index)))
    for edge in edges_of(shape):
        if not BRep_Tool.Degenerated_s(edge):
            curve = BRepAdaptor_Curve(edge)
            yield curve.Value((curve.FirstParameter() + curve.LastParameter()) / 2.0)
    for face in faces_of(shape):
        yield face_point(face, context)[0]


def inner_point(solid: TopoDS_Shape, context: IntTools_Context) -> gp_Pnt | None:
    """A point inside, in the middle of a chord square to some face; None when none is found."""
    inside = Inside(solid)
    rays = IntCurvesFace_ShapeIntersector()
    rays.Load(solid, 1e-9)
    for face in faces_of(solid):
        start, place = face_point(face, context)
        normal = outward_normal(face, place)
        if normal is None:
            continue
        rays.Perform(gp_Lin(start, gp_Dir(normal)), -_FAR, _FAR)
        hits = sorted(rays.WParameter(index) for index in range(1, rays.NbPnt() + 1))
        # the longest chord first: its middle is the furthest from any face
        chords = sorted(itertools.pairwise(hits), key=lambda chord: chord[0] - chord[1])
        for low, high in chords:
            middle = start.Translated(normal * ((low + high) / 2.0))
            if inside.holds(middle):
                return middle
    return None
