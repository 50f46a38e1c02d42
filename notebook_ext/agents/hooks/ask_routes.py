"""Asks over the hook API: put one and wait for its answer, see which wait, answer one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from notebook_ext.agents.hooks.bodies import (
    agent_name,
    json_object,
    number,
    object_at,
    require_person,
    text_at,
)
from notebook_ext.agents.hooks.refusals import UnknownTag
from notebook_ext.agents.hooks.turns import on_own_thread, while_connected
from notebook_ext.approval.person import VALID
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from starlette.requests import Request

    from notebook_ext.agents.hooks.hooks import Hooks

__all__ = ["ask", "confirm", "open_asks", "pair", "respond"]

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
        require_person(request)  # who cannot answer is nobody who looks
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

    Raises: ServiceFailure PERSON_ONLY where nobody could see it; BUSY while another program waits.
    """
    program = agent_name(text_at(await json_object(request), "program")) or "a program"
    approvals = hooks.world.approvals
    pairing_id = await on_own_thread(lambda: approvals.person.pair(program), name="pair")
    return {"pairing_id": pairing_id, "expires_s": VALID}


async def confirm(hooks: Hooks, request: Request) -> dict[str, Any]:
    """Give the person's key to who has been told the code. Raises: ServiceFailure AUTH_INVALID."""
    body = await json_object(request)
    key = hooks.world.approvals.person.confirm(text_at(body, "pairing_id"), text_at(body, "code"))
    return {"key": key}


def _summary_of(body: dict[str, Any], kind: str) -> str:
    words = ", ".join(f"{key}: {value}" for key, value in body.items() if key not in ("kind", "summary"))
    return (words or kind)[:_SUMMARY]
