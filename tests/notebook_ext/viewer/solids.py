"""Small closed meshes with known geometry, written as numbers."""

from __future__ import annotations

from itertools import product

import numpy as np

from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.operations.scene import DEFAULT_MATERIAL, Material

RED = Material("red", (0.9, 0.1, 0.1))
BLUE = Material("blue", (0.1, 0.2, 0.9))

_BOX_FACES = (
    ((0, 2, 3, 1), (4, 5, 7, 6)),
    ((0, 1, 5, 4), (2, 6, 7, 3)),
    ((0, 4, 6, 2), (1, 3, 7, 5)),
)


def box(*size: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> TriMesh:
    """A box from `at`: 8 vertices, 12 triangles, 12 edges."""
    corners = [(x, y, z) for z, y, x in product((0, 1), repeat=3)]
    quads = [quad for pair in _BOX_FACES for quad in pair]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return TriMesh.of(np.array(corners) * size + at, triangles)


def cylinder(radius: float, height: float, sides: int = 48) -> TriMesh:
    """A cylinder on Z = 0 about Z, whose caps are fans about their centres."""
    angles = 2 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([radius * np.cos(angles), radius * np.sin(angles)])
    low = np.column_stack([ring, np.zeros(sides)])
    high = np.column_stack([ring, np.full(sides, height)])
    bottom, top = 2 * sides, 2 * sides + 1
    triangles = []
    for i in range(sides):
        j = (i + 1) % sides
        triangles += [(i, j, sides + j), (i, sides + j, sides + i)]
        triangles += [(bottom, j, i), (top, sides + i, sides + j)]
    return TriMesh.of(np.vstack([low, high, [[0, 0, 0], [0, 0, height]]]), triangles)


def slot(radius: float, length: float, height: float) -> TriMesh:
    """A cylinder that is drawn out along X between its halves: two flat faces run on into two round ones."""
    mesh = cylinder(radius, height)
    # the vertices of the cylinder that lie at x = 0 stay, so the flat faces end a step beside the tangents
    return TriMesh.of(mesh.positions + np.outer(mesh.positions[:, 0] > 1e-9, (length, 0, 0)), mesh.indices)


def part(name: str, mesh: TriMesh, material: Material = DEFAULT_MATERIAL) -> PartMesh:
    """A part."""
    return PartMesh(name, mesh, material)
