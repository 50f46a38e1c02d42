"""`vcad_watch_pause` and `vcad_watch_resume`: several changes at a time, and one cascade for all of them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Preview, Tool

__all__ = ["tools"]


class _Nothing(Arguments):
    pass


class _Paused(Answer):
    status: Literal["paused", "already_paused"]
    pending_count: int = Field(description="changes that wait")


class _Resumed(Answer):
    status: Literal["resumed", "already_running"]
    flushed: int = Field(description="changes that had been collected; one cascade follows")


def tools() -> tuple[Tool, ...]:
    """The two tools."""
    return (
        Tool(
            "vcad_watch_pause",
            "watch",
            "W",
            True,
            "Before several changes that belong together: nothing is evaluated after them until "
            "vcad_watch_resume, which you must not forget.",
            _Nothing,
            _Paused,
            _pause,
            lambda _arguments, _call: Preview(
                summary="Changes of files, cells, sliders and SketchUp are collected; nothing follows them.",
                undo="%loon_watch resume",
            ),
        ),
        Tool(
            "vcad_watch_resume",
            "watch",
            "W",
            False,
            "After vcad_watch_pause: what was collected is followed now, once, in the right order.",
            _Nothing,
            _Resumed,
            _resume,
            lambda _arguments, call: Preview(
                summary="What depends on the changes that were collected is evaluated now: "
                f"{call.session.watch_status().reactive.pending} of them wait."
            ),
        ),
    )


def _pause(_: _Nothing, call: Call) -> _Paused:
    paused = call.session.watch_pause()
    return _Paused(status=paused.status, pending_count=paused.pending_count)


def _resume(_: _Nothing, call: Call) -> _Resumed:
    resumed = call.session.watch_resume()
    return _Resumed(status=resumed.status, flushed=resumed.flushed)
