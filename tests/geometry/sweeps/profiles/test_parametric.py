"""Closed curves of a function: near to it as far as is asked for, or refused."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tests.geometry.models import document, solid
from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.solid import check_parameters
from vcad_kernel.geometry.sweeps.profiles.curves import outline_moments, spline_points
from vcad_kernel.geometry.sweeps.profiles.parametric import fitted_curve
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.profiles.curve_profiles import CurveProfile
from vcad_kernel.operations.profiles.sketches import Spline

TURNS = [math.tau * at / 512 for at in range(513)]
ELLIPSE = [(9.0 * math.cos(turn), 5.0 * math.sin(turn)) for turn in TURNS]
DROP = [(4.0 * math.sin(turn), 3.0 * math.sin(turn / 2.0)) for turn in TURNS]
"""Its end meets its beginning in a corner."""
ASTROID = [(math.cos(turn) ** 3, math.sin(turn) ** 3) for turn in TURNS]


def fitted(points: list[tuple[float, float]], error: float) -> tuple[Spline, float]:
    coordinates = tuple(itertools.chain.from_iterable([*points[:-1], points[0]]))
    made = document(solid(CurveProfile, coordinates=coordinates, error=error))
    return fitted_curve(made, made.roots[0].node)


@pytest.mark.parametrize(("error", "poles"), [(1e-2, 40), (1e-4, 70), (1e-6, 280)])
def test_a_curve_is_as_near_as_asked_with_as_few_poles_as_that_takes(error: float, poles: int) -> None:
    spline, off = fitted(ELLIPSE, error)
    assert off <= error
    assert len(spline.poles) < poles
    points = spline_points(spline, np.linspace(spline.knots[0], spline.knots[-1], 5000))
    radii = np.hypot(points[:, 0] / 9.0, points[:, 1] / 5.0)
    assert np.abs(radii - 1.0).max() * 5.0 <= off
    assert outline_moments((spline,))[0] == pytest.approx(45.0 * math.pi, abs=46.0 * off)


def test_where_it_begins_a_curve_may_have_a_corner_and_elsewhere_none() -> None:
    spline, off = fitted(DROP, 1e-4)
    assert off <= 1e-4
    assert outline_moments((spline,))[0] == pytest.approx(16.0, abs=20.0 * off)
    with pytest.raises(GeometryError, match=r"cannot be fitted within 0\.0001 mm, only within") as caught:
        fitted(ASTROID, 1e-4)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        ("[curve-profile [fn [t] #[t 0]] 0 1]", "SKETCH_NOT_CLOSED", "it runs from (0, 0) to (1, 0)"),
        ("[curve-profile [fn [t] 5] 0 1]", "TYPE_MISMATCH", "got the number 5"),
        (
            "[curve-profile {:error 0} [fn [t] #[t 0]] 0 0]",
            "INVALID_PARAMETER",
            "error must be greater than 0",
        ),
        ("[curve-profile {} #[#[0 0] #[1 0] #[0 0]]]", "INVALID_PARAMETER", "must be at least 65, got 3"),
    ],
)
def test_what_is_no_closed_curve_is_refused(call: str, code: str, message: str) -> None:
    with pytest.raises(GeometryError) as caught:
        _checked(call)
    assert caught.value.code == code
    assert message in caught.value.message


def _checked(call: str) -> None:
    made = convert(Environment(prelude=PRELUDE).run(Source("a", f"[pull 1 {call}]")))
    for node in made.nodes:
        check_parameters(made, node)
