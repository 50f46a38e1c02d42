"""Extrude, revolve, sweeps and lofts against closed formulas; what is no profile is refused."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pytest

from tests.geometry.models import FINE, XZ, Solid, circle, figures, polygon, scene, sketch, solid
from vcad_kernel.errors import GeometryError
from vcad_kernel.operations.bodies.transforms import Translate
from vcad_kernel.operations.node import Node, NodeId, Vec2, Vec3
from vcad_kernel.operations.profiles.paths import HelixPath, LinePath
from vcad_kernel.operations.profiles.profiles import Region, ring
from vcad_kernel.operations.profiles.sketches import Arc, Line
from vcad_kernel.operations.solids.sweeps import Extrude, Loft, Revolve, Sweep

RECT = [(0.0, 0.0), (10.0, 0.0), (10.0, 5.0), (0.0, 5.0)]
WASHER = [(5.0, 0.0), (8.0, 0.0), (8.0, 10.0), (5.0, 10.0)]
Z: Vec3 = (0.0, 0.0, 1.0)
ORIGIN: Vec3 = (0.0, 0.0, 0.0)


def extrude(profile: Solid, *direction: float) -> Solid:
    return solid(Extrude, profile, direction=direction)


def revolve(profile: Solid, angle: float = 360.0, origin: Vec3 = ORIGIN, axis: Vec3 = Z) -> Solid:
    return solid(Revolve, profile, axis_origin=origin, axis_dir=axis, angle_deg=angle)


def loft(*sections: Solid, closed: bool | None = None) -> Solid:
    def make(*children: NodeId) -> Node:
        return Loft(children, closed)

    return solid(make, *sections)


def square(side: float, z: float = 0.0, at: Vec2 = (0.0, 0.0), clockwise: bool = False) -> Solid:
    (u, v), h = at, side / 2.0
    points = [(u - h, v - h), (u + h, v - h), (u + h, v + h), (u - h, v + h)]
    if clockwise:
        points = [points[1], points[0], points[3], points[2]]
    return polygon(points, ((0.0, 0.0, z), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))


def code_of(body: Solid) -> str:
    with pytest.raises(GeometryError) as caught:
        scene(body)
    return caught.value.code


# ---------------------------------------------------------------- extrude


@pytest.mark.parametrize("points", [RECT, RECT[::-1]])
def test_winding_of_a_profile_does_not_matter(points: Sequence[Vec2]) -> None:
    found = figures(extrude(polygon(points), 0.0, 0.0, 20.0))
    assert found.volume == pytest.approx(1000.0)
    assert found.bounds == ((0.0, 0.0, 0.0), (10.0, 5.0, 20.0))
    assert found.is_manifold


def test_an_oblique_prism_has_area_times_normal_height() -> None:
    found = figures(extrude(polygon([(0.0, 0.0), (6.0, 0.0), (0.0, 8.0)]), 3.0, 4.0, 10.0))
    assert found.volume == pytest.approx(240.0)
    assert found.surface_area == pytest.approx(307.067826748)
    assert found.center_of_mass == pytest.approx((3.5, 14.0 / 3.0, 5.0))


def test_axis_vectors_do_not_scale_the_profile() -> None:
    found = figures(extrude(polygon(RECT, (ORIGIN, (10.0, 0.0, 0.0), (0.0, 0.2, 0.0))), 0.0, 0.0, 2.0))
    assert found.bounds == ((0.0, 0.0, 0.0), (10.0, 5.0, 2.0))


def test_oblique_axes_are_used_as_they_are() -> None:
    found = figures(extrude(polygon(RECT, (ORIGIN, (1.0, 0.0, 0.0), (1.0, 1.0, 0.0))), 0.0, 0.0, 2.0))
    assert found.volume == pytest.approx(100.0 * math.sqrt(0.5))


def test_an_arc_longer_than_half_a_turn_follows_its_sense() -> None:
    pie = (
        Arc((4.0, 0.0), (0.0, -4.0), (0.0, 0.0), True),
        Line((0.0, -4.0), (0.0, 0.0)),
        Line((0.0, 0.0), (4.0, 0.0)),
    )
    found = figures(extrude(sketch(pie), 0.0, 0.0, 3.0), FINE)
    assert found.volume == pytest.approx(0.75 * math.pi * 16.0 * 3.0, rel=1e-3)
    assert found.bounds == ((-4.0, -4.0, 0.0), (4.0, 4.0, 3.0))


def test_a_clockwise_arc_bites_into_the_profile() -> None:
    notch = (
        Line((0.0, 0.0), (20.0, 0.0)),
        Line((20.0, 0.0), (20.0, 10.0)),
        Line((20.0, 10.0), (14.0, 10.0)),
        Arc((14.0, 10.0), (6.0, 10.0), (10.0, 10.0), False),
        Line((6.0, 10.0), (0.0, 10.0)),
        Line((0.0, 10.0), (0.0, 0.0)),
    )
    assert figures(extrude(sketch(notch), 0.0, 0.0, 6.0), FINE).volume == pytest.approx(
        6.0 * (200.0 - 8.0 * math.pi), rel=1e-3
    )


def test_two_close_arcs_are_no_crossing() -> None:
    # 0.005 mm of wall, a quarter of the chord error: the chords cross until they are made finer
    lens = (
        Arc((10.0, 0.0), (-10.0, 0.0), (0.0, 0.0), True),
        Line((-10.0, 0.0), (-9.995, 0.0)),
        Arc((-9.995, 0.0), (9.995, 0.0), (0.0, -0.001), False),
        Line((9.995, 0.0), (10.0, 0.0)),
    )
    # half a ring, and the strip by which the inner arc falls short of half a disc
    area = 0.5 * math.pi * (100.0 - 9.995**2) + 2.0 * 9.995 * 0.001
    assert figures(extrude(sketch(lens), 0.0, 0.0, 1.0)).volume == pytest.approx(area, rel=0.05)


def _lines(*points: Vec2) -> tuple[Line, ...]:
    return tuple(Line(start, end) for start, end in itertools.pairwise(points))


@pytest.mark.parametrize(
    ("segments", "code"),
    [
        ((), "SKETCH_DEGENERATE"),
        (_lines((0.0, 0.0), (10.0, 0.0), (10.0, 5.0)), "SKETCH_NOT_CLOSED"),
        (
            (Line((0.0, 0.0), (9.0, 0.0)), Line((9.0, 0.1), (9.0, 9.0)), Line((9.0, 9.0), (0.0, 0.0))),
            "SKETCH_NOT_CLOSED",
        ),
        (_lines((0.0, 0.0), (0.0, 0.0), (5.0, 0.0), (0.0, 0.0)), "SKETCH_DEGENERATE"),
        (_lines((0.0, 0.0), (5.0, 0.0), (0.0, 0.0)), "SKETCH_DEGENERATE"),
        (_lines((0.0, 0.0), (9.0, 0.0), (4.0, 0.0), (0.0, 0.0)), "SKETCH_DEGENERATE"),
        (_lines((0.0, 0.0), (9.0, 9.0), (9.0, 0.0), (0.0, 9.0), (0.0, 0.0)), "SKETCH_DEGENERATE"),
        # its lobes differ, so that it encloses an area and is at fault for its crossing alone
        (_lines((0.0, 0.0), (9.0, 9.0), (9.0, 0.0), (0.0, 3.0), (0.0, 0.0)), "SKETCH_DEGENERATE"),
        (
            (Arc((5.0, 0.0), (-5.0, 0.0), (1.0, 0.0), True), Line((-5.0, 0.0), (5.0, 0.0))),
            "SKETCH_DEGENERATE",
        ),
        ((Arc((5.0, 0.0), (5.0, 0.0), (0.0, 0.0), True),), "SKETCH_DEGENERATE"),
    ],
)
def test_what_is_no_closed_simple_profile_is_refused(segments: tuple[Line | Arc, ...], code: str) -> None:
    assert code_of(extrude(sketch(segments), 0.0, 0.0, 5.0)) == code


def test_a_gap_below_the_linear_tolerance_is_closed() -> None:
    gap = (Line((0.0, 0.0), (9.0, 0.0)), Line((9.0, 5e-7), (9.0, 9.0)), Line((9.0, 9.0), (0.0, 0.0)))
    assert figures(extrude(sketch(gap), 0.0, 0.0, 1.0)).volume == pytest.approx(40.5, rel=1e-6)


@pytest.mark.parametrize(
    ("plane", "code"),
    [
        ((ORIGIN, (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)), "SKETCH_DEGENERATE"),
        ((ORIGIN, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)), "ZERO_VECTOR"),
        ((ORIGIN, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)), "ZERO_VECTOR"),
    ],
)
def test_axes_that_span_no_plane_are_refused(plane: tuple[Vec3, Vec3, Vec3], code: str) -> None:
    assert code_of(extrude(polygon(RECT, plane), 0.0, 0.0, 5.0)) == code


def test_extruding_nowhere_or_within_the_plane_is_refused() -> None:
    assert code_of(extrude(polygon(RECT), 0.0, 0.0, 0.0)) == "ZERO_VECTOR"
    assert code_of(extrude(polygon(RECT), 5.0, 0.0, 0.0)) == "INVALID_PARAMETER"


def test_a_long_outline_makes_one_closed_body() -> None:
    gear = [
        (
            (10.0 + step % 2) * math.cos(math.pi * step / 2000),
            (10.0 + step % 2) * math.sin(math.pi * step / 2000),
        )
        for step in range(4000)
    ]
    measured = figures(extrude(polygon(gear), 0.0, 0.0, 1.0))
    assert measured.is_manifold
    assert (measured.lumps, measured.genus) == (1, 0)


# ---------------------------------------------------------------- revolve


@pytest.mark.parametrize("angle", [45.0, 90.0, 100.0, 180.0, 270.0, 359.0, 360.0])
def test_revolve_follows_pappus(angle: float) -> None:
    found = figures(revolve(polygon(WASHER, XZ), angle), FINE)
    assert found.volume == pytest.approx(math.radians(angle) * 6.5 * 30.0, rel=1e-3)
    assert found.genus == (1 if angle == 360.0 else 0)
    assert found.is_manifold


def test_revolve_starts_at_the_sketch_and_turns_right_handed() -> None:
    quarter = figures(revolve(polygon(WASHER, XZ), 90.0)).bounds
    assert quarter is not None
    assert quarter[0] == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert quarter[1] == pytest.approx((8.0, 8.0, 10.0), abs=1e-12)
    backwards = figures(revolve(polygon(WASHER, XZ), 90.0, axis=(0.0, 0.0, -1.0))).bounds
    assert backwards is not None
    assert backwards[0] == pytest.approx((0.0, -8.0, 0.0), abs=1e-12)
    assert backwards[1] == pytest.approx((8.0, 0.0, 10.0), abs=1e-12)


def test_a_profile_edge_on_the_axis_closes_the_body() -> None:
    found = figures(revolve(polygon([(0.0, 0.0), (4.0, 0.0), (4.0, 9.0), (0.0, 9.0)], XZ)), FINE)
    assert found.volume == pytest.approx(math.pi * 16.0 * 9.0, rel=1e-3)
    assert (found.genus, found.shells) == (0, 1)
    wedge = figures(revolve(polygon([(0.0, 0.0), (4.0, 0.0), (4.0, 9.0), (0.0, 9.0)], XZ), 90.0), FINE)
    assert wedge.volume == pytest.approx(math.pi * 4.0 * 9.0, rel=1e-3)
    assert wedge.is_manifold


def test_a_half_disc_gives_a_ball_and_a_disc_a_torus() -> None:
    half = (Arc((0.0, -5.0), (0.0, 5.0), (0.0, 0.0), True), Line((0.0, 5.0), (0.0, -5.0)))
    ball = figures(revolve(sketch(half, XZ)), FINE)
    assert ball.volume == pytest.approx(4.0 / 3.0 * math.pi * 125.0, rel=2e-3)
    assert ball.bounds == ((-5.0, -5.0, -5.0), (5.0, 5.0, 5.0))
    ring = figures(revolve(circle(2.0, (10.0, 0.0), XZ)), FINE)
    assert ring.volume == pytest.approx(2.0 * math.pi**2 * 10.0 * 4.0, rel=2e-3)
    assert (ring.genus, ring.bounds) == (1, ((-12.0, -12.0, -2.0), (12.0, 12.0, 2.0)))


def test_a_profile_may_touch_the_axis_at_a_point() -> None:
    diamond = polygon([(0.0, 0.0), (3.0, -3.0), (6.0, 0.0), (3.0, 3.0)], XZ)
    found = figures(revolve(diamond), FINE)
    assert found.volume == pytest.approx(2.0 * math.pi * 3.0 * 18.0, rel=1e-3)
    assert found.is_manifold


def test_a_profile_on_both_sides_of_the_axis_is_refused() -> None:
    assert (
        code_of(revolve(polygon([(-2.0, 0.0), (4.0, 0.0), (4.0, 5.0), (-2.0, 5.0)], XZ)))
        == "PROFILE_CROSSES_AXIS"
    )


def test_an_arc_that_bulges_over_the_axis_is_refused() -> None:
    # both ends are on one side; only the arc between them crosses
    bulge = (Arc((1.0, 3.0), (1.0, -3.0), (2.0, 0.0), True), Line((1.0, -3.0), (1.0, 3.0)))
    assert code_of(revolve(sketch(bulge, XZ))) == "PROFILE_CROSSES_AXIS"


@pytest.mark.parametrize(
    ("angle", "code"),
    [(0.0, "INVALID_PARAMETER"), (-90.0, "INVALID_PARAMETER"), (400.0, "INVALID_PARAMETER")],
)
def test_angles_outside_one_turn_are_refused(angle: float, code: str) -> None:
    assert code_of(revolve(polygon(WASHER, XZ), angle)) == code


def test_an_axis_beside_the_plane_still_turns_the_profile() -> None:
    found = figures(revolve(polygon(WASHER, XZ), origin=(0.0, 3.0, 0.0)), FINE)
    assert found.volume == pytest.approx(math.pi * (64.0 - 25.0) * 10.0, rel=1e-3)


def test_an_axis_that_would_turn_the_profile_through_itself_is_refused() -> None:
    assert code_of(revolve(polygon(WASHER, XZ), axis=(0.0, 1.0, 0.0))) == "INVALID_PARAMETER"


# ---------------------------------------------------------------- sweeps


def test_sweep_line_places_the_profile_in_the_frame_of_the_path() -> None:
    bar = polygon([(-3.0, -1.0), (3.0, -1.0), (3.0, 1.0), (-3.0, 1.0)])
    upright = figures(solid(Sweep, bar, path=LinePath(ORIGIN, (0.0, 0.0, 10.0))))
    assert upright.bounds == ((-1.0, -3.0, 0.0), (1.0, 3.0, 10.0))
    assert upright.volume == pytest.approx(120.0)


def test_sweep_line_without_length_fails() -> None:
    assert (
        code_of(solid(Sweep, polygon(RECT), path=LinePath((1.0, 1.0, 1.0), (1.0, 1.0, 1.0))))
        == "SWEEP_FAILED"
    )


@pytest.mark.parametrize(("height", "turns"), [(15.0, 3.0), (-15.0, 3.0), (6.0, 0.5), (0.0, 0.75)])
def test_a_wire_about_the_axis_has_section_times_way_around_it(height: float, turns: float) -> None:
    found = figures(solid(Sweep, circle(1.0), path=HelixPath(10.0, height / turns, height, turns)), FINE)
    # Pappus, as the section stays in the plane through the axis
    assert found.volume == pytest.approx(math.pi * 2.0 * math.pi * 10.0 * turns, rel=2e-3)
    assert (found.genus, found.lumps) == (0, 1)


def test_turns_that_overlap_are_united_not_counted_twice() -> None:
    thick = figures(solid(Sweep, circle(1.0), path=HelixPath(10.0, 1.0, 3.0, 3.0)))
    twice = math.pi * math.hypot(60.0 * math.pi, 3.0)
    assert thick.volume < 0.8 * twice
    assert thick.lumps == 1


def test_a_profile_past_the_axis_of_a_helix_fails() -> None:
    assert code_of(solid(Sweep, circle(2.5), path=HelixPath(2.0, 3.0, 9.0, 3.0))) == "SWEEP_FAILED"


@pytest.mark.parametrize("profile", [circle(1.0), solid(Region, outlines=(ring(1.0),))])
def test_a_disagreeing_pitch_is_only_a_warning(profile: Solid) -> None:
    result = scene(solid(Sweep, profile, path=HelixPath(10.0, 99.0, 15.0, 3.0)))
    assert [warning.code for warning in result.warnings] == ["PITCH_MISMATCH"]


# ---------------------------------------------------------------- loft


def test_a_frustum_has_the_prismatoid_volume_and_is_exact() -> None:
    found = figures(loft(square(20.0), square(10.0, z=15.0)))
    assert found.volume == pytest.approx(15.0 / 6.0 * (400.0 + 4.0 * 225.0 + 100.0))
    assert found.exact


def test_three_sections_are_ruled_between_neighbours() -> None:
    found = figures(loft(square(10.0), square(20.0, z=10.0), square(10.0, z=20.0)))
    assert found.volume == pytest.approx(14_000.0 / 3.0)


def test_chords_of_a_circle_are_not_cut_into_more_pieces_than_their_twist_asks_for() -> None:
    # it was 276480: every chord in sixteen
    rod = solid(Extrude, circle(20.0), direction=(0.0, 0.0, 100.0), twist_angle=math.radians(300.0))
    (part,) = scene(rod).parts
    assert part.mesh.triangle_count < 80_000
    assert part.mesh_figures.volume == pytest.approx(math.pi * 400.0 * 100.0, rel=4e-3)


def test_a_twisted_loft_has_bilinear_sides_and_is_measured_exactly() -> None:
    q = math.sqrt(50.0)
    turned = polygon(
        [(0.0, -q), (q, 0.0), (0.0, q), (-q, 0.0)], ((0.0, 0.0, 12.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    )
    found = figures(loft(square(10.0), turned))
    assert found.volume == pytest.approx(1082.84271247, rel=1e-9)
    assert found.exact


def test_circles_loft_to_a_cone() -> None:
    top = circle(2.0, plane=((0.0, 0.0, 9.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    found = figures(loft(circle(6.0), top), FINE)
    assert found.volume == pytest.approx(math.pi * 9.0 / 3.0 * (36.0 + 12.0 + 4.0), rel=1e-3)
    assert found.bounds == ((-6.0, -6.0, 0.0), (6.0, 6.0, 9.0))


def test_a_closed_loft_is_a_ring() -> None:
    def section(angle: float) -> Solid:
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        plane = ((20.0 * c, 20.0 * s, 0.0), (c, s, 0.0), (0.0, 0.0, 1.0))
        return polygon([(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)], plane)

    found = figures(loft(*(section(60.0 * step) for step in range(6)), closed=True))
    assert (found.genus, found.shells) == (1, 1)
    # a hexagonal ring: the cross-section areas between radii 18 and 22, times its height
    hexagons = 1.5 * math.sqrt(3.0) * (22.0**2 - 18.0**2)
    assert found.volume == pytest.approx(hexagons * 4.0, rel=1e-9)


def test_a_section_wound_the_other_way_is_turned_round_when_its_first_side_agrees() -> None:
    found = figures(loft(square(10.0), square(10.0, z=6.0, clockwise=True)))
    assert found.volume == pytest.approx(600.0)


def test_a_section_wound_the_other_way_is_refused_when_it_would_twist() -> None:
    points = [(-5.0, -5.0), (-5.0, 5.0), (5.0, 5.0), (5.0, -5.0)]
    against = polygon(points, ((0.0, 0.0, 6.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    assert code_of(loft(square(10.0), against)) == "LOFT_FAILED"


def test_lofts_of_too_few_or_unlike_or_coplanar_sections_fail() -> None:
    triangle = polygon(
        [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)], ((0.0, 0.0, 9.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    )
    assert code_of(loft(square(8.0))) == "LOFT_FAILED"
    assert code_of(loft(square(8.0), square(8.0, z=3.0), closed=True)) == "LOFT_FAILED"
    assert code_of(loft(square(8.0), triangle)) == "LOFT_FAILED"
    assert code_of(loft(square(8.0), square(4.0))) == "LOFT_FAILED"


def test_lofts_that_would_run_through_themselves_fail() -> None:
    steep = polygon(
        [(-8.0, -4.0), (8.0, -4.0), (8.0, 4.0), (-8.0, 4.0)],
        ((0.0, 0.0, 2.0), (0.6, 0.0, 0.8), (0.0, 1.0, 0.0)),
    )
    assert code_of(loft(square(16.0), steep)) == "LOFT_FAILED"
    assert code_of(loft(square(8.0), square(8.0, z=9.0), square(4.0, z=3.0))) == "LOFT_FAILED"


def test_sections_that_meet_in_an_edge_make_a_wedge() -> None:
    leaning = polygon(
        [(0.0, -2.0), (4.0, -2.0), (4.0, 2.0), (0.0, 2.0)],
        ((-2.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
    )
    found = figures(loft(square(4.0), leaning))
    assert found.volume == pytest.approx(32.0)
    assert found.is_manifold


def test_a_sketch_alone_is_flat_and_no_solid_is_moved_by_it() -> None:
    assert figures(polygon(RECT)).volume == 0.0
    moved = solid(Translate, polygon(RECT), offset=(1.0, 0.0, 0.0))
    assert code_of(moved) == "TYPE_MISMATCH"


# ---------------------------------------------------------------- thin slices


@pytest.mark.parametrize("degrees", [5.0, 15.0, 30.0, 60.0, 90.0, 300.0])
def test_a_slice_of_a_disc_keeps_its_volume_however_thin(degrees: float) -> None:
    half = math.radians(degrees) / 2.0
    low, high = (
        (10.0 * math.cos(half), -10.0 * math.sin(half)),
        (10.0 * math.cos(half), 10.0 * math.sin(half)),
    )
    slice_ = sketch((Arc(low, high, (0.0, 0.0), True), Line(high, low)))
    volume = 50.0 * (2.0 * half - math.sin(2.0 * half)) * 4.0
    assert figures(extrude(slice_, 0.0, 0.0, 4.0), FINE).volume == pytest.approx(volume, rel=1.1e-3)


def test_a_fault_of_the_sketch_comes_before_where_it_lies() -> None:
    bow = polygon([(-5.0, 0.0), (5.0, 5.0), (5.0, 0.0), (-5.0, 5.0)], XZ)
    assert code_of(revolve(bow)) == "SKETCH_DEGENERATE"
