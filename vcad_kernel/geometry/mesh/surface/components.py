"""Connected components of a graph given as pairs, without a Python loop over its edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["connected"]


def connected(count: int, a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.int64]:
    """(count,) labels 0, 1, … of the components of vertices 0..count-1 with edges a[i]–b[i].

    Components are numbered by their lowest vertex.
    """
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
