"""The scene payload around op records (cad.md §12.2): header, object table, records, diagnostics.

Knows how records are framed, not what they mean: that is :mod:`vcad_kernel.ir.op_engine` and
:mod:`vcad_kernel.ir.op_document`. Written in the order of the protocol; read in both orders in use.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.op_bytes import Cursor, Packer, decode_failed, encode_failed, fnv1a

__all__ = [
    "BODY",
    "DOCUMENT",
    "NAMED",
    "SECTION",
    "VERSION",
    "OpRecord",
    "SceneObject",
    "Stream",
    "object_hash",
]

VERSION = 3
BODY = 1
"""Kind of an object: a solid."""
SECTION = 2
"""Kind of an object: a cross-section."""
DOCUMENT = 1
"""Flag of a record of the document profile."""
NAMED = 2
"""Flag of a record whose payload ends with the node's name."""

_HEADER = struct.Struct("<6I")
_OBJECT = struct.Struct("<QIIII")
_RECORD = struct.Struct("<HHI")


@dataclass(frozen=True, slots=True)
class OpRecord:
    """One record: what it does and the bytes that say with what."""

    opcode: int
    payload: bytes
    flags: int = 0
    index: int = 0
    """Position among the records, from 0."""
    offset: int = 0
    """Of the payload in the stream, bytes."""

    def cursor(self) -> Cursor:
        """A reader of the payload whose errors know the record."""
        return Cursor(self.payload, self.offset, self.index)


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One object of the scene."""

    id_hash: int
    kind: int
    root: int
    """The id of the record's result."""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Stream:
    """A scene as objects and the records that build them."""

    objects: tuple[SceneObject, ...]
    records: tuple[OpRecord, ...]
    diagnostics: str = ""

    def to_bytes(self) -> bytes:
        """The payload: header, object table with names, records, diagnostics."""
        hashes = [entry.id_hash for entry in self.objects]
        if len(set(hashes)) < len(hashes):
            raise encode_failed("two objects have the same id")
        names = [entry.name.encode() for entry in self.objects]
        table = b"".join(
            _OBJECT.pack(entry.id_hash, entry.kind, entry.root, len(name), 0)
            for entry, name in zip(self.objects, names, strict=True)
        )
        records_size = len(table)
        table += b"".join(names)
        said = Packer().text(self.diagnostics)[4:]
        header = _HEADER.pack(
            VERSION, len(self.objects), len(self.records), records_size, len(said), len(table)
        )
        operations = b"".join(
            _RECORD.pack(record.opcode, record.flags, len(record.payload)) + record.payload
            for record in self.records
        )
        return header + table + operations + said

    @classmethod
    def from_bytes(cls, data: bytes) -> Stream:
        """The scene of a payload in either order.

        Raises: GeometryError DECODE_FAILED with ``offset`` and, inside a record, ``record``.
        """
        if len(data) < _HEADER.size:
            raise decode_failed(f"the header has {_HEADER.size} bytes, here are {len(data)}", 0)
        version, objects, operations, records_size, third, table_size = _HEADER.unpack_from(data)
        if version != VERSION:
            raise decode_failed(f"version {version} where {VERSION} is read", 0)
        if records_size != _OBJECT.size * objects:
            return _records_first(data, objects, operations, records_size, third, table_size)
        try:
            return _objects_first(data, objects, operations, third, table_size)
        except GeometryError as error:
            try:
                return _records_first(data, objects, operations, records_size, third, table_size)
            except GeometryError:
                raise error from None


def object_hash(kind: int, root: int, record: OpRecord | None, ordinal: int, user_id: str | None) -> int:
    """The stable id of an object: from the user's own id, else from what it is and where it stands."""
    if user_id:
        return fnv1a(user_id.encode())
    digest = 0
    if record is not None:
        digest = fnv1a(struct.pack("<QQ", record.opcode, fnv1a(record.payload)))
    return fnv1a(struct.pack("<4Q", kind, root, digest, ordinal))


def _objects_first(data: bytes, objects: int, operations: int, said: int, table_size: int) -> Stream:
    """The order of the protocol: object table, records, diagnostics."""
    cursor = Cursor(data)
    cursor.take(_HEADER.size)
    entries = _entries(cursor, objects)
    names_size = sum(length for _, _, _, length in entries)
    if _OBJECT.size * objects + names_size != table_size:
        raise cursor.failed(f"the names take {names_size} bytes, which is not what the header says")
    names = [cursor.utf8(length) for _, _, _, length in entries]
    records = _records(data, cursor, operations)
    diagnostics = cursor.utf8(said)
    cursor.end()
    return Stream(_objects(entries, names), records, diagnostics)


def _records_first(
    data: bytes, objects: int, operations: int, records_size: int, names_size: int, table_size: int
) -> Stream:
    """The other order in use: records, object table, names; no diagnostics."""
    cursor = Cursor(data)
    cursor.take(_HEADER.size)
    records = _records(data, cursor, operations)
    if cursor.offset != _HEADER.size + records_size:
        raise cursor.failed(f"the records do not take the {records_size} bytes of the header")
    if table_size != _OBJECT.size * objects:
        raise cursor.failed(f"{objects} objects do not take {table_size} bytes")
    entries = _entries(cursor, objects)
    if sum(length for _, _, _, length in entries) != names_size:
        raise cursor.failed(f"the names do not take the {names_size} bytes of the header")
    names = [cursor.utf8(length) for _, _, _, length in entries]
    cursor.end()
    return Stream(_objects(entries, names), records)


def _entries(cursor: Cursor, count: int) -> list[tuple[int, int, int, int]]:
    """(hash, kind, root, length of the name) of each object."""
    whole = cursor.take(_OBJECT.size * count)
    entries = []
    for id_hash, kind, root, length, reserved in _OBJECT.iter_unpack(whole):
        if kind > SECTION:
            raise cursor.failed(f"an object of the unknown kind {kind}")
        if reserved:
            raise cursor.failed("the reserved field of an object is not 0")
        entries.append((id_hash, kind, root, length))
    if len({entry[0] for entry in entries}) < len(entries):
        raise cursor.failed("two objects have the same id")
    return entries


def _objects(entries: Sequence[tuple[int, int, int, int]], names: Sequence[str]) -> tuple[SceneObject, ...]:
    return tuple(
        SceneObject(id_hash, kind, root, name)
        for (id_hash, kind, root, _), name in zip(entries, names, strict=True)
    )


def _records(data: bytes, cursor: Cursor, count: int) -> tuple[OpRecord, ...]:
    if count * _RECORD.size > len(data):
        raise cursor.failed(f"{count} records do not fit into {len(data)} bytes")
    records: list[OpRecord] = []
    for index in range(count):
        cursor.record = index
        opcode, flags, length = _RECORD.unpack(cursor.take(_RECORD.size))
        if flags not in (0, DOCUMENT, DOCUMENT | NAMED):
            raise cursor.failed(f"unknown flags {flags:#x}")
        if records and (flags & DOCUMENT) != (records[0].flags & DOCUMENT):
            raise cursor.failed("records of two profiles in one stream")
        offset = cursor.offset
        records.append(OpRecord(opcode, cursor.take(length), flags, index, offset))
    cursor.record = None
    return tuple(records)
