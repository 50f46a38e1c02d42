"""The thinnest wall of bodies whose walls are known."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.geometry.measure.between.test_clearance import measured, moved
from tests.geometry.models import Solid, box, solid
from tests.tiers import examples
from vcad_kernel.geometry.measure.wall import Wall, thinnest_wall
from vcad_kernel.operations.bodies.booleans import Difference
from vcad_kernel.operations.bodies.transforms import Rotate
from vcad_kernel.operations.solids.shapes import Cone, Cylinder, Sphere

lengths = st.floats(1.0, 20.0)


def wall_of(body: Solid) -> Wall:
    wall = thinnest_wall(measured(body))
    assert wall is not None
    assert math.dist(*wall.points) == pytest.approx(wall.thickness, abs=1e-9)
    return wall


def cut(base: Solid, tool: Solid) -> Solid:
    return solid(Difference, base, tool)


@given(st.tuples(lengths, lengths, lengths), st.tuples(st.floats(-90, 90), st.floats(-90, 90)))
@examples(20)
def test_of_a_box_it_is_the_shortest_side_however_it_is_turned(
    size: tuple[float, float, float], turned: tuple[float, float]
) -> None:
    wall = wall_of(solid(Rotate, box(*size), angles=(*turned, 0.0)))
    assert wall.thickness == pytest.approx(min(size), abs=2e-6)
    assert wall.tolerance == 0.0


@given(st.floats(0.05, 3.0), st.floats(0.05, 3.0), st.floats(0.2, 10.0))
@examples(20)
def test_of_a_tray_it_is_its_floor_or_its_side(floor: float, side: float, width: float) -> None:
    outer, inner = width + 2.0 * side, box(width, width, 10.0, at=(side, side, floor))
    wall = wall_of(cut(box(outer, outer, 10.0), inner))
    # where the pocket is narrow, the body below the rim's corners is no thinner than its sides
    assert wall.thickness == pytest.approx(min(floor, side, 10.0), abs=2e-6)


def test_a_small_pocket_in_a_large_plate_is_found() -> None:
    plate = cut(box(400.0, 300.0, 10.0), box(1.0, 1.0, 10.0, at=(333.3, 77.7, 0.25)))
    wall = wall_of(plate)
    assert wall.thickness == pytest.approx(0.25, abs=2e-6)
    assert all(333.3 <= x <= 334.3 and 77.7 <= y <= 78.7 for x, y, _ in wall.points)


def test_between_curved_faces_it_is_right_to_its_tolerance() -> None:
    pipe = cut(solid(Cylinder, radius=3.0, height=10.0), solid(Cylinder, radius=2.6, height=10.0))
    wall = wall_of(pipe)
    assert 0.0 < wall.tolerance < 0.1
    assert wall.thickness == pytest.approx(0.4, abs=wall.tolerance)


def test_where_the_wall_changes_the_thinnest_place_is_found() -> None:
    hollow = cut(solid(Sphere, radius=10.0), moved(solid(Sphere, radius=8.0), (1.0, 0.0, 0.0)))
    wall = wall_of(hollow)
    assert wall.thickness == pytest.approx(1.0, abs=wall.tolerance + 0.01)
    assert all(x > 8.9 for x, _, _ in wall.points)


def test_a_wedge_is_no_wall() -> None:
    assert thinnest_wall(measured(solid(Cone, radius_bottom=5.0, radius_top=0.0, height=10.0))) is None


def test_it_is_told_as_what_it_is() -> None:
    assert repr(Wall(0.4, ((0.0, 0.0, 1.0), (0.0, 0.0, 1.4)), 0.03)) == (
        "wall ≈ 0.4 mm within 0.03 mm, from (0, 0, 1) to (0, 0, 1.4)"
    )
