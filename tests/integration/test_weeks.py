"""A kernel that runs for weeks: nothing piles up, and what a cell says of its names is so."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.kernel import Kernel
from tests.integration.weeks import Week

DESCRIPTORS = 160
"""That the kernel may have; macOS gives 256."""
ROOM = 60
"""MB that a kernel may grow by in 4,000 steps, after the thousand that IPython remembers."""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel that may have few descriptors."""
    made = Kernel(tmp_path_factory.mktemp("weeks"))
    made.run(f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({DESCRIPTORS}, {DESCRIPTORS}))")
    loaded = made.run("%load_ext notebook_ext")
    assert loaded.status == "ok", loaded.traceback
    yield made
    made.stop()


def test_steps_at_random_with_kills_and_interrupts(kernel: Kernel, tmp_path: Path) -> None:
    week = Week(kernel, tmp_path, seed=int(os.environ.get("VCAD_SOAK_SEED", "2")))
    for _ in range(25):
        week.step()


@pytest.mark.soak  # the same 5,000 times, and for growth: half an hour
def test_weeks_of_steps_at_random_leave_nothing_behind(kernel: Kernel, tmp_path: Path) -> None:
    week = Week(kernel, tmp_path, seed=int(os.environ.get("VCAD_SOAK_SEED", "17")))
    week.measure()
    for thousand in range(5):
        week.peace = thousand % 2 == 1  # front and worker get a thousand steps old
        for _ in range(4):
            for _ in range(250):
                week.step()
            print(week.steps, week.told, flush=True)
        week.measure()
        print(week.table(), flush=True)
    _, descriptors, megabytes, objects, *_ = zip(*week.rows, strict=True)
    assert max(descriptors) <= descriptors[0] + 20
    assert megabytes[-1] <= megabytes[1] + ROOM
    assert objects[-1] <= 1.2 * objects[1]


@pytest.mark.soak  # three minutes
def test_one_cell_runs_a_thousand_times(kernel: Kernel) -> None:
    for number in range(1000):
        done = kernel.run("%%loon again\n[difference [cylinder 4.25 12] [cube 10 10 10]]", "again")
        assert done.status == "ok", f"run {number}: {done.traceback}"
