"""The schemas themselves: valid, and within what every checker understands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from tests.contracts.examples import second_opinion
from vcad_kernel.contracts.tools import TOOLS
from vcad_kernel.contracts.validation import BASE, schema, schema_names, validate
from vcad_kernel.error_codes import ErrorCode

KNOWN_TO_ALL = {
    *("$schema", "$id", "$defs", "$ref", "title", "description", "type", "enum", "const"),
    *("properties", "required", "additionalProperties", "items", "minItems", "maxItems"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern"),
    *("allOf", "anyOf", "oneOf", "if", "then", "else"),
}
"""Keywords that draft 7 and draft 2020-12 read alike."""


def _parts(found: Any) -> Iterator[dict[str, Any]]:
    """Every schema within a schema."""
    if not isinstance(found, dict):
        return
    yield found
    for key in ("properties", "$defs"):
        for one in found.get(key, {}).values():
            yield from _parts(one)
    for key in ("items", "additionalProperties", "if", "then", "else"):
        yield from _parts(found.get(key))
    for key in ("allOf", "anyOf", "oneOf"):
        for one in found.get(key, ()):
            yield from _parts(one)


@pytest.mark.parametrize("name", schema_names())
def test_a_schema_is_valid_refers_to_what_is_there_and_is_read_alike_by_old_and_new_checkers(
    name: str,
) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))
    assert schema(name)["$id"] == f"{BASE}{name}.schema.json", "it is not named after its file"
    assert second_opinion(name) is not None
    for part in _parts(schema(name)):
        assert part.keys() <= KNOWN_TO_ALL
        assert "$ref" not in part or len(part) == 1, "an older checker reads nothing beside a reference"
        assert part.get("additionalProperties") is not False, "newer peers say more"
        if "$ref" in part:
            address, _, pointer = part["$ref"].partition("#")
            target: Any = schema(address.removeprefix(BASE).removesuffix(".schema.json") or name)
            for step in filter(None, pointer.split("/")):
                target = target[step]
            assert target


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_has_a_schema_of_its_arguments_and_result(tool: str) -> None:
    assert {"arguments", "result"} <= schema(tool)["$defs"].keys()


def test_the_schema_of_errors_demands_what_the_table_of_codes_demands() -> None:
    for code in ErrorCode:
        details = dict.fromkeys(code.required)
        details |= dict.fromkeys(code.one_of[:1])
        checker = second_opinion("error")

        def complaints(details: dict[str, Any], code: str = code, checker: Any = checker) -> set[str]:
            wire = {"error_code": str(code), "message": "", "details": details}
            return {one.validator for one in checker.iter_errors(wire)} & {"required", "anyOf"}

        assert not complaints(details)
        for key in details:
            assert complaints({other: None for other in details if other != key}), (code, key)


def test_an_unknown_schema_is_an_error_of_the_caller() -> None:
    with pytest.raises(KeyError):
        schema("vcad.nothing")
    with pytest.raises(KeyError):
        schema("../v1/hello")
    with pytest.raises(KeyError):
        validate("hello#nothing", {}, operation="test")
