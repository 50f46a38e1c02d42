"""Writes docs/models.md and its pictures from tests/models and a report of their benchmark.

python -m pytest -p no:nbval tests/benchmarks/test_model_speed.py > REPORT
python -m tools.models_page REPORT
"""

from __future__ import annotations

import re
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

from notebook_ext import Session
from tests.models import MODELS, Model

__all__ = ["PAGE", "PICTURES", "Beside", "page", "row"]

_DOCS = Path(__file__).parents[1] / "docs"
PAGE = _DOCS / "models.md"
PICTURES = _DOCS / "images" / "models"
_PEERS = ("CadQuery", "build123d")
_MEASURED = re.compile(
    r"^(\w+): \d+ lines, (\d+) there +([\d.]+) ms +[\d.]+ × +([\d.]+) ms \((\w+)\)", re.MULTILINE
)

_HEAD = """# Models

Real parts of other systems, of standards and of drawings with published masses, in Loon: `tests/models` has
the programs, and `models.toml` there whose figures they are held to. Every part is evaluated exactly, held to
them (1e-6 relative; masses within their rounding), written as STEP, STL and 3MF and read back, at each
`make test`. None of the figures were computed here: they are published, follow from a closed formula, or are
CadQuery's or build123d's.

Lines are those of the program, comments left out, and of the function that makes the same in CadQuery 2.7.0
and in build123d 0.13.0 (`tests/benchmarks/peers`: `models_in_cadquery.py`, and `models_in_build123d.py` in
its algebra mode), all as their formatters lay them out. Times are in ms, for the exact body with its volume
and triangles within 0.02 mm, here with all that a cell shows: what the processor spent, the quickest of three
rounds in one run, so that what else the machine did hardly counts. That all make the same volume is asserted.

What has no figures: OpenSCAD's solid, of which both give another volume than the formula; the curved support
in build123d, whose unions lose pieces of it in whichever order; the lid of the box for cards in CadQuery,
which does not close its mirrored Bézier curves; the flanged hub, which is written for neither.
"""


class Beside(NamedTuple):
    """What a run measured for one part beside one system."""

    lines: int
    """Of the function there."""
    here: float
    """ms, as of there."""
    there: float

    @property
    def ratio(self) -> float:
        """Above 1 it takes longer here."""
        return self.here / self.there


def measured(report: str) -> dict[str, dict[str, Beside]]:
    """By part and system, what the benchmark printed."""
    found: dict[str, dict[str, Beside]] = {}
    for name, lines, here, there, peer in _MEASURED.findall(report):
        found.setdefault(name, {})[peer] = Beside(int(lines), float(here), float(there))
    return found


def page(beside: dict[str, dict[str, Beside]]) -> str:
    """The whole page."""
    said = " ".join(_summary(peer, beside) for peer in _PEERS)
    titles = ["part", "", "after", "lines", *(f"in {peer}" for peer in _PEERS), "ms"]
    for peer in _PEERS:
        titles += [peer, "ratio"]
    table = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    rows = [row(model, beside.get(model.name, {})) for model in MODELS.values()]
    return "\n".join([_HEAD, said, "", *table, *rows, ""])


def _summary(peer: str, beside: dict[str, dict[str, Beside]]) -> str:
    by_part = {name: beside[name][peer].ratio for name in beside if peer in beside[name]}
    mean, worst = statistics.geometric_mean(by_part.values()), max(by_part, key=by_part.__getitem__)
    return (
        f"Beside {peer} ({len(by_part)} parts) the geometric mean of the ratios is {mean:.2f}, the largest"
        f" {by_part[worst]:.2f} (`{worst}`)."
    )


def row(model: Model, beside: dict[str, Beside]) -> str:
    """A line of the table."""
    picture = f"![](images/models/{model.name}.png)"
    mass = f"; {model.mass:g} g" if model.mass is not None else ""
    cells = [picture, f"{model.title} (`{model.name}`)", model.source + mass, str(model.lines)]
    cells += [str(beside[peer].lines) if peer in beside else "" for peer in _PEERS]
    cells.append(f"{next(iter(beside.values())).here:.0f}" if beside else "")
    for peer in _PEERS:
        one = beside.get(peer)
        cells += ["", ""] if one is None else [f"{one.there:.0f}", f"{one.ratio:.2f}"]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(measured(Path(sys.argv[1]).read_text(encoding="utf-8"))), encoding="utf-8")
    PICTURES.mkdir(parents=True, exist_ok=True)
    with Session() as session:
        for model in MODELS.values():
            picture = session.png(model.program, width=140, height=105)
            (PICTURES / f"{model.name}.png").write_bytes(picture)
