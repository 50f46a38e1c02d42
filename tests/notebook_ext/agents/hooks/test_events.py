"""The queue of events: a thousand, drained or read by number."""

from __future__ import annotations

from starlette.testclient import TestClient

from notebook_ext.agents.hooks.events import EventQueue
from notebook_ext.session.session import Session

PLATE = "[defparam width 40 {:min 1 :max 90}] [cube width 5 5]"


def test_draining_takes_and_after_leaves() -> None:
    queue = EventQueue(clock=lambda: 7.0)
    first = queue.push("one", {"a": 1})
    queue.push("two", {})
    assert [event["type"] for event in queue.after(first)] == ["two"]
    assert queue.after(0)[0] == {"seq": first, "type": "one", "payload": {"a": 1}, "timestamp": 7.0}
    assert [event["type"] for event in queue.drain()] == ["one", "two"]
    assert queue.drain() == []
    assert queue.push("three", {}) == 3


def test_the_newest_thousand_are_kept_and_numbers_go_on() -> None:
    queue = EventQueue()
    for number in range(1005):
        queue.push("tick", {"number": number})
    kept = queue.after(0)
    assert len(kept) == 1000
    assert kept[0]["seq"] == 6
    assert kept[-1]["payload"] == {"number": 1004}


def test_a_change_of_the_session_is_an_event_and_an_entry(http: TestClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    read = http.get("/api/events", params={"after": 0}).json()["events"]
    drained = http.get("/api/events").json()["events"]
    assert read == drained
    assert [(event["type"], event["payload"]["node_id"]) for event in drained] == [("evaluated", "plate")]
    assert http.get("/api/events").json() == {"events": []}
    entries = http.get("/api/session").json()["session"]["entries"]
    assert [(one["kind"], one["event"], one["revision"]) for one in entries] == [("activity", "evaluated", 1)]


def test_entries_can_be_put_and_grow_on(http: TestClient, session: Session) -> None:
    mine = [{"kind": "user", "text": "make a plate"}]
    assert http.post("/api/session", json={"session": {"entries": mine}}).json() == {"status": "updated"}
    session.run_cell(PLATE, name="plate")
    entries = http.get("/api/session").json()["session"]["entries"]
    assert entries[0] == mine[0]
    assert entries[1]["event"] == "evaluated"


def test_entries_must_be_objects(http: TestClient) -> None:
    answer = http.post("/api/session", json={"session": {"entries": ["text"]}})
    assert answer.status_code == 400
    assert answer.json()["error_code"] == "INVALID_PARAMS"


def test_a_number_that_is_none_is_refused(http: TestClient) -> None:
    assert http.get("/api/events", params={"after": "-1"}).status_code == 400
