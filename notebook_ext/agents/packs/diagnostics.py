"""What the session says of itself: its figures, its logs, and how quick the person's front end is.

A figure of performance that nothing measures is None: never an invented number.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import Field, create_model

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool
from notebook_ext.front_end.shell_channel import runs_a_cell
from notebook_ext.session.log.metrics import NAMES

if TYPE_CHECKING:
    from notebook_ext.session.session import Session

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


class _Latency(Answer):
    count: int
    sum: float = Field(description="ms")
    buckets: dict[str, int] = Field(description="upper end in ms → how many took no longer")


class _Unreadable(Answer):
    manifest_path: str
    error_code: str
    reason: str


_FIGURES: Final[Mapping[str, Any]] = {
    **{name: (float if name.endswith("_effective") else int, ...) for name in NAMES},
    "eval_latency_ms": (_Latency, ...),
    "collected_at": (str, ...),
    "last_artifact_manifest": (dict[str, Any] | None, ...),
    "manifest_read_errors": (list[_Unreadable], ...),
    "in_progress_artifacts": (list[str], ...),
}
_Metrics: type[Answer] = create_model("_Metrics", __base__=Answer, **_FIGURES)
"""Every figure of the session's contract, and what the manifests say."""


def tools() -> tuple[Tool, ...]:
    """The tools of this pack."""
    return (
        Tool(
            "vcad_metrics",
            "diagnostics",
            "R",
            True,
            "See how evaluations go: what waits, was refused, timed out or overtaken, how long they take, "
            "and what became of published meshes.",
            _None,
            _Metrics,
            _metrics,
        ),
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


def _metrics(_: _None, call: Call) -> Answer:
    return _Metrics.model_validate(call.session.metrics())


def _logs(arguments: _Logs, call: Call) -> _Lines:
    text = call.journal.tail(arguments.stream, arguments.tail, arguments.request_id)
    return _Lines(text=text, lines=text.count("\n"))


def _performance(_: _None, call: Call) -> _Performance:

    figures: dict[str, Any] = measured(call.session)
    return _Performance.model_validate(figures)


_MEBIBYTE: Final = 2**20
_LOOK_SECONDS: Final = 0.1
"""How long the processor's use is looked at, and an answer of the kernel's loop waited for."""


def measured(session: Session) -> dict[str, Any]:
    """Frame times and lag in ms, the processor's use in percent of one core, memory in MiB; takes 0.1 s.

    input_lag_ms: until the kernel takes up what a click or a key asks of it; None outside of a kernel, and
    where it is longer than can be waited for (``kernel_busy`` says that).
    """
    import psutil

    kernel = _kernel()
    lag = _Lag(kernel)
    process = psutil.Process()
    try:
        load = float(process.cpu_percent(interval=_LOOK_SECONDS))
        held = round(process.memory_info().rss / _MEBIBYTE, 1)
    except psutil.Error:
        load, held = None, None
    return {
        "frame_ms_p50": None,
        "frame_ms_p95": None,
        "fps": None,
        "kernel_busy": session.busy or runs_a_cell(kernel),
        "cpu_percent": load,
        "rss_mb": held,
        "input_lag_ms": lag.milliseconds,
    }


class _Lag:
    """How long the loop that answers the front end lets a request wait: one is put to it at once."""

    def __init__(self, kernel: Any) -> None:
        self._asked_at = time.perf_counter()
        self._seconds: float | None = None
        loop = getattr(kernel, "io_loop", None)
        if loop is not None:
            loop.add_callback(self._answer)

    def _answer(self) -> None:
        self._seconds = time.perf_counter() - self._asked_at

    @property
    def milliseconds(self) -> float | None:
        """What it took; None while there is no answer."""
        return None if self._seconds is None else round(self._seconds * 1000, 3)


def _kernel() -> Any:
    """The Jupyter kernel that this process is; None for another program."""
    application = sys.modules.get("ipykernel.kernelapp")
    if application is None:
        return None
    running = application.IPKernelApp
    return running.instance().kernel if running.initialized() else None
