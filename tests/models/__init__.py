"""Real parts, each a program, and the table of what others say of them (``models.toml``)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["MODELS", "Model"]

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Model:
    """A part and its figures, which are published or were computed independently of this project."""

    name: str
    title: str
    source: str
    figures: str
    """Where volume, area and box are from."""
    box: tuple[tuple[float, float, float], tuple[float, float, float]]
    """Lowest and highest corner, mm."""
    volume: float | None = None
    """mm³; None where only the mass is known."""
    area: float | None = None
    """mm²."""
    density: float | None = None
    """g/cm³, of the published mass."""
    mass: float | None = None
    """g, as published."""
    rounding: float = 0.0
    """How far the published mass may be off for having been rounded, g."""

    @property
    def program(self) -> str:
        return (_HERE / f"{self.name}.oo").read_text(encoding="utf-8")

    @property
    def lines(self) -> int:
        """Lines of the program, comments left out."""
        return sum(not line.startswith(";") for line in self.program.splitlines())


MODELS: Final = {
    name: Model(name, **row)
    for name, row in tomllib.loads((_HERE / "models.toml").read_text(encoding="utf-8")).items()
}
