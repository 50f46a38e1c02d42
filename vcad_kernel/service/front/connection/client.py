"""What one client asks and is answered: the methods, and the tools that need no worker.

    client = Client(connection, state)
    await client.take(line)          # for each line, in order
    await client.leave()

Fast methods are answered before the next line is looked at; evaluations are promised and answered when
they are done. A client's calls, blocks, watcher and files end with its connection.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import uuid
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from msgspec.structs import asdict

from vcad_kernel.contracts.messages import ToolCall, named_block
from vcad_kernel.contracts.tools import TOOLS, ServiceCounts, Tool
from vcad_kernel.contracts.validation import validate
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.error_envelope import envelope, internal_error
from vcad_kernel.errors import ServiceFailure, VcadError
from vcad_kernel.service.folder_watcher import FolderWatcher
from vcad_kernel.service.front.connection.connection import Connection, Notifier
from vcad_kernel.service.front.connection.framing import Call, RpcFault, answer, failure, parse
from vcad_kernel.service.front.connection.handshake import ClientSession, Handshake, auth_required
from vcad_kernel.service.front.connection.tools import Asker, Repl, find_tool, listed, task_of
from vcad_kernel.service.front.jobs import failures
from vcad_kernel.service.front.jobs.evaluator import Evaluator
from vcad_kernel.service.front.jobs.failures import Refused
from vcad_kernel.service.front.jobs.job import Answer, Dropped, Job, Task
from vcad_kernel.service.front.log import Logger
from vcad_kernel.service.front.worker.block_pool import BlockPool

__all__ = ["Client", "ServerState"]


# ---- what the nodes of a workspace were built from, and so which of them a file affects ------


class ModuleIndex:
    """The files of one workspace's nodes, by absolute path.

    What an evaluation really loaded, as its result says; nothing is guessed from texts.
    """

    def __init__(self) -> None:
        self._files: dict[str, tuple[str, ...]] = {}

    def note(self, node_id: str, files: Sequence[str]) -> None:
        """A node has been built from exactly these."""
        self._files[node_id] = tuple(dict.fromkeys(files))

    def files(self, node_id: str) -> Sequence[str]:
        """What a node was built from; nothing for one that is not known."""
        return self._files.get(node_id, ())

    def affected(self, path: str) -> Sequence[str]:
        """The nodes that a file affects, in the order in which they were first built."""
        return [node for node, files in self._files.items() if path in files]

    def forget(self, node_id: str | None) -> None:
        """Drop what is known of a node, or of all."""
        if node_id is None:
            self._files.clear()
        else:
            self._files.pop(node_id, None)


# ---- one client: its methods, and the tools that need no worker -------------------------------

_LONGEST_POLL: Final = 30.0
"""Seconds that a poll may wait for a change."""


@dataclass(frozen=True, slots=True)
class ServerState:
    """What all connections of a service share."""

    handshake: Handshake
    evaluator: Evaluator
    blocks: BlockPool
    staging: Callable[[str], Path]
    """Makes a folder of this name in which a client finds the files that it asks for. Raises: VcadError."""
    log: Logger
    line_max: int
    counts: Callable[[], ServiceCounts]
    watcher: Callable[[], FolderWatcher] = FolderWatcher
    modules: dict[Path, ModuleIndex] = field(default_factory=lambda: defaultdict(ModuleIndex))
    """By workspace."""


class Client:
    """One connection's part of the service."""

    def __init__(self, connection: Connection, state: ServerState) -> None:
        self._connection = connection
        self._state = state
        self._key = uuid.uuid4().hex
        self._session: ClientSession | None = None
        self._repl: Repl | None = None
        self._watcher: FolderWatcher | None = None
        self._polls: ThreadPoolExecutor | None = None
        self._staging: Path | None = None
        self._promised: set[asyncio.Task[None]] = set()
        self.is_leaving = False
        """Whether the connection is closed as soon as nothing is promised any more."""

    @property
    def has_session(self) -> bool:
        """Whether it has said hello."""
        return self._session is not None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is promised."""
        return not self._promised

    # ---- lines -----------------------------------------------------------------------------

    async def take(self, line: bytes) -> None:
        """Do what a line asks."""
        try:
            call = parse(line)
        except RpcFault as fault:
            if not fault.silent:
                await self._connection.send(failure(fault.rpc_id, fault.envelope()))
            return
        operation = call.method
        try:
            if call.method == "tools/call":
                self._require_session(call.method)
                validate("tools_call", call.params, operation="tools/call")
                operation = str(call.params["name"])
                await self._tools_call(call, ToolCall.of(call.params))
            else:
                await self._reply(call, self._method(call))
        except Dropped:
            self.dismiss()
        except Exception as error:  # noqa: BLE001 - our own mistake is one answer, not the end of the connection
            await self._refuse(call, error, operation)

    def _method(self, call: Call) -> Mapping[str, Any]:
        if call.method == "hello":
            return self._hello(call.params)
        self._require_session(call.method)
        if call.method == "ping":
            return {}
        if call.method == "resources/list":
            return {"resources": []}
        if call.method == "tools/list":
            return {"tools": [listed(tool) for tool in TOOLS.values()]}
        raise ServiceFailure(
            ErrorCode.METHOD_NOT_FOUND,
            f"there is no method {call.method[:80]!r}",
            details={"operation": call.method[:80], "path": "$.method", "expected": "a method's name"},
        )

    def _hello(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._session is not None:
            raise ServiceFailure(
                ErrorCode.INVALID_REQUEST, "hello has been said already", details={"operation": "hello"}
            )
        self._session = self._state.handshake.hello(params, is_local=self._connection.is_local)
        validate("hello#result", self._session.answer, operation="hello")
        client = self._session.client
        self._state.log.event(
            "client_greeted", client=client.name, agent=client.agent, pid=client.pid, connection=self._key
        )
        return self._session.answer

    def _require_session(self, operation: str) -> ClientSession:
        """The greeting; a client can do nothing without. Raises: ServiceFailure, AUTH_REQUIRED."""
        if self._session is None:
            raise auth_required(operation)
        return self._session

    # ---- tools -----------------------------------------------------------------------------

    async def _tools_call(self, call: Call, asked: ToolCall) -> None:
        tool = find_tool(asked.name)
        validate(f"{tool.name}#arguments", asked.arguments, operation=tool.name)
        work: Awaitable[Answer]
        if tool.runs == "worker":
            # into the queue before the next line is looked at: what a client sends first comes first
            work = self._submitted(tool, asked).answer
        elif tool.runs == "watcher":
            # starting to watch reads a whole folder, and a poll may wait
            work = self._watch(tool.name, asked.arguments)
        else:
            await self._reply(call, self._quick(tool.name, asked.arguments), tool.name)
            return
        task = asyncio.create_task(self._answered(call, tool.name, work))
        self._promised.add(task)
        task.add_done_callback(self._kept)

    def _quick(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        if name == "vcad.cancel":
            return {"cancelled": self._cancel(arguments["request_id"])}
        if name == "vcad.metrics":
            return asdict(self._state.counts())
        if name == "vcad.release":
            return {"released": self._state.blocks.release(arguments["block"], self._key)}
        return self._modules(arguments)

    def _cancel(self, request_id: str) -> bool:
        """Stop a call of this connection's; else of another's of the same workspace."""
        root = self._require_session("vcad.cancel").policy.root
        evaluator = self._state.evaluator
        mine = evaluator.cancel(lambda job: job.task.request_id == request_id and job.task.owner == self._key)
        if mine:
            return True
        return (
            evaluator.cancel(lambda job: job.task.request_id == request_id and job.task.workspace == root) > 0
        )

    def _modules(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        policy = self._require_session("vcad.modules").policy
        index = self._state.modules[policy.root]
        if isinstance(node := arguments.get("node_id"), str):
            return {"modules": list(index.files(node))}
        path = policy.check(str(arguments.get("path") or ""))
        return {"nodes": list(index.affected(str(path)))}

    async def _watch(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        policy = self._require_session(name).policy
        if self._watcher is None:
            self._watcher = self._state.watcher()
        if name == "vcad.watch_start":
            await asyncio.to_thread(self._watcher.start, policy.check(arguments["dir"]))
            return {}
        if name == "vcad.watch_stop":
            await asyncio.to_thread(self._watcher.stop)
            return {}
        # as a number of ours first: a client may send a larger one than can be divided
        wait = min(arguments.get("wait_ms") or 0, _LONGEST_POLL * 1000) / 1000
        if self._polls is None:
            # a thread of its own: polls that wait must not take those of artifacts, nor other clients'
            self._polls = ThreadPoolExecutor(1, thread_name_prefix="poll")
        changes = await asyncio.get_running_loop().run_in_executor(self._polls, self._watcher.poll, wait)
        return {"changes": changes}

    # ---- evaluations -----------------------------------------------------------------------

    def _submitted(self, tool: Tool, asked: ToolCall) -> Job:
        """Put a call into the queue.

        Raises: VcadError; Dropped when the service is ending.
        """
        session, state = self._require_session(tool.name), self._state
        if self._repl is None:
            self._repl = Repl(session.policy.root)
        asker = Asker(
            session.policy,
            self._repl,
            mesh_shm="mesh.shm" in session.negotiated,
            staging=self._staged() if tool.stages else None,
            key=self._key,
        )
        task = task_of(tool, asked, asker)

        def ended(outcome: Answer | Exception) -> None:
            if not isinstance(outcome, Exception):
                if task.node_id is not None and "modules" in outcome:
                    base = session.policy.check(str(asked.arguments.get("base_dir") or "."))
                    index = state.modules[session.policy.root]
                    index.note(task.node_id, _built_from(task, base, outcome["modules"]))
                if tool.name == "vcad.cache_invalidate":
                    state.evaluator.forget_crashes()
                    state.modules[session.policy.root].forget(asked.arguments.get("node_id"))
            if task.ended is not None:
                task.ended(outcome)

        notifier = None
        if asked.request_id is not None:
            notifier = Notifier(
                self._connection,
                asked.request_id,
                progress="progress" in session.negotiated,
                output="output" in session.negotiated,
            )
        request_id = asked.request_id or uuid.uuid4().hex
        return state.evaluator.submit(replace(task, request_id=request_id, ended=ended), notifier)

    def _take_back(self, result: Answer) -> None:
        """The client does not get this result after all, nor hear of its block."""
        named = named_block(result)
        if named is not None and isinstance(named[1].get("block"), str):
            self._state.blocks.release(named[1]["block"], self._key)

    def _staged(self) -> Path:
        """The folder for files that this client fetches; made when first needed."""
        if self._staging is None:
            self._staging = self._state.staging(self._key)
        return self._staging

    # ---- answers ---------------------------------------------------------------------------

    def _kept(self, task: asyncio.Task[None]) -> None:
        self._promised.discard(task)
        if not task.cancelled() and (bug := task.exception()) is not None:
            self._state.log.failed("internal_error", bug)
        if self.is_leaving and not self._promised:
            self._connection.finish()

    async def _answered(self, call: Call, operation: str, work: Awaitable[Answer]) -> None:
        """Answer a call with what comes of some work."""
        try:
            await self._reply(call, await work, operation)
        except Dropped:
            self.dismiss()
        except Exception as error:  # noqa: BLE001 - our own mistake is one answer, not the end of the connection
            await self._refuse(call, error, operation)

    async def _reply(self, call: Call, result: Answer, tool: str = "") -> None:
        """Answer a call. tool: the one whose result it is, if any. Raises: VcadError."""
        try:
            if tool and result.get("status") != "superseded":
                validate(f"{tool}#result", result, operation=tool)
            line = answer(call.rpc_id, result)
            if len(line) > self._state.line_max:
                raise failures.too_large(self._state.line_max, len(line), tool or call.method)
        except VcadError:
            self._take_back(result)
            raise
        if not call.is_notification:
            await self._connection.send(line)

    async def _refuse(self, call: Call, error: Exception, operation: str) -> None:
        """Answer a call with a failure."""
        if isinstance(error, Refused):
            refusal = error.envelope
        elif isinstance(error, VcadError):
            refusal = envelope(error, operation)
        else:
            refusal = internal_error(error, operation)
        if not call.is_notification:
            await self._connection.send(failure(call.rpc_id, refusal))

    # ---- the end ---------------------------------------------------------------------------

    def dismiss(self) -> None:
        """The service ends: close the connection once all that is promised is answered."""
        self.is_leaving = True
        if not self._promised:
            self._connection.finish()

    async def _stop_watching(self) -> None:
        if self._watcher is not None:
            await asyncio.to_thread(self._watcher.stop)

    async def leave(self) -> None:
        """The connection is gone: so is all that was done for it."""
        state = self._state
        state.evaluator.cancel(lambda job: job.task.owner == self._key)
        await self._stop_watching()
        if self._promised:
            await asyncio.wait(self._promised)
            # one of them may just have begun
            await self._stop_watching()
        if self._polls is not None:
            self._polls.shutdown(wait=False)
        # not before: a result may have been on its way
        state.blocks.disconnected(self._key)
        if self._staging is not None:
            await asyncio.to_thread(shutil.rmtree, self._staging, ignore_errors=True)


def _built_from(task: Task, base: Path, modules: Sequence[str]) -> list[str]:
    """The real paths of a node's own file and of the modules of its result, which are named from a folder."""
    files = [os.path.realpath(base / name) for name in modules]
    return [task.script_path, *files] if task.script_path else files
