"""The look of a surface: what colour a material shows for each direction it may face.

The lights are fixed to the viewer, so the colour depends on the normal in the picture alone and a
small table per material holds it all: row and column are the normal's two screen components.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tri_mesh import FloatArray
from vcad_kernel.operations.scene import Material

__all__ = ["TABLE", "entry_of", "shade_table"]

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
