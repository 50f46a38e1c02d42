"""Offsets: grown bodies against Steiner's formula, shrunk ones against sharp insets."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt import bodies
from tests.geometry.occt.bodies import L_SHAPE, made
from tests.tiers import examples
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.brep import Brep, solids_of
from vcad_kernel.geometry.occt.insets import growing_worker, offsetting
from vcad_kernel.geometry.occt.insets.offsetting import offset
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.validity import area_of, volume_of
from vcad_kernel.geometry.solid import SearchLimit
from vcad_kernel.operations.bodies.bodies import Offset

PI = math.pi


def _offset(body: TopoDS_Shape, distance: float) -> Brep:
    return made(offset, body, Offset, distance=distance)


def _steiner(volume: float, area: float, bends: float, distance: float) -> float:
    """bends: half the sum over the edges of length × turn, or the integral of mean curvature."""
    return volume + area * distance + bends * distance**2 + 4.0 / 3.0 * PI * distance**3


@pytest.mark.parametrize("distance", [0.5, 3.0, 40.0])
def test_a_box_grows_by_steiners_formula(distance: float) -> None:
    grown = _offset(bodies.box(10, 20, 30), distance)
    wanted = _steiner(6000.0, 2200.0, 60.0 * PI, distance)
    assert bodies.volume(grown) == pytest.approx(wanted, rel=1e-6)
    low, high = box_of(grown.shape)
    assert low == pytest.approx((-distance,) * 3, abs=1e-6)
    assert high == pytest.approx((10 + distance, 20 + distance, 30 + distance), abs=1e-6)


def test_a_cylinder_grows_by_steiners_formula() -> None:
    # integral of mean curvature: π·h for the wall, π²·r for the two rims of 90°
    wanted = _steiner(250.0 * PI, 150.0 * PI, PI * 10.0 + PI**2 * 5.0, 2.0)
    assert bodies.volume(_offset(bodies.cylinder(5, 10), 2.0)) == pytest.approx(wanted, rel=1e-6)


def test_a_sphere_grows_to_a_larger_one() -> None:
    assert bodies.volume(_offset(bodies.sphere(5), 2.0)) == pytest.approx(4.0 / 3.0 * PI * 7.0**3)


def test_a_torus_grows_to_a_thicker_one() -> None:
    assert bodies.volume(_offset(bodies.torus(10, 3), 1.0)) == pytest.approx(2.0 * PI**2 * 10.0 * 16.0)


@pytest.mark.parametrize("distance", [0.3, 4.0])
def test_a_prolonged_ball_grows_by_steiners_formula(distance: float) -> None:
    long, short = 10.0, 5.0
    focus = math.sqrt(long**2 - short**2)
    area = 2.0 * PI * (short**2 + short * long**2 / focus * math.asin(focus / long))
    bends = 2.0 * PI * (long + short**2 / focus * math.acosh(long / short))
    grown = _offset(bodies.stretched(bodies.sphere(short), 1.0, 2.0, 1.0), distance)
    wanted = _steiner(4.0 / 3.0 * PI * long * short**2, area, bends, distance)
    assert bodies.volume(grown) == pytest.approx(wanted, rel=1e-9)


def test_an_elliptic_cylinder_grows_round_edges() -> None:
    # the half axes 10 and 5; Gauss and Kummer's series for what is around it
    h = (5.0 / 15.0) ** 2
    around = (
        PI * 15.0 * sum((math.prod((0.5 - k) / (k + 1) for k in range(n)) ** 2) * h**n for n in range(30))
    )
    wanted = _steiner(500.0 * PI, 100.0 * PI + 10.0 * around, 10.0 * PI + 0.5 * PI * around, 1.0)
    grown = _offset(bodies.stretched(bodies.cylinder(5, 10), 2.0, 1.0, 1.0), 1.0)
    assert abs(bodies.volume(grown) - wanted) <= 1000.0 * grown.farthest_off
    assert grown.farthest_off < 1e-4


def test_a_tilted_box_grows_as_an_upright_one() -> None:
    tilted = bodies.turned(bodies.box(10, 20, 30), 0.7, (1, 2, 3))
    assert bodies.volume(_offset(tilted, 3.0)) == pytest.approx(
        _steiner(6000.0, 2200.0, 60.0 * PI, 3.0), rel=1e-6
    )


def _placed(body: TopoDS_Shape) -> TopoDS_Shape:
    """Turned as nodes turn a body: by its location."""
    turn = gp_Trsf()
    turn.SetRotation(gp_Ax1(gp_Pnt(1, 2, 3), gp_Dir(1, -2, 3)), 1.1)
    return body.Moved(TopLoc_Location(turn))


@pytest.mark.parametrize(
    "body", [bodies.sphere(5), bodies.cone(6, 2, 9), bodies.filleted(bodies.box(9, 8, 7), 1)]
)
def test_a_body_that_was_turned_grows_as_it_does_upright(body: TopoDS_Shape) -> None:
    upright = bodies.volume(_offset(body, 0.5))
    assert bodies.volume(_offset(_placed(body), 0.5)) == pytest.approx(upright, rel=1e-9)


@pytest.mark.parametrize("shift", [(5, 5, 5), (3, 4, 5), (1.25, 2, 3)])
def test_overlapping_boxes_grow_as_each_of_them_does(shift: tuple[float, float, float]) -> None:
    # a place above a face may be nearer to the wall beside it, and the rest of the face not
    first, second = bodies.box(10, 10, 10), bodies.box(10, 10, 10, shift)
    together = _offset(bodies.union(first, second), 1.0)
    apart = bodies.union(_offset(first, 1.0).shape, _offset(second, 1.0).shape)
    assert bodies.volume(together) == pytest.approx(volume_of(apart), rel=1e-9)


def test_boxes_whose_step_would_be_swallowed_are_refused_with_all_but_its_width() -> None:
    steps = bodies.union(bodies.box(10, 10, 10), bodies.box(10, 10, 10, (1, 2, 3)))
    with pytest.raises(GeometryError) as caught:
        made(offset, steps, Offset, distance=1.5, search=SearchLimit(trials=16), clock=lambda: 0.0)
    assert 0.999 <= caught.value.details["largest_working"] < 1.0


@examples(15)
@given(x=st.floats(1.0, 30.0), y=st.floats(1.0, 30.0), z=st.floats(1.0, 30.0), distance=st.floats(0.01, 20.0))
def test_boxes_of_any_size_grow_by_steiners_formula(x: float, y: float, z: float, distance: float) -> None:
    area, edges = 2.0 * (x * y + y * z + z * x), 4.0 * (x + y + z)
    wanted = _steiner(x * y * z, area, edges * PI / 4.0, distance)
    assert bodies.volume(_offset(bodies.box(x, y, z), distance)) == pytest.approx(wanted, rel=1e-6)


def test_an_l_profile_grows_round_outside_and_stays_sharp_in_its_corner() -> None:
    d = 1.0
    grown = _offset(bodies.extruded(L_SHAPE, 10), d)
    # between the ends a prism over the grown outline, whose inner corner stays sharp
    wall = (64.0 + 40.0 * d + (5.0 * PI / 4.0 - 1.0) * d**2) * 10.0
    # around each end quarter rounds along the outline, ball octants at the five outer corners; at the
    # inner one two rounds overlap in squares of side √(d² − z²), 2/3·d³ in all
    end = 64.0 * d + 40.0 * PI / 4.0 * d**2 + 5.0 * PI / 6.0 * d**3 - 2.0 / 3.0 * d**3
    wanted = wall + 2.0 * end
    assert bodies.volume(grown) == pytest.approx(wanted, rel=1e-6)


def test_a_plate_with_a_hole_grows_and_its_hole_narrows() -> None:
    d, side, height, hole = 1.0, 20.0, 5.0, 4.0
    grown = _offset(
        bodies.difference(bodies.box(side, side, height), bodies.cylinder(hole, height, (10, 10, 0))), d
    )
    without_hole = _steiner(
        side * side * height, 2.0 * side**2 + 4.0 * side * height, (8.0 * side + 4.0 * height) * PI / 4.0, d
    )
    # the hole: a narrower cylinder between the faces, and above each a funnel whose radius is
    # hole − √(d² − z²)
    funnel = PI * (hole**2 * d - 2.0 * hole * PI / 4.0 * d**2 + 2.0 / 3.0 * d**3)
    wanted = without_hole - PI * (hole - d) ** 2 * height - 2.0 * funnel
    assert bodies.volume(grown) == pytest.approx(wanted, rel=1e-6)


def test_a_cavity_shrinks_as_its_walls_grow() -> None:
    body = bodies.difference(bodies.box(20, 20, 20), bodies.sphere(5, (10, 10, 10)))
    grown = _offset(body, 1.0)
    outside = _steiner(8000.0, 2400.0, 60.0 * PI, 1.0)
    assert bodies.volume(grown) == pytest.approx(outside - 4.0 / 3.0 * PI * 64.0, rel=1e-6)


def test_lumps_that_grow_into_each_other_become_one() -> None:
    apart = bodies.union(bodies.sphere(5), bodies.sphere(5, (12, 0, 0)))
    assert len(solids_of(_offset(apart, 0.5).shape)) == 2
    joined = _offset(apart, 2.0)
    assert len(solids_of(joined.shape)) == 1
    cap = 1.0
    lens = 2.0 * PI * cap**2 * (3.0 * 7.0 - cap) / 3.0
    assert bodies.volume(joined) == pytest.approx(2.0 * 4.0 / 3.0 * PI * 343.0 - lens, rel=1e-6)


def test_shrinking_keeps_edges_sharp() -> None:
    shrunk = _offset(bodies.extruded(L_SHAPE, 10), -1.0)
    assert bodies.volume(shrunk) == pytest.approx(28.0 * 8.0)
    low, high = box_of(shrunk.shape)
    assert (*low, *high) == pytest.approx((1.0, 1.0, 1.0, 9.0, 9.0, 9.0), abs=1e-6)


def test_growing_a_shrunk_sphere_gives_it_back() -> None:
    there = _offset(bodies.sphere(5), -2.0)
    assert bodies.volume(_offset(there.shape, 2.0)) == pytest.approx(4.0 / 3.0 * PI * 125.0)


def test_no_distance_changes_nothing() -> None:
    body = bodies.box(1, 2, 3)
    same = _offset(body, 0.0)
    assert (bodies.volume(same), bodies.area(same)) == pytest.approx((volume_of(body), area_of(body)))


def test_an_empty_body_stays_empty() -> None:
    assert bodies.built(offset, None, Offset, distance=1.0) is None


def test_shrinking_away_is_refused_with_the_largest_distance_that_works() -> None:
    with pytest.raises(GeometryError) as caught:
        _offset(bodies.box(10, 20, 30), -5.0)
    error = caught.value
    assert (error.code, error.argument, error.operation) == ("OFFSET_FAILED", "d", "offset")
    assert error.details["largest_working"] == pytest.approx(-5.0, rel=1e-3)
    assert error.details["largest_working"] > -5.0
    assert error.details["failing_faces"]


def test_a_hole_that_would_close_is_refused_and_kills_nothing() -> None:
    plate = bodies.difference(bodies.box(20, 20, 5), bodies.cylinder(4, 5, (10, 10, 0)))
    # the first size looked at is the right one, however little time there is
    ticks = iter(range(1000))
    with pytest.raises(GeometryError) as caught:
        made(offset, plate, Offset, distance=6.0, clock=lambda: float(next(ticks)))
    assert caught.value.code == "OFFSET_FAILED"
    assert [face["kind"] for face in caught.value.details["failing_faces"]] == ["cylinder"]
    assert 3.99 <= caught.value.details["largest_working"] < 4.0


def test_the_growing_worker_answers_with_its_exit_status(tmp_path: object) -> None:
    assert growing_worker.main(["/nowhere/body.bin", "1.0", f"{tmp_path}/result.bin"]) == 1


def test_a_distance_that_swallows_a_face_is_only_a_failure() -> None:
    # the inner faces of the L are as long as the distance, which OpenCASCADE answers with a null shape
    body = bodies.extruded(L_SHAPE, 10)
    assert offsetting.grown_apart(body, 1.0) is not None
    assert offsetting.grown_apart(body, 6.0) is None
