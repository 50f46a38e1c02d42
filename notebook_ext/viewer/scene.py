"""Turn parts into what a three.js scene needs: vertex buffers, edge lines, a grid and axes.

Knows numpy and our meshes. Does not know widgets, cameras, sessions, or where a mesh came from.
Lengths are millimetres, Z is up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.surface.drawn_mesh import DrawnMesh
from vcad_kernel.geometry.tri_mesh import FloatArray, PartMesh
from vcad_kernel.operations.scene import Material
from vcad_kernel.render.ground import EMPTY_BOUNDS, nice_step

__all__ = [
    "Grid",
    "PartBuffers",
    "axis_lines",
    "ground_grid",
    "part_buffers",
    "scene_bounds",
    "studio_light",
]

Floats = NDArray[np.float32]

_MINOR_CELLS = 20
"""Minor grid cells along the longer side of the part, before the step is rounded up."""
_GROUND_MARGIN = 0.35
"""Ground beyond the part on each side, as a share of its longer side."""


@dataclass(frozen=True, slots=True, eq=False)
class PartBuffers:
    """One part as the graphics card takes it."""

    name: str
    material: Material
    positions: Floats
    """(p, 3) float32: one row per vertex and normal."""
    normals: Floats
    """(p, 3) float32 unit normals, smooth across tangent faces and split at feature edges."""
    indices: NDArray[np.uint32]
    """(3m,) uint32, flat."""
    edges: Floats
    """(k, 2, 3) float32 feature edges."""
    tangents: Floats
    """(t, 2, 3) float32 lines where a flat face runs on smoothly into a rounding."""
    bounds: FloatArray | None
    """(2, 3) float64 min and max corner; None when the part is empty."""

    @property
    def triangles(self) -> int:
        """How many triangles."""
        return len(self.indices) // 3


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The ground on Z = 0 under a scene, as line segments."""

    step: float
    """Distance of the minor lines: 1, 2 or 5 times a power of ten."""
    major_step: float
    low: tuple[float, float]
    high: tuple[float, float]
    minor: Floats
    """(k, 2, 3) float32, without the lines that are in `major`."""
    major: Floats
    """(k, 2, 3) float32."""

    @property
    def key(self) -> tuple[float, ...]:
        """Equal for grids with the same lines."""
        return (self.step, *self.low, *self.high)


def part_buffers(part: PartMesh) -> PartBuffers:
    """Vertex buffers and feature edges of a part."""
    drawn, vertices = DrawnMesh.kept(part.mesh), part.mesh.positions
    return PartBuffers(
        name=part.name,
        material=part.material,
        positions=drawn.positions,
        normals=drawn.normals,
        indices=drawn.triangles.reshape(-1),
        edges=vertices[drawn.edges].astype(np.float32),
        tangents=vertices[drawn.tangents].astype(np.float32),
        bounds=part.mesh.bounds(),
    )


def scene_bounds(bounds: Sequence[FloatArray | None]) -> FloatArray:
    """(2, 3) box around all the boxes, or `EMPTY_BOUNDS` when there is none."""
    boxes = [box for box in bounds if box is not None]
    if not boxes:
        return EMPTY_BOUNDS.copy()
    corners = np.stack(boxes)
    return np.stack([corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)])


def ground_grid(bounds: FloatArray) -> Grid:
    """A two-level grid on Z = 0 that reaches beyond the part on every side, in whole major steps."""
    low, high = bounds[0, :2], bounds[1, :2]
    longer = float(np.max(bounds[1] - bounds[0]))
    longer = longer if longer > 0 else 1.0
    step = nice_step(longer / _MINOR_CELLS)
    # 1 → 10, 2 → 10, 5 → 50: major lines stand on numbers that people count in.
    per_major = 5 if f"{step:e}".startswith("2") else 10
    major_step = step * per_major
    margin = _GROUND_MARGIN * longer
    first = [floor((value - margin) / major_step) for value in low]
    last = [ceil((value + margin) / major_step) for value in high]
    ends = [(first[axis] * major_step, last[axis] * major_step) for axis in (0, 1)]
    minor: list[Floats] = []
    major: list[Floats] = []
    for axis in (0, 1):
        numbers = np.arange(first[axis] * per_major, last[axis] * per_major + 1)
        on_major = numbers % per_major == 0
        minor.append(_lines(axis, numbers[~on_major] * step, ends[1 - axis]))
        major.append(_lines(axis, numbers[on_major] * step, ends[1 - axis]))
    return Grid(
        step=step,
        major_step=major_step,
        low=(ends[0][0], ends[1][0]),
        high=(ends[0][1], ends[1][1]),
        minor=np.concatenate(minor),
        major=np.concatenate(major),
    )


def axis_lines(grid: Grid) -> Floats:
    """(3, 2, 3) float32: X and Y along the whole ground, where it holds the origin, and Z a little way up.

    An axis beside the ground has no length.
    """
    lines = np.zeros((3, 2, 3), np.float32)
    for axis in (0, 1):
        if grid.low[1 - axis] <= 0 <= grid.high[1 - axis]:
            lines[axis, :, axis] = grid.low[axis], grid.high[axis]
    if grid.low[0] <= 0 <= grid.high[0] and grid.low[1] <= 0 <= grid.high[1]:
        lines[2, 1, 2] = 5 * grid.step
    return lines


def studio_light(rows: int = 32) -> NDArray[np.uint8]:
    """A room to be mirrored in metals: (rows, 2 rows, 4) uint8 RGBA, equirectangular about Y.

    Bright above (+Z), a light horizon and a darker floor, so that turned metal shows its shape.
    """
    polar = (np.arange(rows) + 0.5) / rows * np.pi - np.pi / 2
    around = (np.arange(2 * rows) + 0.5) / rows * np.pi
    # three.js samples u = atan(z, x) / 2π + ½ and v = asin(y) / π + ½.
    height = np.cos(polar)[:, None] * np.sin(around - np.pi)[None, :]
    grey = np.interp(height, [-1.0, -0.15, 0.0, 0.25, 1.0], [110.0, 150.0, 196.0, 230.0, 255.0])
    texels = np.full((rows, 2 * rows, 4), 255, np.uint8)
    texels[..., :3] = grey[..., None].astype(np.uint8)
    return texels


def _lines(axis: int, offsets: FloatArray, ends: tuple[float, float]) -> Floats:
    """Segments at `offsets` along `axis`, running between `ends` along the other ground axis."""
    lines = np.zeros((len(offsets), 2, 3), np.float32)
    lines[:, :, axis] = offsets[:, None]
    lines[:, 0, 1 - axis] = ends[0]
    lines[:, 1, 1 - axis] = ends[1]
    return lines
