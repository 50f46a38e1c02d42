"""A call of a tool as a question to a person, and what makes an edited answer acceptable.

What an agent reads where the answer is not yes stands here, too: what happened, and what it can do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from notebook_ext.approval.asks import Question, unexplained
from notebook_ext.approval.calls import class_of
from notebook_ext.approval.policy import may_be_remembered
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.approval.asks import Ask
    from notebook_ext.approval.calls import ApprovableTool, Preview
    from notebook_ext.approval.policy import Caller

__all__ = ["denied", "denied_by_policy", "question_of", "required", "timed_out", "too_many"]


def question_of(
    tool: ApprovableTool,
    arguments: Mapping[str, Any],
    agent: Caller,
    request_id: str,
    seen: Preview | None,
    forbidden: Callable[[Mapping[str, Any]], bool],
    note: str = "",
) -> Question:
    """The question whether a call may be done. seen: what it would change. note: what else is to be known.

    forbidden: whether the policy forbids the call with other arguments; no edit makes that a yes.
    """

    def check(edited: Mapping[str, Any]) -> None:
        tool.check(edited)
        if forbidden(edited):
            expected = "the policy forbids the call with these arguments"
            raise ServiceFailure(
                ErrorCode.SCHEMA_VALIDATION_FAILED,
                f"arguments: {expected}",
                fix="leave them as they were asked about, or say no",
                details={"path": "", "expected": expected, "operation": tool.name},
            )

    return Question(
        kind="approval",
        summary=(seen.summary if seen is not None else "") or unexplained(tool.name),
        tool=tool.name,
        risk=class_of(tool, seen),
        agent=agent.name,
        arguments=dict(arguments),
        diff="" if seen is None else seen.diff,
        code="" if seen is None else seen.code,
        objects=() if seen is None else tuple(seen.objects),
        picture=None if seen is None else seen.picture,
        call_id=request_id,
        takes_away=() if seen is None else seen.takes_away,
        undo="" if seen is None else seen.undo,
        is_proposal=seen is not None and seen.is_proposal,
        remember_offered=not (seen is not None and seen.is_proposal)
        and may_be_remembered(tool, arguments, agent),
        note=note,
        check=check,
    )


_HOW = (
    "answer in the notebook, where session.approvals() shows what waits, "
    "or run `vcad approve --watch` in a terminal"
)


def denied_by_policy(tool: ApprovableTool) -> ServiceFailure:
    """The table says no."""
    network = tool.pack == "web"
    return ServiceFailure(
        ErrorCode.APPROVAL_DENIED,
        f"{tool.name} is switched off in this session",
        why="the network is closed to agents until the person opens it" if network else None,
        fix='the person can allow it: session.approvals().policy.network = "ask"'
        if network
        else "the person can change the policy in session.approvals()",
        details={"tool": tool.name, "reason": "policy", "operation": tool.name},
    )


def denied(
    tool: ApprovableTool, reason: str, edited: Mapping[str, Any] | None, changed: tuple[str, ...]
) -> ServiceFailure:
    """A person said no. edited, changed: the arguments as that person would have them, and which differ."""
    details: dict[str, Any] = {"tool": tool.name, "reason": reason, "operation": tool.name}
    if edited is not None:
        details["changed_arguments"] = {name: edited.get(name) for name in changed}
    return ServiceFailure(
        ErrorCode.APPROVAL_DENIED,
        f"the person said no to {tool.name}" + (f": {reason}" if reason else ""),
        fix="do not repeat it unchanged; ask the person what is wanted",
        details=details,
    )


def timed_out(tool: ApprovableTool, ask: Ask) -> ServiceFailure:
    """No answer came, which is no."""
    again = " again, after what it would do had changed," if ask.question.note else ""
    return ServiceFailure(
        ErrorCode.APPROVAL_TIMEOUT,
        f"nobody said{again} in {ask.timeout_s:.0f} s whether {tool.name} may be called; nothing was done",
        fix="tell the person what waits, and call it again",
        details={"tool": tool.name, "request_id": ask.request_id, "operation": tool.name},
    )


def required(tool: ApprovableTool, request_id: str) -> ServiceFailure:
    """No person is there to be asked."""
    return ServiceFailure(
        ErrorCode.APPROVAL_REQUIRED,
        f"{tool.name} needs a person's approval, and nobody is looking at this session; nothing was done",
        fix=f"tell the person: {_HOW}; then call it again",
        details={"tool": tool.name, "request_id": request_id, "how": _HOW, "operation": tool.name},
    )


def too_many(tool: ApprovableTool, request_id: str, waiting: int) -> ServiceFailure:
    """So many questions wait that this one is not even asked."""
    how = f"answer what waits first; {_HOW}"
    return ServiceFailure(
        ErrorCode.APPROVAL_REQUIRED,
        f"{tool.name} needs a person's approval, and {waiting} calls wait for one already; nothing was done",
        fix="wait for the answers to your other calls before you make more",
        details={"tool": tool.name, "request_id": request_id, "how": how, "operation": tool.name},
    )
