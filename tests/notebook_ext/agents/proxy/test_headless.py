"""The session that `vcad mcp` starts where no notebook runs: one for all agents of a workspace."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from notebook_ext.agents.proxy.headless_start import HeadlessStart, only_starter
from notebook_ext.session_records import SessionRecord, live_records, process_started
from tests.notebook_ext.agents.proxy.conftest import Connect
from tests.notebook_ext.agents.proxy.stand_in import stand_in
from vcad_kernel.errors import ServiceFailure

pytestmark = pytest.mark.anyio

_LIMIT = 60.0
"""Seconds for a process to begin or to end."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def session_of(client: Client) -> dict[str, Any]:
    result = await client.call_tool("session_info")
    assert not result.is_error, result
    body: dict[str, Any] | None = result.structured_content
    assert body is not None
    return body


async def ended(record: SessionRecord) -> None:
    with anyio.fail_after(_LIMIT):
        while record in live_records():
            await anyio.sleep(0.05)


async def test_two_agents_that_begin_together_share_one_session(agent_process: Connect) -> None:
    found: list[str] = []

    async def ask(client: Client) -> None:
        found.append((await session_of(client))["session_id"])

    async with agent_process() as one, agent_process() as other:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, one)
            tasks.start_soon(ask, other)
        assert len(found) == 2
        assert found[0] == found[1]
        [record] = live_records()
    await ended(record)


@pytest.mark.soak  # three processes; test_losing.py has the answer that the ending session gives
async def test_the_agent_that_started_a_session_leaves_while_another_has_a_call_under_way(
    agent_process: Connect, workspace: Path
) -> None:
    """What became of the call is not known, and that is what is said; then another session is there."""
    said: list[Any] = []
    endless = "[fn spin [n] [spin [+ n 1]]]\n[spin 1]"

    async def call(client: Client) -> None:
        said.append(await client.call_tool("vcad_inspect", {"source": endless}))

    first: list[str] = []
    started, leaves = anyio.Event(), anyio.Event()

    async def starts() -> None:
        async with agent_process() as starter:
            first.append((await session_of(starter))["session_id"])
            started.set()
            await leaves.wait()

    async with agent_process() as other:
        with anyio.fail_after(_LIMIT):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(starts)
                await started.wait()
                assert (await session_of(other))["session_id"] == first[0]
                tasks.start_soon(call, other)
                while not _has_begun(workspace, "vcad_inspect"):
                    await anyio.sleep(0.05)
                leaves.set()
        (result,) = said
        assert result.is_error
        assert result.structured_content["error_code"] == "UNKNOWN_OUTCOME", result
        assert result.structured_content["details"]["operation"] == "vcad_inspect"
        again = await other.call_tool("session_info")
        assert again.structured_content is not None
        assert again.structured_content["session_id"] != first[0]
        # the news is in the answer: a client joins the texts and reads them as JSON
        joined = "".join(block.text for block in again.content if block.type == "text")
        assert json.loads(joined) == again.structured_content
        assert "has ended" in again.structured_content["news"]


def _has_begun(workspace: Path, tool: str) -> bool:
    """Whether a call has reached the session, as its log of messages says."""
    logs = workspace.glob(".vcad/logs/*/comms.jsonl")
    return any(
        f'"name": "{tool}"' in text or f'"name":"{tool}"' in text
        for text in (
            "".join(line for line in log.read_text(encoding="utf-8").splitlines() if "tools/call" in line)
            for log in logs
        )
    )


async def test_a_session_that_is_kept_outlives_its_proxy(agent_process: Connect) -> None:
    async with agent_process("--keep") as client:
        first = await session_of(client)
    [record] = live_records()
    try:
        async with agent_process() as later:
            told = await later.call_tool("session_info")
            assert told.structured_content is not None
            assert told.structured_content["session_id"] == first["session_id"]
            assert "attached: false" in told.content[-1].text  # type: ignore[union-attr]
        assert live_records() == (record,)
    finally:
        os.kill(record.pid, signal.SIGTERM)
    await ended(record)


async def test_a_call_that_is_given_up_while_the_session_begins(agent_process: Connect) -> None:
    async with agent_process() as client:
        with anyio.move_on_after(0.5):
            await client.call_tool("session_info")
        await session_of(client)
        [record] = live_records()
    await ended(record)


async def test_a_named_session_is_not_left_for_a_notebook(
    agent: Connect, workspace: Path, runtime: Path
) -> None:
    with stand_in(workspace, runtime, session_id="s-alone", kernel_id=None, notebook=None):
        async with agent(session="s-alone") as named, agent() as anyone:
            for client in (named, anyone):
                assert (await client.call_tool("who")).structured_content["session"] == "s-alone"
            with stand_in(workspace, runtime):
                assert (await anyone.call_tool("who")).structured_content["session"] == "s-one"
                assert (await named.call_tool("who")).structured_content["session"] == "s-alone"


async def test_a_session_that_crashes_is_begun_anew_and_the_agent_is_told(agent_process: Connect) -> None:
    async with agent_process() as client:
        before = await session_of(client)
        [record] = live_records()
        os.kill(record.pid, signal.SIGKILL)
        with anyio.fail_after(_LIMIT):
            while process_started(record.pid) is not None:
                await anyio.sleep(0.05)
        again = await client.call_tool("session_info")
        if again.is_error:  # it was noticed by the call
            again = await client.call_tool("session_info")
        assert again.structured_content is not None
        assert again.structured_content["session_id"] != before["session_id"]
        assert "has ended" in again.content[-1].text  # type: ignore[union-attr]


async def test_a_session_that_has_just_ended_is_not_taken_for_one_that_runs(
    workspace: Path, runtime: Path
) -> None:
    start = HeadlessStart()
    await start.begin(workspace)
    [record] = live_records()
    os.kill(record.pid, signal.SIGKILL)
    while process_started(record.pid) is not None:
        time.sleep(0.01)  # the event loop, which would notice, must not run
    await start.begin(workspace)
    [again] = live_records()
    assert again.pid != record.pid
    process = start._process
    assert process is not None
    await start.end()
    await process.aclose()


async def test_why_a_session_does_not_start_is_said(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    start = HeadlessStart()
    with pytest.raises(ServiceFailure) as failed:
        await start.begin(missing)
    await start.end()
    assert failed.value.error_code == "SESSION_UNAVAILABLE"
    assert "ended with status 2: " in failed.value.message


async def test_a_runtime_folder_that_cannot_be_written(
    agent: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_the_way = tmp_path / "a-file"
    in_the_way.write_text("")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(in_the_way))
    async with agent() as client:
        body = (await client.call_tool("session_info")).structured_content
    assert body is not None
    assert body["error_code"] == "SESSION_UNAVAILABLE"
    assert str(in_the_way) in body["error"]


async def test_only_one_starts_at_a_time(workspace: Path, runtime: Path) -> None:
    order: list[str] = []
    begun = anyio.Event()

    async def second() -> None:
        begun.set()
        async with only_starter(workspace):
            order.append("second")

    async with (
        anyio.create_task_group() as tasks,
        only_starter(workspace),
        only_starter(runtime),  # another workspace has its own turn
    ):
        tasks.start_soon(second)
        await begun.wait()
        for _ in range(3):
            await anyio.sleep(0.05)
        order.append("first")
    assert order == ["first", "second"]
    assert list(runtime.glob("*.lock")) == []
