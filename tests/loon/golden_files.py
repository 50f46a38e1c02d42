"""Programs and what comes of them, side by side: golden/NAME.oo and golden/NAME.txt.

``python -m tests.loon.rewrite_golden`` writes the texts anew. Every program begins with a blank line,
so that no position is right by chance.
"""

from __future__ import annotations

from pathlib import Path

from vcad_kernel.errors import VcadError
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

__all__ = ["FOLDER", "programs", "rendered"]

FOLDER = Path(__file__).parent / "golden"


def programs() -> list[Path]:
    """All golden programs."""
    return sorted(FOLDER.glob("*.oo"))


def rendered(program: Path) -> str:
    """The program with what it prints and its value, or the error it ends with."""
    text = program.read_text("utf-8")
    out: list[str] = []
    try:
        end = "value: " + display(Environment(stdout=out.append).run(Source(program.name, text)))
    except VcadError as error:
        end = f"{type(error).__name__}\n{error.render()}"
    parts = ["----- program", text.rstrip("\n")]
    if out:
        parts += ["----- output", "".join(out).rstrip("\n")]
    return "\n".join([*parts, "----- end", end, ""])
