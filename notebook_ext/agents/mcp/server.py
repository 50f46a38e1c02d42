"""The MCP servers of one session: one for each set of packs that a client asked for, from one registry.

    app = asgi(world)                 # what /mcp serves; /mcp?packs=project,files shows more tools
    async with app.running(): ...     # as long as the gateway listens

A server forwards nothing by itself: each call is `AgentWorld.call` on a thread of its own, with its
progress, and its end when the client gives up. A failure is an answer with ``is_error``, never an error of
the protocol.
"""

from __future__ import annotations

import base64
import json
import logging
import threading
import time
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    GetPromptResult,
    ImageContent,
    InputRequiredResult,
    PromptReference,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool
from pydantic import BaseModel

from notebook_ext.agents import registry
from notebook_ext.agents.calls.call import Tool
from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.calls.outcomes import Outcome, failure
from notebook_ext.agents.calls.ways_out import with_tools
from notebook_ext.agents.mcp.changes import ChangeNotifier
from notebook_ext.agents.mcp.completions import completed
from notebook_ext.agents.mcp.instructions import INSTRUCTIONS, NAME, add_prompts
from notebook_ext.agents.mcp.resources import add_resources, reading_for
from notebook_ext.agents.mcp.schemas import input_schema, output_schema
from notebook_ext.approval.policy import KEY_HEADER
from notebook_ext.version import version
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError
from vcad_kernel.request_id import current_request, new_request_id, request

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from notebook_ext.agents.world import AgentWorld

__all__ = ["AgentServer", "asgi", "listed_tools"]

# what the SDK has to say is for those who set up logging; Python would print it into the person's cell
logging.getLogger("mcp").addHandler(logging.NullHandler())

_AT_ONCE: Final = 32
"""Calls under way at a time, of all clients: each has a thread, and most of them wait for their turn."""

_HEARTBEAT: Final = 5.0
"""Seconds."""


def asgi(world: AgentWorld, packs: Collection[str] = ("all",)) -> AgentEndpoint:
    """What the gateway serves under ``/mcp``. packs: which may be asked for."""
    return AgentEndpoint(world, packs)


def listed_tools(packs: Collection[str]) -> list[ListedTool]:
    """The tools of some packs as clients are shown them; needs no session. Raises: ServiceFailure."""
    return [_listed(tool) for tool in registry.load(packs)]


class AgentServer(MCPServer[Any]):
    """The tools of some packs, on one session. changes: sends its clients the session's changes."""

    def __init__(self, world: AgentWorld, packs: Collection[str], changes: ChangeNotifier) -> None:
        with _root_log_untouched():
            super().__init__(
                NAME,
                title="vcad workbench",
                version=version(),
                instructions=INSTRUCTIONS,
                subscriptions=changes.bus,
                middleware=[self._written_down],
            )
        self._world = world
        self._tools = {tool.name: tool for tool in registry.load(packs)}
        self._listed = [_listed(tool) for tool in self._tools.values()]
        self._threads = anyio.CapacityLimiter(_AT_ONCE)
        add_resources(self, world)
        add_prompts(self)
        self._lowlevel_server.add_request_handler(
            "completion/complete", CompleteRequestParams, self._complete
        )
        changes.serve(self._lowlevel_server)

    async def list_tools(self) -> list[ListedTool]:
        """The tools of its packs."""
        return self._listed

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[Any, Any] | None = None,
    ) -> GetPromptResult | InputRequiredResult:
        """A prompt with its arguments.

        Raises: MCPError INVALID_PARAMS for one that is not there, or without all that it needs.
        """
        prompts = {prompt.name: prompt for prompt in await self.list_prompts()}
        if name not in prompts:
            raise MCPError(INVALID_PARAMS, f"there is no prompt {name!r}; there are {', '.join(prompts)}")
        missing = [
            argument.name
            for argument in prompts[name].arguments or ()
            if argument.required and argument.name not in (arguments or {})
        ]
        if missing:
            raise MCPError(INVALID_PARAMS, f"the prompt {name} needs {' and '.join(missing)}")
        return await super().get_prompt(name, arguments, context)

    async def _complete(
        self, _context: ServerRequestContext[Any, Any], params: CompleteRequestParams
    ) -> CompleteResult:
        ref, argument = params.ref, params.argument
        where = ref.name if isinstance(ref, PromptReference) else ref.uri
        completion = await anyio.to_thread.run_sync(
            completed, self._world, ref.type, where, argument.name, argument.value, limiter=self._threads
        )
        return CompleteResult(completion=completion)

    async def _written_down(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Write down each message and its answer, under one request id with all that it causes."""
        params = ctx.session.client_params
        agent = None if params is None else params.client_info.name
        journal = self._world.journal
        with request() as request_id, reading_for(agent or "unknown"):
            journal.comms("in", ctx.method, ctx.params, agent=agent, request_id=request_id)
            result = await call_next(ctx)
            if ctx.request_id is not None:
                answer = (
                    result.model_dump(mode="json", exclude_none=True)
                    if isinstance(result, BaseModel)
                    else result
                )
                journal.comms("out", ctx.method, answer, agent=agent, request_id=request_id)
            return result

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult:
        """Call a tool of its packs; whatever comes of it is an answer."""
        if name not in self._tools:
            return _answer(failure(_not_shown(name), name), self._tools)
        request_id, cancelled = current_request() or new_request_id(), threading.Event()
        progress = _Progress(context, name)

        def work() -> Outcome:
            return call_tool(
                self._world,
                name,
                arguments,
                agent=_agent(context),
                connection=_connection(context),
                request_id=request_id,
                progress=progress,
                cancelled=cancelled,
            )

        try:
            async with anyio.create_task_group() as beside:
                beside.start_soon(progress.keep_alive)
                outcome = await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)
                beside.cancel_scope.cancel()
        except anyio.get_cancelled_exc_class():
            cancelled.set()
            self._world.session.cancel(request_id)
            raise
        return _answer(outcome, self._tools)


class _Progress:
    """Reports to a client how far its call is; each number is above the one before."""

    def __init__(self, context: Context[Any, Any] | None, tool: str) -> None:
        self._context = context
        self._tool = tool
        self._last = 0.0
        self._total: float | None = None
        self._counting = threading.Lock()
        self._reported_at = time.monotonic()

    def __call__(self, done: float, total: float | None, message: str) -> None:
        """Of the tool, on its thread."""
        if self._context is not None:
            anyio.from_thread.run(self._notify, done, total, message)

    async def keep_alive(self) -> None:
        """Say every few seconds that it goes on: clients give up a call of which they hear nothing."""
        if self._context is None:
            return
        began = time.monotonic()
        while True:
            await anyio.sleep(max(0.0, self._reported_at + _HEARTBEAT - time.monotonic()))
            now = time.monotonic()
            if now - self._reported_at >= _HEARTBEAT:
                await self._notify(self._last, self._total, f"{self._tool}: {now - began:.0f} s")

    async def _notify(self, done: float, total: float | None, message: str) -> None:
        assert self._context is not None
        with self._counting:
            self._last = done if done > self._last else self._last + 0.001
            self._total, self._reported_at = total, time.monotonic()
            last = self._last
        with suppress(MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError):  # it has gone
            await self._context.report_progress(last, total, message)


class AgentEndpoint:
    """An ASGI application: the servers of one session, by the packs that the address names.

    allowed: the packs that it may name.
    """

    def __init__(self, world: AgentWorld, allowed: Collection[str] = ("all",)) -> None:
        self._world = world
        self._allowed = allowed
        self._changes = ChangeNotifier(world.session)
        self._apps: dict[tuple[str, ...], ASGIApp] = {}
        self._starting = anyio.Lock()
        self._tasks: anyio.abc.TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve as long as this is open."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            with self._changes.listening():
                try:
                    yield
                finally:
                    self._tasks = None
                    self._apps.clear()
                    tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        from starlette.responses import JSONResponse

        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("packs", [])
        asked_for = [pack.strip() for listed in given for pack in listed.split(",")]
        try:
            packs = registry.wanted_packs(asked_for, self._allowed)
        except VcadError as unknown:
            body = failure(unknown, "packs").body
            await JSONResponse(body, 400)(scope, receive, send)
            return
        app = await self._app(packs)
        await app(_without_replay(scope), receive, send)

    async def _app(self, packs: tuple[str, ...]) -> ASGIApp:
        async with self._starting:
            if packs not in self._apps:
                if self._tasks is None:
                    raise RuntimeError("the endpoint serves inside of running() only")
                # the first look at the tools imports what they are described with
                server = await anyio.to_thread.run_sync(
                    lambda: AgentServer(self._world, packs, self._changes)
                )
                server.streamable_http_app()
                await self._tasks.start(_run, server)
                self._apps[packs] = server.session_manager.asgi_app
            return self._apps[packs]


def _without_replay(scope: Scope) -> Scope:
    """A request for a fresh stream, where a client asks for one to go on: events are not kept.

    The SDK answers such a request with nothing at all where there is no store of events, which is a 500.
    """
    headers = [(name, value) for name, value in scope["headers"] if name != b"last-event-id"]
    return {**scope, "headers": headers}


async def _run(server: AgentServer, *, task_status: anyio.abc.TaskStatus[None]) -> None:
    async with server.session_manager.run():
        task_status.started()
        await anyio.sleep_forever()


@contextmanager
def _root_log_untouched() -> Iterator[None]:
    """The SDK gives the root logger a handler, whose lines would stand in the person's cell: take it away."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        for handler in [existing for existing in root.handlers if existing not in handlers]:
            root.removeHandler(handler)
            handler.close()
        root.setLevel(level)


def _agent(context: Context[Any, Any] | None) -> str:
    """Who calls, as the client says it of itself."""
    if context is None:
        return "unknown"
    params = context.session.client_params
    return "unknown" if params is None else params.client_info.name or "unknown"


def _connection(context: Context[Any, Any] | None) -> str | None:
    """What no other program has of the caller's: its own secret, or its session of the protocol's."""
    headers = None if context is None else context.headers
    return None if headers is None else headers.get(KEY_HEADER) or headers.get("mcp-session-id")


def _listed(tool: Tool) -> ListedTool:
    return ListedTool(
        name=tool.name,
        description=tool.description,
        input_schema=input_schema(tool.arguments),
        output_schema=output_schema(tool.result),
        annotations=ToolAnnotations(
            read_only_hint=tool.risk == "R",
            destructive_hint=tool.risk == "D",
            # says nothing of what only reads; left out it is false
            idempotent_hint=True if tool.idempotent and tool.risk != "R" else None,
            open_world_hint=tool.pack == "web",
        ),
    )


def _answer(outcome: Outcome, shown: Collection[str]) -> CallToolResult:
    """shown: the tools of the connection; what to do is said by these alone."""
    details = outcome.body.get("details")
    if isinstance(details, dict) and isinstance(details.get("fix"), str):
        details["fix"] = with_tools(details["fix"], shown)
    text = json.dumps(outcome.body, ensure_ascii=False, separators=(",", ":"))
    pictures = [
        ImageContent(type="image", data=base64.b64encode(image).decode("ascii"), mime_type="image/png")
        for image in outcome.images
    ]
    return CallToolResult(
        content=[TextContent(type="text", text=text), *pictures],
        structured_content=outcome.body,
        is_error=not outcome.success,
    )


def _not_shown(name: str) -> ServiceFailure:
    """What is said of a tool that this connection does not show."""
    try:
        tool = registry.find(name)
    except ServiceFailure as unknown:
        return unknown
    return ServiceFailure(
        ErrorCode.TOOL_NOT_FOUND,
        f"{name} is of pack {tool.pack}, which this connection does not show",
        fix=f"start the client with `vcad mcp --pack {tool.pack}`",
        details={"operation": name},
    )
