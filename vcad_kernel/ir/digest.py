"""Content hashes of nodes: equal digests mean equal solids, whatever the ids and names.

A node's digest covers its kind, its fields and the digests of its children, so it stands for the
whole sub-graph in canonical post-order. 0.0 and −0.0 hash alike, as they are equal in Loon.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, TypeAlias

from blake3 import blake3

from vcad_kernel.ir.nodes import Arc, HelixPath, LinePath, Node, NodeId, Shape

__all__ = ["Digest", "node_digest"]

Digest: TypeAlias = bytes
"""32 bytes, blake3."""

_ABSENT = b"\xff"
_PRESENT = b"\x01"


def _numbers(values: tuple[float, ...]) -> bytes:
    # adding 0.0 turns −0.0 into 0.0 and leaves every other number as it is
    return struct.pack(f"<I{len(values)}d", len(values), *[value + 0.0 for value in values])


def _integers(values: tuple[int, ...]) -> bytes:
    return struct.pack(f"<I{len(values)}q", len(values), *values)


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<I", len(data)) + data


def _segments(value: tuple[Any, ...]) -> bytes:
    parts = [struct.pack("<I", len(value))]
    for segment in value:
        if isinstance(segment, Arc):
            parts.append(b"A+" if segment.ccw else b"A-")
            parts.append(_numbers((*segment.start, *segment.end, *segment.center)))
        else:
            parts.append(b"L" + _numbers((*segment.start, *segment.end)))
    return b"".join(parts)


def _path(value: LinePath | HelixPath) -> bytes:
    if isinstance(value, LinePath):
        return b"L" + _numbers((*value.start, *value.end))
    return b"H" + _numbers((value.radius, value.pitch, value.height, value.turns))


_ENCODERS: dict[Shape, Callable[[Any], bytes]] = {
    Shape.NUMBER: lambda value: struct.pack("<d", value + 0.0),
    Shape.COUNT: lambda value: struct.pack("<q", value),
    Shape.VEC3: lambda v: struct.pack("<3d", v[0] + 0.0, v[1] + 0.0, v[2] + 0.0),
    Shape.SEGMENTS: _segments,
    Shape.PATH: _path,
    Shape.NUMBERS: _numbers,
    Shape.INDICES: _integers,
    Shape.TEXT: _text,
    Shape.FLAG: lambda value: b"T" if value else b"F",
}


def node_digest(node: Node, digest_of: Callable[[NodeId], Digest]) -> Digest:
    """The content hash of ``node``, given those of its children."""
    parts = [node.KIND.encode(), b"\0"]
    for field in node.FIELDS:
        value = getattr(node, field.name)
        if field.optional:
            if value is None:
                parts.append(_ABSENT)
                continue
            parts.append(_PRESENT)
        shape = field.shape
        if shape is Shape.CHILD:
            parts.append(digest_of(value))
        elif shape is Shape.CHILDREN:
            parts.append(struct.pack("<I", len(value)))
            parts.extend([digest_of(child) for child in value])
        else:
            parts.append(_ENCODERS[shape](value))
    return blake3(b"".join(parts)).digest()
