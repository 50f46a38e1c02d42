"""Edges, faces and gaps of exact bodies, against closed formulas."""

from __future__ import annotations

import math

import pytest
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut
from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCone,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakeSphere,
    BRepPrimAPI_MakeTorus,
)
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.measure.topology.inspecting import edge_readings, face_readings, gap
from vcad_kernel.operations.node import Vec3

Z = (0.0, 0.0, 1.0)


def axes(at: Vec3, along: Vec3 = Z) -> gp_Ax2:
    return gp_Ax2(gp_Pnt(*at), gp_Dir(*along))


def body(shape: TopoDS_Shape) -> Brep:
    return Brep.made(shape, b"maker")


def ball(radius: float, at: Vec3 = (0.0, 0.0, 0.0)) -> Brep:
    return body(BRepPrimAPI_MakeSphere(axes(at), radius).Shape())


def block(x: float, y: float, z: float) -> TopoDS_Shape:
    return BRepPrimAPI_MakeBox(x, y, z).Shape()


def plate() -> Brep:
    """10 × 20 × 30 with a hole of radius 3 along its height."""
    hole = BRepPrimAPI_MakeCylinder(axes((5.0, 10.0, -1.0)), 3.0, 40.0).Shape()
    return body(BRepAlgoAPI_Cut(block(10.0, 20.0, 30.0), hole).Shape())


def test_a_drilled_block_has_its_faces_with_area_radius_and_outward_normal() -> None:
    found = face_readings(plate())
    assert [face.index for face in found] == list(range(7))
    planes = {face.normal: face.area for face in found if face.kind == "plane"}
    assert planes == pytest.approx(
        {
            (1.0, 0.0, 0.0): 600.0,
            (-1.0, 0.0, 0.0): 600.0,
            (0.0, 1.0, 0.0): 300.0,
            (0.0, -1.0, 0.0): 300.0,
            (0.0, 0.0, 1.0): 200.0 - 9.0 * math.pi,
            (0.0, 0.0, -1.0): 200.0 - 9.0 * math.pi,
        }
    )
    (wall,) = [face for face in found if face.kind == "cylinder"]
    assert (wall.radius, wall.normal, wall.maker) == (3.0, None, b"maker")
    assert wall.area == pytest.approx(180.0 * math.pi)
    assert wall.center == pytest.approx((5.0, 10.0, 15.0))


def test_a_drilled_block_has_its_edges_with_length_radius_and_middle() -> None:
    found = edge_readings(plate())
    lines = sorted(edge.length for edge in found if edge.kind == "line" and len(edge.faces) == 2)
    assert lines == pytest.approx([10.0] * 4 + [20.0] * 4 + [30.0] * 4)
    rims = [edge for edge in found if edge.kind == "circle"]
    assert [edge.radius for edge in rims] == [3.0, 3.0]
    assert [edge.length for edge in rims] == pytest.approx([6.0 * math.pi] * 2)
    assert sorted(edge.center for edge in rims) == [
        pytest.approx((5.0, 10.0, 0.0)),
        pytest.approx((5.0, 10.0, 30.0)),
    ]
    (seam,) = [edge for edge in found if len(edge.faces) == 1]
    assert seam.length == pytest.approx(30.0)


@pytest.mark.parametrize(
    ("shape", "kind", "radius", "area"),
    [
        (BRepPrimAPI_MakeSphere(4.0).Shape(), "sphere", 4.0, 64.0 * math.pi),
        (BRepPrimAPI_MakeTorus(9.0, 2.0).Shape(), "torus", 2.0, 4.0 * math.pi**2 * 18.0),
        (BRepPrimAPI_MakeCone(3.0, 0.0, 4.0).Shape(), "cone", None, 15.0 * math.pi),
    ],
)
def test_curved_faces_have_their_kind_radius_and_area(
    shape: TopoDS_Shape, kind: str, radius: float | None, area: float
) -> None:
    (face,) = [one for one in face_readings(body(shape)) if one.kind != "plane"]
    assert (face.kind, face.radius) == (kind, radius)
    assert face.area == pytest.approx(area, rel=1e-9)


def test_a_pole_is_no_edge() -> None:
    assert [edge.kind for edge in edge_readings(ball(5.0))] == ["circle"]


def test_balls_are_apart_by_their_centres_less_their_radii() -> None:
    found = gap(ball(5.0), ball(3.0, (6.0, 8.0, 24.0)))
    assert found is not None
    assert found.distance == pytest.approx(26.0 - 8.0, rel=1e-9)
    assert found.points is not None
    assert found.points[0] == pytest.approx(tuple(part * 5.0 / 26.0 for part in (6.0, 8.0, 24.0)), rel=1e-6)
    back = gap(ball(3.0, (6.0, 8.0, 24.0)), ball(5.0))
    assert back is not None
    assert back.distance == pytest.approx(found.distance, rel=1e-12)


def test_a_pin_keeps_its_clearance_in_its_hole() -> None:
    pin = body(BRepPrimAPI_MakeCylinder(axes((5.0, 10.0, -5.0)), 2.75, 50.0).Shape())
    found = gap(plate(), pin)
    assert found is not None
    assert found.distance == pytest.approx(0.25, rel=1e-9)


def test_bodies_that_touch_overlap_or_hold_each_other_have_none() -> None:
    for other in (ball(1.0, (11.0, 4.0, 4.0)), ball(1.0, (10.0, 4.0, 4.0)), ball(1.0, (4.0, 4.0, 4.0))):
        found = gap(body(block(10.0, 10.0, 10.0)), other)
        assert found is not None
        assert found.distance == pytest.approx(0.0, abs=1e-9)
