"""What passes through `vcad mcp`, seen with the SDK's client over standard streams."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged
from mcp.types import ResourceUpdatedNotification, ToolListChangedNotification

from tests.notebook_ext.agents.proxy.conftest import Connect
from tests.notebook_ext.agents.proxy.stand_in import StandIn, stand_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    """One for all tests here: none of them ends it or leaves anything in it."""
    workspace, runtime = (tmp_path_factory.mktemp(name) for name in ("workspace", "runtime"))
    with stand_in(workspace, runtime) as started:
        yield started


@pytest.fixture
def workspace(session: StandIn) -> Path:
    return session.workspace


@pytest.fixture
def runtime(session: StandIn, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(session.runtime))
    return session.runtime


def body(result: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.content[0].text)
    return found


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_tools_resources_and_prompts(agent: Connect, session: StandIn, mode: str) -> None:
    async with agent(packs=["project", "files"], mode=mode) as client:
        assert client.server_info is not None
        assert client.server_info.name == "vcad"
        assert client.instructions
        assert {one.name for one in (await client.list_tools()).tools} == {
            "who",
            "steps",
            "wait",
            "end",
            "picture",
        }
        said = await client.call_tool("who")
        assert said.structured_content == {
            "session": "s-one",
            "agent": "drawing-agent",
            "packs": "files,project",
        }
        resources = await client.list_resources()
        assert [str(one.uri) for one in resources.resources] == ["vcad://selection"]
        read = await client.read_resource("vcad://selection")
        assert read.contents[0].text == "nothing in s-one"  # type: ignore[union-attr]
        assert [one.name for one in (await client.list_prompts()).prompts] == ["measure"]
        prompt = await client.get_prompt("measure", {"part": "plate"})
        assert prompt.messages[0].content.text == "measure plate"  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_every_step_of_progress_arrives(agent: Connect, session: StandIn, mode: str) -> None:
    heard: list[tuple[float, float | None, str | None]] = []
    last = anyio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))
        if progress == total:
            last.set()

    async with agent(mode=mode) as client:
        await client.call_tool("steps", {"count": 3}, progress_callback=hear)
        with anyio.fail_after(60):
            await last.wait()
    assert heard == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_call_that_the_agent_gives_up_ends_in_the_session(
    agent: Connect, session: StandIn, mode: str
) -> None:
    async with agent(mode=mode) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "wait")
        assert await anyio.to_thread.run_sync(session.said) == "waiting"
        tasks.cancel_scope.cancel()
        with anyio.CancelScope(shield=True), anyio.fail_after(60):
            assert await anyio.to_thread.run_sync(session.said) == "cancelled"


async def test_changes_are_told_to_those_who_listen(agent: Connect, session: StandIn) -> None:
    async with agent() as client:
        await client.list_tools()
        async with client.listen(
            tools_list_changed=True, resource_subscriptions=["vcad://selection"]
        ) as events:
            with anyio.fail_after(60):
                session.tell("changed")
                assert await anext(events) == ResourceUpdated(uri="vcad://selection")
                session.tell("tools")
                assert await anext(events) == ToolsListChanged()


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_changes_are_told_to_older_clients_too(agent: Connect, session: StandIn) -> None:
    heard: list[Any] = []
    both = anyio.Event()

    async def hear(message: Any) -> None:
        heard.append(type(message))
        if {ResourceUpdatedNotification, ToolListChangedNotification} <= set(heard):
            both.set()

    async with agent(mode="legacy", message_handler=hear) as client:
        await client.list_tools()
        await client.subscribe_resource("vcad://selection")
        session.tell("changed")
        session.tell("tools")
        with anyio.fail_after(60):
            await both.wait()


async def test_a_large_picture(agent: Connect, session: StandIn) -> None:
    async with agent() as client:
        shown = await client.call_tool("picture")
        assert len(shown.content[0].data) > 2_000_000  # type: ignore[union-attr]


async def test_two_calls_at_once(agent: Connect, session: StandIn) -> None:
    async with agent() as client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "wait")
        assert await anyio.to_thread.run_sync(session.said) == "waiting"
        assert (await client.call_tool("who")).structured_content is not None
        tasks.cancel_scope.cancel()
        with anyio.CancelScope(shield=True), anyio.fail_after(60):
            assert await anyio.to_thread.run_sync(session.said) == "cancelled"
