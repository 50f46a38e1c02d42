"""The project, the entries, events, logs and tools of a session over the hook API."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import PlainTextResponse

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.hooks.bodies import (
    agent_of,
    connection_of,
    json_object,
    object_at,
    query_number,
)
from notebook_ext.agents.hooks.refusals import UnknownTag, malformed, outcome_error
from notebook_ext.agents.hooks.turns import in_turn, on_own_thread, while_connected
from notebook_ext.agents.journal import STREAMS
from notebook_ext.agents.registry import find
from vcad_kernel.request_id import new_request_id

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from notebook_ext.agents.calls.outcomes import Outcome
    from notebook_ext.agents.hooks.hooks import Hooks

__all__ = [
    "entries",
    "events",
    "log",
    "performance",
    "project",
    "set_entries",
    "set_project",
    "tool",
]

_REQUEST_ID: Final = re.compile(r"r-[0-9A-HJKMNP-TV-Z]{26}")
_PERSON: Final = 60.0
"""Seconds that a person may think."""


async def project(hooks: Hooks, request: Request) -> dict[str, Any]:
    """The design model with its settings, as its file holds it; an empty one where nothing is linked."""
    session = hooks.world.session

    def look() -> dict[str, Any]:
        return session.standing.to_json()

    return {"project": await in_turn(session, look, operation=request.url.path, patience=hooks.patience)}


async def set_project(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Have another design model, checked whole, in place of the one there is.

    ``base_revision`` is the one that it was made from; without it, the one that the project names itself. It
    is done by `project_patch`, so that the person is asked where the policy wants it, and sees who did it.
    Raises: ServiceFailure REVISION_CONFLICT when the project has moved on since; SCHEMA_VALIDATION_FAILED for
    what is no project, or touches what only feedback may write. Nothing is changed then.
    """
    body = await json_object(request)
    content = object_at(body, "project")
    path = request.url.path
    base = body.get("base_revision", content.get("revision"))
    if not isinstance(base, int) or isinstance(base, bool) or base < 0:
        raise malformed("base_revision", "a whole number from 0", operation=path)
    arguments = {
        "base_revision": base,
        "patch": [{"op": "replace", "path": "", "value": content}],
        "reason": str(body.get("reason") or f"POST {path}"),
    }
    # whether the session does anything at all just now: if not, nothing has been done, and that can be said
    await in_turn(hooks.world.session, _nothing, operation=path, patience=hooks.patience)
    outcome = await _called(hooks, request, "project_patch", arguments, patience=hooks.patience + _PERSON)
    if not outcome.success:
        raise outcome_error(outcome.body, path)
    hooks.events.push("project_updated", {"revision": outcome.body["revision"]})
    return {"status": "updated", "revision": outcome.body["revision"]}


def _nothing() -> None:
    """Done in the session's turn, it shows that its turn comes."""


async def entries(hooks: Hooks, request: Request) -> dict[str, Any]:
    """What has happened, oldest first."""
    del request
    return {"session": {"entries": hooks.activity.entries()}}


async def set_entries(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Have other entries in place of those that there are."""
    given = object_at(await json_object(request), "session").get("entries")
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise malformed("session.entries", "a list of objects", operation=request.url.path)
    hooks.activity.replace(given)
    return {"status": "updated"}


async def performance(hooks: Hooks, request: Request) -> dict[str, Any]:
    """What `get_ui_performance` measures."""
    outcome = await on_own_thread(
        lambda: call_tool(hooks.world, "get_ui_performance", {}, agent=agent_of(request)), name="performance"
    )
    if not outcome.success:
        raise outcome_error(outcome.body, request.url.path)
    return {"performance": {key: value for key, value in outcome.body.items() if key != "success"}}


async def events(hooks: Hooks, request: Request) -> dict[str, Any]:
    """All that wait, and they are gone; with ``?after=<seq>`` those that are younger, and they stay."""
    after = query_number(request, "after")
    return {"events": hooks.events.drain() if after is None else hooks.events.after(after)}


async def log(hooks: Hooks, request: Request) -> Response:
    """The last lines of a log, as text: ``?tail=`` of them, ``?request_id=`` those of one request."""
    stream = request.path_params["stream"]
    if stream not in STREAMS:
        raise UnknownTag(stream, STREAMS, what="log")
    lines = query_number(request, "tail")
    request_id = request.query_params.get("request_id")
    text = await on_own_thread(
        lambda: hooks.world.journal.tail(stream, lines, request_id), name=f"log {stream}"
    )
    return PlainTextResponse(text)


async def tool(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Call a tool of any pack; a failure of its domain is its answer, with ``success`` false.

    The agent's name is that of the header ``X-Agent``, the request's id that of ``X-Request-Id``; both may be
    left out. A client that goes away gives the call up.
    Raises: ServiceFailure TOOL_NOT_FOUND.
    """
    arguments = await json_object(request)
    name: str = request.path_params["name"]
    if name not in hooks.tools_found:  # the first look imports the packs
        await on_own_thread(lambda: find(name), name=f"finds {name}")
        hooks.tools_found.add(name)
    return (await _called(hooks, request, name, arguments)).body


async def _called(
    hooks: Hooks,
    request: Request,
    name: str,
    arguments: Mapping[str, Any],
    *,
    patience: float | None = None,
) -> Outcome:
    """What a tool answers, called under the names that the request gives; until its client goes away."""
    request_id = request.headers.get("x-request-id") or new_request_id()
    if not _REQUEST_ID.fullmatch(request_id):
        raise malformed("X-Request-Id", "r- and a ULID", operation=request.url.path)
    agent, connection = agent_of(request), connection_of(request)
    cancelled = threading.Event()

    def cancel() -> None:
        cancelled.set()
        hooks.world.session.cancel(request_id)

    return await while_connected(
        request,
        lambda: call_tool(
            hooks.world,
            name,
            arguments,
            agent=agent,
            connection=connection,
            request_id=request_id,
            cancelled=cancelled,
        ),
        name=name,
        cancel=cancel,
        patience=patience,
    )
