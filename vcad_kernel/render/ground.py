"""What stands around the parts: the grid on the ground and the axes in the corner, as lines.

Makes segments and colours; `lines` draws them. Lengths are millimetres unless pixels are named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tri_mesh import FloatArray
from vcad_kernel.render.camera import Camera
from vcad_kernel.render.raster import rasterise

__all__ = [
    "CORNER",
    "EMPTY_BOUNDS",
    "Strokes",
    "grid_step",
    "ground_grid",
    "ground_height",
    "nice_step",
    "shadow",
    "tripod",
]

Color = tuple[float, float, float]

_MINOR: Color = (0.80, 0.83, 0.86)
_MAJOR: Color = (0.66, 0.70, 0.75)
_RED: Color = (0.80, 0.22, 0.22)
_GREEN: Color = (0.22, 0.58, 0.24)
_BLUE: Color = (0.20, 0.38, 0.80)

EMPTY_BOUNDS: FloatArray = np.array([[-50.0, -50.0, 0.0], [50.0, 50.0, 50.0]])
"""What is shown where there is no part: enough ground to see where the first one will stand."""
_SHADOW_CELL = 2
"""Pixels: the shadow is too soft to need finer ones."""
CORNER = 84
"""Side of the square in the lower left corner that the axes take, pixels."""
_CELLS = 12
"""Minor cells along the longer side of the parts, before rounding to a step people count in."""
_PIECES = 24
"""Pieces of a grid line, so that it can fade along its way."""
_ARM = 30.0
"""Length of the corner axes, pixels."""
_LETTER = 9.0
"""Pixels from an axis's tip to the middle of its letter."""
_LETTER_HEIGHT = 4.0
"""Half of it, pixels."""
_CLEAR = 2.0
"""Pixels between a letter and the edge of the picture."""

_LETTERS = (
    np.array([((-1, -1), (1, 1)), ((-1, 1), (1, -1))]),
    np.array([((-1, 1), (0, 0)), ((1, 1), (0, 0)), ((0, 0), (0, -1))]),
    np.array([((-1, 1), (1, 1)), ((1, 1), (-1, -1)), ((-1, -1), (1, -1))]),
)
"""X, Y and Z: strokes on a square of side 2, up positive."""


@dataclass(frozen=True, slots=True, eq=False)
class Strokes:
    """Lines of one colour."""

    segments: FloatArray
    """(k, 2, 3) screen points."""
    strength: FloatArray
    """(k, 2) opacity at the ends."""
    color: Color
    thickness: float
    """Pixels."""


def ground_height(bounds: FloatArray) -> float:
    """Height of the ground under parts in this box (2, 3).

    That is Z = 0 where they stand on it or float above, and their lowest point where they reach
    below, since a grid through the middle of a part hides it; or where 0 is far away.
    """
    low = float(bounds[0, 2])
    size = float((bounds[1] - bounds[0]).max())
    return 0.0 if 0.0 <= low <= size else low


def grid_step(bounds: FloatArray) -> float:
    """Millimetres from one line of the grid under parts in this box (2, 3) to the next."""
    return nice_step((float((bounds[1] - bounds[0]).max()) or 1.0) / _CELLS)


def ground_grid(bounds: FloatArray, camera: Camera) -> Iterator[Strokes]:
    """The lines of a two-level grid around the parts; it fades before it ends."""
    height = ground_height(bounds)
    center = bounds.mean(axis=0)[:2]
    extent = bounds[1] - bounds[0]
    longest = float(extent.max()) or 1.0
    step = grid_step(bounds)
    # A tall slim part still stands on some ground.
    radius = 0.95 * max(float(np.hypot(extent[0], extent[1])), 0.6 * longest)
    per_major = 5 if f"{step:e}".startswith("2") else 10
    minor: list[FloatArray] = []
    major: list[FloatArray] = []
    for axis in (0, 1):
        first, last = np.ceil((center[axis] - radius) / step), np.floor((center[axis] + radius) / step)
        numbers = np.arange(float(first), float(last) + 1)
        lines = _lines(axis, numbers * step, center, radius, height)
        is_major = numbers % per_major == 0
        minor.append(lines[~is_major].reshape(-1, 2, 3))
        major.append(lines[is_major].reshape(-1, 2, 3))
    for pieces, color, thickness in ((minor, _MINOR, 0.9), (major, _MAJOR, 1.0)):
        points = np.concatenate(pieces)
        if len(points):
            # fading towards the rim, the grid has no edge of its own
            away = np.linalg.norm(points[:, :, :2] - center, axis=2) / radius
            strength = np.clip((1.0 - away) / 0.5, 0.0, 1.0) * 0.75
            yield Strokes(camera.project(points), strength, color, thickness)


def shadow(
    points: FloatArray, triangles: NDArray[np.int64], bounds: FloatArray, camera: Camera
) -> NDArray[np.float32]:
    """(height, width) in 0..1: how much sky the parts hide from the ground, softly.

    points: (n, 3) millimetres; triangles: (m, 3) rows of them.
    """
    rows, columns = -(-camera.height // _SHADOW_CELL), -(-camera.width // _SHADOW_CELL)
    # light from straight above: every point falls onto the ground
    fallen = points.copy()
    fallen[:, 2] = ground_height(bounds)
    screen = camera.project(fallen)
    screen[:, :2] /= _SHADOW_CELL
    dark = (rasterise(screen, triangles, columns, rows).face >= 0).astype(np.float32)
    spread = max(1, round(0.03 * min(rows, columns)))
    # two box blurs are nearly a soft round one, at a cost that does not depend on their width
    for _ in range(2):
        for axis in (0, 1):
            dark = _blurred(dark, spread, axis)
    full = np.repeat(np.repeat(dark, _SHADOW_CELL, axis=0), _SHADOW_CELL, axis=1)
    return full[: camera.height, : camera.width]


def _blurred(values: NDArray[np.float32], reach: int, axis: int) -> NDArray[np.float32]:
    """The mean over 2·reach + 1 neighbours along an axis; nothing beyond the border."""
    pad = [(0, 0), (0, 0)]
    pad[axis] = (reach + 1, reach)
    running = np.cumsum(np.pad(values, pad), axis=axis, dtype=np.float32)
    size = values.shape[axis]
    width = 2 * reach + 1
    ahead = np.take(running, np.arange(width, width + size), axis=axis)
    behind = np.take(running, np.arange(size), axis=axis)
    return np.asarray((ahead - behind) / np.float32(width))


def tripod(camera: Camera) -> Iterator[Strokes]:
    """The directions of X, Y and Z in the lower left corner, nearest axis last."""
    ways = camera.axes[:2].T * np.array([1.0, -1.0])
    # an axis that points out of the corner's middle takes its letter beyond the edge of the picture
    beyond = max(0.0, (_ARM + _LETTER) * float(ways[:, 1].max()) + _LETTER_HEIGHT + _CLEAR - CORNER / 2)
    outside = max(0.0, (_ARM + _LETTER) * float(-ways[:, 0].min()) + _LETTER_HEIGHT + _CLEAR - CORNER / 2)
    origin = np.array([CORNER / 2 + outside, camera.height - CORNER / 2 - beyond])
    for axis in np.argsort(camera.axes[2]):
        color = (_RED, _GREEN, _BLUE)[axis]
        way = ways[axis]
        length = float(np.hypot(*way))
        if length < 0.1:
            continue  # the axis points at the viewer
        tip = origin + _ARM * way
        ahead = way / length
        aside = np.array([-ahead[1], ahead[0]])
        back = tip - 6.0 * ahead
        arrow = [(origin, tip), (tip, back + 2.6 * aside), (tip, back - 2.6 * aside)]
        yield _flat_strokes(np.array(arrow), color, 2.0)
        middle = tip + _LETTER * ahead
        letter = middle + np.array([3.2, -_LETTER_HEIGHT]) * _LETTERS[axis]
        yield _flat_strokes(letter, color, 1.4)


def _flat_strokes(lines: FloatArray, color: Color, thickness: float) -> Strokes:
    points = np.zeros((len(lines), 2, 3))
    points[:, :, :2] = lines
    return Strokes(points, np.ones((len(lines), 2)), color, thickness)


def _lines(axis: int, offsets: FloatArray, center: FloatArray, radius: float, height: float) -> FloatArray:
    """(n, pieces, 2, 3) grid lines at `offsets` along `axis`, each as long as its circle is wide there."""
    half = np.sqrt(np.maximum(radius**2 - (offsets - center[axis]) ** 2, 0.0))
    points = np.full((len(offsets), _PIECES + 1, 3), height)
    points[:, :, axis] = offsets[:, None]
    points[:, :, 1 - axis] = center[1 - axis] + np.linspace(-half, half, _PIECES + 1, axis=1)
    return np.stack([points[:, :-1], points[:, 1:]], axis=2)


def nice_step(length: float) -> float:
    """The smallest of 1, 2 or 5 times a power of ten that is at least `length` (> 0)."""
    power = 10.0 ** floor(log10(length))
    for factor in (1.0, 2.0, 5.0, 10.0):
        step = float(f"{factor * power:.6g}")
        # A length that is a nice step itself may stand a rounding error above it.
        if length <= step * (1 + 1e-9):
            return step
    return 10.0 * power
