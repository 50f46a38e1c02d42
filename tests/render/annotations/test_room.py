"""Where there is room for a text, and which part each pixel shows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiers import examples
from vcad_kernel.render.annotations.room import Room
from vcad_kernel.render.sight import BORDER, NOTHING, Sight

HEIGHT, WIDTH = 160, 240


def sight(*rectangles: tuple[int, int, int, int]) -> Sight:
    """Parts numbered in this order, each filling left, top, right, bottom; later ones lie before earlier."""
    part = np.full((HEIGHT, WIDTH), NOTHING, np.int32)
    for number, (left, top, right, bottom) in enumerate(rectangles):
        part[top:bottom, left:right] = number
    return Sight(part, frozenset(range(len(rectangles))))


def test_a_pixel_belongs_to_a_part_when_all_its_samples_do() -> None:
    owner = np.array([[0, 0, 1, 1, -1, -1], [0, 0, 1, 2, -1, -1]], np.int32)
    seen = Sight.of(owner, 2)
    assert seen.part.tolist() == [[0, BORDER, NOTHING]]
    assert seen.seen == {0, 1, 2}
    assert seen.of_parts(frozenset({0, 2})).tolist() == [[True, False, False]]


def test_a_text_lies_on_its_part_and_on_nothing_else() -> None:
    room = Room(sight((40, 40, 200, 120), (100, 60, 140, 100)))
    x, y = room.within(frozenset({0}), 30, 14)
    shown = sight((40, 40, 200, 120), (100, 60, 140, 100)).part
    assert (shown[int(y - 7) : int(y + 7), int(x - 15) : int(x + 15)] == 0).all()


def test_a_part_too_small_for_its_text_gets_it_beside() -> None:
    room = Room(sight((100, 80, 112, 92)))
    assert room.within(frozenset({0}), 40, 14) is None
    at = room.deepest(frozenset({0}))
    assert at is not None
    assert 100 <= at[0] <= 112
    assert 80 <= at[1] <= 92
    x, y = room.beside(at, 40, 14)
    assert x + 20 <= 100 or x - 20 >= 112 or y + 7 <= 80 or y - 7 >= 92


def test_what_is_written_is_not_written_over() -> None:
    room = Room(sight())
    plates = []
    for _ in range(12):
        x, y = room.beside(np.array([120.0, 80.0]), 50, 14)
        plates.append((x - 25, y - 7, x + 25, y + 7))
        assert room.is_free(plates[-1])
        room.take(plates[-1])
        assert not room.is_free(plates[-1])
    for row, one in enumerate(plates):
        for other in plates[:row]:
            assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]


def test_a_line_is_not_written_over() -> None:
    room = Room(sight())
    room.take_line(np.array([0.0, 80.0]), np.array([240.0, 80.0]))
    assert not room.is_free((100, 70, 140, 90))
    assert room.is_free((100, 90, 140, 104))


def test_a_full_picture_leaves_the_point_itself() -> None:
    room = Room(sight())
    room.take((0, 0, WIDTH, HEIGHT))
    assert room.beside(np.array([30.0, 40.0]), 50, 14).tolist() == [30.0, 40.0]
    assert room.beside(np.array([30.0, 40.0]), 5000, 14).tolist() == [30.0, 40.0]


@pytest.mark.parametrize("plate", [(-1, 5, 20, 15), (5, -1, 20, 15), (220, 5, 241, 15), (5, 150, 20, 161)])
def test_outside_of_the_picture_nothing_is_free(plate: tuple[float, float, float, float]) -> None:
    assert not Room(sight()).is_free(plate)


@examples(60)
@given(
    left=st.integers(0, 200),
    top=st.integers(0, 130),
    wide=st.integers(1, 200),
    high=st.integers(1, 130),
)
def test_what_is_pointed_at_is_the_part(left: int, top: int, wide: int, high: int) -> None:
    seen = sight((left, top, min(left + wide, WIDTH), min(top + high, HEIGHT)))
    at = Room(seen).deepest(frozenset({0}))
    assert at is not None
    assert seen.part[int(at[1]), int(at[0])] == 0
    assert Room(seen).deepest(frozenset({1})) is None
