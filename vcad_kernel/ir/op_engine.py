"""The engine profile of op records (cad.md §12.3): what each standard record holds, checked.

    operations = read(Stream.from_bytes(data))

Every operation has its operands defined before it, of the right kind, and its numbers finite, so that
who replays a stream need not check anything but the geometry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vcad_kernel.ir.op_bytes import Cursor, Packer, decode_failed
from vcad_kernel.ir.op_stream import BODY, SECTION, OpRecord, Stream

__all__ = ["ENGINE", "Operation", "read", "record"]


@dataclass(frozen=True, slots=True)
class _Layout:
    """A standard record: its code, the fields after ``out``, and what it makes."""

    code: int
    fields: tuple[tuple[str, str], ...]
    makes: int


def _layout(code: int, makes: int, fields: str) -> _Layout:
    pairs = (field.partition(":") for field in fields.split())
    return _Layout(code, tuple((name, shape) for name, _, shape in pairs), makes)


ENGINE: Mapping[str, _Layout] = {
    "Sphere": _layout(1, BODY, "radius:f segments:u"),
    "Cube": _layout(2, BODY, "x:f y:f z:f center:01"),
    "Cylinder": _layout(3, BODY, "height:f r_low:f r_high:f segments:u center:01"),
    "Union": _layout(4, BODY, "operands:bodies"),
    "Subtract": _layout(5, BODY, "a:body b:body"),
    "Intersect": _layout(6, BODY, "a:body b:body"),
    "Translate": _layout(7, BODY, "in:body x:f y:f z:f"),
    "Rotate": _layout(8, BODY, "in:body x:f y:f z:f"),
    "Scale": _layout(9, BODY, "in:body x:f y:f z:f"),
    "Extrude": _layout(10, BODY, "in:section height:f divisions:u twist_degrees:f"),
    "Revolve": _layout(11, BODY, "in:section segments:u degrees:f"),
    "Slice": _layout(12, SECTION, "in:body z:f"),
    "CrossCircle": _layout(100, SECTION, "radius:f segments:u"),
    "CrossSquare": _layout(101, SECTION, "x:f y:f center:01"),
    "CrossTranslate": _layout(102, SECTION, "in:section x:f y:f"),
    "CrossRotate": _layout(103, SECTION, "in:section degrees:f"),
    "CrossRect": _layout(104, SECTION, "x:f y:f center:01"),
    "CrossPoint": _layout(105, SECTION, "x:f y:f radius:f segments:u"),
    "CrossPolygons": _layout(106, SECTION, "contours:polygons"),
    "CrossFillet": _layout(107, SECTION, "in:section radius:+"),
    "CrossOffsetClone": _layout(108, SECTION, "in:section delta:f"),
    "CrossPlane": _layout(109, SECTION, "in:section kind:012 offset:f"),
    "CrossFilletCorners": _layout(110, SECTION, "in:section corners:corners"),
}
"""Every standard record by its name."""

_NAMES = {layout.code: name for name, layout in ENGINE.items()}


@dataclass(frozen=True, slots=True)
class Operation:
    """One checked record: its fields by name; operands are ids of earlier operations."""

    name: str
    out: int
    fields: Mapping[str, Any]
    index: int


def read(stream: Stream) -> tuple[Operation, ...]:
    """The operations of an engine stream.

    Raises: GeometryError DECODE_FAILED naming record and offset, for objects without a body, too.
    """
    kinds: dict[int, int] = {}
    operations = []
    for record in stream.records:
        cursor = record.cursor()
        name = _NAMES.get(record.opcode)
        if name is None:
            raise cursor.failed(f"unknown opcode {record.opcode:#x}")
        if record.flags:
            raise cursor.failed("a record of another profile")
        out = cursor.u32()
        if out == 0 or out in kinds:
            raise cursor.failed(f"the id {out} is 0 or taken")
        layout = ENGINE[name]
        fields = {field: _field(cursor, shape, kinds) for field, shape in layout.fields}
        cursor.end()
        kinds[out] = layout.makes
        operations.append(Operation(name, out, fields, record.index))
    for scene_object in stream.objects:
        if kinds.get(scene_object.root) != scene_object.kind:
            raise decode_failed(
                f"the object {scene_object.name!r} has no root {scene_object.root} of its kind", 24
            )
    return tuple(operations)


def record(name: str, out: int, **fields: Any) -> OpRecord:
    """A record of the engine profile; fields as the layout names them (``in_`` for ``in``)."""
    layout = ENGINE[name]
    packer = Packer().u32(out)
    for field, shape in layout.fields:
        value = fields["in_" if field == "in" else field]
        if shape in ("f", "+"):
            packer.f64(value)
        elif shape == "bodies":
            packer.u32(len(value), *value)
        elif shape == "polygons":
            packer.u32(len(value))
            for contour in value:
                packer.u32(len(contour)).f64(*(number for point in contour for number in point))
        elif shape == "corners":
            packer.u32(len(value))
            for contour, vertex, radius in value:
                packer.u32(contour, vertex).f64(radius)
        else:
            packer.u32(value)
    return OpRecord(layout.code, bytes(packer))


def _field(cursor: Cursor, shape: str, kinds: Mapping[int, int]) -> Any:
    if shape == "f":
        return cursor.f64()
    if shape == "+":
        value = cursor.f64()
        if value < 0.0:
            raise cursor.failed(f"{value} where 0 or more is allowed")
        return value
    if shape == "u":
        return cursor.u32()
    if shape in ("01", "012"):
        return cursor.u32(len(shape) - 1)
    if shape in ("body", "section"):
        return _operand(cursor, BODY if shape == "body" else SECTION, kinds)
    if shape == "bodies":
        return tuple(_operand(cursor, BODY, kinds) for _ in range(_count(cursor, 1)))
    if shape == "polygons":
        contours = []
        for _ in range(_count(cursor, 1)):
            numbers = cursor.f64s(2 * _count(cursor, 3))
            contours.append(tuple(zip(numbers[::2], numbers[1::2], strict=True)))
        return tuple(contours)
    corners = [(*cursor.u32s(2), cursor.f64()) for _ in range(_count(cursor, 1))]
    if len({corner[:2] for corner in corners}) < len(corners):
        raise cursor.failed("a corner comes twice")
    return tuple(corners)


def _operand(cursor: Cursor, kind: int, kinds: Mapping[int, int]) -> int:
    operand = cursor.operand(kinds)
    if kinds[operand] != kind:
        raise cursor.failed(f"operand {operand} is no {'body' if kind == BODY else 'cross-section'}")
    return operand


def _count(cursor: Cursor, least: int) -> int:
    count = cursor.u32()
    if count < least:
        raise cursor.failed(f"{count} where at least {least} are needed")
    return count
