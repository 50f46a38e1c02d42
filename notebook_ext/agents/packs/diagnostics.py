"""What the session says of itself: its logs, and how quick the person's front end is."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from notebook_ext.agents.arguments import Answer, Arguments
from notebook_ext.agents.call import Call, Tool

__all__ = ["tools"]


class _Logs(Arguments):
    stream: Literal["comms", "toolcalls", "hooks", "shell", "bridge", "sketchup"]
    tail: int = Field(100, ge=1, le=5000, description="lines")
    request_id: str | None = Field(None, description="only what one call led to")


class _Lines(Answer):
    text: str
    lines: int


class _None(Arguments):
    pass


class _Performance(Answer):
    frame_ms_p50: float | None
    frame_ms_p95: float | None
    fps: float | None
    kernel_busy: bool | None
    cpu_percent: float | None
    rss_mb: float | None
    input_lag_ms: float | None


def tools() -> tuple[Tool, ...]:
    """The tools of this pack."""
    return (
        Tool(
            "get_logs",
            "diagnostics",
            "R",
            True,
            "Find out what happened: the last lines of one of the session's logs, secrets masked.",
            _Logs,
            _Lines,
            _logs,
        ),
        Tool(
            "get_ui_performance",
            "diagnostics",
            "R",
            True,
            "See whether the person's notebook is slow or busy; null is what nothing measures.",
            _None,
            _Performance,
            _performance,
        ),
    )


def _logs(arguments: _Logs, call: Call) -> _Lines:
    text = call.journal.tail(arguments.stream, arguments.tail, arguments.request_id)
    return _Lines(text=text, lines=text.count("\n"))


def _performance(_: _None, call: Call) -> _Performance:
    from notebook_ext.agents.performance import measured

    found: dict[str, Any] = measured(call.session)
    return _Performance.model_validate(found)
