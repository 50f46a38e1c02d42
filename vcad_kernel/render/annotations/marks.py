"""What is pointed at in a picture: lines over everything, each with a word beside its middle.

    draw(parts, overlays=[marks([Mark("3", lines)])])

A mark is seen through what stands before it: who points at an edge wants it to be found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tri_mesh import FloatArray
from vcad_kernel.operations.node import Vec3
from vcad_kernel.render.annotations.lettering import CAPITAL, lay_text
from vcad_kernel.render.camera import Camera
from vcad_kernel.render.ground import Strokes
from vcad_kernel.render.picture import Overlay, lay_strokes
from vcad_kernel.render.sight import Sight

__all__ = ["MOST_WORDS", "Mark", "marks"]

MOST_WORDS: Final = 40
"""Marks that have their word written beside them: more hide what they point at."""
_COLOR: Final = (0.86, 0.18, 0.10)
_THICKNESS: Final = 3.0
"""Pixels."""
_CROSS: Final = 9.0
"""Pixels from the middle of a mark that is a point to the ends of its cross."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that is pointed at."""

    word: str
    lines: Sequence[Sequence[Vec3]]
    """The points of each, mm; a line of one point is a cross."""


def marks(pointed: Sequence[Mark]) -> Overlay:
    """Draws them in their order, and a word at the middle of each of the first."""

    def write(image: NDArray[np.float32], camera: Camera, _sight: Sight) -> None:
        segments = [_segments(line, camera) for mark in pointed for line in mark.lines if line]
        if segments:
            joined = np.concatenate(segments)
            lay_strokes(image, Strokes(joined, np.ones((len(joined), 2)), _COLOR, _THICKNESS), None)
        for mark in pointed[:MOST_WORDS]:
            if mark.word and mark.lines:
                x, y = _middle(mark, camera)
                lay_text(image, mark.word, x, y - 2 * CAPITAL, _COLOR)

    return write


def _segments(line: Sequence[Vec3], camera: Camera) -> FloatArray:
    """(k, 2, 3) on the screen."""
    seen = camera.project(np.array(line, float))
    if len(seen) > 1:
        return np.stack([seen[:-1], seen[1:]], axis=1)
    arms = np.array([[_CROSS, _CROSS, 0.0], [_CROSS, -_CROSS, 0.0]])
    return np.stack([seen[0] - arms, seen[0] + arms], axis=1)


def _middle(mark: Mark, camera: Camera) -> tuple[float, float]:
    """Where its word belongs: the mean of its points; of a bent line its middle one, which lies on it."""
    points = np.concatenate([np.array(line, float) for line in mark.lines if line])
    bent = len(mark.lines) == 1 and len(points) > 2
    x, y, _ = camera.project(points[len(points) // 2] if bent else points.mean(axis=0))
    return float(x), float(y)
