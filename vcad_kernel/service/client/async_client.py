"""The client of a service, for asyncio: calls that find a connection, or make one.

    client = AsyncServiceClient(Launcher(workspace), workspace)
    result = await client.tool("vcad.eval_code", {"code": "[cube 1 2 3]"})
    await client.close()

The first call connects; one after the connection has ended connects again, to a new service where the
old one is gone. A call that was under way when the connection ended fails: whether it had been carried
out is not known. Results are the plain data of the wire.
"""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from vcad_kernel.contracts.messages import PROTOCOL, Hello, HelloAnswer, ToolCall, named_block
from vcad_kernel.contracts.tools import TOOLS
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError
from vcad_kernel.service.client.connection import Connection
from vcad_kernel.service.client.failures import Address, NeverTakenUp, connection_failed
from vcad_kernel.service.client.launcher import Launcher, RunningService
from vcad_kernel.service.wire import values

__all__ = ["WANTED", "AsyncServiceClient", "Backoff", "Linked", "Listener", "hello", "understood"]


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses that double: 0.05 s, 0.1 s, … up to a longest one."""

    first: float = 0.05
    """Seconds."""
    longest: float = 2.0
    """Seconds."""
    tries: int = 5

    def pauses(self) -> Iterator[float | None]:
        """For each try, the pause after it should it fail; None after the last."""
        pause = self.first
        for _ in range(self.tries - 1):
            yield min(pause, self.longest)
            pause *= 2
        yield None


_GRACE: Final = 5.0
"""Seconds beyond the limit of an evaluation in which the service must have answered it."""

_NOT_OURS: Final = "start it with `vcad service`, or unset VCAD_PORT to have one of your own"
"""What to do where a service that is not ours is not there."""

_GONE: Final = frozenset({ErrorCode.CONNECTION_FAILED, ErrorCode.CONNECTION_TIMEOUT})


@dataclass(frozen=True, slots=True)
class Listener:
    """Who hears of a call while it is carried out; called on the event loop."""

    output: Callable[[int, str], object] | None = None
    """Takes where a piece of printed text begins, in characters, and the piece."""
    progress: Callable[[Mapping[str, Any]], object] | None = None
    """Takes the parameters of a ``vcad.progress``."""


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """A connection on which hello has been said."""

    connection: Connection
    service: HelloAnswer
    sent: set[str]
    """Hashes of the texts that were sent over it: they need not be sent to the service again."""


class AsyncServiceClient:
    """Belongs to one event loop.

    service: where one listens, or how to start one's own. workspace: the folder whose files are used.
    seconds: how long to wait for what is answered at once. line_max: bytes of a line that is read.
    pause: waits for some seconds; tests have a quicker one.
    """

    def __init__(
        self,
        service: Address | Launcher,
        workspace: Path,
        *,
        agent: str = "python",
        seconds: float = 30.0,
        line_max: int = 2**24,
        backoff: Backoff | None = None,
        pause: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        self._service = service
        self._workspace = workspace
        self._agent = agent
        self.seconds = seconds
        """How long to wait for what is answered at once; for the next call."""
        self._line_max = line_max
        self._backoff = backoff or Backoff()
        self._pause = pause
        self._running: RunningService | None = None
        self._linked: Linked | None = None
        self._linking: asyncio.Task[Linked] | None = None
        self._listeners: dict[str, Listener] = {}
        self._numbers = itertools.count(1)
        self._closed = False

    # ---- calls -------------------------------------------------------------------------------

    async def linked(self) -> Linked:
        """The connection, made where there is none.

        Raises: ServiceFailure of CONNECTION_FAILED or CONNECTION_TIMEOUT when no service can be reached;
        what the service answers to `hello`.
        """
        if self._closed:
            raise self.unreachable("the client has been closed", closed=True)
        # asked anew each time: one that was killed a moment ago would take the call and never answer
        if self._linked is not None and self._linked.connection.lives():
            return self._linked
        if self._linking is None:
            self._linking = asyncio.ensure_future(self._link())
            self._linking.add_done_callback(self._linking_ended)
        # a caller that stops waiting does not stop it for the others
        return await asyncio.shield(self._linking)

    @property
    def is_linked(self) -> bool:
        """Whether there is a connection, as far as that has been noticed; from any thread."""
        return self._linked is not None and self._linked.connection.lost is None

    def is_on(self, linked: Linked) -> bool:
        """Whether this is still the connection that calls go over; connects to nothing."""
        return self._linked is linked and linked.connection.lives()

    async def ping(self) -> None:
        """Ask whether the service is there."""
        linked = await self.linked()
        async with self._dropped_when_late(linked):
            await linked.connection.call("ping", {}, seconds=self.seconds)

    async def tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        request_id: str | None = None,
        listener: Listener | None = None,
        node_id: str | None = None,
        revision: int | None = None,
        linked: Linked | None = None,
    ) -> Any:
        """The result of a tool, as it came.

        request_id: by which it can be cancelled; by default one of its own. node_id: the node that it is
        for, whose older calls it supersedes while they wait; revision: which state of that. linked: as
        `linked` has just given it.
        Stopping to wait for it cancels it.
        Raises: what the service answers; ServiceFailure of CONNECTION_FAILED or CONNECTION_TIMEOUT; of the
        first NeverTakenUp, where a service that had been there before has not said a word since.
        """
        before = self._linked
        linked = linked or await self.linked()
        lines = linked.connection.lines
        request_id = request_id or self.new_request_id()
        params = ToolCall(name, arguments, request_id, node_id, revision).params()
        if listener is not None:
            self._listeners[request_id] = listener
        seconds = self._patience(linked, name, arguments)
        try:
            async with self._dropped_when_late(linked):
                return await linked.connection.call("tools/call", params, seconds=seconds, operation=name)
        except asyncio.CancelledError:
            if not _is_quick(name):
                linked.connection.notify(
                    "tools/call", {"name": "vcad.cancel", "arguments": {"request_id": request_id}}
                )
            raise
        except VcadError as error:
            connection = linked.connection
            # a service says of each call at once that it is in the queue, before anything is done for it
            if connection.lost is not None and connection.lines == lines and linked is before:
                raise NeverTakenUp.of(error) from None
            raise
        finally:
            self._listeners.pop(request_id, None)

    async def cancel(self, request_id: str) -> bool:
        """Stop what a call is doing; whether there was something to stop."""
        if self._linked is None or self._linked.connection.lost is not None:
            return False
        answer = await self.tool("vcad.cancel", {"request_id": request_id})
        return isinstance(answer, dict) and bool(answer.get("cancelled"))

    @staticmethod
    def release(connection: Connection, block: str) -> None:
        """Give back a mesh block that came over a connection; the service has all of an ended one's."""
        connection.notify("tools/call", {"name": "vcad.release", "arguments": {"block": block}})

    def new_request_id(self) -> str:
        """A name for a call that no other has."""
        return f"{os.getpid()}-{id(self):x}-{next(self._numbers)}"

    def _patience(self, linked: Linked, tool: str, arguments: Mapping[str, Any]) -> float | None:
        if _is_quick(tool):
            return self.seconds + float(arguments.get("wait_ms") or 0) / 1000
        limit = linked.service.limits.eval_timeout_ms
        return limit / 1000 + _GRACE if limit else None

    @asynccontextmanager
    async def _dropped_when_late(self, linked: Linked) -> AsyncIterator[None]:
        """During a call: what does not answer it in time is no use to the next one either."""
        try:
            yield
        except VcadError as error:
            if error.error_code == ErrorCode.CONNECTION_TIMEOUT:
                await self._drop(linked)
            raise

    # ---- the connection ----------------------------------------------------------------------

    def _linking_ended(self, task: asyncio.Task[Linked]) -> None:
        self._linking = None
        if not task.cancelled():
            task.exception()  # no caller may be left to take it

    async def _link(self) -> Linked:
        """Connect, with pauses between the tries."""
        for pause in self._backoff.pauses():
            try:
                self._linked = await self._try_once()
            except VcadError as error:
                if error.error_code not in _GONE or pause is None:
                    if error.error_code in _GONE and isinstance(self._service, Address):
                        error.fix = _NOT_OURS
                    raise
            else:
                return self._linked
            await self._pause(pause)
        raise self.unreachable("it was not looked for")  # no tries at all

    async def _try_once(self) -> Linked:
        address = await self._address()
        connection: Connection | None = None
        try:
            connection = await Connection.open(
                address,
                limit=self._line_max,
                seconds=self.seconds,
                on_notification=self._on_notification,
                unwanted=self._given_back,
            )
            said = hello(self._workspace, address.token, agent=self._agent)
            service = understood(await connection.call("hello", said.params(), seconds=self.seconds))
        except BaseException:
            if connection is not None:
                await connection.close()
            await self._stop_own()
            raise
        connection.line_max = service.limits.line_max
        return Linked(connection, service, set())

    async def _address(self) -> Address:
        if isinstance(self._service, Address):
            return self._service
        if self._running is not None and self._running.has_ended:
            await self._stop_own()
        if self._running is None:
            self._running = await self._service.start()
        return self._running.address

    async def _stop_own(self) -> None:
        """End the service that was started here, if one was."""
        running, self._running = self._running, None
        if running is not None:
            await running.stop()

    async def _drop(self, linked: Linked) -> None:
        """Have nothing more to do with a service that has stopped answering."""
        await linked.connection.close("it has stopped answering")
        if self._linked is linked:
            self._linked = None
            await self._stop_own()

    def _on_notification(self, method: str, params: Mapping[str, Any]) -> None:
        """A notification, for the caller of the request that it names."""
        listener = self._listeners.get(str(params.get("request_id")))
        if listener is None:
            return
        if method == "vcad.output" and listener.output is not None:
            offset, text = params.get("offset"), params.get("text")
            if isinstance(offset, int) and isinstance(text, str):
                listener.output(offset, text)
        elif method == "vcad.progress" and listener.progress is not None:
            listener.progress(params)

    def _given_back(self, connection: Connection, result: Any) -> None:
        """A result that no caller waits for: the meshes or arrays with it are not wanted either."""
        named = named_block(result)
        if named is not None:
            self.release(connection, str(named[1].get("block")))

    def unreachable(self, reason: str, *, closed: bool = False) -> VcadError:
        """The failure of calls to a service that cannot be reached. closed: and never again."""
        where = self._service if isinstance(self._service, Address) else Address("127.0.0.1", 0)
        if closed:
            fix = (
                "evaluate it once more in a session that is open; the latest meshes, and the figures found so"
                " far, stay"
            )
            return connection_failed(where.host, where.port, "connect", reason, fix=fix)
        return connection_failed(where.host, where.port, "connect", reason)

    # ---- the end -----------------------------------------------------------------------------

    async def close(self) -> None:
        """End the connection, and the service if it is one's own."""
        self._closed = True
        if self._linking is not None:
            self._linking.cancel()
            with suppress(asyncio.CancelledError, VcadError):
                await self._linking
        if self._linked is not None:
            await self._linked.connection.close("the client has been closed")
            self._linked = None
        await self._stop_own()

    def abandon(self) -> None:
        """Let go of everything without a word; for a forked child, whose parent goes on using it."""
        if self._linked is not None:
            self._linked.connection.abandon()
        if self._running is not None:
            self._running.abandon()

    @property
    def reached(self) -> HelloAnswer | None:
        """What the service says of itself that is connected now; from any thread."""
        linked = self._linked
        return linked.service if linked is not None and linked.connection.lives() else None

    @property
    def own_pid(self) -> int | None:
        """The process of the service that was started here; None where there is none."""
        return None if self._running is None else self._running.pid


def _is_quick(tool: str) -> bool:
    """Whether the front answers a tool itself, whatever is being evaluated."""
    return tool in TOOLS and TOOLS[tool].runs != "worker"


WANTED: Final = ("eval", "cancel", "mesh.shm", "output", "progress")
"""What a service must be able to do to be of use here."""


def hello(workspace: Path, token: str | None, *, agent: str) -> Hello:
    """What is said. agent: what the client works for, as `notebook`."""
    return Hello(
        name="vcad-client",
        version=_version(),
        agent=agent,
        pid=os.getpid(),
        workspace=str(workspace),
        token=token,
        requested_capabilities=WANTED,
    )


@cache
def _version() -> str:
    return version("vcad-workbench")


def understood(answer: Any) -> HelloAnswer:
    """What a service says of itself.

    Raises: ServiceFailure of PROTOCOL_MISMATCH, or of SCHEMA_VALIDATION_FAILED for what says nothing.
    """
    spoken = answer.get("protocol_version") if isinstance(answer, dict) else None
    if spoken != PROTOCOL:
        raise ServiceFailure(
            ErrorCode.PROTOCOL_MISMATCH,
            f"the service speaks version {spoken} of the protocol, this client {PROTOCOL}",
            fix="use a service and a client of one version",
            details={"expected_protocol": PROTOCOL, "actual_protocol": spoken, "operation": "hello"},
        )
    return values.decode(answer, HelloAnswer, "hello")
