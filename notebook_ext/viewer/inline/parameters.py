"""Sliders for the parameters of a model, with room for an error below them.

Real ipywidgets, so that they work in every front end. Knows parameters and reports their new values;
does not know what becomes of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from html import escape
from typing import Any, Final, TypeAlias

import ipywidgets
from msgspec.structs import replace

from notebook_ext.front_end.shell_channel import answer_meanwhile
from notebook_ext.viewer.widgets import close_tree
from vcad_kernel.ir.parameter import Number, Parameter, moved_words

__all__ = ["ParameterPanel", "Stops", "stops_of"]

Changed: TypeAlias = Callable[[dict[str, Number]], None]
"""Takes the values of all sliders, by name."""
Write: TypeAlias = Callable[[], object]
"""Writes the values that have moved into the source; on a thread that may not wait."""


class ParameterPanel:
    """One slider per parameter. ``changed`` is called at every move, also in the middle of a drag.

    A browser puts a slider on the nearest of its stops and sends that back as its value, moved or not. So
    every slider here has stops that hold the value shown, and what comes back at such a stop is no move.
    """

    def __init__(self, changed: Changed, write: Write | None = None) -> None:
        """write: None where nobody can write into the source."""
        self._changed = changed
        self._write = write
        self._sliders: dict[str, Any] = {}
        self._values: dict[str, Number] = {}
        """By name, what the model has or a person has chosen: a slider may differ in the last digit."""
        self._shapes: tuple[Parameter, ...] = ()
        self._error = ipywidgets.HTML()
        self._moved_line: Any = None
        """What differs from the source, and what writes it there; None until something does."""
        self.widget: Any = ipywidgets.VBox([self._error])
        self.widget.add_class("vcad-parameters")

    @property
    def values(self) -> dict[str, Number]:
        """Where the sliders stand."""
        return dict(self._values)

    @property
    def error(self) -> str:
        """The words shown below the sliders, as HTML; empty when all is well."""
        return str(self._error.value)

    def show(self, parameters: Sequence[Parameter]) -> None:
        """Have a slider for each of these, at its value; what was shown before and still fits stays."""
        shapes = tuple(replace(parameter, value=parameter.default) for parameter in parameters)
        if shapes != self._shapes or not self._has_room(parameters):
            self._rebuild(parameters)
            self._shapes = shapes
        else:
            for parameter in parameters:
                self._put(parameter)
        self.show_error(None)
        self.show_moved(parameters)

    def show_moved(self, parameters: Sequence[Parameter]) -> None:
        """Say which values are not what the source says."""
        said = moved_words(parameters)
        if self._moved_line is None:
            if not said:
                return
            self._moved_line = self._line()
            self.widget.children = [*self.widget.children, self._moved_line]
        self._moved_line.children[0].value = escape(said)
        self._moved_line.layout.display = None if said else "none"

    def _line(self) -> Any:
        children = [ipywidgets.HTML()]
        if self._write is not None:
            write = self._write
            button = ipywidgets.Button(description="Write into the source", layout={"width": "auto"})
            button.on_click(lambda _button: write())
            answer_meanwhile([button])
            children.append(button)
        line = ipywidgets.HBox(children)
        line.add_class("vcad-moved")
        return line

    def show_error(self, error: str | None) -> None:
        """Show an error below the sliders, or none."""
        self._error.value = (
            f'<div class="vcad-parameter-error" role="alert">{escape(error)}</div>' if error else ""
        )

    def close(self) -> None:
        """Free the widgets."""
        for slider in self._sliders.values():
            slider.unobserve_all()
        self._sliders = {}
        close_tree(self.widget)

    def _has_room(self, parameters: Sequence[Parameter]) -> bool:
        """Whether all values lie on the sliders there are, whose ends may be of an earlier value."""
        sliders = self._sliders
        return all(
            sliders[parameter.name].min <= parameter.value <= sliders[parameter.name].max
            for parameter in parameters
        )

    def _rebuild(self, parameters: Sequence[Parameter]) -> None:
        old = list(self._sliders.values())
        self._sliders = {parameter.name: _slider(parameter) for parameter in parameters}
        self._values = {parameter.name: parameter.value for parameter in parameters}
        for name, slider in self._sliders.items():
            slider.observe(partial(self._moved, name), "value")
        answer_meanwhile(self._sliders.values())
        line = [] if self._moved_line is None else [self._moved_line]
        self.widget.children = [*self._sliders.values(), self._error, *line]
        for slider in old:
            slider.unobserve_all()
            close_tree(slider)

    def _put(self, parameter: Parameter) -> None:
        """Have a slider with room for a value show it, on stops that hold it."""
        slider = self._sliders[parameter.name]
        stops = _stops(slider)
        if not stops.hold(parameter.value):
            stops = stops_between(parameter, slider.min, slider.max)
        self._values[parameter.name] = parameter.value
        stop = stops.nearest(parameter.value)
        if stop == slider.value and stops.step == slider.step:
            return
        with slider.hold_sync():
            slider.step = stops.step
            slider.readout_format = _readout_format(stops)
            slider.value = stop
            # In this order: a browser that takes the value first puts it on the old stops, and sends that.
            slider.send_state(["step", "readout_format", "value"])

    def _moved(self, name: str, change: Mapping[str, Any]) -> None:
        slider = self._sliders[name]
        stops = _stops(slider)
        if stops.nearest(change["new"]) == stops.nearest(self._values[name]):
            return
        self._values[name] = stops.number(change["new"])
        self._changed(self.values)


_FINEST: Final = 1e-9
"""Step as a share of a slider's width where no coarser stops hold what it must show."""


@dataclass(frozen=True, slots=True)
class Stops:
    """Where a slider can stand: at ``low`` plus a whole number of steps, and at ``high``.

    Computed as a browser does, to the last digit: ipywidgets 8 has noUiSlider 15, which keeps percents.
    """

    low: Number
    high: Number
    step: Number

    def nearest(self, value: Number) -> Number:
        """What a browser makes of a value, and leaves as it is when it is given that."""
        if isinstance(self.step, int) and isinstance(self.low, int):
            return (
                min(self.high, self.low + self._steps(value) * self.step) if value < self.high else self.high
            )
        percent = min(100.0, max(0.0, self._steps(value) * (100 * self.step / (self.high - self.low))))
        if value >= self.high or percent == 100.0:
            return float(self.high)
        return percent * (self.high - self.low) / 100 + self.low

    def hold(self, value: Number) -> bool:
        """Whether a value between the ends is at a stop, as far as nine digits can say."""
        return abs(self.nearest(value) - value) <= _FINEST * (self.high - self.low)

    def number(self, value: Number) -> Number:
        """The nearest stop as a person means it: 40.3 for 40.300000000000004; the ends exactly."""
        stop = self.nearest(value)
        if isinstance(stop, int) or stop in (self.low, self.high):
            return stop
        return float(f"{stop:.12g}")

    def _steps(self, value: Number) -> int:
        percent = 100 * (value - self.low) / (self.high - self.low)
        return math.floor(percent / (100 * self.step / (self.high - self.low)) + 0.5)


def _stops(slider: Any) -> Stops:
    return Stops(slider.min, slider.max, slider.step)


def stops_of(parameter: Parameter) -> Stops:
    """The stops of a slider for a parameter, which may leave its ends and its step open."""
    values = (parameter.value, parameter.default)
    low = parameter.min if parameter.min is not None else min(0, *(2 * value for value in values))
    high = parameter.max if parameter.max is not None else max(*(2 * value for value in values), 0)
    if not high > low:
        # a default of 0 gives no size; a single allowed value still needs a slider with two ends
        low, high = (low, low + 1) if parameter.max is None else (high - 1, high)
    if isinstance(parameter.default, int):
        low = math.ceil(low)
        return stops_between(parameter, low, max(math.floor(high), low))
    return stops_between(parameter, float(low), float(high))


def stops_between(parameter: Parameter, low: Number, high: Number) -> Stops:
    """Stops between these ends that hold the value and the default of a parameter.

    They lie at the parameter's own step or a handy one, or else at the widest that divides it.
    """
    held = [value for value in (parameter.value, parameter.default) if value < high]
    if isinstance(parameter.default, int):
        step = max(1, round(parameter.step or 1))
        return Stops(low, high, math.gcd(step, *(int(value - low) for value in held)))
    stops = Stops(low, high, parameter.step or _handy_step(high - low))
    if all(map(stops.hold, held)):
        return stops
    start, *decimals = (Fraction(repr(float(value))) for value in (low, *held))
    divisor = Fraction(repr(float(stops.step)))
    for decimal in decimals:
        divisor = _common_divisor(divisor, decimal - start)
    return Stops(low, high, max(float(divisor), _FINEST * (high - low)))


def _common_divisor(a: Fraction, b: Fraction) -> Fraction:
    """The largest fraction of which both are whole multiples, by Euclid."""
    while b:
        a, b = b, a % b
    return abs(a)


def _handy_step(width: float) -> float:
    """1, 2 or 5 times a power of ten, about a hundredth of the width."""
    power = 10.0 ** math.floor(math.log10(width / 100))
    return float(next(power * factor for factor in (1, 2, 5, 10) if width / (power * factor) <= 100))


def _slider(parameter: Parameter) -> Any:
    stops = stops_of(parameter)
    unit = f" ({parameter.unit})" if parameter.unit else ""
    made = ipywidgets.IntSlider if isinstance(parameter.default, int) else ipywidgets.FloatSlider
    slider = made(
        value=stops.nearest(parameter.value),
        min=stops.low,
        max=stops.high,
        step=stops.step,
        description=f"{parameter.name}{unit}",
        tooltip=parameter.doc or parameter.name,
        continuous_update=True,
        readout_format=_readout_format(stops),
        style={"description_width": "auto"},
    )
    slider.add_class("vcad-parameter")
    return slider


def _readout_format(stops: Stops) -> str:
    """Enough digits to tell one stop from the next."""
    if isinstance(stops.step, int) and isinstance(stops.low, int):
        return "d"
    decimals = max(0, math.ceil(-math.log10(stops.step) - 1e-9))
    return f".{decimals}f" if decimals <= 6 and _is_decimal(stops, decimals) else ".9g"


def _is_decimal(stops: Stops, decimals: int) -> bool:
    """Whether so many digits after the point say where a stop is."""
    return all(abs(round(value, decimals) - value) < 1e-3 * stops.step for value in (stops.low, stops.step))
