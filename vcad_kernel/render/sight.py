"""What a picture shows where: which part each pixel belongs to, for what is written and drawn over it.

Made by `picture`, read by `labels` and `hatching`. Parts are numbered as they were given to be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["BORDER", "NOTHING", "Sight"]

NOTHING: Final = -1
BORDER: Final = -2
"""A pixel in which several parts meet, or a part and the paper."""


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """The parts as they are seen."""

    part: NDArray[np.int32]
    """(height, width) number of the part that a pixel shows, NOTHING or BORDER."""
    seen: frozenset[int]
    """Numbers of all parts of which something shows, be it less than a pixel."""

    @classmethod
    def of(cls, owner: NDArray[np.int32], finer: int) -> Sight:
        """From a picture that is finer in both directions: (finer·height, finer·width) part numbers."""
        first = owner[::finer, ::finer]
        same = np.ones(first.shape, bool)
        for row in range(finer):
            for column in range(finer):
                same &= owner[row::finer, column::finer] == first
        seen = np.unique(owner)
        part = np.where(same, first, BORDER).astype(np.int32)
        return cls(part, frozenset(int(number) for number in seen if number != NOTHING))

    @classmethod
    def empty(cls, width: int, height: int) -> Sight:
        """Nothing but paper."""
        return cls(np.full((height, width), NOTHING, np.int32), frozenset())

    def of_parts(self, numbers: frozenset[int]) -> NDArray[np.bool_]:
        """(height, width): which pixels show one of these parts and nothing else."""
        mask = np.zeros(self.part.shape, bool)
        for number in numbers:
            mask |= self.part == number
        return mask
