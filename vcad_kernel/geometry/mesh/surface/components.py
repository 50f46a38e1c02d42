"""Connected components of a graph given as pairs; of many, without a Python loop over them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["connected"]

_FEW = 256
"""Pairs up to which a loop over them takes less time than the first of numpy's passes."""


def connected(count: int, a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.int64]:
    """(count,) labels 0, 1, … of the components of vertices 0..count-1 with edges a[i]–b[i].

    Components are numbered by their lowest vertex.
    """
    if len(a) <= _FEW:
        return _of_few(count, a.tolist(), b.tolist())
    lowest = np.arange(count)
    while True:
        first, second = lowest[a], lowest[b]
        apart = first != second
        if not np.any(apart):
            break
        first, second = first[apart], second[apart]
        # hook the larger root of each edge to the smaller one …
        smaller = np.minimum(first, second)
        np.minimum.at(lowest, first, smaller)
        np.minimum.at(lowest, second, smaller)
        # … and shorten all paths to the roots, until no edge connects two of them
        while True:
            shorter = lowest[lowest]
            if np.array_equal(shorter, lowest):
                break
            lowest = shorter
    return np.unique(lowest, return_inverse=True)[1].astype(np.int64).reshape(-1)


def _of_few(count: int, a: list[int], b: list[int]) -> NDArray[np.int64]:
    """As :func:`connected`, pair by pair."""
    lower = list(range(count))
    for first, second in zip(a, b, strict=True):
        while lower[first] != first:
            lower[first] = first = lower[lower[first]]
        while lower[second] != second:
            lower[second] = second = lower[lower[second]]
        if first < second:
            lower[second] = first
        else:
            lower[first] = second
    labels, number = list(range(count)), 0
    for vertex, below in enumerate(lower):
        # what is below has its label already
        if below == vertex:
            labels[vertex], number = number, number + 1
        else:
            labels[vertex] = labels[below]
    return np.array(labels, np.int64)
