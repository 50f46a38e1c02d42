"""Payloads of nodes in the document profile of op records (cad.md §12.4), and back.

A standard opcode stands where the fields of a node are those of the record: the fields in their order, the
optional ones behind a byte that says which are there. Nodes without a code of their own travel as JSON under
0x8040. Ids in payloads are node ids + 1, inside JSON node ids.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

import msgspec

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir import codec_json
from vcad_kernel.ir.op_bytes import Cursor, Packer
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Rotate, Scale, Translate
from vcad_kernel.operations.features.features import Chamfer, Fillet, Shell
from vcad_kernel.operations.node import Node, NodeId, Vec3, fields_of
from vcad_kernel.operations.profiles.paths import HelixPath, LinePath, Path
from vcad_kernel.operations.profiles.sketches import Arc, Line, Segment, Sketch2D
from vcad_kernel.operations.solids.imported import ImportedMesh
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Empty, Sphere
from vcad_kernel.operations.solids.sweeps import Extrude, Loft, Revolve, Sweep

__all__ = ["read_node", "written_node"]

_JSON = 0x8040
_CLOSED: tuple[bool | None, ...] = (None, False, True)

_CODES: Mapping[type[Node], int] = {
    Sphere: 1,
    Cube: 2,
    Cylinder: 3,
    Union: 4,
    Difference: 5,
    Intersection: 6,
    Translate: 7,
    Scale: 9,
    Fillet: 0x8001,
    Chamfer: 0x8002,
    Shell: 0x8003,
    ImportedMesh: 0x8004,
    Empty: 0x8006,
    Cone: 0x8010,
    Rotate: 0x8011,
    Sketch2D: 0x8020,
    Extrude: 0x8021,
    Revolve: 0x8022,
    Sweep: 0x8023,
    Loft: 0x8024,
    LinearPattern: 0x8030,
    CircularPattern: 0x8031,
}
_KINDS = {code: kind for kind, code in _CODES.items()}

_Writer: TypeAlias = Callable[[Any, Packer], object]
_Reader: TypeAlias = Callable[[Cursor, Collection[int]], Any]


def written_node(node: Node, node_id: NodeId) -> tuple[int, Packer]:
    """(opcode, payload) of a node."""
    packer = Packer(node_id).u32(node_id + 1)
    code = _CODES.get(type(node))
    if code is None or (isinstance(node, Sweep) and not isinstance(node.path, LinePath | HelixPath)):
        text = msgspec.json.encode(codec_json.encode_operation(node)).decode()
        return _JSON, packer.text(text)
    write, _ = _OTHERWISE.get(type(node), (_write_fields, None))
    write(node, packer)
    return code, packer


def read_node(opcode: int, cursor: Cursor, defined: Collection[int]) -> Node:
    """The node of a payload, after the id that it defines. defined: ids of earlier records."""
    if opcode == _JSON:
        return _read_json(cursor, defined)
    kind = _KINDS.get(opcode)
    if kind is None:
        raise cursor.failed(f"unknown opcode {opcode:#x}")
    node: Node
    if kind in _OTHERWISE:
        node = _OTHERWISE[kind][1](cursor, defined)
    else:
        node = kind(**_read_fields(kind, cursor, defined))
    return node


# ---------------------------------------------------------------- field by field


def _write_fields(node: Node, packer: Packer) -> None:
    options: list[Packer | None] = []
    for field in fields_of(type(node)):
        value, write = getattr(node, field.name), _FIELDS[field.type][0]
        if not field.optional:
            write(value, packer)
        elif value is None:
            options.append(None)
        else:
            inner = Packer()
            write(value, inner)
            options.append(inner)
    if options:
        packer.options(options)


def _read_fields(kind: type[Node], cursor: Cursor, defined: Collection[int]) -> dict[str, Any]:
    fields = fields_of(kind)
    values = {field.name: _FIELDS[field.type][1](cursor, defined) for field in fields if not field.optional}
    options = [field for field in fields if field.optional]
    if options:
        for field, there in zip(options, cursor.options(len(options)), strict=True):
            values[field.name] = _FIELDS[field.type][1](cursor, defined) if there else None
    return values


def _vec3(cursor: Cursor, _defined: Collection[int]) -> Vec3:
    x, y, z = cursor.f64s(3)
    return x, y, z


def _child(cursor: Cursor, defined: Collection[int]) -> NodeId:
    return NodeId(cursor.operand(defined) - 1)


def _write_segments(segments: tuple[Segment, ...], packer: Packer) -> None:
    packer.u32(len(segments))
    for segment in segments:
        if isinstance(segment, Line):
            packer.u8(0).f64(*segment.start, *segment.end)
        else:
            packer.u8(1).f64(*segment.start, *segment.end, *segment.center).u8(int(segment.ccw))


def _read_segment(cursor: Cursor) -> Segment:
    if cursor.u8(1) == 0:
        a, b, c, d = cursor.f64s(4)
        return Line((a, b), (c, d))
    a, b, c, d, x, y = cursor.f64s(6)
    return Arc((a, b), (c, d), (x, y), bool(cursor.u8(1)))


def _write_path(path: LinePath | HelixPath, packer: Packer) -> None:
    if isinstance(path, LinePath):
        packer.u8(0).f64(*path.start, *path.end)
    else:
        packer.u8(1).f64(path.radius, path.pitch, path.height, path.turns)


def _read_path(cursor: Cursor, defined: Collection[int]) -> Path:
    if cursor.u8(1) == 0:
        return LinePath(_vec3(cursor, defined), _vec3(cursor, defined))
    return HelixPath(*cursor.f64s(4))


_FIELDS: Mapping[Any, tuple[_Writer, _Reader]] = {
    float: (lambda value, to: to.f64(value), lambda at, _: at.f64()),
    int: (lambda value, to: to.u32(value), lambda at, _: at.u32()),
    str: (lambda value, to: to.text(value), lambda at, _: at.text()),
    Vec3: (lambda value, to: to.f64(*value), _vec3),
    NodeId: (lambda value, to: to.u32(value + 1), _child),
    tuple[float, ...]: (
        lambda value, to: to.u32(len(value)).f64(*value),
        lambda at, _: at.f64s(at.u32()),
    ),
    tuple[int, ...]: (
        lambda value, to: to.u32(len(value)).u32(*value),
        lambda at, _: at.u32s(at.u32()),
    ),
    tuple[Segment, ...]: (
        _write_segments,
        lambda at, _: tuple(_read_segment(at) for _ in range(at.u32())),
    ),
    Path: (_write_path, _read_path),
}
"""How a field of a type is written and read."""


# ---------------------------------------------------------------- records that are laid out otherwise


def _read_cube(cursor: Cursor, defined: Collection[int]) -> Node:
    node = Cube(_vec3(cursor, defined))
    cursor.u32(0)
    return node


def _write_cylinder(node: Cylinder, packer: Packer) -> None:
    packer.f64(node.height, node.radius, -1.0).u32(node.segments, 0)


def _read_cylinder(cursor: Cursor, _defined: Collection[int]) -> Node:
    height, radius, top = cursor.f64s(3)
    if top != -1.0:
        raise cursor.failed("a cylinder of a document has the upper radius -1")
    node = Cylinder(radius, height, cursor.u32())
    cursor.u32(0)
    return node


def _read_union(cursor: Cursor, defined: Collection[int]) -> Node:
    if cursor.u32() != 2:
        raise cursor.failed("a union of a document has two operands")
    return Union(_child(cursor, defined), _child(cursor, defined))


def _write_loft(node: Loft, packer: Packer) -> None:
    packer.u8(_CLOSED.index(node.closed)).u32(len(node.sketches))
    packer.u32(*(sketch + 1 for sketch in node.sketches))


def _read_loft(cursor: Cursor, defined: Collection[int]) -> Node:
    closed = _CLOSED[cursor.u8(2)]
    return Loft(tuple(_child(cursor, defined) for _ in range(cursor.u32())), closed)


_OTHERWISE: Mapping[type[Node], tuple[_Writer, _Reader]] = {
    Cube: (lambda node, to: to.f64(*node.size).u32(0), _read_cube),
    Cylinder: (_write_cylinder, _read_cylinder),
    Union: (lambda node, to: to.u32(2, node.left + 1, node.right + 1), _read_union),
    Loft: (_write_loft, _read_loft),
}
"""Records of the engine profile, which have more fields, and one whose flag has three values."""


def _read_json(cursor: Cursor, defined: Collection[int]) -> Node:
    text = cursor.text()
    try:
        data = msgspec.json.decode(text)
        if not isinstance(data, dict):
            raise cursor.failed("an operation is a JSON object")
        node, _ = codec_json.decode_operation(data, "record")
    except (msgspec.DecodeError, RecursionError) as error:
        raise cursor.failed("an operation is not JSON") from error
    except GeometryError as error:
        raise cursor.failed(error.message) from error
    for _, child in node.references():
        if child + 1 not in defined:
            raise cursor.failed(f"operand {child + 1} has not been defined")
    return node
