"""What is written into the region for an answer or a failure.

The result, or the error envelope, is JSON and what the front reads. Beside it stands the binary payload of
the layout: the scene as op records, or the error with its place.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.service.shared.payloads import EMPTY_SCENE, ErrorPayload, Failure, Phase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vcad_kernel.ir.document import Document

__all__ = ["Written", "answered", "refused"]


@dataclass(frozen=True, slots=True)
class Written:
    """The two parts of a response."""

    payload: bytes
    result: bytes
    is_error: bool = False
    error_code: int = 0


def answered(result: Mapping[str, Any], document: Document | None, diagnostics: str) -> Written:
    """The response of a request that succeeded.

    Raises: GeometryError ENCODE_FAILED for a document that the records cannot hold.
    """
    data = _json(result)
    if document is None and not diagnostics:
        return Written(EMPTY_SCENE, data)
    from vcad_kernel.ir import op_document
    from vcad_kernel.ir.op_stream import Stream

    if document is None:
        return Written(Stream((), (), diagnostics).to_bytes(), data)
    written = result.get("document")
    # large documents take long to write, and this one may have been written for the client already
    payload = base64.b64decode(written["records"]) if written else op_document.encode(document)
    if diagnostics:
        payload = replace(Stream.from_bytes(payload), diagnostics=diagnostics).to_bytes()
    return Written(payload, data)


_FAILURES: Final[Mapping[str, Failure]] = {
    ErrorCode.INVALID_PARAMS: Failure.INVALID_REQUEST,
    ErrorCode.SCHEMA_VALIDATION_FAILED: Failure.INVALID_REQUEST,
    ErrorCode.VCAD_EVAL_TIMEOUT: Failure.TIMEOUT,
    ErrorCode.INTERNAL_ERROR: Failure.INTERNAL,
    ErrorCode.WORKER_OUT_OF_MEMORY: Failure.INTERNAL,
}
_PHASES: Final[Mapping[str, Phase]] = {
    ErrorCode.LOON_SYNTAX: Phase.SCRIPT_LOAD,
    ErrorCode.IMPORT_FORM_INVALID: Phase.SCRIPT_LOAD,
    ErrorCode.FILE_NOT_FOUND: Phase.SCRIPT_LOAD,
    ErrorCode.PATH_NOT_ALLOWED: Phase.SCRIPT_LOAD,
    ErrorCode.INVALID_PARAMS: Phase.REQUEST_DECODE,
    ErrorCode.SCHEMA_VALIDATION_FAILED: Phase.REQUEST_DECODE,
    ErrorCode.INTERNAL_ERROR: Phase.UNKNOWN,
}


def refused(envelope: Mapping[str, Any], seq: int, seconds: float) -> Written:
    """The response of a request that failed.

    envelope: the error's wire form. seconds: how long it took to fail.
    """
    details = envelope["details"]
    failure = _FAILURES.get(envelope["error_code"], Failure.SCRIPT)
    phase = _PHASES.get(envelope["error_code"], Phase.SCRIPT_EXECUTE)
    calls = [call for call in details.get("stack", ()) if isinstance(call, dict)]
    payload = ErrorPayload(
        error_code=failure,
        phase=phase,
        line=details.get("line") or 0,
        column=details.get("column") or 0,
        run_id=seq,
        duration_ms=round(1000 * seconds),
        file=details.get("file") or "",
        stack="\n".join(_call(call) for call in calls),
        message=envelope["message"],
    )
    return Written(payload.to_bytes(), _json(envelope), is_error=True, error_code=failure)


def _call(entry: Mapping[str, Any]) -> str:
    place = f"  at {entry['file']}:{entry['line']}" if entry.get("file") else ""
    return f"{entry['name']}{place}"


def _json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")
