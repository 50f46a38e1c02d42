"""Sections, drafts and hulls against closed formulas."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt import bodies
from tests.geometry.occt.bodies import BELOW, FEW_TRIALS, L_SHAPE, made
from tests.tiers import examples
from vcad_kernel.errors import CapabilityUnavailable, GeometryError
from vcad_kernel.geometry.occt.blends.blending import fillet
from vcad_kernel.geometry.occt.booleans.hulls import hull
from vcad_kernel.geometry.occt.booleans.sections import section
from vcad_kernel.geometry.occt.brep import Brep, faces_of, solids_of
from vcad_kernel.geometry.occt.insets.drafting import draft
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.validity import volume_of
from vcad_kernel.geometry.solid import SearchLimit
from vcad_kernel.operations.bodies.bodies import Hull, Section
from vcad_kernel.operations.features.features import Draft, Fillet
from vcad_kernel.operations.features.selections import Selector

PI = math.pi
Vector = tuple[float, float, float]


def _cut(body: TopoDS_Shape, origin: Vector, normal: Vector) -> Brep:
    return made(section, body, Section, origin=origin, normal=normal)


def test_what_the_normal_points_to_is_cut_away() -> None:
    left = _cut(bodies.box(10, 10, 10), (0, 0, 3), (0, 0, 5))
    assert bodies.volume(left) == pytest.approx(300.0)
    assert box_of(left.shape)[1] == pytest.approx((10.0, 10.0, 3.0), abs=1e-6)


def test_a_sphere_is_cut_to_a_cap() -> None:
    cap = _cut(bodies.sphere(5), (0, 0, 3), (0, 0, -1))
    assert bodies.volume(cap) == pytest.approx(PI * 4.0 * (15.0 - 2.0) / 3.0)


def test_a_slanted_cut_leaves_half_a_cylinder() -> None:
    half = _cut(bodies.cylinder(5, 10), (0, 0, 5), (1, 0, 2))
    assert bodies.volume(half) == pytest.approx(125.0 * PI)


def test_a_plane_beyond_the_body_leaves_all_or_nothing() -> None:
    body = bodies.box(10, 10, 10)
    assert bodies.volume(_cut(body, (0, 0, 10), (0, 0, 1))) == pytest.approx(1000.0)
    assert bodies.built(section, body, Section, origin=(0, 0, 0), normal=(0, 0, 1)) is None
    assert bodies.built(section, None, Section, origin=(0, 0, 0), normal=(0, 0, 1)) is None


def test_a_slanted_plane_beyond_the_body_but_within_its_box_leaves_nothing() -> None:
    ball = bodies.sphere(5)
    assert bodies.built(section, ball, Section, origin=(3, 3, 3), normal=(-1, -1, -1)) is None


def test_a_plane_along_a_face_inside_the_body_leaves_no_film() -> None:
    step = bodies.extruded(L_SHAPE, 10)
    left = _cut(step, (0, 4, 0), (0, 1, 0))
    assert bodies.volume(left) == pytest.approx(400.0)
    assert len(faces_of(left.shape)) == 6


def test_a_cut_may_leave_several_lumps() -> None:
    ring = bodies.torus(10, 3)
    arcs = _cut(bodies.difference(ring, bodies.box(4, 40, 10, (-2, -20, -5))), (0, 0, 0), (0, 0, 1))
    assert len(solids_of(arcs.shape)) == 2


def test_the_cut_face_belongs_to_the_section() -> None:
    left = _cut(bodies.box(10, 10, 10), (0, 0, 3), (0, 0, 1))
    assert left.makers.count(BELOW) == 5
    assert len(left.makers) == 6


coordinates = st.floats(-6.0, 6.0)
directions = st.tuples(coordinates, coordinates, coordinates).filter(lambda v: math.hypot(*v) > 0.1)


@examples(40)
@given(origin=st.tuples(coordinates, coordinates, coordinates), normal=directions)
def test_both_sides_of_a_cut_add_up(origin: Vector, normal: Vector) -> None:
    body = bodies.extruded(L_SHAPE, 6)
    behind, before = (
        bodies.built(section, body, Section, origin=origin, normal=tuple(sign * n for n in normal))
        for sign in (1.0, -1.0)
    )
    total = sum(bodies.volume(part) for part in (behind, before) if part is not None)
    assert total == pytest.approx(384.0, rel=1e-6)


def _drafted(
    body: TopoDS_Shape,
    angle: float,
    origin: Vector = (0, 0, 0),
    search: SearchLimit = FEW_TRIALS,
    **criteria: object,
) -> Brep:
    return made(
        draft, body, Draft, origin=origin, normal=(0.0, 0.0, 1.0), angle_deg=angle,
        faces=Selector("face", **criteria), search=search,
    )  # fmt: skip


def _frustum(low: float, high: float, height: float) -> float:
    return height / 3.0 * (low * low + low * high + high * high)


@pytest.mark.parametrize("angle", [5.0, -5.0, 20.0])
def test_four_drafted_walls_make_a_frustum(angle: float) -> None:
    body = _drafted(bodies.box(10, 10, 10), angle, parallel=(0.0, 0.0, 1.0))
    top = 10.0 - 20.0 * math.tan(math.radians(angle))
    assert bodies.volume(body) == pytest.approx(_frustum(10.0, top, 10.0))
    assert body.makers == (BELOW,) * 6


def test_walls_turn_about_the_neutral_plane() -> None:
    body = _drafted(bodies.box(10, 10, 10), 5.0, (0, 0, 5), parallel=(0.0, 0.0, 1.0))
    slope = 10.0 * math.tan(math.radians(5.0))
    assert bodies.volume(body) == pytest.approx(_frustum(10.0 + slope, 10.0 - slope, 10.0))


def test_one_drafted_wall_makes_a_wedge() -> None:
    body = _drafted(bodies.box(10, 10, 10), 10.0, normal=(1.0, 0.0, 0.0))
    assert bodies.volume(body) == pytest.approx(1000.0 - 500.0 * math.tan(math.radians(10.0)))


def test_a_drafted_cylinder_is_a_cone() -> None:
    body = _drafted(bodies.cylinder(5, 10), 5.0, kind="cylinder")
    top = 5.0 - 10.0 * math.tan(math.radians(5.0))
    assert bodies.volume(body) == pytest.approx(PI * _frustum(5.0, top, 10.0))


def test_a_draft_by_no_angle_changes_nothing() -> None:
    body = _drafted(bodies.box(10, 10, 10), 0.0, parallel=(0.0, 0.0, 1.0))
    assert bodies.volume(body) == pytest.approx(1000.0)


def test_walls_that_would_cross_are_refused_with_the_largest_angle_that_works() -> None:
    with pytest.raises(GeometryError) as caught:
        _drafted(bodies.box(10, 10, 10), 45.0, search=SearchLimit(), parallel=(0.0, 0.0, 1.0))
    error = caught.value
    assert (error.code, error.argument, error.operation) == ("DRAFT_FAILED", "angle", "draft")
    limit = math.degrees(math.atan(0.5))
    assert error.details["largest_working"] == pytest.approx(limit, rel=1e-3)
    assert error.details["largest_working"] < limit
    assert {face["kind"] for face in error.details["failing_faces"]} == {"plane"}


@pytest.mark.parametrize(("angle", "z"), [(44.0, 0.0), (-44.0, 10.0), (60.0, 5.0)])
def test_a_cylinder_is_not_drafted_beyond_the_apex_of_its_cone(angle: float, z: float) -> None:
    limit = math.degrees(math.atan(5.0 / max(z, 10.0 - z)))
    with pytest.raises(GeometryError) as caught:
        _drafted(bodies.cylinder(5, 10), angle, (0, 0, z), kind="cylinder", search=SearchLimit())
    assert caught.value.code == "DRAFT_FAILED"
    largest = abs(caught.value.details["largest_working"])
    assert 0.95 * limit < largest < limit
    reached = _drafted(bodies.cylinder(5, 10), math.copysign(largest, angle), (0, 0, z), kind="cylinder")
    low, high = (5.0 - (at - z) * math.tan(math.radians(math.copysign(largest, angle))) for at in (0.0, 10.0))
    assert bodies.volume(reached) == pytest.approx(PI * _frustum(low, high, 10.0), rel=1e-6)


@pytest.mark.parametrize(
    ("criteria", "said"),
    [
        ({"normal": (0.0, 0.0, 1.0)}, "the face at (5, 5, 10) lies square"),
        ({}, "2 faces, among them the face at (5, 5, 0), lie square"),
    ],
)
def test_a_face_square_to_the_pull_is_named(criteria: dict[str, Any], said: str) -> None:
    with pytest.raises(GeometryError) as caught:
        _drafted(bodies.box(10, 10, 10), 5.0, **criteria)
    error = caught.value
    assert (error.code, error.argument, error.failed) == ("DRAFT_FAILED", "which", True)
    assert said in error.message
    assert error.fix == "select the sides alone, as with {:parallel #[0 0 1]}"
    assert {round(face["middle"][2], 9) for face in error.details["failing_faces"]} <= {0.0, 10.0}
    assert error.details["largest_working"] is None


def test_a_wall_that_runs_on_into_a_fillet_is_named_and_no_tiny_angle_offered() -> None:
    rounded = made(fillet, bodies.box(10, 10, 10), Fillet, radius=2.0).shape
    with pytest.raises(GeometryError) as caught:
        _drafted(rounded, 5.0, normal=(1.0, 0.0, 0.0))
    error = caught.value
    assert (error.code, error.argument) == ("DRAFT_FAILED", "which")
    assert "the face at (10, 5, 5) runs on smoothly into a face that is not selected" in error.message
    assert error.details["largest_working"] is None


def test_drafting_no_face_is_no_match() -> None:
    with pytest.raises(GeometryError) as caught:
        _drafted(bodies.box(10, 10, 10), 5.0, kind="sphere")
    assert caught.value.code == "NO_MATCH"


def test_an_empty_body_has_nothing_to_draft_or_to_wrap() -> None:
    nothing = bodies.built(
        draft, None, Draft, origin=(0, 0, 0), normal=(0, 0, 1), angle_deg=5.0, faces=Selector("face")
    )
    assert nothing is None
    assert bodies.built(hull, None, Hull) is None


def test_the_hull_of_an_l_profile_bridges_its_corner() -> None:
    wrapped = made(hull, bodies.extruded(L_SHAPE, 10), Hull)
    assert bodies.volume(wrapped) == pytest.approx((100.0 - 18.0) * 10.0)
    assert len(faces_of(wrapped.shape)) == 7


def test_the_hull_of_two_boxes_joins_them() -> None:
    apart = bodies.union(bodies.box(2, 2, 2), bodies.box(2, 2, 2, (8, 0, 0)))
    wrapped = made(hull, apart, Hull)
    assert bodies.volume(wrapped) == pytest.approx(40.0)
    assert len(faces_of(wrapped.shape)) == 6
    assert BELOW not in wrapped.makers


def test_the_hull_of_a_box_is_the_box() -> None:
    tilted = bodies.turned(bodies.box(3, 4, 5), 1.1, (1, 2, 3))
    wrapped = made(hull, tilted, Hull)
    assert (bodies.volume(wrapped), bodies.area(wrapped)) == pytest.approx((60.0, 94.0))
    assert len(faces_of(wrapped.shape)) == 6


def test_a_cavity_is_filled_by_the_hull() -> None:
    body = bodies.difference(bodies.box(10, 10, 10), bodies.box(2, 2, 2, (4, 4, 4)))
    assert bodies.volume(made(hull, body, Hull)) == pytest.approx(1000.0)


@pytest.mark.parametrize(
    "body",
    [
        bodies.sphere(5),
        bodies.cylinder(5, 10),
        bodies.cone(8, 3, 10),
        bodies.filleted(bodies.box(9, 9, 9), 2),
    ],
    ids=["sphere", "cylinder", "cone", "rounded box"],
)
def test_a_convex_curved_body_is_its_own_hull(body: TopoDS_Shape) -> None:
    assert bodies.volume(made(hull, body, Hull)) == pytest.approx(volume_of(body))


@pytest.mark.parametrize(
    "body",
    [
        bodies.torus(10, 3),
        bodies.difference(bodies.box(20, 20, 5), bodies.cylinder(4, 5, (10, 10, 0))),
        bodies.union(bodies.sphere(2), bodies.sphere(2, (9, 0, 0))),
    ],
    ids=["torus", "plate with a hole", "two balls"],
)
def test_the_hull_of_another_curved_body_exists_as_a_mesh_only(body: TopoDS_Shape) -> None:
    with pytest.raises(CapabilityUnavailable, match="mesh only") as caught:
        made(hull, body, Hull)
    assert caught.value.details["operation"] == "hull"
