"""kill -9 of the worker wherever it may be: its job has one answer, the next one works, nothing is left."""

from __future__ import annotations

import signal

import psutil
import pytest

from tests.service.faults.checkpoints import until
from tests.service.faults.service import FRAME, FRAME_VOLUME, Service, goes_on, kill, running
from tests.service.warm import FAREWELL
from vcad_kernel.service.shared.region import State

pytestmark = pytest.mark.usefixtures("leaves_nothing")


def stopped(service: Service, checkpoint: str, code: str, **beside: object) -> tuple[int, psutil.Process]:
    """A request whose worker has stopped at a place."""
    worker = service.worker()
    service.checkpoints.arm(checkpoint)
    number = service.peer("mesh.shm").eval(code, **beside)
    service.checkpoints.until_stopped(checkpoint, worker)
    return number, worker


def crash_of(service: Service, number: int) -> None:
    refusal = service.peers[-1].refusal(number)
    assert refusal["error_code"] == "WORKER_CRASHED"
    assert refusal["details"]["signal"] == "SIGKILL"
    assert refusal["details"]["operation"] == "vcad.eval_code"


def test_idle(service: Service) -> None:
    worker = service.worker()
    assert service.state(worker) is State.IDLE
    kill(worker)
    assert service.worker(other_than=worker) != worker
    goes_on(service)


def test_before_it_has_begun(service: Service) -> None:
    number, worker = stopped(service, "worker: request ready", FRAME, artifact=True)
    assert service.state(worker) is State.REQUEST_READY
    kill(worker)
    # it was not the job that ended it: the next worker does it
    assert service.peers[-1].result(number)["volume"] == pytest.approx(FRAME_VOLUME)


def test_before_it_has_begun_again_and_again(service: Service) -> None:
    number, worker = stopped(service, "worker: request ready", FRAME, artifact=True)
    service.checkpoints.arm("worker: request ready", "kill")
    kill(worker)
    crash_of(service, number)


def test_a_request_that_comes_before_anybody_knows(service: Service) -> None:
    for _ in range(3):
        worker = service.worker()
        worker.send_signal(signal.SIGKILL)
        goes_on(service)
        assert service.worker() != worker


@pytest.mark.parametrize(
    ("checkpoint", "state"),
    [
        ("worker: request running", State.REQUEST_RUNNING),
        ("worker: asks for a block", State.REQUEST_RUNNING),
        ("worker: has a block", State.REQUEST_RUNNING),
        ("worker: mesh written", State.REQUEST_RUNNING),
        ("worker: response to write", State.REQUEST_RUNNING),
        ("worker: response written", State.RESPONSE_READY),
    ],
)
def test_before_it_has_answered(service: Service, checkpoint: str, state: State) -> None:
    number, worker = stopped(service, checkpoint, FRAME, artifact=True)
    assert service.state(worker) is state
    kill(worker)
    crash_of(service, number)
    goes_on(service)


def test_with_an_error_to_tell(service: Service) -> None:
    number, worker = stopped(service, "worker: response written", "[nth #[] 0]")
    assert service.state(worker) is State.RESPONSE_ERROR
    kill(worker)
    crash_of(service, number)
    goes_on(service)


@pytest.mark.parametrize(("code", "state"), [(FRAME, "RESPONSE_READY"), ("[nth #[] 0]", "RESPONSE_ERROR")])
def test_an_answer_that_it_has_given_is_not_lost(service: Service, code: str, state: str) -> None:
    worker, peer = service.worker(), service.peer("mesh.shm")
    service.checkpoints.arm("front: response is there")
    number = peer.eval(code)
    service.checkpoints.until_stopped("front: response is there", service.front)
    assert service.state(worker).name == state
    kill_unwaited(worker)
    service.front.send_signal(signal.SIGCONT)
    assert ("result" in peer.answer(number)) == (state == "RESPONSE_READY")
    until(lambda: worker.pid in {one["pid"] for one in service.events("worker_ended")})
    goes_on(service)


def kill_unwaited(process: psutil.Process) -> None:
    """kill -9 of a process whose parent cannot take note of it."""
    process.send_signal(signal.SIGKILL)
    until(lambda: process.status() == psutil.STATUS_ZOMBIE)


def test_what_waits_behind_the_job_that_it_takes_with_it_is_done_in_order(service: Service) -> None:
    number, worker = stopped(service, "worker: request running", FRAME)
    peer = service.peers[-1]
    waiting = [peer.eval(f"[cube 1 1 {size}]") for size in range(1, 9)]
    kill(worker)
    crash_of(service, number)
    assert [peer.result(one)["volume"] for one in waiting] == list(range(1, 9))


def test_while_the_front_publishes_what_it_has_computed(service: Service) -> None:
    worker, peer = service.worker(), service.peer()
    service.checkpoints.arm("publication: rename manifest")
    number = peer.eval(FRAME, artifact=True)
    service.checkpoints.until_stopped("publication: rename manifest", service.front)
    kill_unwaited(worker)
    service.front.send_signal(signal.SIGCONT)
    assert peer.result(number)["manifest_path"]
    until(lambda: worker.pid in {one["pid"] for one in service.events("worker_ended")})
    goes_on(service)


def test_while_a_client_holds_its_mesh(service: Service) -> None:
    peer = service.peer("mesh.shm")
    mesh = peer.result(peer.eval(FRAME))["mesh"]
    worker = service.worker()
    kill(worker)
    service.worker(other_than=worker)
    goes_on(service)
    assert mesh["block"] in service.meshes()
    peer.close()
    until(lambda: mesh["block"] not in service.meshes())


def test_one_that_says_nothing_more_is_killed_when_the_service_ends(service: Service) -> None:
    with running(service.folder / "other", **{FAREWELL: "0.1"}) as other:
        worker = other.worker()
        worker.send_signal(signal.SIGSTOP)
        assert other.end() == 1


def test_shutdown(service: Service) -> None:
    with running(service.folder / "other") as other:
        worker = other.worker()
        other.checkpoints.arm("worker: shutdown heard")
        other.process.terminate()
        other.checkpoints.until_stopped("worker: shutdown heard", worker)
        assert other.state(worker) is State.SHUTDOWN
        kill(worker)
        assert other.end(told=True) == 1
