from __future__ import annotations

from math import log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.viewer.scene import (
    axis_lines,
    ground_grid,
    part_buffers,
    scene_bounds,
    studio_light,
)
from tests.notebook_ext.viewer.solids import RED, box, cylinder, part
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.render.ground import EMPTY_BOUNDS, nice_step

lengths = st.floats(1e-4, 1e6)
coordinates = st.floats(-1e4, 1e4)


def test_buffers_have_the_types_that_the_graphics_card_takes() -> None:
    buffers = part_buffers(part("b", box(1, 2, 3), RED))
    assert buffers.positions.dtype == buffers.normals.dtype == buffers.edges.dtype == np.float32
    assert buffers.indices.dtype == np.uint32
    assert buffers.positions.shape == buffers.normals.shape == (24, 3)
    assert buffers.indices.shape == (36,)
    assert all(
        a.flags.c_contiguous for a in (buffers.positions, buffers.normals, buffers.edges, buffers.indices)
    )
    assert (buffers.name, buffers.material, buffers.triangles) == ("b", RED, 12)


def test_a_box_shows_its_twelve_edges_and_no_diagonal() -> None:
    edges = part_buffers(part("b", box(1, 1, 1))).edges
    assert edges.shape == (12, 2, 3)
    assert np.allclose(np.linalg.norm(edges[:, 0] - edges[:, 1], axis=1), 1.0)


def test_a_cylinder_is_smooth_around_and_sharp_at_its_caps() -> None:
    buffers = part_buffers(part("c", cylinder(5, 8, sides=48)))
    assert set(buffers.edges[:, :, 2].ravel()) == {0.0, 8.0}
    side = np.abs(buffers.normals[:, 2]) < 0.5
    radial = buffers.positions[side, :2] / 5
    assert np.allclose(buffers.normals[side, :2], radial, atol=1e-5)


def test_an_empty_part_has_no_bounds_and_no_triangles() -> None:
    buffers = part_buffers(part("nothing", TriMesh.empty()))
    assert buffers.bounds is None
    assert buffers.triangles == 0
    assert buffers.edges.shape == (0, 2, 3)


def test_scene_bounds_hold_every_part() -> None:
    bounds = scene_bounds([box(1, 1, 1).bounds(), None, box(1, 1, 1, at=(4, -3, 2)).bounds()])
    assert bounds.tolist() == [[0, -3, 0], [5, 1, 3]]


def test_an_empty_scene_still_has_ground_to_stand_on() -> None:
    assert np.array_equal(scene_bounds([None]), EMPTY_BOUNDS)


@given(lengths)
def test_a_nice_step_is_one_two_or_five_and_just_long_enough(length: float) -> None:
    step = nice_step(length)
    mantissa = step / 10 ** round(log10(step) - 0.35)
    assert min(abs(mantissa - good) for good in (1, 2, 5, 10)) < 1e-6
    assert length <= step * (1 + 1e-8)
    assert step <= length * 2.5 * (1 + 1e-8)


@pytest.mark.parametrize(("length", "step"), [(1, 1), (1.1, 2), (2, 2), (3, 5), (0.0021, 0.005), (70, 100)])
def test_nice_steps_are_the_ones_people_choose(length: float, step: float) -> None:
    assert nice_step(length) == step


@given(coordinates, coordinates, lengths, lengths, lengths)
def test_the_grid_reaches_beyond_the_part_with_a_readable_number_of_lines(
    x: float, y: float, width: float, depth: float, height: float
) -> None:
    bounds = np.array([[x, y, 0.0], [x + width, y + depth, height]])
    grid = ground_grid(bounds)
    assert grid.low[0] < x
    assert grid.low[1] < y
    assert grid.high[0] > x + width
    assert grid.high[1] > y + depth
    assert len(grid.minor) + len(grid.major) < 200
    assert grid.major_step / grid.step == pytest.approx(round(grid.major_step / grid.step))
    for lines in (grid.minor, grid.major):
        assert lines.dtype == np.float32
        assert not lines[..., 2].any()


def test_minor_lines_stand_between_major_ones() -> None:
    grid = ground_grid(np.array([[0.0, 0, 0], [60, 40, 10]]))
    assert (grid.step, grid.major_step) == (5.0, 50.0)
    across = grid.major[grid.major[:, 0, 0] == grid.major[:, 1, 0]][:, 0, 0]
    assert across.tolist() == [-50.0, 0.0, 50.0, 100.0]
    between = grid.minor[grid.minor[:, 0, 0] == grid.minor[:, 1, 0]][:, 0, 0]
    assert not set(across) & set(between)
    assert len(across) + len(between) == 31


def test_a_part_of_no_thickness_still_gets_a_grid() -> None:
    point = np.zeros((2, 3))
    assert len(ground_grid(point).minor) > 0


def test_axes_run_along_the_ground_through_the_origin() -> None:
    x, y, z = axis_lines(ground_grid(np.array([[0.0, 0, 0], [60, 40, 10]])))
    assert x.tolist() == [[-50, 0, 0], [100, 0, 0]]
    assert y.tolist() == [[0, -50, 0], [0, 100, 0]]
    assert z[1].tolist() == [0, 0, 25]


def test_an_axis_that_misses_the_ground_is_not_drawn() -> None:
    x, y, z = axis_lines(ground_grid(np.array([[500.0, -10, 0], [560, 40, 10]])))
    assert x[0, 0] < x[1, 0]
    assert not y.any()
    assert not z.any()


def test_the_room_that_metals_mirror_is_bright_above_and_darker_below() -> None:
    room = studio_light(rows=16)
    assert room.shape == (16, 32, 4)
    assert room.dtype == np.uint8
    # Columns go around three.js's Y from -X over -Z; its +Z, our up, is at three quarters.
    up, down = room[8, 24, 0], room[8, 8, 0]
    assert up > 240
    assert down < 130
