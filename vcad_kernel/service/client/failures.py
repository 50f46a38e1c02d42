"""The failures of calls, as a client knows them.

No service there, or no answer from it, is known here alone. Everything else that goes wrong is said by the
service: it always sends an envelope, in ``error.data``, and out of that comes the error which it was; what
comes without one is a fault of the protocol itself, which has a code of its own. Knows no connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from vcad_kernel.error_envelope import error_from
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

__all__ = [
    "Address",
    "NeverTakenUp",
    "connection_failed",
    "connection_timeout",
    "line_too_long",
    "refusal",
    "unspeakable",
]


@dataclass(frozen=True, slots=True)
class Address:
    """Where a service listens, and what it wants to hear."""

    host: str
    port: int
    token: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class NeverTakenUp(ServiceFailure):
    """The service was gone when the call was made, and that was not known yet: it may be made once more."""

    @classmethod
    def of(cls, error: VcadError) -> NeverTakenUp:
        """The same failure. error: of a connection that has ended."""
        return cls(error.error_code, error.message, why=error.why, fix=error.fix, details=error.details)


def connection_failed(
    host: str,
    port: int,
    operation: str,
    reason: str,
    *,
    why: str | None = None,
    fix: str = "run the cell again: the service is started anew, and nothing that was defined is lost",
    **details: Any,
) -> ServiceFailure:
    """No service could be reached, or it went away before it had answered.

    operation: the call that failed by it. why: what a person can read to find the cause. fix: what to do.
    """
    return ServiceFailure(
        ErrorCode.CONNECTION_FAILED,
        f"the evaluation service is not there: {reason}",
        why=why,
        fix=fix,
        details={"host": host, "port": port, "operation": operation, **details},
    )


def connection_timeout(host: str, port: int, operation: str, seconds: float) -> ServiceFailure:
    """A service that is there has not answered in time."""
    return ServiceFailure(
        ErrorCode.CONNECTION_TIMEOUT,
        f"the evaluation service has not answered {operation} within {seconds:g} s",
        fix="run the cell again; VCAD_TIMEOUT and VCAD_EVAL_TIMEOUT_MS say how long to wait",
        details={"host": host, "port": port, "operation": operation, "seconds": seconds},
    )


def line_too_long(operation: str, size: int, limit: int) -> ServiceFailure:
    """A call that the service would refuse unread, and close the connection over."""
    return ServiceFailure(
        ErrorCode.PAYLOAD_TOO_LARGE,
        f"{operation} takes {size} bytes to say, and the service reads {limit} at most",
        fix="pass less data into the cell, or keep it in a file of the workspace; VCAD_LINE_MAX is the limit",
        details={"operation": operation, "size": size, "limit": limit},
    )


def unspeakable(operation: str, reason: str) -> ServiceFailure:
    """A call that holds what JSON has no words for: no finite number, no Unicode, data that holds itself."""
    return ServiceFailure(
        ErrorCode.INVALID_PARAMS,
        f"{operation} cannot be asked that way: {reason}",
        details={"operation": operation, "path": "arguments", "expected": "finite numbers and plain data"},
    )


_PROTOCOL_FAULTS: Final[Mapping[int, ErrorCode]] = {
    -32700: ErrorCode.PARSE_ERROR,
    -32600: ErrorCode.INVALID_REQUEST,
    -32601: ErrorCode.METHOD_NOT_FOUND,
    -32602: ErrorCode.INVALID_REQUEST,
}


def refusal(error: Any, operation: str) -> VcadError:
    """The error that the ``error`` of an answer stands for.

    operation: the call that it answers, for one that says nothing of it.
    """
    said = error if isinstance(error, dict) else {}
    data = said.get("data")
    if isinstance(data, dict) and "error_code" in data:
        return error_from(data)
    number = said.get("code")
    code = _PROTOCOL_FAULTS.get(number) if isinstance(number, int) else None
    return ServiceFailure(
        code or ErrorCode.INTERNAL_ERROR,
        f"the evaluation service refused {operation}: {said.get('message') or 'it did not say why'}",
        details={"operation": operation},
    )
