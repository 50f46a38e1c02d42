"""Cut surfaces marked as in a drawing: thin parallel lines at 45°, the other way round on the next part.

Knows pixels only; the caller says which surfaces are cuts (`section` makes them).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.render.camera import Camera
from vcad_kernel.render.picture import Overlay
from vcad_kernel.render.sight import BORDER, Sight

__all__ = ["hatched"]

_APART: Final = 9.0
"""Pixels from one line to the next, across, in a picture of ordinary size."""
_THICK: Final = 1.1
_INK: Final = (0.13, 0.15, 0.19)
_STRENGTH: Final = 0.75
_ORDINARY: Final = 640.0
"""Shorter side of a picture for which the distance is meant, pixels."""


def hatched(cuts: Iterable[int]) -> Overlay:
    """Hatches what is seen of these parts; one and the next get lines of opposite slope."""
    numbers = tuple(cuts)

    def draw(image: NDArray[np.float32], camera: Camera, sight: Sight) -> None:
        if not numbers:
            return
        apart = _APART * max(1.0, min(camera.width, camera.height) / _ORDINARY)
        ink = 255 * np.array(_INK, np.float32)
        # numbers of parts begin below 0, with what is no part
        slopes = np.zeros(max((*numbers, int(sight.part.max()))) - BORDER + 1, np.float32)
        slopes[[number - BORDER for number in numbers]] = np.resize([1.0, -1.0], len(numbers))
        slope = slopes[sight.part - BORDER]
        rows, columns = np.nonzero(slope)
        # distance from a diagonal through the corner; the nearest line of the pattern is `off` away
        across = (columns + slope[rows, columns] * rows) / np.sqrt(2.0)
        off = np.abs((across + apart / 2) % apart - apart / 2)
        share = np.clip(_THICK / 2 + 0.5 - off, 0.0, 1.0).astype(np.float32) * np.float32(_STRENGTH)
        pixels = image[rows, columns]
        image[rows, columns] = pixels + share[:, None] * (ink - pixels)

    return draw
