"""The project's own copy of the Loon cases: every core case, and the full ones that this build can do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conformance.runner import is_geometry, read_cases, run_case, run_file

CASES = list(read_cases(Path(__file__).parent / "loon_cases.jsonl"))
CORE = [case for case in CASES if case["level"] == "core"]
FULL = [case for case in CASES if case["level"] == "full" and "mode" not in case]
CHECKED = [case for case in CASES if "mode" in case]


@pytest.mark.parametrize("case", CORE, ids=[case["id"] for case in CORE])
def test_a_core_case_gives_what_the_specification_says(case: dict[str, Any]) -> None:
    outcome = run_case(case)
    assert outcome.status == "passed", outcome


@pytest.mark.parametrize("case", FULL, ids=[case["id"] for case in FULL])
def test_a_full_case_passes_or_names_the_missing_capability(case: dict[str, Any]) -> None:
    outcome = run_case(case)
    assert outcome.status == "passed" or outcome.got.startswith("capability "), outcome


@pytest.mark.parametrize("case", CHECKED, ids=[case["id"] for case in CHECKED])
def test_the_checker_says_of_a_case_what_the_specification_says(case: dict[str, Any]) -> None:
    outcome = run_case(case)
    assert outcome.status == "passed", outcome


def test_the_core_level_skips_full_cases() -> None:
    assert run_case(FULL[0], level="core").status == "skipped"


def test_cases_are_told_apart_by_their_format() -> None:
    assert not any(is_geometry(case) for case in CASES)
    assert is_geometry({"id": "prim-cube", "area": "primitives", "volume": 1, "source": "[cube 1 1 1]"})
    assert is_geometry({"id": "bad", "area": "language", "error": "TYPE_MISMATCH", "source": ""})


def test_a_crash_of_ours_fails_the_case_and_not_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(case: dict[str, Any]) -> None:
        raise ZeroDivisionError(case["id"])

    monkeypatch.setattr("tests.conformance.loon_cases.run_case", crash)
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id":"a","area":"lex","level":"core","source":"42","value":"42"}\n', "utf-8")
    lines: list[str] = []
    assert not run_file(file, level="full", kernel="mesh", write=lines.append)
    assert lines == ["a: expected no crash; got ZeroDivisionError('a')\n", "0 passed, 1 failed, 0 skipped\n"]


def test_a_failing_case_is_reported_with_its_values_and_fails_the_run(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(
        '{"id":"right","area":"lex","level":"core","source":"42","value":"42"}\n'
        '{"id":"wrong","area":"lex","level":"core","source":"42","value":"43"}\n'
        '{"id":"typed","area":"infer","level":"full","mode":"infer","source":"[let n 1]","type":"Float"}\n'
        '{"id":"found","area":"check","level":"full","mode":"check","source":"[nope]","codes":[]}\n',
        "utf-8",
    )
    lines: list[str] = []
    assert not run_file(file, level="full", kernel="mesh", write=lines.append)
    assert lines == [
        "wrong: expected value 43; got value 42\n",
        "typed: expected Float; got Num\n",
        "found: expected []; got ['E0201']\n",
        "1 passed, 3 failed, 0 skipped\n",
    ]
