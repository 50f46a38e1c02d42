"""Cuts that can be told from all other surfaces."""

from __future__ import annotations

import numpy as np
import pytest

from vcad_kernel.render.annotations.labels import draw_box
from vcad_kernel.render.camera import VIEWS, Camera
from vcad_kernel.render.section import hatched
from vcad_kernel.render.sight import Sight

CORNERS = np.array([[x, y, z] for x in (0, 30) for y in (0, 20) for z in (0, 10)], float)


def drawn(turn: int) -> np.ndarray:
    """(40, 40) how dark one hatched square is, of the cut at this place in the sequence."""
    part = np.full((60, 120), -1, np.int32)
    part[10:50, 10:50], part[10:50, 60:100] = 3, 4
    image = np.full((60, 120, 3), 255, np.float32)
    hatched([3, 4])(image, Camera.fit(CORNERS, "iso", 120, 60), Sight(part, frozenset({3, 4})))
    outside = np.ones((60, 120), bool)
    outside[10:50, 10:50] = outside[10:50, 60:100] = False
    assert (image[outside] == 255).all()
    return 255 - image[10:50, 10 + 50 * turn : 50 + 50 * turn, 0]


@pytest.mark.parametrize(("turn", "slope"), [(0, -1), (1, 1)])
def test_the_lines_run_at_45_degrees_the_other_way_on_the_next_part(turn: int, slope: int) -> None:
    dark = drawn(turn)
    assert 0.05 < (dark > 100).mean() < 0.4
    assert np.allclose(
        dark[1:, 1:] if slope > 0 else dark[1:, :-1], dark[:-1, :-1] if slope > 0 else dark[:-1, 1:]
    )
    assert not np.allclose(dark[1:, :], dark[:-1, :])


@pytest.mark.parametrize("view", VIEWS)
def test_what_is_gone_is_outlined_unless_it_lies_before_all_else(view: str) -> None:
    image = np.full((160, 200, 3), 255, np.float32)
    box = np.array([[0.0, 0, 0], [30, 8, 10]])
    draw_box(image, Camera.fit(CORNERS, view, 200, 160, share=0.7), box, but=(1, 8.0))
    assert (image < 250).any() == (view not in ("front", "back"))
