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
from vcad_kernel.ir.json_values import (
    as_integer,
    as_list,
    as_object,
    as_text,
    member,
    read_record,
    unknown_members,
    variant,
    written_record,
    wrong,
)
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.operations.library import KINDS
from vcad_kernel.operations.node import Node, NodeId, Record
from vcad_kernel.operations.scene import Material

__all__ = ["decode", "decode_operation", "dumps", "encode", "encode_operation", "encode_parameters", "loads"]

_DOCUMENT_MEMBERS = frozenset({"version", "nodes", "materials", "roots"})
_PARAMETER_MEMBERS = ("name", "value", "default", "unit", "doc", "min", "max", "step")
"""In the order in which they are written."""


class _Root(Record, omit_defaults=True):
    """A root as the document's JSON form has it."""

    root: NodeId
    material: str
    visible: bool | None = None


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
            name: {**msgspec.to_builtins(material), **extras.materials.get(name, {})}
            for name, material in document.materials.items()
        },
        "part_materials": {},
        "roots": [
            {
                **msgspec.to_builtins(_Root(root.node, root.material, root.visible)),
                **extras.roots.get(index, {}),
            }
            for index, root in enumerate(document.roots)
        ],
    }
    if document.parameters:
        known["parameters"] = encode_parameters(document)
    return {**known, **extras.document}


def encode_parameters(document: Document) -> list[dict[str, Any]]:
    """The parameters of a document."""
    return [
        {
            **{name: value for name in _PARAMETER_MEMBERS if (value := getattr(parameter, name)) is not None},
            **document.extras.parameters.get(index, {}),
        }
        for index, parameter in enumerate(document.parameters)
    ]


def encode_operation(node: Node) -> dict[str, Any]:
    """The ``op`` of a node."""
    return written_record(node)


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
        if extra := unknown_members(record, ("id", "name", "op")):
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


def decode_operation(op: Mapping[str, Any], path: str) -> tuple[Node, dict[str, Any]]:
    """The node that an ``op`` describes, and the members of it that no node has; ``path`` is the node's."""
    kind = KINDS[variant(op, f"{path}.op", KINDS)]
    node = read_record(kind, op, f"{path}.{kind.KIND}")
    return node, unknown_members(op, ("type", *kind.__struct_fields__))


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
        materials[key] = read_record(Material, {"name": key, **record}, path)
        if not 0.0 <= materials[key].opacity <= 1.0:
            raise GeometryError(
                f"{path}.alpha must be in 0..1, got {materials[key].opacity:g}",
                code="INVALID_PARAMETER",
                details={"path": f"{path}.alpha"},
            )
        if extra := unknown_members(record, Material.__struct_fields__):
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
        root = read_record(_Root, record, path)
        roots.append(Root(root.root, root.material, root.visible))
        if extra := unknown_members(record, _Root.__struct_fields__):
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
        default = entry["value"] if entry.get("default") is None else entry["default"]
        parameters.append(read_record(Parameter, {**entry, "default": default}, f"parameters[{index}]"))
        if extra := unknown_members(entry, Parameter.__struct_fields__):
            extras[index] = extra
    return tuple(parameters), extras
