"""Extrusions, turned bodies, sweeps and lofts as B-reps: closed formulas, surfaces, refusals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from tests.geometry.models import XY, XZ, Solid, circle, polygon, sketch, solid
from tests.geometry.occt.solids import DISC, SQUARE, exact, grown, kinds, meshed, notes, refusal, volume
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.validity import area_of, volume_of
from vcad_kernel.geometry.occt.sweeps.extruding import extrude
from vcad_kernel.geometry.occt.sweeps.lofting import loft
from vcad_kernel.geometry.occt.sweeps.revolving import revolve
from vcad_kernel.geometry.occt.sweeps.sweeping import sweep
from vcad_kernel.geometry.sweeps import sweeping as meshes
from vcad_kernel.operations.node import Node, NodeId, Vec3
from vcad_kernel.operations.profiles.paths import (
    CylinderPath,
    DrawnPath,
    HelixPath,
    LinePath,
    Path,
    PolylinePath,
    SplinePath,
)
from vcad_kernel.operations.profiles.sketches import Arc, Curve, EllipseArc, Line, Segment
from vcad_kernel.operations.solids.sweeps import Extrude, Loft, Revolve, Sweep

OBLIQUE = ((1.0, 1.0, 1.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0))
SKEW = math.sin(math.pi / 4.0)
SLOT: tuple[Segment, ...] = (
    Line((0.0, 0.0), (4.0, 0.0)),
    Arc((4.0, 0.0), (4.0, 2.0), (4.0, 1.0), True),
    Line((4.0, 2.0), (0.0, 2.0)),
    Arc((0.0, 2.0), (0.0, 0.0), (0.0, 1.0), True),
)
MOUTH: tuple[Segment, ...] = (
    Line((0.0, 0.0), (0.0, -1.0)),
    Arc((0.0, -1.0), (1.0, 0.0), (0.0, 0.0), False),
    Line((1.0, 0.0), (0.0, 0.0)),
)
"""Three quarters of a disc, written clockwise."""
HALF_DISC: tuple[Segment, ...] = (
    Arc((0.0, -2.0), (0.0, 2.0), (0.0, 0.0), True),
    Line((0.0, 2.0), (0.0, -2.0)),
)


def extruded(profile: Solid, *direction: float, **options: float) -> Solid:
    return solid(Extrude, profile, direction=direction, **options)


def turned(profile: Solid, angle: float = 360.0, axis: Vec3 = (0.0, 0.0, 1.0)) -> Solid:
    return solid(Revolve, profile, axis_origin=(0.0, 0.0, 0.0), axis_dir=axis, angle_deg=angle)


def along(profile: Solid, path: Path, **options: float) -> Solid:
    return solid(Sweep, profile, path=path, **options)


def lofted(*sections: Solid, closed: bool | None = None) -> Solid:
    def make(*children: NodeId) -> Node:
        return Loft(children, closed)

    return solid(make, *sections)


def upright(inner: float, outer: float, height: float) -> Solid:
    return polygon([(inner, 0), (outer, 0), (outer, height), (inner, height)], XZ)


def square(side: float, height: float, angle: float = 0.0) -> Solid:
    half, cos, sin = side / 2.0, math.cos(angle), math.sin(angle)
    plane = ((0.0, 0.0, height), (cos, sin, 0.0), (-sin, cos, 0.0))
    return polygon([(-half, -half), (half, -half), (half, half), (-half, half)], plane)


def disc(radius: float, height: float) -> Solid:
    return circle(radius, plane=((0.0, 0.0, height), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))


# ---------------------------------------------------------------- extrude


@pytest.mark.parametrize("height", [3.0, -3.0])
def test_two_half_circles_become_one_cylinder(height: float) -> None:
    brep = exact(extrude, extruded(circle(2.0), 0.0, 0.0, height))
    assert kinds(brep) == ["Cylinder", "Plane", "Plane"]
    assert volume_of(brep.shape) == pytest.approx(12.0 * math.pi)


def test_sides_in_one_plane_become_one_face() -> None:
    corners = [(0, 0), (1, 0), (2, 0), (2, 1), (0, 1), (0, 0.5)]
    assert kinds(exact(extrude, extruded(polygon(corners), 0.0, 0.0, 3.0))) == ["Plane"] * 6


@pytest.mark.parametrize(
    ("segments", "plane", "area"),
    [
        (SLOT, XY, 8.0 + math.pi),
        (SLOT, OBLIQUE, (8.0 + math.pi) * SKEW),
        (MOUTH, XY, 0.75 * math.pi),
        (MOUTH, OBLIQUE, 0.75 * math.pi * SKEW),
    ],
)
@pytest.mark.parametrize("lean", [0.0, 2.0])
def test_prism_has_area_times_height_however_it_leans(
    segments: tuple[Segment, ...], plane: tuple[Vec3, Vec3, Vec3], area: float, lean: float
) -> None:
    recipe = extruded(sketch(segments, plane), lean, 0.0, 3.0)
    assert volume(extrude, recipe) == pytest.approx(3.0 * area, rel=1e-6)


def test_taper_has_plane_sides_and_the_volume_of_a_frustum() -> None:
    brep = exact(extrude, extruded(SQUARE, 0.0, 0.0, 3.0, scale_end=2.0))
    assert kinds(brep) == ["Plane"] * 6
    assert volume_of(brep.shape) == pytest.approx(28.0)
    assert kinds(exact(extrude, extruded(DISC, 0.0, 0.0, 3.0, scale_end=2.0))) == ["Cone", "Plane", "Plane"]


def test_twist_keeps_the_volume_in_both_kernels() -> None:
    recipe = extruded(circle(1.0, (3.0, 0.0)), 0.0, 0.0, 30.0, twist_angle=6.0)
    assert volume(extrude, recipe) == pytest.approx(30.0 * math.pi, rel=1e-6)
    assert grown(recipe, 256).volume == pytest.approx(30.0 * math.pi, rel=2e-3)


def test_direction_in_the_plane_is_refused() -> None:
    error = refusal(extrude, extruded(SQUARE, 1.0, 0.0, 0.0))
    assert (error.code, error.argument) == ("INVALID_PARAMETER", "dx")


# ---------------------------------------------------------------- revolve


@pytest.mark.parametrize("angle", [360.0, 270.0, 90.0, 1.0])
@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (0.0, 0.0, -2.0)])
def test_turned_rectangle_is_a_washer_of_planes_and_cylinders(angle: float, axis: Vec3) -> None:
    brep = exact(revolve, turned(upright(1.0, 2.0, 3.0), angle, axis))
    walls = 0 if angle == 360.0 else 2
    assert kinds(brep) == ["Cylinder"] * 2 + ["Plane"] * (2 + walls)
    assert volume_of(brep.shape) == pytest.approx(9.0 * math.pi * angle / 360.0)


def test_a_side_within_the_tolerance_of_the_axis_lies_on_it() -> None:
    brep = exact(revolve, turned(upright(5e-7, 2.0, 3.0)))
    assert kinds(brep) == ["Cylinder", "Plane", "Plane"]


@pytest.mark.parametrize("angle", [360.0, 200.0])
def test_half_disc_on_the_axis_turns_to_a_sphere(angle: float) -> None:
    brep = exact(revolve, turned(sketch(HALF_DISC, XZ), angle))
    assert kinds(brep).count("Sphere") == 1
    assert volume_of(brep.shape) == pytest.approx(32.0 / 3.0 * math.pi * angle / 360.0)


@pytest.mark.parametrize("centre", [3.0, 1.0, -1.0])
@pytest.mark.parametrize("angle", [360.0, 90.0])
def test_disc_turns_to_a_ring_even_when_it_touches_the_axis(centre: float, angle: float) -> None:
    recipe = turned(circle(1.0, (centre, 0.0), XZ), angle)
    want = 2.0 * math.pi**2 * abs(centre) * angle / 360.0
    assert volume(revolve, recipe) == pytest.approx(want, rel=2e-5)


def test_an_axis_out_of_the_plane_sweeps_hyperboloids() -> None:
    plane = ((0.0, 0.5, 0.0), (1.0, 0.0, 0.0), (0.0, 0.3, 1.0))
    recipe = turned(polygon([(2, 0), (4, 0), (4, 1), (2, 1)], plane))
    mesh = grown(recipe, 512).volume
    assert volume(revolve, recipe) == pytest.approx(mesh, rel=1e-3)


def test_crossing_the_axis_is_refused() -> None:
    error = refusal(revolve, turned(upright(-1.0, 2.0, 3.0)))
    assert (error.code, error.argument) == ("PROFILE_CROSSES_AXIS", "k")


# ---------------------------------------------------------------- sweep

THIRDS = (0.0, 2.0 * math.pi / 3.0, -2.0 * math.pi / 3.0)
HELIX = HelixPath(10.0, 5.0, 15.0, 3.0)
CAM = CylinderPath(10.0, ((0.0, 0.0), (90.0, 10.0), (180.0, 10.0), (300.0, 0.0)))
CAM_RING = CylinderPath(10.0, (*CAM.knots, (360.0, 0.0)))
BACK = CylinderPath(10.0, tuple((-angle, height) for angle, height in CAM.knots))
CORNER = ((0.0, 0.0, 0.0), (10.0, 0.0, 0.0), (10.0, 10.0, 0.0))
CURVE = SplinePath(((0.0, 0.0, 0.0), (10.0, 0.0, 0.0), (20.0, 5.0, 0.0), (30.0, 5.0, 10.0)))


def drawn(*curves: Curve) -> DrawnPath:
    """Curves on XZ."""
    return DrawnPath((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), curves)


UP, ASIDE = Line((0.0, 0.0), (0.0, 10.0)), Line((0.0, 10.0), (10.0, 10.0))
ROUND = Arc((0.0, 10.0), (5.0, 15.0), (5.0, 10.0), False)
OVAL = EllipseArc((0.0, 10.0), (20.0, 20.0), (20.0, 10.0), (20.0, 0.0), (0.0, 10.0), False)
QUARTER_OF_OVAL = 24.2211205514
"""Length of a quarter of an ellipse 20 and 10 wide."""


@pytest.mark.parametrize(
    ("profile", "path", "want"),
    [
        (DISC, LinePath((0.0, 0.0, 0.0), (3.0, 0.0, 4.0)), 5.0 * math.pi),
        (SQUARE, HELIX, 240.0 * math.pi),
        (DISC, HELIX, 60.0 * math.pi**2),
        (DISC, HelixPath(10.0, 0.0, 0.0, 0.25), 5.0 * math.pi**2),
        (DISC, HelixPath(10.0, -5.0, -52.5, 10.5), 210.0 * math.pi**2),
        (SQUARE, CAM, 40.0 * math.radians(300.0)),
        (DISC, BACK, 10.0 * math.pi * math.radians(300.0)),
        (SQUARE, CAM_RING, 80.0 * math.pi),
        (SQUARE, CylinderPath(10.0, ((0.0, 0.0), (1080.0, 15.0))), 240.0 * math.pi),
        (SQUARE, SplinePath(((0.0, 0.0, 0.0), (10.0, 0.0, 0.0))), 40.0),
        (SQUARE, PolylinePath(CORNER), 80.0),
        (DISC, PolylinePath(CORNER), 20.0 * math.pi),
        (DISC, PolylinePath(CORNER, 3.0), math.pi * (14.0 + 1.5 * math.pi)),
        (SQUARE, drawn(UP, ASIDE), 80.0),
        (DISC, drawn(UP, ROUND), math.pi * (10.0 + 2.5 * math.pi)),
        (SQUARE, drawn(UP, OVAL), 4.0 * (10.0 + QUARTER_OF_OVAL)),
    ],
)
def test_sweep_has_area_times_length_in_both_kernels(profile: Solid, path: Path, want: float) -> None:
    recipe = along(profile, path)
    assert volume(sweep, recipe) == pytest.approx(want, rel=1e-6)
    assert grown(recipe, 128).volume == pytest.approx(want, rel=3e-3)


def test_spline_sweep_is_what_its_mesh_converges_to() -> None:
    exactly = volume(sweep, along(SQUARE, CURVE))
    rough, fine = (grown(along(SQUARE, CURVE), sides).volume for sides in (32, 256))
    assert abs(fine - exactly) < 0.1 * abs(rough - exactly)


def test_a_track_about_a_cylinder_has_its_floor_on_a_cylinder() -> None:
    groove = polygon([(-2, -1), (2, -1), (2, 1), (-2, 1)])
    found = kinds(exact(sweep, along(groove, CAM)))
    # two stretches of slope with helicoids above and below, a level one with planes, two ends
    assert found == ["BSplineSurface"] * 4 + ["Cylinder"] * 6 + ["Plane"] * 4


def test_a_bend_is_a_torus_between_cylinders() -> None:
    assert kinds(exact(sweep, along(DISC, PolylinePath(CORNER, 3.0)))) == [
        "Cylinder", "Cylinder", "Plane", "Plane", "Torus"
    ]  # fmt: skip


def test_a_drawn_path_of_lines_and_arcs_sweeps_cylinders_and_tori() -> None:
    found = kinds(exact(sweep, along(DISC, drawn(UP, ROUND))))
    assert found == ["Cylinder", "Plane", "Plane", "Torus"]


def test_a_straight_path_along_z_has_u_along_minus_y_and_v_along_x() -> None:
    recipe = along(polygon([(0, 0), (2, 0), (2, 1), (0, 1)]), LinePath((0.0, 0.0, 0.0), (0.0, 0.0, 5.0)))
    low, high = box_of(exact(sweep, recipe).shape)
    assert (*low, *high) == pytest.approx((0.0, -2.0, 0.0, 1.0, 0.0, 5.0))


def test_a_helix_keeps_its_section_in_the_plane_through_the_axis() -> None:
    profile = polygon([(-2, 0), (2, 0), (2, 3.4), (-2, 3.4)])
    helix, track = HelixPath(10.0, 5.0, 15.0, 3.0), CylinderPath(10.0, ((0.0, 0.0), (1080.0, 15.0)))
    bodies = [exact(sweep, along(profile, path)) for path in (helix, track)]
    for body in bodies:
        low, high = box_of(body.shape)
        assert np.subtract(high, low) == pytest.approx((24.0, 24.0, 18.4), abs=1e-6)
        # Pappus: 4 × 3.4, carried round at a distance of 10
        assert volume_of(body.shape) == pytest.approx(13.6 * 60.0 * math.pi, rel=1e-9)
    assert area_of(bodies[0].shape) == pytest.approx(area_of(bodies[1].shape), rel=1e-12)
    for path in (helix, track):
        points = np.vstack([skin.positions for skin in grown(along(profile, path), 256).skins])
        assert np.ptp(points, axis=0) == pytest.approx((24.0, 24.0, 18.4), abs=2e-3)


@pytest.mark.parametrize("turns", [3.0, 12.0, 40.0])
def test_the_turns_of_a_helix_that_stand_apart_are_one_skin(turns: float) -> None:
    ridge = polygon([(0.0, -0.45), (1.0, 0.0), (0.0, 0.45)])
    helix = HelixPath(10.0, 1.0, turns, turns)
    track = CylinderPath(10.0, ((0.0, 0.0), (360.0 * turns, turns)))
    assert [len(grown(along(ridge, path), 16).skins) for path in (helix, track)] == [1, 1]


def test_polyline_that_meets_itself_is_united() -> None:
    loop = ((0.0, 0.0, 0.0), (20.0, 0.0, 0.0), (20.0, 10.0, 0.0), (10.0, 10.0, 0.0), (10.0, -10.0, 0.0))
    assert volume(sweep, along(SQUARE, PolylinePath(loop))) == pytest.approx(4.0 * 60.0 - 8.0)


def test_pitch_that_disagrees_is_warned_of() -> None:
    (note,) = notes(sweep, along(DISC, HelixPath(10.0, 4.0, 15.0, 3.0)))
    assert note.code == "PITCH_MISMATCH"


@pytest.mark.parametrize(
    ("profile", "path"),
    [
        (DISC, HelixPath(10.0, 1.0, 3.0, 3.0)),
        (circle(12.0), HelixPath(10.0, 10.0, 10.0, 1.0)),
        (SQUARE, CylinderPath(10.0, ((0.0, 0.0), (720.0, 1.0)))),
        (circle(11.0), CylinderPath(10.0, ((0.0, 0.0), (90.0, 0.0)))),
        (circle(5.0), SplinePath(((0.0, 0.0, 0.0), (10.0, 0.0, 0.0), (0.0, 2.0, 0.0)))),
        (SQUARE, PolylinePath(CORNER, 0.5)),
        (SQUARE, PolylinePath(CORNER, 20.0)),
        (circle(11.0), PolylinePath(CORNER)),
        (SQUARE, PolylinePath(((0.0, 0.0, 0.0), (10.0, 0.0, 0.0), (5.0, 0.0, 0.0)))),
    ],
)
def test_a_path_on_which_the_profile_meets_or_folds_itself_is_refused(profile: Solid, path: Path) -> None:
    error = refusal(sweep, along(profile, path))
    assert (error.code, error.failed) == ("SWEEP_FAILED", True)


# ---------------------------------------------------------------- loft


def test_loft_of_squares_is_the_prismatoid_with_plane_sides() -> None:
    brep = exact(loft, lofted(square(2.0, 0.0), square(4.0, 3.0)))
    assert kinds(brep) == ["Plane"] * 6
    assert volume_of(brep.shape) == pytest.approx(28.0)


def test_loft_of_circles_is_one_cone() -> None:
    brep = exact(loft, lofted(disc(1.0, 0.0), disc(2.0, 3.0)))
    assert kinds(brep) == ["Cone", "Plane", "Plane"]
    assert volume_of(brep.shape) == pytest.approx(7.0 * math.pi)


@pytest.mark.parametrize("size", [0.01, 10.0, 1000.0])
def test_an_oblique_cone_is_one_to_the_last_digit_however_small(size: float) -> None:
    aside = circle(0.4 * size, plane=((0.3 * size, 0.0, size), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    want = math.pi * 0.76 / 3.0 * size**3
    assert volume(loft, lofted(disc(0.6 * size, 0.0), aside)) == pytest.approx(want, rel=1e-12)


def test_turned_square_gives_bilinear_sides() -> None:
    turn = 0.5
    # the middle section is the polygon of averaged corners, a smaller square
    middle = 4.0 * math.cos(turn / 2.0) ** 2
    want = 3.0 / 6.0 * (4.0 + 4.0 * middle + 4.0)
    assert volume(loft, lofted(square(2.0, 0.0), square(2.0, 3.0, turn))) == pytest.approx(want)


@pytest.mark.parametrize("count", [4, 6])
def test_closed_loft_is_a_ring_of_prismatoids(count: int) -> None:
    def section(angle: float) -> Solid:
        plane = ((0.0, 0.0, 0.0), (math.cos(angle), math.sin(angle), 0.0), (0.0, 0.0, 1.0))
        return polygon([(3, -1), (5, -1), (5, 1), (3, 1)], plane)

    brep = exact(loft, lofted(*[section(2.0 * math.pi * i / count) for i in range(count)], closed=True))
    want = 2.0 * (25.0 - 9.0) * count / 2.0 * math.sin(2.0 * math.pi / count)
    assert volume_of(brep.shape) == pytest.approx(want)


def hexagon(radius: float, height: float) -> Solid:
    corners = [(radius * math.cos(k * math.pi / 3.0), radius * math.sin(k * math.pi / 3.0)) for k in range(6)]
    return polygon(corners, ((0.0, 0.0, height), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))


@pytest.mark.parametrize("upwards", [True, False])
def test_loft_of_a_square_and_a_disc_is_cut_at_the_corners_of_both(upwards: bool) -> None:
    sections = [square(8.0, 0.0), disc(2.0, 10.0)][:: 1 if upwards else -1]
    # between parallel planes the area is (1 - t)² A + 2 t (1 - t) M + t² B; the mixed area M = ½ ∮ P × dQ
    # of a square and a disc, each side over its quarter, is 4 √2 / π times side times radius
    mixed = 4.0 * math.sqrt(2.0) / math.pi * 8.0 * 2.0
    want = 10.0 / 3.0 * (64.0 + mixed + 4.0 * math.pi)
    brep = exact(loft, lofted(*sections))
    assert volume_of(brep.shape) == pytest.approx(want, rel=1e-9)
    assert meshed(meshes.lofted, lofted(*sections), 256).volume == pytest.approx(want, rel=1e-4)


def test_loft_of_a_hexagon_and_a_triangle_in_every_second_of_its_corners() -> None:
    corners = [(4.0 * math.cos(angle), 4.0 * math.sin(angle)) for angle in THIRDS]
    triangle = polygon(corners, ((0.0, 0.0, 5.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    areas = [math.sqrt(3.0) * factor for factor in (24.0, 12.0)]
    # half way up: every second corner stays, the others have come half way to the middles of the sides
    middle = 0.5 * 6.0 * 4.0 * 3.0 * math.sin(math.pi / 3.0)
    want = 5.0 / 6.0 * (areas[0] + 4.0 * middle + areas[1])
    recipe = lofted(hexagon(4.0, 0.0), triangle)
    assert volume(loft, recipe) == pytest.approx(want, rel=1e-12)
    assert meshed(meshes.lofted, recipe, 16).volume == pytest.approx(want, rel=1e-12)


def test_a_section_of_fewer_segments_may_be_wound_the_other_way() -> None:
    plane = ((0.0, 0.0, 10.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0))
    turned_over = [
        volume(loft, lofted(square(8.0, 0.0), circle(2.0, plane=at))) for at in (plane, (plane[0], *XY[1:]))
    ]
    assert turned_over[0] == pytest.approx(turned_over[1], rel=1e-9)


def test_loft_of_counts_that_do_not_go_into_each_other_is_refused() -> None:
    triangle = polygon([(0, 0), (2, 0), (0, 2)], ((0.0, 0.0, 3.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    error = refusal(loft, lofted(square(2.0, 0.0), triangle))
    assert error.code == "LOFT_FAILED"
    assert "4, 3 segments" in error.message


def test_order_of_steps_does_not_matter_to_a_chain_of_lofts() -> None:
    sections: Sequence[Solid] = [square(2.0, 0.0), square(4.0, 3.0), square(2.0, 6.0)]
    parts = [volume(loft, lofted(*pair)) for pair in itertools.pairwise(sections)]
    assert volume(loft, lofted(*sections)) == pytest.approx(sum(parts))
