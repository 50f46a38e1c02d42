"""What SketchUp's extension says went wrong, as the errors of this workbench.

A current extension gives ``error_code`` and ``details``, and they are kept as they are. One of before gives
a sentence, and mostly the number -32603: the code is then read from how the sentence begins, here and
nowhere else (4.5 of the protocol's specification). Knows no connection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.error_envelope import error_from
from vcad_kernel.errors import VcadError

__all__ = ["failed_result", "peer_error"]

Details = Mapping[str, Any]


def _path(rest: str) -> Details:
    """``Path access denied for WHAT: PATH``."""
    what, _, path = rest.partition(": ")
    return {"path": path or what}


def _entity(rest: str) -> Details:
    number = rest.split(maxsplit=1)[0].rstrip(".,;") if rest else ""
    return {"entity_id": int(number) if number.isascii() and number.isdigit() else rest}


_PREFIXES: Final[Mapping[str, tuple[ErrorCode, Callable[[str], Details]]]] = {
    "Unknown tool: ": (ErrorCode.TOOL_NOT_FOUND, lambda rest: {"tool": rest}),
    "Path access denied for ": (ErrorCode.PATH_NOT_ALLOWED, _path),
    "Ruby evaluation error: ": (ErrorCode.RUBY_ERROR, lambda rest: {"reason": rest}),
    "Ruby syntax error: ": (ErrorCode.RUBY_ERROR, lambda rest: {"reason": rest}),
    "IMPORT_DEFINITION_NOT_FOUND: ": (
        ErrorCode.IMPORT_DEFINITION_NOT_FOUND,
        lambda rest: {"path": rest},
    ),
    "Ruby file not found: ": (ErrorCode.RUBY_FILE_NOT_FOUND, lambda rest: {"path": rest}),
    "Entity not found: ": (ErrorCode.ENTITY_NOT_FOUND, _entity),
    "vcad node not found: ": (ErrorCode.NODE_NOT_FOUND, lambda rest: {"node_id": rest}),
    "No active model": (ErrorCode.MODEL_UNAVAILABLE, lambda _: {}),
}
"""How the sentences of an older extension begin, and what they mean."""

_WRAPPING: Final = " failed: "
"""``Update of plate failed: <the sentence>``: an older extension puts its own words before."""

_WRONG_MODEL: Final = ("expected_model_path", "active_model_path", "active_model_title")
"""What some older extensions say in ``data`` itself."""

_NUMBERS: Final[Mapping[int, ErrorCode]] = {
    -32700: ErrorCode.PARSE_ERROR,
    -32600: ErrorCode.INVALID_REQUEST,
    -32601: ErrorCode.METHOD_NOT_FOUND,
    -32602: ErrorCode.INVALID_PARAMS,
    -32001: ErrorCode.AUTH_INVALID,
}
"""What a number alone says; -32603 says nothing, an older extension has it for everything."""

_FIXES: Final[Mapping[str, str]] = {
    ErrorCode.AUTH_REQUIRED: "set SUPEX_AUTH_TOKEN here to what it is where SketchUp was started",
    ErrorCode.AUTH_INVALID: "set SUPEX_AUTH_TOKEN here to what it is where SketchUp was started",
    ErrorCode.EVAL_DISABLED: "allow Ruby evaluation in the extension's settings in SketchUp",
    ErrorCode.BUSY: "finish what SketchUp is doing, then try again",
    ErrorCode.BUSY_EDITING: "leave the component that is being edited in SketchUp, then try again",
    ErrorCode.WRONG_MODEL: "bring that model to the front in SketchUp, or change SUPEX_EXPECTED_MODEL",
    ErrorCode.MODEL_UNAVAILABLE: "open a model in SketchUp",
    ErrorCode.PATH_NOT_ALLOWED: "keep files that SketchUp reads or writes inside the workspace",
    ErrorCode.STATE_CHANGED: "look at the model and plan again: a person has changed it meanwhile",
    ErrorCode.TOOL_NOT_FOUND: "install the extension that `vcad sketchup package` makes",
    ErrorCode.NODE_NOT_FOUND: "push the part again; it is no longer in this model",
}
"""What to do, where the extension gives no hint itself."""


def peer_error(error: Any, operation: str, workspace: str | None = None) -> VcadError:
    """The error of a JSON-RPC error object.

    operation: what was asked for. workspace: ours, for a refusal of a path that does not name it.
    """
    members = error if isinstance(error, dict) else {}
    data = members.get("data")
    data = data if isinstance(data, dict) else {}
    message = _sentence(members.get("message"))
    code = data.get("error_code")
    details = data.get("details")
    if data.get("error_type") == "wrong_model":
        code, details = str(ErrorCode.WRONG_MODEL), {key: data.get(key) for key in _WRONG_MODEL}
    elif not isinstance(code, str) or not code:
        code, known = _from_sentence(message, members.get("code"))
        details = {**known, **(details if isinstance(details, dict) else {})}
        details.setdefault("legacy", True)
    return _made(code, message, details, data.get("hint"), operation, workspace)


def failed_result(result: Mapping[str, Any], operation: str, workspace: str | None = None) -> VcadError:
    """The error of a result that says ``success: false``."""
    message = _sentence(result.get("error") or result.get("message"))
    code, details = result.get("error_code"), result.get("details")
    if not isinstance(code, str) or not code:
        code, known = _from_sentence(message, None)
        details = {**known, **(details if isinstance(details, dict) else {})}
    return _made(code, message, details, result.get("hint"), operation, workspace)


def _sentence(message: Any) -> str:
    return message if isinstance(message, str) and message else "SketchUp's extension gives no reason"


def _from_sentence(message: str, number: Any) -> tuple[str, Details]:
    """Code and details that a sentence without a code stands for."""
    for sentence in (message, message.partition(_WRAPPING)[2]):
        for prefix, (code, details) in _PREFIXES.items():
            if sentence.startswith(prefix):
                return str(code), details(sentence.removeprefix(prefix))
    known = _NUMBERS.get(number) if isinstance(number, int) else None
    return str(known or ErrorCode.REMOTE_ERROR), {}


def _made(
    error_code: str, message: str, details: Any, hint: Any, operation: str, workspace: str | None
) -> VcadError:
    """The error, with every detail that its code must have: what the peer has left out is null."""
    complete: dict[str, Any] = {**details} if isinstance(details, dict) else {}
    if not isinstance(complete.get("operation"), str):
        complete["operation"] = operation
    if error_code in _OF_GEOMETRY and type(complete.get("node_id")) is not int:
        complete.pop("node_id", None)  # the bridge's nodes have names, those of a document numbers
    if error_code == ErrorCode.PATH_NOT_ALLOWED:
        complete.setdefault("workspace", workspace)
    known = ErrorCode(error_code) if error_code in _KNOWN else None
    if known is not None:
        for key in known.required:
            complete.setdefault(key, None)
        if known.one_of and not any(key in complete for key in known.one_of):
            complete[known.one_of[0]] = None
    error = error_from({"error_code": error_code, "message": message, "details": complete}, operation)
    error.fix = hint if isinstance(hint, str) and hint else error.fix or _FIXES.get(error_code)
    return error


_OF_GEOMETRY: Final = (ErrorCode.GEOMETRY_INVALID, ErrorCode.GEOMETRY_FAILED)
_KNOWN: Final = frozenset(str(code) for code in ErrorCode)
