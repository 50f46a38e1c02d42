"""The project's copy of the CAD cases, one test each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.geometry_cases import outcomes_of, run_case

_CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("geometry_cases.jsonl").read_text("utf-8").splitlines()
    if line.strip()
]
_HOLDS_A_MESH = "mesh"
"""The area whose bodies have no B-rep."""


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["id"])
def test_case_on_both_kernels_and_one_against_the_other(case: dict[str, Any]) -> None:
    for kernel, outcome in outcomes_of(case).items():
        has_no_body = outcome.status == "skipped" and kernel == "brep" and case["area"] == _HOLDS_A_MESH
        wrong = f"{kernel}: expected {outcome.expected}; got {outcome.got}"
        assert outcome.status == "passed" or has_no_body, wrong


def test_an_imported_mesh_has_no_exact_body() -> None:
    meshes = [case for case in _CASES if case["area"] == _HOLDS_A_MESH]
    assert "skipped" in {run_case(case, "brep").status for case in meshes}
    assert {run_case(case, "both").status for case in meshes} == {"passed"}


def test_a_wrong_figure_fails_its_case() -> None:
    case = next(case for case in _CASES if case["id"] == "bool-diff-through-hole")
    for change in (
        {"volume": 5500.0 * 1.01},
        {"surface_area": 2300.0},
        {"bbox": [[0, 0, 0], [30, 20, 11]]},
        {"genus": 0},
        {"shells": 2},
        {"material": "steel"},
        {"empty": True},
        {"center_of_mass": [15.0, 10.0, 5.5]},
        {"error": "INVALID_PARAMETER"},
    ):
        assert run_case({**case, **change}, "mesh").status == "failed", change
        assert run_case({**case, **change}, "brep").status == "failed", change
