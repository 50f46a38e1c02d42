"""The service's own failures, each made in one place: code, sentence, details (service.md §8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import Cancelled, ServiceFailure, VcadError
from vcad_kernel.service.front.worker.process import WorkerDied

__all__ = [
    "Refused",
    "cancelled",
    "out_of_memory",
    "queue_full",
    "repeatedly_crashed",
    "timed_out",
    "too_large",
    "worker_crashed",
    "worker_does_not_start",
]


class Refused(Exception):
    """A failure whose envelope is already made: the worker's."""

    def __init__(self, envelope: Mapping[str, Any]) -> None:
        super().__init__(envelope.get("message", ""))
        self.envelope = envelope


def queue_full(limit: int, operation: str) -> VcadError:
    """There is no room in the queue."""
    return ServiceFailure(
        ErrorCode.VCAD_QUEUE_FULL,
        f"{limit} requests are waiting already, and no more may (VCAD_MAX_QUEUE)",
        fix="ask again when some of them are answered",
        details={"limit": limit, "operation": operation},
    )


def timed_out(limit_ms: int, operation: str, *, was_running: bool) -> VcadError:
    """Waiting and running have taken too long."""
    where = "it was still computing" if was_running else "it was still waiting for others"
    return ServiceFailure(
        ErrorCode.VCAD_EVAL_TIMEOUT,
        f"the evaluation was given up after {limit_ms / 1000:g} s: {where}",
        fix="make the model simpler, or allow more time with VCAD_EVAL_TIMEOUT_MS",
        details={"limit": limit_ms, "operation": operation, "was_running": was_running},
    )


def cancelled(operation: str, *, was_running: bool) -> VcadError:
    """Its owner wants it no more."""
    return Cancelled(
        "the evaluation was cancelled", details={"operation": operation, "was_running": was_running}
    )


def out_of_memory(limit_mb: int, operation: str) -> VcadError:
    """The worker has taken more memory than it may."""
    return ServiceFailure(
        ErrorCode.WORKER_OUT_OF_MEMORY,
        f"the evaluation needed more than the {limit_mb} MiB of memory that it may have",
        fix="make the model simpler or its tolerance coarser, or allow more with VCAD_WORKER_MEMORY_MB",
        details={"limit": limit_mb, "operation": operation},
    )


def worker_crashed(died: WorkerDied, operation: str, **details: Any) -> VcadError:
    """The worker has ended while it computed, or does not start."""
    return ServiceFailure(
        ErrorCode.WORKER_CRASHED,
        f"the worker process ended while it computed ({_end(died)}); a fresh one takes its place",
        why="a geometry library, not the model's text, has failed",
        details={**_death(died), "operation": operation, **details},
    )


def worker_does_not_start(died: WorkerDied, operation: str) -> VcadError:
    """No worker can be had."""
    return ServiceFailure(
        ErrorCode.WORKER_CRASHED,
        f"no worker process can be started ({_end(died)})",
        fix="see the service's log",
        details={**_death(died), "operation": operation, "starting": True},
    )


def repeatedly_crashed(died: WorkerDied, count: int, operation: str) -> VcadError:
    """The same text has crashed the worker again and again, and is not tried once more."""
    return ServiceFailure(
        ErrorCode.WORKER_CRASHED,
        f"the same text has crashed the worker {count} times in a row ({_end(died)}); it is not run again",
        fix="change it; or empty the caches, after which it is tried once more",
        details={**_death(died), "operation": operation, "refused": True, "limit": count},
    )


def too_large(limit: int, size: int, operation: str) -> VcadError:
    """An answer, or a line, of too many bytes."""
    return ServiceFailure(
        ErrorCode.PAYLOAD_TOO_LARGE,
        f"{size} bytes are more than the {limit} that a line may have (VCAD_LINE_MAX)",
        details={"limit": limit, "size": size, "operation": operation},
    )


def _death(died: WorkerDied) -> dict[str, Any]:
    details: dict[str, Any] = {"signal": died.signal, "exit_code": died.exit_code}
    if died.reason is not None:
        details["reason"] = died.reason
    return details


def _end(died: WorkerDied) -> str:
    if died.reason is not None:
        return died.reason
    return died.signal if died.signal is not None else f"exit code {died.exit_code}"
