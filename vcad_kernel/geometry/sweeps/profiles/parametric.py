"""Closed curves that are known by points in order: a spline through as few of them as keep it near to all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.sweeps.profiles.curves import distances_within
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId, Vec2
from vcad_kernel.operations.profiles.curve_profiles import CurveProfile
from vcad_kernel.operations.profiles.sketches import Spline
from vcad_kernel.operations.profiles.splines import through

__all__ = ["fitted_curve"]

_STEPS = (32, 16, 8, 4, 2)
"""Every so manieth point is on the spline; the others say how near it is to them."""
_SPARE = 2.0
"""Between points it may be as much farther."""
_SMOOTH = 0.1
"""Degrees for each step: where the end turns by less into the start, the curve goes on smoothly there."""


def fitted_curve(document: Document, node: NodeId) -> tuple[Spline, float]:
    """The border of a `CurveProfile`, and how far it may be off, mm.

    Raises: GeometryError INVALID_PARAMETER where points are too few for its error.
    """
    value = document.nodes[node]
    assert isinstance(value, CurveProfile)
    spline, off = _fitted(value.points, value.error)
    if off > value.error:
        raise geometry_error(
            document,
            node,
            "INVALID_PARAMETER",
            f"the curve cannot be fitted within {value.error:g} mm, only within {off:.2g} mm",
            argument="error",
            fix="allow a larger :error, or draw a curve that has corners in pieces, with outline",
        )
    return spline, off


@lru_cache(maxsize=16)
def _fitted(points: tuple[Vec2, ...], error: float) -> tuple[Spline, float]:
    ends = _directions(points)
    every = np.array(points)
    for step in _STEPS:
        if len(points) <= 4 * step:
            continue
        kept = np.append(np.arange(0, len(points) - step // 2 - 1, step), len(points) - 1)
        spline = through([points[at] for at in kept.tolist()], *ends)
        # where each point would lie between the knots, of which the first and the last are there four times
        breaks = np.array(spline.knots[3:-3])
        span = np.clip(np.searchsorted(kept, np.arange(len(points)), "right") - 1, 0, len(kept) - 2)
        off = _SPARE * float(distances_within(spline, every, breaks[span], breaks[span + 1]).max())
        if off <= error:
            break
    return spline, off


def _directions(points: Sequence[Vec2]) -> tuple[Vec2, Vec2]:
    """Where the curve begins and ends: the same where it goes on smoothly, by differences of fourth order."""
    across = [_difference([*points[-3:-1], *points[:3]], (1.0, -8.0, 0.0, 8.0, -1.0))]
    ahead = _difference(points[:5], (-25.0, 48.0, -36.0, 16.0, -3.0))
    behind = _difference(points[:-6:-1], (25.0, -48.0, 36.0, -16.0, 3.0))
    turn = math.degrees(
        math.atan2(behind[0] * ahead[1] - behind[1] * ahead[0], behind[0] * ahead[0] + behind[1] * ahead[1])
    )
    return (across[0], across[0]) if abs(turn) <= _SMOOTH else (ahead, behind)


def _difference(points: Sequence[Vec2], weights: Sequence[float]) -> Vec2:
    u, v = (
        sum(weight * point[axis] for weight, point in zip(weights, points, strict=True)) for axis in (0, 1)
    )
    return u, v
