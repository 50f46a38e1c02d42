"""How fast Loon runs, as ratios to the same programs written in Python by hand, in the same run.

Each program stands against two peers (handwritten.py): Python that keeps Loon's number rules, and
Python that does not. Aimed at are 1.3 and 2.5 times their time. Nothing fails by the clock; what is
asserted is that all three give the same value.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.benchmarks.handwritten import WORKLOADS, Workload
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

Record = Callable[[str, float, float, str], None]

_ROUNDS = 9


def seconds(work: Callable[[], Any]) -> float:
    """The thread's own time for one run, in which other programs of the machine do not count."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


@pytest.mark.benchmark(group="language")
@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda one: one.name)
def test_loon_against_python_by_hand(benchmark: Any, record: Record, workload: Workload) -> None:
    environment = Environment()
    environment.run(Source("definitions", workload.definitions), cell=True)
    call = Source("call", workload.call)

    def loon() -> Any:
        return environment.run(call, cell=True)

    for version in (loon, workload.ruled, workload.plain):
        assert version() == workload.expected
    times: dict[str, list[float]] = {"loon": [], "ruled": [], "plain": []}
    for _ in range(_ROUNDS):  # in turn, so that what else the machine does hits all alike
        times["loon"].append(seconds(loon))
        times["ruled"].append(seconds(workload.ruled))
        times["plain"].append(seconds(workload.plain))
    best = {name: min(spent) for name, spent in times.items()}
    benchmark.extra_info["ratio to Python with Loon's rules"] = best["loon"] / best["ruled"]
    benchmark.extra_info["ratio to plain Python"] = best["loon"] / best["plain"]
    benchmark.pedantic(loon, rounds=1)
    record(workload.name, best["loon"], best["ruled"], "with Loon's rules, aim 1.3")
    record("", best["loon"], best["plain"], "plain Python, aim 2.5")
