"""Texts in a picture: the font's outlines as shares of pixels, on a plate that keeps them readable.

Knows pixels only; what a text says and where it belongs is others' business. Characters that the font does
not have show as "?", so that a name in any script leaves room for its label.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.sweeps.profiles.lettering import letters
from vcad_kernel.operations.solids.text import font, unknown_characters

__all__ = ["CAPITAL", "lay_text", "plate_size", "text_share"]

CAPITAL: Final = 9.0
"""Height of capitals, pixels."""
_FINER: Final = 4
"""Samples per pixel and direction."""
_PIECES: Final = 6
"""Chords of a curved stroke."""
_PLATE: Final = 0.82
"""Share of white under a text."""
_PAD: Final = 3
"""Pixels of the plate around the text."""

_Image = NDArray[np.float32]
_Share = NDArray[np.float32]


@lru_cache(maxsize=256)
def text_share(text: str, capital: float = CAPITAL) -> _Share:
    """(height, width) in 0..1: how much of each pixel the text covers.

    Its base line lies a third of the capitals' height above the lower edge. capital: height of capitals, px.
    """
    for character in unknown_characters(text, font()):
        text = text.replace(character, "?")
    descent = capital / 3
    height = int(np.ceil(capital * 1.35 + descent))
    starts, ends = _segments(text, capital)
    if len(starts) == 0:
        return np.zeros((height, max(1, int(capital / 2))), np.float32)
    width = int(np.ceil(max(starts[:, 0].max(), ends[:, 0].max()))) + 1
    scale = np.array([_FINER, -_FINER])
    origin = np.array([0.0, (height - descent) * _FINER])
    # several samples to a pixel: the share of those inside is the grey of the rim
    filled = _filled(starts * scale + origin, ends * scale + origin, width * _FINER, height * _FINER)
    samples = filled.reshape(height, _FINER, width, _FINER)
    share: _Share = samples.mean(axis=(1, 3), dtype=np.float32)
    share.setflags(write=False)
    return share


def plate_size(text: str, capital: float = CAPITAL) -> tuple[int, int]:
    """Width and height that a text takes with its plate, pixels."""
    rows, columns = text_share(text, capital).shape
    return columns + 2 * _PAD, rows + _PAD


def lay_text(
    image: _Image,
    text: str,
    x: float,
    y: float,
    color: tuple[float, float, float],
    *,
    capital: float = CAPITAL,
) -> tuple[int, int, int, int]:
    """Write a text centred at a point of the picture, pushed inside where it would leave it.

    image: (height, width, 3) in 0..255, changed. color: in 0..1.
    Returns: left, top, right and bottom of its plate, pixels.
    """
    share = text_share(text, capital)
    height, width = image.shape[:2]
    columns, rows = plate_size(text, capital)
    left = int(np.clip(round(x - columns / 2), 0, max(0, width - columns)))
    top = int(np.clip(round(y - rows / 2), 0, max(0, height - rows)))
    plate = image[top : top + rows, left : left + columns]
    plate += _PLATE * (255.0 - plate)
    written = plate[1 : 1 + share.shape[0], _PAD : _PAD + share.shape[1]]
    seen = share[: written.shape[0], : written.shape[1], None]
    written += seen * (255 * np.array(color, np.float32) - written)
    return left, top, left + columns, top + rows


def _segments(text: str, capital: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(k, 2) starts and ends of straight pieces around the letters, up positive, pixels."""
    starts, ends = [np.empty((0, 2))], [np.empty((0, 2))]
    for letter in letters(text, capital):
        for contour in (letter.outline, *letter.holes):
            points = np.vstack(
                [stroke.points(1 if stroke.control is None else _PIECES) for stroke in contour]
            )
            starts.append(points)
            ends.append(np.roll(points, -1, axis=0))
    return np.concatenate(starts), np.concatenate(ends)


def _filled(
    starts: NDArray[np.float64], ends: NDArray[np.float64], columns: int, rows: int
) -> NDArray[np.bool_]:
    """(rows, columns): which sample centres lie inside, by how often the outline winds around them."""
    turns = np.zeros((rows, columns + 1), np.int32)
    middle = np.arange(rows) + 0.5
    for (x0, y0), (x1, y1) in zip(starts, ends, strict=True):
        # half-open, so that a corner between two pieces counts once
        crossed = np.flatnonzero((middle >= min(y0, y1)) & (middle < max(y0, y1)))
        if len(crossed):
            x = x0 + (middle[crossed] - y0) * (x1 - x0) / (y1 - y0)
            column = np.clip(np.ceil(x - 0.5), 0, columns).astype(np.int64)
            # counted at the crossing, summed up along the row: how often the outline winds about each sample
            turns[crossed, column] += 1 if y1 > y0 else -1
    return np.asarray(np.cumsum(turns, axis=1)[:, :columns] != 0)
