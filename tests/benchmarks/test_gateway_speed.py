"""What a session's gateway costs: nothing at ``%load_ext``, little at the first ``%loon``, little per call.

And what `vcad mcp` adds to it.

    make bench

As everywhere here nothing passes or fails by the clock; each test asserts that the work was really done.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.session_records import SessionRecord, live_records
from tests.integration.kernel import Kernel

Record = Callable[[str, float, float, str], None]

OPENING, CALL, PROXIED = 0.005, 0.010, 0.020
"""Seconds that issue and specification allow."""
BEYOND_THE_SDK = 0.6
"""Seconds by which `vcad mcp` may take longer to answer than the SDK alone takes to be imported."""
ROUNDS = 5
CALLS = 50

_OPEN = """
import time
began = time.perf_counter()
session.gateway.open()
print(time.perf_counter() - began, end="")
"""
_ATTACH = """
import time
from notebook_ext.gateway.opening import open_with_first_of
began = time.perf_counter()
open_with_first_of((), get_ipython(), session)
print(time.perf_counter() - began, end="")
"""
_LOAD = """
import time
began = time.perf_counter()
get_ipython().run_line_magic("load_ext", "notebook_ext")
_seconds = time.perf_counter() - began
"""
_BARE = """
from mcp.server import MCPServer
from notebook_ext.gateway.listening import Listener
server = MCPServer("bare")
@server.tool()
def session_info() -> dict[str, str]:
    return {"session_id": "none"}
listener = Listener(server.streamable_http_app, print)
print(listener.port, flush=True)
input()
listener.close()
"""
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runtime"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture
def announced(runtime: Path, tmp_path: Path) -> Iterator[SessionRecord]:
    """A notebook's session that somebody has already spoken with."""
    kernel = Kernel(tmp_path)
    kernel.run("%load_ext notebook_ext")
    kernel.run("%loon [+ 1 2]")
    (record,) = live_records()
    yield record
    kernel.stop()


def test_opening(runtime: Path, tmp_path: Path, record: Record) -> None:
    times = []
    for _ in range(ROUNDS):
        kernel = Kernel(tmp_path)
        try:
            kernel.run("%load_ext notebook_ext")
            times.append(float(kernel.run(_OPEN).text))
            assert kernel.value("session.gateway.is_open") == "True"
        finally:
            kernel.stop()
    record("opening a session's gateway, best", min(times), OPENING, "allowed")


def test_attaching_at_load_ext(runtime: Path, tmp_path: Path, record: Record) -> None:
    """What `%load_ext` does for agents, beside all that it does."""
    kernel = Kernel(tmp_path)
    try:
        kernel.run(_LOAD)
        whole = float(kernel.value("_seconds"))
        ours = float(kernel.run(_ATTACH).text)
        assert kernel.value("session.gateway.is_open") == "False"
    finally:
        kernel.stop()
    record("what %load_ext does for agents", ours, whole, "all of %load_ext")


def test_the_first_answers(runtime: Path, tmp_path: Path, record: Record) -> None:
    """Of a session that nobody has spoken with yet: first any answer at all, then one of the tools'."""
    sdk = min(_import_of_the_sdk() for _ in range(2))
    kernel = Kernel(tmp_path)
    try:
        kernel.run("%load_ext notebook_ext")
        kernel.run("%loon [+ 1 2]")
        (announced,) = live_records()
        for path, what in (("/status", "first answer"), ("/mcp", "first answer of the tools")):
            began = time.perf_counter()
            assert _status(announced, path) in (200, 405, 406)
            record(f"{what} of a session", time.perf_counter() - began, sdk, "`import mcp` in this run")
    finally:
        kernel.stop()


def test_initialize_of_the_proxy(runtime: Path, tmp_path: Path, record: Record) -> None:
    sdk = min(_import_of_the_sdk() for _ in range(ROUNDS))
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-m", "vcad_kernel", "mcp"],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as proxy:
            assert proxy.stdin is not None
            assert proxy.stdout is not None
            proxy.stdin.write(json.dumps(_INITIALIZE).encode() + b"\n")
            proxy.stdin.flush()
            answer = json.loads(proxy.stdout.readline())
            times.append(time.perf_counter() - began)
            assert answer["result"]["serverInfo"]["name"]
            proxy.stdin.close()
    record("initialize of `vcad mcp`, best", min(times), sdk + BEYOND_THE_SDK, "`import mcp` + 0.6 s")


def test_a_read_only_tool(announced: SessionRecord, tmp_path: Path, record: Record) -> None:
    """Over HTTP, through the proxy, and the SDK's own server: in turns, so that all have the same machine."""
    mcp = pytest.importorskip("mcp")
    httpx = pytest.importorskip("httpx")
    from mcp.client.streamable_http import streamable_http_client

    async def seconds(client: Any) -> float:
        began = time.perf_counter()
        answer = await client.call_tool("session_info", {})
        ended = time.perf_counter()
        assert not answer.is_error
        assert answer.structured_content["session_id"]
        return ended - began

    async def calls(bare: int) -> list[list[float]]:
        proxy = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "vcad_kernel", "mcp", "--session", announced.session_id],
            env=dict(os.environ),
            cwd=str(tmp_path),
        )
        async with (
            httpx.AsyncClient(headers=_bearer(announced), timeout=60) as http_client,
            mcp.Client(streamable_http_client(f"{announced.url}/mcp", http_client=http_client)) as direct,
            mcp.Client(proxy) as proxied,
            mcp.Client(streamable_http_client(f"http://127.0.0.1:{bare}/mcp")) as empty,
        ):
            clients = (direct, proxied, empty)
            for client in clients:
                await seconds(client)
            rounds = [[await seconds(client) for client in clients] for _ in range(CALLS)]
        return [list(one) for one in zip(*rounds, strict=True)]

    with subprocess.Popen(
        [sys.executable, "-c", _BARE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        direct, proxied, empty = asyncio.run(calls(int(server.stdout.readline())))
        server.communicate("\n")
    ours, beside = statistics.median(direct), statistics.median(empty)
    record("a read-only tool over HTTP, median", ours, CALL, "allowed")
    record("a read-only tool over HTTP, median", ours, beside, "the SDK's server with an empty tool")
    record("a read-only tool through `vcad mcp`, median", statistics.median(proxied), PROXIED, "allowed")


def _import_of_the_sdk() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import mcp"], check=True)
    return time.perf_counter() - began


def _status(announced: SessionRecord, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", int(announced.url.rpartition(":")[2]), timeout=60)
    try:
        connection.request("HEAD" if path == "/mcp" else "GET", path, headers=_bearer(announced))
        return connection.getresponse().status
    finally:
        connection.close()


def _bearer(announced: SessionRecord) -> dict[str, str]:
    return {"Authorization": f"Bearer {announced.token}"}


def test_a_hook(announced: SessionRecord, record: Record) -> None:
    port = int(announced.url.rpartition(":")[2])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    times = []
    for _ in range(CALLS):
        began = time.perf_counter()
        connection.request("GET", "/api/asks", headers=_bearer(announced))
        answer = connection.getresponse()
        assert answer.status == 200
        answer.read()
        times.append(time.perf_counter() - began)
    connection.close()
    record("GET /api/asks, median", statistics.median(times), CALL, "allowed")
