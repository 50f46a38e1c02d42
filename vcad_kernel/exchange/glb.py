"""Binary glTF 2.0: PBR materials, one node and mesh per part, smooth and hard normals.

The buffers hold millimetres with Z up, as the model has them; one root node turns and scales them
to glTF's metres with Y up.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.exchange.palette import distinct_materials, linear
from vcad_kernel.geometry.mesh.surface.edges import crease_normals
from vcad_kernel.geometry.tri_mesh import PartMesh
from vcad_kernel.operations.scene import Material

__all__ = ["encode"]

_FLOAT, _UINT = 5126, 5125
_VERTICES, _TRIANGLES = 34962, 34963

_MILLIMETRES_Z_UP = [0.001, 0, 0, 0, 0, 0, -0.001, 0, 0, 0.001, 0, 0, 0, 0, 0, 1]
"""Column by column: x stays x, y goes to -z, z goes to y."""


class _Buffer:
    """The binary chunk while it grows, with the views and accessors that describe it."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.size = 0
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def vectors(self, rows: NDArray[np.float32], *, bounded: bool = False) -> int:
        """Add (n, 3) floats for vertices; the format wants the bounds of positions."""
        bounds = {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()} if bounded else {}
        return self._add(rows.astype("<f4").tobytes(), _VERTICES, _FLOAT, "VEC3", len(rows), bounds)

    def triangles(self, indices: NDArray[np.uint32]) -> int:
        """Add (m, 3) vertex numbers."""
        return self._add(indices.astype("<u4").tobytes(), _TRIANGLES, _UINT, "SCALAR", indices.size, {})

    def _add(
        self, data: bytes, target: int, component: int, kind: str, count: int, bounds: dict[str, Any]
    ) -> int:
        # Every element is four bytes wide, so each view starts aligned without padding.
        self.views.append({"buffer": 0, "byteOffset": self.size, "byteLength": len(data), "target": target})
        self.accessors.append(
            {"bufferView": len(self.views) - 1, "componentType": component, "count": count, "type": kind}
            | bounds
        )
        self.pieces.append(data)
        self.size += len(data)
        return len(self.accessors) - 1


def encode(parts: Sequence[PartMesh], stem: str) -> dict[str, bytes]:
    """The parts as one self-contained GLB; ``stem`` names the root node."""
    numbers = distinct_materials(parts)
    buffer = _Buffer()
    meshes = []
    for part in parts:
        positions, normals, triangles = crease_normals(part.mesh)
        primitive = {
            "attributes": {
                "POSITION": buffer.vectors(positions, bounded=True),
                "NORMAL": buffer.vectors(normals),
            },
            "indices": buffer.triangles(triangles),
            "material": numbers[part.material],
        }
        meshes.append({"name": part.name, "primitives": [primitive]})
    document = {
        "asset": {"version": "2.0", "generator": "vcad-workbench"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": stem, "matrix": _MILLIMETRES_Z_UP, "children": list(range(1, len(parts) + 1))},
            *({"name": part.name, "mesh": number} for number, part in enumerate(parts)),
        ],
        "meshes": meshes,
        "materials": [_material(material) for material in numbers],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": buffer.size}],
    }
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    # chunks end at multiples of four bytes; spaces do not count in JSON
    text += b" " * (-len(text) % 4)
    binary = b"".join(buffer.pieces)
    chunks = (
        struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    )
    return {".glb": struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks}


def _material(material: Material) -> dict[str, Any]:
    return {
        "name": material.name,
        "pbrMetallicRoughness": {
            "baseColorFactor": [*linear(material.color), material.opacity if material.is_clear else 1],
            "metallicFactor": material.metallic,
            "roughnessFactor": material.roughness,
        },
        **({"alphaMode": "BLEND"} if material.is_clear else {}),
    }
