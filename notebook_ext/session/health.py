"""How a session does: what answers and what does not, said also while it is busy.

health(…)     # {"status": "ok", "sidecar": {…}, "viewer": {…}, "sketchup": {…}, …}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from vcad_kernel.errors import CapabilityUnavailable, VcadError

if TYPE_CHECKING:
    from notebook_ext.sketchup.bridge.handshake import Handshake
    from notebook_ext.sketchup.status import SketchupStatus
    from vcad_kernel.contracts.messages import HelloAnswer

__all__ = ["ServiceStatus", "health"]

ServiceStatus: TypeAlias = Literal["running", "not_started", "lost", "in_process"]
"""Of the evaluation service; ``lost``: it was there, and the next evaluation finds or starts another."""

_PATIENCE: Final = 2.0
"""Seconds that the session's thread is given; the question is what is wrong, so the answer must come."""


def health(
    *,
    sketchup: Callable[[], Future[tuple[SketchupStatus, Handshake | None]]],
    service: HelloAnswer | None,
    service_status: ServiceStatus,
    shown: Sequence[str] | None,
    last_error: str | None,
) -> Mapping[str, Any]:
    """What answers. ``status`` is ok, degraded (something asks for attention) or down.

    sketchup: asks for its state, on the session's thread; raises VcadError. service: what the evaluation
    service says of itself that is connected now. shown: the parts in the live view; None without one.
    last_error: the failure that was noted last, where nothing is wrong now.
    """
    from notebook_ext.viewer.relay.messages import PROTOCOL as VIEWERS
    from notebook_ext.viewer.relay.messages import major
    from vcad_kernel.contracts.messages import PROTOCOL

    status, problem = "ok", None
    host: dict[str, Any] = {"status": "unknown", "version": None, "mock": False}
    capabilities: set[str] = set()
    try:
        pending = sketchup()
        try:
            state, handshake = pending.result(_PATIENCE)
        finally:
            pending.cancel()
        host = {
            "status": "connected" if state.connected else "not_running",
            "version": None if state.status is None else state.status.sketchup_version,
            "mock": handshake is not None and handshake.is_headless,
        }
        capabilities |= set() if handshake is None else handshake.capabilities
        status = "degraded" if state.trouble is not None else "ok"
        trouble = state.problem or state.trouble
        problem = None if trouble is None else trouble.message
    except TooLate:
        status = "degraded"
        problem = f"the session has been busy for more than {_PATIENCE:g} s; calls wait for their turn"
    except CapabilityUnavailable as closed:
        status, problem = "down", closed.message
    except VcadError as failed:
        status, problem = "degraded", failed.message
    capabilities |= set() if service is None else set(service.capabilities)
    return {
        "status": status,
        "sidecar": {
            "status": service_status,
            "protocol_version": PROTOCOL if service is None else service.protocol_version,
        },
        "viewer": {
            "status": "none" if shown is None else "shown",
            "protocol_version": int(major(VIEWERS)),
            "shown": list(shown or ()),
        },
        "sketchup": host,
        "capabilities": sorted(capabilities),
        "last_error": problem or last_error,
    }
