"""A still picture of parts, drawn by numpy alone: what a saved notebook shows without a kernel.

No GL, no browser, no imaging library. The work is split by idea: `camera` places the points,
`raster` finds the visible triangles, `shading` colours them, `lines` draws the edges, `ground` the
grid and axes, `png` packs the result. This module only puts them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.surface.drawn_mesh import DrawnMesh
from vcad_kernel.geometry.tri_mesh import FloatArray, PartMesh
from vcad_kernel.operations.scene import Material
from vcad_kernel.render import png
from vcad_kernel.render.camera import MARGIN, Camera
from vcad_kernel.render.ground import CORNER, EMPTY_BOUNDS, Strokes, ground_grid, shadow, tripod
from vcad_kernel.render.lines import Occluder, coverage
from vcad_kernel.render.raster import Raster, rasterise
from vcad_kernel.render.sight import NOTHING, Sight

__all__ = ["LIMIT", "Overlay", "draw", "entry_of", "lay_strokes", "shade_table"]

LIMIT = 60_000
"""Bytes that a picture stays below, since notebooks carry it in git."""

_FINER = 2
"""Samples per pixel and direction for the surfaces."""
_BAND = 32
"""Rows of pixels that are shaded at once: little enough to stay in the processor's own memory."""
_EDGE = (0.11, 0.13, 0.16)
_EDGE_THICKNESS = 1.25
_SHADOW = 0.13
"""Share of light that the ground loses right under a part."""
_PAPER = (1.0, 1.0, 1.0)
_ROOMY = 0.76
"""Share of the picture that a frame takes at most: labels stand around it."""

_Image = NDArray[np.float32]
"""(height, width, 3) in 0..255."""
Overlay: TypeAlias = Callable[[NDArray[np.float32], Camera, Sight], None]
"""Draws over the finished picture, (height, width, 3) in 0..255, which this camera has made and which shows
the parts where the sight says."""
_Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Sights:
    """What the samples of the finer screen show."""

    fine: FloatArray
    """(p, 3) the vertices there."""
    nearest: Raster
    """Of all parts."""
    hiding: Raster
    """Of those that nothing is seen through."""
    veils: Sequence[Raster]
    """The others, where they stand before those: from back to front, each part at most once per sample."""


def draw(
    parts: Sequence[PartMesh],
    width: int = 640,
    height: int = 480,
    *,
    view: str = "iso",
    grid: bool = True,
    axes: bool = True,
    frame: FloatArray | None = None,
    overlays: Sequence[Overlay] = (),
    limit: int = LIMIT,
) -> bytes:
    """The parts as PNG bytes: shaded, with crisp edges, fitted to the picture, below ``limit`` bytes.

    view: a name of `camera.VIEWS`. grid, axes: whether to draw the ground and the corner axes.
    frame: (2, 3) lowest and highest corner of a box that is shown whole, in place of the parts themselves,
    with room for what an overlay writes around it. overlays: draw what is to stand over all that, in their
    order, as hatching and labels.
    Without any surface the picture shows the empty ground. Equal parts give equal bytes. Where
    the limit requires it, colours are coarsened first and then the picture gets smaller.

    Raises ValueError for an unknown view or a size below 16 pixels.
    """
    if min(width, height) < 16:
        raise ValueError(f"a picture needs at least 16 × 16 pixels, not {width} × {height}")
    scene = _Scene.of(parts)
    while True:
        image = _image(scene, width, height, view, grid, axes, frame, overlays)
        for colors, level in ((256, 6), (256, 9), (128, 9), (64, 9)):
            packed = png.encode(image, colors=colors, level=level)
            if len(packed) <= limit:
                return packed
        smaller = min(0.8, 0.95 * sqrt(limit / len(packed)))
        width, height = (max(16, int(size * smaller)) for size in (width, height))


@dataclass(frozen=True, slots=True, eq=False)
class _Scene:
    """All parts as one set of arrays, ready for any view."""

    positions: FloatArray
    """(p, 3) the shared vertices, millimetres."""
    bounds: FloatArray
    """(2, 3) the box around everything, or around some empty ground."""
    triangles: _Rows
    """(m, 3) rows of `positions`."""
    normals: NDArray[np.float32]
    """(q, 3) one per vertex and smooth patch of surface."""
    facing: _Rows
    """(m, 3) rows of `normals`."""
    owner: _Rows
    """(m,) number of each triangle's material."""
    part: NDArray[np.int32]
    """(m,) number of each triangle's part, as it was given."""
    materials: Sequence[Material]
    meshes: Sequence[tuple[FloatArray, DrawnMesh]]
    """The vertices of each part, and how it is drawn."""

    @classmethod
    def of(cls, parts: Sequence[PartMesh]) -> _Scene:
        """Merge the parts that have a surface."""
        numbered = [(number, part) for number, part in enumerate(parts) if not part.mesh.is_empty]
        solid = [part for _, part in numbered]
        numbers: dict[Material, int] = {}
        owner = [
            np.full(part.mesh.triangle_count, numbers.setdefault(part.material, len(numbers)), np.int64)
            for part in solid
        ]
        drawn = [DrawnMesh.kept(part.mesh) for part in solid]
        normals = [each.normals for each in drawn]
        facing = [each.triangles for each in drawn]
        positions = np.concatenate([np.empty((0, 3)), *(part.mesh.positions for part in solid)])
        return cls(
            positions,
            np.stack([positions.min(axis=0), positions.max(axis=0)]) if solid else EMPTY_BOUNDS,
            _numbered([(part.mesh.indices, part.mesh.vertex_count) for part in solid]),
            np.concatenate([np.empty((0, 3), np.float32), *normals]),
            _numbered([(rows, len(directions)) for rows, directions in zip(facing, normals, strict=True)]),
            np.concatenate([np.empty(0, np.int64), *owner]),
            np.repeat(
                np.array([number for number, _ in numbered], np.int32),
                [part.mesh.triangle_count for part in solid],
            ),
            list(numbers),
            [(part.mesh.positions, each) for part, each in zip(solid, drawn, strict=True)],
        )


def _numbered(blocks: Sequence[tuple[NDArray[np.uint32], int]]) -> _Rows:
    """Index blocks (m, 3), each counting from 0 over so many rows, joined to count over all rows."""
    # the vertices of all parts stand in one array: each part counts on from those before it
    joined, start = [np.empty((0, 3), np.int64)], 0
    for rows, count in blocks:
        joined.append(rows.astype(np.int64) + start)
        start += count
    return np.concatenate(joined)


def _image(
    scene: _Scene,
    width: int,
    height: int,
    view: str,
    grid: bool,
    axes: bool,
    frame: FloatArray | None,
    overlays: Sequence[Overlay],
) -> NDArray[np.uint8]:
    """(height, width, 3) uint8."""
    axes = axes and min(width, height) >= 4 * CORNER
    if frame is None:
        shown, share = scene.positions if len(scene.positions) else EMPTY_BOUNDS, MARGIN
    else:
        shown, share = _corners(frame), _ROOMY
    # 1. the camera, and which surface each sample shows
    camera = Camera.fit(shown, view, width, height, share=share)
    seen = _surfaces(scene, camera)
    if axes and np.isfinite(seen.nearest.depth[-CORNER * _FINER :, : CORNER * _FINER]).any():
        camera = Camera.fit(shown, view, width, height, left=CORNER, share=share)
        seen = _surfaces(scene, camera)
    # 2. from back to front: paper, shadow on the ground, surfaces
    image = np.full((height, width, 3), 255 * np.array(_PAPER), np.float32)
    if grid and camera.toward[2] > 1e-9:
        dark = shadow(scene.positions, scene.triangles, scene.bounds, camera)
        image *= 1 - _SHADOW * dark[..., None]
    _lay_surfaces(image, scene, camera, [seen.hiding], seen.fine)
    # 3. lines over it: the grid where no part is before it, then edges, each hidden by what is nearer
    cell = 1.0 / (camera.scale * _FINER)
    if grid and camera.toward[2] > -1e-9:
        # A face that lies in the ground hides the grid rather than flicker with it.
        ground = Occluder(seen.hiding.depth, _FINER, -2.0 * cell)
        for strokes in ground_grid(scene.bounds, camera):
            lay_strokes(image, strokes, ground)
    edges = _edges(scene, camera)
    lay_strokes(image, edges, Occluder.of(seen.hiding, _FINER, 2.5 * cell))
    # 4. what is seen through veils all that, and then has its own edges, and those of what is before it
    if seen.veils:
        _lay_surfaces(image, scene, camera, seen.veils, seen.fine)
        lay_strokes(image, edges, Occluder.of(seen.nearest, _FINER, 2.5 * cell))
    if axes:
        for strokes in tripod(camera):
            lay_strokes(image, strokes, None)
    # 5. what is written and drawn over the finished picture
    if overlays:
        sight = _sight(scene, seen)
        for overlay in overlays:
            overlay(image, camera, sight)
    return np.rint(image).astype(np.uint8)


def _sight(scene: _Scene, seen: _Sights) -> Sight:
    """Which part each pixel shows: of a part before which another is seen through, the part behind; but one
    that stands before others everywhere is shown there."""
    before = _owners(scene, seen.nearest)
    owner = before
    if seen.veils:
        owner = _owners(scene, seen.hiding)
        owner = np.where(owner == NOTHING, before, owner)
        for part in np.setdiff1d(before, owner):
            owner[before == part] = part
    return Sight.of(owner, _FINER)


def _owners(scene: _Scene, raster: Raster) -> NDArray[np.int32]:
    """Which part each sample shows."""
    return np.append(scene.part, np.int32(NOTHING))[raster.face]


def _corners(box: FloatArray) -> FloatArray:
    """(8, 3) the corners of a box (2, 3)."""
    return np.stack([np.where(choice, box[1], box[0]) for choice in np.ndindex(2, 2, 2)])


def _surfaces(scene: _Scene, camera: Camera) -> _Sights:
    """The points on the finer screen and the triangles to see there."""
    fine = camera.project(scene.positions)
    fine[:, :2] *= _FINER
    width, height = camera.width * _FINER, camera.height * _FINER
    nearest = rasterise(fine, scene.triangles, width, height)
    clear = np.array([material.is_clear for material in scene.materials], bool)[scene.owner]
    if not clear.any():
        return _Sights(fine, nearest, nearest, ())

    def of_rows(rows: _Rows) -> Raster:
        raster = rasterise(fine, scene.triangles[rows], width, height)
        return Raster(raster.depth, np.append(rows, -1).astype(np.int32)[raster.face])

    hiding = of_rows(np.flatnonzero(~clear))
    veils: list[Raster] = []
    for part in np.unique(scene.part[clear]):
        # put in its place sample by sample: what it pushes back goes on to the next layer
        alone = of_rows(np.flatnonzero(clear & (scene.part == part)))
        depth, face = alone.depth, alone.face
        hidden = depth > hiding.depth
        depth[hidden], face[hidden] = np.inf, -1
        for layer in veils:
            nearer = depth < layer.depth
            for mine, its in ((depth, layer.depth), (face, layer.face)):
                mine[nearer], its[nearer] = its[nearer], mine[nearer]
        if (face >= 0).any():
            veils.append(alone)
    return _Sights(fine, nearest, hiding, veils[::-1])


def _lay_surfaces(
    image: _Image, scene: _Scene, camera: Camera, rasters: Sequence[Raster], fine: FloatArray
) -> None:
    """Shade every sample and mix the samples of each pixel with what is behind them, raster by raster."""
    bend = _normal_planes(scene, camera, fine)
    # each material has a table of colours by normal, one behind the other; red, green and blue, times the
    # opacity, and the opacity are 16 bits each of one number, so that a sum of such has the sums of all four
    opacity = np.rint(255 * np.array([material.opacity for material in scene.materials]))
    table = np.empty((len(scene.materials) * TABLE**2, 4), np.uint16)
    table[:, 3] = np.repeat(opacity, TABLE**2)
    table[:, :3] = np.concatenate(
        [
            np.empty((0, 3)),
            *(np.rint(shade_table(m) * (o / 255)) for m, o in zip(scene.materials, opacity, strict=True)),
        ]
    )
    packed = table.view(np.uint64).reshape(-1)
    first_entry = scene.owner * TABLE**2
    height, width, _ = image.shape
    for raster, top in product(rasters, range(0, height, _BAND)):
        face = raster.face[_FINER * top : _FINER * (top + _BAND)]
        at = np.flatnonzero(face >= 0)
        if len(at) == 0:
            continue
        shown = face.reshape(-1)[at]
        y, x = np.divmod(at.astype(np.int32), np.int32(face.shape[1]))
        # the normal at each sample centre, from the plane through the normals at the triangle's corners
        at_x = x.astype(np.float32) + np.float32(0.5)
        at_y = y.astype(np.float32) + np.float32(_FINER * top + 0.5)
        local = bend.take(shown, axis=0)  # in a sixth of the time of bend[shown]
        right = local[:, 0] * at_x + local[:, 1] * at_y + local[:, 2]
        up = local[:, 3] * at_x + local[:, 4] * at_y + local[:, 5]
        samples = np.zeros(face.shape, np.uint64)
        samples.reshape(-1)[at] = packed[entry_of(right, up) + first_entry.take(shown)]
        total = np.zeros((len(face) // _FINER, width), np.uint64)
        # _FINER² strided additions take less time than one reduction over short axes
        for i in range(_FINER):
            for j in range(_FINER):
                total += samples[i::_FINER, j::_FINER]
        mean = total.view(np.uint16).reshape(*total.shape, 4) / np.float32(_FINER**2)
        # how much of each pixel is covered at all: the rest shows what is behind
        band = image[top : top + _BAND]
        band *= 1 - mean[..., 3:] / np.float32(255)
        band += mean[..., :3]


def _normal_planes(scene: _Scene, camera: Camera, fine: FloatArray) -> NDArray[np.float32]:
    """(m, 6) for each triangle: the normal's right and up component as a·x + b·y + c each."""
    corner = fine[scene.triangles][:, :, :2]
    facing = (scene.normals @ camera.axes[:2].T.astype(np.float32))[scene.facing]
    u, v = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    area = u[:, 0] * v[:, 1] - v[:, 0] * u[:, 1]
    # a triangle seen edge-on covers no sample, so its plane does not matter
    inverse = np.divide(1.0, area, out=np.zeros_like(area), where=np.abs(area) > 1e-9)
    planes = np.empty((len(corner), 6))
    for part in (0, 1):
        first, second = (facing[:, k, part] - facing[:, 0, part] for k in (1, 2))
        a = (first * v[:, 1] - second * u[:, 1]) * inverse
        b = (second * u[:, 0] - first * v[:, 0]) * inverse
        planes[:, 3 * part] = a
        planes[:, 3 * part + 1] = b
        planes[:, 3 * part + 2] = facing[:, 0, part] - a * corner[:, 0, 0] - b * corner[:, 0, 1]
    return planes.astype(np.float32)


def _edges(scene: _Scene, camera: Camera) -> Strokes:
    """The feature edges, and the outlines of round surfaces."""
    lines = [
        vertices[ends]
        for vertices, drawn in scene.meshes
        for ends in (drawn.edges, drawn.outline(camera.toward))
    ]
    segments = camera.project(np.concatenate([np.empty((0, 2, 3)), *lines]))
    return Strokes(segments, np.ones((len(segments), 2)), _EDGE, _EDGE_THICKNESS)


def lay_strokes(image: _Image, strokes: Strokes, occluder: Occluder | None) -> None:
    """Draw lines over a picture, (height, width, 3) in 0..255, where nothing of the occluder hides them."""
    if len(strokes.segments) == 0:
        return
    height, width, _ = image.shape
    share = coverage(
        strokes.segments,
        width,
        height,
        thickness=strokes.thickness,
        occluder=occluder,
        strength=strokes.strength,
    )
    # most strokes reach a few rows only
    across = strokes.segments[:, :, 1]
    reach = strokes.thickness / 2 + 1
    top, bottom = (int(min(max(y, 0), height)) for y in (across.min() - reach, across.max() + reach + 1))
    share = share[top:bottom].reshape(-1)
    touched = np.flatnonzero(share > 0)  # of truth values that is many times as fast
    pixels = image[top:bottom].reshape(-1, 3)
    color = 255 * np.array(strokes.color, np.float32)
    before = pixels.take(touched, axis=0)
    pixels[touched] = before + share[touched, None] * (color - before)


# ---- the look of a surface: what colour a material shows for each direction it may face ------
# The lights are fixed to the viewer, so the colour depends on the normal in the picture alone and a
# small table per material holds it all: row and column are the normal's two screen components.


TABLE = 128
"""Rows and columns of a table."""

_KEY = np.array([-0.50, 0.55, 0.65])
_FILL = np.array([0.80, 0.00, 0.60])
_RIM = np.array([0.1, -0.8, 0.35])
"""Directions to the lights in the picture: right, up, towards the viewer."""


def entry_of(right: NDArray[np.floating], up: NDArray[np.floating]) -> NDArray[np.int64]:
    """Table entry (row-major) for unit normals with these screen components."""
    half = (TABLE - 1) / 2
    column = (right * half + (half + 0.5)).astype(np.int64)
    row = (up * half + (half + 0.5)).astype(np.int64)
    return np.asarray(np.clip(row, 0, TABLE - 1) * TABLE + np.clip(column, 0, TABLE - 1))


@lru_cache(maxsize=64)
def shade_table(material: Material) -> NDArray[np.uint8]:
    """(TABLE², 3) uint8 sRGB colours of a material for every normal that faces the viewer."""
    ramp = np.linspace(-1.0, 1.0, TABLE)
    right, up = np.meshgrid(ramp, ramp)
    flat = np.hypot(right, up)
    # beyond the circle of normals: as on its rim, for entries that rounding reaches
    outside = np.maximum(flat, 1.0)
    right, up = right / outside, up / outside
    normal = np.stack([right, up, np.sqrt(np.maximum(0.0, 1 - right**2 - up**2))], axis=-1)
    base = np.array(material.color)
    key, fill, rim = (_lambert(normal, light) for light in (_KEY, _FILL, _RIM))
    diffuse = 0.50 + 0.08 * normal[..., 1] + 0.50 * key + 0.15 * fill + 0.05 * rim
    metal, gloss = material.metallic, 1 - material.roughness
    body = (1 - metal) * diffuse + metal * (0.4 * diffuse + 0.6 * _room(normal))
    # smooth materials have a small bright highlight, rough ones a wide dim one
    sharpness = 6 + 90 * gloss**2
    shine = (0.04 + 0.12 * gloss) * (1 + 1.5 * metal)
    highlight = shine * (_highlight(normal, _KEY, sharpness) + 0.3 * _highlight(normal, _FILL, sharpness))
    tint = base * metal + (1 - metal)
    color = body[..., None] * base + highlight[..., None] * tint
    table: NDArray[np.uint8] = np.rint(255 * np.clip(color, 0.0, 1.0)).astype(np.uint8)
    return table.reshape(-1, 3)


def _room(normal: FloatArray) -> FloatArray:
    """What a metal mirrors: a bright ceiling, a darker floor, a window to the left and a lamp right."""
    right, up = (2 * normal[..., 2] * normal[..., part] for part in (0, 1))
    window = np.exp(-(((right + 0.75) / 0.35) ** 2))
    lamp = np.exp(-(((right - 0.80) / 0.25) ** 2))
    return np.asarray(0.74 + 0.28 * np.tanh(2.5 * (up + 0.15)) + 0.40 * window + 0.14 * lamp)


def _lambert(normal: FloatArray, light: FloatArray) -> FloatArray:
    """Diffuse light, wrapped a little around the terminator so that shadows stay soft."""
    facing = normal @ (light / np.linalg.norm(light))
    return np.asarray(np.clip((facing + 0.15) / 1.15, 0.0, None))


def _highlight(normal: FloatArray, light: FloatArray, sharpness: float) -> FloatArray:
    """Blinn's highlight, for a viewer straight ahead."""
    half = light / np.linalg.norm(light) + np.array([0.0, 0.0, 1.0])
    facing = normal @ (half / np.linalg.norm(half))
    return np.asarray(np.clip(facing, 0.0, None) ** sharpness)
