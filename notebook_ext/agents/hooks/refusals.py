"""What the hook API answers when it cannot do what was asked: a status, and ``{error, error_code}``.

The status follows from the error's code, so that one failure has one status on every path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from notebook_ext.display.failure import LoonCellFailed
from vcad_kernel.error_envelope import envelope, error_from
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

__all__ = ["UnknownTag", "malformed", "outcome_error", "refusal", "status_of"]

_STATUS: Final[Mapping[str, int]] = {
    ErrorCode.REVISION_CONFLICT: 409,
    ErrorCode.STALE_REVISION: 409,
    ErrorCode.BUSY: 409,
    ErrorCode.EVAL_CANCELLED: 499,  # the client has gone
    ErrorCode.ASK_TIMEOUT: 504,
    ErrorCode.TIMEOUT: 504,
    ErrorCode.UNKNOWN_OUTCOME: 504,
    ErrorCode.APPROVAL_TIMEOUT: 504,
    ErrorCode.PAYLOAD_TOO_LARGE: 413,
    ErrorCode.METHOD_NOT_FOUND: 404,
    ErrorCode.TOOL_NOT_FOUND: 404,
    ErrorCode.FILE_NOT_FOUND: 404,
    ErrorCode.NODE_NOT_FOUND: 404,
    ErrorCode.APPROVAL_REQUIRED: 403,
    ErrorCode.PERSON_ONLY: 403,
    ErrorCode.AUTH_INVALID: 403,
    ErrorCode.APPROVAL_DENIED: 403,
    ErrorCode.PATH_NOT_ALLOWED: 403,
    ErrorCode.CAPABILITY_UNAVAILABLE: 503,
    ErrorCode.SAVE_FAILED: 500,
    ErrorCode.TRUTH_INVALID: 422,
    ErrorCode.SESSION_UNAVAILABLE: 503,
    ErrorCode.CONNECTION_FAILED: 503,
    ErrorCode.CONNECTION_TIMEOUT: 504,
    ErrorCode.INTERNAL_ERROR: 500,
}


class UnknownTag(ServiceFailure):
    """A tag that names no field, button or list of this session: 404.

    known: the tags that would do.
    """

    def __init__(self, tag: str, known: tuple[str, ...], *, what: str = "tag") -> None:
        super().__init__(
            ErrorCode.INVALID_PARAMS,
            f"there is no {what} {tag!r}; there are {', '.join(known) or 'none'}",
            fix="GET /api/gui/tags lists them",
            details={"path": what, "expected": f"one of {', '.join(known)}", "operation": "gui"},
        )


def malformed(path: str, expected: str, *, operation: str = "hook API") -> ServiceFailure:
    """What is said of a body or query that is not as it must be. path: of the value at fault."""
    return ServiceFailure(
        ErrorCode.INVALID_PARAMS,
        f"{path} must be {expected}",
        details={"path": path, "expected": expected, "operation": operation},
    )


def outcome_error(body: Mapping[str, Any], operation: str) -> VcadError:
    """The error that a tool's answer of ``success: false`` speaks of."""
    error = {"error_code": body["error_code"], "message": body["error"], "details": body["details"]}
    return error_from(error, operation)


def status_of(error: VcadError) -> int:
    """The HTTP status of a failure; 400 for whatever the caller can mend in his request."""
    return 404 if isinstance(error, UnknownTag) else _STATUS.get(error.error_code, 400)


def refusal(error: VcadError | LoonCellFailed, operation: str) -> tuple[int, dict[str, Any]]:
    """The status and the body of a failure: ``{error, error_code, details}``. operation: the path."""
    known = error.error if isinstance(error, LoonCellFailed) else error
    wire = envelope(known, operation)
    body = {"error": wire["message"], "error_code": wire["error_code"], "details": wire["details"]}
    if known.error_code == ErrorCode.ASK_TIMEOUT:
        body["request_id"] = wire["details"]["request_id"]
    return status_of(known), body
