"""The cells of a session: what each gave, its named parts, its parameters, the views that show them.

All of it happens on the session's thread, but for what says otherwise. Evaluation itself is behind
`Evaluator`; SketchUp is none of its business. Importing this module imports no geometry: the first cell does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.display.findings import show_findings
from notebook_ext.session.cells.apart import Apart, no_part, refuse_imports
from notebook_ext.session.cells.evaluator import Evaluator
from notebook_ext.session.cells.knowledge import FiguresLines, SessionKnowledge
from notebook_ext.session.cells.libraries import Libraries
from notebook_ext.session.cells.loon_value import LoonValue
from notebook_ext.session.cells.made_parts import MadeParts
from notebook_ext.session.cells.parameters import CHANGED, CellParameters, Ran
from notebook_ext.session.cells.part_views import PartViews
from notebook_ext.session.cells.running_cell import RunningCell
from notebook_ext.session.scheduler import Closed, Scheduler, interrupt_main_thread
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import (
    Cancelled,
    ErrorCode,
    LoonSyntaxError,
    ServiceFailure,
    VcadError,
)
from vcad_kernel.request_id import request

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.display.part import Part
    from notebook_ext.session.linked.evaluated_nodes import Change, EvaluatedNodes
    from notebook_ext.viewer.inline import InlineView
    from notebook_ext.viewer.live import LiveView
    from vcad_kernel.ir.parameter import Parameter
    from vcad_kernel.loon.diagnostics import Diagnostic
    from vcad_kernel.service.protocol import EvaluationResult, EvaluationService

__all__ = ["Cells"]


class Cells:
    """The cells of one kernel, in order.

    service: what evaluates; by default as the settings say. folder: where ``use`` looks for modules.
    nodes: which change of a named part is the newest.
    """

    def __init__(
        self,
        shell: InteractiveShell,
        service: EvaluationService | None,
        folder: Path,
        scheduler: Scheduler,
        running: RunningCell,
        nodes: EvaluatedNodes,
    ) -> None:
        self._shell = shell
        self._running = running
        self._scheduler = scheduler
        self._folder = folder
        self._nodes = nodes
        self._evaluator = Evaluator(
            shell,
            service,
            folder,
            has_front_end=lambda: running.has_front_end,
            stopper=self._stopper,
        )
        self._libraries = Libraries()
        self.apart = Apart(self._evaluator, self._begin)
        """What text gives that is no cell."""
        self._parameters = CellParameters(self._shown_again)
        """Which cell has which parameters, and the sliders that show them."""
        self._made_parts = MadeParts()
        self._views = PartViews(shell, running)
        self._closed = False
        self.knowledge = SessionKnowledge(folder=folder)
        """What the names mean since the last run; another value after the next."""

    def _begin(self) -> None:
        """Have what evaluates made ready."""
        self._evaluator.begin()  # a service starts while this process loads what it needs itself
        self._libraries.load(views=self._running.has_front_end, checkpoint=self._scheduler.checkpoint)

    def _stopper(self) -> Callable[[], object] | None:
        """What the Stop button of the calling thread's work does."""
        if self._scheduler.is_here:
            return self._scheduler.interrupt
        # an interrupt reaches no other thread
        return interrupt_main_thread if current_thread() is main_thread() else None

    def interrupt(self, thread: int) -> None:
        """Have what this thread waits for here end in KeyboardInterrupt; called on another."""
        self._evaluator.interrupt(thread)

    # ---- evaluating ------------------------------------------------------------------------

    def run(
        self,
        cell: CellSource,
        name: str | None = None,
        tolerance: float | None = None,
        exact: bool = False,
        exports: Sequence[str | Path] = (),
    ) -> Part | LoonValue | None:
        """Evaluate a cell and show its findings; see `Session.run_cell`. Raises: LoonCellFailed."""
        as_before = self._parameters.forget(cell.cell_id)
        has_run = False
        try:
            self._begin()
            refuse_imports(cell)
            result = self._evaluator.run(cell, tolerance, exact, sys.stdout.write)
            has_run = True
            shown = self._shown(cell, name, result)
            self._parameters.note(Ran(cell, name, tolerance, exact), result.parameters)
            self._write(shown, exports)
        except VcadError as error:
            if not has_run and not self._evaluator.has_run(cell):
                as_before()  # it was stopped
            show_findings(self._findings_beside(error, cell))
            raise LoonCellFailed(error) from None
        except KeyboardInterrupt:
            if has_run or self._evaluator.has_run(cell):
                stopped = Cancelled("interrupted after the evaluation; what the cell defined is there")
                raise LoonCellFailed(stopped) from None
            as_before()
            if name is not None:
                self._nodes.kept(name)
            stopped = Cancelled("the evaluation was interrupted; all is as it was before the cell")
            raise LoonCellFailed(stopped) from None
        finally:
            self._publish()
        from vcad_kernel.service.summary import warning_line

        show_findings(result.diagnostics)
        for warning in result.warnings:
            sys.stderr.write(warning_line(warning) + "\n")
        return shown

    def part_with(self, parameter: str) -> str | None:
        """The named part whose cell declares a parameter; None where there is none. From any thread."""
        with suppress(VcadError, KeyError):  # the cell may be run again just now
            return self._parameters.ran(self._parameters.declaring(parameter)).name
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
            cell_id = self._parameters.declaring(name) if part is None else self._made_parts.maker_of(part)
            self._parameters.require(name, cell_id)
            made = self._parameters.ran(cell_id).name
            if made != change.name:  # what was to be done before has changed that
                change.withdraw()
                change = self._nodes.accept(made)
            change.begin()
            return self._set_parameters(cell_id, {name: value})
        except VcadError as error:
            change.withdraw()  # unless it had begun
            if error.error_code == ErrorCode.REVISION_CONFLICT:
                raise  # no fault of the cell
            raise LoonCellFailed(error) from None
        except KeyboardInterrupt:
            stopped = Cancelled("the evaluation was interrupted; the parameter keeps its value")
            raise LoonCellFailed(stopped) from None

    def _shown_again(self, cell_id: str, values: Mapping[str, Any], run: object) -> None:
        """A slider of a cell has moved. Comes on a thread of its own.

        run: that by which the slider came; a person who has run the cell meanwhile, or is about to, has the
        last word. So the move is accepted only when its turn has come.
        Raises: VcadError.
        """

        def again() -> None:
            if self._closed:
                return
            if not self._parameters.is_still(cell_id, run):
                raise Cancelled(CHANGED)
            change = self._nodes.accept(self._parameters.ran(cell_id).name)
            if not change.is_last:
                change.withdraw()
                raise Cancelled(CHANGED)
            change.begin()
            self._set_parameters(cell_id, values)

        try:
            with request():
                self._scheduler.run(again)
        except Closed:
            return
        except KeyboardInterrupt:
            raise Cancelled("the evaluation was interrupted; the parameter keeps its value") from None

    def _set_parameters(self, cell_id: str, values: Mapping[str, Any]) -> Part | LoonValue | None:
        """Run a cell again with other values; where that fails, its names are again what they were.

        Raises: VcadError.
        """
        ran = self._parameters.ran(cell_id)
        cell = replace(ran.cell, parameters={**ran.cell.parameters, **values})
        try:
            result = self._evaluator.run(cell, ran.tolerance, ran.exact, _silent, in_cell=False)
        except (VcadError, KeyboardInterrupt):
            self._scheduler.heard()
            if self._evaluator.undo(cell):  # the names, too, are to mean what they did
                self._evaluator.run(ran.cell, ran.tolerance, ran.exact, _silent, in_cell=False)
            if ran.name is not None:
                self._nodes.kept(ran.name)
            raise
        finally:
            self._publish()
        before = self.parts.get(ran.name) if ran.name is not None else None
        shown = self._shown(cell, ran.name, result)
        self._parameters.note(replace(ran, cell=cell), result.parameters)
        if before is not None and self._shell.user_ns.get(ran.name) is before:
            self._shell.user_ns[ran.name] = shown.for_python() if isinstance(shown, LoonValue) else shown
        self._parameters.show(cell_id, None if isinstance(shown, LoonValue) else shown)
        self._publish()
        return shown

    def measure(self, shown: Part | LoonValue | None) -> None:
        """Find the figures that a cell is about to show, while it says how far it is and can be stopped.

        Raises: LoonCellFailed when they cannot be found, or when that is interrupted; the part is there.
        """
        from notebook_ext.display.part import Part

        if not isinstance(shown, Part):
            return
        try:
            self._evaluator.measure(shown.parts)
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
        figures = FiguresLines(self.parts)
        titles = dict(self._evaluator.titles)
        self.knowledge = SessionKnowledge(self._evaluator.definitions(), figures, titles, self._folder)

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
        return self._evaluator.check(source, cell_id=cell_id, name=name, bindings=bindings)

    # ---- forgetting ------------------------------------------------------------------------

    def reset(self) -> None:
        """Take back every definition and every part: the next cell is the first."""
        self.forget({*self.knowledge.definitions, *self.parts})
        self._evaluator.forget_all()
        self._parameters.clear()

    def forget(self, names: Collection[str]) -> None:
        """Take back definitions and parts of these names; Python's own variables stay."""
        defined = frozenset(name for name in names if name in self.knowledge.definitions)
        if defined:
            self._evaluator.take_back(defined)
        self._drop(names)
        self._publish()

    def _shown(self, cell: CellSource, name: str | None, result: EvaluationResult) -> Part | LoonValue | None:
        """The Python face of a result; a named part is kept and shown in the live view."""
        from notebook_ext.display.part import Part

        stale = self._made_parts.of_cell(cell.cell_id)
        if not result.parts:
            self._drop({*stale, name})
            return None if result.display is None else LoonValue(result.display, result.value)
        self._drop(stale - {name})
        part = Part(
            name or cell.title,
            result,
            cell.source.lstrip("\n"),
            lambda shown: self._inline_view(shown, cell.cell_id),
            result.parts,
        )
        self._made_parts.keep(part, name, cell.cell_id)
        if name is not None and self._nodes.made(name, part, cell):
            self._views.show(name, part)
        return part

    def _drop(self, names: Collection[str | None]) -> None:
        """Forget parts whose cell now makes something else; Python's own names are left alone."""
        for name in self._made_parts.drop(names):
            self._views.remove(name)

    def _write(self, shown: Part | LoonValue | None, exports: Sequence[str | Path]) -> None:
        from notebook_ext.display.part import Part

        for path in exports:
            if not isinstance(shown, Part):
                raise no_part(f"nothing to write to {path}: the cell")
            shown.export(path)

    # ---- what there is ---------------------------------------------------------------------

    @property
    def latest(self) -> Part | None:
        """The part that was made last, named or not; None when there is none, or it was forgotten."""
        return self._made_parts.latest

    def measured(self) -> SessionKnowledge:
        """What the names mean, with the figures of all parts found; waits for them."""
        for part in self.parts.values():
            part.figures  # noqa: B018 - found now and kept
        return self.knowledge

    @property
    def parts(self) -> Mapping[str, Part]:
        """The named parts, in the order in which they first appeared."""
        return self._made_parts.named

    def looked_at(self, source: str, *, exact: bool = False, title: str = "<text>") -> Part:
        """A named part, or what Loon text gives after all cells, which leaves nothing behind.

        title: what errors call the text, such as the file it is of. Raises: LoonCellFailed.
        """
        part = self.parts.get(source)
        return self.apart.part(source, exact=exact, title=title) if part is None else part

    def view(self) -> LiveView:
        """The live view of all named parts; the same one at every call. Raises: RuntimeError."""
        return self._views.live(self.parts)

    @property
    def live_view(self) -> LiveView | None:
        """The live view, if there is one; none is made."""
        return self._views.shown_live

    @property
    def evaluates(self) -> bool:
        """Whether there is a service that evaluates by now."""
        return self._evaluator.has_service

    def declared(self) -> tuple[Parameter, ...]:
        """The parameters of all cells; of one name, that of the cell that ran last. From any thread."""
        return self._parameters.all()

    def say(self, line: str) -> None:
        """Have a line stand below the live view, if it is shown; from any thread."""
        self._views.say(line)

    def _inline_view(self, part: Part, cell_id: str) -> InlineView | None:
        view = self._views.inline(part)
        if view is not None:
            self._parameters.attach(cell_id, part, view)
        return view

    def close(self) -> None:
        """Free every widget and end the service; parts that Python holds stay usable."""
        self._closed = True
        self._parameters.close()
        self._views.close()
        self._evaluator.close()


def _silent(_text: str) -> None:
    """Output of a cell that is run again by a parameter: a saved output is final when its cell ends."""
