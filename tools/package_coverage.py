"""Prints what share of each package's lines and branches the tests run: ``python -m tools.package_coverage``.

Reads coverage.py's data where pyproject.toml says it lies, or ``--data FILE``; what ran in processes that the
tests started counts like what ran in theirs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coverage import Coverage

__all__ = ["by_package", "main"]


def by_package(files: Mapping[str, Mapping[str, Any]]) -> str:
    """A table in Markdown from the ``files`` of coverage.py's JSON report."""
    sums: dict[str, list[int]] = {}
    kinds = ("num_statements", "covered_lines", "num_branches", "covered_branches")
    for name, report in sorted(files.items()):
        package = "/".join(Path(name).parts[:-1][:2])
        for key in (package, "all"):
            total = sums.setdefault(key, [0, 0, 0, 0])
            for number, kind in enumerate(kinds):
                total[number] += report["summary"][kind]
    rows = ["| package | statements | run | branches | taken |", "|---|---|---|---|---|"]
    for package, (lines, run, branches, taken) in sorted(
        sums.items(), key=lambda item: (item[0] == "all", item[0])
    ):
        rows.append(
            f"| {package} | {lines} | {_share(run, lines)} | {branches} | {_share(taken, branches)} |"
        )
    return "\n".join(rows)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def main() -> None:
    """Read, add up, print."""
    parser = argparse.ArgumentParser(description="Coverage by package.")
    parser.add_argument("--data", type=Path, help="coverage.py's data; by default where pyproject.toml says")
    arguments = parser.parse_args()
    coverage = Coverage(data_file=arguments.data) if arguments.data else Coverage()
    coverage.load()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        coverage.json_report(outfile=str(report))
        print(by_package(json.loads(report.read_text())["files"]))


if __name__ == "__main__":
    main()
