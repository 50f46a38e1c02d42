"""Smooth thin lines over a picture, hidden where a surface stands in front of them.

A line's coverage of a pixel follows from its distance to the pixel's centre, so lines are smooth
at any slope however coarse the z-buffer. Knows screen coordinates only (see `camera`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tri_mesh import FloatArray
from vcad_kernel.render.raster import Raster

__all__ = ["Occluder", "coverage"]

_Floats = NDArray[np.float32]

_BATCH = 400_000
"""Line-pixels in flight."""


@dataclass(frozen=True, slots=True, eq=False)
class Occluder:
    """What lines are tested against: a z-buffer `factor` times finer than the picture."""

    far: _Floats
    """(factor·height, factor·width) the farthest depth within one cell of each."""
    factor: int
    bias: float
    """Millimetres that a line may lie behind the surface and still show."""

    @classmethod
    def of(cls, raster: Raster, factor: int, bias: float) -> Occluder:
        """An occluder for lines that lie on the surfaces themselves.

        A line on a steep face is next to cells that stand before it, and a line on an outline
        next to the background; taking the farthest of the neighbours shows both in full.
        """
        far = raster.depth
        for ahead, behind in (np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1]):
            before, far = far, far.copy()
            np.maximum(far[ahead], before[behind], out=far[ahead])
            np.maximum(far[behind], before[ahead], out=far[behind])
        return cls(far, factor, bias)

    def shows(self, x: FloatArray, y: FloatArray, depth: FloatArray) -> NDArray[np.bool_]:
        """Whether points at picture coordinates x, y are in front of the surface."""
        height, width = self.far.shape
        column = np.clip(x * self.factor, 0, width - 1).astype(np.int64)
        row = np.clip(y * self.factor, 0, height - 1).astype(np.int64)
        return np.asarray(depth <= self.far[row, column] + self.bias)


def coverage(
    segments: FloatArray,
    width: int,
    height: int,
    *,
    thickness: float,
    occluder: Occluder | None = None,
    strength: FloatArray | None = None,
) -> _Floats:
    """(height, width) in 0..1: how much of each pixel the lines cover; crossings do not add up.

    segments: (k, 2, 3) screen points. thickness: pixels. strength: (k, 2) factors in 0..1 at the
    ends of each segment, for lines that fade.
    """
    covered = np.zeros(height * width, np.float32)
    reach = thickness / 2 + 0.5
    run = segments[:, 1, :2] - segments[:, 0, :2]
    length = np.hypot(run[:, 0], run[:, 1])
    inside = (segments[:, :, :2].max(axis=1) > -reach) & (
        segments[:, :, :2].min(axis=1) < np.array([width, height]) + reach
    )
    drawn = np.flatnonzero((length > 1e-3) & inside.all(axis=1))
    if strength is None:
        strength = np.ones((len(segments), 2))
    for group in np.array_split(drawn, max(1, int(length[drawn].sum() * 5) // _BATCH)):
        pixel, share = _touched(segments[group], strength[group], width, height, reach, occluder)
        np.maximum.at(covered, pixel, share)
    return covered.reshape(height, width)


def _touched(
    segments: FloatArray,
    strength: FloatArray,
    width: int,
    height: int,
    reach: float,
    occluder: Occluder | None,
) -> tuple[NDArray[np.int64], _Floats]:
    """Pixels near the segments and how much each covers of them."""
    start, run = segments[:, 0], segments[:, 1] - segments[:, 0]
    squared = run[:, 0] ** 2 + run[:, 1] ** 2
    steep = np.abs(run[:, 1]) > np.abs(run[:, 0])
    # Walk along the longer direction; across it a handful of pixels is enough.
    along = np.where(steep, 1, 0)
    pick = np.arange(len(segments))
    ends = segments[pick, :, along]
    limit = np.where(steep, height, width)
    first = np.clip(np.floor(ends.min(axis=1) - reach), 0, limit).astype(np.int64)
    after = np.clip(np.floor(ends.max(axis=1) + reach) + 1, 0, limit).astype(np.int64)
    count = np.maximum(after - first, 0)
    line = np.repeat(pick, count)
    u = np.arange(len(line)) + np.repeat(first - (np.cumsum(count) - count), count)
    # the line as v = middle + slope · u, u along the longer direction, where it is never steep
    slope = run[pick, 1 - along] / run[pick, along]
    middle = start[pick, 1 - along] + (-start[pick, along]) * slope
    # at most at 45° a band that reaches so far across is √2 times as high
    low = np.floor(middle[line] + (u + 0.5) * slope[line] - reach * np.sqrt(2.0))
    across = int(np.ceil(2 * reach * np.sqrt(2.0))) + 1
    line = np.repeat(line, across)
    u = np.repeat(u, across)
    v = np.repeat(low, across).astype(np.int64) + np.tile(np.arange(across), len(low))
    x = np.where(steep[line], v, u)
    y = np.where(steep[line], u, v)
    near = np.flatnonzero((x >= 0) & (x < width) & (y >= 0) & (y < height))
    line, x, y = line[near], x[near], y[near]
    # column by column, which takes less time than picking rows
    run_x, run_y = run[:, 0].take(line), run[:, 1].take(line)
    off_x, off_y = x + 0.5 - start[:, 0].take(line), y + 0.5 - start[:, 1].take(line)
    # distance to the nearest point of the segment, so that ends are round
    t = np.clip((off_x * run_x + off_y * run_y) / squared.take(line), 0.0, 1.0)
    gap = np.hypot(off_x - t * run_x, off_y - t * run_y)
    near = np.flatnonzero(gap < reach)
    line, t = line[near], t[near]
    # the pixel at the rim is covered in part: that smooths the line
    share = np.minimum(reach - gap[near], 1.0)
    begin, end = strength[:, 0].take(line), strength[:, 1].take(line)
    share *= begin + t * (end - begin)
    if occluder is not None:
        spot = [start[:, part].take(line) + t * run[:, part].take(line) for part in range(3)]
        share *= occluder.shows(*spot)
    return y[near] * width + x[near], share.astype(np.float32)
