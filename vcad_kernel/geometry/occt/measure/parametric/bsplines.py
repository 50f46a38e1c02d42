"""The basis functions of many B-splines at once, each with knots of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.collections import Array1_double

__all__ = ["EVEN", "Array", "Bases", "Numbers", "numbers_of"]

Array: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.intp]


EVEN = 8.0
"""Weights that differ by no larger factor leave a span about as smooth as those of a circle do."""
_FINER = 4.0
"""By which factor places that are graded come nearer to a knot."""


def _unevenness(weights: Array, degree: int) -> Array:
    """By which factor at most the weights (poles, n) differ of those that count together, for each span."""
    count = max(len(weights) - degree, 1)
    among = np.stack([weights[number : number + count] for number in range(degree + 1)])
    return np.asarray((among.max(axis=0) / among.min(axis=0)).max(axis=-1))


def numbers_of(values: Array1_double) -> Array:
    """Without the array's own iterator, which takes a millisecond to set up."""
    return np.array([values.Value(index) for index in range(values.Lower(), values.Upper() + 1)])


class Bases:
    """Basis functions of B-splines of one degree, each with knots of its own."""

    def __init__(
        self,
        degree: int,
        knots: Sequence[Array],
        periods: Sequence[float],
        weights: Sequence[Array | None] | None = None,
    ) -> None:
        """knots: of each, as often as they count. periods: infinite where there is none. weights: of each
        (poles, n), None where they are all the same."""
        self.degree = degree
        lengths = np.array([len(part) for part in knots])
        self._starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self._knots = np.concatenate(knots)
        self._low = np.array([part[degree] for part in knots])
        self._high = np.array([part[len(part) - degree - 1] for part in knots])
        self._periods = np.array(periods)
        self._is_periodic = bool(np.isfinite(self._periods).any())
        # of all in one row, the parameters of each brought to half a unit: one search finds every span
        inner = [part[degree : len(part) - degree] for part in knots]
        self._inner_starts = np.concatenate([[0], np.cumsum([len(part) for part in inner])[:-1]])
        self._last_spans = np.array([len(part) - 2 for part in inner])
        self._keys = np.concatenate(
            [number + 0.5 * (part - part[0]) / (part[-1] - part[0]) for number, part in enumerate(inner)]
        )
        self.breaks = [
            np.unique(part) if heavy is None else _graded(part, _unevenness(heavy, degree))
            for part, heavy in zip(inner, weights or [None] * len(inner), strict=True)
        ]

    def spans(self, which: Numbers, middles: Array) -> tuple[Array, Numbers, Numbers]:
        """By how much parameters are to be moved into the first period, numbers of the knots before, counted
        in all, and numbers of the first of the poles, counted in the spline."""
        low, high = self._low[which], self._high[which]
        moved = np.zeros_like(middles)
        if self._is_periodic:
            turns = np.where(np.isfinite(self._periods[which]), self._periods[which], 1.0)
            moved = np.where(
                np.isfinite(self._periods[which]), -np.floor((middles - low) / turns) * turns, 0.0
            )
        # the last knot closes the span before it
        part = np.clip((middles + moved - low) / (high - low), 0.0, 1.0)
        first = np.searchsorted(self._keys, which + 0.5 * part, side="right") - 1 - self._inner_starts[which]
        first = np.minimum(first, self._last_spans[which])
        return moved, self._starts[which] + first + self.degree, first

    def values(self, parameters: Array, span: Numbers) -> tuple[Array, Array]:
        """The functions that do not vanish and their derivatives, (…, degree + 1).

        span: number of the knot before, of a shape that goes with theirs: where a whole row lies in one span,
        that of the row. Source: Piegl and Tiller, The NURBS Book, algorithm A2.2 and equation 2.7.
        """
        degree = self.degree
        values = np.empty((degree + 1, *parameters.shape))
        slopes = np.empty_like(values)
        values[0] = 1.0
        # one row for each function, so that every step works on whole rows
        steps = np.arange(degree + 1).reshape(-1, *[1] * span.ndim)
        before, after = self._knots[span + 1 - steps], self._knots[span + steps]
        left, right = parameters - before, after - parameters
        for order in range(1, degree + 1):
            saved: Array | float = 0.0
            rising: Array | float = 0.0
            for number in range(order):
                share = values[number] / (after[number + 1] - before[order - number])
                if order == degree:
                    slopes[number] = rising - degree * share
                    rising = degree * share
                values[number] = saved + right[number + 1] * share
                saved = left[order - number] * share
            values[order] = saved
            if order == degree:
                slopes[order] = rising
        return np.moveaxis(values, 0, -1), np.moveaxis(slopes, 0, -1)


def _graded(knots: Array, factors: Array) -> Array:
    """The knots, and between them places that come nearer to them the more the weights there differ.

    By s = log t/(1 - t) a rational span is a quotient of sums of exponentials, whose terms take turns where s
    is within the logarithm of the weights' factor: there, equal steps of s are equally smooth.
    """
    places = [np.unique(knots)]
    for low, high, factor in zip(knots[:-1], knots[1:], factors, strict=True):
        if high > low and factor > EVEN:
            near = _FINER ** -np.arange(1.0, math.ceil(math.log(factor, _FINER)) + 1.0)
            places.append(low + (high - low) * np.concatenate([near, [0.5], 1.0 - near]))
    return np.unique(np.concatenate(places))
