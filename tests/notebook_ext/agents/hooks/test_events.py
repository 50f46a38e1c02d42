"""The queue of events: a thousand, drained or read by number."""

from __future__ import annotations

from starlette.testclient import TestClient

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.hooks.events import EventQueue
from notebook_ext.agents.world import AgentWorld
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


def test_entries_hold_only_the_newest_block_of_changed_files(http: TestClient, world: AgentWorld) -> None:
    (world.workspace / "lid.loon").write_text("[cube 1 2 3]\n")
    for height in (4, 5):
        assert call_tool(world, "read_file", {"path": "lid.loon"}, agent="editor").success
        (world.workspace / "lid.loon").write_text(f"[cube 1 2 {height}]\n")
        body = call_tool(world, "vcad_list_nodes", {}, agent="editor").body
        assert body["files_updated"][0]["path"] == "lid.loon"
    entries = http.get("/api/session").json()["session"]["entries"]
    (with_files,) = [one for one in entries if "files_updated" in one]
    assert "[cube 1 2 5]" in with_files["files_updated"][0]["diff"]
    assert entries[-1] == with_files
    told = [one["payload"] for one in http.get("/api/events").json()["events"]]
    assert len([one for one in told if "files_updated" in one]) == 2  # events are what happened, all of it


def test_only_get_takes_events(http: TestClient) -> None:
    http.post("/api/gui", json={"action": "push_event", "event_type": "mine", "payload": {}})
    assert http.head("/api/events").status_code == 405
    assert http.options("/api/events").status_code == 405
    assert [one["type"] for one in http.get("/api/events").json()["events"]] == ["mine"]


def test_an_event_has_a_bearable_size(http: TestClient) -> None:
    task = {"action": "push_event", "event_type": "mine", "payload": {"text": "x" * 70_000}}
    answer = http.post("/api/gui", json=task)
    assert (answer.status_code, answer.json()["error_code"]) == (413, "PAYLOAD_TOO_LARGE")


def test_what_was_drained_is_gone_for_all_and_its_numbers_tell(http: TestClient) -> None:
    push = {"action": "push_event", "event_type": "mine"}
    first = http.post("/api/gui", json=push).json()["seq"]
    assert len(http.get("/api/events").json()["events"]) == 1
    assert http.get("/api/events", params={"after": 0}).json() == {"events": []}
    second = http.post("/api/gui", json=push).json()["seq"]
    (event,) = http.get("/api/events", params={"after": first}).json()["events"]
    assert event["seq"] == second == first + 1
