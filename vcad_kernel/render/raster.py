"""Which triangle each pixel shows: a z-buffer that fills whole arrays of scan lines at once.

Knows screen coordinates only (see `camera`). A triangle becomes one span per pixel row, a span its
pixels; triangles of any size go the same way, and no pixel outside them is ever touched.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tri_mesh import FloatArray

__all__ = ["Raster", "rasterise"]

_Ints = NDArray[np.int64]

_BATCH = 2_000_000
"""Pixels in flight: bounds the memory that many layers of large triangles would take."""


@dataclass(frozen=True, slots=True, eq=False)
class Raster:
    """The nearest surface behind each pixel centre."""

    depth: NDArray[np.float32]
    """(height, width) millimetres from the picture plane; infinite where nothing is."""
    face: NDArray[np.int32]
    """(height, width) the triangle's row, or -1."""


def rasterise(points: FloatArray, triangles: NDArray[np.integer], width: int, height: int) -> Raster:
    """Draw triangles (m, 3) over screen points (n, 3).

    Only front faces count: those that run counter-clockwise as the viewer sees them. Pixels on a
    common border belong to exactly one of the triangles. Of equally near ones the later wins.
    """
    depth = np.full(width * height, np.inf, np.float32)
    face = np.full(width * height, -1, np.int32)
    faces, corners = _facing(points, triangles)
    spans = _Spans.of(faces, corners, width, height)
    for part in spans.batches(_BATCH):
        pixel, far, triangle = part.pixels()
        # first the nearest depth of each pixel, then the triangle that has it
        np.minimum.at(depth, pixel, far)
        nearest = far == depth[pixel]
        face[pixel[nearest]] = triangle[nearest]
    return Raster(depth.reshape(height, width), face.reshape(height, width))


def _facing(points: FloatArray, triangles: NDArray[np.integer]) -> tuple[_Ints, FloatArray]:
    """Rows of the front faces that cross a row of pixel centres, and their corners (k, 3, 3)."""
    corners = points[triangles]
    x, y = corners[:, :, 0], corners[:, :, 1]
    # y points down, so what is counter-clockwise to the viewer has a negative area here.
    area = (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (y[:, 1] - y[:, 0])
    # the first row of pixel centres below a corner: where all corners have the same, no centre is crossed
    rows = np.ceil(y - 0.5)
    kept = np.flatnonzero((area < -1e-9) & (rows.min(axis=1) < rows.max(axis=1)))
    return kept, corners[kept]


@dataclass(frozen=True, slots=True, eq=False)
class _Spans:
    """Runs of pixels in one row, all of one triangle."""

    face: _Ints
    start: _Ints
    """Pixel number of the first pixel."""
    count: _Ints
    depth: FloatArray
    """At the first pixel's centre."""
    slope: FloatArray
    """Depth per pixel to the right."""

    @classmethod
    def of(cls, faces: _Ints, corners: FloatArray, width: int, height: int) -> _Spans:
        """The spans of triangles with these corners, clipped to the picture."""
        corners = np.take_along_axis(corners, np.argsort(corners[:, :, 1], axis=1)[:, :, None], axis=1)
        rows = np.clip(np.ceil(corners[:, :, 1] - 0.5), 0, height).astype(np.int64)
        count = rows[:, 2] - rows[:, 0]
        triangle = np.repeat(np.arange(len(faces)), count)
        row = np.arange(len(triangle)) + np.repeat(rows[:, 0] - (np.cumsum(count) - count), count)
        y = row + 0.5
        # From top to bottom one side runs all the way; the other bends at the middle corner. The
        # two triangles of an edge get the same numbers here, so they neither overlap nor gape.
        through = _sides(corners[:, 0], corners[:, 2]).take(triangle, axis=0)
        bend = np.stack([_sides(corners[:, 0], corners[:, 1]), _sides(corners[:, 1], corners[:, 2])], axis=1)
        bent = bend.reshape(-1, 2).take(2 * triangle + (row >= rows[:, 1].take(triangle)), axis=0)
        x_through = through[:, 0] * y + through[:, 1]
        x_bent = bent[:, 0] * y + bent[:, 1]
        first = np.clip(np.ceil(np.minimum(x_through, x_bent) - 0.5), 0, width).astype(np.int64)
        after = np.clip(np.ceil(np.maximum(x_through, x_bent) - 0.5), 0, width).astype(np.int64)
        shown = np.flatnonzero(after > first)
        triangle, first, y = triangle[shown], first[shown], y[shown]
        plane = _planes(corners).take(triangle, axis=0)
        return cls(
            faces[triangle],
            row[shown] * width + first,
            after[shown] - first,
            plane[:, 0] * (first + 0.5) + plane[:, 1] * y + plane[:, 2],
            plane[:, 0],
        )

    def batches(self, limit: int) -> list[_Spans]:
        """The same spans in order, in groups of about `limit` pixels."""
        if len(self.face) == 0:
            return []
        # spans in order, cut where the sum of their pixels passes a multiple of the limit
        number = (np.cumsum(self.count) - 1) // limit
        cuts = np.flatnonzero(np.diff(number)) + 1
        columns = [
            np.split(column, cuts) for column in (self.face, self.start, self.count, self.depth, self.slope)
        ]
        return [_Spans(*group) for group in zip(*columns, strict=True)]

    def pixels(self) -> tuple[_Ints, NDArray[np.float32], NDArray[np.int32]]:
        """Pixel number, depth and triangle of every pixel of every span."""
        ends = np.cumsum(self.count)
        begins = ends - self.count
        step = np.arange(int(ends[-1]))
        # `step` counts through the pixels of all spans; less the begin of its span it is the offset in there
        pixel = step + np.repeat(self.start - begins, self.count)
        depth = np.repeat(self.depth - begins * self.slope, self.count)
        depth += step * np.repeat(self.slope, self.count)
        return pixel, depth.astype(np.float32), np.repeat(self.face.astype(np.int32), self.count)


def _sides(upper: FloatArray, lower: FloatArray) -> FloatArray:
    """(k, 2) the lines x = a·y + b through two corners; never asked where they are level."""
    drop = lower[:, 1] - upper[:, 1]
    lean = (lower[:, 0] - upper[:, 0]) / np.where(drop > 0, drop, 1.0)
    return np.stack([lean, upper[:, 0] - lean * upper[:, 1]], axis=1)


def _planes(corners: FloatArray) -> FloatArray:
    """(k, 3) depth = a·x + b·y + c over the screen."""
    u = corners[:, 1] - corners[:, 0]
    v = corners[:, 2] - corners[:, 0]
    area = u[:, 0] * v[:, 1] - v[:, 0] * u[:, 1]
    a = (u[:, 2] * v[:, 1] - v[:, 2] * u[:, 1]) / area
    b = (u[:, 0] * v[:, 2] - v[:, 0] * u[:, 2]) / area
    return np.stack([a, b, corners[:, 0, 2] - a * corners[:, 0, 0] - b * corners[:, 0, 1]], axis=1)
