"""Segments drawn as one run: each once where that can be, never through the air."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.geometry.measure.inspection.mesh_regions import trail


def drawn(run: list[int]) -> Counter[frozenset[int]]:
    return Counter(frozenset(pair) for pair in pairwise(run))


@pytest.mark.parametrize(
    "segments",
    [
        [(0, 1)],
        [(2, 1), (1, 0), (3, 2)],
        [(0, 1), (1, 2), (2, 0)],
        [(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 0)],
    ],
    ids=["a segment", "a path", "a loop", "two loops that touch"],
)
def test_what_can_be_drawn_at_a_stroke_is(segments: list[tuple[int, int]]) -> None:
    run = trail(segments)
    assert drawn(run) == Counter(frozenset(pair) for pair in segments)


def test_a_loop_ends_where_it_begins() -> None:
    run = trail([(0, 1), (1, 2), (2, 0)])
    assert run[0] == run[-1]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_of_a_tree_every_branch_is_drawn_and_nothing_else(below: list[int]) -> None:
    segments = [(min(parent, child), child + 1) for child, parent in enumerate(below)]
    assert set(drawn(trail(segments))) == {frozenset(pair) for pair in segments}


def test_nothing_is_drawn_of_nothing() -> None:
    assert trail([]) == []
