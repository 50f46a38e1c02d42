"""Sliders for parameters: their ranges, what they tell, and what stays in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ipywidgets
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.viewer.parameters import ParameterPanel, slider_range
from tests.notebook_ext.viewer.conftest import Wire
from vcad_kernel.ir.parameter import Number, Parameter

WIDTH = Parameter("width", 40.0, 40.0, "mm", 10, 80, 0.5, "outer width")
COUNT = Parameter("count", 2, 2, min=1, max=4)


class Told(list[dict[str, Number]]):
    def __call__(self, values: dict[str, Number]) -> None:
        self.append(values)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def panel(told: Told) -> Iterator[ParameterPanel]:
    made = ParameterPanel(told)
    made.show([WIDTH, COUNT])
    yield made
    made.close()


def sliders(panel: ParameterPanel) -> list[Any]:
    return list(panel.widget.children[:-1])


def test_a_parameter_is_a_slider_with_range_step_unit_and_doc(panel: ParameterPanel) -> None:
    width, count = sliders(panel)
    assert (width.min, width.max, width.step, width.value) == (10.0, 80.0, 0.5, 40.0)
    assert (width.description, width.tooltip, width.readout_format) == ("width (mm)", "outer width", ".1f")
    assert isinstance(count, ipywidgets.IntSlider)
    assert (count.min, count.max, count.step, count.value) == (1, 4, 1, 2)


def test_a_move_tells_all_values(panel: ParameterPanel, told: Told) -> None:
    width, count = sliders(panel)
    width.value = 40.3 + 0.2
    count.value = 3
    assert told == [{"width": 40.5, "count": 2}, {"width": 40.5, "count": 3}]


def test_showing_new_values_moves_the_same_sliders_and_tells_nothing(
    panel: ParameterPanel, told: Told
) -> None:
    before = sliders(panel)
    panel.show([Parameter("width", 50.0, 40.0, "mm", 10, 80, 0.5, "outer width"), COUNT])
    assert sliders(panel) == before
    assert panel.values == {"width": 50.0, "count": 2}
    assert told == []


def test_another_range_is_another_slider(panel: ParameterPanel) -> None:
    before = sliders(panel)
    panel.show([Parameter("width", 50.0, 40.0, "mm", 10, 90), COUNT])
    assert sliders(panel)[0] is not before[0]
    assert sliders(panel)[0].max == 90


def test_a_slider_without_an_end_stays_while_the_value_lies_on_it(panel: ParameterPanel) -> None:
    # its end follows from the value that it had first: a rebuilt one would fall out of the hand
    panel.show([Parameter("depth", 10.0, 10.0)])
    before = sliders(panel)
    panel.show([Parameter("depth", 18.0, 10.0)])
    assert sliders(panel) == before
    panel.show([Parameter("depth", 35.0, 10.0)])
    assert sliders(panel) != before
    assert panel.values == {"depth": 35.0}


def test_the_ends_are_told_as_the_model_says_them_and_small_values_in_full(
    panel: ParameterPanel, told: Told
) -> None:
    panel.show([Parameter("share", 0.5, 0.5, min=1 / 3, max=2 / 3)])
    (share,) = sliders(panel)
    share.value = 1 / 3
    share.value = 0.1 + 0.4000000000000001
    assert told == [{"share": 1 / 3}, {"share": 0.5}]
    panel.show([Parameter("tiny", 0.0, 0.0, min=0.0, max=1e-9)])
    (tiny,) = sliders(panel)
    tiny.value = 1e-10
    assert told[-1] == {"tiny": 1e-10}


def test_an_error_stands_below_and_goes_with_the_next_success(panel: ParameterPanel) -> None:
    panel.show_error("radius <too> large")
    assert "radius &lt;too&gt; large" in panel.error
    assert 'role="alert"' in panel.error
    panel.show([WIDTH, COUNT])
    assert panel.error == ""


def test_closing_frees_every_widget(wire: Wire) -> None:
    panel = ParameterPanel(lambda _values: None)
    panel.show([WIDTH, COUNT])
    panel.show([COUNT])
    panel.close()
    kinds = [kind for kind, _, _ in wire.messages]
    assert kinds.count("comm_open") == kinds.count("comm_close") > 0


@given(
    st.one_of(st.integers(-1000, 1000), st.floats(-1e6, 1e6, allow_subnormal=False)),
    st.one_of(st.none(), st.floats(0.01, 100)),
    st.one_of(st.none(), st.floats(0.01, 100)),
)
def test_a_slider_has_room_for_its_value_and_keeps_the_limits(
    value: Number, below: float | None, above: float | None
) -> None:
    low = None if below is None else value - below
    high = None if above is None else value + above
    least, most, step = slider_range(Parameter("p", value, value, min=low, max=high))
    assert least <= value <= most
    assert step > 0
    assert low is None or least >= low
    assert high is None or most <= high


def test_handy_steps_are_1_2_or_5() -> None:
    assert slider_range(Parameter("p", 5.0, 5.0, min=0, max=10)) == (0, 10, 0.1)
    assert slider_range(Parameter("p", 5.0, 5.0, min=0, max=20))[2] == pytest.approx(0.2)
    assert slider_range(Parameter("p", 5.0, 5.0, min=0, max=30))[2] == pytest.approx(0.5)
