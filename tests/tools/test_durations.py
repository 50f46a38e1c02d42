"""The table of durations in docs/testing.md: what a report of pytest's comes to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.durations import BEGIN, END, PAGE, page, slow, slowest, timed

REPORT = """<?xml version="1.0"?><testsuites><testsuite>
<testcase classname="tests.loon.reading.test_reader" name="test_spans[a]" time="1.25"/>
<testcase classname="tests.loon.reading.test_reader" name="test_spans[b]" time="0.75"/>
<testcase classname="tests.cad.test_slot" name="test_area" time="9.0"/>
</testsuite></testsuites>"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.xml"
    path.write_text(REPORT)
    return path


def test_the_cases_of_a_function_are_added_up(report: Path) -> None:
    found = [(one.folder, one.name, one.cases, one.seconds) for one in timed(report)]
    assert found == [
        ("tests/loon/reading", "test_reader.test_spans", 2, 2.0),
        ("tests/cad", "test_slot.test_area", 1, 9.0),
    ]


def test_folders_come_by_cost_and_functions_by_folder(report: Path) -> None:
    rows = [line for line in slowest(list(timed(report))).splitlines() if line.startswith("| tests")]
    assert rows == [
        "| tests/cad | 1 | 9 |",
        "| tests/loon/reading | 2 | 2 |",
        "| tests/cad | `test_slot.test_area` | 1 | 9.0 |",
        "| tests/loon/reading | `test_reader.test_spans` | 2 | 2.0 |",
    ]


def test_the_functions_with_a_long_case_are_listed_as_pytest_names_them(report: Path) -> None:
    assert slow(list(timed(report))).splitlines() == [
        "tests/cad/test_slot.py::test_area",
        "tests/loon/reading/test_reader.py::test_spans",
    ]


def test_only_the_tables_of_the_page_are_replaced() -> None:
    text = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert page(text, "new") == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
    assert page(page(text, "new"), "new") == page(text, "new")
    with pytest.raises(SystemExit, match="no lines"):
        page("a page without a place", "new")


def test_the_page_has_a_place_for_them() -> None:
    assert BEGIN in PAGE.read_text(encoding="utf-8")
