"""Services that share folders, and calendars that jump."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path

import pytest

import tests.service.front.service as in_process
from tests.service import warm
from tests.service.faults.artifact_reader import ArtifactReader
from tests.service.faults.checkpoints import FOLDER, until
from tests.service.faults.service import FRAME, PLUGIN, ROOT, Service, goes_on, running
from tests.steady_clock import SteadyClock
from vcad_kernel.service.front.files.artifacts import is_committed
from vcad_kernel.service.front.jobs.job import Clock
from vcad_kernel.service.front.worker.process import WorkerCommand


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Service, Service]]:
    """Two services with one folder for artifacts."""
    shared = tmp_path / "shared"
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    with (
        running(tmp_path / "one", temp_dir=shared) as one,
        running(tmp_path / "other", temp_dir=shared) as other,
    ):
        yield one, other


def publish(service: Service) -> Path:
    peer = service.peer()
    return Path(peer.result(peer.eval(FRAME, artifact=True))["obj_path"])


def test_two_services_publish_into_one_folder(pair: tuple[Service, Service]) -> None:
    one, other = pair
    with ArtifactReader(one.artifacts) as reader:
        peers = [service.peer() for service in pair for _ in range(5)]
        numbers = [peer.eval(FRAME, artifact=True) for peer in peers]
        meshes = {peer.result(number)["obj_path"] for peer, number in zip(peers, numbers, strict=True)}
    assert len(meshes) == 10
    assert reader.faults == []
    one.close_peers()
    assert one.end() == 0
    assert publish(other).is_file()
    assert all(is_committed(Path(mesh).with_suffix("")) for mesh in meshes)
    other.close_peers()
    assert other.end() == 0


def test_a_service_that_starts_leaves_alone_what_another_is_about(
    pair: tuple[Service, Service], tmp_path: Path
) -> None:
    one, other = pair
    with ArtifactReader(one.artifacts) as reader:
        kept = publish(other)
        one.checkpoints.arm("publication: rename manifest")
        peer = one.peer()
        number = peer.eval(FRAME, artifact=True)
        one.checkpoints.until_stopped("publication: rename manifest", one.front)
        other.kill()
        with running(tmp_path / "other", temp_dir=one.artifacts) as third:
            assert one.memory.is_dir()
            assert not other.memory.exists()
            goes_on(third)
            one.front.send_signal(signal.SIGCONT)
            assert is_committed(Path(peer.result(number)["obj_path"]).with_suffix(""))
            # and what one has left that was killed, as soon as the next one starts
            one.checkpoints.arm("publication: rename manifest")
            one.peer().eval(FRAME, artifact=True)
            one.checkpoints.until_stopped("publication: rename manifest", one.front)
            one.kill()
            left = third.staged()
            assert left
            goes_on(third)
            with running(tmp_path / "one", temp_dir=one.artifacts, wrapped=False) as fourth:
                assert third.staged() == []
                assert not one.memory.exists()
                assert third.memory.is_dir()
                until(lambda: fourth.events("artifacts_cleared"))
                cleared = fourth.events("artifacts_cleared")[-1]
                assert (cleared["half_pairs"], cleared["staged_files"], cleared["markers"]) == (1, 1, 1)
            goes_on(third)
    assert is_committed(kept.with_suffix(""))
    assert reader.faults == []


@pytest.mark.parametrize("days", [-4000, 4000])
def test_the_calendar_jumps(tmp_path: Path, days: int) -> None:
    now = datetime.now(UTC)
    moments = cycle([now, now + timedelta(days=days)])
    environment = {name: text for name, text in os.environ.items() if not name.startswith("VCAD_")}
    environment |= {"PYTHONPATH": str(ROOT), "VCAD_WORKER_PLUGIN": PLUGIN, FOLDER: str(tmp_path)}
    program = (sys.executable, "-m", "vcad_kernel.service.worker")
    command = WorkerCommand(program, environment, launch=warm.Popen)  # type: ignore[arg-type]

    async def test() -> None:
        steady = SteadyClock()
        clock = Clock(steady, lambda: next(moments))
        async with in_process.service(tmp_path, command, clock) as running:
            peer = await running.peer()
            meshes = []
            for _ in range(4):
                # nothing is late, or early, and no pair is too old
                number = peer.tool("vcad.eval_code", {"code": FRAME, "artifact": True})
                result = await peer.result(number)
                assert 0 <= result["timings_ms"]["queue"] <= result["timings_ms"]["total"] < 60_000
                meshes.append(Path(result["obj_path"]))
                told = json.loads(Path(result["manifest_path"]).read_text())
                assert all(told[name].endswith("Z") for name in ("queued_at", "started_at", "finished_at"))
            assert all(is_committed(mesh.with_suffix("")) for mesh in meshes)
            number = peer.tool("vcad.eval_code", {"code": "[hang-in-c 600.0]"})
            await running.until(lambda: len(running.events.named("eval_started")) == 5)
            steady.advance(60)
            assert (await peer.refusal(number))["error_code"] == "VCAD_EVAL_TIMEOUT"

    asyncio.run(test())
