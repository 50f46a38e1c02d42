"""Which session `vcad mcp` works in, and what it says while there is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError

from notebook_ext.session_records import live_records
from tests.notebook_ext.agents.proxy.conftest import Connect
from tests.notebook_ext.agents.proxy.stand_in import stand_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def who(client: Client) -> str:
    result = await client.call_tool("who")
    assert not result.is_error, result
    assert result.structured_content is not None
    return str(result.structured_content["session"])


def refused(result: Any) -> dict[str, Any]:
    assert result.is_error
    body: dict[str, Any] = json.loads(result.content[0].text)
    assert result.structured_content == body
    assert body["success"] is False
    return body


async def test_a_named_notebook_is_attached_to(agent: Connect, workspace: Path, runtime: Path) -> None:
    with (
        stand_in(workspace, runtime),
        stand_in(workspace, runtime, session_id="s-two", kernel_id="kernel-two", notebook="gear.ipynb"),
    ):
        async with agent() as newest, agent(session="plate") as named:
            assert await who(newest) == "s-two"
            assert await who(named) == "s-one"


async def test_a_restarted_kernel_is_found_again_and_no_other(
    agent: Connect, workspace: Path, runtime: Path
) -> None:
    with stand_in(workspace, runtime) as before:
        async with agent() as client:
            assert await who(client) == "s-one"
            with stand_in(workspace, runtime, session_id="s-other", kernel_id="kernel-other"):
                before.kill()
                body = refused(await client.call_tool("who"))
                assert body["error_code"] == "SESSION_UNAVAILABLE"
                assert body["details"]["kernel_id"] == "kernel-one"
                assert body["details"]["operation"] == "who"
                assert [one["session_id"] for one in body["details"]["sessions"]] == ["s-other"]
                assert "token" not in json.dumps(body)
                with stand_in(workspace, runtime, session_id="s-again"):
                    result = await client.call_tool("who")
                    assert result.structured_content is not None
                    assert result.structured_content["session"] == "s-again"
                    assert "began anew" in result.content[-1].text  # type: ignore[union-attr]
                    assert len((await client.call_tool("who")).content) == 1


async def test_a_session_that_ends_during_a_call_leaves_the_outcome_open(
    agent: Connect, workspace: Path, runtime: Path
) -> None:
    with stand_in(workspace, runtime):
        async with agent() as client:
            body = refused(await client.call_tool("end"))
            assert body["error_code"] == "UNKNOWN_OUTCOME"
            assert body["details"]["operation"] == "end"


async def test_a_call_waits_for_a_kernel_that_is_just_restarting(
    agent: Connect, workspace: Path, runtime: Path
) -> None:
    with stand_in(workspace, runtime) as before:
        async with agent() as client:
            assert await who(client) == "s-one"
            tools = await client.list_tools()
            before.kill()
            assert await client.list_tools() == tools
            with pytest.raises(MCPError, match="does not answer"):
                await client.read_resource("vcad://selection")


async def test_a_named_session_that_does_not_run_is_never_replaced(agent: Connect) -> None:
    async with agent(session="gear.ipynb") as client:
        body = refused(await client.call_tool("vcad_list_nodes"))
        assert body["error_code"] == "SESSION_UNAVAILABLE"
        assert "gear.ipynb" in body["error"]
    assert live_records() == ()


async def test_the_tools_are_listed_before_any_session_runs(agent: Connect) -> None:
    async with agent() as client:
        names = {one.name for one in (await client.list_tools()).tools}
        assert {"session_info", "vcad_list_nodes"} <= names
        assert (await client.list_resources()).resources == []
        assert live_records() == ()


async def test_without_a_notebook_a_session_is_started_and_given_up_for_a_notebook(
    agent_process: Connect, workspace: Path, runtime: Path
) -> None:
    async with agent_process() as client:
        result = await client.call_tool("session_info")
        assert not result.is_error
        assert result.structured_content is not None
        assert result.structured_content["attached"] is False
        assert "attached: false" in result.content[-1].text  # type: ignore[union-attr]
        [lone] = live_records()
        assert lone.kernel_id is None
        figures = await client.call_tool("vcad_inspect", {"source": "[cube 10 10 10]"})
        assert figures.structured_content is not None
        assert figures.structured_content["volume"] == pytest.approx(1000)
        with stand_in(workspace, runtime):
            moved = await client.call_tool("who")
            assert moved.structured_content is not None
            assert moved.structured_content["session"] == "s-one"
            assert "attached: true" in moved.content[-1].text  # type: ignore[union-attr]
            with anyio.fail_after(60):
                while lone in live_records():  # it ends in its own time
                    await anyio.sleep(0.05)


async def test_a_session_that_was_started_ends_with_its_proxy(agent_process: Connect) -> None:
    async with agent_process() as client:
        await client.call_tool("session_info")
        [lone] = live_records()
    with anyio.fail_after(60):
        while lone in live_records():
            await anyio.sleep(0.05)
