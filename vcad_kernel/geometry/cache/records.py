"""Answers as bytes, to be kept outside the process: meshes here, B-reps in the exact kernel.

Arrays are written as they lie in memory, little-endian, with their shapes; small things as JSON before
them. Figures of exact bodies know themselves how; those of a mesh are measured again, which is quick and
leaves nothing to contradict. Reading believes nothing: whatever does not fit is an
:class:`UnreadableRecord`.
"""

from __future__ import annotations

import importlib
import json
import struct
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from vcad_kernel.geometry.cache.cached_solid import CachedSolid, finished
from vcad_kernel.geometry.cache.solid_cache import KeptFigures
from vcad_kernel.geometry.solid import Note, TracedMesh
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["RECORDS", "UnreadableRecord", "record_of"]

_SOLID, _TRACED, _BREP, _FIGURES = 1, 2, 3, 4
_STORAGE = "vcad_kernel.geometry.occt.storage"
_LENGTH = struct.Struct("<Q")


class UnreadableRecord(Exception):
    """Bytes that are no record, or not one of this version."""


def record_of(value: Any) -> tuple[int, bytes] | None:
    """The kind and the bytes of an answer; None when it is of no lasting kind."""
    if isinstance(value, CachedSolid):
        head = {"planar": value.planar, "chord": value.chord, **_traces(value)}
        return _SOLID, _written(head, value.mesh, value.maker_of)
    if isinstance(value, TracedMesh):
        return _TRACED, _written({"chord": value.chord, **_traces(value)}, value.mesh, value.maker_of)
    if isinstance(value, KeptFigures):
        return _FIGURES, value.to_bytes()
    # where there is a B-rep, the exact kernel is loaded; nothing else may load it
    storage = sys.modules.get(_STORAGE) or ("OCP" in sys.modules and importlib.import_module(_STORAGE))
    written = storage.to_bytes(value) if storage else None
    return None if written is None else (_BREP, written)


def _traces(value: CachedSolid | TracedMesh) -> dict[str, Any]:
    return {
        "makers": [maker.hex() for maker in value.makers],
        "notes": [{**asdict(note), "maker": note.maker.hex()} for note in value.notes],
    }


def _written(head: Mapping[str, Any], mesh: TriMesh, maker_of: NDArray[np.uint32]) -> bytes:
    counts = {"vertices": mesh.vertex_count, "triangles": mesh.triangle_count}
    text = json.dumps({**head, **counts}).encode()
    arrays = (
        mesh.positions.astype("<f8", copy=False),
        mesh.indices.astype("<u4", copy=False),
        maker_of.astype("<u4", copy=False),
    )
    return b"".join([_LENGTH.pack(len(text)), text, *(array.tobytes() for array in arrays)])


def _read(content: bytes) -> tuple[dict[str, Any], TriMesh, NDArray[np.uint32]]:
    try:
        (length,) = _LENGTH.unpack_from(content)
        head = json.loads(content[_LENGTH.size : _LENGTH.size + length])
        vertices, triangles = int(head["vertices"]), int(head["triangles"])
        arrays = _Arrays(content, _LENGTH.size + length)
        mesh = TriMesh(
            arrays.next("<f8", vertices * 3).astype(np.float64).reshape(-1, 3),
            arrays.next("<u4", triangles * 3).astype(np.uint32).reshape(-1, 3),
        )
        maker_of = arrays.next("<u4", triangles).astype(np.uint32)
        if not arrays.is_at_end or int(mesh.indices.max(initial=0)) >= max(vertices, 1):
            raise UnreadableRecord("the arrays do not fit each other")
        if int(maker_of.max(initial=0)) >= max(len(head["makers"]), 1):
            raise UnreadableRecord("a triangle has an unknown maker")
    except (ValueError, KeyError, TypeError, struct.error) as error:
        raise UnreadableRecord(f"the record cannot be read: {error}") from error
    return head, mesh, maker_of


class _Arrays:
    """Arrays one after the other in a run of bytes."""

    def __init__(self, content: bytes, start: int) -> None:
        self._content = content
        self._at = start

    def next(self, dtype: DTypeLike, count: int) -> NDArray[Any]:
        """The next array. Raises ValueError when too little is left."""
        array = np.frombuffer(self._content, dtype, count, self._at)
        self._at += array.nbytes
        return array

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._content)


def _makers(head: Mapping[str, Any]) -> tuple[bytes, ...]:
    return tuple(bytes.fromhex(maker) for maker in head["makers"])


def _notes(head: Mapping[str, Any]) -> tuple[Note, ...]:
    return tuple(Note(note["code"], note["message"], bytes.fromhex(note["maker"])) for note in head["notes"])


def _solid(content: bytes) -> CachedSolid:
    head, mesh, maker_of = _read(content)
    return finished(mesh, bool(head["planar"]), float(head["chord"]), _makers(head), maker_of, _notes(head))


def _traced(content: bytes) -> TracedMesh:
    head, mesh, maker_of = _read(content)
    return TracedMesh(mesh, _makers(head), maker_of, float(head["chord"]), _notes(head))


def _brep(content: bytes) -> Any:
    storage = importlib.import_module(_STORAGE)
    try:
        return storage.from_bytes(content)
    except ValueError as error:
        raise UnreadableRecord(str(error)) from error


def _figures(content: bytes) -> KeptFigures:
    try:
        return KeptFigures.from_bytes(content)
    except ValueError as error:
        raise UnreadableRecord(f"the record cannot be read: {error}") from error


RECORDS: Mapping[int, Callable[[bytes], Any]] = {
    _SOLID: _solid,
    _TRACED: _traced,
    _BREP: _brep,
    _FIGURES: _figures,
}
"""Who reads each kind of record; all raise UnreadableRecord."""
