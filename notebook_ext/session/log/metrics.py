"""What a session counts, under the names of its contract (docs/spec/session.md §9).

    counts = Counts()
    counts.noted("stale_dropped", {...})      # each event of the log, which is where most of it happens
    metrics = SessionMetrics(counts, service=…, …)
    metrics.counters()                        # all names; waits for nothing that the session does
    metrics.report()                          # the same as JSON, with the manifests of published meshes

The service counts its own and is asked; where it is started anew its figures begin at 0, and what it had
counted before is added. Prometheus' text form is the gateway's business.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from vcad_kernel.rfc3339 import rfc3339

if TYPE_CHECKING:
    from vcad_kernel.contracts.tools import ServiceCounts

__all__ = ["GAUGES", "LATENCY", "NAMES", "Counts", "Latency", "SessionMetrics", "Window"]

NAMES: Final = (
    "queue_depth",
    "queue_rejected_total",
    "eval_timeout_total",
    "stale_dropped_total",
    "superseded_dropped_total",
    "superseded_skipped_before_eval_total",
    "coalesce_batches_total",
    "coalesce_merged_events_total",
    "coalesce_window_ms_effective",
    "artifact_manifests_written_total",
    "artifact_manifests_retained_current",
    "artifact_pair_recovery_total",
    "artifact_pair_incomplete_detected_total",
    "reconcile_runs_total",
    "reconcile_drift_total",
    "degraded_nodes_current",
    "viewer_reconnect_total",
)
"""Every figure, in the order of the contract."""

GAUGES: Final = frozenset(name for name in NAMES if not name.endswith("_total"))
"""Those that go down, too."""

LATENCY: Final = (5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 120_000)
"""Milliseconds at which the buckets of evaluations end: from a warm cell to the service's own limit."""

_BY_EVENT: Final[Mapping[str, str]] = {
    "stale_dropped": "stale_dropped_total",
    "eval_timeout": "eval_timeout_total",
    "reconcile_finished": "reconcile_runs_total",
    "viewer_reconnected": "viewer_reconnect_total",
}
"""Event of the log → what it is one more of."""


class Window(Protocol):
    """Where triggers are collected (session.md §6), as far as it counts."""

    @property
    def coalesce_batches_total(self) -> int:
        """Windows that have closed."""

    @property
    def coalesce_merged_events_total(self) -> int:
        """Events that came into a window that was open already."""

    @property
    def coalesce_window_ms_effective(self) -> float:
        """How long the last one was open."""


class Latency:
    """How long evaluations took. Not for several threads at once."""

    def __init__(self) -> None:
        self._counts = [0] * (len(LATENCY) + 1)
        self.total_ms = 0.0
        """All of them together."""

    def add(self, milliseconds: float) -> None:
        """One evaluation has ended, however it ended."""
        self._counts[bisect_left(LATENCY, milliseconds)] += 1
        self.total_ms += milliseconds

    def buckets(self) -> Sequence[tuple[str, int]]:
        """Upper end in ms, and how many took no longer; the last, ``+Inf``, is all."""
        ends = (*map(str, LATENCY), "+Inf")
        return tuple(zip(ends, accumulate(self._counts), strict=True))


class Counts:
    """What happens in this process. Safe on any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._latency = Latency()
        self.last_error: str | None = None
        """The failure that was noted last, as a line; None while there was none."""

    def add(self, name: str, by: int = 1) -> None:
        """Count. name: one of `NAMES`."""
        with self._lock:
            self._counts[name] += by

    def evaluated(self, milliseconds: float) -> None:
        """An evaluation has ended."""
        with self._lock:
            self._latency.add(milliseconds)

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """While something is evaluated, however that ends."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.evaluated((time.perf_counter() - started) * 1000)

    def skipped(self) -> None:
        """An evaluation that had not begun was given up for a newer one of the same cell."""
        self.add("superseded_dropped_total")
        self.add("superseded_skipped_before_eval_total")

    def noted(self, event: str, fields: Mapping[str, Any]) -> None:
        """Something stands in the log: it is counted if it is one of those that are."""
        name = _BY_EVENT.get(event)
        if name is not None:
            self.add(name)
        if event == "reconcile_finished":
            self.add("reconcile_drift_total", _size(fields.get("drift")))
        code = fields.get("error_code")
        if code:
            said = fields.get("error") or event
            self.last_error = f"[{code}] {said}"

    def values(self) -> Counter[str]:
        """All figures as they are now."""
        with self._lock:
            return self._counts.copy()

    def latency(self) -> tuple[Sequence[tuple[str, int]], float]:
        """Buckets as of `Latency.buckets`, and the milliseconds together."""
        with self._lock:
            return self._latency.buckets(), self._latency.total_ms


def _size(drift: object) -> int:
    """How many nodes have drifted: a number, or lists or numbers by kind."""
    if isinstance(drift, Mapping):
        return sum(map(_size, drift.values()))
    if isinstance(drift, Collection) and not isinstance(drift, str):
        return len(drift)
    return drift if isinstance(drift, int) else 0


class SessionMetrics:
    """All figures of a session.

    service: what the evaluation service has counted; None where none answers, or none is a process of its
    own. waiting: requests that wait for the session's thread. degraded: nodes that are. folders: where
    manifests lie. window: where triggers are collected.
    """

    def __init__(
        self,
        counts: Counts,
        *,
        service: Callable[[], ServiceCounts | None],
        waiting: Callable[[], int],
        degraded: Callable[[], int],
        folders: Callable[[], Sequence[Path]],
        window: Window | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.counts = counts
        self._window = window
        self._service = service
        self._waiting = waiting
        self._degraded = degraded
        self._folders = folders
        self._clock = clock
        self._asking = threading.Lock()
        self._last: ServiceCounts | None = None
        """What the service said last."""
        self._before: Counter[str] = Counter()
        """What services that are no more had counted."""

    def counters(self) -> dict[str, float]:
        """Every figure of `NAMES`, in that order."""
        counts: Counter[str] = self.counts.values()
        served = self._served()
        if served:
            del counts["eval_timeout_total"]  # the service saw them all, and others
        counts.update(served)
        counts["queue_depth"] += self._waiting()
        counts["degraded_nodes_current"] += self._degraded()
        own = [folder for folder in self._folders() if folder.name == "sketchup"]
        counts["artifact_manifests_retained_current"] += sum(
            1 for folder in own for _ in folder.glob("*.manifest.json")
        )
        values: dict[str, float] = {name: counts[name] for name in NAMES}
        window = self._window
        if window is not None:
            values["coalesce_batches_total"] = window.coalesce_batches_total
            values["coalesce_merged_events_total"] = window.coalesce_merged_events_total
            values["coalesce_window_ms_effective"] = window.coalesce_window_ms_effective
        return values

    def _served(self) -> Counter[str]:
        """What services have counted, those that are gone too."""
        with self._asking:
            counts, last = self._service(), self._last
            if counts is None:
                counts = last
            elif last is not None and last.started_at != counts.started_at:
                self._before.update(_totals(last))
            self._last = counts
            return self._before.copy() if counts is None else self._before + Counter(_figures(counts))

    def report(self) -> dict[str, Any]:
        """All figures as JSON, and what the manifests of published meshes say."""
        from notebook_ext.session.log.manifests import read_manifests

        buckets, total = self.counts.latency()
        read = read_manifests(self._folders())
        return {
            **self.counters(),
            "eval_latency_ms": {"count": buckets[-1][1], "sum": round(total, 3), "buckets": dict(buckets)},
            "collected_at": rfc3339(self._clock()),
            "last_artifact_manifest": read.last,
            "manifest_read_errors": read.errors,
            "in_progress_artifacts": read.in_progress,
        }


def _figures(said: ServiceCounts) -> dict[str, int]:
    return {name: getattr(said, name) for name in NAMES if hasattr(said, name)}


def _totals(said: ServiceCounts) -> dict[str, int]:
    """What stays counted when a service is gone."""
    return {name: value for name, value in _figures(said).items() if name not in GAUGES}
