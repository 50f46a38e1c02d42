"""What the gateway serves: ``/mcp``, ``/api``, ``/metrics`` and ``/status``, behind one guard.

The tools and the hooks are mounted as they come; whatever fails below answers ``{error, error_code}``. Loaded
with the first connection.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from traceback import format_exception
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from notebook_ext.gateway.guarding import Application, Guard
from notebook_ext.gateway.late_tools import LateTools
from notebook_ext.gateway.metrics import CONTENT_TYPE_LATEST, CountedRequests, metrics_text
from notebook_ext.version import version
from vcad_kernel.errors import ErrorCode

if TYPE_CHECKING:
    from notebook_ext.agents.world import AgentWorld

__all__ = ["application"]


def application(
    world: AgentWorld,
    *,
    port: int,
    token: str,
    origins: Callable[[], Collection[str]] = tuple,
) -> Application:
    """The gateway of one session. origins: web pages that may speak with it, besides its own."""
    from notebook_ext.agents.hooks import routes

    tools = LateTools(world)

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
        told = "a mistake of the workbench's own; the session's log has more"
        return JSONResponse({"error": told, "error_code": "INTERNAL_ERROR"}, 500)

    inner = Starlette(
        routes=[
            Route("/status", status, methods=["GET"]),
            Route("/metrics", metrics, methods=["GET"]),
            Mount("/api", routes=routes(world)),
            Route("/mcp", tools),  # for all methods; a mount alone answers /mcp/ only
            Mount("/mcp", app=tools),
        ],
        exception_handlers={HTTPException: _told_by_status, Exception: our_fault},
        lifespan=running,
    )
    counted = CountedRequests(Guard(inner, port=port, token=token, origins=origins))
    return counted


_CODES = {
    400: ErrorCode.INVALID_REQUEST,
    404: ErrorCode.METHOD_NOT_FOUND,
    405: ErrorCode.METHOD_NOT_FOUND,
    413: ErrorCode.PAYLOAD_TOO_LARGE,
    504: ErrorCode.TIMEOUT,
}


async def _told_by_status(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, ErrorCode.INVALID_REQUEST)
    body = {"error": error.detail, "error_code": str(code)}
    return JSONResponse(body, error.status_code, headers=error.headers)
