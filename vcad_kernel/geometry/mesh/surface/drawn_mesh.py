"""A mesh as it is drawn: split where it has edges, with normals, lines, and what its outline is found by.

    drawn = DrawnMesh.kept(mesh)         # what came with the mesh, else found now

Made where the mesh is made and sent with it, since it takes longer to find than all else that showing a part
takes; `packed` and `unpacked` are its way. The picture, the view under a cell and every viewer draw from it,
so a part has the same edges and the same shading everywhere. What an edge is, `edges` says.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.surface.edges import Creases
from vcad_kernel.geometry.tri_mesh import FloatArray, TriMesh

__all__ = ["DrawnMesh", "packed", "unpacked"]

_MOST_BYTES: Final = 64 * 2**20
"""Of all that has been found in this process and is kept for who asks again."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnMesh:
    """Of one mesh; its lines are pairs of that mesh's vertices, of which none has length 0."""

    positions: NDArray[np.float32]
    """(p, 3) float32, mm: one row for each vertex and normal."""
    normals: NDArray[np.float32]
    """(p, 3) float32 unit normals, smooth across tangent faces and split at edges."""
    triangles: NDArray[np.uint32]
    """(m, 3) uint32 rows of `positions`, in the order of the mesh."""
    directions: FloatArray
    """(m, 3) float64 unit face normals; a sliver has that of the face across its longest side."""
    edges: NDArray[np.uint32]
    """(k, 2) uint32: what a person calls an edge."""
    tangents: NDArray[np.uint32]
    """(t, 2) uint32: where a flat face runs on smoothly into a rounding."""
    soft: NDArray[np.uint32]
    """(b, 2) uint32: all other lines between two triangles, which may be part of the outline."""
    beside: NDArray[np.uint32]
    """(b, 2) uint32: the triangles on both sides of each of these."""

    @classmethod
    def of(cls, mesh: TriMesh) -> DrawnMesh:
        """Find it."""
        creases = Creases.of(mesh)
        positions, normals, triangles = creases.normals()
        soft, beside = creases.soft()
        return cls(
            positions,
            normals,
            triangles,
            creases.directions,
            creases.sharp(),
            creases.tangent(),
            soft,
            beside,
        )

    @classmethod
    def kept(cls, mesh: TriMesh) -> DrawnMesh:
        """What came with the mesh or was found lately, else what is found now; from any thread."""
        drawn = _kept.get(mesh)
        if drawn is None:
            drawn = cls.of(mesh)
            drawn.keep(mesh)
            with _finding:
                _found.append((weakref.ref(mesh), drawn.nbytes))
                while sum(nbytes for _, nbytes in _found) > _MOST_BYTES and len(_found) > 1:
                    oldest = _found.popleft()[0]()
                    if oldest is not None:
                        _kept.pop(oldest, None)
        return drawn

    def keep(self, mesh: TriMesh) -> None:
        """Have it ready for drawing this mesh, as long as that lives."""
        _kept[mesh] = self

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return sum(getattr(self, name).nbytes for name in _COUNTED)

    def outline(self, toward: FloatArray) -> NDArray[np.uint32]:
        """(c, 2) uint32: the lines where smooth surface turns away from a far viewer.

        toward: (3,) vector to the viewer. With the edges these are the lines of a drawing.
        """
        faces_viewer = self.directions @ toward > 1e-9
        is_turning = faces_viewer[self.beside[:, 0]] != faces_viewer[self.beside[:, 1]]
        return np.asarray(self.soft[is_turning])


_kept: weakref.WeakKeyDictionary[TriMesh, DrawnMesh] = weakref.WeakKeyDictionary()
_finding: Final = Lock()
_found: Final[deque[tuple[weakref.ref[TriMesh], int]]] = deque()
"""The meshes whose drawing was found here, the latest last."""

_COUNTED: Final = {
    "positions": (0, "f4", 3),
    "normals": (0, "f4", 3),
    "triangles": (1, "u4", 3),
    "directions": (1, "f8", 3),
    "edges": (2, "u4", 2),
    "tangents": (3, "u4", 2),
    "soft": (4, "u4", 2),
    "beside": (4, "u4", 2),
}
"""Field → which of the counts is its length, the type of its numbers, and how many a row has."""
_COUNTS: Final = 5


def packed(drawn: Sequence[DrawnMesh]) -> dict[str, NDArray[Any]]:
    """Named arrays that hold those of some meshes, one after the other; `counts` says whose is which."""
    counts = np.zeros((len(drawn), _COUNTS), np.uint32)
    for name, (place, _, _) in _COUNTED.items():
        counts[:, place] = [len(getattr(each, name)) for each in drawn]
    together = {
        name: getattr(drawn[0], name)
        if len(drawn) == 1
        else np.concatenate([np.empty((0, width), kind), *(getattr(each, name) for each in drawn)])
        for name, (_, kind, width) in _COUNTED.items()
    }
    return {"counts": counts, **together}


def unpacked(arrays: Mapping[str, NDArray[Any]], meshes: Sequence[TriMesh]) -> list[DrawnMesh]:
    """What `packed` has put together, of these meshes, without a copy.

    Raises: KeyError, ValueError for arrays that are not of these meshes.
    """
    counts = arrays["counts"]
    if counts.shape != (len(meshes), _COUNTS):
        raise ValueError(f"counts must be {(len(meshes), _COUNTS)}, not {counts.shape}")
    starts = np.concatenate([np.zeros((1, _COUNTS), np.int64), np.cumsum(counts, axis=0, dtype=np.int64)])
    for name, (place, kind, width) in _COUNTED.items():
        expected = (starts[-1, place], width)
        if arrays[name].shape != expected or arrays[name].dtype != np.dtype(kind):
            raise ValueError(f"{name} must be {expected} {kind}, not {arrays[name].shape}")
    drawn = [
        DrawnMesh(
            **{
                name: arrays[name][starts[number, place] : starts[number + 1, place]]
                for name, (place, _, _) in _COUNTED.items()
            }
        )
        for number in range(len(meshes))
    ]
    for each, mesh in zip(drawn, meshes, strict=True):
        _check(each, mesh)
    return drawn


def _check(drawn: DrawnMesh, mesh: TriMesh) -> None:
    """Raises: ValueError where it names what the mesh has not."""
    if len(drawn.triangles) != mesh.triangle_count:
        raise ValueError(f"{len(drawn.triangles)} triangles are drawn of {mesh.triangle_count}")
    for name, most in (
        ("triangles", len(drawn.positions)),
        ("edges", mesh.vertex_count),
        ("tangents", mesh.vertex_count),
        ("soft", mesh.vertex_count),
        ("beside", mesh.triangle_count),
    ):
        numbers = getattr(drawn, name)
        if numbers.size and int(numbers.max()) >= most:
            raise ValueError(f"{name} has a number that is not below {most}")
