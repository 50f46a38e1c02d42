"""What the proxy itself answers when the session cannot: failures with a code, as every tool gives them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from notebook_ext.session_records import SessionRecord
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

__all__ = ["as_result", "no_answer", "not_found", "not_started", "outcome_unknown", "restarting"]


def restarting(lost: SessionRecord, others: Iterable[SessionRecord]) -> ServiceFailure:
    """The world is away for now, or for good: only its person knows."""
    name = _called(lost)
    return ServiceFailure(
        ErrorCode.SESSION_UNAVAILABLE,
        f"{name} does not answer: its kernel was restarted or shut down",
        fix=f"call again once {name} has run a %loon or %%loon cell; it is found by itself. To work in "
        "another session, start this server again",
        details={
            "session_id": lost.session_id,
            "kernel_id": lost.kernel_id,
            "retry": True,
            "sessions": [record.without_token() for record in others],
        },
    )


def not_found(chosen: str | None, others: Iterable[SessionRecord]) -> ServiceFailure:
    """There is no session, and none may be started."""
    listed = [record.without_token() for record in others]
    if chosen is None:
        message, fix = (
            "no session runs in this workspace",
            "a tool call starts one, or a %loon cell of a notebook",
        )
    else:
        message = f"there is no session {chosen!r}"
        fix = "have its notebook run a %loon cell, or name one of those that `vcad sessions` lists"
    return ServiceFailure(
        ErrorCode.SESSION_UNAVAILABLE, message, fix=fix, details={"retry": True, "sessions": listed}
    )


def no_answer(record: SessionRecord, reason: str) -> ServiceFailure:
    """A notebook works in the workspace, and its session does not answer."""
    return ServiceFailure(
        ErrorCode.SESSION_UNAVAILABLE,
        f"{_called(record)} runs, and does not answer: {reason}",
        fix="call again once its kernel is idle; if it stays like this, restart the kernel and run a %loon "
        "cell",
        details={"session_id": record.session_id, "kernel_id": record.kernel_id, "retry": True},
    )


def not_started(reason: str) -> ServiceFailure:
    """A session without a notebook was to be started, and was not."""
    return ServiceFailure(
        ErrorCode.SESSION_UNAVAILABLE,
        f"no notebook works in this workspace, and a session without one did not start: {reason}",
        fix="run a %loon cell in a notebook of the workspace, or `vcad session` to see what is wrong",
        details={"retry": True, "sessions": []},
    )


def outcome_unknown(operation: str, record: SessionRecord) -> ServiceFailure:
    """The request was sent, and the session ended before it answered."""
    return ServiceFailure(
        ErrorCode.UNKNOWN_OUTCOME,
        f"{_called(record)} ended while it worked on {operation}: it may be done or not",
        fix="look with vcad_list_nodes before you repeat it",
        details={"session_id": record.session_id},
    )


def _called(record: SessionRecord) -> str:
    return f"the session of {record.notebook}" if record.notebook else f"session {record.session_id}"


def as_result(error: VcadError, operation: str) -> dict[str, Any]:
    """A failure as a tool answers it: an ``isError`` result, for the model to read."""
    reported = envelope(error, operation)
    body = {
        "success": False,
        "error": f"{error.message}; {error.fix}" if error.fix else error.message,
        "error_code": reported["error_code"],
        "details": reported["details"],
    }
    text = json.dumps(body, ensure_ascii=False)
    return {"content": [{"type": "text", "text": text}], "structuredContent": body, "isError": True}
