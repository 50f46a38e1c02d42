"""Parts cut open for a picture: the half before a plane is gone, and the cut is a surface of its own.

    opened = cut_open(parts, Cut("x", 20.0), toward=camera_direction)
    draw(opened.shown, overlays=[hatched(opened.cuts)])

The plane is square to one axis. What is taken away is the half on the viewer's side, so that the cut shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.manifold_kernel import KernelFault, half, of_skin, read
from vcad_kernel.geometry.sweeps.swept import Skin
from vcad_kernel.geometry.tri_mesh import FloatArray, IndexArray, PartMesh, TriMesh
from vcad_kernel.operations.scene import Material
from vcad_kernel.render.camera import Camera
from vcad_kernel.render.picture import Overlay
from vcad_kernel.render.sight import BORDER, Sight

__all__ = ["AXES", "Axis", "Cut", "Opened", "cut_open", "hatched", "keeps_low"]

Axis: TypeAlias = Literal["x", "y", "z"]

AXES: Final = ("x", "y", "z")
_WARM: Final = (1.0, 0.80, 0.48)
_TONE: Final = 0.55
"""Share of the warm tone in the colour of a cut."""
_NEAR: Final = 1e-7
"""Share of a part's size within which a point lies in the plane."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A plane square to an axis, at this coordinate, mm."""

    axis: Axis
    at: float


@dataclass(frozen=True, slots=True)
class Opened:
    """Parts that have been cut."""

    bodies: list[PartMesh]
    """What is left of each part, of those of which something is."""
    surfaces: list[PartMesh]
    """Where they are cut, in the plane; an open mesh has none."""
    of: list[int]
    """For each surface the row of its body."""

    @property
    def shown(self) -> list[PartMesh]:
        """All that is to be drawn: the bodies, then the surfaces."""
        return [*self.bodies, *self.surfaces]

    @property
    def cuts(self) -> dict[int, int]:
        """Row of a surface in `shown` → row of its body."""
        return {len(self.bodies) + row: body for row, body in enumerate(self.of)}


def keeps_low(axis: int, toward: Sequence[float] | FloatArray) -> bool:
    """Whether a cut across this axis leaves the half of smaller coordinates to a viewer over there."""
    return float(toward[axis]) >= -1e-9


def cut_open(parts: Iterable[PartMesh], cut: Cut, toward: Sequence[float] | FloatArray) -> Opened:
    """The parts without what lies before the plane, and the surfaces in the plane.

    toward: (3,) vector to the viewer; seen along the plane, the half of larger coordinates goes. A part whose
    mesh is not closed is cut without such a surface.
    """
    axis = AXES.index(cut.axis)
    sign = -1.0 if keeps_low(axis, toward) else 1.0
    opened = Opened([], [], [])
    for part in parts:
        if part.mesh.is_empty:
            continue
        # how far each point lies behind the plane, seen by the viewer
        side = sign * (part.mesh.positions[:, axis] - cut.at)
        if side.min() >= 0:
            opened.bodies.append(part)
        elif side.max() > 0:
            body, surface = _cut(part, axis, sign, cut.at)
            if surface is not None:
                opened.surfaces.append(surface)
                opened.of.append(len(opened.bodies))
            opened.bodies.append(body)
    return opened


def _cut(part: PartMesh, axis: int, sign: float, at: float) -> tuple[PartMesh, PartMesh | None]:
    """What is left of a part, and its surface in the plane."""
    normal = np.zeros(3)
    normal[axis] = sign
    try:
        positions, indices = _closed_half(part.mesh, normal, sign * at)
    except KernelFault:
        return replace(part, mesh=_open_half(part.mesh, normal, sign * at)), None
    size = float(np.ptp(part.mesh.positions, axis=0).max())
    in_plane = np.abs(positions[:, axis] - at) <= max(size * _NEAR, 1e-9)
    on_cut = in_plane[indices].all(axis=1)
    # what the body itself has in the plane looks the other way, or is the same surface
    body, surface = TriMesh.of(positions, indices[~on_cut]), TriMesh.of(positions, indices[on_cut])
    left = replace(part, mesh=_used(body))
    return left, None if surface.is_empty else PartMesh(part.name, _used(surface), _toned(part.material))


def _closed_half(mesh: TriMesh, normal: FloatArray, offset: float) -> tuple[FloatArray, IndexArray]:
    """Points and triangles of the half that the normal points to. Raises: KernelFault."""
    reading = read(half(of_skin(Skin(mesh.positions, mesh.indices.astype(np.int64))), normal, offset))
    return reading.positions, reading.triangles


def _open_half(mesh: TriMesh, normal: FloatArray, offset: float) -> TriMesh:
    """The triangles that lie wholly on the side of the normal."""
    kept = (mesh.positions @ normal >= offset)[mesh.indices].all(axis=1)
    return _used(TriMesh.of(mesh.positions, mesh.indices[kept]))


def _used(mesh: TriMesh) -> TriMesh:
    """The same without points that no triangle has: a picture is fitted to its points."""
    rows, indices = np.unique(mesh.indices.reshape(-1), return_inverse=True)
    return TriMesh.of(mesh.positions[rows], indices.reshape(-1, 3))


def _toned(material: Material) -> Material:
    """A colour of its own for the cut: the part's, with a warm tone that no light gives."""
    color = tuple((1 - _TONE) * own + _TONE * warm for own, warm in zip(material.color, _WARM, strict=True))
    red, green, blue = color
    return Material(f"{material.name} (cut)", (red, green, blue), metallic=0.0, roughness=0.9)


# ---- cut surfaces marked as in a drawing ------------------------------------------------------
# Thin parallel lines at 45°, the other way round on the next part.
# Knows pixels only; the caller says which surfaces are cuts (`section` makes them).


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
