"""The zones under concave edges that a sharp join takes away beyond the distance itself.

Around a concave edge a body's points at a distance from its boundary have a round limit; the inset
of cad.md §3.4 has a sharp one, further in. Between the two lies the zone. A moved face of some other
place may cut a piece off a zone, which must not be taken for a piece of the inset.

Lengths in millimetres, angles in radians.

Earns its place by `test_corner_zones_keep_a_sharp_join_sharp`: without it the inset has a splinter more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from OCP.BRep import BRep_Tool
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeVertex
from OCP.BRepExtrema import BRepExtrema_DistShapeShape, BRepExtrema_IsVertex
from OCP.gp import gp_Pnt, gp_Vec
from OCP.ShapeAnalysis import ShapeAnalysis_Surface
from OCP.TopoDS import TopoDS, TopoDS_Face

from vcad_kernel.geometry.occt.measure.distances.depth import Inside
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import outward_normal
from vcad_kernel.geometry.occt.measure.topology.joints import Joint

__all__ = ["CornerZones"]

_STATIONS = (0.02, 0.2, 0.4, 0.6, 0.8)
"""Where the way from the edge to a point is looked at, for it must run through the body."""
_SLACK = 1e-6


class CornerZones:
    """The zones of one body, for any distance."""

    def __init__(self, joints: Sequence[Joint], lumps: Sequence[Inside]) -> None:
        """joints: all of the body. lumps: its solids."""
        self._concave = [joint for joint in joints if joint.is_concave]
        self._joints = joints
        self._lumps = lumps
        self._surfaces: dict[TopoDS_Face, ShapeAnalysis_Surface] = {}

    def hold(self, point: gp_Pnt, distance: float) -> bool:
        """Whether a point of the body lies in the zone of some concave edge."""
        return any(self._holds(joint, point, distance) for joint in self._concave)

    def _holds(self, joint: Joint, point: gp_Pnt, distance: float) -> bool:
        # a wider turn has a longer zone; past 160° it would be a needle
        turn = min(-joint.deepest, math.radians(160.0))
        reach = distance / math.cos(turn / 2.0)
        search = BRepExtrema_DistShapeShape(BRepBuilderAPI_MakeVertex(point).Vertex(), joint.edge)
        # at the end of an edge the third face lengthens the way by no more than √3 : √2
        if search.NbSolution() == 0 or search.Value() >= reach * 1.2248:
            return False
        foot = search.PointOnShape2(1)
        faces: Sequence[TopoDS_Face] = joint.faces
        if search.SupportTypeShape2(1) == BRepExtrema_IsVertex and not joint.edge.Closed():
            around = self._all_concave_at(BRep_Tool.Pnt_s(TopoDS.Vertex(search.SupportOnShape2(1))))
            if not around:
                return False
            faces = around
        elif search.Value() >= reach * (1.0 - _SLACK):
            return False
        # at a concave edge the inset is all that lies deep enough under one face or the other
        if any(self._depth_under(face, point) >= distance * (1.0 - _SLACK) for face in faces):
            return False
        # the edge must be seen from the point through the body, not across a gap
        way = gp_Vec(foot, point)
        return all(
            any(lump.holds(foot.Translated(way * station)) for lump in self._lumps) for station in _STATIONS
        )

    def _all_concave_at(self, corner: gp_Pnt) -> list[TopoDS_Face]:
        """The faces around a corner where every edge is concave; none when some edge is not."""
        faces: list[TopoDS_Face] = []
        here = BRepBuilderAPI_MakeVertex(corner).Vertex()
        for joint in self._joints:
            if joint.is_smooth or BRepExtrema_DistShapeShape(here, joint.edge).Value() > 1e-6:
                continue
            if not joint.is_concave:
                return []
            faces += [face for face in joint.faces if not any(face.IsSame(other) for other in faces)]
        return faces

    def _depth_under(self, face: TopoDS_Face, point: gp_Pnt) -> float:
        """How far a point lies behind the whole surface of a face; negative in front of it."""
        surface = self._surfaces.setdefault(face, ShapeAnalysis_Surface(BRep_Tool.Surface_s(face)))
        place = surface.ValueOfUV(point, 1e-9)
        outward = outward_normal(face, place)
        if outward is None:
            return 0.0
        return float(gp_Vec(point, surface.Value(place)).Dot(outward))
