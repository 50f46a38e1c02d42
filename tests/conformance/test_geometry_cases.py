"""The project's copy of the CAD cases, one test each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.geometry_cases import run_case

_CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("geometry_cases.jsonl").read_text("utf-8").splitlines()
    if line.strip()
]
_NEED_BREP = {"fillet", "chamfer", "shell"}


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["id"])
def test_case_on_the_mesh_kernel(case: dict[str, Any]) -> None:
    outcome = run_case(case, "mesh")
    if outcome.status == "skipped":
        assert case["area"] in _NEED_BREP, "only features may need the exact kernel"
        pytest.skip(outcome.got)
    assert outcome.status == "passed", f"expected {outcome.expected}; got {outcome.got}"


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


def test_bodies_wait_for_the_exact_kernel_when_it_is_asked_for() -> None:
    curved = next(case for case in _CASES if case["id"] == "prim-sphere")
    planar = next(case for case in _CASES if case["id"] == "prim-cube")
    assert run_case(curved, "brep").status == "skipped"
    assert run_case(planar, "brep").status == "skipped"
