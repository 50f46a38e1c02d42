"""Outlines of a drawing put together: loose curves as chains, and areas by their rule of filling."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.sweeps.profiles.crossing import crosses_itself, signed_area
from vcad_kernel.geometry.sweeps.profiles.curves import (
    backwards,
    between,
    carried,
    outline_moments,
    places_and_ways,
    stretches,
)
from vcad_kernel.geometry.sweeps.profiles.nearness import box_of, encloses, meeting_place, self_meeting_place
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.numbers import LARGEST, LINEAR
from vcad_kernel.operations.profiles.sketches import Curve, Curves, Line, Outlines

__all__ = ["JOINED", "DrawingFault", "Outline", "apart", "chains", "filled", "joined"]

JOINED = 1e-4
"""Millimetres: ends no further apart are one point. Drawings hold coordinates of few digits."""
_CHORDS = 16
"""Of each smooth stretch of a curve, by which the size of an outline is estimated."""


class DrawingFault(Exception):
    """Why a drawing gives no profile."""

    def __init__(self, code: str, message: str, fix: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.fix = code, message, fix


class Outline(NamedTuple):
    """A closed chain."""

    name: str
    """What messages call it: ``path "lid"``."""
    curves: Curves
    points: NDArray[np.float64]
    """(n, 2): as a polygon."""


def joined(name: str, curves: Sequence[Curve]) -> Outline:
    """Curves that follow each other, end to start within `JOINED`, as a closed chain whose gaps are gone.

    Raises: DrawingFault SKETCH_NOT_CLOSED, SKETCH_DEGENERATE.
    """
    curves = [curve for curve in curves if not isinstance(curve, Line) or math.dist(*_ends(curve)) > JOINED]
    if not curves:
        raise DrawingFault("SKETCH_DEGENERATE", f"{name} has no size")
    gap = math.dist(curves[-1].end, curves[0].start)
    if gap > JOINED:
        (a, b), (c, d) = curves[0].start, curves[-1].end
        raise DrawingFault(
            "SKETCH_NOT_CLOSED",
            f"{name} is open: it runs from ({a:g}, {b:g}) to ({c:g}, {d:g})",
            "close it in the drawing, or leave it out there",
        )
    starts = [curve.start for curve in curves]
    placed = tuple(
        _ended(curve, start, end)
        for curve, start, end in zip(curves, starts, [*starts[1:], starts[0]], strict=True)
    )
    return Outline(name, placed, _polygon(name, placed))


def _ends(curve: Curve) -> tuple[Vec2, Vec2]:
    return curve.start, curve.end


def _ended(curve: Curve, start: Vec2, end: Vec2) -> Curve:
    """A curve turned and stretched by next to nothing, so that it keeps its kind and ends where it must."""
    if (start, end) == _ends(curve):
        return curve
    old, new = (complex(*b) - complex(*a) for a, b in (_ends(curve), (start, end)))
    if not isinstance(curve, Line) and abs(old) > JOINED:
        factor = new / old
        linear = np.array([[factor.real, -factor.imag], [factor.imag, factor.real]])
        curve = carried(curve, np.column_stack([linear, start - linear @ curve.start]))
    return between(curve, start, end)


def _polygon(name: str, curves: Curves) -> NDArray[np.float64]:
    """Raises: DrawingFault; SKETCH_DEGENERATE for a chain that meets itself or encloses nothing."""
    points = np.vstack([_chords(curve, _CHORDS) for curve in curves])
    if not np.abs(points).max() <= LARGEST:
        raise DrawingFault("IMPORT_FAILED", f"{name} reaches farther than {LARGEST:.0f} mm")
    straight = all(isinstance(curve, Line) for curve in curves)
    if crosses_itself(points) if straight else self_meeting_place(curves) is not None:
        raise DrawingFault("SKETCH_DEGENERATE", f"{name} meets itself", "mend it in the drawing")
    if abs(signed_area(points)) <= LINEAR * float(np.ptp(points, axis=0).max()):
        raise DrawingFault("SKETCH_DEGENERATE", f"{name} encloses no area")
    return points


def _chords(curve: Curve, count: int) -> NDArray[np.float64]:
    """(k, 2): its start and points on the way."""
    if isinstance(curve, Line):
        return np.array([curve.start])
    stops = itertools.pairwise(stretches(curve))
    at = np.concatenate([np.linspace(low, high, count, endpoint=False) for low, high in stops])
    return places_and_ways(curve, at)[0]


def chains(named: Iterable[tuple[str, Curve]]) -> list[Outline]:
    """Loose curves put together at their ends, whichever way round they were drawn.

    Raises: DrawingFault as `joined`, and SKETCH_NOT_CLOSED where other than two ends meet.
    """
    curves = list(named)
    whole = [joined(name, [curve]) for name, curve in curves if math.dist(*_ends(curve)) <= JOINED]
    loose = [(name, curve) for name, curve in curves if math.dist(*_ends(curve)) > JOINED]
    if not loose:
        return whole
    meeting = _meetings(loose)
    left = set(range(len(loose)))
    while left:
        first = min(left)
        left.remove(first)
        chain = [loose[first][1]]
        end = 2 * first + 1
        while True:
            other = meeting[end]
            at = other // 2
            if at == first:
                break
            left.remove(at)
            curve = loose[at][1]
            chain.append(backwards(curve) if other % 2 else curve)
            end = other ^ 1
        whole.append(joined(f"the outline from {loose[first][0]}", chain))
    return whole


def _meetings(loose: Sequence[tuple[str, Curve]]) -> dict[int, int]:
    """Which end meets which: 2 · k is the start of curve k, 2 · k + 1 its end."""
    places = np.array([point for _, curve in loose for point in _ends(curve)])
    cells: dict[tuple[int, int], list[int]] = {}
    keys = np.floor(places / JOINED).astype(np.int64)
    for at, (i, j) in enumerate(keys.tolist()):
        cells.setdefault((i, j), []).append(at)
    meeting: dict[int, int] = {}
    for at, (i, j) in enumerate(keys.tolist()):
        near = [
            other
            for across, up in itertools.product((-1, 0, 1), repeat=2)
            for other in cells.get((i + across, j + up), ())
            if other != at and math.dist(places[at], places[other]) <= JOINED
        ]
        if len(near) != 1:
            name, (u, v) = loose[at // 2][0], places[at]
            what = "ends" if not near else f"meets {len(near)} others"
            more = "nothing goes on from there" if not near else "one outline cannot go on two ways"
            raise DrawingFault(
                "SKETCH_NOT_CLOSED",
                f"{name} {what} at ({u:g}, {v:g}): {more}",
                "mend it in the drawing: two ends must meet at each corner, and no curve lie on another",
            )
        meeting[at] = near[0]
    return meeting


def apart(outlines: Sequence[Outline]) -> None:
    """Whether no two outlines touch or cross. Raises: DrawingFault SKETCH_DEGENERATE."""
    if not outlines:
        return
    lows, highs = _boxes(outlines)
    for at, first in enumerate(outlines):
        near = np.all((lows[at] <= highs[at + 1 :]) & (lows[at + 1 :] <= highs[at]), axis=1)
        for other in (at + 1 + np.flatnonzero(near)).tolist():
            second = outlines[other]
            place = meeting_place(first.curves, second.curves)
            if place is None:
                continue
            u, v = place
            raise DrawingFault(
                "SKETCH_DEGENERATE",
                f"{first.name} and {second.name} meet, near ({u:.3g}, {v:.3g})",
                "unite them in the drawing",
            )


def _boxes(outlines: Sequence[Outline]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n, 2) each: corners of boxes that hold the outlines."""
    boxes = [box_of(outline.curves) for outline in outlines]
    return np.array([low for low, _ in boxes]), np.array([high for _, high in boxes])


def filled(outlines: Sequence[Outline], *, odd: bool) -> list[Outlines]:
    """The areas that outlines fill: a border with its holes each.

    odd: what lies within an odd number of outlines is filled; else what outlines run round more often one
    way than the other.
    """
    if not outlines:
        return []
    areas = [float(outline_moments(outline.curves)[0]) for outline in outlines]
    lows, highs = _boxes(outlines)
    around = [
        [
            other
            for other in np.flatnonzero(np.all((lows <= highs[at]) & (highs >= lows[at]), axis=1)).tolist()
            if other != at
            and abs(areas[other]) > abs(areas[at])
            and encloses(outlines[other].curves, outline.curves[0].start)
        ]
        for at, outline in enumerate(outlines)
    ]
    winding = [sum(1 if areas[other] > 0.0 else -1 for other in others) for others in around]
    inner: list[int] = []
    borders: list[int] = []
    for at, outside in enumerate(winding):
        beyond = len(around[at]) % 2 == 1 if odd else outside != 0
        within = not beyond if odd else outside + (1 if areas[at] > 0.0 else -1) != 0
        if beyond is not within:
            (borders if within else inner).append(at)
    groups: dict[int, list[Curves]] = {at: [outlines[at].curves] for at in borders}
    for at in inner:
        owner = min((other for other in around[at] if other in groups), key=lambda other: abs(areas[other]))
        groups[owner].append(outlines[at].curves)
    return [tuple(group) for group in groups.values()]
