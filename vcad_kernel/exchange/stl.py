"""Binary STL: triangles and nothing else. Parts are merged; names, colours and units are lost.

The format has no vertices: readers take corners for one where they are equal in single precision. Vertices
that round to one point would glue what only comes near itself (the flanks of a thread where they run out,
two parts that touch) into edges with four triangles, so all but one of them are moved aside.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.errors import ExportError
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh

__all__ = ["encode"]

_HEADER = b"binary STL, millimetres, Z up".ljust(80)
"""Must not begin with ``solid``: readers take that for the text form."""

_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])

_MOST_STEPS = 64
"""Steps aside of one vertex: as many vertices would have to lie in one point on all sides of it."""


def encode(parts: Sequence[PartMesh], stem: str) -> dict[str, bytes]:
    """All parts as one binary STL; ``stem`` is not recorded.

    Closed wherever the parts' meshes are, corners that are equal taken for one vertex. Raises: ExportError.
    """
    del stem
    whole = TriMesh.joined([part.mesh for part in parts])
    triangles = np.zeros(whole.triangle_count, _TRIANGLE)
    triangles["normal"] = whole.face_normals()
    triangles["corners"] = _distinct(whole)[whole.indices]
    return {".stl": _HEADER + np.uint32(len(triangles)).astype("<u4").tobytes() + triangles.tobytes()}


def _distinct(mesh: TriMesh) -> NDArray[np.float32]:
    """(n, 3): the positions in single precision, no two of them equal.

    A vertex moves by steps of the precision that the largest coordinate has (1e-5 mm at 100 mm, twice the
    most by which rounding moves it), towards its neighbours, so that it parts from what it touches.
    """
    # -0 is 0 to who compares numbers, but not to who compares bytes
    places = mesh.positions.astype(np.float32) + np.float32(0.0)
    double = _repeated(places)
    if not len(double):
        return places
    step = np.spacing(np.abs(places).max())
    inwards = _towards_neighbours(mesh)
    # the axis along which the neighbours lie farthest comes first, then the others
    axes = np.argsort(-np.abs(inwards), axis=1, kind="stable")
    ways = np.where(inwards < 0.0, -step, step).astype(np.float32)
    for count in range(_MOST_STEPS):
        axis = axes[double, count % 3]
        places[double, axis] += ways[double, axis]
        double = _repeated(places)
        if not len(double):
            return places
    raise ExportError(
        "the part is too fine for STL: many of its vertices are one point in single precision",
        fix="export to .3mf, which keeps vertices apart, or move the part nearer to the origin",
    )


def _repeated(places: NDArray[np.float32]) -> NDArray[np.intp]:
    """The rows that an earlier row is equal to."""
    order = np.lexsort(places.T)
    ordered = places[order]
    # the sort is stable: of equal rows the earliest comes first
    return np.asarray(order[1:][(ordered[1:] == ordered[:-1]).all(axis=1)])


def _towards_neighbours(mesh: TriMesh) -> NDArray[np.float64]:
    """(n, 3): from each vertex to the others of its triangles, summed up."""
    corners = mesh.corners()
    others = corners.sum(axis=1, keepdims=True) - 3.0 * corners
    sums = np.zeros_like(mesh.positions)
    np.add.at(sums, mesh.indices.ravel(), others.reshape(-1, 3))
    return sums
