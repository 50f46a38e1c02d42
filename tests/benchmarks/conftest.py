"""Collects what the benchmarks measured and prints it as one table of ratios."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable

import pytest

_ROWS = pytest.StashKey[list[tuple[str, float, float, str]]]()


@pytest.fixture
def record(request: pytest.FixtureRequest) -> Callable[[str, float, float, str], None]:
    """Note a measurement: what, seconds, seconds of the peer or limit, and what that is."""

    def note(what: str, seconds: float, reference: float, against: str) -> None:
        request.config.stash.setdefault(_ROWS, []).append((what, seconds, reference, against))

    return note


_ASKED = {
    "raw OCP": (1.2, 2.0),
    "unchecked OCP": (1.2, 2.0),
    "CadQuery": (1.0, 3.0),
    "build123d": (1.0, 3.0),
}
"""Of what is measured against a peer: the geometric mean of its ratios, and the largest of them."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The table that docs/performance.md reports."""
    rows = config.stash.get(_ROWS, [])
    if not rows:
        return
    terminalreporter.section("ratios in this run")
    for what, seconds, reference, against in rows:
        beyond = "  beyond" if seconds > reference * _ASKED.get(against, (math.inf, math.inf))[1] else ""
        terminalreporter.write_line(
            f"{what:<48} {seconds * 1e3:9.2f} ms"
            f"   {seconds / reference:5.2f} × {reference * 1e3:8.2f} ms ({against}){beyond}"
        )
    for peer, (mean, largest) in _ASKED.items():
        ratios = {what: seconds / reference for what, seconds, reference, against in rows if against == peer}
        if ratios:
            worst, mean_there = (
                max(ratios, key=ratios.__getitem__),
                statistics.geometric_mean(ratios.values()),
            )
            terminalreporter.write_line(
                f"{len(ratios)} against {peer}: geometric mean {mean_there:.2f}"
                f" (asked {mean:g}), largest {ratios[worst]:.2f} (asked {largest:g}): {worst}"
            )
