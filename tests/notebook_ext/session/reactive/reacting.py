"""A notebook without a kernel: cells by number, and a window that closes when the test says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.reactive.trigger_window import Trigger
from notebook_ext.session.session import Session
from vcad_kernel.errors import VcadError
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import EvaluationResult
from vcad_kernel.service.requests import EvalCell, EvalCode


class CountedService(DirectService):
    """Writes down which cells it evaluates. meanwhile: called before each."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder=folder)
        self.evaluated: list[str] = []
        self.meanwhile: Callable[[str], object] = lambda _: None

    def evaluate(self, request: EvalCell | EvalCode, **how: Any) -> EvaluationResult:
        """See `DirectService`."""
        if isinstance(request, EvalCell) and request.cell.cell_id != "looked at":
            self.evaluated.append(request.cell.cell_id)
            self.meanwhile(request.cell.cell_id)
        return super().evaluate(request, **how)


class ReactingNotebook:
    """folder: of the project. ids: whether the front end says which cell it runs."""

    def __init__(self, folder: Path, *, ids: bool = True) -> None:
        (folder / ".git").mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.python: dict[str, Any] = {}
        self._parent: dict[str, Any] = {}
        self._ids = ids
        self._runs = 0
        shell: Any = SimpleNamespace(
            displayhook=SimpleNamespace(prompt_count=1), user_ns=self.python, get_parent=lambda: self._parent
        )
        self.service = CountedService(folder)
        self.session = Session(shell, self.service, folder=folder)
        self.triggers: list[Trigger] = []
        self.session.watching.put = lambda *triggers: self.triggers.extend(triggers)  # type: ignore[method-assign]

    @contextmanager
    def execution(self, cell: str) -> Iterator[None]:
        """While a cell of the notebook runs."""
        self._runs += 1
        metadata = {"cellId": cell} if self._ids else {}
        self._parent = {"metadata": metadata, "header": {"msg_id": str(self._runs)}}
        try:
            yield
        finally:
            self._parent = {}

    def run(self, cell: str, text: str, *, name: str | None = None, **how: Any) -> Any:
        """A person runs a cell; what follows waits for `follow`."""
        with self.execution(cell):
            return self.session.run_cell(text, name=name, **how)

    def fails(self, cell: str, text: str, *, name: str | None = None, **how: Any) -> VcadError:
        """A person runs a cell that fails. Returns: why."""
        try:
            self.run(cell, text, name=name, **how)
        except LoonCellFailed as failed:
            return failed.error
        raise AssertionError(f"{cell} has run")

    def follow(self) -> list[str]:
        """The window closes. Returns: the cells that were evaluated, in order."""
        triggers, self.triggers = frozenset(self.triggers), []
        return self.during(lambda: self.session.reactions.flush(triggers) if triggers else None)

    def during(self, work: Callable[[], object]) -> list[str]:
        """Returns: the cells that were evaluated while something was done, in order."""
        before = len(self.service.evaluated)
        work()
        return self.service.evaluated[before:]

    def slide(self, cell: str, **values: float) -> list[str]:
        """A slider of a cell is moved. Returns: the cells that were evaluated, in order."""
        cells = self.cells
        run = cells.parameters.ran(cell).run
        return self.during(lambda: cells._shown_again(cell, values, run))

    @property
    def cells(self) -> Any:
        """The session's cells."""
        return self.session._cells

    @property
    def marks(self) -> dict[str, str]:
        """Cell → why it is out of date."""
        return dict(self.session.reactions.marks)

    def value(self, text: str) -> str:
        """What a text gives after all cells."""
        return str(self.session.eval_repl(text).display)

    def meanings(self) -> dict[str, tuple[str, str]]:
        """Name → the cell whose it is, and what it means."""
        definitions = self.service.definitions()
        made: dict[str, tuple[str, str]] = {}
        for name, definition in definitions.items():
            run = self.cells.dependencies.run_of(definition.cell_id)
            made[name] = definition.cell_id, run.names.defines.get(name, "of a cell that has failed")
        return made

    def parts(self) -> dict[str, Any]:
        """Name → what tells one part from another."""
        return {name: self.session[name].part_keys for name in self.session.nodes()}

    def close(self) -> None:
        """End the session."""
        self.session.close()
