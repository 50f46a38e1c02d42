"""Outlines that may overlap, sorted into layers within which none do, so that layers can be united."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.sketches import Arc, Curve, Line, Outlines, Spline

__all__ = ["layered"]

_Box = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Its lowest and its highest corner."""


def layered(groups: Sequence[Outlines]) -> tuple[Outlines, ...]:
    """In as few layers as hold no two groups whose boxes meet; a layer of nothing where there are none.

    groups: outlines that belong together, a border and its holes.
    """
    layers: list[tuple[list[_Box], list[Outlines]]] = []
    for group in groups:
        points = np.array([point for outline in group for curve in outline for point in _around(curve)])
        box = (points.min(axis=0), points.max(axis=0))
        free = next((layer for layer in layers if not any(_meet(box, other) for other in layer[0])), None)
        if free is None:
            free = ([], [])
            layers.append(free)
        free[0].append(box)
        free[1].append(group)
    return tuple(tuple(outline for group in held for outline in group) for _, held in layers) or ((),)


def _meet(first: _Box, second: _Box) -> bool:
    return bool(np.all(first[0] <= second[1]) and np.all(second[0] <= first[1]))


def _around(curve: Curve) -> Iterator[Vec2]:
    """Points whose box holds a curve: at most some more than it."""
    if isinstance(curve, Spline):
        yield from curve.poles
        return
    yield from (curve.start, curve.end)
    if isinstance(curve, Line):
        return
    far = math.dist(curve.start, curve.center)
    reach = far if isinstance(curve, Arc) else math.hypot(*curve.major, *curve.minor)
    u, v = curve.center
    yield from ((u - reach, v - reach), (u + reach, v + reach))
