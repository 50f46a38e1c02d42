"""What needs a person's yes needs it over the hook API as well, whichever path it is asked by."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from notebook_ext.agents.client import HookClient
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session
from tests.notebook_ext.agents.hooks.test_asks import Waited
from tests.sketchup.memory_bridge import MemorySketchUp

PLATE = "[defparam width 40 {:min 1 :max 90}] [cube width 5 5]"


@pytest.fixture
def waited(world: AgentWorld) -> Waited:
    return Waited(world)


@pytest.fixture
def placed(session: Session, sketchup: MemorySketchUp) -> Session:
    session.run_cell(PLATE, name="plate")
    session.place("plate")
    return session


def test_a_call_that_destroys_waits_for_the_answer(
    client: HookClient, waited: Waited, placed: Session
) -> None:
    client.list_asks(approver="test")
    with ThreadPoolExecutor() as pool:
        called = pool.submit(client.call, "vcad_remove", node_id="plate")
        (request_id,) = waited.ids("ask_received")
        (ask,) = client.list_asks(approver="test")
        assert (ask["tool"], ask["risk"], ask["agent"]) == ("vcad_remove", "D", "HookClient")
        state = client.get_state()
        assert state["pending_tool_approval"] is True
        assert state["agent_status"] == "running vcad_remove"
        assert client.get_indicator_state("live") is True
        assert "plate" in placed.model.components
        client.respond(request_id, {"approved": True})
        answer = called.result(20)
    assert answer["success"] is True
    assert "plate" not in placed.model.components


def test_a_no_is_an_answer_with_its_reason(client: HookClient, waited: Waited, placed: Session) -> None:
    client.list_asks(approver="test")
    with ThreadPoolExecutor() as pool:
        called = pool.submit(client.call, "vcad_remove", node_id="plate")
        waited.ids("ask_received")
        client.click("btn_reject", kwargs={"reason": "it is needed"})
        answer = called.result(20)
    assert (answer["success"], answer["error_code"]) == (False, "APPROVAL_DENIED")
    assert "it is needed" in answer["error"]
    assert "plate" in placed.model.components


def test_a_replay_by_its_button_is_asked_for(client: HookClient, waited: Waited, placed: Session) -> None:
    client.list_asks(approver="test")
    seq = client.click("btn_replay")["seq"]
    waited.ids("ask_received")
    client.click("btn_approve")
    done: list[dict[str, Any]] = []
    while not any(payload["task"] == seq for payload in done):
        event = client.wait_for_event("task_done", 20)
        assert event is not None
        done.append(event["payload"])
    assert [one["item"] for one in done] == ["btn_approve", "btn_replay"]
    assert client.get_state()["status"] == "done"
    assert client.get_state()["traces"]


def test_a_client_that_goes_away_gives_its_call_up(
    client: HookClient, address: str, waited: Waited, placed: Session
) -> None:
    client.list_asks(approver="test")
    parts = urlsplit(address)
    with socket.create_connection((str(parts.hostname), int(parts.port or 0)), 10) as gone:
        body = b'{"node_id": "plate"}'
        gone.sendall(
            b"POST /api/tools/vcad_remove HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n%s"
            % (len(body), body)
        )
        (request_id,) = waited.ids("ask_received")
    assert waited.ids("ask_cancelled") == [request_id]
    called = client.wait_for_event("tool_called", 20)
    assert called is not None
    assert (called["payload"]["success"], called["payload"]["error_code"]) == (False, "EVAL_CANCELLED")
    assert "plate" in placed.model.components
