"""How far points lie from plane curves."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.sweeps.profiles.curves import places_and_ways, stretches
from vcad_kernel.operations.profiles.sketches import Curve, Line

__all__ = ["distances_to", "distances_within"]

_PLACES = 128
"""Of each smooth stretch of a curve, from the nearest of which a foot is looked for."""
_HALVINGS = 52

Points = NDArray[np.float64]


def distances_to(curves: Iterable[Curve], points: Points) -> Points:
    """(k,): of each point (k, 2) to the nearest of the curves, mm."""
    nearest = np.full(len(points), np.inf)
    for curve in curves:
        for low, high in itertools.pairwise(stretches(curve)):
            at = np.linspace(low, high, 2 if isinstance(curve, Line) else _PLACES)
            places, _ = places_and_ways(curve, at)
            best = np.linalg.norm(points[:, None] - places[None], axis=2).argmin(axis=1)
            first, last = at[np.maximum(best - 1, 0)], at[np.minimum(best + 1, len(at) - 1)]
            nearest = np.minimum(nearest, distances_within(curve, points, first, last))
    return nearest


def distances_within(curve: Curve, points: Points, first: Points, last: Points) -> Points:
    """(k,): of each point (k, 2) to a stretch of a curve, short enough that one foot at most lies on it.

    first, last: (k,) its parameters, for each point.
    """
    for _ in range(_HALVINGS):
        middle = 0.5 * (first + last)
        here, way = places_and_ways(curve, middle)
        ahead = np.einsum("ij,ij->i", points - here, way) > 0.0
        first, last = np.where(ahead, middle, first), np.where(ahead, last, middle)
    found, _ = places_and_ways(curve, 0.5 * (first + last))
    return np.asarray(np.linalg.norm(points - found, axis=1))
