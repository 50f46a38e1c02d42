"""Strips that meet exactly on the face between them, against closed formulas; balls as large as a corner."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepFilletAPI import BRepFilletAPI_MakeFillet
from OCP.GeomAbs import GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere, GeomAbs_Torus
from OCP.gp import gp_Pnt
from OCP.TopoDS import TopoDS_Edge, TopoDS_Shape

from tests.geometry.occt.bodies import BELOW, L_SHAPE, box, cylinder, difference, extruded, union
from vcad_kernel.geometry.occt.blends.blending import _lump_blended
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import middle_of
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import sharp_edges
from vcad_kernel.geometry.occt.measure.validity import area_of, is_valid, volume_of

KITE = 1.0 - math.pi / 4
"""Area between a right corner and its blend of radius 1."""
KITE_CENTRE = (10.0 - 3.0 * math.pi) / (12.0 - 3.0 * math.pi)
"""Distance of its centroid from either side of the corner."""

Picked = Callable[[gp_Pnt], bool]


def blended(body: TopoDS_Shape, blend: Blend, picked: Picked = lambda _middle: True) -> Brep | None:
    """The body with the sharp edges blended whose middle is picked."""
    solid = unified(Brep.made(body, BELOW))
    corners = [corner for corner in sharp_edges(solid.shape) if picked(middle_of(corner.edge))]
    result = _lump_blended(solid, corners, blend, b"new", math.inf)
    assert result is None or is_valid(result.shape)
    return result


def rounded(body: TopoDS_Shape, radius: float, picked: Picked = lambda _middle: True) -> TopoDS_Shape:
    result = blended(body, Blend("fillet", radius), picked)
    assert result is not None
    return result.shape


def at_height(z: float) -> Picked:
    return lambda middle: abs(middle.Z() - z) < 1e-6


def kinds(shape: TopoDS_Shape) -> list[object]:
    return [BRepAdaptor_Surface(face).GetType() for face in faces_of(shape)]


def with_round_uprights(
    width: float, depth: float, height: float, radius: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> TopoDS_Shape:
    """A block whose four upright edges are round."""
    body = box(width, depth, height, at)
    rounds = BRepFilletAPI_MakeFillet(body)
    for edge in edges_of(body):
        if _is_upright(edge):
            rounds.Add(radius, edge)
    return rounds.Shape()


def _is_upright(edge: TopoDS_Edge) -> bool:
    curve = BRepAdaptor_Curve(edge)
    return curve.Value(curve.FirstParameter()).Distance(curve.Value(curve.LastParameter())) == pytest.approx(
        abs(curve.Value(curve.FirstParameter()).Z() - curve.Value(curve.LastParameter()).Z())
    )


def test_full_round_of_a_wall_is_a_half_cylinder() -> None:
    result = rounded(box(40, 6, 20), 3, lambda middle: middle.Z() == 20 and middle.X() == 20)
    assert volume_of(result) == pytest.approx(40 * 6 * 17 + 40 * math.pi * 9 / 2, rel=1e-12)
    assert area_of(result) == pytest.approx(
        2 * (6 * 17 + math.pi * 9 / 2) + 40 * (2 * 17 + 6 + 3 * math.pi), rel=1e-12
    )
    # one face goes over the whole top
    assert kinds(result).count(GeomAbs_Cylinder) == 1
    assert len(faces_of(result)) == 6
    assert not [corner for corner in sharp_edges(result) if corner.turn < 1.0]


def test_full_round_of_the_rims_of_a_pipe_is_half_a_torus() -> None:
    pipe = difference(cylinder(20, 30), cylinder(14, 40, (0, 0, -5)))
    result = rounded(pipe, 3, at_height(30))
    expected = math.pi * (400 - 196) * 27 + 2 * math.pi * 17 * math.pi * 9 / 2
    assert volume_of(result) == pytest.approx(expected, rel=1e-12)
    assert kinds(result).count(GeomAbs_Torus) == 1


def test_full_round_of_a_disc_leaves_no_wall() -> None:
    result = rounded(cylinder(10, 6), 3)
    # Pappus: a square of side 7 and 6, and a half disc outside of it
    half_disc = math.pi * 9 / 2 * 2 * math.pi * (7 + 4 * 3 / (3 * math.pi))
    assert volume_of(result) == pytest.approx(math.pi * 49 * 6 + half_disc, rel=1e-12)
    assert set(kinds(result)) == {GeomAbs_Plane, GeomAbs_Torus}


def test_full_round_of_all_edges_of_a_plate_follows_steiners_formula() -> None:
    result = rounded(box(40, 30, 1), 0.5)
    x, y, r = 39.0, 29.0, 0.5
    assert volume_of(result) == pytest.approx(
        2 * r * x * y + math.pi * r**2 * (x + y) + 4 / 3 * math.pi * r**3, rel=1e-12
    )
    assert area_of(result) == pytest.approx(
        2 * x * y + 2 * math.pi * r * (x + y) + 4 * math.pi * r**2, rel=1e-12
    )
    assert not sharp_edges(result)


FRAME = difference(box(20, 20, 4), box(12, 12, 6, (4, 4, -1)))
TEE = union(box(20, 4, 4), box(4, 20, 4, (8, 0, 0)))


@pytest.mark.parametrize(
    ("body", "volume"),
    [
        # what a radius takes off is a r² - b r³; a and b of three radii below the full round
        (FRAME, 1024 - 4 * 54.93807017 + 8 * 1.47372634),
        pytest.param(
            TEE, 576 - 4 * 37.76992324 + 8 * 2.07609746, marks=pytest.mark.soak
        ),  # seconds, as the first
    ],
)
def test_full_round_of_all_edges_of_what_has_inner_corners(body: TopoDS_Shape, volume: float) -> None:
    assert volume_of(rounded(body, 2)) == pytest.approx(volume, rel=1e-9)


def test_full_round_of_the_rim_of_a_tray() -> None:
    tray = difference(with_round_uprights(60, 50, 20, 8), with_round_uprights(48, 38, 20, 2, (6, 6, 4)))
    result = rounded(tray, 3, at_height(20))
    lengths = 2 * (44 + 34) * 2
    bends = 2 * math.pi * (8 - 3 * KITE_CENTRE) + 2 * math.pi * (2 + 3 * KITE_CENTRE)
    assert volume_of(result) == pytest.approx(volume_of(tray) - 9 * KITE * (lengths + bends), rel=1e-9)


def plate_with_round_ends(length: float, width: float, height: float, z: float = 0.0) -> TopoDS_Shape:
    first, last = (cylinder(width / 2, height, (at, 0, z)) for at in (0.0, length))
    return union(union(box(length, width, height, (0, -width / 2, z)), first), last)


def test_full_round_of_a_rim_that_meets_itself_ends_in_quarter_balls() -> None:
    plate = plate_with_round_ends(40, 6, 20)
    result = rounded(plate, 3, at_height(20))
    expected = (40 * 6 + 9 * math.pi) * 17 + 40 * math.pi * 9 / 2 + 2 / 3 * math.pi * 27
    assert volume_of(result) == pytest.approx(expected, rel=1e-12)
    assert GeomAbs_Sphere in kinds(result)
    both = rounded(plate, 3)
    expected = (40 * 6 + 9 * math.pi) * 14 + 40 * math.pi * 9 + 4 / 3 * math.pi * 27
    assert volume_of(both) == pytest.approx(expected, rel=1e-12)
    ridge = blended(plate, Blend("chamfer", 3), at_height(20))
    assert ridge is not None
    # a prism over the straight part, and a cone at the ends
    assert volume_of(ridge.shape) == pytest.approx(
        (40 * 6 + 9 * math.pi) * 17 + 40 * 9 + math.pi * 9, rel=1e-12
    )


def test_full_round_of_a_pocket_with_round_ends_leaves_a_trough() -> None:
    body = difference(box(60, 20, 20, (-10, -10, 0)), plate_with_round_ends(40, 6, 13, 8))
    result = rounded(body, 3, at_height(8))
    hollow = (40 * 6 + 9 * math.pi) * 9 + 40 * math.pi * 9 / 2 + 2 / 3 * math.pi * 27
    assert volume_of(result) == pytest.approx(60 * 400 - hollow, rel=1e-12)


def test_full_round_of_a_bent_wall_with_round_ends_follows_the_bend() -> None:
    pipe = difference(cylinder(20, 30), cylinder(14, 40, (0, 0, -5)))
    half = difference(pipe, box(60, 30, 40, (-30, -30, -5)))
    wall = union(union(half, cylinder(3, 30, (17, 0, 0))), cylinder(3, 30, (-17, 0, 0)))
    result = rounded(wall, 3, at_height(30))
    # Pappus for the bend, half a ball in two quarters for its ends
    below = (17 * math.pi * 6 + 9 * math.pi) * 27
    assert volume_of(result) == pytest.approx(
        below + 17 * math.pi * math.pi * 9 / 2 + 2 / 3 * math.pi * 27, rel=1e-12
    )


def test_full_round_of_a_groove_fills_both_corners() -> None:
    groove = difference(box(40, 20, 20), box(42, 6, 12, (-1, 7, 8)))
    result = rounded(groove, 3, lambda middle: middle.Z() == 8 and middle.X() == 20)
    assert volume_of(result) == pytest.approx(40 * 400 - 40 * 6 * 12 + 2 * 40 * KITE * 9, rel=1e-12)
    assert kinds(result).count(GeomAbs_Cylinder) == 1


def test_full_round_of_a_step_runs_from_the_edge_above_into_the_one_below() -> None:
    step = union(box(40, 20, 10), box(40, 10, 16))
    result = rounded(step, 3, lambda middle: middle.X() == 20 and middle.Y() == 10)
    # what the edge above loses the one below gains
    assert volume_of(result) == pytest.approx(40 * 200 + 40 * 10 * 6, rel=1e-12)


def test_bevels_that_meet_make_a_ridge() -> None:
    result = blended(
        box(40, 6, 20), Blend("chamfer", 3), lambda middle: middle.Z() == 20 and middle.X() == 20
    )
    assert result is not None
    assert volume_of(result.shape) == pytest.approx(40 * 6 * 20 - 40 * 9, rel=1e-12)


@pytest.mark.parametrize("body", [box(10, 10, 10), cylinder(5, 20)])
def test_a_face_is_not_shrunk_to_a_point(body: TopoDS_Shape) -> None:
    assert blended(body, Blend("fillet", 5.0)) is None
    assert blended(body, Blend("fillet", 4.99)) is not None


def test_sums_of_decimal_fractions_make_a_full_round_as_well() -> None:
    thickness = 0.1 + 0.2 + 5.7
    result = rounded(box(40, thickness, 20), 3, lambda middle: middle.Z() == 20 and middle.X() == 20)
    assert volume_of(result) == pytest.approx(40 * 6 * 17 + 40 * math.pi * 9 / 2, rel=1e-9)
    assert blended(box(40, 6 - 1e-5, 20), Blend("fillet", 3), lambda m: m.Z() == 20 and m.X() == 20) is None


@pytest.mark.parametrize("radius", [1.0, 1.999, 2.0])
def test_the_rim_of_round_uprights_is_rounded_up_to_their_radius(radius: float) -> None:
    result = rounded(with_round_uprights(40, 30, 10, 2), radius, at_height(10))
    section = (40 * 30 - (4 - math.pi) * 4) * 10
    around = 2 * (36 + 26) + 2 * math.pi * (2 - radius * KITE_CENTRE)
    assert volume_of(result) == pytest.approx(section - KITE * radius**2 * around, rel=1e-12)
    assert kinds(result).count(GeomAbs_Sphere) == (4 if radius == 2.0 else 0)


@pytest.mark.parametrize("picked", [lambda _middle: True, at_height(10)])
def test_a_ball_larger_than_the_round_uprights_goes_on_beyond_what_an_equal_one_takes(picked: Picked) -> None:
    body = with_round_uprights(40, 30, 10, 2)
    volumes = [volume_of(rounded(body, radius, picked)) for radius in (2.0, 3.0, 4.0)]
    assert volumes[0] > volumes[1] > volumes[2]
    # no less is left than of a block with square uprights
    assert volumes[2] > volume_of(rounded(box(40, 30, 10), 4.0, picked)) - (4 - math.pi) * 4 * 10


def test_full_rounds_of_an_angle_are_what_smaller_balls_lead_to() -> None:
    angle = extruded(L_SHAPE, 6)
    smaller, full = (volume_of(rounded(angle, radius)) for radius in (1.9999, 2.0))
    assert full == pytest.approx(smaller, rel=1e-4)
    assert full < smaller
