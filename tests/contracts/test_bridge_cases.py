"""The bridge's stories are well told: every rule and code has one, and the patterns say what they seem to."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.contracts.bridge_cases import FILES, FOLDER, cases, mismatch, raw_bytes
from vcad_kernel.error_codes import ErrorCode, rpc_number
from vcad_kernel.exchange import formats
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh

TABLE = json.loads((FOLDER / "error_codes.json").read_text("utf-8"))
RULES = {
    *(f"M{k}" for k in range(1, 9)),
    *(f"T{k}" for k in range(3, 12)),
    *("L1", "L2", "L4", "L5", "L7", "4.1", "4.2", "4.3", "4.4", "5"),
    *("6.1", "6.2", "6.3", "6.3a", "6.4", "6.6"),
}


def test_every_rule_has_a_story() -> None:
    told = {rule for case in cases() for rule in case.rules}
    assert told >= RULES


def test_stories_have_names_of_their_own() -> None:
    names = [str(case) for case in cases()]
    assert len(set(names)) == len(names)


def _codes(found: Any) -> set[str]:
    if isinstance(found, dict):
        own = {found["error_code"]} if isinstance(found.get("error_code"), str) else set()
        return own.union(*(_codes(one) for one in found.values()))
    return set().union(*(_codes(one) for one in found)) if isinstance(found, list) else set()


def test_every_code_that_the_extension_sends_has_a_story() -> None:
    told = set().union(*(_codes(list(case.steps)) for case in cases()))
    known = {code for codes in TABLE["numbers"].values() for code in codes}
    assert known - told == set(TABLE["not_sent_by_the_runtime"])


def test_both_sides_hold_one_table_of_codes() -> None:
    for number, codes in TABLE["numbers"].items():
        for code in codes:
            assert rpc_number(ErrorCode(code)) == int(number), code


def test_the_meshes_are_what_we_write() -> None:
    for name, size in (("box", (10, 20, 30)), ("cube", (20, 20, 20))):
        corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float) * size
        faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
        faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
        written = formats.encode(".dae", [PartMesh(name, TriMesh.of(corners, faces))])[".dae"]
        assert (FILES / f"{name}.dae").read_bytes() == written


@pytest.mark.parametrize(
    ("found", "pattern", "fits"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({"b": 2}, {"a": 1}, False),
        ([1, 2], [1, "$integer"], True),
        ([1, 2, 3], [1, 2], False),
        (True, 1, False),
        (1, 1.0, True),
        ("", "$text", False),
        ("abc", "$match:^a.c$", True),
        (5, "$match:5", False),
        ([1.0004, 2], {"$near": [1, 2]}, True),
        ([1.1, 2], {"$near": [1, 2]}, False),
        ("1", {"$near": 1}, False),
        (["x", "y"], {"$has": ["y"], "$length": 2}, True),
        (["x", "y"], {"$has": ["z"]}, False),
        ([1, "2"], {"$each": "$integer"}, False),
        ({"a": None}, {"$without": ["a"]}, False),
        ({"a": None}, {"a": None}, True),
        ({"a": None}, {"a": {"$keep": "x"}}, False),
        (None, "$any", True),
        (2, {"$not": 1}, True),
        (1, {"$not": 1}, False),
    ],
)
def test_patterns_fit_what_they_say(found: Any, pattern: Any, fits: bool) -> None:
    assert (mismatch(found, pattern, {}) is None) is fits


def test_what_was_met_is_kept() -> None:
    kept: dict[str, Any] = {}
    assert mismatch({"id": 7}, {"id": {"$keep": "entity"}}, kept) is None
    assert kept == {"entity": 7}


def test_raw_text_may_repeat() -> None:
    assert raw_bytes(["a", {"repeat": "bö", "times": 2}]) == "aböbö".encode()
