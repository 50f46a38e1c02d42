"""A call of a tool as a question to a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from notebook_ext.agents.approval.asks import Question
from notebook_ext.agents.approval.policy import may_be_remembered, risk_of
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.agents.registry import Preview, Tool

__all__ = ["looked_once", "question_of"]


def looked_once(preview: Preview | Callable[[], Preview] | None) -> Callable[[], Preview | None]:
    """A preview that is found at most once, and only if it is wanted."""
    if not callable(preview):
        return lambda: preview
    found: list[Preview] = []

    def look() -> Preview:
        if not found:
            found.append(preview())
        return found[0]

    return look


def question_of(
    tool: Tool,
    arguments: Mapping[str, Any],
    agent: str,
    request_id: str,
    look: Callable[[], Preview | None],
    note: str = "",
) -> Question:
    """The question whether a call may be done. look: gives the preview. note: what else is to be known."""
    seen = look()

    def check(edited: Mapping[str, Any]) -> None:
        from pydantic import ValidationError

        try:
            tool.arguments.model_validate(dict(edited))
        except ValidationError as invalid:
            first = invalid.errors(include_url=False, include_context=False, include_input=False)[0]
            path = ".".join(str(one) for one in first["loc"])
            raise ServiceFailure(
                ErrorCode.SCHEMA_VALIDATION_FAILED,
                f"{path or 'arguments'}: {first['msg']}",
                fix=f"the arguments of {tool.name} are {', '.join(tool.arguments.model_fields) or 'none'}",
                details={"path": path, "expected": str(first["msg"]), "operation": tool.name},
            ) from None

    return Question(
        kind="approval",
        summary=(seen.summary if seen is not None else "") or f"{tool.name} is to be called",
        tool=tool.name,
        risk=risk_of(tool, arguments),
        agent=agent,
        arguments=dict(arguments),
        diff="" if seen is None else seen.diff,
        objects=() if seen is None else tuple(seen.objects),
        call_id=request_id,
        remember_offered=may_be_remembered(tool, arguments),
        note=note,
        check=check,
    )
