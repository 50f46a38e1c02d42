"""kill -9 of the front wherever it may be: its worker goes with it, and the next one clears up and goes on.

Each test begins with a new service in the folder of those that were killed before it.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from tests.service.faults.artifact_reader import ArtifactReader
from tests.service.faults.checkpoints import STEPS, until
from tests.service.faults.service import FRAME, FRAME_VOLUME, Service, is_alive, running
from vcad_kernel.service.front.files.artifacts import is_committed
from vcad_kernel.service.shared.region import State


@dataclass
class Killed:
    """What those have left that were killed."""

    folder: Path
    memory: list[Path] = field(default_factory=list)
    hashes: set[str] = field(default_factory=set)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killed]:
    folder = tmp_path_factory.mktemp("killed")
    left = Killed(folder)
    with ArtifactReader(folder / "artifacts") as reader:
        yield left
        with running(folder) as last:
            _nothing_is_left_of_them(last, left)
            assert last.end() == 0
    assert reader.faults == []
    assert reader.read
    assert len(left.hashes) == 1


@pytest.fixture
def service(killed: Killed) -> Iterator[Service]:
    """A new one, that the test kills."""
    with running(killed.folder) as started:
        _nothing_is_left_of_them(started, killed)
        killed.memory.append(started.memory)
        yield started
        assert started.process.poll() == -signal.SIGKILL


def _nothing_is_left_of_them(service: Service, killed: Killed) -> None:
    assert [path for path in killed.memory if path.exists()] == []
    assert service.staged() == []
    peer = service.peer()
    result = peer.result(peer.eval(FRAME, artifact=True))
    assert result["volume"] == pytest.approx(FRAME_VOLUME)
    killed.hashes.add(result["document_hash"])
    service.close_peers()


def stopped(
    service: Service, process: psutil.Process, checkpoint: str, code: str = FRAME, **beside: object
) -> int:
    """A request for which a process has stopped at a place."""
    service.checkpoints.arm(checkpoint)
    number = service.peer("mesh.shm").eval(code, **beside)
    service.checkpoints.until_stopped(checkpoint, process)
    return number


def committed(service: Service) -> set[str]:
    meshes = service.artifacts.glob("*.dae")
    return {mesh.name for mesh in meshes if is_committed(mesh.with_suffix(""))}


def test_idle(service: Service) -> None:
    worker = service.worker()
    assert service.state(worker) is State.IDLE
    service.kill()
    assert not is_alive(worker)


@pytest.mark.parametrize(
    ("checkpoint", "state", "code"),
    [
        ("front: idle", State.IDLE, FRAME),
        ("front: request written", State.REQUEST_READY, FRAME),
        ("worker: request running", State.REQUEST_RUNNING, FRAME),
        ("front: a block is asked for", State.REQUEST_RUNNING, FRAME),
        ("front: a block is there", State.REQUEST_RUNNING, FRAME),
        ("worker: mesh written", State.REQUEST_RUNNING, FRAME),
        ("worker: response written", State.RESPONSE_READY, FRAME),
        ("front: response is there", State.RESPONSE_READY, FRAME),
        ("front: response is there", State.RESPONSE_ERROR, "[nth #[] 0]"),
        ("front: response read", State.IDLE, FRAME),
        ("front: mesh handed over", State.IDLE, FRAME),
        ("front: answer to send", State.IDLE, FRAME),
    ],
)
def test_while_it_serves_a_request(service: Service, checkpoint: str, state: State, code: str) -> None:
    worker = service.worker()
    side = service.front if checkpoint.startswith("front") else worker
    if checkpoint == "front: answer to send":
        # the hello of the client is an answer as well
        peer = service.peer("mesh.shm")
        service.checkpoints.arm(checkpoint)
        peer.eval(code)
        service.checkpoints.until_stopped(checkpoint, side)
    else:
        stopped(service, side, checkpoint, code)
    assert service.state(worker) is state
    service.kill()
    assert service.peers[-1].line() is None


@pytest.mark.parametrize("step", ["staged", *STEPS])
def test_while_it_publishes(service: Service, step: str) -> None:
    stopped(service, service.front, f"publication: {step}", artifact=True)
    published = committed(service)
    service.kill()
    # also before the next one has cleared up
    assert committed(service) == published


def test_while_jobs_wait(service: Service) -> None:
    worker = service.worker()
    stopped(service, worker, "worker: request running")
    others = [service.peer() for _ in range(3)]
    for peer in others:
        peer.eval(FRAME, artifact=True)
        peer.result(peer.ask("ping"))
    service.kill()
    assert not is_alive(worker)
    assert [peer.line() for peer in others] == [None] * 3


def test_at_shutdown(service: Service) -> None:
    worker = service.worker()
    service.checkpoints.arm("front: shutdown said")
    service.process.terminate()
    service.checkpoints.until_stopped("front: shutdown said", service.front)
    assert service.state(worker) is State.SHUTDOWN
    service.kill()


def test_with_a_worker_that_is_stopped(service: Service) -> None:
    worker = service.worker()
    worker.send_signal(signal.SIGSTOP)
    service.kill()
    assert not is_alive(worker)


def test_before_its_worker_is_ready(killed: Killed) -> None:
    (killed.folder / "dying").write_text("SIGSTOP")
    variables = {
        "VCAD_WORKER_PLUGIN": "tests.service.faults.dying_plugin",
        "VCAD_TEST_DYING": str(killed.folder / "dying"),
    }
    with running(killed.folder, **variables) as service:
        killed.memory.append(service.memory)
        until(lambda: [one.status() for one in service.front.children()] == [psutil.STATUS_STOPPED])
        service.peer().eval(FRAME)
        service.kill()
