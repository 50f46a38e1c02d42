"""Content hashes of nodes: equal digests mean equal solids, whatever the ids and names.

A node's digest covers its kind, its fields and the digests of its children, so it stands for the
whole sub-graph in canonical post-order. 0.0 and −0.0 hash alike, as they are equal in Loon.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from typing import Any, TypeAlias

from blake3 import blake3

from vcad_kernel.operations.features.places import AlongEdge, Corners, Grid, Places, Points, Ring
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.node import Node, NodeId, Vec2, Vec3, fields_of
from vcad_kernel.operations.profiles.paths import (
    CylinderPath,
    DrawnPath,
    HelixPath,
    LinePath,
    Path,
    PolylinePath,
)
from vcad_kernel.operations.profiles.sketches import Arc, Curves, EllipseArc, Outlines, Segment, Spline

__all__ = ["Digest", "node_digest"]

Digest: TypeAlias = bytes
"""32 bytes, blake3."""

_ABSENT = b"\xff"
_PRESENT = b"\x01"
_MORE = b"\x02"
"""Present, with more to come than there once was."""


def _numbers(values: tuple[float, ...]) -> bytes:
    # adding 0.0 turns −0.0 into 0.0 and leaves every other number as it is
    return struct.pack(f"<I{len(values)}d", len(values), *[value + 0.0 for value in values])


def _integers(values: tuple[int, ...]) -> bytes:
    return struct.pack(f"<I{len(values)}q", len(values), *values)


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<I", len(data)) + data


def _segments(value: Curves) -> bytes:
    parts = [struct.pack("<I", len(value))]
    for segment in value:
        if isinstance(segment, Arc):
            parts.append(b"A+" if segment.ccw else b"A-")
            parts.append(_numbers((*segment.start, *segment.end, *segment.center)))
        elif isinstance(segment, EllipseArc):
            parts.append(b"E+" if segment.ccw else b"E-")
            ends = (*segment.start, *segment.end, *segment.center)
            parts.append(_numbers((*ends, *segment.major, *segment.minor)))
        elif isinstance(segment, Spline):
            poles = [number for pole in segment.poles for number in pole]
            parts += [b"S", _integers((segment.degree,)), _numbers(tuple(poles)), _numbers(segment.knots)]
        else:
            parts.append(b"L" + _numbers((*segment.start, *segment.end)))
    return b"".join(parts)


def _outlines(value: Outlines) -> bytes:
    return struct.pack("<I", len(value)) + b"".join([_segments(outline) for outline in value])


def _path(value: Path) -> bytes:
    if isinstance(value, LinePath):
        return b"L" + _numbers((*value.start, *value.end))
    if isinstance(value, HelixPath):
        return b"H" + _numbers((value.radius, value.pitch, value.height, value.turns))
    if isinstance(value, CylinderPath):
        knots = [number for knot in value.knots for number in knot]
        return b"C" + _numbers((value.radius, value.step, *knots))
    if isinstance(value, DrawnPath):
        return b"D" + _numbers((*value.origin, *value.x_dir, *value.y_dir)) + _segments(value.curves)
    points = [number for point in value.points for number in point]
    if isinstance(value, PolylinePath):
        return b"P" + _numbers((value.bend, *points))
    return b"S" + _numbers(tuple(points))


def _selector(value: Selector | None) -> bytes:
    """Every criterion, kind by kind of value, the absent ones marked, then the neighbour's; then the younger
    criteria that are there, by name, behind a mark of their own: the digests of other selectors stay."""
    if value is None:
        return _ABSENT
    younger = [
        _text(name) + encode(getattr(value, name))
        for name, encode in _YOUNGER
        if getattr(value, name) is not None
    ]
    parts = [_MORE if younger else _PRESENT, _text(value.target)]
    for vector in (value.parallel, value.normal, value.length, value.radius):
        parts.append(_ABSENT if vector is None else _PRESENT + _numbers(vector))
    for coordinates in (value.at, value.above, value.below):
        if coordinates is None:
            parts.append(_ABSENT)
        else:
            axes = "".join(axis for axis, _ in coordinates)
            parts += [_PRESENT, _text(axes), _numbers(tuple(number for _, number in coordinates))]
    for count in (value.largest, value.smallest, value.convex):
        parts.append(_ABSENT if count is None else _PRESENT + struct.pack("<q", count))
    for text in (value.kind, value.made_by):
        parts.append(_ABSENT if text is None else _PRESENT + _text(text))
    parts.append(_selector(value.adjacent))
    if younger:
        parts += [struct.pack("<I", len(younger)), *younger]
    return b"".join(parts)


def _selectors(values: tuple[Selector, ...]) -> bytes:
    return struct.pack("<I", len(values)) + b"".join(map(_selector, values))


def _whole(value: int) -> bytes:
    return struct.pack("<q", value)


def _places(value: Places) -> bytes:
    if isinstance(value, Points):
        return b"P" + _numbers(tuple(number for point in value.points for number in point))
    if isinstance(value, Grid):
        return b"G" + _integers((value.columns, value.rows)) + _numbers(value.spacing)
    if isinstance(value, Ring):
        return b"R" + _integers((value.number,)) + _numbers((value.radius,))
    if isinstance(value, Corners):
        return b"C" + _numbers((value.inset,))
    if isinstance(value, AlongEdge):
        return b"A" + _integers((value.number,)) + _numbers((value.inset,)) + _selector(value.edge)
    return b"O" + _selector(value.which)


_Encoder: TypeAlias = Callable[[Any], bytes]

_YOUNGER: tuple[tuple[str, _Encoder], ...] = (
    *((name, _text) for name in ("side", "sort_by")),
    *((name, _whole) for name in ("inside", "outside", "new", "chain", "nth")),
    *((name, _selectors) for name in ("between", "any_of", "all_of")),
    ("none_of", _selector),
)
"""The criteria that selectors did not have at first. In this order, to whose end others come."""

_ENCODERS: dict[Any, _Encoder] = {
    float: lambda value: struct.pack("<d", value + 0.0),
    int: _whole,
    bool: lambda value: b"T" if value else b"F",
    str: _text,
    Vec3: lambda v: struct.pack("<3d", v[0] + 0.0, v[1] + 0.0, v[2] + 0.0),
    Vec2: _numbers,
    tuple[float, ...]: _numbers,
    tuple[int, ...]: _integers,
    tuple[Vec3, ...]: lambda points: _numbers(tuple(number for point in points for number in point)),
    tuple[Segment, ...]: _segments,
    Outlines: _outlines,
    Path: _path,
    Places: _places,
    Selector: _selector,
}
"""By the type of a field."""


@functools.cache
def _plan(kind: type[Node]) -> tuple[bytes, tuple[tuple[str, bytes, bytes, Any], ...]]:
    """How each node of a kind begins, and of each field its name, what stands for it where it is absent and
    before it where it is there, and its encoder: NodeId for a child, None for several."""
    encoders = {**_ENCODERS, NodeId: NodeId, tuple[NodeId, ...]: None}
    fields = []
    for field in fields_of(kind):
        absent, present = (_ABSENT, _PRESENT) if field.optional else (b"", b"")
        if field.name in kind.YOUNGER:
            absent, present = b"", _MORE + _text(field.name)
        fields.append((field.name, absent, present, encoders[field.type]))
    return kind.KIND.encode() + b"\0", tuple(fields)


def node_digest(node: Node, digest_of: Callable[[NodeId], Digest]) -> Digest:
    """The content hash of ``node``, given those of its children."""
    head, fields = _plan(type(node))
    parts = [head]
    for name, absent, present, encode in fields:
        value = getattr(node, name)
        if value is None:
            parts.append(absent)
            continue
        parts.append(present)
        if encode is NodeId:
            parts.append(digest_of(value))
        elif encode is None:
            parts.append(struct.pack("<I", len(value)))
            parts.extend([digest_of(child) for child in value])
        else:
            parts.append(encode(value))
    return blake3(b"".join(parts)).digest()
