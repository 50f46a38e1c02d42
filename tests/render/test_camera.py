import numpy as np
import pytest

from vcad_kernel.render.camera import VIEWS, Camera

BOX = np.array([[x, y, z] for x in (10.0, 50.0) for y in (-20.0, 5.0) for z in (0.0, 8.0)])


@pytest.mark.parametrize("view", VIEWS)
def test_everything_is_in_the_picture_with_a_margin_and_fills_one_direction(view: str) -> None:
    seen = Camera.fit(BOX, view, 640, 480).project(BOX)
    low, high = seen.min(axis=0), seen.max(axis=0)
    assert low[:2] + high[:2] == pytest.approx([640, 480])
    used = (high - low)[:2] / [640, 480]
    assert used.max() == pytest.approx(0.86)


@pytest.mark.parametrize("view", VIEWS)
def test_axes_are_right_handed_and_depth_grows_away_from_the_viewer(view: str) -> None:
    camera = Camera.fit(BOX, view, 640, 480)
    assert camera.axes @ camera.axes.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(camera.axes) == pytest.approx(1.0)
    toward = camera.project(camera.center + camera.toward)
    assert toward == pytest.approx([320, 240, -1.0])


@pytest.mark.parametrize(
    ("view", "right", "up"),
    [
        ("front", (1, 0, 0), (0, 0, 1)),
        ("back", (-1, 0, 0), (0, 0, 1)),
        ("right", (0, 1, 0), (0, 0, 1)),
        ("left", (0, -1, 0), (0, 0, 1)),
        ("top", (1, 0, 0), (0, 1, 0)),
        ("bottom", (1, 0, 0), (0, -1, 0)),
    ],
)
def test_standard_views_follow_drawing_practice(
    view: str, right: tuple[int, int, int], up: tuple[int, int, int]
) -> None:
    camera = Camera.fit(BOX, view, 640, 480)
    assert camera.axes[:2] == pytest.approx(np.array([right, up], float), abs=1e-12)


def test_room_can_be_left_at_the_side() -> None:
    seen = Camera.fit(BOX, "front", 640, 480, left=100).project(BOX)
    assert seen[:, 0].min() > 100
    assert seen[:, 0].min() - 100 == pytest.approx(640 - seen[:, 0].max())


def test_a_single_point_stands_in_the_middle() -> None:
    camera = Camera.fit(np.array([[3.0, 4.0, 5.0]]), "iso", 640, 480)
    assert camera.project(np.array([3.0, 4.0, 5.0])) == pytest.approx([320, 240, 0], abs=0.01)
