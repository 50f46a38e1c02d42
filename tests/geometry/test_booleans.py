"""Booleans and patterns: the rules of cad.md §3.1 and §3.5, and laws."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.geometry.models import EMPTY, Solid, box, difference, figures, intersection, scene, solid, union
from tests.tiers import examples
from vcad_kernel.geometry.evaluate import evaluate
from vcad_kernel.ir.document import DocumentBuilder
from vcad_kernel.operations.bodies.booleans import Union
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Rotate, Scale, Translate
from vcad_kernel.operations.node import Vec3
from vcad_kernel.operations.solids.shapes import Cube, Cylinder

_COORDINATES = st.integers(-6, 6).map(float)
_SIZES = st.integers(1, 8).map(float)
_BOXES = st.builds(
    lambda size, at: box(*size, at=at),
    st.tuples(_SIZES, _SIZES, _SIZES),
    st.tuples(_COORDINATES, _COORDINATES, _COORDINATES),
)


def volume(body: Solid) -> float:
    return figures(body).volume


@given(_BOXES, _BOXES)
@examples(40)
def test_inclusion_and_exclusion(a: Solid, b: Solid) -> None:
    both = volume(a) + volume(b)
    assert volume(union(a, b)) + volume(intersection(a, b)) == pytest.approx(both, rel=1e-9)
    assert volume(difference(a, b)) == pytest.approx(volume(a) - volume(intersection(a, b)), abs=1e-9 * both)


@given(_BOXES, _BOXES, _BOXES)
@examples(25)
def test_order_and_nesting_of_operands_do_not_matter(a: Solid, b: Solid, c: Solid) -> None:
    unions = {round(volume(union(x, union(y, z))), 6) for x, y, z in itertools.permutations((a, b, c))}
    unions.add(round(volume(union(union(a, b), c)), 6))
    assert len(unions) == 1
    assert volume(difference(difference(a, b), c)) == pytest.approx(
        volume(difference(a, union(b, c))), rel=1e-9, abs=1e-9
    )
    assert volume(intersection(a, intersection(b, c))) == pytest.approx(
        volume(intersection(intersection(c, a), b)), rel=1e-9, abs=1e-9
    )


@given(_BOXES, st.tuples(_COORDINATES, _COORDINATES, _COORDINATES), st.integers(1, 359))
@examples(25)
def test_a_transform_and_its_inverse_give_the_body_back(body: Solid, offset: Vec3, angle: int) -> None:
    there = solid(Rotate, solid(Translate, body, offset=offset), angles=(0.0, float(angle), 0.0))
    x, y, z = offset
    back = solid(Translate, solid(Rotate, there, angles=(0.0, -float(angle), 0.0)), offset=(-x, -y, -z))
    rest = union(difference(back, body), difference(body, back))
    assert volume(rest) == pytest.approx(0.0, abs=1e-6)


@given(_BOXES, st.sampled_from([-2.0, 0.5, 3.0]))
@examples(20)
def test_scaling_cubes_the_volume(body: Solid, factor: float) -> None:
    scaled = solid(Scale, body, factor=(factor, factor, factor))
    assert volume(scaled) == pytest.approx(abs(factor) ** 3 * volume(body), rel=1e-9)


def test_bodies_that_only_touch_share_nothing() -> None:
    for at in ((10.0, 0.0, 0.0), (10.0, 10.0, 0.0), (10.0, 10.0, 10.0)):
        found = figures(intersection(box(10.0, 10.0, 10.0), box(10.0, 10.0, 10.0, at=at)))
        assert found.is_empty
        assert (found.volume, found.surface_area, found.bounds, found.center_of_mass) == (
            0.0,
            0.0,
            None,
            None,
        )
        assert (found.genus, found.lumps, found.shells, found.is_manifold) == (0, 0, 0, True)


def test_a_union_across_a_shared_face_has_no_wall_inside() -> None:
    found = figures(union(box(10.0, 10.0, 10.0), box(10.0, 10.0, 10.0, at=(10.0, 0.0, 0.0))))
    assert found.surface_area == pytest.approx(1000.0)
    assert (found.lumps, found.shells) == (1, 1)


def test_a_flush_tool_leaves_no_film() -> None:
    hole = solid(Translate, solid(Cylinder, radius=4.0, height=10.0), offset=(15.0, 10.0, 0.0))
    found = figures(difference(box(30.0, 20.0, 10.0), hole))
    assert (found.genus, found.shells) == (1, 1)


def test_empty_is_the_identity_of_union_and_swallows_the_rest() -> None:
    body = box(3.0, 4.0, 5.0)
    for same in (union(body, EMPTY), union(EMPTY, body), difference(body, EMPTY)):
        assert volume(same) == pytest.approx(60.0)
    for nothing in (difference(EMPTY, body), intersection(body, EMPTY), intersection(EMPTY, body)):
        assert figures(nothing).is_empty


def test_a_body_with_itself_is_itself_or_nothing() -> None:
    body = difference(box(4.0, 4.0, 4.0), box(2.0, 2.0, 2.0))
    assert volume(union(body, body)) == pytest.approx(56.0)
    assert volume(intersection(body, body)) == pytest.approx(56.0)
    assert figures(difference(body, body)).is_empty


def test_contact_along_an_edge_or_at_a_vertex_keeps_all_the_volume() -> None:
    for at in ((5.0, 5.0, 0.0), (5.0, 5.0, 5.0)):
        found = figures(union(box(5.0, 5.0, 5.0), box(5.0, 5.0, 5.0, at=at)))
        assert found.volume == pytest.approx(250.0)
        assert found.surface_area == pytest.approx(300.0)


def test_a_cavity_is_a_shell_and_no_lump() -> None:
    found = figures(difference(box(10.0, 10.0, 10.0), box(4.0, 4.0, 4.0, at=(3.0, 3.0, 3.0))))
    assert (found.volume, found.surface_area) == (pytest.approx(936.0), pytest.approx(696.0))
    assert (found.genus, found.lumps, found.shells) == (0, 1, 2)


def test_a_free_post_in_a_window_is_a_second_lump() -> None:
    window = difference(box(6.0, 6.0, 10.0, at=(2.0, 2.0, 0.0)), box(2.0, 2.0, 10.0, at=(4.0, 4.0, 0.0)))
    found = figures(difference(box(10.0, 10.0, 10.0), window))
    assert (found.volume, found.lumps, found.genus) == (pytest.approx(680.0), 2, 1)


def test_genus_adds_up_over_the_lumps() -> None:
    ring = difference(box(6.0, 6.0, 2.0), box(2.0, 2.0, 2.0, at=(2.0, 2.0, 0.0)))
    found = figures(solid(LinearPattern, ring, direction=(1.0, 0.0, 0.0), count=3, spacing=10.0))
    assert (found.genus, found.lumps) == (3, 3)


# ---------------------------------------------------------------- patterns


def test_the_length_of_a_pattern_direction_does_not_matter() -> None:
    rows = [
        figures(solid(LinearPattern, box(2.0, 2.0, 2.0), direction=(0.0, length, 0.0), count=3, spacing=10.0))
        for length in (1.0, 7.0)
    ]
    assert rows[0].bounds == rows[1].bounds == ((0.0, 0.0, 0.0), (2.0, 22.0, 2.0))


def test_negative_spacing_runs_backwards() -> None:
    row = solid(LinearPattern, box(2.0, 2.0, 2.0), direction=(1.0, 0.0, 0.0), count=3, spacing=-10.0)
    assert figures(row).bounds == ((-20.0, 0.0, 0.0), (2.0, 2.0, 2.0))


def test_touching_copies_fuse() -> None:
    found = figures(solid(LinearPattern, box(3.0, 3.0, 2.0), direction=(0.0, 0.0, 1.0), count=5, spacing=2.0))
    assert (found.volume, found.surface_area, found.lumps) == (pytest.approx(90.0), pytest.approx(138.0), 1)


def test_a_pattern_of_one_is_its_child_whatever_the_direction() -> None:
    for kind, fields in (
        (LinearPattern, {"direction": (0.0, 0.0, 0.0), "spacing": 5.0}),
        (CircularPattern, {"axis_origin": (0.0,) * 3, "axis_dir": (0.0, 0.0, 0.0), "angle_deg": 90.0}),
    ):
        assert volume(solid(kind, box(2.0, 3.0, 4.0), count=1, **fields)) == pytest.approx(24.0)


def test_a_pattern_of_nothing_is_nothing() -> None:
    assert figures(solid(LinearPattern, EMPTY, direction=(1.0, 0.0, 0.0), count=4, spacing=1.0)).is_empty


def test_nested_patterns_make_a_grid() -> None:
    row = solid(LinearPattern, box(2.0, 2.0, 2.0), direction=(1.0, 0.0, 0.0), count=5, spacing=6.0)
    found = figures(solid(LinearPattern, row, direction=(0.0, 1.0, 0.0), count=4, spacing=6.0))
    assert (found.volume, found.lumps) == (pytest.approx(160.0), 20)
    assert found.bounds == ((0.0, 0.0, 0.0), (26.0, 20.0, 2.0))


def test_the_step_of_a_circular_pattern_is_angle_over_count() -> None:
    post = box(1.0, 1.0, 1.0, at=(10.0, 0.0, 0.0))
    turned = solid(
        CircularPattern, post, axis_origin=(0.0,) * 3, axis_dir=(0.0, 0.0, 1.0), count=4, angle_deg=90.0
    )
    found = figures(turned).bounds
    assert found is not None
    assert found[0] == pytest.approx((2.90295479114, 0.0, 0.0))
    assert found[1] == pytest.approx((11.0, 10.54535829, 1.0))


def test_quarter_turns_about_an_axis_off_the_origin_are_exact() -> None:
    turned = solid(
        CircularPattern,
        box(2.0, 2.0, 2.0),
        axis_origin=(10.0, 10.0, 0.0),
        axis_dir=(0.0, 0.0, 25.0),
        count=4,
        angle_deg=360.0,
    )
    assert figures(turned).bounds == ((0.0, 0.0, 0.0), (20.0, 20.0, 2.0))


# ---------------------------------------------------------------- depth


@pytest.mark.parametrize("left", [True, False])
def test_ten_thousand_nested_unions_evaluate(left: bool) -> None:
    builder = DocumentBuilder()
    cube = builder.add(Cube((1.0, 1.0, 1.0)))
    top = cube
    for index in range(10_000):
        moved = builder.add(Translate(cube, (2.0 * (index + 1), 0.0, 0.0)))
        top = builder.add(Union(top, moved) if left else Union(moved, top))
    builder.add_root(top)
    assert evaluate(builder.build()).parts[0].figures.volume == pytest.approx(10_001.0)


def test_ten_thousand_nested_moves_evaluate() -> None:
    builder = DocumentBuilder()
    top = builder.add(Cube((1.0, 1.0, 1.0)))
    for _ in range(10_000):
        top = builder.add(Translate(top, (1.0, 0.0, 0.0)))
    builder.add_root(top)
    assert evaluate(builder.build()).parts[0].figures.bounds == ((10_000.0, 0.0, 0.0), (10_001.0, 1.0, 1.0))


def test_every_triangle_knows_the_node_that_made_it() -> None:
    part = scene(difference(box(10.0, 10.0, 10.0), box(4.0, 4.0, 20.0, at=(3.0, 3.0, -5.0)))).parts[0]
    made_by_tool = part.mesh.source_nodes == 1
    corners = part.mesh.corners()
    inner = ((corners[:, :, :2] >= 3.0) & (corners[:, :, :2] <= 7.0)).all(axis=(1, 2))
    assert set(part.mesh.source_nodes.tolist()) == {0, 1}
    assert (made_by_tool == (inner & (abs(part.mesh.face_normals()[:, 2]) < 0.5))).all()
