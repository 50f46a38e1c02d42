"""Answers that outlive the process: finished meshes, B-reps and exact figures, one file each.

    store = DiskCache(workspace / ".vcad" / "cache")
    cache = SolidCache(behind=store)

A file is named by the hash of its key and says in its header what it is, for which key, how long, and
the checksum of its content, so that a torn, foreign or outdated file is seen for what it is and removed.
It is written beside its place and moved there in one step: several sessions may share a folder, and the
worst that can happen is that one of them does the work again. Nothing here ever fails an evaluation.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import json
import logging
import os
import secrets
import struct
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3
from numpy.typing import DTypeLike, NDArray

from vcad_kernel.geometry.cache.solid_cache import CachedSolid, CacheKey, KeptFigures, finished
from vcad_kernel.geometry.solid import Note, TracedMesh
from vcad_kernel.geometry.tri_mesh import TriMesh

__all__ = ["DISK_LIMIT", "RECORDS", "DiskCache", "UnreadableRecord", "record_of"]

DISK_LIMIT = 1024 * 1024 * 1024
"""Bytes."""
_DISTRIBUTION = "vcad-workbench"
_MAGIC = b"VCADKEEP"
_VERSION = 3
_HEADER = struct.Struct("<8sHH32s32sQ")
"""Magic, version, kind of record, hash of the key, checksum of the content, length of the content."""
_SUFFIX = ".kept"
_UNFINISHED = ".part"
_STALE = 3600.0
"""Seconds after which an unfinished file counts as abandoned."""
_SWEEP = 16
"""The folder is measured again after so many new files: other sessions write to it, too."""

_log = logging.getLogger(__name__)


class DiskCache:
    """A ``LastingStore`` of the solid cache in a folder, which is made when first written to.

    limit: bytes; the files that were not used for longest go first. clock: seconds since the epoch.
    """

    def __init__(
        self, folder: Path, *, limit: int = DISK_LIMIT, clock: Callable[[], float] = time.time
    ) -> None:
        self._folder = folder
        self._limit = limit
        self._clock = clock
        self._until_sweep = 0

    def get(self, key: CacheKey) -> Any | None:
        """The answer, if it is there and whole."""
        if not _is_lasting(key):
            return None
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        try:
            value = _opened(data, _hash(key))
        except UnreadableRecord as wrong:
            _log.debug("%s is not used: %s", path, wrong)
            _remove(path)
            return None
        with contextlib.suppress(OSError):  # another session may have removed it meanwhile
            now = self._clock()
            os.utime(path, (now, now))
        return value

    def put(self, key: CacheKey, value: Any) -> None:
        """Keep an answer if it is of a lasting kind; a full or read-only disk is no error."""
        record = record_of(value) if _is_lasting(key) else None
        if record is None:
            return
        kind, content = record
        if _HEADER.size + len(content) > self._limit:
            return
        digest = _hash(key)
        header = _HEADER.pack(_MAGIC, _VERSION, kind, digest, blake3(content).digest(), len(content))
        path = self._path(key)
        unfinished = path.with_name(f"{path.stem}.{os.getpid()}-{secrets.token_hex(4)}{_UNFINISHED}")
        try:
            self._make_folder()
            unfinished.write_bytes(header + content)
            unfinished.replace(path)
        except OSError as error:
            _log.debug("%s could not be written: %s", path, error)
            _remove(unfinished)
            return
        self._until_sweep -= 1
        if self._until_sweep < 0:
            self._until_sweep = _SWEEP
            self.sweep()

    def sweep(self) -> None:
        """Remove what was not used for longest beyond the limit, and abandoned files."""
        entries: list[tuple[float, int, Path]] = []
        with contextlib.suppress(OSError):
            for entry in os.scandir(self._folder):
                with contextlib.suppress(OSError):  # removed by another session while we look
                    about = entry.stat()
                    if entry.name.endswith(_SUFFIX):
                        entries.append((about.st_mtime, about.st_size, Path(entry.path)))
                    elif entry.name.endswith(_UNFINISHED) and self._clock() - about.st_mtime > _STALE:
                        _remove(Path(entry.path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self._limit:
                break
            _remove(path)
            total -= size

    def _make_folder(self) -> None:
        if not self._folder.is_dir():
            self._folder.mkdir(parents=True, exist_ok=True)
            # the cache can always be made again: keep it out of repositories
            with contextlib.suppress(FileExistsError), (self._folder / ".gitignore").open("x") as ignore:
                ignore.write("*\n")

    def _path(self, key: CacheKey) -> Path:
        return self._folder / f"{_hash(key).hex()}{_SUFFIX}"


def _is_lasting(key: CacheKey) -> bool:
    """Whether answers to this question are kept at all: noted bodies are made again sooner than read."""
    return not key[1].startswith(("body ", "result "))


@functools.cache
def _makers_version() -> str:
    """The version of this program: another one may build the same document differently."""
    try:
        return importlib.metadata.version(_DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _hash(key: CacheKey) -> bytes:
    digest, question, tessellation = key
    asked = repr((question, tessellation, _VERSION, _makers_version()))
    return blake3(digest + asked.encode()).digest()


def _opened(data: bytes, expected: bytes) -> Any:
    """The answer in a file. Raises UnreadableRecord."""
    if len(data) < _HEADER.size:
        raise UnreadableRecord("it is too short for a header")
    magic, version, kind, key, checksum, length = _HEADER.unpack_from(data)
    content = data[_HEADER.size :]
    if magic != _MAGIC or version != _VERSION:
        raise UnreadableRecord("it is of another kind or version")
    if key != expected:
        raise UnreadableRecord("it answers another question")
    if len(content) != length or blake3(content).digest() != checksum:
        raise UnreadableRecord("it is torn")
    if kind not in RECORDS:
        raise UnreadableRecord(f"records of kind {kind} are not known")
    return RECORDS[kind](content)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


# ---- answers as bytes, to be kept outside the process: meshes here, B-reps in the exact kernel ----
# Arrays are written as they lie in memory, little-endian, with their shapes; small things as JSON before
# them. Figures of exact bodies know themselves how; those of a mesh are measured again, which is quick and
# leaves nothing to contradict. Reading believes nothing: whatever does not fit is an
# :class:`UnreadableRecord`.


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
