"""The document profile of op records (cad.md §12.4): lossless, one record for each node.

    data = encode(document)
    assert decode(data) == document

Where the documents came from (their sites) is not part of them and not written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
from msgspec import UNSET

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir import codec_json
from vcad_kernel.ir.document import Document, Root
from vcad_kernel.ir.op_bytes import Cursor, Packer, decode_failed
from vcad_kernel.ir.op_nodes import read_node, written_node
from vcad_kernel.ir.op_stream import BODY, DOCUMENT, NAMED, OpRecord, SceneObject, Stream, object_hash
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.scene import Material

__all__ = ["decode", "document_of", "encode"]

_MATERIAL, _ROOT, _REST = 0x8100, 0x8101, 0x8102
_ORDINARY = frozenset({"version", "parameters"})
"""What the rest of a document holds where it has no members that this version does not know."""
_VISIBLE: tuple[bool | None, ...] = (None, False, True)


def encode(document: Document, names: Sequence[str] = ()) -> bytes:
    """The document as a scene payload; equal documents give equal bytes.

    names: of the objects, one for each root; by default the names of their nodes.
    Raises: GeometryError ENCODE_FAILED for ids and counts beyond 32 bits and texts that are no Unicode.
    """
    records: list[OpRecord] = []
    made: dict[NodeId, OpRecord] = {}
    for node_id in document.children_first(sorted(document.nodes)):
        opcode, payload = written_node(document.nodes[node_id], node_id)
        name = document.names.get(node_id)
        flags = DOCUMENT
        if name is not None:
            flags |= NAMED
            payload.text(name)
        made[node_id] = OpRecord(opcode, bytes(payload), flags)
        records.append(made[node_id])
    for key in sorted(document.materials):
        payload = Packer().u32(0).text(key)
        _write_material(document.materials[key], payload)
        records.append(OpRecord(_MATERIAL, bytes(payload), DOCUMENT))
    for root in document.roots:
        payload = Packer(root.node).u32(root.node + 1).text(root.material).u8(_VISIBLE.index(root.visible))
        records.append(OpRecord(_ROOT, bytes(payload), DOCUMENT))
    rest = msgspec.json.encode(_rest(document), order="sorted").decode()
    records.append(OpRecord(_REST, bytes(Packer().u32(0).text(rest)), DOCUMENT))
    called = names or [document.names.get(root.node, "") for root in document.roots]
    objects = tuple(
        SceneObject(
            object_hash(BODY, root.node + 1, made[root.node], ordinal, None),
            BODY,
            root.node + 1,
            name,
        )
        for ordinal, (root, name) in enumerate(zip(document.roots, called, strict=True))
    )
    return Stream(objects, tuple(records)).to_bytes()


def decode(data: bytes) -> Document:
    """The document of a scene payload.

    Raises: GeometryError DECODE_FAILED with ``offset`` and ``record``, and nothing else.
    """
    return document_of(Stream.from_bytes(data), len(data))


def document_of(stream: Stream, size: int) -> Document:
    """The document of a stream that has been taken apart; size: its bytes. Raises: as `decode`."""
    reading = _Reading()
    for record in stream.records:
        if not record.flags & DOCUMENT:
            raise decode_failed(
                "a record of the engine profile, not of a document", record.offset, record.index
            )
        cursor = record.cursor()
        reading.read(record, cursor)
    if reading.rest is None:
        raise decode_failed("the record of the document itself is missing", size)
    return reading.document()


def _write_material(material: Material, packer: Packer) -> None:
    packer.f64(*material.color, material.metallic, material.roughness)
    optional = (material.density, material.friction, material.opacity if material.is_clear else None)
    packer.options([None if value is None else Packer().f64(value) for value in optional])


def _rest(document: Document) -> dict[str, Any]:
    """What no other record holds, as a sparse document: version, parameters and unknown members."""
    extras = document.extras
    rest: dict[str, Any] = {**extras.document, "version": document.version}
    if document.parameters:
        rest["parameters"] = codec_json.encode_parameters(document)
    nodes: dict[str, dict[str, Any]] = {str(node): dict(more) for node, more in extras.nodes.items()}
    for node, more in extras.operations.items():
        nodes.setdefault(str(node), {})["op"] = dict(more)
    materials = {key: dict(more) for key, more in extras.materials.items()}
    for key, material in document.materials.items():
        if material.name != key:
            materials.setdefault(key, {})["name"] = material.name
    roots = {str(index): dict(more) for index, more in extras.roots.items()}
    for name, members in (("nodes", nodes), ("materials", materials), ("roots", roots)):
        if members:
            rest[name] = members
    return rest


class _Reading:
    """A document while its records come in."""

    def __init__(self) -> None:
        self.nodes: dict[NodeId, Node] = {}
        self.names: dict[NodeId, str] = {}
        self.materials: dict[str, Material] = {}
        self.roots: list[Root] = []
        self.rest: Mapping[str, Any] | None = None
        self._last = Cursor(b"")
        self._defined: set[int] = set()

    def read(self, record: OpRecord, cursor: Cursor) -> None:
        """Take in one record."""
        if self.rest is not None:
            raise cursor.failed("a record after the last one")
        special: Mapping[int, Callable[[Cursor], None]] = {
            _MATERIAL: self._material,
            _ROOT: self._root,
            _REST: self._rest,
        }
        reader = special.get(record.opcode)
        if reader is None:
            self._node(record, cursor)
            return
        if record.flags & NAMED:
            raise cursor.failed("only a node has a name")
        reader(cursor)
        cursor.end()

    def _node(self, record: OpRecord, cursor: Cursor) -> None:
        out = cursor.u32()
        if out == 0 or out in self._defined:
            raise cursor.failed(f"the id {out} is 0 or taken")
        node_id = NodeId(out - 1)
        self.nodes[node_id] = read_node(record.opcode, cursor, self._defined)
        if record.flags & NAMED:
            self.names[node_id] = cursor.text()
        cursor.end()
        self._defined.add(out)

    def _material(self, cursor: Cursor) -> None:
        _expect_zero(cursor)
        name = cursor.text()
        if name in self.materials:
            raise cursor.failed(f"the material {name!r} comes twice")
        red, green, blue, metallic, roughness = cursor.f64s(5)
        density, friction, alpha = (cursor.f64() if there else None for there in cursor.options(3))
        if alpha is not None and not 0.0 <= alpha < 1.0:
            raise cursor.failed(f"the alpha of the material {name!r} must be below 1 and not below 0")
        self.materials[name] = Material(
            name,
            (red, green, blue),
            metallic,
            roughness,
            density,
            friction,
            UNSET if alpha is None else alpha,
        )

    def _root(self, cursor: Cursor) -> None:
        node = NodeId(cursor.operand(self._defined) - 1)
        material = cursor.text()
        self.roots.append(Root(node, material, _VISIBLE[cursor.u8(2)]))

    def _rest(self, cursor: Cursor) -> None:
        _expect_zero(cursor)
        self._last = cursor
        text = cursor.text()
        try:
            rest = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            raise cursor.failed("the rest of the document is not JSON") from error
        if not isinstance(rest, dict):
            raise cursor.failed("the rest of the document is no object")
        self.rest = rest

    def document(self) -> Document:
        """The document, with the rest laid over it."""
        plain = Document(self.nodes, self.materials, tuple(self.roots), self.names)
        if set(self.rest or {}) <= _ORDINARY:
            return self._ordinary(plain)
        whole = codec_json.encode(plain)
        try:
            for name, value in (self.rest or {}).items():
                if name in ("nodes", "materials"):
                    for key, more in value.items():
                        _lay_over(whole[name][key], more)
                elif name == "roots":
                    for key, more in value.items():
                        _lay_over(whole["roots"][int(key)], more)
                else:
                    whole[name] = value
            return codec_json.decode(whole)
        except (GeometryError, LookupError, AttributeError, TypeError, ValueError, RecursionError) as error:
            raise self._last.failed(f"the rest of the document does not fit its records ({error})") from error

    def _ordinary(self, plain: Document) -> Document:
        """The document where nothing of the rest speaks of a node, a material or a root."""
        try:
            rest = codec_json.decode(dict(self.rest or {}))
        except GeometryError as error:
            raise self._last.failed(f"the rest of the document does not fit its records ({error})") from error
        return replace(
            plain,
            version=rest.version,
            parameters=rest.parameters,
            extras=rest.extras,
            _known_digests=plain._known_digests,
        )


def _lay_over(record: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add unknown members; those of an operation go into the operation. Known ones may not change."""
    for name, value in more.items():
        if name == "op":
            _lay_over(record["op"], value)
        elif name in record and name != "name":
            raise ValueError(f"the member '{name}' comes twice")
        else:
            record[name] = value


def _expect_zero(cursor: Cursor) -> None:
    if cursor.u32() != 0:
        raise cursor.failed("a record that defines no node has the id 0")
