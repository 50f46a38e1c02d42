"""Planes in space: an origin and two axes, where what is drawn in two coordinates lies.

Pure numbers. Which plane a face of a body lies in is for the exact kernel to say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.placement import Matrix, cross, unit
from vcad_kernel.operations.planes import PlaneAt

__all__ = ["XY", "Plane", "carried_plane", "coplanar", "matrix_onto", "moved_plane", "plane_at"]

_LEVEL = 1e-6
"""Millimetres, and radians: planes nearer than this are one."""
_KEPT = 1e-12
"""Of unit normals that are the same but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """Where plane coordinates lie in space: (u, v) ↦ origin + u·x + v·y."""

    origin: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]

    @property
    def normal(self) -> NDArray[np.float64]:
        """Unit normal x × y."""
        return np.array(unit(cross(self.x.tolist(), self.y.tolist())))

    @property
    def conformal(self) -> bool:
        """Whether circles stay circles."""
        lengths = float(self.x @ self.x), float(self.y @ self.y)
        off = abs(float(self.x @ self.y)) + abs(lengths[0] - lengths[1])
        return off <= 1e-12 * max(lengths)

    def place(self, point: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        """World coordinates of plane coordinates."""
        # of one point, which takes a third of the time that arrays do
        (a, b, c), (x, y, z), (p, q, r) = self.origin.tolist(), self.x.tolist(), self.y.tolist()
        u, v = float(point[0]), float(point[1])
        return np.array([a + u * x + v * p, b + u * y + v * q, c + u * z + v * r])


XY = Plane(np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
"""Where profiles lie until they are placed."""


def plane_at(node: PlaneAt) -> Plane:
    """The plane of a node, its axes square to each other and of length 1."""
    normal = np.array(unit(node.normal))
    along = np.array(node.x_dir)
    x = np.array(unit(tuple(along - (along @ normal) * normal)))
    return Plane(np.array(node.origin), x, np.array(cross(normal.tolist(), x.tolist())))


def matrix_onto(plane: Plane) -> Matrix:
    """What carries the world's XY plane onto another, whose axes are of length 1."""
    return np.column_stack([plane.x, plane.y, plane.normal, plane.origin])


def carried_plane(plane: Plane, matrix: Matrix) -> Plane:
    """A plane with all that lies in it under a matrix; its axes are square to each other again.

    It grows the way in which what grew out of it has gone.
    """
    x = np.array(unit(tuple(matrix[:, :3] @ plane.x)))
    across = matrix[:, :3] @ plane.y
    y = np.array(unit(tuple(across - (across @ x) * x)))
    if float(np.array(cross(x.tolist(), y.tolist())) @ (matrix[:, :3] @ plane.normal)) < 0.0:
        y = -y
    return Plane(matrix[:, :3] @ plane.origin + matrix[:, 3], x, y)


def moved_plane(plane: Plane, matrix: Matrix) -> Plane:
    """The plane of a profile that is moved: what keeps its direction keeps its axes.

    So a profile that is moved or turned within its plane is spun about the axis about which it was before.
    """
    carried, normal = carried_plane(plane, matrix), plane.normal
    if float(np.abs(carried.normal - normal).max()) > _KEPT:
        return carried
    up = float((carried.origin - plane.origin) @ normal)
    return Plane(plane.origin + up * normal, plane.x, plane.y) if up else plane


def coplanar(first: Plane, second: Plane) -> bool:
    """Whether two planes are one, on whichever side they grow."""
    normal = first.normal
    off = float((second.origin - first.origin) @ normal)
    tilt = math.hypot(*cross(normal.tolist(), second.normal.tolist()))
    return abs(off) <= _LEVEL and tilt <= _LEVEL
