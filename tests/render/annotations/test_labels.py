"""Texts, sections and dimensions over a picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.render.annotations.labels import labels, length_text
from vcad_kernel.render.annotations.lettering import CAPITAL, lay_text, plate_size, text_share
from vcad_kernel.render.camera import Camera
from vcad_kernel.render.picture import draw
from vcad_kernel.render.section import Cut, cut_open
from vcad_kernel.render.sight import Sight

CORNERS = np.array([[x, y, z] for x in (0, 30) for y in (0, 20) for z in (0, 10)], float)
SIDES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)
BOX = PartMesh("box", TriMesh.of(CORNERS, SIDES))


def paper(height: int = 60, width: int = 120) -> np.ndarray:
    return np.full((height, width, 3), 255, np.float32)


def test_a_text_has_its_holes_and_its_width_grows_with_it() -> None:
    share = text_share("O", 30.0)
    rows, columns = share.shape
    assert share.max() == 1.0
    assert share[rows // 2, columns // 2] == 0.0
    assert text_share("OO", 30.0).shape[1] > 1.7 * columns


def test_what_the_font_lacks_leaves_room() -> None:
    assert text_share("\U0001f600").shape == text_share("?").shape
    assert text_share("").shape[1] >= 1


def test_a_text_stays_inside_the_picture() -> None:
    image = paper()
    assert lay_text(image, "outside", -50, 500, (0, 0, 0))[0] == 0
    assert (image < 128).any()
    lay_text(paper(5, 5), "much too long", 2, 2, (0, 0, 0))


@pytest.mark.parametrize(
    ("length", "expected"),
    [(10.0, "10 mm"), (0.125, "0.12 mm"), (1234.5, "1234.5 mm"), (0.0, "0 mm"), (0.00125, "0.00125 mm")],
)
def test_lengths_for_people(length: float, expected: str) -> None:
    assert length_text(length) == expected


def test_dimensions_are_written_along_the_axes_that_show() -> None:
    written: list[np.ndarray] = []
    camera = Camera.fit(CORNERS, "front", 200, 160, share=0.7)
    image = paper(160, 200)
    labels([BOX], dimensions=True)(image, camera, Sight.empty(200, 160))
    written.append(image)
    blue = image[..., 2] - image[..., 0] > 60
    assert blue[:, :30].any() or blue[:, -30:].any()
    assert blue[120:].any()


def test_a_caption_stands_above_where_the_axes_leave_it_no_corner_below() -> None:
    image = paper(160, 90) / 2  # on grey, the light plate under the text shows
    camera = Camera.fit(CORNERS, "front", 90, 160)
    labels([BOX], caption="front")(image, camera, Sight.empty(90, 160))
    rows, columns = np.nonzero((image != 127.5).any(axis=2))
    width, height = plate_size("front")
    # half a capital from the border
    assert (rows.min(), rows.max() + 1) == pytest.approx((CAPITAL / 2, CAPITAL / 2 + height), abs=1.0)
    right = 90 - CAPITAL / 2
    assert (columns.min(), columns.max() + 1) == pytest.approx((right - width, right), abs=1.0)


def test_many_names_do_not_cover_each_other_and_draw_nothing_where_nothing_is() -> None:
    image = paper(300, 300)
    camera = Camera.fit(CORNERS, "iso", 300, 300)
    labels([BOX] * 60, names=True, dimensions=True)(image, camera, Sight.empty(300, 300))
    blank = paper(300, 300)
    labels([], names=True, dimensions=True)(blank, camera, Sight.empty(300, 300))
    assert (blank == 255).all()


@pytest.mark.parametrize(
    ("toward", "low", "high"), [((0, -1, 0), 8, 20), ((0, 1, 0), 0, 8), ((1, 0, 0), 0, 8)]
)
def test_the_half_before_the_plane_is_gone(
    toward: tuple[float, float, float], low: float, high: float
) -> None:
    opened = cut_open([BOX], Cut("y", 8.0), toward)
    body, surface = opened.shown
    assert opened.cuts == {1: 0}
    box = np.array([body.mesh.positions.min(axis=0), body.mesh.positions.max(axis=0)])
    assert box[:, 1].tolist() == [low, high]
    assert np.allclose(surface.mesh.positions[:, 1], 8.0)
    corners = surface.mesh.corners()
    area = (
        np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()
        / 2
    )
    assert area == pytest.approx(300.0)
    # 45 % of the part's grey, 55 % of a warm white
    assert surface.material.color == pytest.approx((0.91, 0.8, 0.624))


def test_what_a_plane_misses_stays_or_goes_whole() -> None:
    assert cut_open([BOX], Cut("y", -1.0), (0, -1, 0)).shown == [BOX]
    assert cut_open([BOX], Cut("y", 20.0), (0, -1, 0)).shown == []
    assert cut_open([PartMesh("none", TriMesh.empty())], Cut("x", 0.0), (1, 0, 0)).shown == []


def test_each_surface_knows_its_body() -> None:
    moved = replace(BOX, name="other", mesh=TriMesh.of(CORNERS + np.array([40.0, 0, 0]), SIDES))
    whole = replace(BOX, name="whole", mesh=TriMesh.of(CORNERS + np.array([0.0, 100, 0]), SIDES))
    opened = cut_open([whole, BOX, moved], Cut("y", 8.0), (0, -1, 0))
    assert [part.name for part in opened.bodies] == ["whole", "box", "other"]
    assert opened.cuts == {3: 1, 4: 2}
    assert [opened.shown[row].name for row in opened.cuts] == ["box", "other"]


def test_an_open_mesh_is_cut_without_a_surface() -> None:
    opened = PartMesh("open", TriMesh.of(CORNERS, SIDES[2:]))
    (found,) = cut_open([opened], Cut("x", 15.0), (1, 0, 0)).shown
    assert found.mesh.triangle_count <= opened.mesh.triangle_count


def test_a_frame_is_shown_whole_and_the_limit_holds() -> None:
    frame = np.array([[0.0, 0, 0], [300, 20, 10]])
    near, far = draw([BOX], 200, 150, view="front"), draw([BOX], 200, 150, view="front", frame=frame)
    assert near != far
    assert len(draw([BOX], 600, 400, limit=3000)) <= 3000
