"""`vcad_health`: what answers and what does not, said also while the session is busy."""

from __future__ import annotations

from concurrent.futures import TimeoutError as TooLate
from typing import TYPE_CHECKING, Any, Final, Literal

from notebook_ext.agents.arguments import Answer, Arguments
from notebook_ext.agents.call import Call, Tool
from vcad_kernel.errors import CapabilityUnavailable, VcadError

if TYPE_CHECKING:
    from notebook_ext.session.linked.linked_parts import LinkedParts
    from notebook_ext.sketchup.status import SketchupStatus

__all__ = ["tools"]

_PATIENCE: Final = 2.0
"""Seconds that the session's thread is given; the question is what is wrong, so the answer must come."""


class _Nothing(Arguments):
    pass


class _Service(Answer):
    status: Literal["running", "not_started"]
    protocol_version: int


class _Viewer(Answer):
    status: Literal["shown", "none"]
    shown: list[str]


class _SketchUp(Answer):
    status: Literal["connected", "not_running", "unknown"]
    version: str | None
    mock: bool


class _Health(Answer):
    status: Literal["ok", "degraded", "down"]
    sidecar: _Service
    viewer: _Viewer
    sketchup: _SketchUp
    capabilities: list[str]
    last_error: str | None


def tools() -> tuple[Tool, ...]:
    """The one tool."""
    return (
        Tool(
            "vcad_health",
            "diagnostics",
            "R",
            True,
            "When something does not answer: state of evaluation, viewer and SketchUp.",
            _Nothing,
            _Health,
            _health,
        ),
    )


def _health(_arguments: _Nothing, call: Call) -> _Health:
    from vcad_kernel.contracts.messages import PROTOCOL

    session = call.session
    status: Literal["ok", "degraded", "down"] = "ok"
    sketchup = _SketchUp(status="unknown", version=None, mock=False)
    capabilities: list[str] = []
    try:
        sketchup, capabilities, last_error, troubled = _of_sketchup(call)
        status = "degraded" if troubled else "ok"
    except TooLate:
        status = "degraded"
        last_error = f"the session has been busy for more than {_PATIENCE:g} s; calls wait for their turn"
    except CapabilityUnavailable as closed:
        status, last_error = "down", closed.message
    except VcadError as failed:
        status, last_error = "degraded", failed.message
    live = session.live_view
    return _Health(
        status=status,
        sidecar=_Service(status="running" if session.evaluates else "not_started", protocol_version=PROTOCOL),
        viewer=_Viewer(
            status="none" if live is None else "shown", shown=[] if live is None else list(live.names)
        ),
        sketchup=sketchup,
        capabilities=capabilities,
        last_error=last_error,
    )


def _of_sketchup(call: Call) -> tuple[_SketchUp, list[str], str | None, bool]:
    """How SketchUp does, its capabilities, what went wrong last, and whether the project is in trouble.

    Raises: TooLate while the session is busy; VcadError.
    """

    def read_status(linked: LinkedParts) -> tuple[SketchupStatus, Any]:
        status = linked.status()
        return status, linked.link.bridge().connection.handshake if status.connected else None

    pending = call.session.submit(lambda: call.session.on_project(read_status))
    try:
        status, handshake = pending.result(_PATIENCE)
    finally:
        pending.cancel()
    problem = status.problem or status.trouble
    sketchup = _SketchUp(
        status="connected" if status.connected else "not_running",
        version=None if status.status is None else status.status.sketchup_version,
        mock=handshake is not None and handshake.is_headless,
    )
    capabilities = [] if handshake is None else sorted(handshake.capabilities)
    return sketchup, capabilities, None if problem is None else problem.message, status.trouble is not None
