"""Basis functions of many splines at once."""

from __future__ import annotations

import numpy as np
import pytest

from vcad_kernel.geometry.occt.measure.parametric.bsplines import Bases


@pytest.mark.parametrize("count", [1, 3000])
def test_the_end_of_a_spline_is_in_its_last_span_however_many_there_are(count: int) -> None:
    knots = np.array([0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0])
    bases = Bases(2, [knots] * count, [np.inf] * count)
    which = np.arange(count)
    for end, first in ((0.0, 0), (1.0, 1)):
        _, knot, pole = bases.spans(which, np.full(count, end))
        assert set(pole.tolist()) == {first}
        values, _ = bases.values(np.full(count, end), knot)
        assert values.sum(axis=-1) == pytest.approx(1.0)
        assert values[:, 2 * first] == pytest.approx(1.0)
