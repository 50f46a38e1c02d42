"""The lines of one connection's REPL: what each builds on, though workers come and go.

A line runs in the environment that the lines before it have made; the front remembers them and sends them
along, and the worker runs again what it lacks. Lines that were stopped or crashed the worker are not
among them: they have left nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.service.front.jobs.failures import Refused
from vcad_kernel.service.front.jobs.job import Answer

__all__ = ["Repl"]


class Repl:
    """Of one connection. folder: where its lines look for modules."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: list[CellSource] = []
        self._count = 0

    def next_line(self) -> str:
        """The id of another line."""
        self._count += 1
        return f"repl-{self._count}"

    def arguments(self, cell_id: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """What the worker needs to run a line. given: the tool's arguments."""
        prelude = [
            {"cell_id": line.cell_id, "source_hash": line.hash, "source": line.source} for line in self._lines
        ]
        return {"base_dir": str(self._folder), **given, "cell_id": cell_id, "prelude": prelude}

    def ended(self, cell_id: str, code: str, outcome: Answer | Exception) -> None:
        """A line has run: what it defined before it failed stays, and what nothing needs any more goes."""
        if isinstance(outcome, Refused):
            details: Mapping[str, Any] = outcome.envelope["details"]
            if "defined" not in details:
                return
        elif isinstance(outcome, Exception):
            return
        else:
            details = outcome
        self._lines.append(CellSource(cell_id, code))
        gone = set(details.get("obsolete") or ())
        self._lines = [line for index, line in enumerate(self._lines) if index not in gone]
