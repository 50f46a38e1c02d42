"""The SDK's own client at a session's gateway."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from notebook_ext.agents import registry
from notebook_ext.agents.calls.call import Call
from notebook_ext.cli.mcp import wake
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
            assert len(names) == 18
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
            await asyncio.to_thread(visit.gateway.close)
            assert serving_threads() == []

    run(work)


def test_a_call_that_runs_at_the_end_is_given_up_and_holds_nothing_back(
    visit: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client hears that its connection ended; the tool, that nobody waits for it any more."""
    begun, given_up = threading.Event(), threading.Event()

    def endless(call: Call) -> None:
        begun.set()
        if call.cancelled.wait(PATIENCE):
            given_up.set()

    info = registry.find("session_info")
    monkeypatch.setattr(
        registry, "find", lambda name: replace(info, name=name, run=lambda _, call: endless(call))
    )
    monkeypatch.setattr("notebook_ext.agents.calls.calling.find", registry.find)

    async def work() -> None:
        with suppress(Exception, BaseExceptionGroup):
            async with attached(visit.gateway) as client, asyncio.TaskGroup() as tasks:
                calling = tasks.create_task(client.call_tool("session_info", {}))
                assert await asyncio.to_thread(begun.wait, PATIENCE)
                await asyncio.to_thread(visit.gateway.close)
                assert serving_threads() == []
                await asyncio.wait([calling], timeout=PATIENCE)
                assert calling.done()
                calling.cancel()

    run(work)
    assert begun.is_set()
    assert given_up.wait(PATIENCE)


def serving_threads() -> list[str]:
    """Gateways that still serve."""
    return [one.name for one in threading.enumerate() if one.name == "vcad gateway"]


def test_the_packs_that_agents_may_ask_for_are_the_persons_choice(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VCAD_AGENT_PACKS", "files, python")
    gateway.open()
    told = Visitor(gateway)("/mcp?packs=files,shell", "POST", b"{}")
    assert told.status == 400
    assert told.json["error_code"] == "INVALID_PARAMS"
    assert "shell" in told.json["error"]

    async def work() -> None:
        async with attached(gateway, "all") as client:
            names = {one.name for one in (await client.list_tools()).tools}
            assert {"vcad_place", "write_file", "py_get_skeleton"} <= names
            assert names.isdisjoint({"run_shell", "fetch_url", "project_patch"})

    run(work)


def test_many_clients_at_once_are_all_answered(visit: Visitor) -> None:
    async def one(number: int) -> str:
        async with attached(visit.gateway, "files" if number % 2 else "") as client:
            answers = await asyncio.gather(*(client.call_tool("session_info", {}) for _ in range(5)))
            assert not any(answer.is_error for answer in answers)
            return str(answers[0].structured_content["session_id"])

    async def work() -> None:
        told = await asyncio.gather(*(one(number) for number in range(12)))
        assert set(told) == {visit.gateway.session_id}

    run(work)


def test_a_gateway_that_is_woken_loads_its_tools_and_calls_none(visit: Visitor) -> None:
    assert visit.gateway.record is not None
    wake(visit.gateway.record, ("files",))

    async def work() -> None:
        async with attached(visit.gateway, "files") as client:
            assert "write_file" in {one.name for one in (await client.list_tools()).tools}

    run(work)
    assert visit.gateway.world.tally.counts() == ()
    counted = visit("/metrics").body.decode()
    assert 'vcad_gateway_requests_total{entry_point="mcp",status="405"} 1.0' in counted


def test_to_wake_a_session_that_is_gone_is_no_failure(visit: Visitor) -> None:
    record = visit.gateway.record
    assert record is not None
    visit.gateway.close()
    wake(record)
    wake(structs.replace(record, url="http://127.0.0.1:no"))
