"""One mesh in a block of shared memory: its layout, written in place and read without a copy.

    size = size_for(vertices=8, triangles=12, dtype=np.float64)
    write(buffer, positions, indices, parts=parts, nodes=nodes)
    views = read(buffer)                # numpy arrays that lie in the buffer

Little endian. A header of 128 bytes: magic, version, type of the positions, counts, revision, and for
each of the five sections its offset and length in bytes; an absent one is (0, 0). Sections begin at
multiples of 64. Everything in the header is checked before a byte of a section is looked at. Who owns
the memory, and where it lies, is not known here; nor is numpy, before a mesh is written or read.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "HEADER_SIZE",
    "MAGIC",
    "VERSION",
    "BlockHeader",
    "MeshBlockError",
    "MeshViews",
    "read",
    "size_for",
    "write",
]

MAGIC: Final = b"VCADMESH"
VERSION: Final = 1
HEADER_SIZE: Final = 128

_HEAD: Final = struct.Struct("<8sIIQQQ10Q")
_ALIGNMENT: Final = 64
_SECTIONS: Final = ("positions", "indices", "parts", "nodes", "faces")
_WIDTHS: Final = {1: 4, 2: 8}
"""Type of the positions → bytes of one coordinate."""
_TRIANGLE: Final = {"indices": 12, "parts": 4, "nodes": 4, "faces": 4}
"""Section → bytes for each triangle."""


class MeshBlockError(ValueError):
    """A block that is none, or that does not hold what its header says."""


@dataclass(frozen=True, slots=True)
class BlockHeader:
    """What a block says of itself."""

    dtype: int
    """Of the positions: 1 = float32, 2 = float64."""
    vertices: int
    triangles: int
    revision: int
    sections: Mapping[str, tuple[int, int]]
    """Name → offset and length in bytes; those that are absent are not in it."""

    @classmethod
    def parse(cls, buffer: Any) -> BlockHeader:
        """The header of a block; buffer: anything with bytes in it.

        Raises: MeshBlockError.
        """
        size = memoryview(buffer).nbytes
        if size < HEADER_SIZE:
            raise MeshBlockError(f"a block of {size} bytes is smaller than its header")
        magic, version, dtype, vertices, triangles, revision, *table = _HEAD.unpack_from(buffer)
        if magic != MAGIC:
            raise MeshBlockError(f"a mesh block begins with {MAGIC!r}, not {magic!r}")
        if version != VERSION:
            raise MeshBlockError(f"version {version} of the layout is not known; this is {VERSION}")
        if dtype not in _WIDTHS:
            raise MeshBlockError(f"{dtype} is no type of positions")
        sections: dict[str, tuple[int, int]] = {}
        expected = _lengths(vertices, triangles, dtype)
        ends = HEADER_SIZE
        for name, offset, length in zip(_SECTIONS, table[::2], table[1::2], strict=True):
            if (offset, length) == (0, 0) and (name not in ("positions", "indices") or not expected[name]):
                continue
            if length != expected[name]:
                raise MeshBlockError(f"{name} has {length} bytes where {expected[name]} belong")
            if offset % _ALIGNMENT or offset < ends or offset + length > size:
                raise MeshBlockError(f"{name} lies at {offset}, outside the block or over something else")
            ends = offset + length
            sections[name] = (offset, length)
        return cls(dtype, vertices, triangles, revision, sections)


@dataclass(frozen=True, slots=True, eq=False)
class MeshViews:
    """The arrays of a block. They lie in its memory and cannot be written."""

    positions: NDArray[Any]
    """(n, 3) float32 or float64, mm."""
    indices: NDArray[np.uint32]
    """(m, 3) uint32."""
    parts: NDArray[np.uint32] | None
    """(m,) uint32: which part each triangle belongs to."""
    nodes: NDArray[np.uint32] | None
    """(m,) uint32: the document node that made each triangle."""
    faces: NDArray[np.uint32] | None
    """(m,) uint32: the face of the body that each triangle lies on."""
    revision: int
    drawn: Mapping[str, NDArray[Any]] | None = None
    """How it is drawn: named arrays behind it in the same memory (`array_block`), where it came with some."""


def size_for(
    vertices: int,
    triangles: int,
    *,
    double: bool = False,
    sections: tuple[str, ...] = ("parts", "nodes"),
) -> int:
    """Bytes of a block for so many vertices and triangles.

    double: float64 positions. sections: those that are wanted besides positions and indices.
    """
    lengths = _lengths(vertices, triangles, 2 if double else 1)
    return _laid_out(lengths, ("positions", "indices", *sections))[1]


def write(
    buffer: Any,
    positions: NDArray[Any],
    indices: NDArray[np.uint32],
    *,
    parts: NDArray[np.uint32] | None = None,
    nodes: NDArray[np.uint32] | None = None,
    faces: NDArray[np.uint32] | None = None,
    double: bool = False,
    revision: int = 0,
) -> int:
    """Write a mesh into a block; the bytes that it takes.

    positions (n, 3), indices (m, 3), the others (m,) or absent. double: as float64 rather than float32.
    The magic is written last: a block that was not finished is none.
    Raises: MeshBlockError when it does not fit.
    """
    import numpy as np

    dtype = 2 if double else 1
    arrays = {"positions": positions, "indices": indices, "parts": parts, "nodes": nodes, "faces": faces}
    given = {name: array for name, array in arrays.items() if array is not None}
    lengths = _lengths(len(positions), len(indices), dtype)
    offsets, size = _laid_out(lengths, tuple(given))
    room = memoryview(buffer)
    if room.nbytes < size:
        raise MeshBlockError(f"the mesh takes {size} bytes, the block has {room.nbytes}")
    room[: len(MAGIC)] = bytes(len(MAGIC))
    for name, array in given.items():
        kind = {1: np.float32, 2: np.float64}[dtype] if name == "positions" else np.uint32
        count = lengths[name] // np.dtype(kind).itemsize
        if array.size != count:
            raise MeshBlockError(f"{name} has {array.size} numbers where {count} belong")
        if count:
            into = np.frombuffer(room, kind, count, offsets[name])
            np.copyto(into, array.reshape(-1), casting="same_kind")
    table = [part for name in _SECTIONS for part in (_place(name, given, offsets, lengths))]
    head = _HEAD.pack(MAGIC, VERSION, dtype, len(positions), len(indices), revision, *table)
    room[len(MAGIC) : len(head)] = head[len(MAGIC) :]
    room[: len(MAGIC)] = MAGIC
    return size


def read(buffer: Any) -> MeshViews:
    """The mesh of a block, without a copy; the arrays keep the buffer alive.

    Raises: MeshBlockError.
    """
    import numpy as np

    header = BlockHeader.parse(buffer)
    position_type: type[np.floating[Any]] = np.float32 if header.dtype == 1 else np.float64

    def view(name: str, kind: type[Any]) -> NDArray[Any] | None:
        if name not in header.sections:
            return None
        offset, length = header.sections[name]
        values = np.frombuffer(buffer, kind, length // np.dtype(kind).itemsize, offset)
        values.flags.writeable = False
        return values

    def rows(name: str, kind: type[Any]) -> NDArray[Any]:
        values = view(name, kind)
        if values is None:
            values = np.empty(0, kind)
            values.flags.writeable = False
        return values.reshape(-1, 3)

    return MeshViews(
        rows("positions", position_type),
        rows("indices", np.uint32),
        view("parts", np.uint32),
        view("nodes", np.uint32),
        view("faces", np.uint32),
        header.revision,
    )


def _lengths(vertices: int, triangles: int, dtype: int) -> dict[str, int]:
    """Section → its length in bytes."""
    return {
        "positions": vertices * 3 * _WIDTHS[dtype],
        **{name: triangles * width for name, width in _TRIANGLE.items()},
    }


def _laid_out(lengths: Mapping[str, int], names: tuple[str, ...]) -> tuple[dict[str, int], int]:
    """Where each section begins, and the size of the whole."""
    offsets: dict[str, int] = {}
    end = HEADER_SIZE
    for name in _SECTIONS:
        if name in names:
            offsets[name] = -(-end // _ALIGNMENT) * _ALIGNMENT
            end = offsets[name] + lengths[name]
    return offsets, end


def _place(
    name: str, given: Mapping[str, object], offsets: Mapping[str, int], lengths: Mapping[str, int]
) -> tuple[int, int]:
    """The entry of a section in the header's table."""
    return (offsets[name], lengths[name]) if name in given and lengths[name] else (0, 0)
