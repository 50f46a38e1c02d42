"""What the gateway serves: ``/mcp``, ``/api``, ``/viewer``, ``/relay``, ``/metrics``, ``/status``; one guard.

The tools and the hooks are mounted as they come; whatever fails below answers ``{error, error_code}``. Loaded
with the first connection.

``/mcp`` is loaded with its first request: a client that asks only for the status does not wait for the SDK.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from importlib import import_module
from traceback import format_exception
from typing import TYPE_CHECKING, Final

import anyio
import anyio.abc
import anyio.to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute

from notebook_ext.gateway.guarding import Application, Guard, Receive, Scope, Send, refusal
from notebook_ext.gateway.metrics import CONTENT_TYPE_LATEST, CountedRequests, metrics_text
from notebook_ext.gateway.viewers import Viewers, viewer_pages
from notebook_ext.version import version
from vcad_kernel.errors import ErrorCode

if TYPE_CHECKING:
    from notebook_ext.agents.mcp.server import AgentEndpoint
    from notebook_ext.agents.world import AgentWorld

__all__ = ["application"]


def application(
    world: AgentWorld,
    *,
    port: int,
    token: str,
    viewer_token: str,
    on_proof: Callable[[object], object] = lambda _client: None,
    origins: Callable[[], Collection[str]] = tuple,
    hooks: bool = True,
    packs: Collection[str] = ("all",),
) -> Application:
    """The gateway of one session.

    viewer_token: what a viewer shows, which is neither an agent nor the person. on_proof: called with the IP
    of each client that has shown a token. origins: web pages that may call it, besides its own.
    hooks: whether there is anything below /api.
    packs: of tools, which agents may request.
    """
    tools = LateTools(world, packs)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        async with tools.running():
            yield

    async def status(_: Request) -> Response:
        return JSONResponse({"status": "ok", "session_id": world.session_id, "version": version()})

    async def metrics(_: Request) -> Response:
        text = await run_in_threadpool(metrics_text, world, counted)
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    async def our_fault(request: Request, error: Exception) -> Response:
        world.session.log.event(
            "request_failed",
            level="error",
            error_code="INTERNAL_ERROR",
            request=f"{request.method} {request.url.path}",
            error="".join(format_exception(error)),
        )
        message = "a mistake of the workbench's own; the session's log has more"
        return JSONResponse({"error": message, "error_code": "INTERNAL_ERROR"}, 500)

    def is_person(key: str) -> bool:
        return world.approvals.person.is_key(key)

    viewers = Viewers(lambda: world.session.viewers, viewer_token, on_proof)
    inner = Starlette(
        routes=[
            *viewer_pages(port, lambda file: world.session.show_file(file).name),
            WebSocketRoute("/relay", viewers.serve),
            Route("/status", status, methods=["GET"]),
            Route("/metrics", metrics, methods=["GET"]),
            _hook_api(world, is_on=hooks),
            Route("/mcp", tools),  # for all methods; a mount alone answers /mcp/ only
            Mount("/mcp", app=tools),
        ],
        exception_handlers={HTTPException: _error_by_status, Exception: our_fault},
        lifespan=running,
    )
    inner.router.redirect_slashes = False  # an unknown path is answered as such
    guard = Guard(inner, port=port, token=token, is_person=is_person, on_proof=on_proof, origins=origins)
    counted = CountedRequests(guard)
    return counted


def _hook_api(world: AgentWorld, *, is_on: bool) -> Mount:
    if is_on:
        from notebook_ext.agents.hooks import routes

        return Mount("/api", routes=routes(world))

    async def off(_scope: Scope, _receive: Receive, send: Send) -> None:
        await refusal(
            send,
            404,
            ErrorCode.METHOD_NOT_FOUND,
            "the hook API is off in this session; VCAD_HOOKS=1 switches it on when the session begins",
        )

    return Mount("/api", app=off)


_CODES = {
    400: ErrorCode.INVALID_REQUEST,
    404: ErrorCode.METHOD_NOT_FOUND,
    405: ErrorCode.METHOD_NOT_FOUND,
    413: ErrorCode.PAYLOAD_TOO_LARGE,
    504: ErrorCode.TIMEOUT,
}


async def _error_by_status(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, ErrorCode.INVALID_REQUEST)
    message = error.detail
    if error.status_code == 404:
        message = (
            f"there is no {request.url.path} here; there are /mcp, /api/…, /viewer, /metrics and /status"
        )
    elif error.status_code == 405:
        # Starlette keeps the methods in a set, whose order changes from run to run
        allowed = ", ".join(sorted((error.headers or {}).get("Allow", "another method").split(", ")))
        message = f"{request.url.path} takes {allowed}, not {request.method}"
    body = {"error": message, "error_code": str(code)}
    return JSONResponse(body, error.status_code, headers=error.headers)


_SERVER: Final = "notebook_ext.agents.mcp.server"


class LateTools:
    """An ASGI application: the agents' tools of one session. packs: which agents may request."""

    def __init__(self, world: AgentWorld, packs: Collection[str] = ("all",)) -> None:
        self._world = world
        self._packs = packs
        self._loading = anyio.Lock()
        self._tasks: anyio.abc.TaskGroup | None = None
        self._tools: Application | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve as long as this is open."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                self._tasks = self._tools = None
                tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        tools = await self._loaded()
        await tools(scope, receive, send)

    async def _loaded(self) -> Application:
        async with self._loading:
            if self._tools is None:
                if self._tasks is None:
                    raise RuntimeError("the tools are served inside of running() only")
                # a thread of its own for what is slow: other requests are answered meanwhile
                await anyio.to_thread.run_sync(import_module, _SERVER)
                from notebook_ext.agents.mcp.server import asgi

                tools = asgi(self._world, self._packs)
                await self._tasks.start(_hold, tools)
                self._tools = tools
            return self._tools


async def _hold(tools: AgentEndpoint, *, task_status: anyio.abc.TaskStatus[None]) -> None:
    async with tools.running():
        task_status.started()
        await anyio.sleep_forever()
