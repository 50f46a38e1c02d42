"""Other CAD systems, each installed in an environment of its own, and what they need for a model.

The environments are made by the benchmark on its first run and kept in the user's cache folder; the
project itself never installs a peer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import platformdirs

__all__ = ["BUILD123D", "CADQUERY", "MODELLERS", "Made", "Peer"]

_PROGRAMS = Path(__file__).with_name("peers")


@dataclass(frozen=True, slots=True)
class Made:
    """A part of tests/models as a peer makes it."""

    volume: float
    """mm³."""
    seconds: float
    """Of the processor."""
    lines: int
    """Of the function that makes it."""


@dataclass(frozen=True, slots=True)
class Peer:
    """One system at one version."""

    name: str
    requirement: str
    program: str
    """A file of ``peers/``, which says how it is called."""

    def plate(self, columns: int, rows: int, rounds: int = 3) -> tuple[float, float]:
        """Volume of a plate with columns × rows holes, and the seconds of the best of some rounds."""
        volume, seconds = self._said(columns, rows, rounds).split()[-2:]
        return float(volume), float(seconds)

    def models(self, rounds: int) -> dict[str, Made]:
        """Every part of tests/models that its program has."""
        said = json.loads(self._said(rounds))
        return {name: Made(one["volume"], one["seconds"], one["lines"]) for name, one in said.items()}

    def _said(self, *arguments: int) -> str:
        """What the program prints."""
        command = [str(self._python()), str(_PROGRAMS / self.program), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def _python(self) -> Path:
        """The interpreter of the peer's environment, which is made if it is not there yet."""
        home = Path(platformdirs.user_cache_dir("vcad-workbench")) / "peers" / self.requirement
        python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        done = home / "installed"
        if not done.exists():
            venv.create(home, with_pip=True, clear=True)
            install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*install, self.requirement], check=True)
            done.touch()
        return python


BUILD123D = Peer("build123d", "build123d==0.13.0", "plate_in_build123d.py")
CADQUERY = Peer("CadQuery", "cadquery==2.7.0", "plate_in_cadquery.py")
MODELLERS = (
    Peer("CadQuery", CADQUERY.requirement, "models_in_cadquery.py"),
    Peer("build123d", BUILD123D.requirement, "models_in_build123d.py"),
)
"""What makes the parts of tests/models, too."""
