"""What it costs that cells react: beside the evaluations that follow, as ratios in one run.

    make bench

As everywhere here nothing passes or fails by the clock; each test asserts that the work was really done.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.session.reactive.dependencies import Dependencies, Run
from tests.notebook_ext.session.reactive.reacting import ReactingNotebook
from vcad_kernel.contracts.messages import CellNames

Record = Callable[[str, float, float, str], None]
PLATE = "[difference [translate 9 9 -1 [cylinder 2 9]] [cube {size} 40 5]]"


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[ReactingNotebook]:
    made = ReactingNotebook(tmp_path)
    yield made
    made.close()


@pytest.mark.benchmark(group="reactions")
def test_a_cascade_of_200_cells_where_one_leaf_changed(
    benchmark: Any, record: Record, notebook: ReactingNotebook
) -> None:
    notebook.run("c0", "[let base 60]")
    for number in range(1, 199):
        notebook.run(
            f"c{number}", f"[let n{number} [+ {number} {'base' if number < 9 else f'n{number // 8}'}]]"
        )
    sizes = iter(range(1000, 2000))

    def one() -> None:
        notebook.session.set_parameter("size", float(next(sizes)))

    notebook.run("size", "[defparam size 1000 {:min 1 :max 9999}]")
    notebook.run("leaf", PLATE.format(size="[+ size n198]"), name="leaf")
    evaluations, cascades = [], []
    for _ in range(9):
        one()
        notebook.triggers.clear()
        evaluations.append(
            seconds(lambda: notebook.session.on_project(lambda _: notebook.cells.again("leaf")))
        )
        one()
        assert notebook.triggers
        cascades.append(seconds(lambda: notebook.follow()))
        assert notebook.service.evaluated[-2:] == ["size", "leaf"]
    record(
        "a cascade of 200 cells where one leaf changed",
        statistics.median(cascades),
        statistics.median(evaluations),
        "the leaf's own, limit 1.2",
    )
    benchmark.pedantic(lambda: None)


@pytest.mark.benchmark(group="reactions")
def test_a_slider_through_three_cells(benchmark: Any, record: Record, notebook: ReactingNotebook) -> None:
    notebook.run("c0", "[defparam size 1000 {:min 1 :max 99999}]")
    for number in (1, 2, 3):
        text = PLATE.format(size=f"[+ size {'0' if number == 1 else f'n{number - 1}'}]")
        notebook.run(f"c{number}", f"[let n{number} [+ {number} size]]\n{text}", name=f"part{number}")
    sizes, together, apart = iter(range(2000, 9000)), [], []
    for _ in range(9):
        value = float(next(sizes))
        together.append(seconds(lambda: notebook.slide("c0", size=value)))  # noqa: B023 - called here
        assert notebook.service.evaluated[-4:] == ["c0", "c1", "c2", "c3"]
        notebook.session.reactions.set_auto(False)
        value = float(next(sizes))
        spent = seconds(lambda: notebook.slide("c0", size=value))  # noqa: B023 - called here
        for cell in ("c1", "c2", "c3"):
            spent += seconds(
                lambda: notebook.session.on_project(lambda _: notebook.cells.again(cell))  # noqa: B023
            )
        apart.append(spent)
        notebook.session.reactions.set_auto(True)
    record(
        "a slider through three cells",
        statistics.median(together),
        statistics.median(apart) + 0.030,
        "their evaluations and 30 ms",
    )
    benchmark.pedantic(lambda: None)


@pytest.mark.benchmark(group="reactions")
def test_the_graph_of_1000_cells(benchmark: Any, record: Record) -> None:
    dependencies, owners = Dependencies(), {f"n{number}": f"c{number}" for number in range(1000)}

    def run(number: int, digest: str, *, again: bool = False) -> None:
        uses = {f"n{number // 2}": f"c{number // 2}"} if number else {}
        names = CellNames({f"n{number}": digest}, uses)
        dependencies.ran(Run(f"c{number}", names, ("lib.oo",), again=again), dict(owners))

    for number in range(1000):
        run(number, "1")
    digests = iter(range(10**6))

    def cascade_of_one() -> None:
        run(1, str(next(digests)), again=True)
        due = dependencies.due(["c1"])
        assert len(due) == 2
        assert len(dependencies.below(due)) == 996
        for cell in due:
            run(int(cell[1:]), "1", again=True)
        assert not dependencies.out_of_date()

    def run_by_somebody() -> None:
        run(999, str(next(digests)))
        assert not dependencies.out_of_date()

    for what, work in (("a change among 1,000 cells", cascade_of_one), ("a run among them", run_by_somebody)):
        spent = statistics.median(seconds(work) for _ in range(21))
        record(what, spent, 0.005, "limit 5 ms")
    benchmark.pedantic(cascade_of_one, rounds=3)
