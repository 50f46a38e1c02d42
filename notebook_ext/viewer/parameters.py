"""Sliders for the parameters of a model, with room for an error below them.

Real ipywidgets, so that they work in every front end. Knows parameters and reports their new values;
does not know what becomes of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, TypeAlias

import ipywidgets
from msgspec.structs import replace

from notebook_ext.front_end.shell_channel import answer_meanwhile
from notebook_ext.viewer.widget_tree import close_tree
from vcad_kernel.ir.parameter import Number, Parameter

__all__ = ["ParameterPanel", "slider_range"]

Changed: TypeAlias = Callable[[dict[str, Number]], None]
"""Takes the values of all sliders, by name."""


class ParameterPanel:
    """One slider per parameter. ``changed`` is called at every move, also in the middle of a drag."""

    def __init__(self, changed: Changed) -> None:
        self._changed = changed
        self._sliders: dict[str, Any] = {}
        self._shapes: tuple[Parameter, ...] = ()
        self._reporting = True
        self._error = ipywidgets.HTML()
        self.widget: Any = ipywidgets.VBox([self._error])
        self.widget.add_class("vcad-parameters")

    @property
    def values(self) -> dict[str, Number]:
        """Where the sliders stand."""
        return {name: _value_of(slider) for name, slider in self._sliders.items()}

    @property
    def error(self) -> str:
        """The words shown below the sliders, as HTML; empty when all is well."""
        return str(self._error.value)

    def show(self, parameters: Sequence[Parameter]) -> None:
        """Have a slider for each of these, at its value; what was shown before and still fits stays."""
        shapes = tuple(replace(parameter, value=parameter.default) for parameter in parameters)
        self._reporting = False
        try:
            if shapes != self._shapes or not self._has_room(parameters):
                self._rebuild(parameters)
                self._shapes = shapes
            for parameter in parameters:
                self._sliders[parameter.name].value = parameter.value
        finally:
            self._reporting = True
        self.show_error(None)

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
        for slider in self._sliders.values():
            slider.observe(self._moved, "value")
        answer_meanwhile(self._sliders.values())
        self.widget.children = [*self._sliders.values(), self._error]
        for slider in old:
            slider.unobserve_all()
            close_tree(slider)

    def _moved(self, _change: object) -> None:
        if self._reporting:
            self._changed(self.values)


def slider_range(parameter: Parameter) -> tuple[Number, Number, Number]:
    """Lowest and highest value of a slider, and its step, where the parameter leaves them open too."""
    values = (parameter.value, parameter.default)
    low = parameter.min if parameter.min is not None else min(0, *(2 * value for value in values))
    high = parameter.max if parameter.max is not None else max(*(2 * value for value in values), 0)
    if not high > low:
        # a default of 0 gives no size; a single allowed value still needs a slider with two ends
        low, high = (low, low + 1) if parameter.max is None else (high - 1, high)
    step = parameter.step
    if isinstance(parameter.default, int):
        low, high = math.ceil(low), math.floor(high)
        return low, max(high, low), max(1, round(step or 1))
    return low, high, step if step is not None else _handy_step(high - low)


def _handy_step(width: float) -> float:
    """1, 2 or 5 times a power of ten, about a hundredth of the width."""
    power = 10.0 ** math.floor(math.log10(width / 100))
    return float(next(power * factor for factor in (1, 2, 5, 10) if width / (power * factor) <= 100))


def _slider(parameter: Parameter) -> Any:
    low, high, step = slider_range(parameter)
    unit = f" ({parameter.unit})" if parameter.unit else ""
    whole = isinstance(parameter.default, int)
    made = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
    slider = made(
        value=parameter.value,
        min=low,
        max=high,
        step=step,
        description=f"{parameter.name}{unit}",
        tooltip=parameter.doc or parameter.name,
        continuous_update=True,
        readout_format="d" if whole else f".{_decimals(float(step))}f",
        style={"description_width": "auto"},
    )
    slider.add_class("vcad-parameter")
    return slider


def _decimals(step: float) -> int:
    """Digits after the point that distinguish the stops of a slider."""
    return min(6, max(0, math.ceil(-math.log10(step) - 1e-9)))


def _value_of(slider: Any) -> Number:
    value = slider.value
    if isinstance(value, int):
        return int(value)
    # the browser adds up steps: 40.300000000000004 is meant to be 40.3; the ends are what the model says
    value = float(value)
    return value if value in (slider.min, slider.max) else float(f"{value:.12g}")
