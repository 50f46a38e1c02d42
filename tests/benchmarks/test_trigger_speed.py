"""What it costs to notice changes: the window, the files, and the evaluation beside which a poll waits.

    make bench

As everywhere here nothing passes or fails by the clock; each test asserts that the work was really done.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.session.reactive.file_changes import FileChanges
from notebook_ext.session.reactive.trigger_window import Trigger, TriggerWindow
from notebook_ext.session.session import Session
from tests.notebook_ext.viewer.relay.conftest import Viewer
from vcad_kernel.service.client.service_client import ServiceClient
from vcad_kernel.service.requests import EvalCode
from vcad_kernel.settings import Settings

Record = Callable[[str, float, float, str], None]
PATIENCE = 30.0
PLATE = "[difference [translate 9 9 -1 [cylinder 2 9]] [cube {size} 40 5]]"


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@pytest.fixture
def client(tmp_path: Path) -> Iterator[ServiceClient]:
    """A client of a service that has evaluated something."""
    with ServiceClient.start(tmp_path) as started:
        started.evaluate(EvalCode("[cube 1 1 1]"))
        yield started


@pytest.mark.benchmark(group="triggers")
def test_10_000_events_in_a_second(benchmark: Any, record: Record) -> None:
    flushes: list[frozenset[Trigger]] = []
    told: SimpleQueue[None] = SimpleQueue()

    def flush(triggers: frozenset[Trigger]) -> None:
        flushes.append(triggers)
        told.put(None)

    window = TriggerWindow(flush, settings=Settings)
    triggers = [Trigger("file", f"parts/{number % 1000}.oo") for number in range(10_000)]
    working, began = 0.0, time.perf_counter()
    for number, trigger in enumerate(triggers):
        while time.perf_counter() - began < number / 10_000:  # spread over one second
            time.sleep(0.0002)
        start = time.perf_counter()
        window.put(trigger)
        working += time.perf_counter() - start
    while len({trigger for flush in flushes for trigger in flush}) < 1000 or window.pending:
        told.get(timeout=PATIENCE)
    window.stop()
    assert len(flushes) <= 6
    record("10,000 events in one second: all of the work", working, 0.05, "limit 5 µs each")
    record(f"the same: {len(flushes)} cascades", len(flushes) / 1e3, 6 / 1e3, "limit 6, as ms")
    benchmark.pedantic(lambda: [window.put(trigger) for trigger in triggers[:1000]], rounds=3)


@pytest.mark.benchmark(group="triggers")
def test_what_the_window_adds_to_its_length(benchmark: Any, record: Record) -> None:
    told: SimpleQueue[float] = SimpleQueue()
    window = TriggerWindow(
        lambda _: told.put(time.perf_counter()), settings=lambda: Settings(trigger_coalesce_ms=20)
    )

    def late() -> float:
        start = time.perf_counter()
        window.put(Trigger("node", "leg"))
        return told.get(timeout=PATIENCE) - start - 0.020

    late()
    spent = statistics.median(late() for _ in range(50))
    window.stop()
    assert window.coalesce_batches_total == 51
    record("a window of 20 ms, beyond its length", max(spent, 0.0), 0.005, "limit 5 ms")
    benchmark.pedantic(lambda: None)


@pytest.mark.benchmark(group="triggers")
def test_from_a_saved_file_to_its_trigger_among_1000(
    benchmark: Any, record: Record, client: ServiceClient, tmp_path: Path
) -> None:
    for number in range(1000):
        file = tmp_path / f"part{number}.oo"
        file.write_text(f"[let a {number}]")
        os.utime(file, (1, 1))  # of files that were written a moment ago the texts are compared, too
    told: SimpleQueue[str] = SimpleQueue()

    def put(*triggers: Trigger) -> None:
        for trigger in triggers:
            told.put(trigger.key)

    changes = FileChanges(put, lambda: Path(os.path.realpath(tmp_path)), client.folder_watcher, print)
    changes.start(tmp_path)

    def saved(text: str) -> float:
        start = time.perf_counter()
        (tmp_path / "part7.oo").write_text(text)
        while told.get(timeout=PATIENCE) != "part7.oo":
            pass
        return time.perf_counter() - start

    saved("begun")
    spent = statistics.median(saved(str(number)) for number in range(20))
    changes.stop()
    record("from a saved file to its trigger, 1000 files", spent, 0.060, "limit 60 ms")
    benchmark.pedantic(lambda: None)


@pytest.mark.benchmark(group="triggers")
def test_from_a_saved_file_to_the_geometry_in_the_viewers(
    benchmark: Any, record: Record, client: ServiceClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VCAD_TRIGGER_COALESCE_MS", "30")
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    folder = Path(os.path.realpath(tmp_path))
    (folder / ".git").mkdir()
    dims = folder / "dims.oo"
    dims.write_text("[pub let size 60]")
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    sizes = iter(range(100, 10**6))
    with Session(shell, client, folder=folder) as session:
        session.run_cell(f"[use dims]\n{PLATE.format(size='dims.size')}", name="plate")
        viewer = Viewer(session.viewers)
        viewer.ready()
        seen = {node["digest"] for node in viewer.awaited("scene.snapshot")["nodes"]}

        def evaluated() -> float:
            return seconds(lambda: session.part(PLATE.format(size=next(sizes))))

        def saved() -> float:
            start = time.perf_counter()
            dims.write_text(f"[pub let size {next(sizes)}]")
            while (digest := viewer.awaited("mesh.update")["node"]["digest"]) in seen:
                pass  # the same mesh with its figures
            seen.add(digest)
            return time.perf_counter() - start - 0.030

        saved()
        evaluations, saves = [evaluated() for _ in range(20)], [saved() for _ in range(20)]
    limit = statistics.median(evaluations) + 0.060
    record(
        "from a saved file to the viewers, beyond the window",
        statistics.median(saves),
        limit,
        "limit + 60 ms",
    )
    benchmark.pedantic(lambda: None)


@pytest.mark.benchmark(group="triggers")
def test_an_evaluation_while_a_poll_waits(
    benchmark: Any, record: Record, client: ServiceClient, tmp_path: Path
) -> None:
    count = iter(range(10**6))

    def evaluated() -> float:
        code = f"[difference [cube 5 5 {next(count) + 6}] [cube 1 1 3]]"
        return seconds(lambda: client.evaluate(EvalCode(code)))

    changes = FileChanges(lambda *_: None, lambda: tmp_path, client.folder_watcher, print)
    alone, beside = [], []
    for _ in range(5):  # by turns: what else the machine does disturbs both
        changes.start(tmp_path)
        beside += [evaluated() for _ in range(40)]
        assert changes.is_watching
        changes.stop()
        alone += [evaluated() for _ in range(40)]
    record(
        "an evaluation while a poll waits", statistics.median(beside), statistics.median(alone), "without it"
    )
    benchmark.pedantic(lambda: None)
