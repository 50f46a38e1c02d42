"""JSON schemas of arguments and answers as agents are shown them: without titles, defaults and null branches.

Each character costs an agent part of its context, in every conversation. Pure; knows pydantic's form of
a schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["input_schema", "output_schema"]


@cache
def input_schema(arguments: type[BaseModel]) -> dict[str, Any]:
    """Of a tool's arguments; what may be left out may also be null, which need not be said."""
    schema: dict[str, Any] = _plain(arguments.model_json_schema(mode="validation"), nulls=False)
    schema.setdefault("properties", {})
    schema.pop("description", None)  # the docstring of our class
    return schema


@cache
def output_schema(result: type[BaseModel]) -> dict[str, Any]:
    """Of a tool's answer: its result, and ``success``.

    A failure must pass, too: the SDK for TypeScript, and clients made with it, check ``is_error`` results
    as well, and would show their model a complaint about the schema in place of what went wrong.
    """
    schema: dict[str, Any] = _plain(result.model_json_schema(mode="serialization"), nulls=True)
    schema["properties"] = {"success": {"type": "boolean"}, **schema.get("properties", {})}
    schema.pop("required", None)
    schema["required"] = ["success"]
    schema.pop("additionalProperties", None)
    schema.pop("description", None)
    return schema


def _plain(schema: Any, *, nulls: bool) -> Any:
    """The schema without what agents need not read.

    nulls: whether null stays allowed where it was: a client checks an answer against its schema.
    """
    if isinstance(schema, list):
        return [_plain(element, nulls=nulls) for element in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept = {key: value for key, value in schema.items() if key not in _LEFT_OUT or not _is_said(key, value)}
    if "anyOf" in kept:
        branches = [branch for branch in kept["anyOf"] if branch.get("type") != "null"]
        if len(branches) == 1 and len(branches) < len(kept["anyOf"]):
            rest = {key: value for key, value in kept.items() if key != "anyOf"}
            return _with_null(_plain({**branches[0], **rest}, nulls=nulls), nulls=nulls)
    plain = {
        key: {name: _plain(member, nulls=nulls) for name, member in value.items()}
        if key in ("properties", "$defs")
        else _plain(value, nulls=nulls)
        for key, value in kept.items()
    }
    if nulls:  # of an answer, what it has is said by its properties
        plain.pop("required", None)
        plain.pop("additionalProperties", None)
    return plain


_LEFT_OUT = frozenset({"title", "default", "description"})


def _is_said(key: str, value: Any) -> bool:
    """Whether a keyword is pydantic's own text rather than a field of that name."""
    if key == "description":
        return "\n" in str(value) or len(str(value)) > _LONGEST
    return key == "title" or value is None


_LONGEST = 160
"""Characters of a description; more is the docstring of a class."""


def _with_null(schema: dict[str, Any], *, nulls: bool) -> dict[str, Any]:
    if not nulls:
        return schema
    if isinstance(schema.get("type"), str) and "enum" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
