"""Payloads of nodes in the document profile of op records (cad.md §12.4), and back.

A standard opcode stands where the fields of a node are those of the record; nodes without a code of
their own travel as JSON under 0x8040. Ids in payloads are node ids + 1, inside JSON node ids.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

import msgspec

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir import codec_json
from vcad_kernel.ir.nodes import (
    Arc,
    Chamfer,
    CircularPattern,
    Cone,
    Cube,
    Cylinder,
    Difference,
    Empty,
    Extrude,
    Fillet,
    HelixPath,
    ImportedMesh,
    Intersection,
    Line,
    LinearPattern,
    LinePath,
    Loft,
    Node,
    NodeId,
    Revolve,
    Rotate,
    Scale,
    Segment,
    Shell,
    Sketch2D,
    Sphere,
    Sweep,
    Translate,
    Union,
)
from vcad_kernel.ir.op_bytes import Cursor, Packer
from vcad_kernel.ir.vectors import Vec3

__all__ = ["read_node", "written_node"]

_JSON = 0x8040
_CLOSED: tuple[bool | None, ...] = (None, False, True)
_SWEEP_NUMBERS = ("twist_angle", "scale_start", "scale_end", "orientation")
_SWEEP_COUNTS = ("path_segments", "arc_segments")

Reader: TypeAlias = Callable[[Cursor, Collection[int]], Node]
Writer: TypeAlias = Callable[[Any, Packer], object]


def written_node(node: Node, node_id: NodeId) -> tuple[int, bytes]:
    """(opcode, payload) of a node."""
    packer = Packer(node_id).u32(node_id + 1)
    entry = _WRITERS.get(type(node))
    if entry is None or (isinstance(node, Sweep) and not isinstance(node.path, LinePath | HelixPath)):
        text = msgspec.json.encode(codec_json.encode_operation(node)).decode()
        return _JSON, packer.text(text).done()
    opcode, write = entry
    write(node, packer)
    return opcode, packer.done()


def read_node(opcode: int, cursor: Cursor, defined: Collection[int]) -> Node:
    """The node of a payload, after the id that it defines. defined: ids of earlier records."""
    reader = _READERS.get(opcode)
    if reader is None:
        raise cursor.failed(f"unknown opcode {opcode:#x}")
    return reader(cursor, defined)


def _optional(cursor: Cursor, count: int, read: Callable[[], Any]) -> list[Any]:
    return [read() if there else None for there in cursor.options(count)]


def _number(value: float | None) -> bytes | None:
    return None if value is None else Packer().f64(value).done()


def _count(value: int | None) -> bytes | None:
    return None if value is None else Packer().u32(value).done()


def _vec3(cursor: Cursor) -> Vec3:
    x, y, z = cursor.f64s(3)
    return x, y, z


def _child(cursor: Cursor, defined: Collection[int]) -> NodeId:
    return NodeId(cursor.operand(defined) - 1)


# ---------------------------------------------------------------- standard records


def _write_cylinder(node: Cylinder, packer: Packer) -> None:
    packer.f64(node.height, node.radius, -1.0).u32(node.segments, 0)


def _read_cylinder(cursor: Cursor, defined: Collection[int]) -> Node:
    del defined
    height, radius, top = cursor.f64s(3)
    if top != -1.0:
        raise cursor.failed("a cylinder of a document has the upper radius -1")
    node = Cylinder(radius, height, cursor.u32())
    cursor.u32(0)
    return node


def _read_sphere(cursor: Cursor, defined: Collection[int]) -> Node:
    del defined
    return Sphere(cursor.f64(), cursor.u32())


def _read_cone(cursor: Cursor, defined: Collection[int]) -> Node:
    del defined
    bottom, top, height = cursor.f64s(3)
    return Cone(bottom, top, height, cursor.u32())


def _write_nothing(node: Empty, packer: Packer) -> None:
    del node, packer


def _read_empty(cursor: Cursor, defined: Collection[int]) -> Node:
    del cursor, defined
    return Empty()


def _read_cube(cursor: Cursor, defined: Collection[int]) -> Node:
    del defined
    node = Cube(_vec3(cursor))
    cursor.u32(0)
    return node


def _read_union(cursor: Cursor, defined: Collection[int]) -> Node:
    if cursor.u32() != 2:
        raise cursor.failed("a union of a document has two operands")
    return Union(_child(cursor, defined), _child(cursor, defined))


# ---------------------------------------------------------------- sketches and what is made of them


def _write_sketch(node: Sketch2D, packer: Packer) -> None:
    packer.f64(*node.origin, *node.x_dir, *node.y_dir).u32(len(node.segments))
    for segment in node.segments:
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


def _read_sketch(cursor: Cursor, defined: Collection[int]) -> Node:
    del defined
    vectors = (_vec3(cursor), _vec3(cursor), _vec3(cursor))
    return Sketch2D(*vectors, tuple(_read_segment(cursor) for _ in range(cursor.u32())))


def _read_extrude(cursor: Cursor, defined: Collection[int]) -> Node:
    sketch, direction = _child(cursor, defined), _vec3(cursor)
    return Extrude(sketch, direction, *_optional(cursor, 2, cursor.f64))


def _write_sweep(node: Sweep, packer: Packer) -> None:
    path = node.path
    packer.u32(node.sketch + 1)
    if isinstance(path, LinePath):
        packer.u8(0).f64(*path.start, *path.end)
    else:
        assert isinstance(path, HelixPath)
        packer.u8(1).f64(path.radius, path.pitch, path.height, path.turns)
    numbers = [_number(getattr(node, name)) for name in _SWEEP_NUMBERS]
    packer.options([*numbers, *(_count(getattr(node, name)) for name in _SWEEP_COUNTS)])


def _read_sweep(cursor: Cursor, defined: Collection[int]) -> Node:
    sketch = _child(cursor, defined)
    path = LinePath(_vec3(cursor), _vec3(cursor)) if cursor.u8(1) == 0 else HelixPath(*cursor.f64s(4))
    there = cursor.options(6)
    names = (*_SWEEP_NUMBERS, *_SWEEP_COUNTS)
    options: dict[str, Any] = {}
    for name, one in zip(names, there, strict=True):
        if one:
            options[name] = cursor.f64() if name in _SWEEP_NUMBERS else cursor.u32()
    return Sweep(sketch, path, **options)


def _write_loft(node: Loft, packer: Packer) -> None:
    packer.u8(_CLOSED.index(node.closed)).u32(len(node.sketches))
    packer.u32(*(sketch + 1 for sketch in node.sketches))


def _read_loft(cursor: Cursor, defined: Collection[int]) -> Node:
    closed = _CLOSED[cursor.u8(2)]
    return Loft(tuple(_child(cursor, defined) for _ in range(cursor.u32())), closed)


# ---------------------------------------------------------------- meshes and the rest


def _write_mesh(node: ImportedMesh, packer: Packer) -> None:
    packer.u32(len(node.positions)).f64(*node.positions).u32(len(node.indices)).u32(*node.indices)
    normals = None if node.normals is None else Packer().u32(len(node.normals)).f64(*node.normals).done()
    source = None if node.source is None else Packer().text(node.source).done()
    packer.options([normals, source])


def _read_mesh(cursor: Cursor, defined: Collection[int]) -> Node:
    del defined
    positions = cursor.f64s(cursor.u32())
    indices = cursor.u32s(cursor.u32())
    has_normals, has_source = cursor.options(2)
    normals = cursor.f64s(cursor.u32()) if has_normals else None
    return ImportedMesh(positions, indices, normals, cursor.text() if has_source else None)


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


_WRITERS: Mapping[type[Node], tuple[int, Writer]] = {
    Sphere: (1, lambda node, to: to.f64(node.radius).u32(node.segments)),
    Cube: (2, lambda node, to: to.f64(*node.size).u32(0)),
    Cylinder: (3, _write_cylinder),
    Union: (4, lambda node, to: to.u32(2, node.left + 1, node.right + 1)),
    Difference: (5, lambda node, to: to.u32(node.left + 1, node.right + 1)),
    Intersection: (6, lambda node, to: to.u32(node.left + 1, node.right + 1)),
    Translate: (7, lambda node, to: to.u32(node.child + 1).f64(*node.offset)),
    Scale: (9, lambda node, to: to.u32(node.child + 1).f64(*node.factor)),
    Fillet: (0x8001, lambda node, to: to.u32(node.child + 1).f64(node.radius)),
    Chamfer: (0x8002, lambda node, to: to.u32(node.child + 1).f64(node.distance)),
    Shell: (0x8003, lambda node, to: to.u32(node.child + 1).f64(node.thickness)),
    ImportedMesh: (0x8004, _write_mesh),
    Empty: (0x8006, _write_nothing),
    Cone: (
        0x8010,
        lambda node, to: to.f64(node.radius_bottom, node.radius_top, node.height).u32(node.segments),
    ),
    Rotate: (0x8011, lambda node, to: to.u32(node.child + 1).f64(*node.angles)),
    Sketch2D: (0x8020, _write_sketch),
    Extrude: (
        0x8021,
        lambda node, to: (
            to.u32(node.sketch + 1)
            .f64(*node.direction)
            .options([_number(node.twist_angle), _number(node.scale_end)])
        ),
    ),
    Revolve: (
        0x8022,
        lambda node, to: to.u32(node.sketch + 1).f64(*node.axis_origin, *node.axis_dir, node.angle_deg),
    ),
    Sweep: (0x8023, _write_sweep),
    Loft: (0x8024, _write_loft),
    LinearPattern: (
        0x8030,
        lambda node, to: to.u32(node.child + 1).f64(*node.direction).u32(node.count).f64(node.spacing),
    ),
    CircularPattern: (
        0x8031,
        lambda node, to: (
            to.u32(node.child + 1).f64(*node.axis_origin, *node.axis_dir).u32(node.count).f64(node.angle_deg)
        ),
    ),
}

_READERS: Mapping[int, Reader] = {
    1: _read_sphere,
    2: _read_cube,
    3: _read_cylinder,
    4: _read_union,
    5: lambda at, ids: Difference(_child(at, ids), _child(at, ids)),
    6: lambda at, ids: Intersection(_child(at, ids), _child(at, ids)),
    7: lambda at, ids: Translate(_child(at, ids), _vec3(at)),
    9: lambda at, ids: Scale(_child(at, ids), _vec3(at)),
    0x8001: lambda at, ids: Fillet(_child(at, ids), at.f64()),
    0x8002: lambda at, ids: Chamfer(_child(at, ids), at.f64()),
    0x8003: lambda at, ids: Shell(_child(at, ids), at.f64()),
    0x8004: _read_mesh,
    0x8006: _read_empty,
    0x8010: _read_cone,
    0x8011: lambda at, ids: Rotate(_child(at, ids), _vec3(at)),
    0x8020: _read_sketch,
    0x8021: _read_extrude,
    0x8022: lambda at, ids: Revolve(_child(at, ids), _vec3(at), _vec3(at), at.f64()),
    0x8023: _read_sweep,
    0x8024: _read_loft,
    0x8030: lambda at, ids: LinearPattern(_child(at, ids), _vec3(at), at.u32(), at.f64()),
    0x8031: lambda at, ids: CircularPattern(_child(at, ids), _vec3(at), _vec3(at), at.u32(), at.f64()),
    _JSON: _read_json,
}
