"""Where the camera stands: standard views, and fitting a box into the picture.

Pure functions over numbers. Does not know widgets or scenes. Lengths are millimetres, Z is up,
and one `Pose` serves both projections, so that switching between them keeps the picture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import radians, sqrt, tan
from typing import Literal

import numpy as np

from vcad_kernel.geometry.tri_mesh import FloatArray

__all__ = [
    "FIELD_OF_VIEW",
    "VIEWS",
    "Pose",
    "Projection",
    "Quaternion",
    "Vector",
    "ViewName",
    "clip_range",
    "distance_of",
    "fit",
    "half_height_at",
    "orientation",
    "vector",
]

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
"""x, y, z, w."""
Projection = Literal["perspective", "orthographic"]
ViewName = Literal["iso", "front", "back", "left", "right", "top", "bottom"]

FIELD_OF_VIEW = 30.0
"""Degrees, vertical. Longer than a camera's usual lens, so that boxes look like boxes."""

VIEWS: dict[ViewName, Vector] = {
    "iso": (1.0, -1.0, 0.8),
    "front": (0.0, -1.0, 0.0),
    "back": (0.0, 1.0, 0.0),
    "left": (-1.0, 0.0, 0.0),
    "right": (1.0, 0.0, 0.0),
    # Looking straight down or up leaves "up" undefined; a hair towards the front makes it +Y, or -Y.
    "top": (0.0, -1e-4, 1.0),
    "bottom": (0.0, -1e-4, -1.0),
}
"""Direction from the target to the camera (any length)."""

_MARGIN = 1.12
"""Room around a fitted box, as a factor on its size in the picture."""
_NEAR, _FAR = 1e-3, 100.0
"""Clipping planes, as factors on the size of the scene."""

_CORNERS = np.array(list(np.ndindex(2, 2, 2)))
"""(8, 3) for each corner of a box whether it is low or high along each axis."""


@dataclass(frozen=True, slots=True)
class Pose:
    """A camera that looks from `position` at `target`, +Z upwards in the picture."""

    position: Vector
    target: Vector

    @property
    def offset(self) -> FloatArray:
        """(3,) from the target to the camera."""
        return np.subtract(self.position, self.target)

    @property
    def distance(self) -> float:
        """From the camera to its target."""
        return float(np.linalg.norm(self.offset))

    @property
    def direction(self) -> Vector:
        """Unit vector from the target to the camera; that of the isometric view when they coincide."""
        return _unit(self.offset)

    def at_distance(self, distance: float) -> Pose:
        """The same view from nearer or farther."""
        moved = np.add(self.target, np.multiply(self.direction, distance))
        return replace(self, position=vector(moved))


def fit(bounds: FloatArray, direction: Vector, aspect: float, projection: Projection) -> Pose:
    """The pose from `direction` that shows the whole box (2, 3), centred, with a margin, and no smaller.

    aspect: width by height of the picture. The target is where the middle of the picture passes the
    middle of the box. For the orthographic projection the distance is the one at which a
    perspective camera would see the same height.
    """
    center = bounds.mean(axis=0)
    toward = np.asarray(_unit(np.asarray(direction)))
    right, up = _picture_axes(toward)
    offset = bounds[_CORNERS, (0, 1, 2)] - center
    depth = offset @ toward if projection == "perspective" else np.zeros(len(offset))
    slope = tan(radians(FIELD_OF_VIEW / 2)) / _MARGIN
    # A camera moved sideways by s at distance d sees a corner at sideways position c and depth w when
    # |c - s| ≤ (d - w)·slope. The extreme corners on either side give the least d for which some s does.
    distance = 1e-3
    if projection == "perspective":
        # A needle seen end-on stays beyond the near plane, see `clip_range`.
        diagonal = float(np.linalg.norm(bounds[1] - bounds[0]))
        distance = max(distance, float(depth.max()) + 2 * _NEAR * diagonal)
    for axis, spread in ((right, slope * aspect), (up, slope)):
        above = float((offset @ axis + depth * spread).max())
        below = float((depth * spread - offset @ axis).max())
        distance = max(distance, (above + below) / 2 / spread)
    away = distance - depth
    target = center + right * _middle(offset @ right, away) + up * _middle(offset @ up, away)
    return Pose(vector(target + toward * distance), vector(target))


def _middle(across: FloatArray, away: FloatArray) -> float:
    """How far sideways the camera stands for as much room on one side of the picture as on the other.

    across, away: of points sideways and from the camera. Of two points that are seen as far from the
    middle, on either side, it divides their distance as their depths do; the two for which that is the
    farthest decide.
    """
    seen = np.subtract.outer(across, across) / np.add.outer(away, away)
    i, j = np.unravel_index(int(np.argmax(seen)), seen.shape)
    return float((across[i] * away[j] + across[j] * away[i]) / (away[i] + away[j]))


def half_height_at(distance: float) -> float:
    """Half the height, in millimetres, that the perspective camera sees at this distance."""
    return distance * tan(radians(FIELD_OF_VIEW / 2))


def distance_of(half_height: float) -> float:
    """The distance at which the perspective camera sees this half height."""
    return half_height / tan(radians(FIELD_OF_VIEW / 2))


def clip_range(bounds: FloatArray, distance: float) -> tuple[float, float]:
    """Near and far plane that keep the scene visible while a person moves about it.

    The factor between them is what a 24-bit depth buffer carries at CAD scales.
    """
    size = max(float(np.linalg.norm(bounds[1] - bounds[0])), distance, 1e-3)
    return size * _NEAR, size * _FAR


def orientation(pose: Pose) -> Quaternion:
    """The rotation of a three.js camera in this pose: it looks along its own -Z, its +Y up."""
    toward = np.asarray(pose.direction)
    right, up = _picture_axes(toward)
    m = np.stack([right, up, toward], axis=1)
    # Shepperd's choice of the largest component keeps the square root away from zero.
    diagonal = [m[0, 0], m[1, 1], m[2, 2]]
    trace = float(sum(diagonal))
    if trace > max(diagonal):
        s = 2 * sqrt(1 + trace)
        q = ((m[2, 1] - m[1, 2]) / s, (m[0, 2] - m[2, 0]) / s, (m[1, 0] - m[0, 1]) / s, s / 4)
    else:
        i = int(np.argmax(diagonal))
        j, k = (i + 1) % 3, (i + 2) % 3
        s = 2 * sqrt(1 + m[i, i] - m[j, j] - m[k, k])
        parts = [0.0, 0.0, 0.0]
        parts[i], parts[j], parts[k] = s / 4, (m[j, i] + m[i, j]) / s, (m[k, i] + m[i, k]) / s
        q = (parts[0], parts[1], parts[2], (m[k, j] - m[j, k]) / s)
    return (float(q[0]), float(q[1]), float(q[2]), float(q[3]))


def _picture_axes(toward: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Unit vectors to the right and upwards in the picture, for a unit vector to the camera."""
    sideways = np.array([-toward[1], toward[0], 0.0])
    length = float(np.linalg.norm(sideways))
    right = sideways / length if length > 1e-12 else np.array([1.0, 0.0, 0.0])
    return right, np.cross(toward, right)


def _unit(way: FloatArray) -> Vector:
    length = float(np.linalg.norm(way))
    return vector(way / length) if length > 0 else _unit(np.asarray(VIEWS["iso"]))


def vector(values: FloatArray) -> Vector:
    """Three numbers of an array as a widget takes them."""
    x, y, z = values.tolist()
    return (x, y, z)
