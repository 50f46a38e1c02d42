"""Bevels that reach the centre of a corner's arc and go beyond it, against the areas of insets."""

from __future__ import annotations

import math
from typing import Literal

import pytest
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepFilletAPI import BRepFilletAPI_MakeFillet
from OCP.GeomAbs import GeomAbs_Cone
from OCP.gp import gp_Pnt
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt.blends.special.test_full_rounds import at_height, blended, with_round_uprights
from tests.geometry.occt.bodies import box, cylinder, difference, extruded, made
from vcad_kernel.geometry.occt.blends.blending import chamfer
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.brep import edges_of, faces_of
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import middle_of
from vcad_kernel.geometry.occt.measure.validity import area_of, volume_of
from vcad_kernel.operations.features.features import Chamfer

WIDTH, DEPTH, HEIGHT = 10.0, 12.0, 13.0
ROUND = 4.0 - math.pi
"""What round corners of radius 1 lack of square ones."""


def outline(radius: float) -> float:
    """Area of the upright block's section, mm²."""
    return WIDTH * DEPTH - ROUND * radius**2


def taken(distance: float, radius: float) -> float:
    """Between the outline and its insets by up to a distance, mm³: ∫ A(0) − A(s) ds."""
    squares = WIDTH * DEPTH * distance - (WIDTH + DEPTH) * distance**2 + 4.0 / 3.0 * distance**3
    corners = ROUND * (radius**3 - max(radius - distance, 0.0) ** 3) / 3.0
    return outline(radius) * distance - (squares - corners)


def bevelled(body: TopoDS_Shape, distance: float, z: float) -> TopoDS_Shape:
    result = blended(body, Blend("chamfer", distance), at_height(z))
    assert result is not None
    return result.shape


@pytest.mark.parametrize("distance", [0.9, 1.0, 1.0 + 2e-9, 1.3, 3.0, 5.0])
def test_a_rim_is_bevelled_by_more_than_its_corners(distance: float) -> None:
    # at five millimetres the bevels of both long sides meet in a ridge
    body = with_round_uprights(WIDTH, DEPTH, HEIGHT, 1.0)
    after = bevelled(body, distance, HEIGHT)
    assert volume_of(after) == pytest.approx(outline(1.0) * HEIGHT - taken(distance, 1.0), rel=1e-9)
    cones = [face for face in faces_of(after) if BRepAdaptor_Surface(face).GetType() == GeomAbs_Cone]
    assert len(cones) == 4


@pytest.mark.parametrize("distance", [2.0, 5.0])
def test_a_rod_is_bevelled_to_a_point(distance: float) -> None:
    rod = cylinder(5.0, 13.0)
    after = made(chamfer, rod, Chamfer, distance=distance)
    # a frustum at each end in place of a cylinder
    top = 5.0 - distance
    end = math.pi * distance / 3.0 * (25.0 + 5.0 * top + top * top)
    assert volume_of(after.shape) == pytest.approx(
        25.0 * math.pi * (13.0 - 2.0 * distance) + 2.0 * end, rel=1e-9
    )


def test_both_rims_at_once() -> None:
    body = with_round_uprights(WIDTH, DEPTH, HEIGHT, 1.0)
    after = made(chamfer, body, Chamfer, distance=2.0)
    assert volume_of(after.shape) == pytest.approx(outline(1.0) * HEIGHT - 2.0 * taken(2.0, 1.0), rel=1e-9)
    # cones of 45° up to their points: π·r²·√2 of the two rims, and bevels √2 times the rings between
    squares = (WIDTH - 4.0) * (DEPTH - 4.0)
    walls = (2.0 * (WIDTH + DEPTH) - 2.0 * ROUND) * (HEIGHT - 4.0)
    slanted = math.sqrt(2.0) * (outline(1.0) - squares)
    assert area_of(after.shape) == pytest.approx(walls + 2.0 * (squares + slanted), rel=1e-9)


@pytest.mark.parametrize("distance", [1.0, 2.5])
def test_the_floor_of_a_pocket_with_round_corners_is_filled_as_far(distance: float) -> None:
    pocket = with_round_uprights(WIDTH, DEPTH, HEIGHT, 1.0, (2.0, 2.0, 3.0))
    body = difference(box(WIDTH + 4.0, DEPTH + 4.0, HEIGHT), pocket)
    after = bevelled(body, distance, 3.0)
    assert volume_of(after) == pytest.approx(volume_of(body) + taken(distance, 1.0), rel=1e-9)


def test_a_corner_that_is_not_used_up_and_one_that_is_sharp() -> None:
    # an upright of radius 2, one of radius 1, and two square ones
    body = box(WIDTH, DEPTH, HEIGHT)
    rounds = BRepFilletAPI_MakeFillet(body)
    for radius, place in ((1.0, (0.0, 0.0)), (2.0, (WIDTH, DEPTH))):
        for edge in edges_of(body):
            middle = middle_of(edge)
            if (middle.X(), middle.Y()) == place:
                rounds.Add(radius, edge)
    after = bevelled(rounds.Shape(), 1.5, HEIGHT)
    lost = [
        0.25 * ROUND * (radius**2 * 1.5 - (radius**3 - max(radius - 1.5, 0.0) ** 3) / 3.0)
        for radius in (1, 2)
    ]
    whole = WIDTH * DEPTH * HEIGHT - 1.25 * ROUND * HEIGHT
    assert volume_of(after) == pytest.approx(whole - taken(1.5, 0.0) + sum(lost), rel=1e-9)


def test_walls_that_lean_and_corners_that_turn_away_are_refused_rather_than_guessed() -> None:
    inner = [(0, 0), (20, 0), (20, 8), (8, 8), (8, 20), (0, 20)]
    rounds = BRepFilletAPI_MakeFillet(body := extruded(inner, 6))
    for edge in edges_of(body):
        if (middle_of(edge).X(), middle_of(edge).Y()) == (0.0, 0.0):
            rounds.Add(1.0, edge)
    assert blended(rounds.Shape(), Blend("chamfer", 1.5), at_height(6.0)) is None


@pytest.mark.parametrize("kind", ["chamfer", "fillet"])
def test_a_wall_that_is_lower_than_the_blend_is_not_cut_away(kind: Literal["chamfer", "fillet"]) -> None:
    # two strips of 5 mm use up the top of 10, and more than the wall of 4
    body = with_round_uprights(WIDTH, DEPTH, 4.0, 1.0)
    assert blended(body, Blend(kind, 5.0), at_height(4.0)) is None
    low = with_round_uprights(WIDTH, DEPTH, 3.0, 1.0)
    assert blended(low, Blend(kind, 4.0), at_height(3.0)) is None


def test_a_bevel_uses_up_a_wall_to_the_last_of_it() -> None:
    body = with_round_uprights(WIDTH, DEPTH, 3.0, 1.0)
    after = bevelled(body, 3.0, 3.0)
    assert volume_of(after) == pytest.approx(outline(1.0) * 3.0 - taken(3.0, 1.0), rel=1e-9)


def test_a_bevel_of_a_rim_ends_before_a_hole_beside_it() -> None:
    body = with_round_uprights(WIDTH, DEPTH, HEIGHT, 1.0)
    drilled = difference(body, box(2.0, 4.0, HEIGHT, (4.0, 4.0, 0.0)))

    def rim(middle: gp_Pnt) -> bool:
        return middle.Z() == HEIGHT and not (3.0 < middle.X() < 7.0 and 3.0 < middle.Y() < 9.0)

    after = blended(drilled, Blend("chamfer", 3.9), rim)
    assert after is not None
    assert volume_of(after.shape) == pytest.approx(volume_of(drilled) - taken(3.9, 1.0), rel=1e-9)
    for distance in (4.0, 4.1):
        assert blended(drilled, Blend("chamfer", distance), rim) is None
