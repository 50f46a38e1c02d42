"""The cells of a session in order, and the service that evaluates them.

Owns the history: which cells the environment is the outcome of. The service may lose its environment at any
time, and is then sent the history again. A cell that was stopped leaves nothing behind; one that failed by
itself has defined what stands before its failure. A text may also be evaluated apart, after all cells, and
then leaves nothing behind either. On the session's thread; knows neither the session's parts nor views.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Lock, current_thread, main_thread
from typing import TYPE_CHECKING, Any

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.front_end.shell_channel import short_turns
from notebook_ext.session.cells.libraries import Libraries
from notebook_ext.session.cells.progress import CellProgress, Report
from notebook_ext.session.cells.running_cell import RunningCell
from notebook_ext.session.requests import RequestQueue, interrupt_main_thread
from notebook_ext.session.settings import settings_in_force
from vcad_kernel.contracts.messages import CellSource, HistoryEntry, TakenBack
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, SceneError, ServiceFailure, VcadError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.display.part import Part
    from vcad_kernel.loon.diagnostics import Diagnostic
    from vcad_kernel.service.protocol import Definition, EvaluationResult, EvaluationService, PartResult
    from vcad_kernel.service.requests import Options

__all__ = ["Evaluator", "no_part", "service_for"]


def service_for(folder: Path) -> EvaluationService:
    """What evaluates the cells of a notebook in this folder, as the settings say.

    A service of its own by default; one that is running already where ``VCAD_PORT`` is set; this very process
    with ``VCAD_IN_PROCESS``. Raises: ServiceFailure for settings that make no sense.
    """
    settings = settings_in_force()
    if settings.in_process:
        from vcad_kernel.service.direct import DirectService

        return DirectService(folder=folder)
    from vcad_kernel.service.client.service_client import ServiceClient

    if "VCAD_PORT" in settings.sources and settings.port:
        return ServiceClient.connect(
            settings.host, settings.port, settings.auth_token, folder, settings=settings, agent="notebook"
        )
    return ServiceClient.start(folder, settings=settings, agent="notebook")


class Evaluator:
    """service: what evaluates; by default as `service_for` says, made when first needed.

    folder: where ``use`` looks for modules. running: says whether progress can be shown. queue: interrupts
    work.
    """

    def __init__(
        self,
        shell: InteractiveShell,
        service: EvaluationService | None,
        folder: Path,
        running: RunningCell,
        queue: RequestQueue,
    ) -> None:
        self._service = service
        self._making = Lock()
        self._folder = folder
        self._history: list[HistoryEntry] = []
        self._progress = CellProgress(shell)
        self._running = running
        self._queue = queue
        self._libraries = Libraries()
        self.titles: dict[str, str] = {}
        """Id of a cell → how errors call it."""

    def run(
        self,
        cell: CellSource,
        options: Options,
        output: Callable[[str], object],
        *,
        in_cell: bool = True,
    ) -> EvaluationResult:
        """What comes of a cell after all that has been run.

        options: how it is evaluated; bindings and parameters are the cell's own.
        in_cell: whether a cell of the notebook waits for it, which may show how far it is.
        Raises: VcadError; KeyboardInterrupt.
        """
        self._begin()
        _refuse_imports(cell)
        from msgspec.structs import replace

        from vcad_kernel.service.evaluation.history import was_stopped
        from vcad_kernel.service.requests import EvalCell

        service = self._made()
        earlier = tuple(self._history)
        self.titles[cell.cell_id] = cell.title
        # what never came to its end has left nothing
        ran = False
        try:
            with short_turns(), self._shown() if in_cell else nullcontext() as report:
                request = EvalCell.after(earlier, cell, replace(options, base_dir=self._folder))
                result = service.evaluate(request, output=output, progress=report)
            ran = True
        except VcadError as error:
            ran = not was_stopped(error) and not isinstance(error, ServiceFailure)
            raise
        finally:
            if ran:
                self._history.append(cell)
        needless = set(result.obsolete)
        self._history = [one for index, one in enumerate(self._history) if index not in needless]
        return result

    def part_apart(self, source: str, *, exact: bool = False, title: str = "<text>") -> Part:
        """The part that a text gives. title: what errors call it. Raises: LoonCellFailed."""
        from notebook_ext.display.part import Part

        try:
            result = self.apart(CellSource("looked at", source, title), exact=exact)
        except VcadError as error:
            raise LoonCellFailed(error) from None
        return Part("part", result, source, lambda _: None, result.parts)

    def apart(self, cell: CellSource, *, exact: bool = False) -> EvaluationResult:
        """What a cell would give now, with a part in it at least. Raises: VcadError."""
        result = self._alone(cell, exact=exact)
        if not result.parts:
            raise no_part("the text")
        return result

    def value_apart(self, source: str) -> EvaluationResult:
        """What a text gives, whatever it is. Raises: LoonCellFailed."""
        try:
            return self._alone(CellSource("evaluated", source, "<text>"))
        except VcadError as error:
            raise LoonCellFailed(error) from None

    def _alone(self, cell: CellSource, *, exact: bool = False) -> EvaluationResult:
        """What a cell would give after all others; no later one sees anything of it.

        Raises: VcadError; KeyboardInterrupt.
        """
        self._begin()
        _refuse_imports(cell)
        from vcad_kernel.service.requests import EvalCell, Options

        options = Options(base_dir=self._folder, exact=exact)
        with short_turns(), self._shown() as report:
            request = EvalCell.after(tuple(self._history), cell, options)
            return self._made().evaluate(request, progress=report)

    def measure(self, parts: Sequence[PartResult]) -> None:
        """Find the figures of parts while their cell says so; they are kept with the parts.

        Raises: VcadError; KeyboardInterrupt.
        """
        with short_turns(), self._shown() as report:
            if report is not None:
                report("figures", 0, 0)
            for part in parts:
                part.figures  # noqa: B018 - found now and kept

    def _shown(self) -> AbstractContextManager[Report | None]:
        """Where a front end can show how far it is, what does, with a button that stops it."""
        if not self._running.has_front_end:
            return nullcontext()
        return self._progress.shown(self._stopper())

    def _stopper(self) -> Callable[[], object] | None:
        """What the Stop button of the calling thread's work does; None where nothing can stop it."""
        if self._queue.is_here:
            return self._queue.interrupt
        # an interrupt reaches no other thread
        return interrupt_main_thread if current_thread() is main_thread() else None

    def has_run(self, cell: CellSource) -> bool:
        """Whether this run of a cell is in the history."""
        return any(one is cell for one in self._history)

    def undo(self, cell: CellSource) -> bool:
        """Have this run of a cell never been, if it is in the history; whether it was."""
        before = self._history
        self._history = [one for one in before if one is not cell]
        return len(self._history) < len(before)

    def take_back(self, names: Collection[str]) -> None:
        """Forget definitions of the cells so far; what they shadowed is back."""
        self._made().take_back(names)
        self._history.append(TakenBack(frozenset(names)))

    def forget_all(self) -> None:
        """No cell has run."""
        self._history.clear()
        self.titles.clear()

    def definitions(self) -> Mapping[str, Definition]:
        """What the cells have defined, by name."""
        return {} if self._service is None else self._service.definitions()

    def check(
        self, source: str, *, cell_id: str = "", name: str = "", bindings: Mapping[str, Any] | None = None
    ) -> tuple[Diagnostic, ...]:
        """What the checker finds in a cell's text; nothing is evaluated. May be asked on any thread."""
        return self._made().check(source, cell_id=cell_id, name=name, bindings=bindings)

    @property
    def has_service(self) -> bool:
        """Whether the service has been made."""
        return self._service is not None

    def _begin(self) -> None:
        """Have what evaluates made ready."""
        begin = getattr(self._made(), "begin", None)
        if begin is not None:
            begin()  # a service starts while this process loads what it needs itself
        self._libraries.load(views=self._running.has_front_end, checkpoint=self._queue.checkpoint)

    def interrupt(self, thread: int) -> None:
        """Have what a thread waits for here end in KeyboardInterrupt; called on another thread."""
        if self._service is not None:
            self._service.interrupt(thread)

    def close(self) -> None:
        """End a service of our own; meshes that are held stay readable."""
        with self._making:
            close = getattr(self._service, "close", None)
            if close is not None:
                close()

    def _made(self) -> EvaluationService:
        with self._making:  # a check may come on another thread before the first cell
            if self._service is None:
                self._service = service_for(self._folder)
            return self._service


def no_part(what: str) -> SceneError:
    """The failure of what was to give a part, and gives none."""
    return SceneError(
        f"{what} gives no part",
        code=ErrorCode.NO_GEOMETRY,
        count=0,
        fix="let its last expression be the solid",
    )


def _refuse_imports(cell: CellSource) -> None:
    """A cell that takes something from SketchUp is told at once that this cannot be done yet."""
    if "import" not in cell.source:
        return
    from vcad_kernel.cad.imports import first_import
    from vcad_kernel.loon.source import Source

    place = first_import(Source(cell.title, cell.source))
    if place is not None:
        raise CapabilityUnavailable(
            "cells cannot take values from SketchUp's entities yet",
            place=place,
            fix="give the value to the cell from Python, with -i NAME",
            details={"required_capability": "vcad.imports", "negotiated_capabilities": []},
        )
