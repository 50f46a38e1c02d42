"""The outline of gears: points on the true involute, circles, and a polygon that does not meet itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.geometry.sweeps.profiles.crossing import crosses_itself, signed_area
from vcad_kernel.geometry.sweeps.profiles.gear import involute, outline
from vcad_kernel.operations.numbers import ParameterFault
from vcad_kernel.operations.solids.gears import PRESSURE_ANGLE, Gear, involute_angle


def test_involute_of_the_pressure_angle_has_its_tabulated_value() -> None:
    assert involute_angle(math.cos(PRESSURE_ANGLE), 1.0) == pytest.approx(0.014904383867, rel=1e-9)


def test_a_string_unwound_from_the_base_circle_is_as_long_as_its_arc() -> None:
    form = Gear(2.0, 20, 5.0).form()
    rolls = np.linspace(0.1, 0.6, 7)
    points = involute(form, rolls)
    angles = rolls - form.half_base
    feet = form.base * np.column_stack([np.cos(angles), np.sin(angles)])
    assert np.linalg.norm(points - feet, axis=1) == pytest.approx(form.base * rolls)


@given(teeth=st.integers(4, 80), internal=st.booleans(), module=st.floats(0.1, 20.0))
def test_teeth_fill_half_of_the_pitch_circle(teeth: int, internal: bool, module: float) -> None:
    form = Gear(module, teeth, 1.0, 0.0, internal).form()
    assert form.half_angle(module * teeth / 2.0) == pytest.approx(math.pi / (2.0 * teeth))
    assert form.root < module * teeth / 2.0 < form.tip


@given(teeth=st.integers(4, 80), internal=st.booleans(), sides=st.sampled_from([32, 128]))
def test_outline_is_a_simple_counter_clockwise_polygon(teeth: int, internal: bool, sides: int) -> None:
    form = Gear(1.0, teeth, 1.0, 0.05, internal).form()
    points, deviation = outline(form, 0.01, sides)
    assert not crosses_itself(points)
    assert signed_area(points) > 0.0
    radii = np.linalg.norm(points, axis=1)
    assert (radii.min(), radii.max()) == pytest.approx((form.root, form.tip))
    assert 0.0 < deviation <= max(0.01, form.tip * (1.0 - math.cos(math.pi / sides))) + 1e-9


def test_flank_points_can_be_asked_for() -> None:
    few, many = (outline(Gear(1.0, 20, 1.0, flank=n).form(), 0.01, 64)[0] for n in (4, 14))
    assert len(many) - len(few) == 20 * 2 * 10


def test_the_bore_of_a_small_ring_ends_where_its_flanks_meet() -> None:
    form = Gear(2.0, 5, 5.0, 0.0, True).form()
    assert form.pointed
    assert form.tip < 7.5


@pytest.mark.parametrize("internal", [False, True])
def test_too_much_backlash_leaves_no_tooth(internal: bool) -> None:
    with pytest.raises(ParameterFault):
        Gear(1.0, 12, 1.0, 4.0, internal).form()
