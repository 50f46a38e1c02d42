"""What `vcad mcp` does when its session does not answer, or not as it should."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.subscriptions import ServerEvent
from mcp.types import ListToolsRequest

from notebook_ext.agents.proxy.attachment import Attachment
from notebook_ext.agents.proxy.finding import SessionChoice
from notebook_ext.session_records import SessionRecord, live_records, write
from tests.notebook_ext.agents.proxy.conftest import Connect
from tests.notebook_ext.agents.proxy.stand_in import StandIn, stand_in
from vcad_kernel.errors import ServiceFailure

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def session(workspace: Path, runtime: Path):  # type: ignore[no-untyped-def]
    with stand_in(workspace, runtime) as started:
        yield started


def refused(result: Any) -> dict[str, Any]:
    assert result.is_error
    body: dict[str, Any] = json.loads(result.content[0].text)
    assert result.structured_content == body
    return body


@pytest.mark.parametrize("end", ["cut", "given_up"])
async def test_a_connection_that_is_lost_leads_back_to_the_same_session(
    agent: Connect, session: StandIn, end: str
) -> None:
    async with agent() as client:
        body = refused(await client.call_tool(end))
        assert body["error_code"] == "UNKNOWN_OUTCOME"
        assert body["details"]["operation"] == end
        assert "vcad_list_nodes" in body["error"]
        after = await client.call_tool("who")
        assert after.structured_content is not None
        assert after.structured_content["session"] == "s-one"
        assert len(after.content) == 1  # nothing began anew, and nothing is said of it


async def test_what_the_gateway_refuses_reaches_the_agent_as_it_is(agent: Connect, session: StandIn) -> None:
    async with agent() as client:
        body = refused(await client.call_tool("too_large"))
        assert body["error_code"] == "PAYLOAD_TOO_LARGE"
        assert body["details"]["limit"] == 10
        assert "10 bytes" in body["error"]
        assert not (await client.call_tool("who")).is_error


async def test_a_pack_that_the_session_does_not_offer(agent: Connect, session: StandIn) -> None:
    async with agent(packs=["shell"]) as client:
        body = refused(await client.call_tool("who"))
        assert body["error_code"] == "INVALID_PARAMS"
        assert "does not offer the pack shell" in body["error"]
    assert [one.session_id for one in live_records()] == ["s-one"]


async def test_a_notebook_that_does_not_answer_is_not_replaced(
    agent: Connect, workspace: Path, runtime: Path
) -> None:
    write(_record(workspace))
    async with agent() as client:
        body = refused(await client.call_tool("vcad_list_nodes"))
    assert body["error_code"] == "SESSION_UNAVAILABLE"
    assert "plate.ipynb runs, and does not answer" in body["error"]
    assert [one.session_id for one in live_records()] == ["s-silent"]


async def test_all_calls_wait_for_a_lost_session_together(workspace: Path) -> None:
    record = _record(workspace)
    looks = 0

    def records() -> Sequence[SessionRecord]:
        nonlocal looks
        looks += 1
        return ()

    async def changed(_event: ServerEvent) -> None: ...

    async def refused_at_last(attachment: Attachment) -> None:
        with pytest.raises(ServiceFailure, match="does not answer"):
            await attachment.request(ListToolsRequest(), None)

    async with Attachment(
        SessionChoice(workspace), changed=changed, records=records, patience=0.1
    ) as attachment:
        attachment._last = record
        await refused_at_last(attachment)
        alone, looks = looks, 0
        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(refused_at_last, attachment)
    # one of them waits; each of the others looks once, and once more for what it says
    assert looks <= alone + 8 * 2


async def test_a_subscriber_hears_of_the_session_without_a_call(agent: Connect, session: StandIn) -> None:
    async with agent() as client, client.listen(resource_subscriptions=["vcad://selection"]) as events:
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:

                async def change() -> None:
                    while True:  # what changes before the proxy listens is nobody's to hear
                        session.tell("changed")
                        await anyio.sleep(0.02)

                tasks.start_soon(change)
                await anext(events)
                tasks.cancel_scope.cancel()


def _record(workspace: Path) -> SessionRecord:
    """A session of a living process, at a port where nobody listens."""
    return SessionRecord(
        session_id="s-silent",
        kernel_id="kernel-silent",
        url="http://127.0.0.1:9",
        token="secret",
        workspace=str(workspace),
        notebook="plate.ipynb",
        pid=os.getpid(),
        started_at="2100-01-01T00:00:00.000000+00:00",
    )
