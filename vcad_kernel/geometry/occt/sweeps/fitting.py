"""B-splines through smooth functions of one parameter, in any number of dimensions at once.

Interpolation of degree 5 at the Greville abscissae (Schoenberg and Whitney: always solvable), with
twice as many pieces until the halves of all pieces agree. Smooth functions of a turn need about two
dozen poles for nine digits. Several functions fitted together share their knots, which is what a
tensor product surface wants.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from OCP.collections import Array1_double, Array1_gp_Pnt, Array1_int
from OCP.Geom import Geom_BSplineCurve
from OCP.gp import gp_Pnt

__all__ = ["DEGREE", "FittedSpline", "basis", "curve_of", "fitted", "integers", "reals"]

DEGREE = 5
_MOST_PIECES = 128
Function = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True, eq=False)
class FittedSpline:
    """A clamped B-spline of degree 5."""

    knots: NDArray[np.float64]
    """Distinct, rising."""
    multiplicities: NDArray[np.int64]
    poles: NDArray[np.float64]
    """(n, dimensions)."""
    error: float
    """Largest distance found from the function."""


def fitted(
    function: Function, breaks: Sequence[float], tolerance: float, continuity: int = 2
) -> FittedSpline:
    """A spline along a function (k,) → (k, d) from the first break to the last, within the tolerance.

    breaks: rising; between neighbours the function is smooth, at them so many times differentiable.
    The best spline tried comes back even when it misses the tolerance: look at ``error``.
    """
    pieces = 4
    while True:
        spline = _interpolated(function, breaks, pieces, DEGREE - continuity)
        if spline.error <= tolerance or 2 * pieces * (len(breaks) - 1) > _MOST_PIECES:
            return spline
        pieces *= 2


def _interpolated(
    function: Function, breaks: Sequence[float], pieces: int, multiplicity: int
) -> FittedSpline:
    bounds = np.asarray(breaks, np.float64)
    parts = [np.linspace(first, last, pieces + 1)[:-1] for first, last in itertools.pairwise(bounds)]
    knots = np.concatenate([*parts, bounds[-1:]])
    multiplicities = np.ones(len(knots), np.int64)
    # at breaks the function is less smooth, so the spline must be free to be
    multiplicities[::pieces] = multiplicity
    multiplicities[0] = multiplicities[-1] = DEGREE + 1
    flat = np.repeat(knots, multiplicities)
    count = len(flat) - DEGREE - 1
    # interpolated at the Greville abscissae, where the equations are well conditioned
    greville = np.array([flat[i + 1 : i + DEGREE + 1].mean() for i in range(count)])
    poles = np.asarray(np.linalg.solve(basis(flat, greville), function(greville)), np.float64)
    poles[0], poles[-1] = function(bounds[[0, -1]])
    # the error is looked for between knots, where it is largest
    between = 0.5 * (knots[1:] + knots[:-1])
    off = basis(flat, between) @ poles - function(between)
    return FittedSpline(knots, multiplicities, poles, float(np.max(np.abs(off))))


def basis(flat: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.float64]:
    """(len(at), count) values of the B-splines, by the recursion of Cox and de Boor."""
    count = len(flat) - DEGREE - 1
    span = np.clip(np.searchsorted(flat, at, side="right") - 1, DEGREE, count - 1)
    values = np.zeros((len(at), DEGREE + 1))
    values[:, 0] = 1.0
    for degree in range(1, DEGREE + 1):
        carried = np.zeros(len(at))
        for index in range(degree):
            right = flat[span + index + 1]
            left = flat[span + index + 1 - degree]
            share = values[:, index] / (right - left)
            values[:, index] = carried + (right - at) * share
            carried = (at - left) * share
        values[:, degree] = carried
    matrix = np.zeros((len(at), count))
    rows = np.arange(len(at))[:, None]
    matrix[rows, span[:, None] - DEGREE + np.arange(DEGREE + 1)] = values
    return matrix


def reals(values: Sequence[float] | NDArray[np.float64]) -> Array1_double:
    """As OpenCASCADE has them, numbered from 1."""
    result = Array1_double(1, len(values))
    for index, value in enumerate(values, 1):
        result.SetValue(index, float(value))
    return result


def integers(values: Sequence[int] | NDArray[np.int64]) -> Array1_int:
    """As OpenCASCADE has them, numbered from 1."""
    result = Array1_int(1, len(values))
    for index, value in enumerate(values, 1):
        result.SetValue(index, int(value))
    return result


def curve_of(spline: FittedSpline, poles: NDArray[np.float64]) -> Geom_BSplineCurve:
    """The curve in space with a spline's knots and these poles (n, 3)."""
    points = Array1_gp_Pnt(1, len(poles))
    for index, pole in enumerate(poles, 1):
        points.SetValue(index, gp_Pnt(*map(float, pole)))
    return Geom_BSplineCurve(points, reals(spline.knots), integers(spline.multiplicities), DEGREE)
