"""Rows of numbers as text, written by numpy a whole column at a time.

Python formats a float in about 0.5 µs, and a mesh of 100 000 triangles holds half a million
numbers; digit columns are some twenty times quicker. Knows arrays and bytes, no file format.

A row is laid out with one byte for every character it might need, absent ones left 0, and the
zeros are squeezed out at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["decimals_for", "fixed_rows", "integer_rows", "padded_rows"]

_Bytes = NDArray[np.uint8]

_LARGEST = 2.0**62
"""Scaled values must fit an int64."""
_LEAST_DECIMALS = 6
"""1e-6 mm, the accuracy of the kernels."""
_SIGNIFICANT = 9
"""Digits that distinguish any two single-precision numbers, kept even for minute parts."""


def decimals_for(values: NDArray[np.float64]) -> int:
    """How many decimals keep coordinates true: 6, and more when all of them are tiny."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0:
        return _LEAST_DECIMALS
    return min(12, max(_LEAST_DECIMALS, _SIGNIFICANT - 1 - int(np.floor(np.log10(largest)))))


def fixed_rows(
    values: NDArray[np.floating], decimals: int, *, head: bytes = b"", gap: bytes = b" ", end: bytes = b"\n"
) -> bytes:
    """Each row of an (n, k) array as ``head v1 gap v2 … end``, without needless zeros.

    decimals: digits after the point at most; values are rounded to them.
    Raises ValueError for a value that is not finite or too large for fixed notation.
    """
    exact = np.asarray(values, np.float64)
    if not np.isfinite(exact).all() or np.abs(exact).max(initial=0.0) * 10.0**decimals >= _LARGEST:
        raise ValueError("a coordinate is not finite, or too large to write")
    scaled = np.rint(exact * 10.0**decimals).astype(np.int64)
    return _rows([_fixed(scaled[:, column], decimals) for column in range(scaled.shape[1])], head, gap, end)


def padded_rows(
    scaled: NDArray[np.int64], decimals: int, *, head: bytes, gaps: Sequence[bytes], end: bytes
) -> bytes:
    """Each row of an (n, k) array of multiples of 10**-decimals, with all decimals; 0 is one digit alone."""
    cells = [_fixed(scaled[:, column], decimals, padded=True) for column in range(scaled.shape[1])]
    return _rows(cells, head, gaps, end)


def integer_rows(
    columns: Sequence[NDArray[np.integer]],
    *,
    head: bytes = b"",
    gaps: Sequence[bytes],
    end: bytes = b"\n",
) -> bytes:
    """Equally long columns of non-negative integers as rows; ``gaps[i]`` follows column i."""
    cells = [_fixed(column.astype(np.int64), 0) for column in columns]
    return _rows(cells, head, list(gaps), end)


def _fixed(scaled: NDArray[np.int64], decimals: int, *, padded: bool = False) -> _Bytes:
    """(n, width) characters of scaled / 10**decimals; 0 where a row needs fewer.

    padded: whether numbers other than 0 keep the zeros at their end.
    """
    rest = np.abs(scaled)
    whole = max(1, len(str(int(rest.max(initial=0)))) - decimals)
    point = 1 + whole
    cell = np.zeros((len(scaled), point + (1 + decimals if decimals else 0)), np.uint8)
    cell[scaled < 0, 0] = ord("-")
    if decimals:
        shown = (rest != 0) if padded else np.zeros(len(scaled), np.bool_)
        for place in range(point + decimals, point, -1):
            higher = rest // 10
            digit = rest - higher * 10
            shown |= digit != 0
            cell[:, place] = np.where(shown, digit + ord("0"), 0)
            rest = higher
        cell[:, point] = np.where(shown, ord("."), 0)
    for place in range(whole, 0, -1):
        higher = rest // 10
        digit = rest - higher * 10 + ord("0")
        cell[:, place] = digit if place == whole else np.where(rest > 0, digit, 0)
        rest = higher
    return cell


def _rows(cells: Sequence[_Bytes], head: bytes, gap: bytes | Sequence[bytes], end: bytes) -> bytes:
    """Join the cells of each row by constant text and drop the absent characters."""
    count = len(cells[0])
    gaps = [gap] * (len(cells) - 1) if isinstance(gap, bytes) else list(gap)
    pieces = [_constant(head, count)]
    for cell, after in zip(cells, [*gaps[: len(cells) - 1], end], strict=True):
        pieces += [cell, _constant(after, count)]
    laid_out = np.concatenate(pieces, axis=1).reshape(-1)
    return bytes(laid_out[laid_out != 0].tobytes())


def _constant(text: bytes, count: int) -> _Bytes:
    return np.broadcast_to(np.frombuffer(text, np.uint8), (count, len(text)))
