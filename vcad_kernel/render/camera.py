"""A fixed camera for a still picture: standard views, orthographic, fitted to what it looks at.

Screen coordinates are pixels, x to the right and y downwards from the upper left corner, pixel
centres at half numbers; depth is millimetres away from the viewer. Z is up in the model. The
isometric direction is that of the interactive view, so that both show the same side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vcad_kernel.geometry.tri_mesh import FloatArray

__all__ = ["MARGIN", "VIEWS", "Camera"]

VIEWS: Mapping[str, tuple[float, float, float]] = {
    "iso": (1.0, -1.0, 0.8),
    "front": (0.0, -1.0, 0.0),
    "back": (0.0, 1.0, 0.0),
    "right": (1.0, 0.0, 0.0),
    "left": (-1.0, 0.0, 0.0),
    "top": (0.0, 0.0, 1.0),
    "bottom": (0.0, 0.0, -1.0),
}
"""Direction from the model to the camera, by name (any length)."""

MARGIN = 0.86
"""Share of the picture that a fitted model may take, in both directions."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """An orthographic camera."""

    axes: FloatArray
    """(3, 3) rows: right, up and towards the viewer, unit vectors of the model."""
    center: FloatArray
    """(3,) the point in the middle of the picture, millimetres."""
    scale: float
    """Pixels per millimetre."""
    width: int
    height: int

    @classmethod
    def fit(
        cls,
        points: FloatArray,
        view: str,
        width: int,
        height: int,
        *,
        left: int = 0,
        share: float = MARGIN,
    ) -> Camera:
        """The camera of a standard view that shows all points (n, 3), n ≥ 1, with a margin.

        left: pixels to leave free at the left side. share: of the picture that the points take at most.
        Raises ValueError for a view that is not in `VIEWS`.
        """
        if view not in VIEWS:
            raise ValueError(f"there is no view {view!r}; views are {', '.join(VIEWS)}")
        axes = _axes(VIEWS[view])
        seen = points @ axes.T
        low, high = seen.min(axis=0), seen.max(axis=0)
        extent = np.maximum(high - low, 1e-9)
        scale = float(share * min((width - left) / extent[0], height / extent[1]))
        middle = (low + high) / 2 - np.array([left / 2 / scale, 0.0, 0.0])
        return cls(axes, middle @ axes, scale, width, height)

    @property
    def toward(self) -> FloatArray:
        """Unit vector to the viewer."""
        return np.asarray(self.axes[2])

    def project(self, points: FloatArray) -> FloatArray:
        """(…, 3) screen x, screen y and depth of points (…, 3)."""
        seen = (points - self.center) @ self.axes.T
        seen *= np.array([self.scale, -self.scale, -1.0])
        seen += np.array([self.width / 2, self.height / 2, 0.0])
        return np.asarray(seen)


def _axes(direction: tuple[float, float, float]) -> FloatArray:
    """Right, up and towards the viewer; straight views from above and below keep X to the right."""
    toward = np.array(direction) / np.linalg.norm(direction)
    sideways = np.array([-toward[1], toward[0], 0.0])
    length = float(np.linalg.norm(sideways))
    right = sideways / length if length > 0 else np.array([1.0, 0.0, 0.0])
    return np.stack([right, np.cross(toward, right), toward])
