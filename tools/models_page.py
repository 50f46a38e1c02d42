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
_MEASURED = re.compile(
    r"^(\w+): \d+ lines, (\d+) there +([\d.]+) ms +[\d.]+ × +([\d.]+) ms \(CadQuery\)", re.MULTILINE
)

_HEAD = """# Models

Real parts of other systems, of standards and of drawings with published masses, in Loon: `tests/models` has
the programs, and `models.toml` there whose figures they are held to. Every part is evaluated exactly, held to
them (1e-6 relative; masses within their rounding), written as STEP, STL and 3MF and read back, at each
`make test`. None of the figures were computed here: they are published, follow from a closed formula, or are
CadQuery's or build123d's.

Lines are those of the program, comments left out, and of the function that makes the same in CadQuery 2.7.0
(`tests/benchmarks/peers/models_in_cadquery.py`), both as their formatters lay them out. Times are in ms,
for the exact body with its volume and triangles within 0.02 mm, here with all that a cell shows, the quickest
of five rounds, both in one run. OpenSCAD's solid has no times: CadQuery gives it another volume than the
formula.
"""


class Beside(NamedTuple):
    """What a run measured for one part."""

    lines: int
    """Of CadQuery's function."""
    here: float
    """ms, as of there."""
    there: float


def measured(report: str) -> dict[str, Beside]:
    """By part, what the benchmark printed."""
    rows = _MEASURED.findall(report)
    return {name: Beside(int(lines), float(here), float(there)) for name, lines, here, there in rows}


def page(beside: dict[str, Beside]) -> str:
    """The whole page."""
    ratios = [part.here / part.there for part in beside.values()]
    mean, largest = statistics.geometric_mean(ratios), max(ratios)
    said = (
        f"Of {len(ratios)} parts the geometric mean of the ratios is {mean:.2f}, the largest {largest:.2f}."
    )
    titles = ["part", "", "after", "lines", "in CadQuery", "ms", "CadQuery", "ratio"]
    table = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    rows = [row(model, beside.get(model.name)) for model in MODELS.values()]
    return "\n".join([_HEAD, said, "", *table, *rows, ""])


def row(model: Model, beside: Beside | None) -> str:
    """A line of the table."""
    picture = f"![](images/models/{model.name}.png)"
    mass = f"; {model.mass:g} g" if model.mass is not None else ""
    cells = [picture, f"{model.title} (`{model.name}`)", model.source + mass, str(model.lines)]
    if beside is None:
        return f"| {' | '.join(cells)} | | | | |"
    times = [f"{beside.here:.0f}", f"{beside.there:.0f}", f"{beside.here / beside.there:.2f}"]
    return f"| {' | '.join([*cells, str(beside.lines), *times])} |"


if __name__ == "__main__":
    PAGE.write_text(page(measured(Path(sys.argv[1]).read_text(encoding="utf-8"))), encoding="utf-8")
    PICTURES.mkdir(parents=True, exist_ok=True)
    with Session() as session:
        for model in MODELS.values():
            picture = session.png(model.program, width=140, height=105)
            (PICTURES / f"{model.name}.png").write_bytes(picture)
