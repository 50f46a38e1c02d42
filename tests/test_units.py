"""Angles at the edges."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.units import cosd, sind


@pytest.mark.parametrize("turns", range(-9, 10))
def test_quarter_turns_are_exact(turns: int) -> None:
    angle = 90.0 * turns
    assert sind(angle) == (0.0, 1.0, 0.0, -1.0)[turns % 4]
    assert cosd(angle) == (1.0, 0.0, -1.0, 0.0)[turns % 4]


@given(st.floats(min_value=-1e4, max_value=1e4))
def test_other_angles_agree_with_radians(angle: float) -> None:
    assert sind(angle) == pytest.approx(math.sin(math.radians(angle)), abs=1e-11)
    assert cosd(angle) == pytest.approx(math.cos(math.radians(angle)), abs=1e-11)
