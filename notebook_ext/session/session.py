"""The session of one notebook kernel: the verbs behind every entry point.

Cells, Python, agents and scripts call them. Each call is one request: it is done on the session's one
thread (`requests.py`), in its turn, under one request id. What the cells are is `cells.py`'s business, what
stands in SketchUp that of `linked_parts.py`. Knows no gateway and no agents: `entry_points.py` puts a session
together with those. Importing this module imports no geometry: the first cell does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, Self, TypeVar

from notebook_ext.approval.session_approvals import SessionApprovals
from notebook_ext.display.failure import LoonCellFailed, failing_the_cell
from notebook_ext.front_end.notebook_comm import FrontEnds
from notebook_ext.session.cells.cells import Cells, no_part
from notebook_ext.session.cells.running_cell import ExecutionTurns, RunningCell, plain_copy
from notebook_ext.session.events import Kind, Listener, Listeners
from notebook_ext.session.forms_and_faces import FormsAndFaces
from notebook_ext.session.health import health
from notebook_ext.session.linked.evaluated_nodes import EvaluatedNodes
from notebook_ext.session.linked.linked_parts import LinkedParts
from notebook_ext.session.log.log import SessionLog
from notebook_ext.session.log.metrics import Counts, SessionMetrics
from notebook_ext.session.node_names import checked_node_id, name_of, node_id_of
from notebook_ext.session.notebook_page import NotebookPage
from notebook_ext.session.plain_shell import shell_here
from notebook_ext.session.project.project import Project
from notebook_ext.session.reactive.reactions import Reactions
from notebook_ext.session.reactive.watching import Paused, Resumed, Watching, WatchStatus
from notebook_ext.session.requests import RequestQueue
from notebook_ext.session.settings import settings_in_force
from notebook_ext.state_file import StateFile
from vcad_kernel.errors import Cancelled, CapabilityUnavailable, ExportError, ServiceFailure, VcadError
from vcad_kernel.request_id import new_request_id, request
from vcad_kernel.system.threads import started

if TYPE_CHECKING:
    from concurrent.futures import Future

    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.approval.approvals import Approvals
    from notebook_ext.approval.panel.cell_dock import CellDock
    from notebook_ext.display.graph import GraphView
    from notebook_ext.display.part import Part
    from notebook_ext.session.cells.imports import ImportRef
    from notebook_ext.session.cells.knowledge import SessionKnowledge
    from notebook_ext.session.cells.loon_value import LoonValue
    from notebook_ext.session.linked.reconciling import ReconcileStatus
    from notebook_ext.session.project.truth import DesignModel
    from notebook_ext.session.reactive.graph_state import GraphState
    from notebook_ext.session_records import SessionRecord
    from notebook_ext.sketchup.push.push import Clean
    from notebook_ext.sketchup.status import SketchupStatus
    from notebook_ext.sketchup.trace import Mode, Trace
    from notebook_ext.sketchup.trace_result import TraceResult
    from notebook_ext.viewer.live import LiveView
    from notebook_ext.viewer.relay.picked import Picked
    from notebook_ext.viewer.relay.relay import Relay
    from vcad_kernel.geometry.measure.figures import Figures
    from vcad_kernel.ir.parameter import Parameter
    from vcad_kernel.loon.diagnostics import Diagnostic
    from vcad_kernel.service.protocol import EvaluationResult, EvaluationService

__all__ = ["Gateway", "Session"]

_T = TypeVar("_T")

_EVALUATED: Final = "interrupted after the evaluation; what the cell defined is there"


class Gateway(Protocol):
    """What lets other programs in: a port, and a record by which they find it."""

    @property
    def is_open(self) -> bool:
        """Whether it listens."""

    @property
    def failure(self) -> BaseException | None:
        """Why it ended by itself, if it did since it was last opened."""

    @property
    def viewer_url(self) -> str:
        """The link to the viewer; "" while it is not open."""

    def open(self) -> SessionRecord:
        """Listen, and announce the session; the second time nothing happens. Raises: VcadError."""

    def close(self) -> None:
        """Take the record away and listen no more."""


class Session:
    """The live model of one kernel. Its verbs may be called from any thread.

    shell: whose variables and cells it follows; by default IPython's, where there is one.
    service: what evaluates; by default as the settings say, a process of its own that the first cell starts.
    folder: where ``use`` looks for modules; by default the notebook's, in which its kernel is started.
    gateway: makes what lets other programs in, when it is first asked for.
    """

    def __init__(
        self,
        shell: InteractiveShell | None = None,
        service: EvaluationService | None = None,
        *,
        folder: Path | None = None,
        gateway: Callable[[Session], Gateway] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        # of two parts that need each other the one that is made first gets a function that asks for the other
        self.session_id = f"s-{new_request_id().removeprefix('r-')}"
        """By which its record, its logs and what it puts into SketchUp name it."""
        folder = Path.cwd() if folder is None else folder
        shell = shell_here() if shell is None else shell
        self._running = RunningCell(shell)
        self._requests = RequestQueue(self._interrupt)
        self._listeners = Listeners()
        counts = Counts()
        self._log = SessionLog(
            lambda: self._project.workspace,
            elsewhere=lambda: settings_in_force().supex_log_dir,
            counted=counts.noted,
        )
        self._project = Project(folder, self._log)
        self._nodes = EvaluatedNodes(self._project, self._log, self._listeners.notify, counts)
        self._cells = Cells(
            shell,
            service,
            folder,
            self._requests,
            self._running,
            self._nodes,
            lambda: self._linked,
            counts,
            self._new_relay,
            self._open_viewer,
        )
        state = StateFile(lambda: self._project.workspace, elsewhere=lambda: settings_in_force().state_path)
        self._linked = LinkedParts(
            self._project, self._nodes, self._cells, self._log, self._listeners.notify, self.session_id, state
        )
        self._linked.on_placed = self._placed
        self._turns = ExecutionTurns(shell, self._released)
        self.reactions = Reactions(
            self._requests,
            self._cells,
            self._linked,
            self._log,
            put=lambda trigger: self.watching.put(trigger),
            changed=self._show_status,
            ran=self._watch_what_is_used,
            marked=lambda: self._listeners.notify("marked", None),
        )
        """What is out of date, and how it is brought up to date."""
        self.watching = Watching(
            self.reactions,
            state=state,
            workspace=lambda: self._project.workspace,
            watcher=self._cells.evaluator.folder_watcher,
            bridge=lambda: self._linked.link.another_bridge(),
            note=self.note,
            is_held=self._turns.is_held,
            model_changed=self._another_document,
            reverted=self._reverted,
            changed=self._show_status,
        )
        """What of files and SketchUp is watched, and where all changes meet."""
        self._cells.imports.before_reading = self.watching.before_reading
        self._cells.parts.status = self._status
        self._metrics = SessionMetrics(
            counts,
            service=self._cells.evaluator.counts,
            waiting=lambda: self._requests.waiting,
            degraded=lambda: self._linked.degraded,
            folders=lambda: self._artifact_folders(folder),
            window=self.watching.window,
        )
        self.front_ends = FrontEnds(
            came_again=lambda: self._log.event("viewer_reconnected"),
            interrupted=lambda: self.stop(),
            has_cells=lambda notebooks: self.page.has_cells(notebooks),
        )
        """The pages that show this kernel's notebook."""
        self._cells.parts.has_page = lambda: self.front_ends.has_pages
        self.page = NotebookPage(
            self.front_ends,
            self._cells,
            self._requests,
            self._log,
            put=lambda trigger: self.watching.put(trigger),
            is_held=self._turns.is_held,
            states=self.reactions.states,
            graph=lambda: self.graph_view().html(),
        )
        """What is done in that notebook: pictures, values, how cells stand, and which there are."""
        self.forms = FormsAndFaces(self._cells.cell_of, self._cells.parts.show_forms)
        """Which forms made which faces, for the page's editor and for what is picked."""
        self._approvals = SessionApprovals(
            shell,
            lambda: self._project.workspace,
            self._log,
            state,
            self.front_ends,
            clock,
        )
        self._gateway_of = gateway
        self._gateway: Gateway | None = None

    def __reduce_ex__(self, _protocol: object) -> NoReturn:
        """A session is this kernel's own. Raises: CapabilityUnavailable, which says what can be copied."""
        raise CapabilityUnavailable(
            "a session cannot be copied or pickled: it is what runs in this kernel",
            fix="pickle its parts, which keep their model, or export them; `vcad mcp` lets other programs in",
            details={"required_capability": "copy", "negotiated_capabilities": []},
        )

    # ---- who else comes in -----------------------------------------------------------------

    @property
    def gateway(self) -> Gateway:
        """What lets agents, scripts and tests in. Looking at it opens nothing.

        Raises: CapabilityUnavailable for a session that was made without one.
        """
        if self._gateway is None:
            if self._gateway_of is None:
                raise CapabilityUnavailable(
                    "this session lets no other program in",
                    details={"required_capability": "gateway", "negotiated_capabilities": []},
                )
            self._gateway = self._gateway_of(self)
        return self._gateway

    def approvals(self) -> Approvals:
        """What agents ask and is not answered yet, and the policy; in a notebook, shown, a panel."""
        return self._approvals.made()

    @property
    def cell_dock(self) -> CellDock | None:
        """The place below the latest cell; None outside of a kernel. To be made on the cells' thread."""
        return self._approvals.dock

    # ---- evaluating ------------------------------------------------------------------------

    @request()  # one id from the moment that it is called, before its turn comes
    def evaluate(
        self, source: str, name: str | None = None, parameters: Mapping[str, Any] | None = None
    ) -> Part | LoonValue | None:
        """Evaluate Loon source in the session's environment, as a cell of its own.

        name: what the part is called here and in later cells. parameters: values in place of the defaults
        of what the source declares with ``defparam``.
        Returns: a Part, a LoonValue, or None for unit.
        Raises: LoonCellFailed for anything wrong in the source.
        """
        cell = replace(self._running.cell(source, name, {}), parameters=dict(parameters or {}))
        with failing_the_cell():
            change = self._nodes.accept(name)
            return self._requests.do(
                lambda: self._cells.run(cell, name, change=change), change.withdraw, late=_EVALUATED
            )

    def run_expression(self, source: str) -> Part | LoonValue | None:
        """Evaluate one line; its place in errors counts from the expression itself."""
        cell = self._running.line(source)
        with failing_the_cell():
            return self._requests.do(lambda: self._cells.run(cell), late=_EVALUATED)

    @request()
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
        private: bool = False,
    ) -> Part | LoonValue | None:
        """Evaluate the body of a ``%%loon`` cell; running it again replaces what it defined.

        name: what the part, or the value, is called here, in later cells and in Python, where it is bound.
        bindings: Python values by name. tolerance: chord error of curved faces, mm.
        exports: files to write, the suffix naming the format.
        parameters: values in place of the defaults of what the cell declares with ``defparam``.
        private: whether later cells see nothing of it but its name.
        Raises: LoonCellFailed for anything wrong in the source, the values or the files.
        """
        from vcad_kernel.service.requests import Options

        given = plain_copy(bindings) if bindings else {}
        cell = self._running.cell(source, name, given, is_body=True)
        if parameters or private:
            cell = replace(cell, parameters=dict(parameters or {}), private=private)
        options = Options(tolerance=tolerance, exact=exact)
        with failing_the_cell():
            change = self._nodes.accept(name)
            run = partial(self._cells.run, cell, name, options, exports, change=change, bound=True)
            return self._requests.do(run, change.withdraw, late=_EVALUATED)

    @request()
    def set_parameter(
        self, name: str, value: float, *, node_id: str | None = None, expected_revision: int | None = None
    ) -> Part | LoonValue | None:
        """Run the cell that declares a parameter again with this value; its part and views follow.

        node_id: the part whose parameter is meant, where several have one of this name; by default that of
        the cell that ran last. Other parameters of the cell keep their values. Cells that use its part, and
        SketchUp, follow soon after. expected_revision: of the part, as of `place`.
        Returns: what the cell gives now.
        Raises: LoonCellFailed for an unknown name, a value out of range, or a model that cannot be built;
        the part and its views then stay what they were.
        """
        part = None if node_id is None else name_of(node_id)
        change = self._nodes.accept(part or self._cells.part_with(name), expected_revision)
        shown = self._requests.do(
            lambda: self._cells.set_parameter(name, value, change, part=part), change.withdraw
        )
        self.reactions.parameter_set(name, part)
        return shown

    @request()
    def show_file(self, file: str | Path) -> Part:
        """Have a file of the workspace be a part that viewers show; its changes are followed while watched.

        It is called as the file; where a notebook's cell has that name, ``-file`` comes behind it.
        Raises: VcadError where there is no such file; LoonCellFailed for anything wrong in it.
        """
        path = Path(file)
        name = path.name.partition(".")[0]
        if name in self.nodes() and not self._cells.parts.maker_of(name).startswith("file:"):
            name = f"{name}-file"
        change = self._nodes.accept(name)

        def work() -> Part:
            change.begin()
            with self._nodes.failure_reported(name):
                self._linked.evaluate(name, path)
            part = self._cells.parts.named.get(name)
            if part is None:
                raise no_part(path.name)
            return part

        return self._requests.do(work, change.withdraw)

    def graph(self, node_id: str | None = None) -> GraphState:
        """What is built from what, and how it stands: cells, files, and entities of SketchUp.

        node_id: only what this part is built from and what is built from it.
        Raises: VcadError NODE_NOT_FOUND.
        """
        return self._requests.do(lambda: self.reactions.graph(node_id))

    def graph_view(self) -> GraphView:
        """The same as a picture. Raises: as every verb."""
        from notebook_ext.display.graph import GraphView

        return GraphView(self.graph())

    def show_graph(self) -> GraphView:
        """The same for a cell's output, which the notebook's page keeps as it is after each evaluation."""
        view = self.graph_view()
        self.page.show_graph(view.html())
        return view

    def stop(self) -> None:
        """Stop bringing cells up to date: what is done stays, the rest is out of date. From any thread."""
        self.reactions.cascades.stop()

    def part(self, source: str, *, title: str = "<text>") -> Part:
        """A named part, or what Loon text gives, which leaves nothing behind; with its figures found.

        title: what errors call the text. Raises: LoonCellFailed.
        """

        def measured() -> Part:
            part = self._cells.looked_at(source, title=title)
            part.figures  # noqa: B018 - found now, in its turn, and kept
            return part

        return self._requests.do(measured)

    def eval_repl(self, source: str) -> EvaluationResult:
        """What Loon text gives after all cells; it leaves nothing behind. Raises: LoonCellFailed."""
        return self._requests.do(lambda: self._cells.value_of(source))

    def measure(self, shown: Part | LoonValue | None) -> Part | LoonValue | None:
        """Find the figures that a cell is about to show, while it says how far it is and can be stopped.

        Returns: what is shown.
        Raises: LoonCellFailed when they cannot be found, or when that is interrupted; the part is there.
        """
        if self._cells.measure(shown):
            self._notify_soon("measured")
        return shown

    def check(
        self,
        source: str,
        *,
        cell_id: str = "",
        file: str = "",
        name: str = "",
        bindings: Mapping[str, Any] | None = None,
    ) -> tuple[Diagnostic, ...]:
        """What the checker finds in a cell's text, after the cells so far; nothing is evaluated.

        cell_id: what this cell has defined earlier is not known to it. file: in place of it, the file that
        the text is of, by its path in the workspace.
        """
        if file:
            cell_id = self._nodes.made_by(file)
        return self._cells.check(source, cell_id=cell_id, name=name, bindings=bindings)

    def test(self, source: str, *, file: str = "<text>", only: str = "") -> list[dict[str, Any]]:
        """What came of each test of a text, which is evaluated as a program of its own.

        file: what errors call it, and where its imports look first. only: a text in the tests' names.
        Returns: as `vcad_kernel.loon.program.testing.Verdict.plain`.
        Raises: LoonCellFailed where the text itself fails; no test has been called then.
        """
        return self._requests.do(lambda: self._cells.tested(source, file, only))

    def inspect(self, source: str, *, exact: bool = False) -> Figures:
        """The figures of a named part, or of Loon text that is evaluated for it and leaves nothing behind.

        exact: of the exact body, also where the rule for figures takes the mesh.
        Raises: LoonCellFailed.
        """

        def measured() -> Figures:
            part = self._cells.looked_at(source, exact=exact)
            return part.measure(exact=exact)

        return self._requests.do(measured)

    def export(
        self,
        source: str | Path,
        path: str | Path | None = None,
        tolerance: float | None = None,
        *,
        title: str = "<text>",
    ) -> Path:
        """Write a named part, or what Loon text gives, to a file whose suffix names the format.

        With one path alone, all that ``%loon_view`` shows: each part where it stands, an instance by itself,
        without those that are there for others; an .html file has the viewer in it, and all parts.
        title: what errors call the text.
        Returns: the path written. Raises: LoonCellFailed.
        """
        if path is None:
            return self._requests.do(lambda: self._write_scene(Path(source).expanduser(), tolerance))
        target = path

        def written() -> Path:
            part = self._cells.looked_at(str(source), title=title)
            return part.export(target, tolerance)

        return self._requests.do(written)

    def _write_scene(self, path: Path, tolerance: float | None) -> Path:
        from notebook_ext.viewer.html_file import SUFFIX
        from notebook_ext.viewer.scene_file import write

        with failing_the_cell():
            if not path.suffix:
                raise ExportError(
                    f"{str(path)!r} has no suffix that names the format",
                    fix='session.export("assembly.step"), or session.export(NAME, PATH) for one part',
                )
            shown = self.viewers.nodes if path.suffix.lower() == SUFFIX else self.viewers.shown_first
            write(path, shown, tolerance)
        return path

    def png(self, source: str, view: str = "iso", *, width: int = 640, height: int = 480) -> bytes:
        """A picture of a named part, or of what Loon text gives, which leaves nothing behind: PNG bytes.

        view, width, height: as of `Part.png`. Raises: LoonCellFailed.
        """
        return self._requests.do(lambda: self._cells.looked_at(source).png(view, width, height))

    # ---- SketchUp --------------------------------------------------------------------------

    @request()
    def place(
        self,
        node_id: str,
        source: str | Path | None = None,
        position: Sequence[float] | None = None,
        *,
        instance: str | None = None,
        layer: str | None = None,
        component_name: str | None = None,
        transformation: Sequence[float] | None = None,
        expected_revision: int | None = None,
    ) -> TraceResult:
        """Have a part stand in SketchUp as a component, and stay linked to its source.

        source: Loon text or a file; by default the part of this name as its cell made it. position: of the
        part's origin, mm; by default where it is, or the model's origin. instance: which, where a part is to
        stand more than once; a new name is a new instance. layer, component_name: in SketchUp.
        transformation: 16 numbers, column by column, mm; a position goes before its own. An instance that is
        there stays there unless one of both is given. expected_revision: of the part, as the caller has seen
        it; where it is another by now, nothing is done.
        Raises: VcadError; what was asked for is kept in the project and done by the next `push`.
        """
        from notebook_ext.session.linked.placing import Placing

        checked_node_id(node_id)
        placing = Placing.at(position, instance, layer, component_name, transformation)
        change = self._nodes.accept(node_id if source is not None else None, expected_revision)

        def work() -> TraceResult:
            change.begin()
            if source is None:
                self._project.revisions.require(node_id_of(node_id), expected_revision)
            if source is not None:
                with self._nodes.failure_reported(node_id):
                    self._linked.evaluate(node_id, source)
            return self._linked.place(node_id, placing)

        return self._requests.do(work, change.withdraw)

    @request()
    def update(
        self, node_id: str, source: str | Path | None = None, *, expected_revision: int | None = None
    ) -> TraceResult:
        """Bring SketchUp's component of a node up to date, all its instances at once.

        source: new Loon text or file for it; by default its own source is evaluated again.
        expected_revision: as of `place`.
        Raises: VcadError.
        """
        change = self._nodes.accept(node_id, expected_revision)

        def work() -> TraceResult:
            change.begin()
            with self._nodes.failure_reported(node_id):
                self._linked.evaluate(node_id, source)
            return self._linked.push([node_id])

        return self._requests.do(work, change.withdraw)

    def remove(
        self, node_id: str, *, instance: str | None = None, expected_revision: int | None = None
    ) -> TraceResult:
        """Take a node out of SketchUp, with all its instances; the part stays in the session.

        instance: the only one to be taken out; the others stay, and so does the link. expected_revision: as
        of `place`.
        Raises: VcadError.
        """

        def work() -> TraceResult:
            self._project.revisions.require(node_id_of(node_id), expected_revision)
            return self._linked.remove(node_id, instance)

        return self._requests.do(work)

    def plan(self, nodes: Collection[str] | None = None, mode: Mode = "incremental") -> Trace:
        """What a push would do, from the project alone: SketchUp need not run. nodes: all by default.

        Raises: VcadError.
        """
        return self._requests.do(lambda: self._linked.plan(nodes, mode))

    def push(self, nodes: Collection[str] | None = None, *, omit: Collection[str] = ()) -> TraceResult:
        """Bring SketchUp up to what the project says; what is there already is left alone.

        omit: nodes that may be left out though they cannot be pushed.
        Raises: VcadError PARTIAL_EXECUTION_REFUSED for anything else that cannot be pushed.
        """
        return self._requests.do(lambda: self._watching(self._linked.push(nodes, omit=omit)))

    def replay(self, clean: Clean = "managed") -> TraceResult:
        """Build everything in SketchUp anew from the project. Raises: VcadError.

        clean: "managed" removes first what the workbench has put there, and nothing else.
        """
        return self._requests.do(lambda: self._watching(self._linked.replay(clean)))

    def sketchup(self) -> SketchupStatus:
        """Whether SketchUp answers, and how the project and its model stand to each other."""
        return self._requests.do(lambda: self._watching(self._linked.status()))

    def reconcile(self, reason: str = "asked") -> ReconcileStatus:
        """Compare SketchUp with the project, and restore what is missing there or was never given to it.

        Done by itself when a session first does something in SketchUp, and again when SketchUp was started
        anew. A part that a person has taken back by undo stays until the next push.
        Returns: what was found, and what came of it.
        Raises: VcadError STATE_RECONCILE_REQUIRED for what a person has to decide.
        """
        return self._requests.do(lambda: self._watching(self._linked.reconciling.run(reason)))

    def reconcile_status(self) -> ReconcileStatus:
        """The last comparison of SketchUp with the project; from any thread, and SketchUp is not asked."""
        return self._linked.reconciling.status

    def start_headless_sketchup(self) -> None:
        """Have a SketchUp without a window for this session, which ends with it; its model is empty.

        Raises: VcadError CAPABILITY_UNAVAILABLE where there is no Ruby.
        """
        self._requests.do(self._linked.start_headless)

    def picture_of_sketchup(self, view: str = "iso", width: int = 1280, height: int = 960) -> bytes:
        """SketchUp's own picture of all that is in its model: a PNG. The person's view there stays as it is.

        view: iso, top, bottom, front, back, left or right. width, height: pixels. Raises: VcadError.
        """
        return self._requests.do(lambda: self._linked.picture(view, width, height))

    @property
    def model(self) -> DesignModel:
        """The project's truth: what is linked to SketchUp, as saved in design_model.json."""
        return self._requests.do(lambda: self._project.model)

    @property
    def trouble(self) -> VcadError | None:
        """Why design_model.json could not be read, and where it has been put; None when it could."""
        return self._requests.do(lambda: self._project.trouble)

    @property
    def standing(self) -> DesignModel:
        """The project's truth, as it is saved; empty where nothing is linked, and no file is made for it.

        Raises: VcadError when it cannot be read.
        """
        return self._requests.do(self._linked.standing)

    def revision(self, node_id: str) -> int:
        """The number of a part's newest change, be it done or waiting; 0 for one that there is not."""
        self._project.known()
        return self._project.revisions.newest(node_id_of(node_id))

    @property
    def workspace(self) -> Path:
        """The folder of the project, by its real path. Raises: VcadError SETTING_INVALID."""
        return self._project.workspace

    # ---- watching --------------------------------------------------------------------------

    def watch_start(self) -> WatchStatus:
        """Watch the workspace's files, and the entities that parts import, where that was stopped.

        Raises: VcadError where there is no workspace.
        """
        self.watching.on()
        return self.watching.status()

    def watch_stop(self) -> WatchStatus:
        """Watch neither files nor SketchUp in this session; what cells and sliders change is followed."""
        self.watching.off()
        return self.watching.status()

    def watch_pause(self) -> Paused:
        """Follow no change from now on, but collect them all; in later kernels, too, until `watch_resume`."""
        return self.watching.pause()

    def watch_resume(self) -> Resumed:
        """Follow changes again; those that were collected as one cascade."""
        return self.watching.resume()

    def watch_status(self) -> WatchStatus:
        """What is watched, what waits, and how the last cascade went."""
        return self.watching.status()

    def settle(self) -> WatchStatus:
        """Bring all up to date that has changed by now in cells, files and SketchUp; returns when it is done.

        A script, and a cell that goes on with what follows, waits so: by itself a cascade begins after the
        cell. While paused nothing is followed.
        Raises: LoonCellFailed where it is interrupted: what is done stays, the rest is out of date;
        CapabilityUnavailable on the session's own thread, which would wait for itself.
        """
        if self._requests.is_here:
            raise CapabilityUnavailable(
                "what the session does itself cannot wait for it to be done with everything",
                fix="call settle() from a cell or a thread, not from a listener",
                details={"required_capability": "settle", "negotiated_capabilities": []},
            )
        try:
            self._requests.do(self._watch_what_is_used)
            self.watching.settle()
        except KeyboardInterrupt:
            self.stop()
            late = "interrupted; what is done stays, the rest is out of date"
            raise LoonCellFailed(Cancelled(late)) from None
        return self.watching.status()

    # ---- listening -------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Have a function called with every change, on the session's thread; what this gives ends that."""
        return self._listeners.add(listener)

    @property
    def log(self) -> SessionLog:
        """What is written down of this session."""
        return self._log

    @property
    def live_view(self) -> LiveView | None:
        """The live view, if it was requested; none is made."""
        return self._cells.parts.live_view

    @property
    def viewers(self) -> Relay:
        """The relay to viewers, both ways: the live view, pages and files. From any thread.

        Raises: CapabilityUnavailable once the session has been closed.
        """
        return self._cells.parts.relay

    @property
    def selection(self) -> tuple[Picked, ...]:
        """What the person has picked last in any viewer, with the forms that made it; from any thread.

        After a change the same faces and edges, as far as they are there and can be told from others.
        """
        return self.viewers.selection

    @property
    def is_viewed(self) -> bool:
        """Whether anybody has asked for a viewer; from any thread."""
        return self._cells.parts.is_viewed

    def is_seen(self, name: str) -> bool:
        """Whether viewers show a named part, those that open next if there is none; from any thread."""
        return self._cells.parts.is_seen(name)

    def picked_forms(self) -> list[dict[str, Any]]:
        """Where the forms in cells stand that made what is picked, for the page's editor; from any thread."""
        return self.forms.picked(self._cells.parts.picked)

    @property
    def viewer_url(self) -> str:
        """A link that shows this session's parts in a window of its own, on this machine.

        Who has it sees the model and may point at it; it answers no question of an agent's.
        Raises: VcadError where no port can be had.
        """
        self.gateway.open()
        return self.gateway.viewer_url

    @property
    def busy(self) -> bool:
        """Whether something is being done on the session's thread; from any thread, without waiting."""
        return self._requests.is_busy

    def health(self) -> Mapping[str, Any]:
        """What answers and what does not; also while the session is busy. See `health.health`."""
        evaluator, live = self._cells.evaluator, self.live_view
        return health(
            sketchup=lambda: self._requests.submit(self._linked.state),
            service=evaluator.reached,
            service_status=evaluator.service_status,
            shown=None if live is None else live.names,
            last_error=self._metrics.counts.last_error,
        )

    def metrics(self) -> Mapping[str, Any]:
        """All figures that are counted (docs/spec/session.md §9), and what the manifests of meshes say."""
        return self._metrics.report()

    @property
    def counted(self) -> SessionMetrics:
        """The figures for who shows them in another form; looking at them waits for no cell."""
        return self._metrics

    def _artifact_folders(self, folder: Path) -> Sequence[Path]:
        """Where manifests lie: those of the service, and those of what SketchUp was given."""
        with suppress(VcadError):
            chosen = settings_in_force().temp_dir
            own = self._project.workspace / ".vcad" / "artifacts" / "sketchup"
            return [folder / ".vcad" / "artifacts" if chosen is None else chosen.absolute(), own]
        return []

    def parameters(self) -> tuple[Parameter, ...]:
        """What the cells declare with ``defparam``; of one name, that of the cell that ran last."""
        return self._cells.parameters.all()

    def submit(self, work: Callable[[], _T]) -> Future[_T]:
        """Do something on the session's thread, in its turn; waits for nothing.

        Raises: CapabilityUnavailable.
        """
        return self._requests.submit(work)

    def on_project(self, work: Callable[[LinkedParts], _T]) -> _T:
        """What a function gives that is called with the linked parts, on the session's thread.

        Raises: what it raises; as every verb.
        """
        return self._requests.do(lambda: work(self._linked))

    def cancel(self, request_id: str) -> None:
        """Stop what is done under this request id, or let it not begin; from any thread."""
        self._requests.cancel(request_id)

    def note(self, event: str, said: str = "", **fields: Any) -> None:
        """Log what another client has done here; from any thread.

        said: one line about it for the person, below the live view; "" for none.
        """
        self._log.event(event, **fields)
        if said:
            self._cells.parts.say(said)

    # ---- forgetting ------------------------------------------------------------------------

    def forget(self, names: Collection[str]) -> None:
        """Take back definitions and parts of these names; Python's own variables stay."""
        self._requests.do(lambda: self._forget(names))

    def reset(self) -> None:
        """Take back every definition and every part: the next cell is the first."""
        self._requests.do(lambda: self._forget(None))

    def _forget(self, names: Collection[str] | None) -> None:
        parts = [part for part in self._cells.parts.named if names is None or part in names]
        if names is None:
            self._cells.reset()
        else:
            self._cells.forget(names)
        self.reactions.mark()
        for part in parts:
            self._listeners.notify("forgotten", part)

    # ---- what there is ---------------------------------------------------------------------

    @property
    def knowledge(self) -> SessionKnowledge:
        """What the names mean since the last run; another value after the next."""
        return self._cells.knowledge

    @property
    def latest(self) -> Part | None:
        """The part that was made last, named or not; None when there is none, or it was forgotten."""
        return self._cells.parts.latest

    def imports(self) -> Mapping[str, tuple[ImportRef, ...]]:
        """What each cell imports, by its id; from any thread."""
        return self._cells.imports.cells()

    def imported_entities(self) -> frozenset[str]:
        """The entities of SketchUp's model that cells and linked parts depend on; from any thread.

        ``pid:…`` where the persistent id is known, else ``id:…``.
        """
        return self._cells.imports.entities() | self._linked.entities_of_unmade().keys()

    def measured(self) -> SessionKnowledge:
        """What the names mean, with the figures of all parts found; waits for them."""
        return self._cells.measured()

    def nodes(self) -> tuple[str, ...]:
        """Names of the parts, in the order in which they first appeared."""
        return tuple(self._cells.parts.named)

    def __getitem__(self, name: str) -> Part:
        part = self._cells.parts.named.get(name)
        if part is None:
            raise KeyError(f"no part {name!r}; the parts are {', '.join(self.nodes()) or 'none yet'}")
        return part

    def view(self) -> LiveView:
        """The live view, one widget for the whole session; the same one at every call.

        Raises: CapabilityUnavailable without a notebook, and once the session has been closed.
        """
        view = self._cells.parts.view()
        self.approvals().put_above(view)
        return view

    def dock_view(self) -> bool:
        """Have the live view be shown beside the notebook. Returns: whether its page has done so.

        The page is asked ``{method: "dock_view", model_id}`` over the comm ``vcad.notebook``; one that does
        not know that refuses.
        Raises: as `view`.
        """
        model_id = self.view().widget.model_id
        if not self.front_ends.has_pages:
            return False
        try:
            for shown in self.front_ends.own():
                shown.ask("dock_view", model_id=model_id)
                return True
        except VcadError as refused:
            self._log.event("not_docked", level="warning", error_code=str(refused.error_code))
        return False

    def _open_viewer(self, name: str, say: Callable[[str], object]) -> None:
        """Show the live view beside the notebook, at a part; elsewhere give the link to it. Does not wait."""

        def open_it() -> None:
            if not self.dock_view():
                say(f"open {self.viewer_url} in a browser on this machine")
            with suppress(ServiceFailure):  # one that has just been opened shows everything
                self.viewers.focus(name)

        started(Thread(target=open_it, name="vcad viewer opening", daemon=True))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free every widget and connection; parts that Python holds stay usable, shown as pictures."""
        self._approvals.close()
        if self._gateway is not None:
            self._gateway.close()
        self._turns.close()
        self.watching.close()
        self.page.close()
        self._requests.close()
        self._cells.close()
        self._linked.close()
        self._project.close()
        self._log.close()

    # ---- the session's thread --------------------------------------------------------------

    def _new_relay(self) -> Relay:
        from notebook_ext.session.viewer_requests import ViewerRequests
        from notebook_ext.viewer.relay.relay import Relay

        requests = ViewerRequests(
            lambda: self.viewers,
            self.front_ends,
            self.stop,
            place_now=self.forms.place_now,
            entity_of=self._entity_of,
            zoom_to=self._zoom_to,
        )
        return Relay(
            requests,
            title=self._project.workspace.name,
            on_selection=lambda: self._notify_soon("picked"),
            on_visible=lambda: self._notify_soon("seen"),
        )

    def _entity_of(self, node_id: str) -> tuple[str, int] | None:
        """The instance that a node of the viewers is in SketchUp, and its entity there; from any thread."""
        truth = self._project.known()
        body, _, place = node_id.partition("#")
        number = int(place or 1) - 1
        placed = {} if truth is None else truth.model.placements().get(node_id_of(body.partition("/")[0]), {})
        if truth is None or number >= len(placed):
            return None
        instance_id = list(placed)[number]
        execution = truth.model.instances[instance_id].execution
        if execution is None or execution.entity_id is None:
            return None
        return name_of(instance_id), execution.entity_id

    def _zoom_to(self, entity_id: int) -> None:
        """Have an entity be brought into SketchUp's view, in its turn; viewers are told where that fails."""
        from notebook_ext.viewer.relay.messages import Parcel, refusal

        def zoom() -> None:
            asked = {"type": "zoom_entity", "entity_ids": [entity_id]}
            try:
                self._linked.link.bridge().connection.call("set_camera", asked)
            except VcadError as refused:
                self.viewers.tell(Parcel(refusal(refused)))

        self._requests.submit(zoom)

    def _notify_soon(self, kind: Kind) -> None:
        """Have listeners notified of what concerns many, or was done in a viewer; from any thread."""
        with suppress(CapabilityUnavailable):  # the session has ended meanwhile
            self._requests.submit(lambda: self._listeners.notify(kind, None))

    def _show_status(self) -> None:
        """Have it seen, in viewers and beside the cells, what waits, runs and has failed; from any thread."""
        self._cells.parts.show_status()
        self.page.changed()

    def _status(self) -> tuple[str, bool]:
        """What waits, runs and has failed, in words, and whether something runs; from any thread."""
        status = self.watching.reactive
        marked = sum(each.state in ("pending", "out of date") for each in self.reactions.states().values())
        said = [str(status)] if status.running or status.pending or status.paused or status.failed else []
        if marked and not status.running:
            said.append("1 cell is out of date" if marked == 1 else f"{marked} cells are out of date")
        elif not said and status.last_cascade_ms is not None:
            said.append(f"up to date · last cascade {status.last_cascade_ms:.0f} ms")
        return " · ".join(said), status.running

    def _placed(self) -> None:
        """The project may say of other parts, or of other places for them."""
        self._cells.parts.show_placements()
        self._linked.keep_files()

    def _watching(self, done: _T) -> _T:
        """The outcome of a request about linked parts: from the first on their files are watched."""
        self._watch_what_is_used()
        return done

    def _watch_what_is_used(self) -> None:
        """Have changes of what cells and linked parts are made from noticed, after each run."""
        dependencies = self._cells.dependencies
        self._linked.keep_files()
        try:
            files = dependencies.files or self._linked.files_of_unmade()
            since = self._requests.begun
            if not self.watching.has_folder:  # what was saved while no kernel ran counts, too
                since = min(since, self._linked.unmade_since() or since)
            self.watching.follow(files, self.imported_entities(), since=since)
        except VcadError as refused:  # the cell has run all the same
            self._log.event("not_watched", level="warning", error_code=str(refused.error_code))

    def _released(self) -> None:
        """No cell runs or waits to."""
        self.watching.released()
        self.page.released()

    def _another_document(self) -> None:
        """SketchUp shows another document: it is compared with the project before anything is done there."""
        self._linked.reconciling.forget_what_was_met()
        self.note("document_changed", "SketchUp shows another document by now")

    def _reverted(self, nodes: Collection[Mapping[str, Any]]) -> None:
        """A person has taken something back in SketchUp. nodes: ``{node_id, …}`` of each."""
        truth = self._project.known()
        mine = {None, None if truth is None else truth.model.project_id}
        names = [name_of(str(node["node_id"])) for node in nodes if node.get("project_id") in mine]
        if names:
            said = f"taken back in SketchUp, until the next push: {', '.join(sorted(names))}"
            self.note("reverted", said, nodes=sorted(names))

    def _interrupt(self, thread: int) -> None:
        """Stop what the session's thread is waiting for."""
        self._cells.evaluator.interrupt(thread)
        self._linked.interrupt()
