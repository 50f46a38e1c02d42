"""The arguments of a call: as the tool's model wants them, or a refusal that says how they must be."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

    from notebook_ext.agents.calls.call import Tool

__all__ = ["checked_arguments", "without_nulls"]

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
