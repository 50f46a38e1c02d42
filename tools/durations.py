"""Writes the slowest tests of the last run into docs/testing.md: ``python -m tools.durations REPORT.xml …``.

`make test` leaves a JUnit report of each of its runs of pytest; the page shows where their time went, so
that a test that has become slow is seen in the change that made it so. With ``--slow FILE`` the functions
that `make check` leaves out for their length are listed there, for tests/conftest.py to read.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

__all__ = ["Timed", "main", "page", "slow", "slowest", "timed"]

PAGE = Path(__file__).parents[1] / "docs" / "testing.md"
BEGIN, END = "<!-- durations: written by `make test` -->", "<!-- durations end -->"
_SHOWN = 20
_SLOW = 0.07
"""Seconds of one case, on a machine that does other things too, that are too many for `make check`."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One test function, its cases and fixtures together."""

    folder: str
    name: str
    cases: int
    seconds: float
    longest: float
    """Of one case."""


def timed(report: Path) -> Iterator[Timed]:
    """The test functions of a JUnit report, in its order."""
    cases: dict[tuple[str, str], list[float]] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        module = case.get("classname", "").split(".")
        name = f"{module[-1]}.{case.get('name', '').split('[')[0]}"
        cases.setdefault(("/".join(module[:-1]), name), []).append(float(case.get("time", "0")))
    for (folder, name), seconds in cases.items():
        yield Timed(folder, name, len(seconds), sum(seconds), max(seconds))


def slowest(tests: list[Timed]) -> str:
    """Two tables in Markdown: seconds by folder, and the twenty slowest functions by folder."""
    folders: dict[str, list[Timed]] = {}
    for test in tests:
        folders.setdefault(test.folder, []).append(test)
    lines = ["| folder | cases | seconds |", "|---|---|---|"]
    by_cost = sorted(folders.items(), key=lambda item: -sum(test.seconds for test in item[1]))
    for folder, members in by_cost:
        seconds = sum(test.seconds for test in members)
        if seconds >= 1.0:
            lines.append(f"| {folder} | {sum(test.cases for test in members)} | {seconds:.0f} |")
    few = sorted(
        sorted(tests, key=lambda test: -test.seconds)[:_SHOWN], key=lambda test: (test.folder, test.name)
    )
    lines += ["", "| folder | test | cases | seconds |", "|---|---|---|---|"]
    lines += [f"| {test.folder} | `{test.name}` | {test.cases} | {test.seconds:.1f} |" for test in few]
    return "\n".join(lines)


def page(text: str, tables: str) -> str:
    """The page with its tables replaced.

    Raises: SystemExit when the page has no place for them.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE.name} has no lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"


def slow(tests: list[Timed]) -> str:
    """The functions with a case that takes long, a line each: ``tests/cad/test_slot.py::test_area``."""
    names = [f"{test.folder}/{test.name.replace('.', '.py::', 1)}" for test in tests if test.longest > _SLOW]
    return "".join(f"{name}\n" for name in sorted(names))


def main() -> None:
    """Read the reports, write the page or the list."""
    parser = argparse.ArgumentParser(description="Where the time of the tests goes.")
    parser.add_argument("reports", type=Path, nargs="+")
    parser.add_argument("--slow", type=Path, help="write this list instead of the page")
    arguments = parser.parse_args()
    tests = [test for report in arguments.reports for test in timed(report)]
    if arguments.slow:
        arguments.slow.write_text(slow(tests), encoding="utf-8")
    else:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), slowest(tests)), encoding="utf-8")


if __name__ == "__main__":
    main()
