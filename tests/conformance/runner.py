"""Run a file of conformance cases, each by the format it is written in."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.conformance.outcome import Outcome

__all__ = ["GEOMETRY_AREAS", "is_geometry", "read_cases", "run_case", "run_file"]

GEOMETRY_AREAS = frozenset(
    [
        *("primitives", "transforms", "booleans", "fillet", "chamfer", "shell", "patterns", "sketch"),
        *("revolve", "sweep", "loft", "scene", "language", "degenerate", "mesh"),
    ]
)


def read_cases(path: Path) -> Iterator[dict[str, Any]]:
    """The cases of a file, one JSON object per line; blank lines are skipped."""
    for line in path.read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def is_geometry(case: dict[str, Any]) -> bool:
    """Whether a case is of the geometry format: a Loon case has a level."""
    if "level" in case:
        return False
    return bool({"rel_tol", "bbox", "volume"} & case.keys()) or case.get("area") in GEOMETRY_AREAS


def run_case(case: dict[str, Any], *, level: str = "full", kernel: str = "both") -> Outcome:
    """Run one case; level "core" skips Loon cases of level full."""
    if is_geometry(case):
        # Loads the geometry libraries, which Loon cases do without.
        from tests.conformance import geometry_cases

        outcome: Outcome = geometry_cases.run_case(case, kernel)
        return outcome
    if level == "core" and case.get("level") == "full":
        return Outcome("skipped", "", "level full")
    from tests.conformance import loon_cases

    return loon_cases.run_case(case)


def _guarded(case: dict[str, Any], level: str, kernel: str) -> Outcome:
    """A crash of ours is one failed case; the others still count."""
    try:
        return run_case(case, level=level, kernel=kernel)
    except Exception as error:  # noqa: BLE001 - the top of a run: nothing above would report it
        return Outcome("failed", "no crash", repr(error))


def run_file(path: Path, *, level: str, kernel: str, write: Callable[[str], object]) -> bool:
    """Run all cases of a file and report; True when none failed.

    Writes a line per failing case and last ``N passed, M failed, K skipped``.
    """
    counts: Counter[str] = Counter()
    for case in read_cases(path):
        outcome = _guarded(case, level, kernel)
        counts[outcome.status] += 1
        if outcome.status == "failed":
            shown = (text.replace("\n", "\\n") for text in (outcome.expected, outcome.got))
            write(f"{case['id']}: expected {next(shown)}; got {next(shown)}\n")
    write(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped\n")
    return counts["failed"] == 0
