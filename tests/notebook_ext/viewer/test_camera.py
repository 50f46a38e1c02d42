from __future__ import annotations

from math import radians, tan

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from notebook_ext.viewer.camera import (
    FIELD_OF_VIEW,
    VIEWS,
    Pose,
    Projection,
    ViewName,
    clip_range,
    distance_of,
    fit,
    half_height_at,
    orientation,
)

Array = NDArray[np.float64]

coordinates = st.floats(-1e3, 1e3)
sizes = st.floats(0.1, 1e3)
directions = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda d: np.linalg.norm(d) > 0.1)
points = st.tuples(coordinates, coordinates, coordinates)
projections = st.sampled_from(["perspective", "orthographic"])


def rotation(pose: Pose) -> Array:
    """The matrix of the pose's quaternion, from the textbook formula."""
    x, y, z, w = orientation(pose)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def seen(pose: Pose, corners: Array, aspect: float, projection: Projection) -> Array:
    """Picture coordinates, each within ±1 when visible, as three.js's cameras compute them."""
    local = (corners - np.array(pose.position)) @ rotation(pose)
    half = (
        half_height_at(pose.distance)
        if projection == "orthographic"
        else -local[:, 2] * tan(radians(FIELD_OF_VIEW / 2))
    )
    return np.column_stack([local[:, 0] / half / aspect, local[:, 1] / half])


def box_corners(bounds: Array) -> Array:
    return np.array(
        [[bounds[i, 0], bounds[j, 1], bounds[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    )


@given(points, st.tuples(sizes, sizes, sizes), directions, st.floats(0.5, 3), projections)
@example((0.0, 0.0, 0.0), (252.0, 0.25, 0.25), (1.0, 0.0, 0.125), 2.0, "perspective")
def test_fitting_shows_the_whole_box_and_fills_the_picture(
    low: tuple[float, ...],
    size: tuple[float, ...],
    direction: tuple[float, float, float],
    aspect: float,
    projection: Projection,
) -> None:
    bounds = np.array([low, np.add(low, size)])
    pose = fit(bounds, direction, aspect, projection)
    picture = seen(pose, box_corners(bounds), aspect, projection)
    filled = np.abs(picture).max()
    # a needle seen end-on is kept away from the camera instead of filling the picture
    depth = -((box_corners(bounds) - np.array(pose.position)) @ rotation(pose))[:, 2]
    kept_away = depth.min() == pytest.approx(2e-3 * np.linalg.norm(size), rel=1e-6)
    assert filled == pytest.approx(1 / 1.12, rel=1e-6) or (kept_away and filled < 1 / 1.12)
    tighter = np.argmax(np.abs(picture).max(axis=0))
    assert picture[:, tighter].max() == pytest.approx(-picture[:, tighter].min(), rel=1e-6)


@pytest.mark.parametrize(
    ("view", "right", "up"),
    [("front", (1, 0, 0), (0, 0, 1)), ("top", (1, 0, 0), (0, 1, 0)), ("right", (0, 1, 0), (0, 0, 1))],
)
def test_standard_views_look_along_their_axis(
    view: ViewName, right: tuple[int, ...], up: tuple[int, ...]
) -> None:
    pose = fit(np.array([[0.0, 0, 0], [1, 2, 3]]), VIEWS[view], 1.6, "orthographic")
    matrix = rotation(pose)
    assert np.allclose(matrix[:, 0], right, atol=1e-3)
    assert np.allclose(matrix[:, 1], up, atol=1e-3)


def test_the_isometric_view_sees_top_front_and_right_at_once() -> None:
    x, y, z = VIEWS["iso"]
    assert x > 0
    assert y < 0
    assert z > 0


@given(points, directions, sizes)
def test_the_camera_looks_at_its_target_with_z_upwards(
    target: tuple[float, float, float], direction: tuple[float, float, float], distance: float
) -> None:
    position = tuple(float(t + distance * d) for t, d in zip(target, direction, strict=True))
    pose = Pose((position[0], position[1], position[2]), target)
    matrix = rotation(pose)
    assert np.allclose(matrix.T @ matrix, np.eye(3), atol=1e-9)
    assert np.allclose(-matrix[:, 2], -np.array(pose.direction), atol=1e-6)
    assert abs(matrix[2, 0]) < 1e-6, "the horizon is level"
    assert matrix[2, 1] >= -1e-6, "and the right way up"


@given(sizes)
def test_distance_and_picture_height_convert_both_ways(distance: float) -> None:
    assert distance_of(half_height_at(distance)) == pytest.approx(distance)


def test_moving_along_the_line_of_sight_keeps_the_view() -> None:
    pose = Pose((10.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    assert pose.at_distance(4.0) == Pose((6.0, 0.0, 0.0), (2.0, 0.0, 0.0))


def test_a_camera_inside_its_target_still_has_a_direction() -> None:
    pose = Pose((1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
    assert np.linalg.norm(pose.direction) == pytest.approx(1.0)


@given(st.tuples(sizes, sizes, sizes), directions)
def test_clipping_planes_keep_a_fitted_scene_visible(
    size: tuple[float, ...], direction: tuple[float, float, float]
) -> None:
    bounds = np.array([(0.0, 0.0, 0.0), size])
    pose = fit(bounds, direction, 1.6, "perspective")
    near, far = clip_range(bounds, pose.distance)
    depth = -((box_corners(bounds) - np.array(pose.position)) @ rotation(pose))[:, 2]
    assert near < depth.min()
    assert far > depth.max()
    assert far / near <= 1e5 * (1 + 1e-9)
