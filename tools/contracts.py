"""Write into the contracts what the code knows already: options, questions, errors, messages of viewers.

    python -m tools.contracts

An option of evaluation is a field of `Options`, a question a class of `service/questions.py`, what an error
must say a record of `error_codes.py`, a message between session and viewers a struct of
`viewer/relay/messages.py`; their parts of ``contracts/v1`` are made from those. What else there is in the
schemas is written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, get_args

from msgspec import inspect
from msgspec.json import schema_components

from notebook_ext.viewer.relay.messages import Said, ViewerMessage
from vcad_kernel.contracts.tools import TOOLS, Tool
from vcad_kernel.contracts.validation import BASE, VERSION, schema
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.service.questions import QUESTIONS
from vcad_kernel.service.requests import Options

__all__ = ["GENERATED", "main", "text"]

_WIDTH: Final = 110
_VEC3: Final = {"$ref": f"{BASE}common.schema.json#/$defs/vec3"}
_KINDS: Final = {
    inspect.BoolType: "boolean",
    inspect.IntType: "integer",
    inspect.FloatType: "number",
    inspect.StrType: "string",
    inspect.CustomType: "string",
    inspect.CollectionType: "array",
    inspect.VarTupleType: "array",
    inspect.DictType: "object",
    inspect.NoneType: "null",
}
_FILE: Final = {
    "format": {"description": "suffix of the file, with or without its dot", "type": "string"},
    "stem": {
        "description": "name of the file without its suffix, for formats that hold it",
        "type": "string",
    },
}
"""How a question names its file: the folder is the service's."""


def _fields(kind: type[Any]) -> dict[str, Any]:
    """Name → schema of each field of a struct."""
    struct = inspect.type_info(kind)
    assert isinstance(struct, inspect.StructType)
    return {field.name: _schema(field.type) for field in struct.fields}


def _schema(kind: inspect.Type) -> dict[str, Any]:
    if isinstance(kind, inspect.Metadata):
        return {**(kind.extra_json_schema or {}), **_schema(kind.type)}
    if isinstance(kind, inspect.UnionType):
        forms = [_schema(member) for member in kind.types]
        said = {key: value for form in forms for key, value in form.items() if key not in ("type", "$ref")}
        if any("$ref" in form for form in forms):
            plain = [{key: form[key] for key in ("$ref", "type") if key in form} for form in forms]
            return {**said, "anyOf": plain}
        described = {"description": said.pop("description")} if "description" in said else {}
        return {**described, "type": [form["type"] for form in forms], **said}
    if isinstance(kind, inspect.TupleType):
        return dict(_VEC3)
    if isinstance(kind, inspect.StructType):
        required = [field.name for field in kind.fields if field.required]
        return {"type": "object", "properties": _fields(kind.cls), "required": required}
    if isinstance(kind, inspect.LiteralType):
        return {"enum": list(kind.values)}
    schema: dict[str, Any] = {"type": _KINDS[type(kind)]}
    if isinstance(kind, inspect.VarTupleType):
        schema["items"] = _schema(kind.item_type)
    if isinstance(kind, inspect.IntType) and kind.ge is not None:
        schema["minimum"] = kind.ge
    if isinstance(kind, inspect.FloatType) and kind.gt is not None:
        schema["exclusiveMinimum"] = int(kind.gt)
    return schema


def _common() -> Mapping[str, Any]:
    """The options of evaluation, before those that only say how a result is delivered."""
    whole = _copy("common")
    properties = whole["$defs"]["evaluation_options"]["properties"]
    own = _fields(Options)
    whole["$defs"]["evaluation_options"]["properties"] = own | {
        name: field for name, field in properties.items() if name not in own
    }
    return whole


def _ask() -> Mapping[str, Any]:
    """The questions about parts, and what they take."""
    whole = _copy("vcad.ask")
    arguments = whole["$defs"]["arguments"]
    fields: dict[str, Any] = {}
    for kind in QUESTIONS.values():
        for name, field in _fields(kind).items():
            fields |= _FILE if name == "path" else {name: field}
    about = {name: field for name, field in arguments["properties"].items() if name not in fields}
    about["question"] = {"enum": list(QUESTIONS)}
    arguments["properties"] = about | fields
    compared = [name for name, kind in QUESTIONS.items() if kind.COMPARES]
    arguments["if"]["properties"]["question"]["enum"] = compared
    return whole


def _error() -> Mapping[str, Any]:
    """What the details of each code must have."""
    whole = _copy("error")
    whole["allOf"] = []
    for code in ErrorCode:
        required = [name for name in code.required if name != "operation"]
        details: dict[str, Any] = {"required": required} if required else {}
        if code.one_of:
            details["anyOf"] = [{"required": [name]} for name in code.one_of]
        if details:
            when = {"properties": {"error_code": {"const": str(code)}}, "required": ["error_code"]}
            whole["allOf"].append({"if": when, "then": {"properties": {"details": details}}})
    return whole


def _tool(tool: Tool) -> Mapping[str, Any]:
    """A tool without arguments, whose record says what it gives."""
    assert tool.gives is not None
    error = {"$ref": f"{BASE}error.schema.json"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{BASE}{tool.name}.schema.json",
        "title": tool.description.removesuffix("."),
        "type": "object",
        "properties": {"arguments": {"type": "object"}, "result": {"$ref": "#/$defs/result"}, "error": error},
        "required": ["arguments"],
        "oneOf": [{"required": ["result"]}, {"required": ["error"]}],
        "if": {"required": ["result"]},
        "then": {"properties": {"arguments": {"$ref": "#/$defs/arguments"}}},
        "$defs": {
            "arguments": {"type": "object"},
            "result": _schema(inspect.type_info(tool.gives)),
        },
    }


def _viewer_relay() -> Mapping[str, Any]:
    """The messages between a session and its viewers."""
    sent, received = Said.__subclasses__(), get_args(ViewerMessage)
    forms, parts = schema_components((*sent, *received), ref_template="#/$defs/{name}")
    buffer = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "dtype": {"enum": ["f4", "u4", "u1"]},
            "shape": {"type": "array", "items": {"type": "integer", "minimum": 0}},
        },
        "required": ["name", "dtype", "shape"],
    }
    session = {
        "description": "what the session says; the buffers that it announces follow as binary frames",
        "type": "object",
        "properties": {"view_id": {"type": "string"}, "buffers": {"type": "array", "items": buffer}},
        "required": ["view_id"],
        "oneOf": list(forms[: len(sent)]),
    }
    viewer = {"description": "what a viewer says", "oneOf": list(forms[len(sent) :])}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{BASE}viewer_relay.schema.json",
        "title": "Messages between a session and its viewers",
        "anyOf": [{"$ref": "#/$defs/session"}, {"$ref": "#/$defs/viewer"}],
        "$defs": {"session": session, "viewer": viewer, **_plain(parts)},
    }


_NEWER: Final = ("prefixItems", "default")


def _plain(part: Any) -> Any:
    """A schema as older checkers read it, too: of tuples, whose items are all alike here, and no defaults."""
    if isinstance(part, list | tuple):
        return [_plain(each) for each in part]
    if not isinstance(part, dict):
        return part
    plain = {key: _plain(value) for key, value in part.items() if key not in _NEWER}
    if "prefixItems" in part:
        first, *others = part["prefixItems"]
        assert all(each == first for each in others)
        plain["items"] = _plain(first)
    return plain


GENERATED: Final[Mapping[str, Callable[[], Mapping[str, Any]]]] = {
    "common": _common,
    "error": _error,
    "vcad.ask": _ask,
    "viewer_relay": _viewer_relay,
    **{tool.name: partial(_tool, tool) for tool in TOOLS.values() if tool.gives is not None},
}
"""Schema → what it is to be."""


def _copy(name: str) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(schema(name)))
    return copy


def text(value: Any, depth: int = 0, taken: int = 0) -> str:
    """JSON in which what fits into a line stands in one. taken: characters beside the value in its line."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or (depth and 2 * depth + taken + len(line) <= _WIDTH):
        return line
    heads = [f"{json.dumps(key)}: " for key in value] if isinstance(value, dict) else [""] * len(value)
    items = list(value.values()) if isinstance(value, dict) else value
    pad = "  " * (depth + 1)
    lines = [
        f"{pad}{head}{text(item, depth + 1, len(head) + (number < len(items)))}"
        for number, (head, item) in enumerate(zip(heads, items, strict=True), 1)
    ]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + ",\n".join(lines) + "\n" + "  " * depth + closing


def main() -> None:
    """Write the files."""
    folder = Path(str(files("vcad_kernel.contracts") / VERSION))
    for name, made in GENERATED.items():
        folder.joinpath(f"{name}.schema.json").write_text(text(made()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
