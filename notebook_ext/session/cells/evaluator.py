"""What evaluates the cells of a session: the service, and what goes on around it while it works.

The service is made when it is first needed, and with it the libraries that showing its results takes. A cell
says how far it is, other threads get their turns, and what is under way can be stopped. On the session's
thread, but for what says otherwise. Knows no cells: `cells.py` has their history.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Event, Lock, Thread, current_thread, main_thread
from typing import TYPE_CHECKING, Final

from notebook_ext.front_end.shell_channel import short_turns
from notebook_ext.session.cells.progress import CellProgress, Report
from notebook_ext.session.cells.running_cell import RunningCell
from notebook_ext.session.requests import RequestQueue
from notebook_ext.session.settings import settings_in_force
from vcad_kernel.system.threads import interrupt_main_thread, started

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.session.health import ServiceStatus
    from notebook_ext.session.reactive.file_changes import Watcher
    from vcad_kernel.contracts.messages import HelloAnswer
    from vcad_kernel.contracts.tools import ServiceCounts
    from vcad_kernel.service.protocol import Definition, EvaluationService

__all__ = ["Evaluator", "service_for"]

_EVALUATE: Final = (
    "notebook_ext.display.part",
    "vcad_kernel.service.summary",
    "vcad_kernel.service.evaluation.bindings",
    "vcad_kernel.service.wire.result_json",
    "vcad_kernel.service.wire.part_json",
    "vcad_kernel.service.wire.history_json",
    "vcad_kernel.service.wire.definitions_json",
    "vcad_kernel.service.client.remote_answers",
    "vcad_kernel.contracts.mesh_block",
    "vcad_kernel.render.picture",
)
_SHOW: Final = ("notebook_ext.viewer.inline.inline", "notebook_ext.viewer.inline.widget")
"""What shows a part in a notebook."""
_LOOK: Final = 0.02
"""Seconds between two looks at whether to go on waiting."""


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
    """service: what evaluates; by default as `service_for` says.

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
        self._shell = shell
        self._service = service
        self._making = Lock()
        self._folder = folder
        self._running = running
        self._queue = queue
        self._was_reached = False
        """Whether the service has been seen to answer."""
        self._loading: Thread | None = None
        self._loaded = Event()

    @contextmanager
    def working(self, *, in_cell: bool = True) -> Iterator[Report | None]:
        """While the service works on something: gives what takes how far it is, where that can be shown.

        in_cell: whether a cell of the notebook waits for it. Raises: KeyboardInterrupt.
        """
        if not self._loaded.is_set():
            self._load()
        is_shown = in_cell and self._running.is_watched
        progress = CellProgress(self._shell, self._stopper()) if is_shown else nullcontext()
        with short_turns(), progress as report:
            yield report

    def _load(self) -> None:
        """Have the libraries loaded that a first cell needs, where no interrupt reaches.

        An interrupt in the middle of ``import numpy`` leaves halves of it behind, with which no later import
        works: nothing but a new kernel would help. So all that is slow to load is loaded on a thread of its
        own, while the thread that needs it waits and can be interrupted at any moment.
        """
        if self._loading is None:
            names = (*_EVALUATE, *(_SHOW if self._running.has_front_end else ()))
            loading = Thread(target=self._import, args=(names,), name="vcad libraries", daemon=True)
            self._loading = started(loading)
        while not self._loaded.wait(_LOOK):
            self._queue.checkpoint()

    def _import(self, names: tuple[str, ...]) -> None:
        try:
            for name in names:
                with suppress(ImportError):  # reported where it is needed
                    importlib.import_module(name)
        finally:
            self._loaded.set()

    def _stopper(self) -> Callable[[], object] | None:
        """What the Stop button of the calling thread's work does; None where nothing can stop it."""
        if self._queue.is_here:
            return self._queue.interrupt
        # an interrupt reaches no other thread
        return interrupt_main_thread if current_thread() is main_thread() else None

    @property
    def service(self) -> EvaluationService:
        """What evaluates, made by now. Raises: ServiceFailure for settings that make no sense."""
        with self._making:  # a check may come on another thread before the first cell
            if self._service is None:
                self._service = service_for(self._folder)
            return self._service

    def begun(self) -> EvaluationService:
        """What evaluates; waits for nothing. Raises: as `service`.

        It starts while this process loads what it needs itself, and anew where it was lost.
        """
        service = self.service
        begin = getattr(service, "begin", None)
        if begin is not None:
            begin()
        return service

    def folder_watcher(self) -> Watcher:
        """What watches a folder: the service, where there is one, else this process.

        Raises: ServiceFailure for settings that make no sense.
        """
        from vcad_kernel.service.folder_watcher import FolderWatcher

        made: Watcher = getattr(self.service, "folder_watcher", FolderWatcher)()
        return made

    @property
    def reached(self) -> HelloAnswer | None:
        """What a service in a process of its own says of itself that is connected now; from any thread."""
        ask = getattr(self._service, "reached", None)
        return None if ask is None else ask()

    @property
    def service_status(self) -> ServiceStatus:
        """How the service does; from any thread, without waiting."""
        if self._service is None:
            return "not_started"
        if not hasattr(self._service, "reached"):
            return "in_process"
        if self.reached is not None:
            self._was_reached = True
            return "running"
        return "lost" if self._was_reached else "not_started"

    def counts(self) -> ServiceCounts | None:
        """What that service has counted; None where there is none, or it does not answer. From any thread."""
        ask = getattr(self._service, "counts", None)
        return None if ask is None else ask()

    def definitions(self) -> Mapping[str, Definition]:
        """What the cells have defined, by name."""
        return {} if self._service is None else self._service.definitions()

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
