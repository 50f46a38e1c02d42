"""`vcad_health`: what answers and what does not, said also while the session is busy."""

from __future__ import annotations

from typing import Literal

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool

__all__ = ["tools"]


class _Nothing(Arguments):
    pass


class _Service(Answer):
    status: Literal["running", "not_started", "lost", "in_process"]
    protocol_version: int


class _Viewer(Answer):
    status: Literal["shown", "none"]
    protocol_version: int
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
    return _Health.model_validate(call.session.health())
