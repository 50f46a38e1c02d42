"""Asks over the hook API: one answer wins, silence is no, and who goes away takes his ask back."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from notebook_ext.agents.client import HookClient, HookRefused
from notebook_ext.agents.world import AgentWorld
from tests.steady_clock import SteadyClock


class Waited:
    """Asks that come and go, for a test to wait for."""

    def __init__(self, world: AgentWorld) -> None:
        self._came = threading.Condition()
        self._events: list[tuple[str, str]] = []
        world.approvals.on_change(self._note)

    def _note(self, event: str, ask: Any) -> None:
        with self._came:
            self._events.append((event, ask.request_id))
            self._came.notify_all()

    def ids(self, event: str, count: int = 1) -> list[str]:
        def found() -> list[str]:
            return [request_id for kind, request_id in self._events if kind == event]

        with self._came:
            assert self._came.wait_for(lambda: len(found()) >= count, 15)
            return found()


@pytest.fixture
def waited(world: AgentWorld) -> Waited:
    return Waited(world)


def asking(
    client: HookClient, body: dict[str, Any]
) -> Callable[[ThreadPoolExecutor], Future[dict[str, Any]]]:
    return lambda pool: pool.submit(lambda: client._post("/api/ask", body))


def test_an_ask_waits_for_its_answer(client: HookClient, waited: Waited) -> None:
    with ThreadPoolExecutor() as pool:
        asked = asking(client, {"kind": "confirmation", "summary": "may it?", "n": 3})(pool)
        (request_id,) = waited.ids("ask_received")
        (ask,) = client.list_asks()
        assert (ask["request_id"], ask["kind"], ask["summary"]) == (request_id, "confirmation", "may it?")
        assert client.get_state()["pending_approval"] is True
        assert client.respond(request_id, {"approved": True, "note": "go on"}) is True
        answer = asked.result(15)
    assert answer == {
        "status": "ok",
        "request_id": request_id,
        "response": {"approved": True, "note": "go on"},
    }
    assert client.respond(request_id, {"approved": False}) is False
    kinds = [event["type"] for event in client.get_events()]
    assert kinds == ["ask_received", "clear_ask"]
    assert client.list_asks() == []


def test_silence_is_no(client: HookClient, world: AgentWorld, clock: SteadyClock) -> None:
    def pass_its_time(event: str, ask: Any) -> None:
        if event == "ask_received":
            clock.advance(ask.timeout_s)

    world.approvals.on_change(pass_its_time)
    with pytest.raises(HookRefused) as refused:
        client._post("/api/ask", {"kind": "confirmation", "timeout_s": 1})
    assert refused.value.status == 504
    assert refused.value.error_code == "ASK_TIMEOUT"
    assert refused.value.details["request_id"]
    raw = client._transport.once("POST", "/api/ask", {"timeout_s": 1}, timeout=20).json()
    assert (raw["error_code"], raw["request_id"]) == ("ASK_TIMEOUT", raw["details"]["request_id"])
    assert client.list_asks() == []
    assert client.request_confirmation("vcad_remove", {"node_id": "lid"}, timeout=1) == (
        False,
        {"node_id": "lid"},
    )


def test_a_confirmation_may_come_back_edited(client: HookClient, waited: Waited) -> None:
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(client.request_confirmation, "vcad_remove", {"node_id": "lid"})
        (request_id,) = waited.ids("ask_received")
        client.respond(request_id, {"approved": True, "edited_args": {"node_id": "box"}})
        assert asked.result(15) == (True, {"node_id": "box"})


def test_many_asks_wait_at_once_and_each_has_its_own_answer(client: HookClient, waited: Waited) -> None:
    with ThreadPoolExecutor(12) as pool:
        asked = [asking(client, {"kind": "question", "summary": str(n)})(pool) for n in range(12)]
        waited.ids("ask_received", 12)
        for ask in client.list_asks():
            assert client.respond(ask["request_id"], {"text": ask["summary"] * 2})
        texts = [one.result(15)["response"]["text"] for one in asked]
    assert texts == [str(n) * 2 for n in range(12)]


def test_of_many_answers_exactly_one_wins(client: HookClient, waited: Waited) -> None:
    with ThreadPoolExecutor(9) as pool:
        asked = asking(client, {"kind": "question"})(pool)
        (request_id,) = waited.ids("ask_received")
        answers = list(pool.map(lambda n: (n, client.respond(request_id, {"n": n})), range(8)))
        won = [n for n, counted in answers if counted]
        assert [asked.result(15)["response"]["n"]] == won


def test_a_client_that_goes_away_takes_its_ask_back(client: HookClient, address: str, waited: Waited) -> None:
    parts = urlsplit(address)
    assert parts.hostname is not None
    assert parts.port is not None
    with socket.create_connection((parts.hostname, parts.port), 10) as gone:
        body = b'{"kind": "question"}'
        gone.sendall(
            b"POST /api/ask HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        (request_id,) = waited.ids("ask_received")
    assert waited.ids("ask_cancelled") == [request_id]
    assert client.list_asks() == []


def test_the_buttons_answer_the_oldest_ask_or_the_one_named(client: HookClient, waited: Waited) -> None:
    with ThreadPoolExecutor() as pool:
        first = asking(client, {"kind": "question", "summary": "first"})(pool)
        waited.ids("ask_received")
        second = asking(client, {"kind": "question", "summary": "second"})(pool)
        ids = waited.ids("ask_received", 2)
        client.click("btn_reject", kwargs={"request_id": ids[1], "reason": "not now"})
        client.click("btn_approve")
        assert first.result(15)["response"] == {"approved": True}
        assert second.result(15)["response"] == {"approved": False, "reason": "not now"}


def test_asks_end_with_the_session(client: HookClient, waited: Waited, world: AgentWorld) -> None:
    with ThreadPoolExecutor() as pool:
        asked = asking(client, {"kind": "question"})(pool)
        waited.ids("ask_received")
        world.approvals.close()
        assert asked.result(15)["response"] == {"approved": False, "reason": "session ended"}


@pytest.mark.parametrize("timeout_s", [0, 601, "long", True])
def test_the_time_of_an_ask_has_limits(client: HookClient, timeout_s: object) -> None:
    with pytest.raises(HookRefused) as refused:
        client._post("/api/ask", {"timeout_s": timeout_s})
    assert (refused.value.status, refused.value.details["path"]) == (400, "timeout_s")


def test_who_looks_at_the_asks_is_an_approver(
    client: HookClient, world: AgentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    attending: list[str] = []
    monkeypatch.setattr(world.approvals, "attend", attending.append)
    client.list_asks()
    client.list_asks(approver="terminal")
    assert attending == ["terminal"]
