"""The service's front as a whole: it listens, has clients, and comes to an end in good order.

    server = Server(settings, artifacts, command, log, staging_base=folder)
    host, port = await server.start()
    clean = await server.close()

Everything is given to it; `lifetime.py` knows what is given in earnest.
"""

from __future__ import annotations

import asyncio
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from vcad_kernel.contracts.messages import ServiceLimits
from vcad_kernel.contracts.tools import ServiceCounts
from vcad_kernel.contracts.validation import prepare
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import ExportError
from vcad_kernel.rfc3339 import rfc3339
from vcad_kernel.service.front.connection.client import Client, ServerState
from vcad_kernel.service.front.connection.connection import Connection, LineTooLong, NotOurs
from vcad_kernel.service.front.connection.framing import PARSE_ERROR, failure
from vcad_kernel.service.front.connection.handshake import Handshake
from vcad_kernel.service.front.files.artifacts import ArtifactStore
from vcad_kernel.service.front.files.path_policy import policy_for
from vcad_kernel.service.front.files.private_folder import PrivateFolder
from vcad_kernel.service.front.jobs import failures
from vcad_kernel.service.front.jobs.evaluator import Evaluator
from vcad_kernel.service.front.jobs.job import Clock, Limits
from vcad_kernel.service.front.jobs.publishing import Publisher
from vcad_kernel.service.front.log import Logger
from vcad_kernel.service.front.worker.block_pool import BlockPool
from vcad_kernel.service.front.worker.process import WorkerCommand, WorkerProcess
from vcad_kernel.service.front.worker.supply import WorkerSupply
from vcad_kernel.settings import Settings

__all__ = ["FIRST_SCHEMAS", "Server"]

_FAREWELL: Final = 2.0
"""Seconds in which clients may take their last answers."""
_MOST: Final = 256
"""Connections at a time: each takes a file descriptor, of which a process has not many."""
_HELLO_WITHIN: Final = 10.0
"""Seconds in which a client says hello, with the token where there is one; who says nothing is let go."""


FIRST_SCHEMAS: Final = (
    "hello#params",
    "hello#result",
    "tools_call",
    "vcad.eval_cell#arguments",
    "vcad.eval_cell#result",
    "vcad.eval_code#arguments",
    "vcad.eval_code#result",
    "vcad.ask#arguments",
    "vcad.ask#result",
)
"""Schemas that a session needs at once; compiling them takes a while."""


class Server:
    """One service.

    artifacts: where pairs are published. staging_base: where files lie that clients fetch. workspace: outside
    of which no connection may work; None for any folder.
    """

    def __init__(
        self,
        settings: Settings,
        artifacts: ArtifactStore,
        command: WorkerCommand,
        log: Logger,
        *,
        staging_base: Path,
        workspace: Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._settings = settings
        self._artifacts = artifacts
        self._workspace = workspace
        self._command = command
        self._log = log
        self._clock = clock or Clock()
        self._started_at = rfc3339(self._clock.wall())
        self._staging_base = staging_base
        self._staging: PrivateFolder | None = None
        self._folder: PrivateFolder | None = None
        self._listener: asyncio.Server | None = None
        self._evaluator: Evaluator | None = None
        self._state: ServerState | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._clients: dict[asyncio.Task[None], tuple[Client, Connection]] = {}

    async def start(self) -> tuple[str, int]:
        """Listen, and have a worker started: the address.

        Raises: OSError when the address cannot be had, or there is no memory for the first folder.
        """
        settings = self._settings
        self._listener = await asyncio.start_server(
            self._connected,
            "127.0.0.1" if settings.host == "localhost" else settings.host,
            settings.port,
            limit=settings.line_max_bytes,
            start_serving=False,
        )
        folder = self._folder = PrivateFolder()
        blocks = BlockPool(folder.path)
        supply = WorkerSupply(
            lambda: WorkerProcess.start(self._command, folder.path, self._log),
            self._log,
            self._clock.monotonic,
        )
        limits = Limits(
            settings.max_queue,
            settings.eval_timeout_ms,
            settings.worker_memory_mb,
            settings.line_max_bytes,
            grace=self._command.grace_seconds,
            farewell=self._command.farewell_seconds,
        )
        publisher = Publisher(blocks, self._artifacts)
        self._evaluator = Evaluator(supply, blocks, publisher, limits, self._log, self._clock)
        self._state = ServerState(
            self._handshake(),
            self._evaluator,
            blocks,
            self._stage,
            self._log,
            settings.line_max_bytes,
            self._counts,
        )
        supply.prepare()
        # while the worker starts; a client that comes before that is done waits for it no longer than else
        self._preparing = asyncio.create_task(asyncio.to_thread(prepare, *FIRST_SCHEMAS))
        await self._listener.start_serving()
        host, port = self._listener.sockets[0].getsockname()[:2]
        self._log.event("service_started", host=host, port=port, swept=folder.swept)
        return str(host), int(port)

    def _handshake(self) -> Handshake:
        settings = self._settings
        return Handshake(
            token=settings.auth_token,
            limits=ServiceLimits(
                max_queue=settings.max_queue,
                eval_timeout_ms=settings.eval_timeout_ms,
                payload_inline_max=settings.line_max_bytes,
                line_max=settings.line_max_bytes,
            ),
            policy=lambda workspace: policy_for(workspace, self._workspace),
            version=_version(),
        )

    def _counts(self) -> ServiceCounts:
        """What has been counted since the start."""
        evaluator, artifacts = self._evaluator, self._artifacts
        assert evaluator is not None
        return ServiceCounts(
            started_at=self._started_at,
            queue_depth=evaluator.waiting,
            queue_rejected_total=evaluator.rejected,
            eval_timeout_total=evaluator.timed_out,
            superseded_dropped_total=evaluator.superseded,
            superseded_skipped_before_eval_total=evaluator.superseded,
            artifact_manifests_written_total=artifacts.written,
            artifact_manifests_retained_current=artifacts.retained,
            artifact_pair_incomplete_detected_total=artifacts.recovered.pairs,
            artifact_pair_recovery_total=artifacts.recovered.pairs,
        )

    def _stage(self, name: str) -> Path:
        """A folder for one client's files. Raises: ExportError."""
        try:
            if self._staging is None:
                self._staging_base.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._staging = PrivateFolder(self._staging_base)
            folder = self._staging.path / name
            folder.mkdir(mode=0o700)
        except OSError as failed:
            raise ExportError(
                f"the service cannot write to its folder for files: {failed.strerror or failed}",
                fix="set VCAD_TEMP_DIR to a folder that can be written",
                details={"reason": failed.strerror or str(failed)},
            ) from failed
        return folder

    # ---- clients ---------------------------------------------------------------------------

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._state is None or not self._has_room():
            writer.close()
            return
        connection = Connection(reader, writer, self._settings.line_max_bytes)
        client = Client(connection, self._state)
        task = asyncio.create_task(self._serve(client, connection), name="client")
        self._clients[task] = client, connection
        task.add_done_callback(self._left)
        asyncio.get_running_loop().call_later(_HELLO_WITHIN, self._expect_hello, task)

    def _expect_hello(self, task: asyncio.Task[None]) -> None:
        client, connection = self._clients.get(task, (None, None))
        if client is None or connection is None or client.has_session or client.is_leaving:
            return
        self._log.event("no_hello", level="warning", seconds=_HELLO_WITHIN)
        connection.abort()

    def _has_room(self) -> bool:
        """Whether one more may be connected; one that has not even said hello gives way."""
        if len(self._clients) < _MOST:
            return True
        self._log.event("connections_exhausted", level="warning", limit=_MOST)
        for client, _ in self._clients.values():
            if not (client.has_session or client.is_leaving):
                client.dismiss()
                return True
        return False

    async def _serve(self, client: Client, connection: Connection) -> None:
        try:
            while (line := await connection.line()) is not None:
                await client.take(line)
        except LineTooLong as long:
            refusal = failures.too_large(self._settings.line_max_bytes, long.size, "request")
            await connection.send(failure(None, envelope(refusal, "request"), PARSE_ERROR))
            await connection.turn_away()
        except NotOurs:
            self._log.event("http_refused", level="warning")
            connection.abort()
        finally:
            connection.finish()
            await client.leave()
            await connection.close()

    def _left(self, task: asyncio.Task[None]) -> None:
        self._clients.pop(task, None)
        if not task.cancelled() and (bug := task.exception()) is not None:
            self._log.failed("internal_error", bug)

    # ---- the end ---------------------------------------------------------------------------

    def hurry(self) -> None:
        """Give up what runs, too."""
        if self._evaluator is not None:
            self._evaluator.hurry()

    async def close(self) -> bool:
        """Listen no more, finish what runs, let everybody go; whether all has ended by itself."""
        if self._listener is not None:
            self._listener.close()
        for client, _ in list(self._clients.values()):
            if client.is_idle:
                client.dismiss()
        clean = True
        if self._evaluator is not None:
            clean = await self._evaluator.close()
        for client, _ in list(self._clients.values()):
            client.dismiss()
        if self._clients:
            _, slow = await asyncio.wait(set(self._clients), timeout=_FAREWELL)
            for task in slow:
                if task in self._clients:
                    self._clients[task][1].abort()
            if slow:
                await asyncio.wait(slow, timeout=_FAREWELL)
        if self._preparing is not None:
            await self._preparing
        if self._state is not None:
            self._state.blocks.close()
        await asyncio.to_thread(self._artifacts.close)
        for folder in (self._folder, self._staging):
            if folder is not None:
                folder.close()
        self._log.event("service_stopped", clean=clean)
        return clean


def _version() -> str:
    try:
        return version("vcad-workbench")
    except PackageNotFoundError:
        return "0"
