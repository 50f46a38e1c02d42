"""The hook API as routes below ``/api``; the gateway has checked token, host and origin in front of them.

    Mount("/api", routes=routes(world))

Which path does what is listed here and nowhere else. Every answer is JSON but that of ``/logs``; every
request is noted in ``hooks.log``. Imported in the gateway's thread only: it brings starlette with it.

Around all routes failures become JSON, and every request is noted with its answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from traceback import format_exception
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router

from notebook_ext.agents.hooks import ask_routes, gui_routes, session_routes
from notebook_ext.agents.hooks.hooks import Hooks
from notebook_ext.agents.hooks.refusals import refusal
from notebook_ext.agents.hooks.turns import PATIENCE
from notebook_ext.display.failure import LoonCellFailed
from vcad_kernel.error_envelope import internal_error
from vcad_kernel.errors import ErrorCode, VcadError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from notebook_ext.agents.world import AgentWorld

__all__ = ["routes"]


_Answer: TypeAlias = Callable[["Hooks", "Request"], Awaitable[object]]

_ROUTES: tuple[tuple[str, str, _Answer], ...] = (
    ("GET", "/project", session_routes.project),
    ("POST", "/project", session_routes.set_project),
    ("GET", "/session", session_routes.entries),
    ("POST", "/session", session_routes.set_entries),
    ("GET", "/performance", session_routes.performance),
    ("GET", "/events", session_routes.events),
    ("GET", "/logs/{stream}", session_routes.log),
    ("POST", "/tools/{name}", session_routes.tool),
    ("GET", "/gui/tags", gui_routes.tags),
    ("GET", "/gui/value", gui_routes.no_value),
    ("GET", "/gui/value/{tag}", gui_routes.value),
    ("GET", "/gui/state", gui_routes.state),
    ("GET", "/gui/diagnostics", gui_routes.diagnostics),
    ("POST", "/gui", gui_routes.queue_task),
    ("GET", "/asks", ask_routes.open_asks),
    ("POST", "/ask", ask_routes.ask),
    ("POST", "/ask/respond", ask_routes.respond),
    ("POST", "/pair", ask_routes.pair),
    ("POST", "/pair/confirm", ask_routes.confirm),
)


def routes(world: AgentWorld, *, patience: float = PATIENCE) -> list[BaseRoute]:
    """The routes over one world, relative to ``/api``.

    patience: seconds that a request waits for the session's thread.
    """
    hooks = Hooks(world, patience=patience)
    table: dict[str, dict[str, _Answer]] = {}
    for method, path, answer in _ROUTES:
        table.setdefault(path, {})[method] = answer
    inner = Router([_route(path, answers, hooks) for path, answers in table.items()], redirect_slashes=False)

    def fault(request: str, error: Exception) -> None:
        trace = "".join(format_exception(error))
        world.session.note("internal_error", level="error", request=request, error=trace)

    return [Mount("/", app=Answering(inner, world.journal.hook, fault))]


def _route(path: str, answers: dict[str, _Answer], hooks: Hooks) -> Route:
    async def endpoint(request: Request) -> Response:
        if (
            request.method not in answers
        ):  # HEAD, which starlette lets pass: it would take events and drop them
            raise HTTPException(405)
        answer = await answers[request.method](hooks, request)
        return answer if isinstance(answer, Response) else JSONResponse(answer)

    return Route(path, endpoint, methods=list(answers))


class Answering:
    """app: the routes. note: called with method, path, status and bytes of the body, once per request.

    fault: called with the request and what was raised, where that is a mistake of ours.
    """

    def __init__(
        self,
        app: ASGIApp,
        note: Callable[[str, str, int, int], object],
        fault: Callable[[str, Exception], object],
    ) -> None:
        self._app = app
        self._note = note
        self._fault = fault

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        status, size = 0, 0

        async def counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body":
                size += len(message.get("body", b""))
            await send(message)

        # the handlers of the application around us would answer first: routes look them up in their scope
        inner = {key: value for key, value in scope.items() if key != "starlette.exception_handlers"}
        try:
            await self._app(inner, receive, counted)
        except Exception as raised:
            if status:
                raise
            failed, body = _failure(raised, scope["path"])
            if body["error_code"] == ErrorCode.INTERNAL_ERROR:
                self._fault(f"{scope['method']} {scope['path']}", raised)
            await JSONResponse(body, failed)(scope, receive, counted)
        finally:
            self._note(scope["method"], scope["path"], status, size)


def _failure(raised: Exception, path: str) -> tuple[int, dict[str, Any]]:
    """The status and the body of whatever went wrong."""
    if isinstance(raised, VcadError | LoonCellFailed):
        return refusal(raised, path)
    if isinstance(raised, HTTPException):
        known = {404: f"there is nothing at {path}", 405: f"{path} does not take this method"}
        message = known.get(raised.status_code, raised.detail)
        code = ErrorCode.METHOD_NOT_FOUND if raised.status_code in known else ErrorCode.INVALID_REQUEST
        return raised.status_code, {"error": message, "error_code": str(code), "details": {"operation": path}}
    wire = internal_error(raised, path)
    return 500, {"error": wire["message"], "error_code": wire["error_code"], "details": wire["details"]}
