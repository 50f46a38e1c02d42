"""Where there is room in a picture for something to be written.

A picture is looked at in squares of a few pixels: of each it is known whether a part shows there, and whether
something has been written there. All places are pixels, x to the right and y downwards.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tri_mesh import FloatArray
from vcad_kernel.render.sight import BORDER, NOTHING, Sight

__all__ = ["Plate", "Room"]

_SQUARE: Final = 4
"""Side of a square, pixels."""

Plate: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom, pixels."""
_Mask = NDArray[np.bool_]


class Room:
    """The room that a picture has left; what is written is taken off."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        squares = _squares(sight.part)
        self._covered = (squares != NOTHING).any(axis=(1, 3))
        first = squares[:, :1, :, :1]
        self._parts = np.where((squares == first).all(axis=(1, 3)), first[:, 0, :, 0], BORDER)
        self._taken = np.zeros_like(self._covered)

    def take(self, plate: Plate) -> None:
        """Nothing else is to be written here."""
        left, top, right, bottom = plate
        columns = slice(max(0, int(left // _SQUARE)), max(0, int(-(-right // _SQUARE))))
        rows = slice(max(0, int(top // _SQUARE)), max(0, int(-(-bottom // _SQUARE))))
        self._taken[rows, columns] = True

    def take_line(self, start: FloatArray, end: FloatArray) -> None:
        """Nothing is to be written over this line."""
        steps = max(2, int(np.linalg.norm(end - start) / _SQUARE) + 2)
        points = start + np.linspace(0.0, 1.0, steps)[:, None] * (end - start)
        rows, columns = (points[:, 1] // _SQUARE).astype(int), (points[:, 0] // _SQUARE).astype(int)
        height, width = self._taken.shape
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        self._taken[rows[inside], columns[inside]] = True

    def is_free(self, plate: Plate) -> bool:
        """Whether the plate lies inside the picture and nothing is written there, be there a part or not."""
        left, top, right, bottom = plate
        height, width = self._sight.part.shape
        if left < 0 or top < 0 or right > width or bottom > height:
            return False
        rows = slice(int(top // _SQUARE), int(-(-bottom // _SQUARE)))
        columns = slice(int(left // _SQUARE), int(-(-right // _SQUARE)))
        return not bool(self._taken[rows, columns].any())

    def within(self, numbers: frozenset[int], width: float, height: float) -> FloatArray | None:
        """(2,) middle of a plate of this size wholly on what is seen of these parts; None: there is no room.

        Of all places the one nearest to the middle of what is seen.
        """
        shown = self._shows(numbers)
        if not shown.any():
            return None
        middle = np.argwhere(shown).mean(axis=0) + 0.5
        return self._nearest(shown & ~self._taken, middle, width, height)

    def beside(self, at: FloatArray, width: float, height: float) -> FloatArray:
        """(2,) middle of a plate of this size near a point, on paper if there is any, on nothing written.

        In a picture that is full of writing, the point itself.
        """
        near = np.array([at[1], at[0]]) / _SQUARE
        for allowed in (~self._taken & ~self._covered, ~self._taken):
            place = self._nearest(allowed, near, width, height)
            if place is not None:
                return place
        return np.asarray(at)

    def deepest(self, numbers: frozenset[int]) -> FloatArray | None:
        """(2,) a point well inside of what is seen of these parts, to be pointed at; None: nothing is."""
        shown = self._shows(numbers)
        place = _deepest(shown)
        if place is not None:
            return place * _SQUARE
        return _deepest(self._sight.of_parts(numbers))  # no square is full of it

    def _shows(self, numbers: frozenset[int]) -> _Mask:
        """The squares that show these parts and nothing else."""
        return np.asarray(np.isin(self._parts, list(numbers)))

    def _nearest(self, allowed: _Mask, to: FloatArray, width: float, height: float) -> FloatArray | None:
        """Middle of the plate on allowed squares whose middle is nearest to (row, column) in squares."""
        rows, columns = int(-(-height // _SQUARE)), int(-(-width // _SQUARE))
        places = np.argwhere(_fits(allowed, rows, columns))
        if not len(places):
            return None
        middles = places + np.array([rows, columns]) / 2
        # a short way up or down is shorter to the eye than the same to the side, where texts are long
        row, column = middles[np.linalg.norm((middles - to) * np.array([1.0, 0.8]), axis=1).argmin()]
        return np.array([column * _SQUARE, row * _SQUARE])


def _squares(pixels: NDArray[np.int32]) -> NDArray[np.int32]:
    """(rows, side, columns, side) the pixels by squares; beyond the picture there is nothing free."""
    height, width = pixels.shape
    high, wide = -(-height // _SQUARE), -(-width // _SQUARE)
    padded = np.full((high * _SQUARE, wide * _SQUARE), BORDER, np.int32)
    padded[:height, :width] = pixels
    return padded.reshape(high, _SQUARE, wide, _SQUARE)


def _deepest(mask: _Mask) -> FloatArray | None:
    """(2,) x and y of a point with much of the mask around it, near to its middle; None: it is empty."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    corner = np.array([rows[0], columns[0]])
    mask = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    middle = np.argwhere(mask).mean(axis=0)
    # squares of doubling size: the largest that fits leads to the places deepest inside
    best, reach, step = mask, 0, 1
    while (wider := _fits(mask, 2 * step + 1, 2 * step + 1)).any():
        best, reach, step = wider, step, 2 * step
    places = np.argwhere(best) + reach
    row, column = corner + places[np.linalg.norm(places - middle, axis=1).argmin()]
    return np.array([column + 0.5, row + 0.5])


def _fits(allowed: _Mask, rows: int, columns: int) -> _Mask:
    """Where the upper left corner of so many rows and columns may lie, so that all of them are allowed."""
    if rows > allowed.shape[0] or columns > allowed.shape[1]:
        return np.zeros((0, 0), bool)
    total = np.zeros((allowed.shape[0] + 1, allowed.shape[1] + 1), np.int64)
    # summed-area table: the forbidden squares under a plate, from its four corners
    total[1:, 1:] = (~allowed).cumsum(axis=0).cumsum(axis=1)
    inside = (
        total[rows:, columns:] - total[:-rows, columns:] - total[rows:, :-columns] + total[:-rows, :-columns]
    )
    return np.asarray(inside == 0)
