"""Figures of what stands on fitted outlines: exact only where they are, else within the bound they state."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.sweeps.profiles.fits import offset_error, on_splines
from vcad_kernel.operations.profiles.profiles import ring
from vcad_kernel.operations.profiles.splines import bezier
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCell

SERVICE = DirectService()
AT, WEIGHTS = np.polynomial.legendre.leggauss(400)


def figures(text: str) -> Figures:
    (only,) = SERVICE.evaluate(EvalCell(text, cell_id="fits")).parts
    return only.figures


def _around_ellipse(a: float, b: float, d: float) -> float:
    """The area of an ellipse whose border is moved outwards, by Steiner's formula, mm²."""
    turn = math.pi * (AT + 1.0)
    border = math.pi * float(WEIGHTS @ np.hypot(a * np.sin(turn), b * np.cos(turn)))
    return math.pi * a * b + border * d + math.pi * d * d


def _cut_torus() -> float:
    """The area of a torus 10 3 cut at x = 4, mm²: by strips, substituted so that their ends are smooth."""
    ends = [math.sqrt(reach**2 - 16.0) for reach in (7.0, 13.0)]
    turn = 0.5 * math.pi * AT
    y = 0.5 * (ends[1] + ends[0]) + 0.5 * (ends[1] - ends[0]) * np.sin(turn)
    high = np.sqrt(9.0 - (np.sqrt(16.0 + y * y) - 10.0) ** 2)
    return float(4.0 * WEIGHTS @ (high * np.cos(turn))) * 0.25 * math.pi * (ends[1] - ends[0])


@pytest.mark.parametrize(
    ("text", "volume", "exact"),
    [
        ("[pull 1 [offset-2d 1 [ellipse 6 3]]]", _around_ellipse(6.0, 3.0, 1.0), True),
        ("[pull 1 [offset-2d 3 [ellipse 6 1]]]", _around_ellipse(6.0, 1.0, 3.0), False),
        ("[scale 2 2 2 [pull 1 [offset-2d 3 [ellipse 6 1]]]]", 8 * _around_ellipse(6.0, 1.0, 3.0), False),
        (
            "[pull 1 [on :xz [curve-profile [fn [t] #[[* 9 [cos t]] [* 5 [sin t]]]] 0 360]]]",
            45.0 * math.pi,
            False,
        ),
        (
            "[pull 1 [section-profile [plane {:at #[4 0 0] :normal #[1 0 0]}] [torus 10 3]]]",
            _cut_torus(),
            False,
        ),
    ],
)
def test_a_fitted_border_is_exact_or_says_how_far_it_may_be_off(
    text: str, volume: float, exact: bool
) -> None:
    made = figures(text)
    assert made.exact is exact
    if exact:
        assert made.volume == pytest.approx(volume, rel=1e-9)
    else:
        assert made.tolerance is not None
        assert abs(made.volume - volume) <= made.tolerance * made.surface_area
        assert made.volume == pytest.approx(volume, rel=1e-6)


def test_a_profile_that_is_shown_says_it_too() -> None:
    made = figures("[offset-2d 3 [ellipse 6 1]]")
    assert not made.exact
    assert made.tolerance is not None
    assert made.surface_area == pytest.approx(_around_ellipse(6.0, 1.0, 3.0), rel=1e-6)
    assert figures("[offset-2d 1 [ellipse 6 3]]").exact


def test_the_error_is_that_of_splines_alone() -> None:
    # a parabola in place of an arc of the circle of radius 2 about the same middle
    corner = 2.0 * math.sqrt(2.0)
    quarter = (bezier(((2.0, 0.0), (0.5 * corner * math.sqrt(2.0), 2.0), (0.0, 2.0))),)
    middle = 0.25 * math.hypot(2.0 + 2.0 * 2.0, 2.0 * 2.0 + 2.0)
    assert offset_error([quarter], [ring(1.0)], 1.0) == pytest.approx(middle - 2.0, rel=1e-2)
    assert offset_error([ring(2.5)], [ring(1.0)], 1.0) == 0.0
    assert on_splines([ring(2.0)]).shape == (0, 3)
