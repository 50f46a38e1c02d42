"""Writes the slowest tests of the last run into docs/testing.md: ``python -m tools.durations REPORT.xml …``.

`make test` leaves a JUnit report of each of its runs of pytest; the page shows where their time went, so
that a test that has become slow is seen in the change that made it so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

__all__ = ["Timed", "page", "slowest", "timed"]

PAGE = Path(__file__).parents[1] / "docs" / "testing.md"
BEGIN, END = "<!-- durations: written by `make test` -->", "<!-- durations end -->"
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Timed:
    """One test function, its cases and fixtures together."""

    folder: str
    name: str
    cases: int
    seconds: float


def timed(report: Path) -> Iterator[Timed]:
    """The test functions of a JUnit report, in its order."""
    cases: dict[tuple[str, str], list[float]] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        module = case.get("classname", "").split(".")
        name = f"{module[-1]}.{case.get('name', '').split('[')[0]}"
        cases.setdefault(("/".join(module[:-1]), name), []).append(float(case.get("time", "0")))
    for (folder, name), seconds in cases.items():
        yield Timed(folder, name, len(seconds), sum(seconds))


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


if __name__ == "__main__":
    found = [test for name in sys.argv[1:] for test in timed(Path(name))]
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), slowest(found)), encoding="utf-8")
