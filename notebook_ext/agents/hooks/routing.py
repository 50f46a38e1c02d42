"""The hook API as routes below ``/api``; the gateway has checked token, host and origin in front of them.

    Mount("/api", routes=routes(world))

Which path does what is listed here and nowhere else. Every answer is JSON but that of ``/logs``; every
request is noted in ``hooks.log``. Imported in the gateway's thread only: it brings starlette with it.

Around all routes failures become JSON, and every request is noted with its answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from traceback import format_exception
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from uuid import uuid4

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router

from notebook_ext.agents.hooks import session_routes
from notebook_ext.agents.hooks.bodies import (
    agent_name,
    agent_of,
    json_object,
    number,
    object_at,
    require_person,
    text_at,
)
from notebook_ext.agents.hooks.fields import field, fields
from notebook_ext.agents.hooks.hooks import Hooks
from notebook_ext.agents.hooks.refusals import UnknownTag, refusal
from notebook_ext.agents.hooks.tasks import BUTTONS, is_persons
from notebook_ext.agents.hooks.turns import PATIENCE, in_turn, on_own_thread, while_connected
from notebook_ext.approval.person import VALID
from notebook_ext.display.failure import LoonCellFailed
from vcad_kernel.error_envelope import internal_error
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from notebook_ext.agents.hooks.hooks import Hooks
    from notebook_ext.agents.world import AgentWorld

__all__ = ["routes"]


# ---- what stands for a user interface: tags, values, tasks and the state of the workflow ------


async def tags(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Every tag with name, type, range and whether it can be written; the buttons too."""

    def look() -> list[dict[str, Any]]:
        return [field.to_json() for field in fields(hooks.world).values()]

    tags = await in_turn(hooks.world.session, look, operation=request.url.path, patience=hooks.patience)
    buttons = [{"name": name, "type": "button", "writable": True, "range": None} for name in BUTTONS]
    return {"tags": [*tags, *buttons]}


async def no_value(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Without a tag there is nothing to be read."""
    del hooks, request
    return {"value": None}


async def value(hooks: Hooks, request: Request) -> dict[str, Any]:
    """The value of one field."""
    tag = request.path_params["tag"]
    if tag in BUTTONS:
        raise UnknownTag(tag, (), what="tag with a value")
    value = await in_turn(
        hooks.world.session,
        lambda: field(hooks.world, tag).read(),
        operation=request.url.path,
        patience=hooks.patience,
    )
    return {"value": value}


async def state(hooks: Hooks, request: Request) -> dict[str, Any]:
    """What runs and what waits; answered while a cell runs, too."""
    del request
    return await on_own_thread(hooks.workflow.state, name="state")


async def diagnostics(hooks: Hooks, request: Request) -> dict[str, bool]:
    """Whether an agent thinks, a tool runs, a past session is looked at."""
    del request
    return hooks.workflow.diagnostics()


async def queue_task(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Take in a task; its events say what came of it."""
    task = await json_object(request)
    if is_persons(task):
        require_person(request)
    seq = await hooks.tasks.accept(task, agent=agent_of(request))
    return {"status": "queued", "seq": seq}


# ---- asks over the hook API: put one and wait for its answer, see which wait, answer one -----


_SHORTEST: Final = 1.0
_LONGEST: Final = 600.0
_USUAL: Final = 60.0
"""Seconds that an ask waits."""
_SUMMARY: Final = 200
"""Characters of what stands in for a summary."""


async def open_asks(hooks: Hooks, request: Request) -> dict[str, Any]:
    """The asks that wait, oldest first. ``?approver=NAME`` says that a reader of that name is there."""
    approver = request.query_params.get("approver")
    if approver:
        require_person(request)  # a client that cannot answer does not count as looking
        hooks.world.approvals.attend(approver)
    asks = hooks.world.approvals.open_asks()
    # a pairing is answered by its code alone, which the person types elsewhere
    return {"asks": [ask.to_json() for ask in asks if not ask.question.code_to_type]}


async def ask(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Put an ask and wait until it is answered; a client that goes away takes it back.

    Raises: ServiceFailure ASK_TIMEOUT, which counts as no.
    """
    body = await json_object(request)
    timeout_s = number(body.pop("timeout_s", _USUAL), "timeout_s", _SHORTEST, _LONGEST)
    kind = body.get("kind", "question")
    kind = kind if isinstance(kind, str) and kind else "question"
    summary = body.get("summary")
    summary = summary if isinstance(summary, str) and summary else _summary_of(body, kind)
    request_id = str(uuid4())
    approvals = hooks.world.approvals
    response = await while_connected(
        request,
        lambda: approvals.ask(kind, summary, body, timeout_s=timeout_s, request_id=request_id),
        name="ask",
        cancel=lambda: approvals.cancel(request_id),
    )
    if response is None:
        raise ServiceFailure(
            ErrorCode.ASK_TIMEOUT,
            f"nobody answered within {timeout_s:g} s; that counts as no",
            details={"request_id": request_id, "operation": request.url.path},
        )
    return {"status": "ok", "request_id": request_id, "response": dict(response)}


async def respond(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Answer an ask; of several answers the first counts.

    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED for an answer that the ask cannot have; it stays open.
    """
    require_person(request)
    body = await json_object(request)
    request_id, response = text_at(body, "request_id"), object_at(body, "response")
    by = body.get("by")
    origin = f"hook: {agent_name(by)}" if isinstance(by, str) and by else "hook"  # never "panel"
    answered = hooks.world.approvals.respond(request_id, response, by=origin)
    if not answered:
        there = tuple(waiting.request_id for waiting in hooks.world.approvals.open_asks())
        raise UnknownTag(request_id, there, what="open ask")
    return {"status": "ok"}


async def pair(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Have the notebook show a code, which the person types into the program that asks.

    Raises: ServiceFailure PERSON_ONLY where no page could show it; BUSY while another program waits.
    """
    program = agent_name(text_at(await json_object(request), "program")) or "a program"
    approvals = hooks.world.approvals
    pairing_id = await on_own_thread(lambda: approvals.person.pair(program), name="pair")
    return {"pairing_id": pairing_id, "expires_s": VALID}


async def confirm(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Give the person's key to the client that presents the code. Raises: ServiceFailure AUTH_INVALID."""
    body = await json_object(request)
    key = hooks.world.approvals.person.confirm(text_at(body, "pairing_id"), text_at(body, "code"))
    return {"key": key}


def _summary_of(body: dict[str, Any], kind: str) -> str:
    words = ", ".join(f"{key}: {value}" for key, value in body.items() if key not in ("kind", "summary"))
    return (words or kind)[:_SUMMARY]


# ---- the routes ------------------------------------------------------------------------------


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
    ("GET", "/gui/tags", tags),
    ("GET", "/gui/value", no_value),
    ("GET", "/gui/value/{tag}", value),
    ("GET", "/gui/state", state),
    ("GET", "/gui/diagnostics", diagnostics),
    ("POST", "/gui", queue_task),
    ("GET", "/asks", open_asks),
    ("POST", "/ask", ask),
    ("POST", "/ask/respond", respond),
    ("POST", "/pair", pair),
    ("POST", "/pair/confirm", confirm),
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
