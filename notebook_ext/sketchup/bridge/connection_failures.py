"""The failures that only our side of the bridge can know of: not reached, no answer, outcome unknown.

What the extension itself says stands in `peer_errors.py`. Knows no connection.
"""

from __future__ import annotations

from typing import Any, Final

from notebook_ext.sketchup.bridge.address import BridgeAddress
from vcad_kernel.errors import Cancelled, ErrorCode, ServiceFailure, VcadError

__all__ = [
    "connection_failed",
    "connection_timeout",
    "interrupted",
    "not_reached",
    "request_too_long",
    "response_too_long",
    "unknown_outcome",
]

_START: Final = (
    "start SketchUp with the vcad extension (`vcad sketchup package` makes it), "
    "or run `vcad sketchup --headless` for a model without SketchUp"
)


def not_reached(address: BridgeAddress, operation: str, reason: str) -> ServiceFailure:
    """Nothing listens there."""
    return ServiceFailure(
        ErrorCode.CONNECTION_FAILED,
        f"SketchUp is not there: {address} does not answer ({reason})",
        fix=f"{_START}; SUPEX_HOST and SUPEX_PORT say where it is looked for",
        details=_where(address, operation, reason=reason),
    )


def connection_failed(address: BridgeAddress, operation: str, reason: str) -> ServiceFailure:
    """It was there and went away, or what is there is something else; nothing was changed by the call."""
    return ServiceFailure(
        ErrorCode.CONNECTION_FAILED,
        f"the connection to SketchUp at {address} failed in {operation}: {reason}",
        fix="try again; if it stays so, restart SketchUp, and check SUPEX_HOST and SUPEX_PORT",
        details=_where(address, operation, reason=reason),
    )


def connection_timeout(address: BridgeAddress, operation: str, seconds: float) -> ServiceFailure:
    """It is there and does not answer; nothing was changed by the call."""
    return ServiceFailure(
        ErrorCode.CONNECTION_TIMEOUT,
        f"SketchUp at {address} has not answered {operation} within {seconds:g} s",
        why="SketchUp does not answer while a dialog or a menu is open, or while it computes",
        fix="close what is open in SketchUp and try again; SUPEX_TIMEOUT says how long to wait",
        details=_where(address, operation, seconds=seconds),
    )


def unknown_outcome(
    address: BridgeAddress, operation: str, reason: str, request_id: str | None, **details: Any
) -> ServiceFailure:
    """A call that changes the model was sent, and no answer to it came."""
    return ServiceFailure(
        ErrorCode.UNKNOWN_OUTCOME,
        f"{operation} was sent to SketchUp and no answer came: {reason}",
        why="it may have been carried out or not",
        fix="look at the model (`%loon_sketchup`) before you repeat it",
        details=_where(address, operation, reason=reason, request_id=request_id, **details),
    )


def interrupted(operation: str) -> VcadError:
    """Stopped by a person before anything was sent."""
    return Cancelled(
        f"{operation} was stopped before it was sent to SketchUp",
        details={"operation": operation},
    )


def request_too_long(operation: str, size: int, limit: int) -> ServiceFailure:
    """A call that the extension would refuse unread."""
    return ServiceFailure(
        ErrorCode.PAYLOAD_TOO_LARGE,
        f"{operation} takes {size} bytes to say, and SketchUp's extension reads {limit} at most",
        fix="pass large data as a file of the workspace",
        details={"operation": operation, "size": size, "limit": limit},
    )


def response_too_long(operation: str, size: int, limit: int) -> ServiceFailure:
    """An answer of which more came than is read."""
    return ServiceFailure(
        ErrorCode.PAYLOAD_TOO_LARGE,
        f"SketchUp's answer to {operation} is longer than {limit} bytes",
        fix="ask for less at a time, or raise SUPEX_MAX_RESPONSE",
        details={"operation": operation, "size": size, "limit": limit},
    )


def _where(address: BridgeAddress, operation: str, **details: Any) -> dict[str, Any]:
    given = {key: value for key, value in details.items() if value is not None}
    return {"host": address.host, "port": address.port, "operation": operation, **given}
