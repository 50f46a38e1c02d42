"""The session of one notebook kernel: its cells in order, its named parts, its views.

All doors lead here: magics now, agents, files and SketchUp later. Owns the list of cells that made
the environment; evaluation itself is behind `Evaluator`. Importing this module imports no geometry: the
first cell does.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_ext.failure import LoonCellFailed
from notebook_ext.findings_view import show_findings
from notebook_ext.session.cell_parameters import CHANGED, CellParameters, Ran
from notebook_ext.session.evaluator import Evaluator, interrupt_main_thread
from notebook_ext.session.knowledge import FiguresLines, SessionKnowledge
from notebook_ext.session.libraries import Libraries
from notebook_ext.session.loon_value import LoonValue
from notebook_ext.session.running_cell import RunningCell, plain_copy
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import Cancelled, LoonSyntaxError, ServiceFailure, VcadError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.part import Part
    from notebook_ext.session.outputs import CellOutputs
    from notebook_ext.viewer.inline import InlineView
    from notebook_ext.viewer.live import LiveView
    from vcad_kernel.loon.diagnostics import Diagnostic
    from vcad_kernel.service.protocol import EvaluationResult, EvaluationService

__all__ = ["Session"]


class Session:
    """The live model of one kernel.

    service: what evaluates; by default as the settings say, a process of its own that the first cell starts.
    folder: where ``use`` looks for modules; by default the notebook's, in which its kernel is started.
    """

    def __init__(
        self,
        shell: InteractiveShell,
        service: EvaluationService | None = None,
        *,
        folder: Path | None = None,
    ) -> None:
        self._shell = shell
        self._running = RunningCell(shell)
        self._evaluating = threading.Lock()
        """Cells of a sub-shell's console come on another thread; they wait for their turn."""
        self._folder = Path.cwd() if folder is None else folder
        self._evaluator = Evaluator(
            shell,
            service,
            self._folder,
            has_front_end=lambda: self._running.has_front_end,
            stop=interrupt_main_thread,
        )
        self._libraries = Libraries()
        self._parameters = CellParameters(self._shown_again)
        """Which cell has which parameters, and the sliders that show them."""
        self._parts: dict[str, Part] = {}
        self._makers: dict[str, str] = {}
        """Name of a part → id of the cell that made it last."""
        self._outputs: CellOutputs | None = None
        self._latest: Part | None = None
        self._live: LiveView | None = None
        self._closed = False
        self.knowledge = SessionKnowledge(folder=self._folder)
        """What the names mean since the last run; another value after the next."""

    # ---- evaluating ------------------------------------------------------------------------

    def evaluate(self, source: str, name: str | None = None) -> Part | LoonValue | None:
        """Evaluate Loon source in the session's environment, as a cell of its own.

        name: what the part is called here and in later cells.
        Returns: a Part, a LoonValue, or None for unit.
        Raises: LoonCellFailed for anything wrong in the source.
        """
        return self._evaluate(self._running.cell(source, name, {}), name)

    def run_expression(self, source: str) -> Part | LoonValue | None:
        """Evaluate one line; its place in errors counts from the expression itself."""
        return self._evaluate(self._running.line(source))

    def run_cell(
        self,
        source: str,
        *,
        name: str | None = None,
        bindings: Mapping[str, Any] | None = None,
        tolerance: float | None = None,
        exact: bool = False,
        exports: Sequence[str | Path] = (),
        parameters: Mapping[str, Any] | None = None,
    ) -> Part | LoonValue | None:
        """Evaluate the body of a ``%%loon`` cell; running it again replaces what it defined.

        bindings: Python values by name. tolerance: chord error of curved faces, mm.
        exports: files to write, the suffix naming the format.
        parameters: values in place of the defaults of what the cell declares with ``defparam``.
        Raises: LoonCellFailed for anything wrong in the source, the values or the files.
        """
        cell = self._running.cell(
            source, name, plain_copy(bindings or {}), lines_above=self._running.lines_above_body()
        )
        cell = replace(cell, parameters=dict(parameters or {}))
        return self._evaluate(cell, name, tolerance, exact, exports)

    def set_parameter(self, name: str, value: float) -> Part | LoonValue | None:
        """Run the cell that declares a parameter again with this value; its part and views follow.

        Other parameters of the cell keep their values. Cells that use its part are not run again.
        Returns: what the cell gives now.
        Raises: LoonCellFailed for an unknown name, a value out of range, or a model that cannot be built;
        the part and its views then stay what they were.
        """
        with self._evaluating:
            try:
                return self._set_parameters(self._parameters.declaring(name), {name: value})
            except VcadError as error:
                raise LoonCellFailed(error) from None
            except KeyboardInterrupt:
                stopped = Cancelled("the evaluation was interrupted; the parameter keeps its value")
                raise LoonCellFailed(stopped) from None

    def _shown_again(self, cell_id: str, values: Mapping[str, Any], run: object) -> None:
        """A slider of a cell has moved. Runs on a thread of its own, when no cell is being evaluated.

        run: that by which the slider came; a person who has run the cell meanwhile has the last word.
        Raises: VcadError.
        """
        with self._evaluating:
            if self._closed:
                return
            if not self._parameters.is_still(cell_id, run):
                raise Cancelled(CHANGED)
            self._set_parameters(cell_id, values)

    def _set_parameters(self, cell_id: str, values: Mapping[str, Any]) -> Part | LoonValue | None:
        """Run a cell again with other values; where that fails, its names are again what they were.

        Raises: VcadError.
        """
        ran = self._parameters.ran(cell_id)
        cell = replace(ran.cell, parameters={**ran.cell.parameters, **values})
        try:
            result = self._evaluator.run(cell, ran.tolerance, ran.exact, _silent, in_cell=False)
        except (VcadError, KeyboardInterrupt):
            if self._evaluator.undo(cell):  # the names, too, are to mean what they did
                self._evaluator.run(ran.cell, ran.tolerance, ran.exact, _silent, in_cell=False)
            raise
        finally:
            self._publish()
        before = self._parts.get(ran.name) if ran.name is not None else None
        shown = self._shown(cell, ran.name, result)
        self._parameters.note(replace(ran, cell=cell), result.parameters)
        if before is not None and self._shell.user_ns.get(ran.name) is before:
            self._shell.user_ns[ran.name] = shown.for_python() if isinstance(shown, LoonValue) else shown
        self._parameters.show(cell_id, None if isinstance(shown, LoonValue) else shown)
        self._publish()
        return shown

    def _evaluate(
        self,
        cell: CellSource,
        name: str | None = None,
        tolerance: float | None = None,
        exact: bool = False,
        exports: Sequence[str | Path] = (),
    ) -> Part | LoonValue | None:
        with self._evaluating:
            as_before = self._parameters.forget(cell.cell_id)
            has_run = False
            try:
                self._evaluator.begin()  # a service starts while this process loads what it needs itself
                self._libraries.load(views=self._running.has_front_end)
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
                stopped = Cancelled("the evaluation was interrupted; all is as it was before the cell")
                raise LoonCellFailed(stopped) from None
            finally:
                self._publish()
            from vcad_kernel.service.summary import warning_line

            show_findings(result.diagnostics)
            for warning in result.warnings:
                sys.stderr.write(warning_line(warning) + "\n")
            return shown

    def measure(self, shown: Part | LoonValue | None) -> None:
        """Find the figures that a cell is about to show, while it says how far it is and can be stopped.

        Raises: LoonCellFailed when they cannot be found, or when that is interrupted; the part is there.
        """
        from notebook_ext.part import Part

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
        from notebook_ext.findings_view import explained_by

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
        figures = FiguresLines(self._parts)
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

    def forget(self, names: Collection[str]) -> None:
        """Take back definitions and parts of these names; Python's own variables stay."""
        with self._evaluating:
            self._forget(names)

    def reset(self) -> None:
        """Take back every definition and every part: the next cell is the first."""
        with self._evaluating:
            self._forget({*self.knowledge.definitions, *self._parts})
            self._evaluator.forget_all()
            self._parameters.clear()

    def _forget(self, names: Collection[str]) -> None:
        defined = frozenset(name for name in names if name in self.knowledge.definitions)
        if defined:
            self._evaluator.take_back(defined)
        self._drop(names)
        self._publish()

    def _shown(self, cell: CellSource, name: str | None, result: EvaluationResult) -> Part | LoonValue | None:
        """The Python face of a result; a named part is kept and shown in the live view."""
        from notebook_ext.part import Part

        stale = [one for one, maker in self._makers.items() if maker == cell.cell_id]
        if not result.parts:
            self._drop({*stale, name})
            return None if result.display is None else LoonValue(result.display, result.value)
        self._drop(set(stale) - {name})
        part = Part(
            name or cell.title,
            result,
            cell.source.lstrip("\n"),
            lambda shown: self._inline_view(shown, cell.cell_id),
            result.parts,
        )
        self._latest = part
        if name is not None:
            self._parts[name] = part
            self._makers[name] = cell.cell_id
            if self._live is not None:
                self._live.show(name, part.part_meshes, part.part_keys)
        return part

    def _drop(self, names: Collection[str | None]) -> None:
        """Forget parts whose cell now makes something else; Python's own names are left alone."""
        if self._latest is not None and self._latest.name in names:
            self._latest = None
        for name in [one for one in self._parts if one in names]:
            del self._parts[name], self._makers[name]
            if self._live is not None:
                self._live.remove(name)

    def _write(self, shown: Part | LoonValue | None, exports: Sequence[str | Path]) -> None:
        from notebook_ext.part import Part

        for path in exports:
            if not isinstance(shown, Part):
                from vcad_kernel.errors import ErrorCode, SceneError

                raise SceneError(
                    f"nothing to write to {path}: the cell's value is no part",
                    code=ErrorCode.NO_GEOMETRY,
                    count=0,
                    fix="let the cell's last expression be the solid",
                )
            shown.export(path)

    # ---- what there is ---------------------------------------------------------------------

    @property
    def latest(self) -> Part | None:
        """The part that was made last, named or not; None when there is none, or it was forgotten."""
        return self._latest

    def measured(self) -> SessionKnowledge:
        """What the names mean, with the figures of all parts found; waits for them."""
        for part in self._parts.values():
            part.figures  # noqa: B018 - found now and kept
        return self.knowledge

    def nodes(self) -> tuple[str, ...]:
        """Names of the parts, in the order in which they first appeared."""
        return tuple(self._parts)

    def __getitem__(self, name: str) -> Part:
        if name not in self._parts:
            raise KeyError(f"no part {name!r}; the parts are {', '.join(self._parts) or 'none yet'}")
        return self._parts[name]

    # ---- seeing it -------------------------------------------------------------------------

    def view(self) -> LiveView:
        """The live view, one widget for the whole session; the same one at every call.

        Raises: RuntimeError in a terminal, and once the extension has been unloaded.
        """
        if self._closed:
            raise RuntimeError("this session is closed; %load_ext notebook_ext begins another")
        if not self._running.has_front_end:
            raise RuntimeError("the live view needs a notebook; in a terminal use `part.png()`")
        if self._live is None:
            from notebook_ext.viewer.live import LiveView

            self._live = LiveView()
            for name, part in self._parts.items():
                self._live.show(name, part.part_meshes, part.part_keys)
        return self._live

    def _inline_view(self, part: Part, cell_id: str) -> InlineView | None:
        if self._closed or not self._running.has_front_end:
            return None
        if self._outputs is None:
            from notebook_ext.session.outputs import CellOutputs

            self._outputs = CellOutputs(self._shell, self._running)
        view = self._outputs.view(part.part_meshes, part.part_keys, part.summary)
        self._parameters.attach(cell_id, part, view)
        return view

    def close(self) -> None:
        """Free every widget; parts that Python holds stay usable, and show themselves as pictures."""
        self._closed = True
        self._parameters.close()
        if self._outputs is not None:
            self._outputs.close()
            self._outputs = None
        if self._live is not None:
            self._live.close()
            self._live = None
        self._evaluator.close()


def _silent(_text: str) -> None:
    """Output of a cell that is run again by a parameter: a saved output is final when its cell ends."""
