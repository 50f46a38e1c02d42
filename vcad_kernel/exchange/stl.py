"""Binary STL: triangles and nothing else. Parts are merged; names, colours and units are lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vcad_kernel.geometry.tri_mesh import PartMesh

__all__ = ["encode"]

_HEADER = b"binary STL, millimetres, Z up".ljust(80)
"""Must not begin with ``solid``: readers take that for the text form."""

_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def encode(parts: Sequence[PartMesh], stem: str) -> dict[str, bytes]:
    """All parts as one binary STL; ``stem`` is not recorded."""
    del stem
    triangles = np.zeros(sum(part.mesh.triangle_count for part in parts), _TRIANGLE)
    start = 0
    for part in parts:
        block = triangles[start : start + part.mesh.triangle_count]
        block["normal"] = part.mesh.face_normals()
        block["corners"] = part.mesh.corners()
        start += len(block)
    return {".stl": _HEADER + np.uint32(len(triangles)).astype("<u4").tobytes() + triangles.tobytes()}
