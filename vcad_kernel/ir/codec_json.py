"""A document as JSON data (cad.md §6.1) and back, losslessly.

``encode`` gives plain dicts, lists, strings and numbers; ``decode`` takes the same and checks
everything: an unknown node type, a missing member or a number that is no number is refused here,
never at evaluation. Members that this version does not know survive a round trip.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.document import Document, Extras, Root
from vcad_kernel.ir.json_fields import DECODERS, ENCODERS
from vcad_kernel.ir.json_reading import (
    as_flag,
    as_integer,
    as_list,
    as_number,
    as_object,
    as_text,
    each,
    invalid,
    member,
    unknown_members,
    variant,
    wrong,
)
from vcad_kernel.ir.material import Material
from vcad_kernel.ir.nodes import KINDS, Field, Node, NodeId, Shape
from vcad_kernel.ir.parameter import Number, Parameter

__all__ = ["decode", "decode_operation", "dumps", "encode", "encode_operation", "loads"]

_DOCUMENT_MEMBERS = frozenset({"version", "nodes", "materials", "roots"})
_MATERIAL_MEMBERS = frozenset({"name", "color", "metallic", "roughness", "density", "friction"})
_PARAMETER_TEXTS = ("unit", "doc")
_PARAMETER_NUMBERS = ("min", "max", "step")


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
                "op": {**encode_operation(node), **extras.operations.get(node_id, {})},
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
    if document.parameters:
        known["parameters"] = [
            {**_encode_parameter(parameter), **extras.parameters.get(index, {})}
            for index, parameter in enumerate(document.parameters)
        ]
    return {**known, **extras.document}


def decode(data: object) -> Document:
    """The document that JSON data describes.

    Raises GeometryError: UNKNOWN_VARIANT, TYPE_MISMATCH, ARITY_MISMATCH (a member is missing),
    INVALID_PARAMETER (a number that is not finite), MISSING_NODE, GRAPH_CYCLE; each names the path.
    """
    whole = as_object(data, "document")
    nodes: dict[NodeId, Node] = {}
    names: dict[NodeId, str] = {}
    node_extras: dict[NodeId, Mapping[str, Any]] = {}
    op_extras: dict[NodeId, Mapping[str, Any]] = {}
    for key, entry in as_object(whole.get("nodes", {}), "nodes").items():
        path = f"nodes[{key}]"
        record = as_object(entry, path)
        node_id = NodeId(_node_key(key, record, path))
        op = as_object(member(record, "op", path), f"{path}.op")
        nodes[node_id], op_extra = decode_operation(op, path)
        name = record.get("name")
        if name is not None:
            names[node_id] = as_text(name, f"{path}.name")
        if op_extra:
            op_extras[node_id] = op_extra
        if extra := unknown_members(record, frozenset({"id", "name", "op"})):
            node_extras[node_id] = extra
    materials, material_extras = _decode_materials(whole)
    roots, root_extras = _decode_roots(whole)
    parameters, parameter_extras = _decode_parameters(whole)
    rest = unknown_members(whole, _DOCUMENT_MEMBERS)
    if parameters or rest.get("parameters") == []:
        del rest["parameters"]
    if rest.get("part_materials") == {}:
        del rest["part_materials"]  # always written
    extras = Extras(rest, node_extras, op_extras, material_extras, root_extras, parameter_extras)
    version = as_text(whole.get("version", "0.1"), "version")
    return Document(nodes, materials, roots, names, extras=extras, version=version, parameters=parameters)


# ---------------------------------------------------------------- encoding


def encode_operation(node: Node) -> dict[str, Any]:
    """The ``op`` of a node."""
    op: dict[str, Any] = {"type": node.KIND}
    for field in node.FIELDS:
        value = getattr(node, field.name)
        if value is not None or not field.optional:
            op[field.name] = ENCODERS[field.shape](value)
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


def _encode_parameter(parameter: Parameter) -> dict[str, Any]:
    result: dict[str, Any] = {
        "name": parameter.name,
        "value": parameter.value,
        "default": parameter.default,
    }
    for name in (*_PARAMETER_TEXTS, *_PARAMETER_NUMBERS):
        value = getattr(parameter, name)
        if value is not None:
            result[name] = value
    return result


def _encode_root(root: Root) -> dict[str, Any]:
    result: dict[str, Any] = {"root": int(root.node), "material": root.material}
    if root.visible is not None:
        result["visible"] = root.visible
    return result


# ---------------------------------------------------------------- decoding


def _decode_field(field: Field, op: Mapping[str, Any], path: str) -> Any:
    if field.optional and op.get(field.name) is None:
        return None
    if field.name == "segments" and field.shape is Shape.COUNT and field.name not in op:
        return 0
    return DECODERS[field.shape](member(op, field.name, path), f"{path}.{field.name}")


def decode_operation(op: Mapping[str, Any], path: str) -> tuple[Node, dict[str, Any]]:
    """The node that an ``op`` describes, and the members of it that no node has; ``path`` is the node's."""
    kind = KINDS[variant(op, f"{path}.op", KINDS)]
    path = f"{path}.{kind.KIND}"
    node = kind(**{field.name: _decode_field(field, op, path) for field in kind.FIELDS})
    return node, unknown_members(op, frozenset({"type", *(field.name for field in kind.FIELDS)}))


def _node_key(key: str, record: Mapping[str, Any], path: str) -> int:
    if not (key.isascii() and key.isdecimal() and len(key) <= 16):
        raise wrong(path, "keyed by a decimal id", key)
    if as_integer(record.get("id", int(key)), f"{path}.id") != int(key):
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
    for key, entry in as_object(whole.get("materials", {}), "materials").items():
        path = f"materials[{key}]"
        record = as_object(entry, path)
        color = each(as_number)(member(record, "color", path), f"{path}.color")
        if len(color) != 3:
            raise wrong(f"{path}.color", "three numbers", color)
        optional = [
            None if record.get(name) is None else as_number(record[name], f"{path}.{name}")
            for name in ("density", "friction")
        ]
        materials[key] = Material(
            as_text(record.get("name", key), f"{path}.name"),
            color,
            as_number(record.get("metallic", 0.0), f"{path}.metallic"),
            as_number(record.get("roughness", 0.5), f"{path}.roughness"),
            *optional,
        )
        if extra := unknown_members(record, _MATERIAL_MEMBERS):
            extras[key] = extra
    return materials, extras


def _decode_roots(
    whole: Mapping[str, Any],
) -> tuple[tuple[Root, ...], dict[int, Mapping[str, Any]]]:
    roots: list[Root] = []
    extras: dict[int, Mapping[str, Any]] = {}
    for index, entry in enumerate(as_list(whole.get("roots", []), "roots")):
        path = f"roots[{index}]"
        record = as_object(entry, path)
        visible = record.get("visible")
        roots.append(
            Root(
                NodeId(as_integer(member(record, "root", path), f"{path}.root")),
                as_text(member(record, "material", path), f"{path}.material"),
                None if visible is None else as_flag(visible, f"{path}.visible"),
            )
        )
        if extra := unknown_members(record, frozenset({"root", "material", "visible"})):
            extras[index] = extra
    return tuple(roots), extras


def _decode_parameters(
    whole: Mapping[str, Any],
) -> tuple[tuple[Parameter, ...], dict[int, Mapping[str, Any]]]:
    """Parameters of ours. Other programs keep formulas under the same name: those stay unknown members."""
    entries = whole.get("parameters", [])
    ours = isinstance(entries, list) and all(
        isinstance(entry, dict) and {"name", "value"} <= entry.keys() for entry in entries
    )
    parameters: list[Parameter] = []
    extras: dict[int, Mapping[str, Any]] = {}
    for index, entry in enumerate(entries if ours else ()):
        path = f"parameters[{index}]"
        value = _exact_number(entry["value"], f"{path}.value")
        texts: dict[str, Any] = {
            name: as_text(entry[name], f"{path}.{name}")
            for name in _PARAMETER_TEXTS
            if entry.get(name) is not None
        }
        numbers: dict[str, Any] = {
            name: _exact_number(entry[name], f"{path}.{name}")
            for name in _PARAMETER_NUMBERS
            if entry.get(name) is not None
        }
        default = value if entry.get("default") is None else entry["default"]
        parameters.append(
            Parameter(
                as_text(entry["name"], f"{path}.name"),
                value,
                _exact_number(default, f"{path}.default"),
                **texts,
                **numbers,
            )
        )
        known = {"name", "value", "default", *_PARAMETER_TEXTS, *_PARAMETER_NUMBERS}
        if extra := unknown_members(entry, known):
            extras[index] = extra
    return tuple(parameters), extras


def _exact_number(value: object, path: str) -> Number:
    """A finite number that stays whole when it was written so."""
    number = as_number(value, path)
    if not isinstance(value, int):
        return number
    if abs(value) > 2**53:
        raise invalid(path, "a whole number that a double can hold", value)
    return value
