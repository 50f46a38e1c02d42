"""What an agent does is seen by the person, and what the person does is told to agents."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.session import IncomingMessage
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceUpdatedNotification

from notebook_ext.agents import registry
from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool
from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.mcp.changes import ChangeNotifier
from notebook_ext.agents.mcp.server import AgentServer, asgi
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session
from tests.notebook_ext.viewer.relay.conftest import Viewer

LIMIT = 20.0


def test_what_an_agent_changes_stands_in_every_viewer(world: AgentWorld, session: Session) -> None:
    session.evaluate("[defparam h 5]\n[cube 10 10 h]", name="lid")
    call_tool(world, "vcad_set_parameter", {"node_id": "lid", "name": "h", "value": 7}, agent="cursor")
    call_tool(world, "vcad_node", {"node_id": "lid"}, agent="cursor")
    assert session.viewers.status.text.endswith("cursor: vcad_set_parameter lid → revision 2")


def test_those_who_listen_hear_of_each_call(world: AgentWorld) -> None:
    heard: list[Any] = []
    stop = world.on_call(heard.append)
    call_tool(world, "vcad_node", {"node_id": "lid"}, agent="cursor", request_id="r-1")
    stop()
    call_tool(world, "vcad_node", {"node_id": "lid"}, agent="cursor")
    (one,) = heard
    assert (one["tool"], one["agent"], one["request_id"]) == ("vcad_node", "cursor", "r-1")
    assert (one["success"], one["error_code"]) == (False, "NODE_NOT_FOUND")


@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")
@pytest.mark.parametrize("uri", ["vcad://node/tr%C3%A4ger/source", "vcad://node/tr:e4:ger/source"])
def test_an_older_client_hears_under_the_address_that_it_has_written(
    world: AgentWorld, session: Session, uri: str
) -> None:
    async def run() -> str:
        heard: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def hear(message: IncomingMessage) -> None:
            if isinstance(message, ResourceUpdatedNotification) and not heard.done():
                heard.set_result(str(message.params.uri))

        changes = ChangeNotifier(session)
        with changes.listening():
            server = AgentServer(world, (), changes)
            async with Client(server, mode="legacy", message_handler=hear) as client:
                assert client.server_capabilities.resources is not None
                assert client.server_capabilities.resources.subscribe is True
                await client.subscribe_resource(uri)
                await asyncio.to_thread(session.evaluate, "[cube 1 2 3]", "träger")
                return await heard

    assert asyncio.run(asyncio.wait_for(run(), LIMIT)) == uri


@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")
def test_an_older_client_that_subscribed_hears_of_a_persons_change(
    world: AgentWorld, session: Session
) -> None:
    async def run() -> str:
        heard: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def hear(message: IncomingMessage) -> None:
            if isinstance(message, ResourceUpdatedNotification) and not heard.done():
                heard.set_result(str(message.params.uri))

        changes = ChangeNotifier(session)
        with changes.listening():
            server = AgentServer(world, (), changes)
            async with Client(server, mode="legacy", message_handler=hear) as client:
                for _ in range(2):
                    await client.subscribe_resource("vcad://node/lid")
                await client.subscribe_resource("vcad://nodes")
                await client.unsubscribe_resource("vcad://nodes")
                assert [len(found) for found in changes._subscribed.values()] == [1]
                await asyncio.to_thread(session.evaluate, "[cube 1 2 3]", "lid")
                return await heard

    assert asyncio.run(asyncio.wait_for(run(), LIMIT)) == "vcad://node/lid"


def test_a_client_that_listens_hears_of_a_persons_change(world: AgentWorld, session: Session) -> None:
    async def run() -> str:
        changes = ChangeNotifier(session)
        with changes.listening():
            async with (
                Client(AgentServer(world, (), changes)) as client,
                client.listen(resource_subscriptions=["vcad://nodes"]) as events,
            ):
                await asyncio.to_thread(session.evaluate, "[cube 1 2 3]", "lid")
                async for event in events:
                    return str(event.uri)  # type: ignore[union-attr]
        raise AssertionError

    assert asyncio.run(asyncio.wait_for(run(), LIMIT)) == "vcad://nodes"


class _None(Arguments):
    pass


class _Done(Answer):
    done: bool


def test_a_client_that_gives_up_ends_its_call(world: AgentWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    def waits(_arguments: _None, call: Call) -> _Done:
        begun.set()
        assert call.cancelled.wait(LIMIT)
        ended.set()
        call.checkpoint()
        return _Done(done=True)

    tool = Tool("waits", "core", "R", True, "Wait.", _None, _Done, waits)
    monkeypatch.setattr(registry, "_tools_of", lambda pack: (tool,) if pack == "core" else ())

    async def run() -> None:
        async with Client(AgentServer(world, (), ChangeNotifier(world.session))) as client:
            with pytest.raises(MCPError, match=r"[Tt]imed out"):
                await client.call_tool("waits", {}, read_timeout_seconds=0.5)
            await asyncio.to_thread(ended.wait, LIMIT)

    asyncio.run(asyncio.wait_for(run(), LIMIT))
    assert begun.is_set()
    assert ended.is_set()


def test_an_address_with_a_pack_that_there_is_none_of_is_refused(world: AgentWorld) -> None:
    sent: list[dict[str, Any]] = []

    async def run() -> None:
        endpoint = asgi(world)

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        async with endpoint.running():
            scope = {"type": "http", "method": "POST", "query_string": b"packs=paint", "headers": []}
            await endpoint(scope, receive, send)

    asyncio.run(asyncio.wait_for(run(), LIMIT))
    assert sent[0]["status"] == 400
    assert b"no pack paint" in sent[1]["body"]


def test_a_client_that_listens_hears_that_another_thing_is_picked(
    world: AgentWorld, session: Session
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    viewer = Viewer(session.viewers)
    viewer.ready()

    def pick() -> None:
        part = {"node_id": "lid", "digest": "", "kind": "part"}
        viewer.say("viewer.state", selection=[part], visible=["lid"])

    async def run() -> str:
        changes = ChangeNotifier(session)
        with changes.listening():
            async with (
                Client(AgentServer(world, (), changes)) as client,
                client.listen(resource_subscriptions=["vcad://selection"]) as events,
            ):
                await asyncio.to_thread(pick)
                async for event in events:
                    return str(event.uri)  # type: ignore[union-attr]
        raise AssertionError

    assert asyncio.run(asyncio.wait_for(run(), LIMIT)) == "vcad://selection"
