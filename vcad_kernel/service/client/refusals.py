"""What a service answers in place of a result, as the error that it is.

A service of ours always sends an envelope, in ``error.data``; what comes without one is a fault of
the protocol itself, which has a code of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from vcad_kernel.error_envelope import error_from
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

__all__ = ["refusal"]

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
