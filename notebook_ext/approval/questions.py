"""A call of a tool as a question to a person, and what makes an edited answer acceptable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from notebook_ext.approval.asks import Question, unexplained
from notebook_ext.approval.policy import may_be_remembered, risk_of
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.approval.calls import ApprovableTool, Preview

__all__ = ["question_of"]


def question_of(
    tool: ApprovableTool,
    arguments: Mapping[str, Any],
    agent: str,
    request_id: str,
    seen: Preview | None,
    forbidden: Callable[[Mapping[str, Any]], bool],
    note: str = "",
) -> Question:
    """The question whether a call may be done. seen: what it would change. note: what else is to be known.

    forbidden: whether the policy forbids the call with other arguments; nobody says yes to that by editing.
    """

    def check(edited: Mapping[str, Any]) -> None:
        _check(tool, edited)
        if forbidden(edited):
            raise _refused(tool, "", "the policy forbids the call with these arguments")

    return Question(
        kind="approval",
        summary=(seen.summary if seen is not None else "") or unexplained(tool.name),
        tool=tool.name,
        risk=risk_of(tool, arguments),
        agent=agent,
        arguments=dict(arguments),
        diff="" if seen is None else seen.diff,
        code="" if seen is None else seen.code,
        objects=() if seen is None else tuple(seen.objects),
        picture=None if seen is None else seen.picture,
        call_id=request_id,
        remember_offered=may_be_remembered(tool, arguments),
        note=note,
        check=check,
    )


def _check(tool: ApprovableTool, edited: Mapping[str, Any]) -> None:
    from pydantic import ValidationError

    try:
        tool.arguments.model_validate(dict(edited))
    except ValidationError as invalid:
        first = invalid.errors(include_url=False, include_context=False, include_input=False)[0]
        raise _refused(tool, ".".join(str(one) for one in first["loc"]), str(first["msg"])) from None


def _refused(tool: ApprovableTool, path: str, expected: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"{path or 'arguments'}: {expected}",
        fix=f"the arguments of {tool.name} are {', '.join(tool.arguments.model_fields) or 'none'}",
        details={"path": path, "expected": expected, "operation": tool.name},
    )
