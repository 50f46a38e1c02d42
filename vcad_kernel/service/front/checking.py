"""Whether what passes the front fits its schema: what clients ask, and what they are answered.

Each schema is compiled when it is first needed; `prepare` does that ahead for those that a session needs at
once, while its worker is still being started.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from vcad_kernel.contracts.tools import Tool
from vcad_kernel.contracts.validation import prepare as compile_ahead
from vcad_kernel.contracts.validation import schema, validate

__all__ = [
    "check_arguments",
    "check_call",
    "check_hello",
    "check_result",
    "check_session",
    "listed",
    "prepare",
]

_FIRST: Final = (
    "hello#params",
    "hello#result",
    "tools_call",
    "vcad.eval_cell#arguments",
    "vcad.eval_cell#result",
    "vcad.eval_code#arguments",
    "vcad.eval_code#result",
    "vcad.ask#arguments",
    "vcad.ask#result",
)


def prepare() -> None:
    """Have the first checks ready; for a thread, since it takes a while."""
    compile_ahead(*_FIRST)


def check_hello(params: Mapping[str, Any]) -> None:
    """The parameters of ``hello``. Raises: ServiceFailure, SCHEMA_VALIDATION_FAILED."""
    validate("hello#params", params, operation="hello")


def check_session(answer: Mapping[str, Any]) -> None:
    """The result of ``hello``. Raises: as `check_hello`: we are at fault ourselves."""
    validate("hello#result", answer, operation="hello")


def check_call(params: Mapping[str, Any]) -> None:
    """The parameters of ``tools/call``. Raises: as `check_hello`."""
    validate("tools_call", params, operation="tools/call")


def check_arguments(tool: str, arguments: Mapping[str, Any]) -> None:
    """What a tool is asked. Raises: as `check_hello`."""
    validate(f"{tool}#arguments", arguments, operation=tool)


def check_result(tool: str, result: Mapping[str, Any]) -> None:
    """What a tool answers. Raises: as `check_hello`: one of our own processes is at fault."""
    validate(f"{tool}#result", result, operation=tool)


def listed(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Tools as ``tools/list`` names them."""
    return [
        {"name": tool.name, "description": tool.description, "inputSchema": _arguments_schema(tool.name)}
        for tool in tools
    ]


def _arguments_schema(tool: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = schema(tool)["$defs"]["arguments"]
    return found
