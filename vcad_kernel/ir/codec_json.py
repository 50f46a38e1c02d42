"""A document as JSON data (cad.md §6.1) and back, losslessly.

``encode`` gives plain dicts, lists, strings and numbers; ``decode`` takes the same and checks
everything: an unknown node type, a missing member or a number that is no number is refused here,
never at evaluation. Members that this version does not know survive a round trip.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.document import Document, Extras, Root
from vcad_kernel.ir.material import Material
from vcad_kernel.ir.nodes import (
    KINDS,
    Arc,
    Field,
    HelixPath,
    Line,
    LinePath,
    Node,
    NodeId,
    Path,
    Segment,
    Shape,
    Vec2,
    Vec3,
)

__all__ = ["decode", "dumps", "encode", "loads"]

_DOCUMENT_MEMBERS = frozenset({"version", "nodes", "materials", "roots"})
_MATERIAL_MEMBERS = frozenset({"name", "color", "metallic", "roughness", "density", "friction"})


def dumps(document: Document) -> bytes:
    """UTF-8 JSON text; floats in their shortest form that reads back to the same double."""
    return msgspec.json.encode(encode(document))


def loads(text: bytes | str) -> Document:
    """A document from JSON text. Raises GeometryError for what is not a document."""
    try:
        data = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise GeometryError(f"not a JSON document: {error}", code="TYPE_MISMATCH") from error
    return decode(data)


def encode(document: Document) -> dict[str, Any]:
    """The document as JSON data."""
    extras = document.extras
    known: dict[str, Any] = {
        "version": document.version,
        "nodes": {
            str(node_id): {
                "id": int(node_id),
                "name": document.names.get(node_id),
                "op": {**_encode_node(node), **extras.operations.get(node_id, {})},
                **extras.nodes.get(node_id, {}),
            }
            for node_id, node in document.nodes.items()
        },
        "materials": {
            name: {**_encode_material(material), **extras.materials.get(name, {})}
            for name, material in document.materials.items()
        },
        "part_materials": {},
        "roots": [
            {**_encode_root(root), **extras.roots.get(index, {})} for index, root in enumerate(document.roots)
        ],
    }
    return {**known, **extras.document}


def decode(data: object) -> Document:
    """The document that JSON data describes.

    Raises GeometryError: UNKNOWN_VARIANT, TYPE_MISMATCH, ARITY_MISMATCH (a member is missing),
    INVALID_PARAMETER (a number that is not finite), MISSING_NODE, GRAPH_CYCLE; each names the path.
    """
    whole = _object(data, "document")
    nodes: dict[NodeId, Node] = {}
    names: dict[NodeId, str] = {}
    node_extras: dict[NodeId, Mapping[str, Any]] = {}
    op_extras: dict[NodeId, Mapping[str, Any]] = {}
    for key, entry in _object(whole.get("nodes", {}), "nodes").items():
        path = f"nodes[{key}]"
        record = _object(entry, path)
        node_id = NodeId(_node_key(key, record, path))
        op = _object(_member(record, "op", path), f"{path}.op")
        nodes[node_id], op_extra = _decode_node(op, path)
        name = record.get("name")
        if name is not None:
            names[node_id] = _text(name, f"{path}.name")
        if op_extra:
            op_extras[node_id] = op_extra
        if extra := _unknown(record, frozenset({"id", "name", "op"})):
            node_extras[node_id] = extra
    materials, material_extras = _decode_materials(whole)
    roots, root_extras = _decode_roots(whole)
    extras = Extras(_unknown(whole, _DOCUMENT_MEMBERS), node_extras, op_extras, material_extras, root_extras)
    version = _text(whole.get("version", "0.1"), "version")
    return Document(nodes, materials, roots, names, extras=extras, version=version)


# ---------------------------------------------------------------- encoding


def _xyz(value: tuple[float, ...]) -> dict[str, float]:
    return dict(zip("xyz", value, strict=False))


def _encode_segment(segment: Segment) -> dict[str, Any]:
    ends = {"start": _xyz(segment.start), "end": _xyz(segment.end)}
    if isinstance(segment, Line):
        return {"type": "Line", **ends}
    return {"type": "Arc", **ends, "center": _xyz(segment.center), "ccw": segment.ccw}


def _encode_path(path: Path) -> dict[str, Any]:
    if isinstance(path, LinePath):
        return {"type": "Line", "start": _xyz(path.start), "end": _xyz(path.end)}
    return {
        "type": "Helix",
        "radius": path.radius,
        "pitch": path.pitch,
        "height": path.height,
        "turns": path.turns,
    }


_ENCODE: dict[Shape, Callable[[Any], Any]] = {
    Shape.NUMBER: float,
    Shape.COUNT: int,
    Shape.VEC3: _xyz,
    Shape.CHILD: int,
    Shape.CHILDREN: lambda ids: [int(child) for child in ids],
    Shape.SEGMENTS: lambda segments: [_encode_segment(segment) for segment in segments],
    Shape.PATH: _encode_path,
    Shape.NUMBERS: list,
    Shape.INDICES: list,
    Shape.TEXT: str,
    Shape.FLAG: bool,
}


def _encode_node(node: Node) -> dict[str, Any]:
    op: dict[str, Any] = {"type": node.KIND}
    for field in node.FIELDS:
        value = getattr(node, field.name)
        if value is not None or not field.optional:
            op[field.name] = _ENCODE[field.shape](value)
    return op


def _encode_material(material: Material) -> dict[str, Any]:
    return {
        "name": material.name,
        "color": list(material.color),
        "metallic": material.metallic,
        "roughness": material.roughness,
        "density": material.density,
        "friction": material.friction,
    }


def _encode_root(root: Root) -> dict[str, Any]:
    result: dict[str, Any] = {"root": int(root.node), "material": root.material}
    if root.visible is not None:
        result["visible"] = root.visible
    return result


# ---------------------------------------------------------------- decoding


def _wrong(path: str, wanted: str, got: object) -> GeometryError:
    return GeometryError(
        f"{path} must be {wanted}, got {type(got).__name__}", code="TYPE_MISMATCH", details={"path": path}
    )


def _object(value: object, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(path, "an object", value)
    return value


def _list(value: object, path: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise _wrong(path, "a list", value)
    return list(value)


def _text(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise _wrong(path, "text", value)
    return value


def _flag(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(path, "true or false", value)
    return value


def _number(value: object, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(path, "a number", value)
    if not math.isfinite(value):
        raise GeometryError(
            f"{path} must be finite, got {value}", code="INVALID_PARAMETER", details={"path": path}
        )
    return float(value)


def _integer(value: object, path: str) -> int:
    number = _number(value, path)
    if number < 0 or not number.is_integer():
        raise GeometryError(
            f"{path} must be a whole number from 0, got {value}",
            code="INVALID_PARAMETER",
            details={"path": path},
        )
    return int(number)


def _member(record: Mapping[str, Any], name: str, path: str) -> Any:
    if name not in record:
        raise GeometryError(
            f"{path} has no member '{name}'", code="ARITY_MISMATCH", details={"path": f"{path}.{name}"}
        )
    return record[name]


def _unknown(record: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in known}


def _vec2(value: object, path: str) -> Vec2:
    record = _object(value, path)
    return (
        _number(_member(record, "x", path), f"{path}.x"),
        _number(_member(record, "y", path), f"{path}.y"),
    )


def _vec3(value: object, path: str) -> Vec3:
    record = _object(value, path)
    x, y = _vec2(record, path)
    return (x, y, _number(_member(record, "z", path), f"{path}.z"))


def _variant(record: Mapping[str, Any], path: str, known: Mapping[str, Any]) -> str:
    name = _text(_member(record, "type", path), f"{path}.type")
    if name not in known:
        raise GeometryError(
            f"{path} has the unknown type '{name}'; known: {', '.join(known)}",
            code="UNKNOWN_VARIANT",
            details={"path": path},
        )
    return name


def _segment(value: object, path: str) -> Segment:
    record = _object(value, path)
    kind = _variant(record, path, {"Line": Line, "Arc": Arc})
    start = _vec2(_member(record, "start", path), f"{path}.start")
    end = _vec2(_member(record, "end", path), f"{path}.end")
    if kind == "Line":
        return Line(start, end)
    center = _vec2(_member(record, "center", path), f"{path}.center")
    return Arc(start, end, center, _flag(_member(record, "ccw", path), f"{path}.ccw"))


def _path(value: object, path: str) -> Path:
    record = _object(value, path)
    if _variant(record, path, {"Line": LinePath, "Helix": HelixPath}) == "Line":
        return LinePath(
            _vec3(_member(record, "start", path), f"{path}.start"),
            _vec3(_member(record, "end", path), f"{path}.end"),
        )
    numbers = [
        _number(_member(record, name, path), f"{path}.{name}")
        for name in ("radius", "pitch", "height", "turns")
    ]
    return HelixPath(*numbers)


def _each(read: Callable[[object, str], Any]) -> Callable[[object, str], tuple[Any, ...]]:
    def read_all(value: object, path: str) -> tuple[Any, ...]:
        return tuple(read(item, f"{path}[{index}]") for index, item in enumerate(_list(value, path)))

    return read_all


_DECODE: dict[Shape, Callable[[object, str], Any]] = {
    Shape.NUMBER: _number,
    Shape.COUNT: _integer,
    Shape.VEC3: _vec3,
    Shape.CHILD: _integer,
    Shape.CHILDREN: _each(_integer),
    Shape.SEGMENTS: _each(_segment),
    Shape.PATH: _path,
    Shape.NUMBERS: _each(_number),
    Shape.INDICES: _each(_integer),
    Shape.TEXT: _text,
    Shape.FLAG: _flag,
}


def _decode_field(field: Field, op: Mapping[str, Any], path: str) -> Any:
    if field.optional and op.get(field.name) is None:
        return None
    if field.name == "segments" and field.shape is Shape.COUNT and field.name not in op:
        return 0
    return _DECODE[field.shape](_member(op, field.name, path), f"{path}.{field.name}")


def _decode_node(op: Mapping[str, Any], path: str) -> tuple[Node, dict[str, Any]]:
    kind = KINDS[_variant(op, f"{path}.op", KINDS)]
    path = f"{path}.{kind.KIND}"
    node = kind(**{field.name: _decode_field(field, op, path) for field in kind.FIELDS})
    return node, _unknown(op, frozenset({"type", *(field.name for field in kind.FIELDS)}))


def _node_key(key: str, record: Mapping[str, Any], path: str) -> int:
    if not key.isdecimal():
        raise _wrong(path, "keyed by a decimal id", key)
    if _integer(record.get("id", int(key)), f"{path}.id") != int(key):
        raise GeometryError(
            f"{path}.id is {record['id']}, but its key is {key}",
            code="TYPE_MISMATCH",
            details={"path": f"{path}.id"},
        )
    return int(key)


def _decode_materials(
    whole: Mapping[str, Any],
) -> tuple[dict[str, Material], dict[str, Mapping[str, Any]]]:
    materials: dict[str, Material] = {}
    extras: dict[str, Mapping[str, Any]] = {}
    for name, entry in _object(whole.get("materials", {}), "materials").items():
        path = f"materials[{name}]"
        record = _object(entry, path)
        color = _each(_number)(_member(record, "color", path), f"{path}.color")
        if len(color) != 3:
            raise _wrong(f"{path}.color", "three numbers", color)
        optional = [
            None if record.get(member) is None else _number(record[member], f"{path}.{member}")
            for member in ("density", "friction")
        ]
        materials[name] = Material(
            _text(record.get("name", name), f"{path}.name"),
            color,
            _number(record.get("metallic", 0.0), f"{path}.metallic"),
            _number(record.get("roughness", 0.5), f"{path}.roughness"),
            *optional,
        )
        if extra := _unknown(record, _MATERIAL_MEMBERS):
            extras[name] = extra
    return materials, extras


def _decode_roots(
    whole: Mapping[str, Any],
) -> tuple[tuple[Root, ...], dict[int, Mapping[str, Any]]]:
    roots: list[Root] = []
    extras: dict[int, Mapping[str, Any]] = {}
    for index, entry in enumerate(_list(whole.get("roots", []), "roots")):
        path = f"roots[{index}]"
        record = _object(entry, path)
        visible = record.get("visible")
        roots.append(
            Root(
                NodeId(_integer(_member(record, "root", path), f"{path}.root")),
                _text(_member(record, "material", path), f"{path}.material"),
                None if visible is None else _flag(visible, f"{path}.visible"),
            )
        )
        if extra := _unknown(record, frozenset({"root", "material", "visible"})):
            extras[index] = extra
    return tuple(roots), extras
