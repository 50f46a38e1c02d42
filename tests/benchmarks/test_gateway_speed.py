"""What a session's gateway costs: nothing at ``%load_ext``, little at the first ``%loon``, little per call.

    make bench

As everywhere here nothing passes or fails by the clock; each test asserts that the work was really done.
"""

from __future__ import annotations

import asyncio
import http.client
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.kernel import Kernel
from vcad_kernel.session_records import SessionRecord, live_records

Record = Callable[[str, float, float, str], None]

OPENING, CALL = 0.005, 0.010
"""Seconds that issue and specification allow."""
ROUNDS = 5
CALLS = 50

_OPEN = """
import time
began = time.perf_counter()
session.gateway.open()
print(time.perf_counter() - began, end="")
"""


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


def test_a_read_only_tool_over_http(announced: SessionRecord, record: Record) -> None:
    mcp = pytest.importorskip("mcp")
    httpx = pytest.importorskip("httpx")
    from mcp.client.streamable_http import streamable_http_client

    async def calls() -> list[float]:
        headers = {"Authorization": f"Bearer {announced.token}"}
        times = []
        async with (
            httpx.AsyncClient(headers=headers, timeout=60) as http_client,
            mcp.Client(streamable_http_client(f"{announced.url}/mcp", http_client=http_client)) as client,
        ):
            for _ in range(CALLS):
                began = time.perf_counter()
                answer = await client.call_tool("session_info", {})
                times.append(time.perf_counter() - began)
                assert answer.structured_content["success"]
        return times

    times = asyncio.run(calls())
    record("a read-only tool over HTTP, median", statistics.median(times), CALL, "allowed")


def test_a_hook(announced: SessionRecord, record: Record) -> None:
    port = int(announced.url.rpartition(":")[2])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    times = []
    for _ in range(CALLS):
        began = time.perf_counter()
        connection.request("GET", "/api/asks", headers={"Authorization": f"Bearer {announced.token}"})
        answer = connection.getresponse()
        assert answer.status == 200
        answer.read()
        times.append(time.perf_counter() - began)
    connection.close()
    record("GET /api/asks, median", statistics.median(times), CALL, "allowed")
