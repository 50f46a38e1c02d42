"""Sliders for parameters: their ranges, what they tell, and what stays in place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import ipywidgets
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from notebook_ext.viewer.inline.parameters import ParameterPanel, Stops, stops_of
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
    return [child for child in panel.widget.children if "vcad-parameter" in child._dom_classes]


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


def test_a_line_says_what_differs_from_the_source_and_can_be_written_there() -> None:
    written: list[str] = []
    panel = ParameterPanel(lambda _values: None, lambda: written.append("written"))
    panel.show([WIDTH, COUNT])
    assert all("vcad-moved" not in child._dom_classes for child in panel.widget.children)
    moved = Parameter("width", 50.5, 40.0, "mm", 10, 80, 0.5, "outer width")
    panel.show_moved([moved, COUNT])
    line = panel.widget.children[-1]
    words, button = line.children
    assert words.value == "width = 50.5; the source says 40"
    button.click()
    assert written == ["written"]
    panel.show([WIDTH, COUNT])
    assert line.layout.display == "none"
    panel.close()


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
    stops = stops_of(Parameter("p", value, value, min=low, max=high))
    assert stops.low <= value <= stops.high
    assert stops.step > 0
    assert low is None or stops.low >= low
    assert high is None or stops.high <= high


def test_handy_steps_are_1_2_or_5() -> None:
    assert stops_of(Parameter("p", 5.0, 5.0, min=0, max=10)) == Stops(0, 10, 0.1)
    assert stops_of(Parameter("p", 5.0, 5.0, min=0, max=20)).step == pytest.approx(0.2)
    assert stops_of(Parameter("p", 5.0, 5.0, min=0, max=30)).step == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("parameter", "step"),
    [
        (Parameter("w", 75.0, 75.0, min=20, max=200), 1.0),
        (Parameter("w", 33.3, 75.0, min=20, max=200), 0.1),
        (Parameter("w", -7.5, -7.5, min=-100, max=-5), 0.5),
        (Parameter("w", 1e-3, 1e-3, min=0, max=1), 1e-3),
        (Parameter("w", 61, 61, min=20, max=200, step=2), 1),
        (Parameter("w", 62, 60, min=20, max=200, step=4), 2),
        (Parameter("w", 200.0, 20.0, min=20, max=200, step=7), 7),
    ],
)
def test_the_stops_hold_value_and_default_and_are_no_finer_than_that_takes(
    parameter: Parameter, step: Number
) -> None:
    stops = stops_of(parameter)
    assert stops.step == pytest.approx(step)
    assert stops.number(parameter.value) == parameter.value
    assert stops.number(parameter.default) == parameter.default


@given(st.data())
def test_what_a_browser_sends_back_of_a_value_is_no_move(data: st.DataObject) -> None:
    number = st.floats(-1e4, 1e4, allow_subnormal=False) | st.decimals(-1000, 1000, places=2).map(float)
    low, high = sorted([data.draw(number), data.draw(number)])
    assume(high - low > 1e-6)
    value, default = (data.draw(st.floats(low, high)) for _ in range(2))
    step = data.draw(st.none() | st.floats(1e-3, 10))
    told = Told()
    panel = ParameterPanel(told)
    panel.show([Parameter("p", value, default, min=low, max=high, step=step)])
    (slider,) = sliders(panel)
    sent = slider.value
    assert sent == pytest.approx(value, abs=1e-9 * (high - low))
    # a browser that is given this puts the slider there, and leaves it
    assert Stops(slider.min, slider.max, slider.step).nearest(sent) == sent
    slider.value = sent + math.ulp(sent)
    panel.show([Parameter("p", default, default, min=low, max=high, step=step)])
    assert panel.values == {"p": default}
    assert told == []
    panel.close()


def test_a_value_set_from_elsewhere_between_the_stops_is_shown_and_kept(
    panel: ParameterPanel, told: Told
) -> None:
    before = sliders(panel)
    panel.show([replace(WIDTH, value=math.pi * 10), COUNT])
    width, count = sliders(panel)
    assert [width, count] == before
    assert width.value == pytest.approx(math.pi * 10, rel=1e-9)
    count.value = 3
    assert told == [{"width": math.pi * 10, "count": 3}]
