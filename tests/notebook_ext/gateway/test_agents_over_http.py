"""The SDK's own client at a session's gateway."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from notebook_ext.gateway.gateway import Gateway
from tests.notebook_ext.gateway.conftest import PATIENCE, Visitor

httpx = pytest.importorskip("httpx")
mcp = pytest.importorskip("mcp")


@asynccontextmanager
async def attached(gateway: Gateway, packs: str = "", token: str | None = None) -> AsyncIterator[Any]:
    """A client of the session's tools, over HTTP."""
    from mcp.client.streamable_http import streamable_http_client

    bearer = {"Authorization": f"Bearer {gateway.token if token is None else token}"}
    address = f"{gateway.url}/mcp" + (f"?packs={packs}" if packs else "")
    async with (
        httpx.AsyncClient(headers=bearer, timeout=PATIENCE) as http,
        mcp.Client(streamable_http_client(address, http_client=http)) as client,
    ):
        yield client


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(work(), 2 * PATIENCE)

    asyncio.run(limited())


def test_a_client_sees_the_core_tools_and_calls_them(visit: Visitor) -> None:
    async def work() -> None:
        async with attached(visit.gateway) as client:
            names = {one.name for one in (await client.list_tools()).tools}
            assert {"session_info", "vcad_place", "read_file"} <= names
            assert len(names) == 16
            told = await client.call_tool("session_info", {})
            assert told.structured_content["session_id"] == visit.gateway.session_id
            assert told.structured_content["hook_url"].startswith(visit.gateway.url)
            assert not told.is_error

    run(work)


def test_more_tools_are_shown_to_those_who_ask_for_their_packs(visit: Visitor) -> None:
    async def work() -> None:
        async with attached(visit.gateway, "files") as files, attached(visit.gateway) as core:
            assert "write_file" in {one.name for one in (await files.list_tools()).tools}
            assert "write_file" not in {one.name for one in (await core.list_tools()).tools}

    run(work)


def test_a_client_with_a_wrong_token_does_not_come_in(visit: Visitor) -> None:
    async def work() -> None:
        with pytest.raises((Exception, BaseExceptionGroup)):
            async with attached(visit.gateway, token="wrong") as client:
                await client.list_tools()

    run(work)
    assert visit.gateway.world.tally.counts() == ()


def test_small_calls_do_not_wait_for_acknowledgements(visit: Visitor) -> None:
    """The best of many is below the 40 ms that each would wait for an acknowledgement."""

    async def work() -> None:
        async with attached(visit.gateway) as client:
            await client.call_tool("session_info", {})
            times = []
            for _ in range(20):
                began = time.perf_counter()
                await client.call_tool("session_info", {})
                times.append(time.perf_counter() - began)
            assert min(times) < 0.035

    run(work)


def test_nothing_is_printed_and_the_logs_of_the_process_stay_as_they_are(
    visit: Visitor, capfd: pytest.CaptureFixture[str]
) -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level)

    async def work() -> None:
        async with attached(visit.gateway) as client:
            await client.call_tool("session_info", {})
        visit("/mcp", "POST", b"{", Content_Type="application/json", Accept="application/json")
        visit("/mcp", Host="evil.example")

    run(work)
    assert (list(root.handlers), root.level) == before
    said = capfd.readouterr()
    assert said.out + said.err == ""


def test_the_end_does_not_wait_for_a_client_that_stays(visit: Visitor) -> None:
    async def work() -> None:
        async with attached(visit.gateway) as client:
            await client.list_tools()
            began = time.monotonic()
            await asyncio.to_thread(visit.gateway.close)
            assert time.monotonic() - began < PATIENCE / 3

    run(work)
