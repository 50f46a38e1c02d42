"""``/metrics``: what the session counts, in Prometheus' text form.

What nothing counts is not there: no figure is invented. Knows prometheus_client's text form; the counting is
done where things happen, and the session's figures are those of `session.metrics()`.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from notebook_ext.gateway.guarding import Application, Message, Receive, Scope, Send
from notebook_ext.session.log.metrics import GAUGES

if TYPE_CHECKING:
    from notebook_ext.agents.world import AgentWorld
    from notebook_ext.session.log.metrics import SessionMetrics

__all__ = ["CONTENT_TYPE_LATEST", "CountedRequests", "metrics_text"]

_ENTRY_POINTS = ("mcp", "api", "metrics", "status")


class CountedRequests:
    """An ASGI layer that counts requests by entry point (the label ``entry_point``) and status."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._counting = threading.Lock()
        self._counts: Counter[tuple[str, str]] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, and count the answer when it begins."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        entry = scope["path"].strip("/").partition("/")[0]

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                with self._counting:
                    self._counts[entry if entry in _ENTRY_POINTS else "other", str(message["status"])] += 1
            await send(message)

        await self._application(scope, receive, counted)

    def counts(self) -> tuple[tuple[str, str, int], ...]:
        """Entry point, status, and how many."""
        with self._counting:
            return tuple((entry, status, count) for (entry, status), count in sorted(self._counts.items()))


class _SessionCollector(Collector):
    def __init__(self, world: AgentWorld, requests: CountedRequests) -> None:
        self._world = world
        self._requests = requests

    def collect(self) -> Iterator[Metric]:
        """The figures as they stand now; waits for nothing that the session does."""
        yield GaugeMetricFamily("vcad_uptime_seconds", "Age of the session's gateway", self._world.uptime_s)
        requests = CounterMetricFamily(
            "vcad_gateway_requests",
            "Requests that the gateway has answered",
            labels=("entry_point", "status"),
        )
        for entry, status, count in self._requests.counts():
            requests.add_metric((entry, status), count)
        yield requests
        calls = CounterMetricFamily(
            "vcad_tool_calls", "Calls of agents' tools, by what came of them", labels=("tool", "outcome")
        )
        seconds = CounterMetricFamily(
            "vcad_tool_seconds", "Time that these calls took together", labels=("tool", "outcome")
        )
        for row in self._world.tally.counts():
            calls.add_metric((row.tool, row.outcome), row.calls)
            seconds.add_metric((row.tool, row.outcome), row.seconds)
        yield calls
        yield seconds
        yield from _counted(self._world.session.counted)
        yield GaugeMetricFamily(
            "vcad_tools_under_way", "Calls of agents' tools that run now", len(self._world.under_way())
        )
        yield GaugeMetricFamily(
            "vcad_session_busy", "Whether the session does something now", float(self._world.session.busy)
        )
        yield GaugeMetricFamily("vcad_nodes", "Named parts of the session", len(self._world.session.nodes()))
        window = self._world.session.watching.window
        yield CounterMetricFamily(
            "vcad_coalesce_batches", "Cascades that changes have led to", window.coalesce_batches_total
        )
        yield CounterMetricFamily(
            "vcad_coalesce_merged_events",
            "Changes that led to no cascade of their own",
            window.coalesce_merged_events_total,
        )
        yield GaugeMetricFamily(
            "vcad_coalesce_window_ms_effective",
            "How long the last cascade's changes were collected",
            window.coalesce_window_ms_effective,
        )
        yield GaugeMetricFamily(
            "vcad_open_asks", "Approvals that wait for a person", len(self._world.approvals.open_asks())
        )


def _counted(metrics: SessionMetrics) -> Iterator[Metric]:
    """The figures of the session's contract under its names, and how long evaluations take."""
    for name, value in metrics.counters().items():
        what = name.removesuffix("_total").replace("_", " ").capitalize()
        family = GaugeMetricFamily if name in GAUGES else CounterMetricFamily
        yield family(f"vcad_{name}", what, value)
    buckets, total = metrics.counts.latency()
    seconds = [(end if end == "+Inf" else str(float(end) / 1000), count) for end, count in buckets]
    yield HistogramMetricFamily(
        "vcad_eval_latency_seconds", "How long evaluations took", buckets=seconds, sum_value=total / 1000
    )


def metrics_text(world: AgentWorld, requests: CountedRequests) -> bytes:
    """All metrics; a registry of its own, so that a library's counters do not stand among ours."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_SessionCollector(world, requests))
    return generate_latest(registry)
