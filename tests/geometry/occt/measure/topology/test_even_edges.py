"""Edges along which faces meet alike, against OpenCASCADE's normals at places all along them."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform
from OCP.BRepClass3d import BRepClass3d_SolidClassifier
from OCP.BRepFilletAPI import BRepFilletAPI_MakeFillet
from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCone,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakeSphere,
    BRepPrimAPI_MakeTorus,
)
from OCP.gp import gp_Ax1, gp_Ax2, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
from OCP.TopAbs import TopAbs_IN
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.brep import edges_of
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import LINE, POINT, boundary_numbers
from vcad_kernel.geometry.occt.measure.topology.even_edges import even_edge
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import turns_between
from vcad_kernel.geometry.tolerance import SMOOTH_EDGE

UP = gp_Dir(0.0, 0.0, 1.0)


def at(x: float, y: float, z: float) -> gp_Ax2:
    return gp_Ax2(gp_Pnt(x, y, z), UP)


def rounded_box() -> TopoDS_Shape:
    box = BRepPrimAPI_MakeBox(9.0, 7.0, 5.0).Shape()
    rounding = BRepFilletAPI_MakeFillet(box)
    for edge in edges_of(box):
        rounding.Add(1.0, edge)
    return rounding.Shape()


def pointed_rod() -> TopoDS_Shape:
    """A cone with a ball in its top, on a rod with a bore: cut in half, so that edges run to an apex."""
    rod = BRepPrimAPI_MakeCylinder(at(0.0, 0.0, 0.0), 3.0, 4.0).Shape()
    rod = BRepAlgoAPI_Fuse(rod, BRepPrimAPI_MakeCone(at(0.0, 0.0, 4.0), 3.0, 0.0, 5.0).Shape()).Shape()
    rod = BRepAlgoAPI_Cut(rod, BRepPrimAPI_MakeCone(at(0.0, 0.0, 0.0), 2.0, 0.0, 3.0).Shape()).Shape()
    return BRepAlgoAPI_Cut(rod, BRepPrimAPI_MakeBox(gp_Pnt(0.0, -9.0, -1.0), 9.0, 18.0, 20.0).Shape()).Shape()


def dented_rod() -> TopoDS_Shape:
    rod = BRepPrimAPI_MakeCylinder(at(0.0, 0.0, 0.0), 3.0, 4.0).Shape()
    rod = BRepAlgoAPI_Cut(rod, BRepPrimAPI_MakeSphere(gp_Pnt(0.0, 0.0, 5.0), 2.0).Shape()).Shape()
    return BRepAlgoAPI_Fuse(rod, BRepPrimAPI_MakeTorus(at(0.0, 0.0, 2.0), 3.0, 1.0).Shape()).Shape()


def half_ring() -> TopoDS_Shape:
    """Ends in circles around the tube, and has a groove."""
    ring = BRepPrimAPI_MakeTorus(at(0.0, 0.0, 0.0), 6.0, 2.0).Shape()
    ring = BRepAlgoAPI_Cut(
        ring, BRepPrimAPI_MakeBox(gp_Pnt(-9.0, 0.0, -9.0), 18.0, 9.0, 18.0).Shape()
    ).Shape()
    return BRepAlgoAPI_Cut(ring, BRepPrimAPI_MakeCylinder(at(0.0, 0.0, 1.0), 6.5, 9.0).Shape()).Shape()


def turned(shape: TopoDS_Shape) -> TopoDS_Shape:
    """Turned askew and mirrored, which makes left-handed frames of its surfaces."""
    turn, mirror = gp_Trsf(), gp_Trsf()
    turn.SetRotation(gp_Ax1(gp_Pnt(3.0, 1.0, 2.0), gp_Dir(1.0, 2.0, 0.5)), 0.7)
    mirror.SetMirror(gp_Ax2(gp_Pnt(1.0, 0.0, 0.0), gp_Dir(1.0, 0.3, 0.2)))
    return BRepBuilderAPI_Transform(shape, mirror.Multiplied(turn), True).Shape()


@pytest.mark.parametrize("place", [lambda shape: shape, turned], ids=["as drawn", "turned and mirrored"])
@pytest.mark.parametrize("body", [rounded_box, pointed_rod, dented_rod, half_ring])
def test_lines_and_circles_between_elementary_faces_meet_alike_as_normals_say(
    body: Callable[[], TopoDS_Shape], place: Callable[[TopoDS_Shape], TopoDS_Shape]
) -> None:
    shape = place(body())
    numbers = boundary_numbers(shape)
    inside = BRepClass3d_SolidClassifier(shape)
    looked_at = 0
    for edge, there in enumerate(numbers.at_edge):
        if numbers.curves.kinds[edge] == POINT or len({face for face, _ in there}) < 2:
            continue
        even = even_edge(numbers, edge)
        assert even is not None
        looked_at += 1
        faces = numbers.faces[there[0][0]], numbers.faces[there[1][0]]
        for turn, convex in turns_between(numbers.edges[edge], faces):
            assert even.turn == pytest.approx(turn, abs=1e-9)
            assert turn <= SMOOTH_EDGE or even.is_convex == convex
        if even.turn > SMOOTH_EDGE:
            # between the ways into both faces lies the body where convex, and what is not of it elsewhere
            ways = [gp_Vec(*way) for way in even.into]
            assert ways[0].Angle(ways[1]) == pytest.approx(math.pi - even.turn, abs=1e-9)
            curve = BRepAdaptor_Curve(numbers.edges[edge])
            low, high = curve.FirstParameter(), curve.LastParameter()
            # on a circle they turn, but hardly as near as this to its start
            spot = curve.Value(low + (0.5 * (high - low) if numbers.curves.kinds[edge] == LINE else 0.02))
            inside.Perform(spot.Translated((ways[0] + ways[1]).Normalized() * 1e-3), 1e-9)
            assert (inside.State() == TopAbs_IN) == even.is_convex
    assert looked_at >= 5


def test_a_ring_around_the_tube_of_a_torus_that_passes_through_its_axis_is_left_to_normals() -> None:
    ring = BRepPrimAPI_MakeTorus(at(0.0, 0.0, 0.0), 2.0, 2.5).Shape()
    half = BRepAlgoAPI_Cut(
        ring, BRepPrimAPI_MakeBox(gp_Pnt(-9.0, 0.0, -9.0), 18.0, 9.0, 18.0).Shape()
    ).Shape()
    numbers = boundary_numbers(half)
    between = [
        edge
        for edge, there in enumerate(numbers.at_edge)
        if len({face for face, _ in there}) == 2 == len(there)
    ]
    assert between
    assert all(even_edge(numbers, edge) is None for edge in between)
