"""One call of a tool, from any entry point: checked, approved, done, written down.

MCP, the hook API and scripts in the notebook all come through `call_tool`, so that what needs a person's yes
is decided here and nowhere else. It never raises for a failure of the model or of a person who says no: that
is an answer. Knows no transport; runs on the caller's thread, which must not be the session's.
"""

from __future__ import annotations

import difflib
import logging
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.agents.calls import outcomes
from notebook_ext.agents.calls.call import Call, Preview, Progress, Tool
from notebook_ext.agents.calls.expected_revision import require_expected, state_of
from notebook_ext.agents.calls.outcomes import Outcome
from notebook_ext.agents.registry import find
from notebook_ext.agents.world import AgentWorld, CallUnderWay
from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.log.log import on_behalf_of
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError
from vcad_kernel.plain_text import plain
from vcad_kernel.request_id import new_request_id, request

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

    from notebook_ext.agents.calls.call import Tool
    from notebook_ext.approval.deciding import Decision

__all__ = ["call_tool", "checked_arguments", "without_nulls"]

# a bug is reported in the session's log; without a handler Python would print it into the person's cell
logging.getLogger("vcad_kernel.error_envelope").addHandler(logging.NullHandler())


def call_tool(
    world: AgentWorld,
    name: str,
    raw: Mapping[str, Any],
    *,
    agent: str,
    connection: str | None = None,
    request_id: str | None = None,
    progress: Progress | None = None,
    cancelled: threading.Event | None = None,
) -> Outcome:
    """Call a tool, and wait for what comes of it; on any thread but the session's.

    connection: what no other program has of the caller's; see `Caller`.
    request_id: as a program chose it; by default a new one. cancelled: set to give the call up.
    """
    call = Call(world, agent, request_id or new_request_id(), progress, cancelled or threading.Event(), name)
    with world.listed(CallUnderWay(call.request_id, name, agent, raw)):
        return _done(name, raw, call, connection)


def _done(name: str, raw: Mapping[str, Any], call: Call, connection: str | None) -> Outcome:
    """Do one call: check the arguments, have a person asked where the policy wants it, run, write it down."""
    began = time.monotonic()
    how = ""
    arguments: Mapping[str, Any] = raw
    with request(call.request_id), on_behalf_of(call.agent):
        try:
            tool = find(name)
            arguments = without_nulls(tool, raw)
            checked = checked_arguments(tool, arguments)
            require_expected(checked, call)  # a person is asked only for what can be done
            decision = _decided(tool, checked, arguments, call, connection)
            how = decision.how
            if decision.error is not None:
                raise decision.error
            if decision.changed:
                checked = checked_arguments(tool, decision.arguments)
            arguments = checked.model_dump(mode="json", exclude_unset=True)
            call.checkpoint()
            require_expected(checked, call)  # a person may have taken their time
            given = tool.run(checked, replace(call, approved=decision.effect))
            call.approvals.done(decision)
            outcome = outcomes.answer(given, name, files=call.files, request_id=call.request_id)
            if decision.changed:
                outcome.body["changed_arguments"] = {name: arguments.get(name) for name in decision.changed}
        except (VcadError, LoonCellFailed) as error:
            outcome = outcomes.failure(error, name)
        except Exception as bug:  # noqa: BLE001 - ours, and reported as such: the agent's connection must live
            outcome = outcomes.failure(bug, name)
            call.session.note(
                "internal_error", level="error", tool=name, error="".join(traceback.format_exception(bug))
            )
        if not outcome.success:  # a line of the source may be as long as the source
            outcome.body.update(outcomes.cut_texts(outcome.body, call.files, call.request_id))
        news = call.files.updates.take(call.agent)
        if news:
            outcome.body["files_updated"] = news
        _note(name, arguments, outcome, call, seconds=time.monotonic() - began, approval=how)
    return outcome


def _decided(
    tool: Tool, checked: BaseModel, raw: Mapping[str, Any], call: Call, connection: str | None
) -> Decision:
    """Whether the call may be done, and with which arguments; blocks while a person is asked.

    Raises: Cancelled; what a preview raises.
    """

    def preview(arguments: Mapping[str, Any]) -> Preview:
        if tool.affects is None:
            return Preview()
        return tool.affects(checked if arguments == raw else checked_arguments(tool, arguments), call)

    return call.approvals.decide(
        tool,
        dict(raw),
        agent=call.agent,
        connection=connection,
        request_id=call.request_id,
        model_revision=lambda: state_of(checked, call),
        preview=preview,
        tick=None if call.on_progress is None else lambda text: call.progress(0, None, text),
        cancelled=call.cancelled,
    )


def _note(
    name: str,
    arguments: Mapping[str, Any],
    outcome: Outcome,
    call: Call,
    *,
    seconds: float,
    approval: str,
) -> None:
    """Write down what was called and what came of it, and let the person see who did it."""
    failed = outcome.body.get("error_code")
    record = {
        "tool": name,
        "agent": call.agent,
        "node_id": arguments.get("node_id"),
        "error_code": failed,
        "elapsed_ms": round(seconds * 1000, 1),
    }
    call.session.note("tool_called", _line(name, arguments, outcome, call.agent), **record)
    call.world.tally.add(name, failed, seconds)
    called = {**record, "request_id": call.request_id, "success": outcome.success, "approval": approval}
    if "files_updated" in outcome.body:
        called["files_updated"] = outcome.body["files_updated"]
    call.world.report(called)
    call.journal.called(
        name,
        arguments,
        outcome,
        agent=call.agent,
        request_id=call.request_id,
        seconds=seconds,
        approval=approval,
    )


_LONGEST_NAME: Final = 80
"""Characters of what a call was about, in the line that a person reads."""


def _line(name: str, arguments: Mapping[str, Any], outcome: Outcome, agent: str) -> str:
    """What a person reads of a call; "" for one that only read."""
    try:
        if find(name).risk == "R":
            return ""
    except VcadError:
        return ""
    several = arguments.get("node_ids")
    on = arguments.get("node_id") or arguments.get("path") or arguments.get("source") or ""
    if isinstance(several, list) and several:
        on = ", ".join(str(part) for part in several)
    on = str(on).partition("\n")[0][:_LONGEST_NAME]
    revision = outcome.body.get("revision")
    came = outcome.body.get("error_code") or ("" if revision is None else f"revision {revision}")
    line = f"{agent}: {name}" + (f" {on}" if on else "") + (f" → {came}" if came else "")
    return plain(line, stays="")


# ---- the arguments of a call: as the tool's model wants them, or a refusal that says how they must be ----


_MOST: Final = 5
"""Mistakes that one answer lists."""


def without_nulls(tool: Tool, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that are given: what may be left out may also be null, as many clients send it."""
    fields = tool.arguments.model_fields
    return {
        name: value
        for name, value in raw.items()
        if value is not None or name not in fields or fields[name].is_required()
    }


def checked_arguments(tool: Tool, raw: Mapping[str, Any]) -> BaseModel:
    """The arguments as the tool wants them. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    from pydantic import ValidationError

    _require_text(tool, raw, "")
    try:
        return tool.arguments.model_validate(without_nulls(tool, raw))
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False, include_input=False)
        raise _refused(tool, errors) from None


def _require_text(tool: Tool, given: Any, path: str) -> None:
    """Half characters, as JSON can escape them, fit into no file and no answer.

    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    if isinstance(given, str) and not given.isascii() and any("\ud800" <= char <= "\udfff" for char in given):
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            f"{tool.name}: {path}: must be Unicode text, and it holds half of a surrogate pair",
            details={"path": path, "expected": "Unicode text", "operation": tool.name},
        )
    if isinstance(given, Mapping):
        for name, value in given.items():
            _require_text(tool, str(name), path or "arguments")
            _require_text(tool, value, f"{path}.{name}" if path else str(name))
    elif isinstance(given, list):
        for index, value in enumerate(given):
            _require_text(tool, value, f"{path}.{index}")


def _refused(tool: Tool, errors: list[ErrorDetails]) -> ServiceFailure:
    missing = [str(error["loc"][0]) for error in errors if error["type"] == "missing"]
    problems = [
        {"path": ".".join(str(step) for step in error["loc"]), "expected": _expected(tool, error, missing)}
        for error in errors[:_MOST]
    ]
    message = "; ".join(f"{problem['path'] or 'arguments'}: {problem['expected']}" for problem in problems)
    details: dict[str, Any] = {**problems[0], "operation": tool.name}
    if len(errors) > 1:
        details["problems"] = problems
    return ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"{tool.name}: {message}",
        fix=f"its arguments are {_listed(tool)}",
        details=details,
    )


def _expected(tool: Tool, error: ErrorDetails, missing: Sequence[str]) -> str:
    """What would have been right, without the words of the library that checks.

    missing: the arguments that must be given, and are not.
    """
    context: Mapping[str, Any] = error.get("ctx") or {}
    match error["type"]:
        case "extra_forbidden":
            return _unknown(tool, error, missing)
        case "missing":
            return "must be given"
        case "tuple_type" | "list_type":
            return "must be a list"
        case "literal_error":
            return f"must be {context.get('expected')}"
        case "too_short":
            return f"must have {context.get('min_length')} items, has {context.get('actual_length')}"
        case "too_long":
            return f"must have at most {context.get('max_length')} items, has {context.get('actual_length')}"
        case "greater_than_equal":
            return f"must be at least {context.get('ge')}"
        case "less_than_equal":
            return f"must be at most {context.get('le')}"
        case _:
            text = str(error["msg"]).removeprefix("Value error, ")
            return f"must be {text[16:]}" if text.startswith("Input should be a") else text


def _unknown(tool: Tool, error: ErrorDetails, missing: Sequence[str]) -> str:
    """The argument that was meant: one of a like name, else the only one that is missing."""
    name = str(error["loc"][-1])
    near = difflib.get_close_matches(name, tool.arguments.model_fields, 1) if len(error["loc"]) == 1 else []
    if not near and len(error["loc"]) == 1 and len(missing) == 1:
        near = list(missing)
    return "there is no such argument" + (f"; did you mean {near[0]}?" if near else "")


def _listed(tool: Tool) -> str:
    """The names, those first that must be given."""
    fields = tool.arguments.model_fields
    names = [name for name, field in fields.items() if field.is_required()]
    optional = [f"{name}?" for name, field in fields.items() if not field.is_required()]
    return ", ".join((*names, *optional)) or "none: call it with {}"
