"""The cells of a session: their history, what each gave, its parameters, and what the names mean by now.

Owns the history: which cells the environment is the outcome of. The service may lose its environment at any
time, and is then sent the history again. A cell that was stopped leaves nothing behind; one that failed by
itself has defined what stands before its failure. A text may also be evaluated apart, after all cells, and
then leaves nothing behind either.

All of it happens on the session's thread, but for what says otherwise. What evaluates is in `evaluator.py`,
what is shown in `parts.py`; SketchUp is none of its business. Importing this module imports no geometry: the
first cell does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_ext.display.failure import LoonCellFailed, failing_the_cell
from notebook_ext.display.findings import show_findings
from notebook_ext.session.cells.evaluator import Evaluator
from notebook_ext.session.cells.imports import CellImports, Found, ImportRef, Outside
from notebook_ext.session.cells.knowledge import FiguresLines, SessionKnowledge
from notebook_ext.session.cells.loon_value import LoonValue
from notebook_ext.session.cells.parameters import CHANGED, CellParameters, Ran
from notebook_ext.session.cells.parts import OpenViewer, Parts
from notebook_ext.session.cells.running_cell import EXPRESSION, NAMELESS, RunningCell
from notebook_ext.session.linked.sources import file_of, is_of_notebook
from notebook_ext.session.log.metrics import Counts
from notebook_ext.session.node_names import name_of
from notebook_ext.session.reactive.dependencies import Dependencies, Run, TakenOver
from notebook_ext.session.requests import Closed, RequestQueue
from vcad_kernel.contracts.messages import CellNames, CellSource, HistoryEntry, TakenBack
from vcad_kernel.errors import (
    Cancelled,
    CapabilityUnavailable,
    ErrorCode,
    LoonSyntaxError,
    SceneError,
    ServiceFailure,
    VcadError,
)

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.display.part import Part
    from notebook_ext.session.linked.evaluated_nodes import Change, EvaluatedNodes
    from notebook_ext.viewer.relay.relay import Relay
    from vcad_kernel.geometry.measure.inspection.selected import Selected
    from vcad_kernel.loon.diagnostics import Diagnostic
    from vcad_kernel.operations.features.selections import Target
    from vcad_kernel.service.protocol import EvaluationResult, EvaluationService
    from vcad_kernel.service.requests import Options

__all__ = ["Cells", "Outcome", "no_part"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of a cell means to others."""

    cell_id: str
    taken_over: tuple[TakenOver, ...] = ()
    cycles: tuple[tuple[str, ...], ...] = ()
    again: bool = False
    """Whether it was evaluated again by itself or with another value, not run by a user."""


def _nobody_listens(_outcome: Outcome) -> None:
    """For cells to which nothing reacts."""


def _nobody_waits(_cell_id: str) -> None:
    """For cells that are never evaluated again by themselves."""


def _nobody_follows(_cell_id: str, _overtaken: Callable[[], bool]) -> None:
    """For cells on which nothing depends."""


def _as_it_is(cell: CellSource) -> CellSource:
    """For a cell whose text is its own."""
    return cell


class Cells:
    """The cells of one kernel, in order.

    service: what evaluates; by default as the settings say. folder: where ``use`` looks for modules.
    nodes: which change of a named part is the newest. outside: what cells may import besides each other.
    counts: gets how long evaluations take, and what is given up. relay: makes the relay to viewers.
    """

    def __init__(
        self,
        shell: InteractiveShell,
        service: EvaluationService | None,
        folder: Path,
        queue: RequestQueue,
        running: RunningCell,
        nodes: EvaluatedNodes,
        outside: Callable[[], Outside],
        counts: Counts,
        relay: Callable[[], Relay],
        open_viewer: OpenViewer,
    ) -> None:
        self._counts = counts
        self._shell = shell
        self._queue = queue
        self._folder = folder
        self._nodes = nodes
        self._history: list[HistoryEntry] = []
        self._runs: dict[str, Ran] = {}
        """Cell → how it ran last; of a cell that has failed, how it is to run again."""
        self.dependencies = Dependencies()
        """Which cell is built from what, and what is out of date. On the session's thread."""
        self.on_run: Callable[[Outcome], object] = _nobody_listens
        """Called after each run of a cell, on the session's thread."""
        self.on_read: Callable[[str], object] = _nobody_waits
        """Called with the cell of a part that is read, on any thread but the session's."""
        self.on_move: Callable[[str, Callable[[], bool]], object] = _nobody_follows
        """Called after a slider has moved a cell, on a thread that may take its time, with what says whether
        newer values have come."""
        self.evaluator = Evaluator(shell, service, folder, running, queue)
        self.parameters = CellParameters(self._shown_again, overtaken=counts.skipped)
        """Which cell has which parameters, and the sliders that show them."""
        self.parts = Parts(
            shell, running, self.parameters, relay, open_viewer, lambda: outside().placements()
        )
        """What the cells have made, and the views that show it."""
        self.imports = CellImports(outside, self.parts.named)
        """What the cells import."""
        self._closed = False
        self.knowledge = SessionKnowledge(folder=folder)
        """What the names mean since the last run; another value after the next."""

    # ---- evaluating ------------------------------------------------------------------------

    def run(
        self,
        cell: CellSource,
        name: str | None = None,
        options: Options | None = None,
        exports: Sequence[str | Path] = (),
        *,
        change: Change | None = None,
        bound: bool = False,
    ) -> Part | LoonValue | None:
        """Evaluate a cell and show its findings; see `Session.run_cell`.

        change: as which it was accepted, where it has not begun. bound: whether Python is to have what it
        gives under its name, as soon as the session has it: whatever comes after that, both mean the same.
        Raises: LoonCellFailed; VcadError where the change cannot begin.
        """
        from vcad_kernel.service.requests import Options

        ran = Ran(cell, name, options or Options())
        if change is not None:
            change.begin()
        with self._nodes.failure_reported(None if change is None else change.name):
            # what the run before left is given up first, and is back where this one leaves nothing
            as_before = self.parameters.forget(cell.cell_id)
            has_run = has_imports = False
            try:
                resolved = self._with_imports(cell)
                cell, has_imports = resolved.cell, True
                ran = replace(ran, cell=cell)
                # what it imports stands before it in the history, so that a new worker has it, too
                self._history[:0] = self._made_first(resolved.first)
                result = self._evaluated(cell, ran.options, sys.stdout.write)
                has_run = True
                shown = self._shown(cell, name, result, bound=bound)
                if result.parameters:
                    self.parameters.note(ran, result.parameters)
                self._note_run(ran, result)
                if exports:
                    self._write(shown, exports)
            except VcadError as error:
                if name is not None:
                    self.parts.note_failure(name, error)
                if not has_run and not self._has_run(cell):
                    as_before()  # it was stopped, or what it imports is not to be had
                    if not has_imports:
                        self._note_failure(ran, error, kept=True)
                elif not has_run:
                    self._note_failure(ran, error, self.evaluator.service.names_of_last())
                show_findings(self._findings_beside(error, cell))
                raise LoonCellFailed(error) from None
            except KeyboardInterrupt:
                if has_run or self._has_run(cell):
                    stopped = Cancelled("interrupted after the evaluation; what the cell defined is there")
                    raise LoonCellFailed(stopped) from None
                as_before()
                self._kept(name)
                stopped = Cancelled("the evaluation was interrupted; all is as it was before the cell")
                raise LoonCellFailed(stopped) from None
            finally:
                self._publish()
            from vcad_kernel.service.summary import warning_line

            show_findings((*result.diagnostics, *self.imports.findings(cell.source, cell.title)))
            for warning in result.warnings:
                sys.stderr.write(warning_line(warning) + "\n")
            return shown

    def _evaluated(
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
        service = self.evaluator.begun()
        with self.evaluator.working(in_cell=in_cell) as report:
            from msgspec import structs

            from vcad_kernel.service.evaluation.history import was_stopped
            from vcad_kernel.service.requests import EvalCell

            asked = EvalCell.after(
                tuple(self._history), cell, structs.replace(options, base_dir=self._folder)
            )
            # what never came to its end has left nothing
            has_run = False
            try:
                with self._counts.evaluating():
                    result = service.evaluate(asked, output=output, progress=report)
                has_run = True
            except VcadError as error:
                has_run = not was_stopped(error) and not isinstance(error, ServiceFailure)
                raise
            finally:
                if has_run:
                    self._history.append(cell)
        if result.obsolete:
            needless = set(result.obsolete)
            self._history = [entry for index, entry in enumerate(self._history) if index not in needless]
        return result

    def _kept(self, name: str | None) -> None:
        """A part is what it was; one that was made, and not shown for what was to follow, is seen now."""
        if name is not None:
            self._nodes.kept(name)
            if name in self.parts.named:
                self.parts.show(name)

    def _has_run(self, cell: CellSource) -> bool:
        """Whether this run of a cell is in the history."""
        return any(entry is cell for entry in self._history)

    def apart(self, cell: CellSource, *, exact: bool = False) -> EvaluationResult:
        """What a cell would give after all others; no later one sees anything of it.

        Raises: VcadError; KeyboardInterrupt.
        """
        resolved = self._with_imports(cell, keep=False)
        before, cell = self._made_first(resolved.first), resolved.cell
        service = self.evaluator.begun()
        with self.evaluator.working() as report:
            from vcad_kernel.service.requests import EvalCell, Options

            options = Options(base_dir=self._folder, exact=exact)
            asked = EvalCell.after((*before, *self._history), cell, options)
            with self._counts.evaluating():
                return service.evaluate(asked, progress=report)

    def _with_imports(self, cell: CellSource, *, keep: bool = True) -> Found:
        """A cell with what it imports. keep: as of `CellImports.found`. Raises: as that does."""
        if "import" not in cell.source:  # most cells; nothing need be loaded
            if keep:
                self.imports.forget(cell.cell_id)
            return Found(cell)
        with self.evaluator.working(in_cell=False):
            return self.imports.found(cell, keep=keep)

    def _made_first(self, cells: Sequence[CellSource]) -> list[CellSource]:
        """Those of some cells that are not in the history; each is known to run. Raises: as it does."""
        if not cells:
            return []
        there = {entry.cell_id for entry in self._history if isinstance(entry, CellSource)}
        missing = [cell for cell in cells if cell.cell_id not in there]
        if missing:
            service = self.evaluator.begun()
            from vcad_kernel.service.requests import EvalCell, Options

            options = Options(base_dir=self._folder)
            with self.evaluator.working(in_cell=False) as report:
                for index, cell in enumerate(cells):
                    if cell in missing:
                        service.evaluate(EvalCell.after(cells[:index], cell, options), progress=report)
        return missing

    def solid_apart(self, cell: CellSource, *, exact: bool = False) -> EvaluationResult:
        """The same, with a part in it at least. Raises: VcadError; KeyboardInterrupt."""
        result = self.apart(cell, exact=exact)
        if not result.parts:
            raise no_part("the text")
        return result

    def part_with(self, parameter: str) -> str | None:
        """The named part whose cell declares a parameter; None where there is none. From any thread."""
        with suppress(VcadError, KeyError):  # the cell may be run again just now
            return self._runs[self.parameters.declaring(parameter)].name
        return None

    def set_parameter(
        self, name: str, value: float, change: Change, *, part: str | None = None
    ) -> Part | LoonValue | None:
        """Run the cell that declares a parameter again with this value.

        change: of the part that had the parameter when this was accepted. part: the one that is meant, where
        several have a parameter of this name.
        Raises: LoonCellFailed; the part and its views then stay what they were. VcadError REVISION_CONFLICT
        for a change that was bound to a revision and has been overtaken.
        """
        try:
            cell_id = self.parameters.declaring(name) if part is None else self.parts.maker_of(part)
            self.parameters.require(name, cell_id)
            made = self._runs[cell_id].name
            if made != change.name:  # what was to be done before has changed that
                change.withdraw()
                change = self._nodes.accept(made)
            change.begin()
            return self._again(cell_id, {name: value})
        except VcadError as error:
            change.withdraw()  # unless it had begun
            if error.error_code == ErrorCode.REVISION_CONFLICT:
                raise  # no fault of the cell
            raise LoonCellFailed(error) from None
        except KeyboardInterrupt:
            stopped = Cancelled("the evaluation was interrupted; the parameter keeps its value")
            raise LoonCellFailed(stopped) from None

    def _shown_again(
        self,
        cell_id: str,
        values: Mapping[str, Any],
        run: object,
        overtaken: Callable[[], bool] = lambda: False,
    ) -> None:
        """A slider of a cell has moved. Comes on a thread of its own.

        run: that by which the slider came; a person who has run the cell meanwhile, or is about to, has the
        last word. So the move is accepted only when its turn has come.
        Raises: VcadError.
        """

        def again() -> None:
            if self._closed:
                return
            if not self.parameters.is_still(cell_id, run):
                raise Cancelled(CHANGED)
            change = self._nodes.accept(self.parameters.ran(cell_id).name)
            if not change.is_last:
                change.withdraw()
                self._counts.skipped()
                raise Cancelled(CHANGED)
            change.begin()
            self._again(cell_id, values)

        try:
            self._queue.do(again)
            self.on_move(cell_id, overtaken)
        except Closed:
            return
        except LoonCellFailed:  # of an interrupt: the work itself raises none
            raise Cancelled("the evaluation was interrupted; the parameter keeps its value") from None

    def rewritten(self, ran: Ran, source: str, written: Collection[str]) -> None:
        """Where the cell stands its text is another now, with the values of these parameters as defaults.

        Raises: VcadError where the cell has been run again meanwhile, or the text cannot be evaluated.
        """
        cell_id = ran.cell.cell_id
        if not self.parameters.is_still(cell_id, ran.run):
            raise Cancelled(CHANGED)
        change = self._nodes.accept(ran.name)
        change.begin()
        now = self._runs[cell_id].cell
        left = {name: value for name, value in now.parameters.items() if name not in written}
        self._again(cell_id, {}, replace(now, source=source, parameters=left))

    def cell_of(self, cell_id: str) -> CellSource | None:
        """A cell as it ran last, and left what it has made; None for one that has never run."""
        ran = self._runs.get(cell_id)
        return None if ran is None else ran.cell

    def again(
        self, cell_id: str, text: Callable[[CellSource], CellSource] = _as_it_is
    ) -> Part | LoonValue | None:
        """Evaluate a cell again as it ran last, since something that it is built from has changed.

        Its part, views, sliders and Python's name follow; where it fails, all that it made stays. text: gives
        its text as it is now, where that is a file's.
        Returns: what the cell gives now.
        Raises: VcadError; KeyboardInterrupt. KeyError for a cell that has never run.
        """
        ran = self._runs[cell_id]
        change = self._nodes.accept(ran.name)
        change.begin()
        with self._nodes.failure_reported(ran.name):
            try:
                resolved = self._with_imports(text(ran.cell))
                self._history[:0] = self._made_first(resolved.first)
            except VcadError as error:
                self._kept(ran.name)
                self._note_failure(ran, error, kept=True)
                raise
            return self._again(cell_id, {}, resolved.cell)

    def _again(
        self, cell_id: str, values: Mapping[str, Any], text: CellSource | None = None
    ) -> Part | LoonValue | None:
        """Run a cell again with other values; where that fails, its names are again what they were.

        text: in place of the cell as it ran last. Raises: VcadError.
        """
        ran = self._runs[cell_id]
        cell = text or ran.cell
        cell = replace(cell, parameters={**cell.parameters, **values})
        try:
            result = self._evaluated(cell, ran.options, _silent, in_cell=False)
        except (VcadError, KeyboardInterrupt) as failed:
            has_failed = isinstance(failed, VcadError) and self._has_run(cell)
            if ran.name is not None and isinstance(failed, VcadError):
                self.parts.note_failure(ran.name, failed)
            names = self.evaluator.service.names_of_last()
            self._queue.settle()
            if self._has_run(cell):  # the names, too, are to mean what they did
                self._history = [entry for entry in self._history if entry is not cell]
                # looking at what stands brings it back; the cell's text need not run as it did, after others
                self.apart(CellSource("looked at", "", "<text>"))
            self._kept(ran.name)
            if has_failed and not values:  # a value that does not fit is only refused
                self._note_failure(replace(ran, cell=cell), failed, names, kept=True)
            raise
        finally:
            self._publish()
        before = self.parts.named.get(ran.name) if ran.name is not None else None
        ran = replace(ran, cell=cell)
        self.parameters.note(ran, result.parameters)
        self._note_run(ran, result, again=True)
        shown = self._shown(cell, ran.name, result)
        if before is not None and self._shell.user_ns.get(ran.name) is before:
            self._shell.user_ns[ran.name] = shown.for_python() if isinstance(shown, LoonValue) else shown
        self.parts.refresh(cell_id, None if isinstance(shown, LoonValue) else shown)
        self.parameters.show(cell_id)
        self._publish()
        return shown

    def _note_run(self, ran: Ran, result: EvaluationResult, *, again: bool = False) -> None:
        """A cell has run through: what depends on it may be out of date by now. again: see `Outcome`."""
        self._runs[ran.cell.cell_id] = ran
        names = self.evaluator.service.names_of_last()
        self._note(ran, result.modules, result.timings.total / 1e3, names=names, again=again)

    def _note_failure(
        self, ran: Ran, error: BaseException, names: CellNames | None = None, *, kept: bool = False
    ) -> None:
        """A cell has failed. names: of the run that failed; None where it did not come to run.

        kept: whether its names mean what they did before.
        """
        before = self.dependencies.run_of(ran.cell.cell_id)
        self._runs[ran.cell.cell_id] = ran
        said = error.message if isinstance(error, VcadError) else "stopped"
        files = () if before is None else before.files
        self._note(ran, (), 0.0, error=said, names=names, files=files, kept=kept, again=kept)

    def _note(
        self,
        ran: Ran,
        modules: Sequence[str],
        seconds: float,
        *,
        names: CellNames | None,
        error: str = "",
        files: Sequence[str] = (),
        kept: bool = False,
        again: bool = False,
    ) -> None:
        cell_id = ran.cell.cell_id
        imported = self.imports.of(cell_id)
        if names is not None and imported:
            names = self._with_sources(imported, names)
        definitions = self.evaluator.service.definitions()
        owners = {name: definition.cell_id for name, definition in definitions.items()}
        run = Run(
            cell_id,
            names,
            tuple(dict.fromkeys((*self._files_of(ran.cell, modules), *files))),
            self.imports.entities_of(cell_id) if imported else (),
            reacts=not cell_id.startswith(NAMELESS),
            of_notebook=is_of_notebook(ran.cell),
            error=error,
            kept=kept,
            seconds=seconds,
            begun=self._queue.begun,
            again=again,
        )
        taken_over = self.dependencies.ran(run, owners)
        for forgotten in self._runs.keys() - self.dependencies.cells:
            del self._runs[forgotten]
        cycles = () if again else self.dependencies.cycles_of(cell_id)
        self.parts.note_ingredients(self._ingredients())
        self.on_run(Outcome(cell_id, taken_over, cycles, again))

    def _with_sources(self, imported: Sequence[ImportRef], names: CellNames) -> CellNames:
        """The names of a run, and the parts that it has measured: by their entities in SketchUp, too."""
        parts = {name_of(ref.source_node_id) for ref in imported if ref.source_node_id}
        made = {f"node:{name}": self.parts.maker_of(name) for name in parts if name in self.parts.named}
        return CellNames(names.defines, {**names.uses, **made}, names.taken_over)

    def _files_of(self, cell: CellSource, modules: Sequence[str]) -> list[str]:
        """What a cell was made from besides its names: files, from the workspace."""
        own = file_of(cell)
        files = [] if own is None else [own]
        for module in modules:
            path = (self._folder / module).resolve()
            workspace = self._nodes.project.workspace
            inside = path.is_relative_to(workspace)
            files.append((path.relative_to(workspace) if inside else path).as_posix())
        return files

    def settled(self, part: Part) -> Part:
        """See `notebook_ext.display.part.Keeper`. On the session's thread a part is what it is."""
        if self._queue.is_here or self._closed or self.parts.named.get(part.name) is not part:
            return part
        self.on_read(self.parts.maker_of(part.name))
        return self.parts.named.get(part.name, part)

    def why_stale(self, part: Part) -> str | None:
        """See `notebook_ext.display.part.Keeper`; a part that its cell has replaced stays out of date."""
        newest = self.parts.named.get(part.name)
        if newest is part:
            return self.parts.why_stale(part.name)
        return None if newest is None else f"an earlier {part.name}: its cell gives another by now"

    def show_taken(self, part: Part, taken: Mapping[Target, Selected]) -> None:
        """See `notebook_ext.display.part.Keeper`; of a part that its cell has replaced nothing is shown."""
        if self.parts.named.get(part.name) is part:
            self.parts.show_taken(part.name, taken)

    def title_of(self, cell_id: str) -> str:
        """How errors call a cell; from any thread."""
        ran = self._runs.get(cell_id)
        return cell_id if ran is None else ran.cell.title

    def _ingredients(self) -> frozenset[str]:
        """The names of the parts from which other cells have made parts."""
        used: set[str] = set()
        for name in self.parts.named:
            run = self.dependencies.run_of(self.parts.maker_of(name))
            if run is not None and run.names is not None:
                used.update(each.removeprefix("node:") for each in run.names.uses if each != name)
        return frozenset(used.intersection(self.parts.named))

    def name_of(self, cell_id: str) -> str | None:
        """The name of the part that a cell makes; from any thread."""
        ran = self._runs.get(cell_id)
        return None if ran is None else ran.name

    def measure(self, shown: Part | LoonValue | None) -> bool:
        """Find the figures that a cell is about to show, while it says how far it is and can be stopped.

        Returns: whether the figures of a named part are others than those that were known.
        Raises: LoonCellFailed when they cannot be found, or when that is interrupted; the part is there.
        """
        from notebook_ext.display.part import Part

        if not isinstance(shown, Part):
            return False
        known = shown.known_summary
        with suppress(CapabilityUnavailable):  # without the session's thread it is drawn when it is shown
            self._queue.submit(lambda: shown.saved_picture)  # meanwhile: another process finds the figures
        try:
            with self.evaluator.working() as report:
                if report is not None:
                    report("figures", 0, 0)
                for part in shown.parts:
                    part.figures  # noqa: B018 - found now and kept
            if self.parts.named.get(shown.name) is not shown or shown.known_summary == known:
                return False
            self.parts.show(shown.name)  # with its figures
            return True
        except VcadError as error:
            raise LoonCellFailed(error) from None
        except KeyboardInterrupt:
            stopped = Cancelled("measuring was interrupted; the part is there, and is measured when asked")
            raise LoonCellFailed(stopped) from None

    def _findings_beside(self, error: VcadError, cell: CellSource) -> Sequence[Diagnostic]:
        """What the checker has to say of a cell that failed, besides what the error says."""
        from notebook_ext.display.findings import explained_by

        if isinstance(error, LoonSyntaxError | ServiceFailure):
            return ()
        return [
            finding
            for finding in self.check(
                cell.source, cell_id=cell.cell_id, name=cell.name, bindings=cell.bindings
            )
            if not explained_by(error, finding)
        ]

    def _publish(self) -> None:
        """Let every thread know what the names mean now."""
        figures = FiguresLines(self.parts.named)
        titles = {entry.cell_id: entry.title for entry in self._history if isinstance(entry, CellSource)}
        self.imports.prune(titles)
        self.knowledge = SessionKnowledge(
            self.evaluator.definitions(), figures, titles, self._folder, lambda: self.parts.marks
        )

    def check(
        self,
        source: str,
        *,
        cell_id: str = "",
        name: str = "",
        bindings: Mapping[str, Any] | None = None,
    ) -> tuple[Diagnostic, ...]:
        """What the checker finds in a cell's text, after the cells so far; nothing is evaluated.

        cell_id: what this cell has defined earlier is not known to it. May be called on any thread.
        """
        findings = self.evaluator.service.check(source, cell_id=cell_id, name=name, bindings=bindings)
        return (*findings, *self.imports.findings(source, name or cell_id))

    # ---- forgetting ------------------------------------------------------------------------

    def reset(self) -> None:
        """Take back every definition and every part: the next cell is the first."""
        self.forget({*self.knowledge.definitions, *self.parts.named})
        self.parts.reset()
        self._history.clear()
        self.imports.clear()
        self.parameters.clear()
        self._runs.clear()
        self.dependencies.clear()

    def forget(self, names: Collection[str]) -> None:
        """Take back definitions and parts of these names; Python's own variables stay."""
        known = self.knowledge.definitions
        defined = frozenset(name for name in names if name in known)
        makers = {known[name].cell_id for name in defined}
        makers |= {self.parts.maker_of(name) for name in names if name in self.parts.named}
        if defined:
            self.evaluator.service.take_back(defined)
            self._history.append(TakenBack(defined))
            definitions = self.evaluator.service.definitions()
            self.dependencies.names_changed(
                {name: definition.cell_id for name, definition in definitions.items()}
            )
        self.dependencies.taken_back(makers)
        self.parts.drop(names)
        self._publish()

    def _shown(
        self, cell: CellSource, name: str | None, result: EvaluationResult, *, bound: bool = False
    ) -> Part | LoonValue | None:
        """The Python face of a result; a named part is kept and shown in the live view.

        bound: as of `run`.
        """
        from notebook_ext.display.part import Part

        if not result.parts:
            self.parts.made(cell.cell_id, name, None)
            value = None if result.display is None else LoonValue(result.display, result.value)
            if bound and name is not None:
                self._shell.user_ns[name] = None if value is None else value.for_python()
            return value
        part = Part(
            name or ("part" if cell.title == EXPRESSION else cell.title),
            result,
            cell.source.lstrip("\n"),
            partial(self.parts.inline, cell.cell_id),
            result.parts,
            self,
        )
        file = file_of(cell)
        source = {"cell_id": cell.cell_id, "label": cell.title, **({} if file is None else {"file": file})}
        self.parts.made(cell.cell_id, name, part, source)
        if bound and name is not None:
            self._shell.user_ns[name] = part
        if name is not None and self._nodes.made(name, part, cell, self.imports.rows(cell.cell_id)):
            self.parts.show(name)
        return part

    def _write(self, shown: Part | LoonValue | None, exports: Sequence[str | Path]) -> None:
        from notebook_ext.display.part import Part

        for path in exports:
            if not isinstance(shown, Part):
                raise no_part(f"nothing to write to {path}: the cell")
            shown.export(path)

    # ---- what there is ---------------------------------------------------------------------

    def measured(self) -> SessionKnowledge:
        """What the names mean, with the figures of all parts found; waits for them."""
        for part in self.parts.named.values():
            part.figures  # noqa: B018 - found now and kept
        return self.knowledge

    def looked_at(self, source: str, *, exact: bool = False, title: str = "<text>") -> Part:
        """A named part, or what Loon text gives after all cells, which leaves nothing behind.

        title: what errors call the text, such as the file it is of.
        Raises: LoonCellFailed.
        """
        part = self.parts.named.get(source)
        if part is not None:
            return part
        from notebook_ext.display.part import Part

        with failing_the_cell():
            result = self.solid_apart(CellSource("looked at", source, title), exact=exact)
        return Part("part", result, source, lambda _: None, result.parts)

    def value_of(self, source: str) -> EvaluationResult:
        """What Loon text gives after all cells, whatever it is. Raises: LoonCellFailed."""
        with failing_the_cell():
            return self.apart(CellSource("evaluated", source, "<text>"))

    def tested(self, source: str, file: str, only: str) -> list[dict[str, Any]]:
        """What came of each test of a text; see `Session.test`. Raises: LoonCellFailed."""
        service = self.evaluator.begun()
        with failing_the_cell(), self.evaluator.working() as report:
            from vcad_kernel.service.requests import EvalCode

            imports = self._with_imports(CellSource("tests", source, file), keep=False).cell.imports
            asked = EvalCode(source, file=file, tests=only, base_dir=self._folder, imports=imports)
            with self._counts.evaluating():
                verdicts: list[dict[str, Any]] = service.evaluate(asked, progress=report).value
            return verdicts

    def close(self) -> None:
        """Free every widget and end the service; parts that Python holds stay usable."""
        self._closed = True
        self.parameters.close()
        self.parts.close()
        self.evaluator.close()


def _silent(_text: str) -> None:
    """Output of a cell that is evaluated again by itself: a saved output is final when its cell ends."""


def no_part(what: str) -> SceneError:
    """The failure of what was to give a part, and gives none."""
    return SceneError(
        f"{what} gives no part",
        code=ErrorCode.NO_GEOMETRY,
        count=0,
        fix="let its last expression be the solid",
    )
