"""What a call to SketchUp's extension costs, in a headless SketchUp, beside TCP itself.

    make bench

As everywhere here nothing passes or fails by the clock; each test asserts that the work was really done.
In SketchUp itself a call waits one tick of a timer more.
"""

from __future__ import annotations

import itertools
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from notebook_ext.sketchup.bridge.bridge import Bridge
from notebook_ext.sketchup.bridge.connection import BridgeAddress, BridgeConnection
from tests.sketchup.headless import RunningSketchUp, headless_sketchup
from vcad_kernel.exchange.formats import write
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode

pytestmark = pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no Ruby here")

Record = Callable[[str, float, float, str], None]

FINE = 0.0024
"""Chord error in mm at which a sphere of 10 mm has some 20 000 triangles."""
INSTANCES = 10

_ECHO = """
import socket
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
line, _ = listener.accept()
line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
while piece := line.recv(65536):
    line.sendall(piece)
"""


@pytest.fixture(scope="module")
def sketchup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSketchUp]:
    with headless_sketchup(workspace=tmp_path_factory.mktemp("bridge-speed").resolve()) as running:
        yield running


@pytest.fixture
def bridge(sketchup: RunningSketchUp) -> Iterator[Bridge]:
    """A client that has said hello, of an empty model."""
    sketchup.control("_test.reset")
    with BridgeConnection(_address(sketchup)) as connection:
        connection.ensure_handshake()
        yield Bridge(connection)


def _address(sketchup: RunningSketchUp) -> BridgeAddress:
    return BridgeAddress(port=sketchup.port, workspace=sketchup.workspace, timeout=60)


@pytest.fixture(scope="module")
def echo() -> Iterator[socket.socket]:
    """A line to a process that says what it hears."""
    with subprocess.Popen([sys.executable, "-c", _ECHO], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        with socket.create_connection(("127.0.0.1", int(process.stdout.readline())), timeout=30) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            yield line


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def noted(benchmark: Any, record: Record, what: str, spent: float, limit: float, against: str) -> None:
    """Record a measurement in the table and in the benchmark's own data."""
    benchmark.extra_info[what] = {"seconds": spent, "against": against, "ratio": spent / limit}
    record(what, spent, limit, against)


@pytest.mark.benchmark(group="bridge")
def test_a_call_beside_a_plain_echo(
    benchmark: Any, record: Record, bridge: Bridge, echo: socket.socket
) -> None:
    request = b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ping","arguments":{}},"id":1}\n'

    def echoed() -> bytes:
        echo.sendall(request)
        heard = b""
        while not heard.endswith(b"\n"):
            heard += echo.recv(65536)
        return heard

    assert echoed() == request
    benchmark(bridge.status)
    ours, theirs = [], []
    for _ in range(200):
        ours.append(seconds(bridge.status))
        theirs.append(seconds(echoed))
    beyond = statistics.median(ours) - statistics.median(theirs)
    benchmark.extra_info["echo"] = statistics.median(theirs)
    noted(benchmark, record, "a call beyond a TCP echo", beyond, 0.010, "limit 10 ms")
    assert bridge.status().version


@pytest.mark.benchmark(group="bridge")
def test_update_of_a_part_of_20_000_triangles_with_10_instances(
    benchmark: Any, record: Record, sketchup: RunningSketchUp, bridge: Bridge
) -> None:
    service, radii = DirectService(), itertools.count()
    path = sketchup.workspace / "ball.dae"

    def made() -> int:
        """From source text to a file; how many triangles."""
        part = service.evaluate(EvalCode(f"[sphere {10 + next(radii) / 997}]", tolerance=FINE)).parts[0]
        write(path, [part.part_mesh()])
        return part.mesh.triangle_count

    assert made() > 20_000
    bridge.upsert_definition("ball", path)
    for number in range(INSTANCES):
        transform = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 30.0 * number, 0, 0, 1)
        bridge.place_instance("ball", f"ball-{number}", transform)

    def updated() -> None:
        made()
        assert bridge.upsert_definition("ball", path).replaced_instances == INSTANCES

    before = bridge.get_node("ball").version
    benchmark.pedantic(updated, rounds=5)
    spent = [seconds(updated) for _ in range(5)]
    making = statistics.median(seconds(made) for _ in range(5))
    benchmark.extra_info["evaluation and file"] = making
    noted(
        benchmark, record, "update, 20k triangles, 10 instances", statistics.median(spent), 1.5, "limit 1.5 s"
    )
    row = bridge.get_node("ball")
    assert row.version >= before + 5
    assert row.instances == INSTANCES


@pytest.mark.benchmark(group="bridge")
def test_status_while_another_client_updates(
    benchmark: Any, record: Record, sketchup: RunningSketchUp, bridge: Bridge
) -> None:
    path = sketchup.workspace / "ball.dae"
    part = DirectService().evaluate(EvalCode("[sphere 10]", tolerance=FINE)).parts[0]
    write(path, [part.part_mesh()])
    bridge.upsert_definition("ball", path)
    running, ended = [], threading.Event()

    def work() -> None:
        with BridgeConnection(_address(sketchup)) as second:
            other = Bridge(second)
            while not ended.is_set():
                running.append(other.upsert_definition("ball", path).elapsed_ms or 0.0)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        while not running:
            bridge.status()
        waits = [seconds(bridge.status) for _ in range(20)]
    finally:
        ended.set()
        thread.join(60)
    benchmark.pedantic(bridge.status, rounds=20)
    longest = max(running) / 1000
    benchmark.extra_info["the running tool"] = longest
    noted(
        benchmark, record, "status, another client updating", max(waits), longest + 0.05, "the tool + 50 ms"
    )
    assert bridge.get_node("ball").version == 1 + len(running)
