"""Integrals over ruled faces, which are read at two places of each line, against those of the same faces read
as any other."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.collections import Array1_double, Array1_int, Array2_double, Array2_gp_Pnt
from OCP.Geom import Geom_BSplineSurface
from OCP.gp import gp_Pnt

from tests.geometry.occt import bodies
from vcad_kernel.geometry.occt.measure.integration.quadrature import integrated

_POLES = (((0, 0, 0), (10, 0, 1)), ((3, 8, -1), (9, 9, 4)), ((0, 14, 2), (12, 15, -3)))
"""Of two curves, and what runs between them."""


def _ruled(weights: tuple[tuple[float, float], ...] | None) -> Geom_BSplineSurface:
    poles, values = Array2_gp_Pnt(1, 3, 1, 2), Array2_double(1, 3, 1, 2)
    for row, pair in enumerate(_POLES, 1):
        for column, pole in enumerate(pair, 1):
            poles.SetValue(row, column, gp_Pnt(*map(float, pole)))
            values.SetValue(row, column, 1.0 if weights is None else weights[row - 1][column - 1])
    knots, across, along = Array1_double(1, 2), Array1_int(1, 2), Array1_int(1, 2)
    for at in (1, 2):
        knots.SetValue(at, float(at - 1))
        across.SetValue(at, 3)
        along.SetValue(at, 2)
    return Geom_BSplineSurface(poles, values, knots, knots, across, along, 2, 1)


@pytest.mark.parametrize(
    "weights",
    [None, ((1, 1), (math.sqrt(0.5), math.sqrt(0.5)), (1, 1)), ((1, 2), (0.7, 0.7), (1, 3))],
    ids=["polynomial", "of conics", "not linear along its lines"],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_ruled_faces_measure_what_they_do_read_as_any_other(
    weights: tuple[tuple[float, float], ...] | None, swapped: bool
) -> None:
    lines = _ruled(weights)
    if swapped:
        lines.ExchangeUV()
    curves = lines.Copy()
    curves.IncreaseDegree(2, 2)
    found, wanted = (
        integrated(BRepBuilderAPI_MakeFace(surface, 1e-7).Face(), 1e-10, encloses=False)
        for surface in (lines, curves)
    )
    assert found is not None
    assert wanted is not None
    assert found.area == pytest.approx(wanted.area, rel=1e-9)
    assert found.volume == pytest.approx(wanted.volume, rel=1e-9, abs=1e-9)
    for name in ("first", "second", "area_first"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-8, atol=1e-7)


def _weighed(weight: float) -> tuple[float, float]:
    """Volume under the patch of a cushion, and its area, by trapezoids over s of t = 1/(1 + e⁻ˢ)."""
    ways = np.linspace(-40.0, 40.0, 401)
    t = 1.0 / (1.0 + np.exp(-ways))
    rest = 1.0 / (1.0 + np.exp(ways))
    values = np.stack([rest**2, 2.0 * t * rest, t**2])
    slopes = np.stack([-2.0 * rest, 2.0 * (rest - t), 2.0 * t])
    poles = np.ones((3, 3, 4))
    poles[..., 0], poles[..., 1] = np.meshgrid([0.0, 5.0, 10.0], [0.0, 5.0, 10.0], indexing="ij")
    poles[..., 2] = 2.0
    poles[1, 1] = 5.0, 5.0, 12.0, 1.0
    poles[1, 1] *= weight
    there, across, along = (
        np.einsum("in,jm,ijc->nmc", u, v, poles)
        for u, v in ((values, values), (slopes, values), (values, slopes))
    )
    place = there[..., :3] / there[..., 3:]
    normals = np.cross(
        *((part[..., :3] - part[..., 3:] * place) / there[..., 3:] for part in (across, along))
    )
    step = (ways[1] - ways[0]) * t * rest
    weights = np.outer(step, step)
    return float((weights * place[..., 2] * normals[..., 2]).sum()), float(
        (weights * np.linalg.norm(normals, axis=2)).sum()
    )


@pytest.mark.parametrize("weight", [3.0, 100.0, 1e4, 1e6])
def test_weights_that_differ_a_million_times_cost_no_digits_and_little_time(weight: float) -> None:
    body = bodies.cushion(weight)
    begun = time.process_time()
    found = integrated(body, 1e-10)
    # with cuts in equal steps 1e3 took 4 s, and 1e4 came to no end
    assert time.process_time() - begun < 2.0
    assert found is not None
    under, area = _weighed(weight)
    assert found.volume == pytest.approx(under, rel=1e-9)
    assert found.area == pytest.approx(area + 180.0, rel=1e-9)
