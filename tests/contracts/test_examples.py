"""Golden examples: what both ends of a wire can be held to."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.examples import RELEASED, example, examples, second_opinion
from vcad_kernel.contracts.tools import TOOLS
from vcad_kernel.contracts.validation import schema_names, validate
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.error_envelope import envelope, error_from, passed_on

SPECIFICATION = Path(__file__).parents[2] / "docs" / "spec" / "service.md"
ALL = tuple(examples())
VERSIONS = sorted(folder.name for folder in RELEASED.iterdir() if folder.is_dir())


@pytest.mark.parametrize("name", ALL)
def test_an_example_fits_its_schema_whoever_checks_also_with_unknown_fields(name: str) -> None:
    schema = name.split("/", 1)[0]
    shown = example(name)
    newer = copy.deepcopy(shown)
    newer["from_a_newer_peer"] = {"new": [1, 2]}
    for part in ("arguments", "params", "result", "error", "details"):
        if isinstance(newer.get(part), dict):
            newer[part]["from_a_newer_peer"] = None
    for message in (shown, newer):
        validate(schema, message, operation="test")
        second_opinion(schema).validate(message)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_was_released_once_is_understood_for_ever(version: str) -> None:
    names = list(examples(RELEASED / version))
    assert names
    for name in names:
        validate(name.split("/", 1)[0], example(name, RELEASED / version), operation=name)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_is_shown_to_succeed_and_to_fail(tool: str) -> None:
    assert "result" in example(f"{tool}/success")
    assert example(f"{tool}/failure")["error"]["details"]["operation"]


@pytest.mark.parametrize("tool", TOOLS)
def test_arguments_and_results_fit_by_themselves(tool: str) -> None:
    shown = [example(name) for name in ALL if name.startswith(f"{tool}/success")]
    for one in shown:
        for part, value in (("arguments", one["arguments"]), ("result", one["result"])):
            validate(f"{tool}#{part}", value, operation=tool)
            second_opinion(f"{tool}#{part}").validate(value)


def test_every_schema_has_an_example() -> None:
    shown = {name.split("/", 1)[0] for name in ALL}
    assert shown == set(schema_names()) - {"common"}


def _errors() -> list[dict[str, Any]]:
    found = [example(name) for name in ALL]
    return [
        one if "error_code" in one else one["error"] for one in found if {"error_code", "error"} & one.keys()
    ]


def test_every_error_shown_is_one_that_the_builder_would_send() -> None:
    for wire in _errors():
        assert passed_on(wire, "another") == wire
        assert envelope(error_from(wire), "another") == wire


def _specified() -> list[str]:
    """The codes of the table in service.md §8."""
    text = SPECIFICATION.read_text("utf-8").partition("\n## 8.")[2]
    rows = [row.split("|")[1] for row in text.split("\n") if row.startswith("| ")]
    return [code for row in rows for code in re.findall(r"[A-Z]+(?:_[A-Z]+)+", re.sub(r"\(.*?\)", "", row))]


def test_every_code_of_the_specification_is_shown() -> None:
    assert len(_specified()) >= 35
    for code in _specified():
        assert example(f"error/{ErrorCode(code)}")["error_code"] == code
