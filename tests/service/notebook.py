"""A notebook's cells before a service, without a notebook."""

from __future__ import annotations

from pathlib import Path

from vcad_kernel.contracts.messages import CellSource, HistoryEntry, TakenBack
from vcad_kernel.errors import VcadError
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.evaluation.history import was_stopped
from vcad_kernel.service.protocol import EvaluationResult
from vcad_kernel.service.requests import EvalCell

__all__ = ["Notebook"]


class Notebook:
    """A history of cells, kept the way a session keeps it."""

    def __init__(self, folder: Path | None = None, service: DirectService | None = None) -> None:
        self.service = DirectService() if service is None else service
        self.folder = folder
        self.history: list[HistoryEntry] = []

    def run(
        self, source: str, cell_id: str = "", bind: str | None = None, **bindings: object
    ) -> EvaluationResult:
        cell = CellSource(cell_id or f"cell-{len(self.history)}", source, bindings=bindings, bind=bind)
        earlier = tuple(self.history)
        self.history.append(cell)
        try:
            result = self.service.evaluate(
                EvalCell(
                    cell.source,
                    earlier,
                    bindings=cell.bindings,
                    cell_id=cell.cell_id,
                    bind=bind,
                    base_dir=self.folder,
                )
            )
        except (VcadError, KeyboardInterrupt) as error:
            if was_stopped(error):
                self.history.pop()
            raise
        self.history = [one for index, one in enumerate(self.history) if index not in result.obsolete]
        return result

    def take_back(self, *names: str) -> None:
        self.service.take_back(names)
        self.history.append(TakenBack(frozenset(names)))

    def shown(self) -> dict[str, tuple[str, str]]:
        """Name → its cell and value."""
        return {name: (one.cell_id, one.display) for name, one in self.service.definitions().items()}
