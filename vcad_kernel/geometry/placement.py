"""Transforms as 3×4 matrices: a linear part and an offset, composed before any vertex moves.

Multiples of a quarter turn are exact, so that turned boxes keep planar, axis-parallel faces.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.ir.document import Document
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Mirror, Rotate, Scale, Translate
from vcad_kernel.operations.node import Node, NodeId, Vec3
from vcad_kernel.units import cosd, sind

__all__ = [
    "IDENTITY",
    "Matrix",
    "compose",
    "copies",
    "cross",
    "crossed",
    "enlargement",
    "is_transform",
    "matrix_of",
    "reflection",
    "rotation",
    "rotation_about",
    "standing",
    "unit",
]

Matrix = NDArray[np.float64]
"""(3, 4) float64."""

IDENTITY: Matrix = np.eye(3, 4)


def unit(vector: Sequence[float]) -> Vec3:
    """The vector at length 1; exact for axis-parallel ones. The caller has refused zero length."""
    length = math.hypot(*vector)
    x, y, z = (part / length for part in vector)
    return (x, y, z)


def cross(a: Sequence[float], b: Sequence[float]) -> Vec3:
    """The cross product of two vectors; numpy's own takes twenty times as long for one pair."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def crossed(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cross products of vectors (…, 3); numpy's own take ten times as long for few."""
    x, y, z = first[..., 0], first[..., 1], first[..., 2]
    u, v, w = second[..., 0], second[..., 1], second[..., 2]
    across = y * w - z * v
    result = np.empty((*across.shape, 3))
    result[..., 0], result[..., 1], result[..., 2] = across, z * u - x * w, x * v - y * u
    return result


def compose(outer: Matrix, inner: Matrix) -> Matrix:
    """The transform that applies ``inner`` first."""
    result = outer[:, :3] @ inner
    result[:, 3] += outer[:, 3]
    return result


def rotation(angles: Vec3) -> Matrix:
    """Rx·Ry·Rz of angles in degrees: z acts first, then y, then x."""
    (cx, cy, cz), (sx, sy, sz) = ([turn(angle) for angle in angles] for turn in (cosd, sind))
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    about_y = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    about_z = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
    return np.hstack([about_x @ about_y @ about_z, np.zeros((3, 1))])


def rotation_about(origin: Vec3, axis: Vec3, angle: float) -> Matrix:
    """Right-handed turn by degrees about the line through ``origin`` along ``axis``."""
    x, y, z = unit(axis)
    along = np.outer((x, y, z), (x, y, z))
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    # written so that an axis-parallel axis gives exact ones and zeros
    turn = along + cosd(angle) * (np.eye(3) - along) + sind(angle) * across
    centre = np.asarray(origin, np.float64)
    return np.hstack([turn, (centre - turn @ centre)[:, None]])


def reflection(origin: Vec3, normal: Vec3) -> Matrix:
    """Mirrored in the plane through ``origin`` square to ``normal``."""
    x, y, z = unit(normal)
    mirror = np.eye(3) - 2.0 * np.outer((x, y, z), (x, y, z))
    centre = np.asarray(origin, np.float64)
    return np.hstack([mirror, (centre - mirror @ centre)[:, None]])


def is_transform(node: Node) -> bool:
    """Whether the node only moves, turns, mirrors or scales its child."""
    return isinstance(node, Translate | Rotate | Scale | Mirror)


def matrix_of(node: Node) -> Matrix:
    """The matrix of a transform node."""
    if isinstance(node, Translate):
        return np.hstack([np.eye(3), np.asarray(node.offset)[:, None]])
    if isinstance(node, Rotate):
        return rotation(node.angles)
    if isinstance(node, Mirror):
        return reflection(node.origin, node.normal)
    assert isinstance(node, Scale)
    return np.hstack([np.diag(node.factor), np.zeros((3, 1))])


def copies(node: LinearPattern | CircularPattern) -> list[Matrix]:
    """Where each copy of a pattern stands, the original first."""
    if node.count == 1:
        return [IDENTITY]
    if isinstance(node, LinearPattern):
        direction = np.asarray(unit(node.direction))
        offsets = [index * node.spacing * direction for index in range(node.count)]
        return [np.hstack([np.eye(3), offset[:, None]]) for offset in offsets]
    # index · angle / count in this order, so that quarter turns come out exact for every count
    angles = (index * node.angle_deg / node.count for index in range(node.count))
    return [rotation_about(node.axis_origin, node.axis_dir, angle) for angle in angles]


def standing(document: Document, node: NodeId) -> tuple[int, Matrix]:
    """In which part what a node makes stands, and how it is moved on the way there.

    Of several places the one with the fewest nodes above it; of a pattern's copies the original. The part
    counts from 0 among those shown; where the node is in none of them, it is the first and nothing moves.
    """
    shown = [root for root in document.roots if root.shown]
    waiting = deque((root.node, number, IDENTITY) for number, root in enumerate(shown))
    seen = {root.node for root in shown}
    while waiting:
        at, number, matrix = waiting.popleft()
        if at == node:
            return number, matrix
        above = document.nodes[at]
        inside = compose(matrix, matrix_of(above)) if is_transform(above) else matrix
        for child in above.children():
            if child not in seen:
                seen.add(child)
                waiting.append((child, number, inside))
    return 0, IDENTITY


def enlargement(node: Node) -> float:
    """How much a node stretches its child at most: what its chord errors are multiplied by."""
    return max(abs(factor) for factor in node.factor) if isinstance(node, Scale) else 1.0
