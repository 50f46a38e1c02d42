"""The evaluation service as ordinary code sees it: the same calls and results as in one's own process.

    service = ServiceClient.start(workspace)                      # its own service, at the first call
    service = ServiceClient.connect(host, port, token, workspace)
    result = service.evaluate(EvalCell("[cube 1 2 3]"))
    service.close()

Of the meshes of results the latest are kept, and others requested again when needed. When the
service is gone, the call that was under way fails, and the next one finds another and tells it what it must
know: nothing is lost but time. What is only about text (`check`, `definitions`) is answered here, at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from vcad_kernel.contracts.messages import CellNames, CellSource
from vcad_kernel.errors import VcadError
from vcad_kernel.service.client.async_client import AsyncServiceClient, Listener
from vcad_kernel.service.client.background_client import BackgroundClient
from vcad_kernel.service.client.cell_checker import CellChecker
from vcad_kernel.service.client.evaluation_call import Answered, CellOutcome, PrintedText, ask, evaluate
from vcad_kernel.service.client.failures import Address
from vcad_kernel.service.client.launcher import Launcher
from vcad_kernel.service.requests import EvalCell, EvalCode
from vcad_kernel.service.shorthand import Shorthand
from vcad_kernel.settings import Settings

if TYPE_CHECKING:
    from vcad_kernel.contracts.messages import HelloAnswer
    from vcad_kernel.contracts.tools import ServiceCounts
    from vcad_kernel.loon.diagnostics import Diagnostic
    from vcad_kernel.service.client.recent_meshes import RecentMeshes
    from vcad_kernel.service.client.remote_folder_watcher import RemoteFolderWatcher
    from vcad_kernel.service.progress import Progress
    from vcad_kernel.service.protocol import Definition, EvaluationResult, Output
    from vcad_kernel.service.wire.definitions_json import KnownDefinitions

__all__ = ["ServiceClient"]


class ServiceClient(Shorthand):
    """An `EvaluationService`; made by :meth:`start` or :meth:`connect`, and ended by :meth:`close`.

    background: the connection. workspace: where ``use`` looks before a cell has been evaluated.
    """

    def __init__(self, background: BackgroundClient, workspace: Path) -> None:
        self.background = background
        """For tools that are not about evaluation."""
        self._checker = CellChecker(workspace)
        self._definitions: Mapping[str, Definition] = MappingProxyType({})
        self._known: KnownDefinitions | None = None
        """The same as the service has sent it last, names that were taken back since included."""
        self._names = CellNames()
        self._recent: RecentMeshes | None = None
        """None until there is a mesh."""
        self._fetching = Lock()
        """The service writes files for this client into one folder."""

    @classmethod
    def start(
        cls,
        workspace: Path,
        *,
        settings: Settings | None = None,
        environment: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
        agent: str = "python",
    ) -> ServiceClient:
        """A client of a service of its own, which the first call starts, and which ends with it.

        settings: how long to wait, and what to start; by default those in force. environment, arguments: for
        the service. agent: what the client works for, for the service's log.
        Raises: SettingError.
        """
        chosen = Settings.load() if settings is None else settings
        workspace = workspace.absolute()
        launcher = Launcher(
            workspace,
            environment=environment,
            command=None if chosen.service_path is None else [str(chosen.service_path)],
            arguments=arguments,
        )
        return cls(_background(launcher, workspace, chosen, agent), workspace)

    @classmethod
    def connect(
        cls,
        host: str,
        port: int,
        token: str | None,
        workspace: Path,
        *,
        settings: Settings | None = None,
        agent: str = "python",
    ) -> ServiceClient:
        """A client of a service that is running already. Raises: SettingError."""
        chosen = Settings.load() if settings is None else settings
        workspace = workspace.absolute()
        return cls(_background(Address(host, port, token), workspace, chosen, agent), workspace)

    # ---- evaluating ------------------------------------------------------------------------

    def evaluate(
        self,
        request: EvalCell | EvalCode,
        *,
        output: Output | None = None,
        progress: Progress | None = None,
    ) -> EvaluationResult:
        """See :meth:`EvaluationService.evaluate`."""
        request = _plain(request)
        printed, known = PrintedText(output), self._known
        asked = known.asked if isinstance(request, EvalCell) and known is not None else {}
        try:
            evaluated = self.background.do(
                partial(evaluate, request, asked, self.background.release),
                output=printed.piece,
                progress=None if progress is None else partial(_report, progress),
            )
        except VcadError as error:
            left = CellOutcome.taken_from(error, known)
            printed.whole(left.stdout)
            if left.ran and isinstance(request, EvalCell):
                self._learn(request, left)
            raise
        printed.whole(evaluated.fields["stdout"])
        if isinstance(request, EvalCell):
            self._learn(request, CellOutcome.of_result(evaluated.fields, known))
        return self._result(evaluated, request)

    def _learn(self, request: EvalCell, left: CellOutcome) -> None:
        """What is known of the cells, now that one has been evaluated."""
        assert left.known is not None
        self._known, self._names = left.known, left.names
        self._definitions = left.known.definitions
        self._checker.evaluated(
            request.prelude,
            request.cell,
            left.defined,
            given={
                name: definition.type
                for name, definition in self._definitions.items()
                if definition.given and definition.cell_id == request.cell_id
            },
            obsolete=left.obsolete,
            folder=request.base_dir,
        )

    def _result(self, evaluated: Answered, request: EvalCell | EvalCode) -> EvaluationResult:
        """A result with its meshes and whom to ask about them."""
        from vcad_kernel.paths import Workspace
        from vcad_kernel.service.client.recent_meshes import RecentMeshes, ResultMeshes
        from vcad_kernel.service.client.remote_answers import RemoteAnswers
        from vcad_kernel.service.wire import result_json

        fields, base_dir = evaluated.fields, request.base_dir
        answers = RemoteAnswers(
            self._ask,
            self._fetching,
            str(fields["document_hash"]),
            fields.get("document") or {},
            base_dir,
            fields.get("profile") or (),
        )
        if self._recent is None:
            self._recent = RecentMeshes()
        parts = fields["parts"]
        meshes = ResultMeshes(
            self._recent,
            parts,
            evaluated.mesh,
            partial(
                answers.meshes,
                [int(part["node"]) for part in parts],
                parts[0].get("tolerance") if parts else None,
            ),
        )
        return result_json.decode(
            fields,
            [partial(meshes.mesh, index) for index in range(len(parts))],
            answers,
            sources=_texts(request) if fields.get("diagnostics") else {},
            files=None if base_dir is None else Workspace(base_dir),
        )

    def _ask(self, arguments: Mapping[str, Any]) -> Answered:
        return self.background.do(partial(ask, arguments, self.background.release))

    # ---- what needs no evaluation ----------------------------------------------------------

    def check(
        self,
        code: str,
        *,
        cell_id: str = "",
        name: str = "",
        bindings: Mapping[str, Any] | None = None,
    ) -> tuple[Diagnostic, ...]:
        """See :meth:`EvaluationService.check`."""
        return self._checker.check(CellSource(cell_id, code, name, dict(bindings or {})))

    def definitions(self) -> Mapping[str, Definition]:
        """See :meth:`EvaluationService.definitions`."""
        return self._definitions

    def names_of_last(self) -> CellNames:
        """See :meth:`EvaluationService.names_of_last`."""
        return self._names

    def take_back(self, names: Collection[str]) -> None:
        """See :meth:`EvaluationService.take_back`."""
        self._definitions = {
            name: definition for name, definition in self._definitions.items() if name not in names
        }
        self._checker.taken_back(names)

    def tool(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The result of any tool of the service, as it came; a mesh block in it is the caller's to give back.

        Raises: what the service answers; ServiceFailure of CONNECTION_FAILED or CONNECTION_TIMEOUT.
        """
        return self.background.do(
            lambda client, request_id, _: client.tool(name, arguments, request_id=request_id)
        )

    def folder_watcher(self) -> RemoteFolderWatcher:
        """What watches a folder of the service's workspace; it does nothing before it is started."""
        from vcad_kernel.service.client.remote_folder_watcher import RemoteFolderWatcher

        return RemoteFolderWatcher(self.background)

    def ping(self) -> None:
        """Ask whether the service is there; starts it where it is not. Raises: ServiceFailure."""
        self.background.do(lambda client, _request, _listener: client.ping())

    def reached(self) -> HelloAnswer | None:
        """What the service says of itself that is connected now; None without one. Waits for nothing."""
        return self.background.reached()

    def counts(self, seconds: float = 1.0) -> ServiceCounts | None:
        """What the service has counted; None where none is connected, or it does not say within a time.

        From any thread; no service is started for it.
        """
        from vcad_kernel.contracts.tools import ServiceCounts
        from vcad_kernel.service.wire import values

        if self.reached() is None:
            return None

        async def asked(client: AsyncServiceClient, request_id: str, _listener: Listener) -> Any:
            async with asyncio.timeout(seconds):
                return await client.tool("vcad.metrics", {}, request_id=request_id)

        try:
            return values.decode(self.background.do(asked), ServiceCounts, "vcad.metrics")
        except (TimeoutError, VcadError):  # it is busy ending, or older than this
            return None

    def begin(self) -> None:
        """Start or reach the service without waiting for it, so that the first call need not."""
        self.background.begin()

    # ---- the end ---------------------------------------------------------------------------

    def interrupt(self, thread: int) -> None:
        """See :meth:`EvaluationService.interrupt`."""
        self.background.interrupt(thread)

    def close(self) -> None:
        """End the connection, and the service if it is one's own. The latest meshes stay."""
        self.background.close()

    def __enter__(self) -> ServiceClient:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self.close()


def _background(
    service: Address | Launcher, workspace: Path, settings: Settings, agent: str
) -> BackgroundClient:
    return BackgroundClient(
        lambda: AsyncServiceClient(
            service,
            workspace,
            agent=agent,
            seconds=settings.timeout_seconds,
            line_max=settings.line_max_bytes,
        )
    )


def _plain(request: EvalCell | EvalCode) -> EvalCell | EvalCode:
    """A request with copies of its values, so that a history tells what they are now.

    Raises: LoonTypeError for a value that is no plain data; ValueError for no tolerance.
    """
    from vcad_kernel.geometry.tolerance import Tessellation
    from vcad_kernel.service.evaluation.bindings import to_plain

    if request.tolerance is not None:
        Tessellation(chord=request.tolerance)
    if not request.bindings and not request.parameters:
        return request
    given = {name: to_plain(value, name) for name, value in (request.bindings or {}).items()}
    values = {name: to_plain(value, name) for name, value in (request.parameters or {}).items()}
    return replace(request, bindings=given, parameters=values)


def _texts(request: EvalCell | EvalCode) -> dict[str, str]:
    """The texts that findings may stand in, by what errors call them."""
    if isinstance(request, EvalCode):
        return {request.file: request.code}
    return {
        entry.title: entry.source
        for entry in (*request.prelude, request.cell)
        if isinstance(entry, CellSource)
    }


def _report(progress: Progress, said: Mapping[str, Any]) -> None:
    progress(str(said.get("phase")), int(said.get("done") or 0), int(said.get("total") or 0))
