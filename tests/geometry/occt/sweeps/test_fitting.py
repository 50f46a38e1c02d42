"""Splines through smooth functions: as near as asked, at the ends exactly, with few poles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from vcad_kernel.geometry.occt.sweeps.fitting import curve_of, fitted


def turn(angle: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.column_stack([10.0 * np.cos(angle), 10.0 * np.sin(angle), angle])


def test_a_turn_of_a_helix_takes_few_poles_for_eight_digits() -> None:
    spline = fitted(turn, (0.0, 2.0 * math.pi), 1e-7)
    assert spline.error <= 1e-7
    assert len(spline.poles) < 50


def test_the_curve_is_where_the_function_is() -> None:
    spline = fitted(turn, (0.0, 1.0, 3.0), 1e-8)
    curve = curve_of(spline, spline.poles)
    for angle in (0.0, 0.3, 1.0, 2.2, 3.0):
        point = curve.Value(angle)
        assert (point.X(), point.Y(), point.Z()) == pytest.approx(turn(np.array([angle]))[0], abs=1e-7)


def test_a_function_that_is_not_smooth_comes_back_with_its_error() -> None:
    spline = fitted(lambda at: np.abs(at - 0.51)[:, None], (0.0, 1.0), 1e-9)
    assert spline.error > 1e-9
