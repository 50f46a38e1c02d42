"""Outlines of gears as points: flanks and arcs. What a tooth measures stands with the record."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.solids.gears import GearForm

__all__ = ["involute", "outline"]


def involute(form: GearForm, roll: NDArray[np.float64]) -> NDArray[np.float64]:
    """(k, 2) points of the right flank of the first tooth, the one below the X axis, root to tip."""
    angle = roll - form.half_base
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.asarray(form.base * np.column_stack([cosine + roll * sine, sine - roll * cosine]), np.float64)


def outline(form: GearForm, chord: float, sides: int) -> tuple[NDArray[np.float64], float]:
    """The whole outline as a counter-clockwise polygon (n, 2), and its deviation in millimetres.

    chord: largest distance wanted between flank and polygon. sides: of a full circle.
    """
    first, last = form.rolls()
    count = form.flank or _points_for(form, chord)
    rolls = np.linspace(first, last, count)
    flank = involute(form, rolls)
    if form.pointed:
        flank[-1] = (form.tip, 0.0)
    if form.start > form.root + LINEAR:
        angle = -form.half_angle(form.root)
        flank = np.vstack([[form.root * math.cos(angle), form.root * math.sin(angle)], flank])
    mirrored = flank[::-1] * (1.0, -1.0)
    parts = [flank, mirrored[1:] if form.pointed else mirrored]
    if not form.pointed:
        parts.insert(1, _inner_arc(form.tip, -form.half_angle(form.tip), sides))
    pitch = 2.0 * math.pi / form.teeth
    gap = pitch - 2.0 * form.half_angle(form.root)
    parts.append(_inner_arc(form.root, gap / 2.0, sides, middle=pitch / 2.0))
    tooth = np.vstack(parts)
    turns = [_turned(tooth, index, form.teeth) for index in range(form.teeth)]
    arcs = form.tip * (1.0 - math.cos(math.pi / sides))
    return np.vstack(turns), max(arcs, _flank_deviation(form, count))


def _inner_arc(radius: float, half: float, sides: int, middle: float = 0.0) -> NDArray[np.float64]:
    """Points of an arc about its middle angle without its ends."""
    half = abs(half)
    pieces = max(math.ceil(2.0 * half * sides / (2.0 * math.pi) - 1e-9), 1)
    angles = middle + half * np.linspace(-1.0, 1.0, pieces + 1)[1:-1]
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def _flank_deviation(form: GearForm, count: int) -> float:
    """Sagitta of a chord: the radius of curvature is base · roll, the speed the same."""
    first, last = form.rolls()
    step = (last - first) / (count - 1)
    return form.base * last * step**2 / 8.0


def _points_for(form: GearForm, chord: float) -> int:
    first, last = form.rolls()
    pieces = math.ceil((last - first) * math.sqrt(form.base * last / (8.0 * chord)))
    return min(max(pieces, 6), 256) + 1


def _turned(points: NDArray[np.float64], index: int, teeth: int) -> NDArray[np.float64]:
    # quarters are exact, so that the box of a gear of 4·k teeth is
    quarter, rest = divmod(4 * index, teeth)
    angle = 0.5 * math.pi * rest / teeth
    cosine, sine = math.cos(angle), math.sin(angle)
    for _ in range(quarter):
        cosine, sine = -sine, cosine
    return np.asarray(points @ np.array([[cosine, sine], [-sine, cosine]]))
