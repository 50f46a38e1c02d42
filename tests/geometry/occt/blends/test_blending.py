"""Fillets and chamfers of all edges against closed formulas: polyhedra, rims, concave edges, spheres."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt.bodies import (
    BELOW,
    L_SHAPE,
    box,
    cylinder,
    difference,
    extruded,
    intersection,
    lofted,
    made,
    mirrored,
    sphere,
    turned,
    union,
)
from tests.tiers import examples
from vcad_kernel.geometry.occt.blends.blending import chamfer, fillet
from vcad_kernel.geometry.occt.booleans.faceted import faceted
from vcad_kernel.geometry.occt.brep import solids_of
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import sharp_edges
from vcad_kernel.geometry.occt.measure.validity import area_of, is_valid, volume_of
from vcad_kernel.operations.features.features import Chamfer, Fillet

KITE = 1.0 - math.pi / 4
"""Area between a right corner and its blend of radius 1; that of a bevel is one half."""
KITE_CENTRE = (10.0 - 3.0 * math.pi) / (12.0 - 3.0 * math.pi)
"""Distance of its centroid from either side of the corner; that of a bevel is one third."""


def rounded(body: TopoDS_Shape, radius: float) -> TopoDS_Shape:
    result = made(fillet, body, Fillet, radius=radius).shape
    assert is_valid(result)
    return result


def bevelled(body: TopoDS_Shape, distance: float) -> TopoDS_Shape:
    result = made(chamfer, body, Chamfer, distance=distance).shape
    assert is_valid(result)
    return result


def rounded_box(a: float, b: float, c: float, r: float) -> float:
    x, y, z = a - 2 * r, b - 2 * r, c - 2 * r
    return x * y * z + 2 * r * (x * y + y * z + z * x) + math.pi * r**2 * (x + y + z) + 4 / 3 * math.pi * r**3


def bevelled_box(a: float, b: float, c: float, d: float) -> float:
    return a * b * c - 2 * d**2 * (a + b + c - 6 * d) - 20 / 3 * d**3


def rim(radius: float, r: float, side: float) -> float:
    """Volume between a right-angled rim and its fillet; side: -1 the centroid is nearer to the axis."""
    return KITE * r**2 * 2 * math.pi * (radius + side * KITE_CENTRE * r)


def bevel_rim(radius: float, d: float, side: float) -> float:
    return d**2 / 2 * 2 * math.pi * (radius + side * d / 3)


sides = st.floats(1.0, 50.0)


@examples(6)
@given(sides, sides, sides, st.floats(0.02, 0.995))
def test_a_rounded_box_has_the_volume_and_the_area_of_steiners_formula(
    a: float, b: float, c: float, share: float
) -> None:
    r = share * min(a, b, c) / 2
    result = rounded(box(a, b, c), r)
    assert volume_of(result) == pytest.approx(rounded_box(a, b, c, r), rel=1e-6)
    x, y, z = a - 2 * r, b - 2 * r, c - 2 * r
    area = 2 * (x * y + y * z + z * x) + 2 * math.pi * r * (x + y + z) + 4 * math.pi * r**2
    assert area_of(result) == pytest.approx(area, rel=1e-6)
    assert not sharp_edges(result)


@examples(6)
@given(sides, sides, sides, st.floats(0.02, 0.995))
def test_a_bevelled_box_has_flat_triangles_for_corners(a: float, b: float, c: float, share: float) -> None:
    d = share * min(a, b, c) / 2
    result = bevelled(box(a, b, c), d)
    assert volume_of(result) == pytest.approx(bevelled_box(a, b, c, d), rel=1e-6)


def test_a_cylinder_is_rounded_by_tori_and_bevelled_by_cones() -> None:
    assert volume_of(rounded(cylinder(5, 10), 1)) == pytest.approx(772.516703442, rel=1e-9)
    assert volume_of(rounded(cylinder(5, 20), 4.99)) == pytest.approx(
        500 * math.pi - 2 * rim(5, 4.99, -1), rel=1e-9
    )
    assert volume_of(bevelled(cylinder(5, 10), 1)) == pytest.approx(756.076631964, rel=1e-9)


@pytest.mark.parametrize("size", [0.3, 1.0, 2.4])
def test_the_foot_of_a_boss_gains_what_its_formula_says(size: float) -> None:
    body = union(box(30, 30, 5), cylinder(5, 10, (15, 15, 5)))
    gain = rim(5, size, 1) - rim(5, size, -1)
    expected = rounded_box(30, 30, 5, size) + 250 * math.pi + gain
    assert volume_of(rounded(body, size)) == pytest.approx(expected, rel=1e-7)
    gain = bevel_rim(5, size, 1) - bevel_rim(5, size, -1)
    expected = bevelled_box(30, 30, 5, size) + 250 * math.pi + gain
    assert volume_of(bevelled(body, size)) == pytest.approx(expected, rel=1e-7)


def test_both_rims_of_a_hole_and_the_floor_of_a_blind_one_are_blended() -> None:
    through = difference(box(20, 20, 10), cylinder(3, 12, (10, 10, -1)))
    expected = rounded_box(20, 20, 10, 1) - 90 * math.pi - 2 * rim(3, 1, 1)
    assert volume_of(rounded(through, 1)) == pytest.approx(expected, rel=1e-7)
    blind = difference(box(20, 20, 10), cylinder(3, 12, (10, 10, 4)))
    expected = rounded_box(20, 20, 10, 1) - 54 * math.pi - rim(3, 1, 1) + rim(3, 1, -1)
    assert volume_of(rounded(blind, 1)) == pytest.approx(expected, rel=1e-7)
    expected = bevelled_box(20, 20, 10, 1) - 54 * math.pi - bevel_rim(3, 1, 1) + bevel_rim(3, 1, -1)
    assert volume_of(bevelled(blind, 1)) == pytest.approx(expected, rel=1e-7)


def test_concave_edges_of_a_tee_gain_material() -> None:
    body = union(box(20, 20, 5), box(5, 5, 15, (7.5, 7.5, 5)))
    assert volume_of(rounded(body, 1)) == pytest.approx(2325.43716461, rel=1e-6)


def test_the_seam_between_united_cubes_is_no_edge() -> None:
    body = union(box(10, 10, 10), box(10, 10, 10, (10, 0, 0)))
    assert volume_of(rounded(body, 1)) == pytest.approx(rounded_box(20, 10, 10, 1), rel=1e-7)
    assert volume_of(bevelled(body, 1)) == pytest.approx(bevelled_box(20, 10, 10, 1), rel=1e-7)


def frustum(low: float, high: float, height: float) -> TopoDS_Shape:
    """A square frustum of true planes; with nothing on top, a pyramid."""
    base = [(-low, -low, 0.0), (low, -low, 0.0), (low, low, 0.0), (-low, low, 0.0)]
    floor = [(0, 2, 1), (0, 3, 2)]
    if high == 0.0:
        points = [*base, (0.0, 0.0, height)]
        walls = [(side, (side + 1) % 4, 4) for side in range(4)]
        return faceted(np.array(points), np.array(floor + walls), [BELOW] * 6).shape
    points = base + [(x * high / low, y * high / low, height) for x, y, _ in base]
    walls = [
        corner
        for side in range(4)
        for corner in ((side, (side + 1) % 4, side + 4), ((side + 1) % 4, (side + 1) % 4 + 4, side + 4))
    ]
    roof = [(4, 5, 6), (4, 6, 7)]
    return faceted(np.array(points), np.array(floor + walls + roof), [BELOW] * 12).shape


@pytest.mark.parametrize("r", [0.2, 1.0, 2.5])
def test_a_corner_of_four_edges_is_a_piece_of_one_sphere(r: float) -> None:
    half, height = 10.0, 15.0
    slope = math.hypot(half, height)
    volume, area = 4 * half**2 * height / 3, 4 * half**2 + 4 * half * slope
    inner = 3 * volume / area
    k = (inner - r) / inner
    base_turn = math.pi - math.atan2(height, half)
    # normals of neighbouring sides are (h, 0, a) and (0, h, a) over the slope
    side_turn = math.acos(half**2 / slope**2)
    edge = math.hypot(slope, half)
    mean_width = 8 * half * base_turn + 4 * edge * side_turn
    expected = k**3 * volume + k**2 * area * r + k * mean_width * r**2 / 2 + 4 / 3 * math.pi * r**3
    assert volume_of(rounded(frustum(half, 0.0, height), r)) == pytest.approx(expected, rel=1e-7)


def test_a_bevelled_pyramid_is_cut_flat_at_its_tip() -> None:
    d = 1.0
    result = bevelled(frustum(10.0, 0.0, 15.0), d)
    assert not [corner for corner in sharp_edges(result) if corner.convex is not True]
    top = box_of(result)[1][2]
    # the tip of each side moves down it by d over the sine of half its angle
    slope, edge = math.hypot(10, 15), math.sqrt(10**2 + 15**2 + 10**2)
    assert top == pytest.approx(15 - d * (edge / 10) * 15 / slope, rel=1e-9)


def lens_volume(gap: float, radius: float, r: float) -> float:
    """Two balls of ``radius`` at z = ±gap intersected, the rim rounded by r, integrated over x."""
    centre = math.sqrt((radius - r) ** 2 - gap**2)
    touch = centre * radius / (radius - r)

    def cap(x: float) -> float:
        return 4 * math.pi * x * (math.sqrt(radius**2 - x**2) - gap)

    def bulge(angle: float) -> float:
        x = centre + r * math.sin(angle)
        return 4 * math.pi * x * (r * math.cos(angle)) ** 2

    return simpson(cap, 0.0, touch) + simpson(bulge, math.asin((touch - centre) / r), math.pi / 2)


def simpson(function: object, low: float, high: float, pieces: int = 4000) -> float:
    assert callable(function)
    step = (high - low) / pieces
    inner = sum((4 if i % 2 else 2) * function(low + i * step) for i in range(1, pieces))
    return float(step / 3 * (function(low) + inner + function(high)))


@pytest.mark.parametrize("r", [0.25, 1.0, 2.0])
def test_the_rim_of_a_lens_is_a_piece_of_a_torus(r: float) -> None:
    body = intersection(sphere(10, (0, 0, -6)), sphere(10, (0, 0, 6)))
    assert volume_of(rounded(body, r)) == pytest.approx(lens_volume(6, 10, r), rel=1e-8)


@pytest.mark.parametrize("r", [0.5, 1.5])
def test_rims_over_a_concave_wall_edge_follow_its_blend(r: float) -> None:
    corners = 5 * math.pi / 12 + KITE * math.pi / 2 * (1 + KITE_CENTRE)
    lost = KITE * r**2 * (40 - 12 * r) + corners * r**3
    expected = (64 - 4 * KITE * r**2) * 6 - 2 * lost
    assert volume_of(rounded(extruded(L_SHAPE, 6), r)) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(
    "moved",
    [
        lambda body: turned(body, 0.57, (1, 2, 3)),
        mirrored,
    ],
)
def test_turning_and_mirroring_change_no_blend(moved: object) -> None:
    assert callable(moved)
    body = union(box(30, 30, 5), cylinder(5, 10, (7, 15, 5)))
    for blend in (rounded, bevelled):
        assert volume_of(blend(moved(body), 0.9)) == pytest.approx(volume_of(blend(body, 0.9)), rel=1e-9)


def test_lumps_are_blended_one_by_one() -> None:
    result = rounded(union(box(10, 10, 10), cylinder(5, 10, (30, 0, 0))), 1)
    assert len(solids_of(result)) == 2
    assert volume_of(result) == pytest.approx(rounded_box(10, 10, 10, 1) + 772.516703442, rel=1e-8)


def test_lofted_frusta_are_rounded_like_bodies_of_planes() -> None:
    low = [(-10.0, -10.0, 0.0), (10.0, -10.0, 0.0), (10.0, 10.0, 0.0), (-10.0, 10.0, 0.0)]
    high = [(x / 2, y / 2, 10.0) for x, y, _ in low]
    result = rounded(lofted(low, high), 1)
    assert not sharp_edges(result)
    assert volume_of(result) == pytest.approx(volume_of(rounded(frustum(10.0, 5.0, 10.0), 1)), rel=1e-7)


@pytest.mark.parametrize("blend", [rounded, bevelled])
def test_a_ball_on_the_corner_of_a_box_is_blended_although_its_pole_lies_on_an_edge(blend: object) -> None:
    assert callable(blend)
    body = union(box(20, 20, 10), sphere(4, (20, 20, 10)))
    # the poles to the sides of the face: one within it costs two digits
    other = union(box(20, 20, 10), sphere(4, (20, 20, 10), (2.0, -1.3, -0.7)))
    change = volume_of(blend(body, 0.5)) - volume_of(body)
    assert change == pytest.approx(volume_of(blend(other, 0.5)) - volume_of(other), rel=2e-4)
    assert change < 0.0


def test_blends_of_blended_bodies_find_the_edges_that_are_left() -> None:
    rounded_body = rounded(box(40, 30, 10), 2)
    pocket = difference(rounded_body, box(20, 15, 8, (10, 8, 5)))
    # rim and floor are as long and cancel but for the corners: turns of the rim round the blends of the
    # walls' edges, hollow balls at the floor; the walls' edges gain along their whole height of 5
    gain = 4 * 5 * KITE + math.pi / 3 - 2 * math.pi * KITE * (1 + KITE_CENTRE)
    assert volume_of(rounded(pocket, 1)) - volume_of(pocket) == pytest.approx(gain, rel=1e-6)
    again = made(fillet, rounded_body, Fillet, radius=3.0)
    assert volume_of(again.shape) == pytest.approx(rounded_box(40, 30, 10, 2), rel=1e-7)
    assert volume_of(rounded(bevelled(box(20, 20, 10), 2), 0.5)) < bevelled_box(20, 20, 10, 2)


def test_old_faces_keep_their_makers_and_new_ones_are_the_features() -> None:
    result = made(fillet, box(10, 10, 10), Fillet, radius=1.0)
    assert sum(maker == BELOW for maker in result.makers) == 6
    assert len(set(result.makers)) == 2
