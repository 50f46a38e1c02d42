"""Named arrays in a block of shared memory: their layout, written in place and read without a copy.

    size = size_for(arrays)
    write(buffer, arrays)
    views = read(buffer)                # name -> numpy array that lies in the buffer

Little endian. A header of 16 bytes: magic, version and the length of the table; then the table, a JSON list
of ``{"name", "dtype", "shape"}``; then the arrays in its order, C-contiguous, each beginning at a multiple
of 64. The whole table is checked before an array is looked at. What the arrays mean is their question's
business (`vcad_kernel/service/questions.py`); meshes of results have a layout of their own (`mesh_block`).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAGIC", "VERSION", "ArrayBlockError", "placed_after", "read", "size_for", "write"]

MAGIC: Final = b"VCADARRS"
VERSION: Final = 1

_HEAD: Final = struct.Struct("<8sII")
_ALIGNMENT: Final = 64
_MOST_TABLE: Final = 2**16
"""Bytes of a table; one of ours has some hundred."""


class ArrayBlockError(ValueError):
    """A block that is none, or that does not hold what its table says."""


class _Entry(msgspec.Struct, frozen=True):
    """One array."""

    name: str
    dtype: Literal["f4", "f8", "u4", "u1"]
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        return int(self.dtype[1]) * math.prod(self.shape)


def size_for(arrays: Mapping[str, NDArray[Any]]) -> int:
    """Bytes of a block for these arrays. Raises: ArrayBlockError for a type of numbers that has no name."""
    return _laid_out(*_table(arrays))[1]


def placed_after(size: int) -> int:
    """Where arrays begin that lie behind something else of so many bytes in the same memory."""
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def write(buffer: Any, arrays: Mapping[str, NDArray[Any]]) -> int:
    """Write arrays into a block; the bytes that they take.

    The magic is written last: a block that was not finished is none.
    Raises: ArrayBlockError when they do not fit, or have a type of numbers that has no name.
    """
    import numpy as np

    entries, table = _table(arrays)
    offsets, size = _laid_out(entries, table)
    room = memoryview(buffer)
    if room.nbytes < size:
        raise ArrayBlockError(f"the arrays take {size} bytes, the block has {room.nbytes}")
    room[: _HEAD.size] = bytes(_HEAD.size)
    room[_HEAD.size : _HEAD.size + len(table)] = table
    for entry, offset, array in zip(entries, offsets, arrays.values(), strict=True):
        if entry.nbytes:
            into = np.frombuffer(room, f"<{entry.dtype}", math.prod(entry.shape), offset)
            np.copyto(into.reshape(entry.shape), array)
    room[: _HEAD.size] = _HEAD.pack(MAGIC, VERSION, len(table))
    return size


def read(buffer: Any) -> Mapping[str, NDArray[Any]]:
    """The arrays of a block by name, without a copy; they keep the buffer alive and cannot be written.

    Raises: ArrayBlockError.
    """
    import numpy as np

    whole = memoryview(buffer).nbytes
    if whole < _HEAD.size:
        raise ArrayBlockError(f"a block of {whole} bytes is smaller than its header")
    magic, version, length = _HEAD.unpack_from(buffer)
    if magic != MAGIC:
        raise ArrayBlockError(f"a block of arrays begins with {MAGIC!r}, not {magic!r}")
    if version != VERSION:
        raise ArrayBlockError(f"version {version} of the layout is not known; this is {VERSION}")
    if length > _MOST_TABLE or _HEAD.size + length > whole:
        raise ArrayBlockError(f"its table of {length} bytes reaches beyond it")
    table = bytes(memoryview(buffer)[_HEAD.size : _HEAD.size + length])
    try:
        entries = msgspec.json.decode(table, type=list[_Entry])
    except msgspec.DecodeError as bad:
        raise ArrayBlockError(f"its table cannot be read: {bad}") from bad
    if any(side < 0 for entry in entries for side in entry.shape):
        raise ArrayBlockError("an array has a negative size")
    offsets, size = _laid_out(entries, table)
    if size > whole:
        raise ArrayBlockError(f"the arrays take {size} bytes, the block has {whole}")
    views: dict[str, NDArray[Any]] = {}
    for entry, offset in zip(entries, offsets, strict=True):
        kind = np.dtype(f"<{entry.dtype}")
        flat = (
            np.frombuffer(buffer, kind, math.prod(entry.shape), offset) if entry.nbytes else np.empty(0, kind)
        )
        flat.flags.writeable = False
        views[entry.name] = flat.reshape(entry.shape)
    return views


def _table(arrays: Mapping[str, NDArray[Any]]) -> tuple[list[_Entry], bytes]:
    """The table of some arrays, and its text."""
    kinds = ("f4", "f8", "u4", "u1")
    entries = [
        {"name": name, "dtype": array.dtype.str[1:], "shape": array.shape} for name, array in arrays.items()
    ]
    wrong = [entry for entry in entries if entry["dtype"] not in kinds]
    if wrong:
        raise ArrayBlockError(f"{wrong[0]['name']} has {wrong[0]['dtype']}, which is none of {kinds}")
    return msgspec.convert(entries, list[_Entry]), msgspec.json.encode(entries)


def _laid_out(entries: list[_Entry], table: bytes) -> tuple[list[int], int]:
    """Where each array begins, and the size of the whole."""
    offsets: list[int] = []
    end = _HEAD.size + len(table)
    for entry in entries:
        offsets.append(placed_after(end))
        end = offsets[-1] + entry.nbytes
    return offsets, end
