"""Primitives and transforms against closed formulas."""

from __future__ import annotations

import math

import pytest

from tests.geometry.models import FINE, box, mesh, mesh_figures, solid, union
from vcad_kernel.geometry.evaluate import EvaluationOptions
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.operations.bodies.transforms import Rotate, Scale, Translate
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Sphere

DISC_LOSS = 6.58 / 128**2
"""Relative volume that a 128-gon loses of a disc (cad.md §9)."""


def test_cube_has_a_corner_at_the_origin() -> None:
    found = mesh_figures(box(10.0, 20.0, 30.0))
    assert found.volume == pytest.approx(6000.0, rel=1e-12)
    assert found.surface_area == pytest.approx(2200.0, rel=1e-12)
    assert found.bounds == ((0.0, 0.0, 0.0), (10.0, 20.0, 30.0))
    assert found.center_of_mass == pytest.approx((5.0, 10.0, 15.0))
    assert (found.exact, found.tolerance, found.relative) == (True, None, None)


def test_cylinder_stands_on_the_origin_and_its_box_is_tight() -> None:
    found = mesh_figures(solid(Cylinder, radius=5.0, height=12.0), FINE)
    assert found.bounds == ((-5.0, -5.0, 0.0), (5.0, 5.0, 12.0))
    true = math.pi * 25.0 * 12.0
    assert true * (1.0 - 1.01 * DISC_LOSS) < found.volume < true


def test_ball_is_centred_with_a_tight_box_and_loses_less_than_a_thousandth() -> None:
    found = mesh_figures(solid(Sphere, radius=7.0), FINE)
    assert found.bounds == ((-7.0, -7.0, -7.0), (7.0, 7.0, 7.0))
    assert found.volume == pytest.approx(4.0 / 3.0 * math.pi * 343.0, rel=1e-3)
    assert found.is_manifold
    assert (found.genus, found.lumps, found.shells) == (0, 1, 1)


@pytest.mark.parametrize("sides", [3, 6, 30, 32, 50])
def test_ball_is_closed_for_any_number_of_sides(sides: int) -> None:
    found = mesh_figures(solid(Sphere, radius=2.0), EvaluationOptions(Tessellation(segments=sides)))
    assert found.is_manifold
    assert found.shells == 1
    assert found.volume < 4.0 / 3.0 * math.pi * 8.0


@pytest.mark.parametrize(
    ("bottom", "top", "height"), [(6.0, 2.0, 9.0), (4.0, 0.0, 10.0), (0.0, 5.0, 10.0), (3.0, 3.0, 8.0)]
)
def test_cone_volume_is_that_of_the_frustum(bottom: float, top: float, height: float) -> None:
    found = mesh_figures(solid(Cone, radius_bottom=bottom, radius_top=top, height=height), FINE)
    true = math.pi * height / 3.0 * (bottom**2 + bottom * top + top**2)
    assert found.volume == pytest.approx(true, rel=1e-3)
    assert found.bounds is not None
    wide = max(bottom, top)
    assert found.bounds == ((-wide, -wide, 0.0), (wide, wide, height))
    assert found.is_manifold


@pytest.mark.parametrize(
    ("angles", "low", "high"),
    [
        ((0.0, 0.0, 90.0), (-2.0, 0.0, 0.0), (0.0, 1.0, 3.0)),
        ((90.0, 0.0, 0.0), (0.0, -3.0, 0.0), (1.0, 0.0, 2.0)),
        ((0.0, 90.0, 0.0), (0.0, 0.0, -1.0), (3.0, 2.0, 0.0)),
        ((90.0, 90.0, 0.0), (0.0, 0.0, 0.0), (3.0, 1.0, 2.0)),
        ((0.0, 90.0, 90.0), (0.0, 0.0, 0.0), (3.0, 1.0, 2.0)),
        ((90.0, 0.0, 90.0), (-2.0, -3.0, 0.0), (0.0, 0.0, 1.0)),
    ],
)
def test_rotation_acts_about_z_then_y_then_x_and_quarter_turns_are_exact(
    angles: tuple[float, float, float], low: tuple[float, ...], high: tuple[float, ...]
) -> None:
    assert mesh_figures(solid(Rotate, box(1.0, 2.0, 3.0), angles=angles)).bounds == (low, high)


def test_rotate_is_three_turns_z_first() -> None:
    once = solid(Rotate, box(1.0, 2.0, 3.0), angles=(30.0, 40.0, 50.0))
    thrice = box(1.0, 2.0, 3.0)
    for angles in ((0.0, 0.0, 50.0), (0.0, 40.0, 0.0), (30.0, 0.0, 0.0)):
        thrice = solid(Rotate, thrice, angles=angles)
    one, three = mesh_figures(once).bounds, mesh_figures(thrice).bounds
    assert one is not None
    assert three is not None
    assert one[0] == pytest.approx(three[0], abs=1e-12)
    assert one[1] == pytest.approx(three[1], abs=1e-12)


def test_a_mirrored_body_keeps_positive_volume_and_outward_faces() -> None:
    mirrored = solid(Scale, box(3.0, 4.0, 5.0, at=(2.0, 0.0, 0.0)), factor=(-1.0, 1.0, 1.0))
    found = mesh_figures(mirrored)
    assert found.volume == pytest.approx(60.0)
    assert found.bounds == ((-5.0, 0.0, 0.0), (-2.0, 4.0, 5.0))
    assert found.is_manifold


def test_transforms_apply_inner_first() -> None:
    moved_then_turned = solid(Rotate, box(2.0, 2.0, 2.0, at=(10.0, 0.0, 0.0)), angles=(0.0, 0.0, 90.0))
    turned_then_moved = solid(
        Translate, solid(Rotate, box(2.0, 2.0, 2.0), angles=(0.0, 0.0, 90.0)), offset=(10.0, 0.0, 0.0)
    )
    assert mesh_figures(moved_then_turned).bounds == ((-2.0, 10.0, 0.0), (0.0, 12.0, 2.0))
    assert mesh_figures(turned_then_moved).bounds == ((8.0, 0.0, 0.0), (10.0, 2.0, 2.0))


def test_a_shared_node_under_a_chain_of_transforms_is_moved_once_per_parent() -> None:
    base = box(1.0, 1.0, 1.0, at=(1.0, 0.0, 0.0))
    both = union(base, solid(Translate, base, offset=(5.0, 0.0, 0.0)))
    assert mesh_figures(both).bounds == ((1.0, 0.0, 0.0), (7.0, 1.0, 1.0))


def test_ten_micrometres_and_twenty_metres_keep_their_digits() -> None:
    tiny = mesh_figures(box(0.01, 0.02, 0.03))
    assert tiny.volume == pytest.approx(6e-6, rel=1e-9)
    far = mesh_figures(box(0.01, 0.02, 0.03, at=(20_000.0, 20_000.0, 20_000.0)))
    assert far.volume == pytest.approx(6e-6, rel=1e-6)


def test_an_enlarged_circle_gets_as_many_sides_as_a_large_one() -> None:
    enlarged = solid(Scale, solid(Cylinder, radius=1.0, height=1.0), factor=(50.0, 50.0, 50.0))
    found = mesh_figures(enlarged)
    assert found.tolerance is not None
    assert found.tolerance <= 0.02
    assert found.triangles == mesh_figures(solid(Cylinder, radius=50.0, height=50.0)).triangles


def test_positions_are_float64_and_vertices_are_shared() -> None:
    found = mesh(solid(Cube, size=(1.0, 1.0, 1.0)))
    assert str(found.positions.dtype) == "float64"
    assert (found.vertex_count, found.triangle_count) == (8, 12)
