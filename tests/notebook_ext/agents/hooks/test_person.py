"""What only the person may do: an agent's token answers nothing, sets no policy and resets nothing."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from notebook_ext.agents.client import HookClient
from notebook_ext.agents.hook_transport import HookRefused
from notebook_ext.agents.world import AgentWorld


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/ask/respond", {"request_id": "any", "response": {"approved": True}}),
        ("/api/gui", {"action": "click", "item": "btn_approve"}),
        ("/api/gui", {"action": "click", "item": "btn_reject"}),
        ("/api/gui", {"action": "click", "item": "btn_reset_session"}),
        ("/api/gui", {"action": "reset_session"}),
        ("/api/gui", {"action": "set_value", "item": "step_mode", "value": False}),
        ("/api/gui", {"action": "drag", "item": "step_mode", "value": False}),
    ],
)
def test_an_agents_token_is_not_the_persons(
    world: AgentWorld, agents_http: TestClient, path: str, body: dict[str, Any]
) -> None:
    world.session.evaluate("[cube 1 1 1]", name="lid")
    world.approvals.policy.step_mode = True
    refused = agents_http.post(path, json=body)
    assert (refused.status_code, refused.json()["error_code"]) == (403, "PERSON_ONLY")
    assert refused.json()["details"]["operation"] == path
    assert world.approvals.policy.step_mode
    assert world.session.nodes() == ("lid",)


def test_who_cannot_answer_is_nobody_who_looks(world: AgentWorld, agents_http: TestClient) -> None:
    assert agents_http.get("/api/asks").json() == {"asks": []}
    assert agents_http.get("/api/asks?approver=me").status_code == 403
    assert not world.approvals.can_be_seen()


def test_a_code_that_the_person_types_makes_a_program_the_persons(
    world: AgentWorld, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(world.approvals, "_in_terminal", lambda line: shown.append(line) is None)
    client = HookClient(address, token="agent")
    pairing = client.pair("my script")
    assert "my script wants to answer agents for you" in shown[0]
    code = shown[0].rpartition(" ")[2]
    assert client.list_asks() == []  # agents see what waits
    with pytest.raises(HookRefused, match="another program waits"):
        client.pair("another")
    with pytest.raises(HookRefused, match="not the code") as wrong:
        client.confirm(pairing, "AAAA-AAAA")
    assert wrong.value.error_code == "AUTH_INVALID"
    client.confirm(pairing, code.lower().replace("-", " "))
    assert world.approvals.person.is_key(client._transport._known_by["Authorization"].partition(" ")[2])
    with pytest.raises(HookRefused, match="has been used"):
        HookClient(address, token="agent").confirm(pairing, code)


def test_three_wrong_codes_are_the_end_of_it(
    world: AgentWorld, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(world.approvals, "_in_terminal", lambda line: shown.append(line) is None)
    client = HookClient(address, token="agent")
    pairing = client.pair("guesser")
    for _ in range(3):
        with pytest.raises(HookRefused):
            client.confirm(pairing, "AAAA-AAAA")
    with pytest.raises(HookRefused, match="time is over"):
        client.confirm(pairing, shown[0].rpartition(" ")[2])
    assert world.approvals.open_asks() == ()


def test_where_nobody_would_see_a_code_there_is_no_pairing(address: str) -> None:
    with pytest.raises(HookRefused) as refused:
        HookClient(address, token="agent").pair("a script")
    assert refused.value.error_code == "PERSON_ONLY"
