"""Editors' positions and ours."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.loon.analysis.utf16 import Utf16

TEXTS = st.text(alphabet=st.sampled_from("ab😀é\n\r\u2028\x0c\U0010ffff"), max_size=30)


@given(TEXTS, st.data())
def test_an_offset_survives_the_way_there_and_back(text: str, data: st.DataObject) -> None:
    units = Utf16(text)
    offset = data.draw(st.integers(0, len(text)))
    assert units.from_points(offset) == len(text[:offset].encode("utf-16-le")) // 2
    if text[max(0, offset - 1) : offset + 1] != "\r\n":  # no editor puts its cursor in there
        assert units.offset(*units.position(offset)) == offset


def test_lines_end_at_newlines_and_carriage_returns_alone() -> None:
    units = Utf16("a\u2028b\r\n😀c\rd\x0ce\nf")
    places = [units.position(units.text.index(letter)) for letter in "bcdef"]
    assert places == [(0, 2), (1, 2), (2, 0), (2, 2), (3, 0)]


def test_positions_outside_the_text_are_the_nearest_within() -> None:
    units = Utf16("ab\ncd")
    assert [units.offset(*place) for place in [(0, 99), (1, 99), (7, 0), (-1, 3)]] == [2, 5, 5, 0]
    assert units.position(99) == (1, 2)


def test_half_of_a_character_counts_as_all_of_it() -> None:
    units = Utf16("x😀y")
    assert [units.offset(0, unit) for unit in range(6)] == [0, 1, 2, 2, 3, 3]
