"""JSON-RPC 2.0 in lines: what a line of bytes says, and the lines of answers (service.md §2).

    call = parse(line)                 # a Call, or RpcFault with what to answer
    line = answer(call.rpc_id, result)

Knows the protocol's own faults and nothing of what is called.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import msgspec

from vcad_kernel.error_codes import ErrorCode, rpc_number

__all__ = [
    "PARSE_ERROR",
    "Call",
    "RpcFault",
    "RpcId",
    "answer",
    "failure",
    "notification",
    "parse",
    "read_json",
]


def read_json(data: bytes) -> Any:
    """The value of a text in UTF-8.

    Raises: ValueError; RecursionError for what is nested too deeply.
    """
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        # not from bytes: json would take UTF-16 for what it looks like
        return json.loads(data.decode("utf-8"), parse_constant=_no_number, parse_float=_finite)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:20]} is larger than any number")
    return number


PARSE_ERROR: Final = -32700
"""The standard's number for a line that cannot be read."""

RpcId: TypeAlias = str | int | float | None


class RpcFault(Exception):
    """A line that is no proper call.

    path: where in the message the fault is, as ``$.method``. expected: what would have been right there.
    rpc_id: the id to answer with, None where it could not be read. silent: it was a notification, which gets
    no answer even so.
    """

    def __init__(
        self,
        error_code: ErrorCode,
        message: str,
        *,
        path: str,
        expected: str,
        rpc_id: RpcId = None,
        silent: bool = False,
    ) -> None:
        super().__init__(message)
        self.error_code = error_code
        self.message = message
        self.path = path
        self.expected = expected
        self.rpc_id = rpc_id
        self.silent = silent

    def envelope(self) -> dict[str, Any]:
        """What goes along with the answer."""
        details = {"path": self.path, "expected": self.expected, "operation": "request"}
        return {"error_code": str(self.error_code), "message": self.message, "details": details}


@dataclass(frozen=True, slots=True)
class Call:
    """A request, or a notification."""

    method: str
    params: Mapping[str, Any]
    rpc_id: RpcId = None
    is_notification: bool = False


def parse(line: bytes) -> Call:
    """The call of a line, without its newline.

    Raises: RpcFault.
    """
    try:
        message = read_json(line)
    except (ValueError, RecursionError) as bad:
        raise RpcFault(
            ErrorCode.PARSE_ERROR,
            f"the line is not JSON: {_reason(bad)}",
            path="$",
            expected="a JSON object in UTF-8",
        ) from bad
    if isinstance(message, list):
        raise RpcFault(
            ErrorCode.BATCH_UNSUPPORTED,
            "a batch is not taken: send one request a line",
            path="$",
            expected="an object",
        )
    if not isinstance(message, dict):
        raise RpcFault(ErrorCode.INVALID_REQUEST, "the line holds no request", path="$", expected="an object")
    return _call(message)


def _call(message: Mapping[str, Any]) -> Call:
    rpc_id = message.get("id")
    silent = "id" not in message
    if isinstance(rpc_id, bool) or not (rpc_id is None or isinstance(rpc_id, str | int | float)):
        raise _invalid("an id is a string or a number", "$.id", "a string or a number", None)
    if message.get("jsonrpc") != "2.0":
        raise _invalid("the request is not JSON-RPC 2.0", "$.jsonrpc", '"2.0"', rpc_id)
    method = message.get("method")
    if not isinstance(method, str):
        raise _invalid("the request names no method", "$.method", "a string", rpc_id)
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise RpcFault(
            ErrorCode.INVALID_PARAMS,
            "parameters are given by name",
            path="$.params",
            expected="an object",
            rpc_id=rpc_id,
            silent=silent,
        )
    return Call(method, params, rpc_id, silent)


def _invalid(message: str, path: str, expected: str, rpc_id: RpcId) -> RpcFault:
    return RpcFault(ErrorCode.INVALID_REQUEST, message, path=path, expected=expected, rpc_id=rpc_id)


def _reason(bad: Exception) -> str:
    if isinstance(bad, RecursionError):
        return "it is nested too deeply"
    if isinstance(bad, UnicodeDecodeError):
        return f"it is not UTF-8 at byte {bad.start}"
    return str(bad)


def answer(rpc_id: RpcId, result: Any) -> bytes:
    """The line of a result."""
    return _line({"jsonrpc": "2.0", "id": rpc_id, "result": result})


def failure(rpc_id: RpcId, envelope: Mapping[str, Any], number: int | None = None) -> bytes:
    """The line of an error.

    envelope: ``{error_code, message, details}``, which goes along as its data. number: JSON-RPC's own, by
    default the one of the error code.
    """
    number = rpc_number(envelope["error_code"]) if number is None else number
    error = {"code": number, "message": envelope["message"], "data": envelope}
    return _line({"jsonrpc": "2.0", "id": rpc_id, "error": error})


def notification(method: str, params: Mapping[str, Any]) -> bytes:
    """The line of a message that wants no answer."""
    return _line({"jsonrpc": "2.0", "method": method, "params": params})


def _line(message: Mapping[str, Any]) -> bytes:
    """The text of a message, on one line, in UTF-8. Its numbers are finite."""
    try:
        return msgspec.json.encode(message) + b"\n"
    except (UnicodeEncodeError, OverflowError):
        return json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
