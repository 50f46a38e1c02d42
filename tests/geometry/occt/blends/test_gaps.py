"""Gaps between edges in closed form, against the same edges of which nothing is known but OpenCASCADE's
distances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCone, BRepPrimAPI_MakeCylinder
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.blends.gaps import gap_across
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, sharp_edges


def box(low: tuple[float, float, float], high: tuple[float, float, float]) -> TopoDS_Shape:
    return BRepPrimAPI_MakeBox(gp_Pnt(*low), gp_Pnt(*high)).Shape()


def stairs() -> TopoDS_Shape:
    """Lines side by side, shifted along each other by less and by more than they are long."""
    body = box((0.0, 0.0, 0.0), (9.0, 6.0, 2.0))
    body = BRepAlgoAPI_Cut(body, box((2.0, -1.0, -1.0), (4.0, 2.0, 3.0))).Shape()
    return BRepAlgoAPI_Cut(body, box((7.0, 4.0, -1.0), (8.0, 7.0, 3.0))).Shape()


def wedge() -> TopoDS_Shape:
    """Lines that are nearly parallel: the last box is turned by 1/500 and by 1/20."""
    body = box((0.0, 0.0, 0.0), (9.0, 6.0, 2.0))
    for slope, low in ((0.002, 1.0), (0.05, 4.0)):
        way = gp_Ax2(gp_Pnt(1.0, low, -1.0), gp_Dir(0.0, 0.0, 1.0), gp_Dir(1.0, slope, 0.0))
        body = BRepAlgoAPI_Cut(body, BRepPrimAPI_MakeBox(way, 7.0, 1.0, 4.0).Shape()).Shape()
    return body


def flange() -> TopoDS_Shape:
    """Rings within each other, above each other, on a cone, and one beside the axis."""
    up = gp_Dir(0.0, 0.0, 1.0)
    body = BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(), up), 5.0, 2.0).Shape()
    cone = BRepPrimAPI_MakeCone(gp_Ax2(gp_Pnt(0.0, 0.0, 2.0), up), 3.0, 2.0, 3.0).Shape()
    body = BRepAlgoAPI_Fuse(body, cone).Shape()
    for x, radius in ((0.0, 1.0), (4.0, 0.5)):
        bore = BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, 0.0, 9.0), gp_Dir(0.0, 0.0, -1.0)), radius, 20.0)
        body = BRepAlgoAPI_Cut(body, bore.Shape()).Shape()
    return body


def pairs(body: TopoDS_Shape) -> list[tuple[SharpEdge, SharpEdge, int]]:
    """Edges of one face, and which face of the first it is."""
    return [
        (corner, other, side)
        for corner, other in combinations(sharp_edges(body), 2)
        for side, face in enumerate(corner.faces)
        if any(face.IsSame(each) for each in other.faces)
    ]


@pytest.mark.parametrize(("body", "facing"), [(stairs, 20), (wedge, 8), (flange, 5)])
def test_gaps_are_those_between_the_nearest_places(body: Callable[[], TopoDS_Shape], facing: int) -> None:
    found = 0
    for corner, other, side in pairs(body()):
        gap = gap_across(corner, other, corner.faces[side])
        unread = gap_across(replace(corner, into=None), replace(other, into=None), corner.faces[side])
        assert gap == (None if unread is None else pytest.approx(unread, rel=1e-12))
        found += gap is not None
    assert found >= facing
