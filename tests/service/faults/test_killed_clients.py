"""kill -9 of a client wherever its call may be: what was done for it ends, and nobody else notices."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.service.faults.checkpoints import PATIENCE, until
from tests.service.faults.service import FRAME, ROOT, Service, goes_on, is_alive
from vcad_kernel.service.front.files.artifacts import is_committed
from vcad_kernel.service.shared.region import State

pytestmark = pytest.mark.usefixtures("leaves_nothing")

_CLIENT = """
import json, socket, sys, time
port, workspace, code, reads = sys.argv[1:]
connection = socket.socket()
if reads != "reads":
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
connection.connect(("127.0.0.1", int(port)))
lines = connection.makefile("rb")
def ask(number, method, params):
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    connection.sendall(json.dumps(message).encode() + b"\\n")
ask(1, "hello", {"name": "client", "version": "1", "agent": "test", "pid": 1, "workspace": workspace,
                 "protocol_version": 1, "requested_capabilities": ["mesh.shm"]})
lines.readline()
if code:
    ask(2, "tools/call", {"name": "vcad.eval_code", "arguments": {"code": code, "artifact": True}})
print("asked", flush=True)
while reads == "reads" and lines.readline():
    print("answered", flush=True)
time.sleep(600)
"""


@contextmanager
def client(service: Service, code: str, *, reads: bool = True) -> Iterator[subprocess.Popen[bytes]]:
    """A client in a process of its own, which has asked for a program."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-I", "-S", "-c", _CLIENT),
            *(str(service.port), str(service.folder), code, "reads" if reads else "deaf"),
        ],
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"asked\n"
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE)
        process.stdout.close()


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait(PATIENCE)


def test_idle(service: Service) -> None:
    worker = service.worker()
    with client(service, "") as process:
        kill(process)
    assert service.state(worker) is State.IDLE


def test_a_program_of_its_own_ends_with_it_and_the_worker_stays(service: Service) -> None:
    worker = service.worker()
    with client(service, '[hold "client"]') as process:
        until(lambda: service.held("client"))
        assert service.state(worker) is State.REQUEST_RUNNING
        kill(process)
    goes_on(service)
    assert service.worker() == worker


@pytest.mark.parametrize(
    ("checkpoint", "state"),
    [
        ("worker: request ready", State.REQUEST_READY),
        ("worker: asks for a block", State.REQUEST_RUNNING),
        ("worker: mesh written", State.REQUEST_RUNNING),
        ("worker: response written", State.RESPONSE_READY),
    ],
)
def test_while_its_worker_says_nothing(service: Service, checkpoint: str, state: State) -> None:
    worker = service.worker()
    service.checkpoints.arm(checkpoint)
    with client(service, FRAME) as process:
        service.checkpoints.until_stopped(checkpoint, worker)
        assert service.state(worker) is state
        kill(process)
        # one that does not even take an interrupt is killed
        until(lambda: not is_alive(worker))
    goes_on(service)


@pytest.mark.parametrize(
    ("checkpoint", "code"),
    [
        ("front: response is there", FRAME),
        ("front: response is there", "[nth #[] 0]"),
        ("front: response read", FRAME),
        ("front: mesh to hand over", FRAME),
        ("front: mesh handed over", FRAME),
    ],
)
def test_while_the_front_has_its_answer(service: Service, checkpoint: str, code: str) -> None:
    worker, before = service.worker(), service.meshes()
    service.checkpoints.arm(checkpoint)
    with client(service, code) as process:
        service.checkpoints.until_stopped(checkpoint, service.front)
        kill(process)
        service.front.send_signal(signal.SIGCONT)
    goes_on(service)
    service.close_peers()
    until(lambda: len(service.meshes()) <= len(before) + 1)
    assert service.worker() == worker


@pytest.mark.parametrize("step", ["stage manifest", "rename mesh", "remove marker"])
def test_while_its_pair_is_published(service: Service, step: str) -> None:
    before = set(service.artifacts.glob("*.dae"))
    service.checkpoints.arm(f"publication: {step}")
    with client(service, FRAME) as process:
        service.checkpoints.until_stopped(f"publication: {step}", service.front)
        kill(process)
        service.front.send_signal(signal.SIGCONT)

    def published() -> list[Path]:
        new = set(service.artifacts.glob("*.dae")) - before
        return [mesh for mesh in new if is_committed(mesh.with_suffix(""))]

    # wholly or not at all, and it had begun
    until(published)
    assert len(published()) == 1


def test_while_it_is_answered(service: Service) -> None:
    worker, finished = service.worker(), len(service.events("eval_finished"))
    long = (
        '[println [join "" [map [fn [i] "some words, and some more of them"] [range 0 200000]]]] [cube 1 2 3]'
    )
    with client(service, long, reads=False) as process:
        until(lambda: len(service.events("eval_finished")) > finished)
        assert service.events("eval_finished")[finished]["status"] == "evaluated"
        goes_on(service)
        kill(process)
    goes_on(service)
    assert service.worker() == worker


def test_while_it_holds_meshes(service: Service) -> None:
    with client(service, FRAME) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"answered\n"
        held = service.meshes()
        kill(process)
    until(lambda: len(service.meshes()) < len(held))


def test_while_its_job_waits(service: Service) -> None:
    worker, peer = service.worker(), service.peer()
    started = len(service.events("eval_started")) + 1
    number = peer.eval('[hold "before"] [cube 1 2 3]')
    until(lambda: service.held("before"))
    until(lambda: len(service.events("eval_started")) == started)
    with client(service, "[crash-segv]") as process:
        until(lambda: service.events("eval_enqueued")[-1]["waiting"] == 1)
        kill(process)
        until(lambda: service.events("eval_finished")[-1].get("error_code") == "EVAL_CANCELLED")
    service.let_go("before")
    assert peer.result(number)["volume"] == 6
    goes_on(service)
    assert service.worker() == worker
    until(lambda: len(service.events("eval_started")) > started)
    assert len(service.events("eval_started")) == started + 1


def test_a_notebook_that_is_killed_takes_its_own_service_with_it(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from vcad_kernel.service.client.service_client import ServiceClient\n"
        "from vcad_kernel.service.requests import EvalCell\n"
        "client = ServiceClient.start(Path(sys.argv[1]))\n"
        "client.evaluate(EvalCell('[cube 1 2 3]'))\n"
        "print(client.background.own_pid, flush=True)\n"
        "client.evaluate(EvalCell('[println 1] [fn on [n] [on [+ n 1]]] [on 0]'),\n"
        "                 output=lambda text: print('running', flush=True))\n"
    )
    notebook = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, cwd=ROOT
    )
    assert notebook.stdout is not None
    try:
        front = psutil.Process(int(notebook.stdout.readline()))
        (worker,) = front.children()
        memory = next(Path(file.path).parent for file in front.open_files() if Path(file.path).name == "lock")
        assert notebook.stdout.readline() == b"running\n"
    finally:
        kill(notebook)
        notebook.stdout.close()
    until(lambda: not is_alive(front) and not is_alive(worker))
    assert not memory.exists()
