"""Tags, values and tasks: what stands for a user interface in the hook API."""

from __future__ import annotations

import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from notebook_ext.agents.world import AgentWorld, CallUnderWay
from notebook_ext.session.session import Session
from notebook_ext.sketchup.trace import Trace
from notebook_ext.sketchup.trace_files import TraceFiles
from tests.notebook_ext.viewer.relay.conftest import Viewer
from tests.sketchup.memory_bridge import MemorySketchUp

PLATE = "[defparam width 40 {:min 1 :max 90 :whole true}] [defparam depth 2.5] [cube width 5 depth]"


def ended(http: TestClient, answer: Any) -> dict[str, Any]:
    """The event with which a task ends, as soon as it is there."""
    seq = answer.json()["seq"]
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for event in http.get("/api/events", params={"after": seq}).json()["events"]:
            if event["payload"].get("task") == seq:
                return {"type": event["type"], **event["payload"]}
    raise AssertionError(f"task {seq} has not ended")


def put(http: TestClient, action: str, **task: Any) -> dict[str, Any]:
    """The same for a task that is to be accepted."""
    return ended(http, http.post("/api/gui", json={"action": action, **task}))


def events_of(http: TestClient, kind: str) -> list[dict[str, Any]]:
    return [one["payload"] for one in http.get("/api/events?after=0").json()["events"] if one["type"] == kind]


def test_tags_have_type_and_range(http: TestClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    tags = {one.pop("name"): one for one in http.get("/api/gui/tags").json()["tags"]}
    assert tags["param.width"] == {"type": "int", "writable": True, "range": [1, 90]}
    assert tags["param.depth"] == {"type": "float", "writable": True, "range": [None, None]}
    assert tags["agent.mode"]["writable"] is False
    assert tags["btn_reset_session"]["type"] == "button"
    assert "viewer.camera" not in tags
    assert set(tags) == {
        "param.width", "param.depth", "step_mode", "agent.mode", "project.units_display",
        "btn_reset_session", "btn_apply", "btn_replay", "btn_approve", "btn_reject",
    }  # fmt: skip


def test_a_parameter_is_set_in_its_turn_and_its_part_follows(http: TestClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    answer = http.post("/api/gui", json={"action": "set_value", "item": "param.width", "value": 50})
    assert answer.json()["status"] == "queued"
    seq = answer.json()["seq"]
    assert ended(http, answer) == {
        "type": "task_done",
        "task": seq,
        "action": "set_value",
        "item": "param.width",
    }
    assert http.get("/api/gui/value/param.width").json() == {"value": 50}
    assert session["plate"].volume == pytest.approx(50 * 5 * 2.5)


def test_tasks_are_done_in_the_order_in_which_they_came(http: TestClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    for width in range(41, 49):
        last = http.post("/api/gui", json={"action": "drag", "item": "param.width", "value": width})
    reset = http.post("/api/gui", json={"action": "reset_session"})
    ended(http, last)
    ended(http, reset)
    assert session.nodes() == ()
    tasks = [one["task"] for one in events_of(http, "task_done")]
    assert tasks == sorted(tasks)
    assert len(tasks) == 9


def test_a_parameter_of_a_cell_without_a_name_can_be_set(http: TestClient, session: Session) -> None:
    session.run_cell(PLATE)
    assert put(http, "set_value", item="param.width", value=50)["type"] == "task_done"
    assert http.get("/api/gui/value/param.width").json() == {"value": 50}


def test_what_a_program_sets_is_asked_for_where_the_policy_wants_it(
    http: TestClient, session: Session, world: AgentWorld
) -> None:
    session.run_cell(PLATE, name="plate")
    assert put(http, "set_value", item="step_mode", value=True)["type"] == "task_done"
    for item, value in (("param.width", 50), ("project.units_display", "in")):
        failed = put(http, "set_value", item=item, value=value)
        assert (failed["type"], failed["error_code"]) == ("task_failed", "APPROVAL_REQUIRED")
    project = http.get("/api/project").json()["project"]
    answer = http.post("/api/project", json={"project": {**project, "settings": {"units_display": "in"}}})
    assert (answer.status_code, answer.json()["error_code"]) == (403, "APPROVAL_REQUIRED")
    assert http.get("/api/gui/value/param.width").json() == {"value": 40}
    assert http.get("/api/project").json()["project"] == project


def test_who_set_a_value_is_written_down(http: TestClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    task = {"action": "set_value", "item": "param.width", "value": 50}
    ended(http, http.post("/api/gui", json=task, headers={"X-Agent": "a front end"}))
    (called,) = events_of(http, "tool_called")
    assert (called["tool"], called["agent"], called["node_id"]) == (
        "vcad_set_parameter",
        "a front end",
        "plate",
    )


@pytest.mark.parametrize("value", [0, 91, 5.5, "wide", True, None])
def test_a_value_that_the_parameter_cannot_have_is_refused_at_once(
    http: TestClient, session: Session, value: object
) -> None:
    session.run_cell(PLATE, name="plate")
    answer = http.post("/api/gui", json={"action": "drag", "item": "param.width", "value": value})
    assert (answer.status_code, answer.json()["details"]["path"]) == (400, "value")
    assert http.get("/api/gui/value/param.width").json() == {"value": 40}


def test_a_value_that_cannot_be_built_fails_its_task(http: TestClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    failed = put(http, "set_value", item="param.depth", value=-1)
    assert (failed["type"], failed["error_code"]) == ("task_failed", "GEOMETRY_INVALID")
    assert http.get("/api/gui/value/param.depth").json() == {"value": 2.5}


@pytest.mark.parametrize(
    "task",
    [
        {"action": "set_value", "item": "param.width", "value": 3},
        {"action": "click", "item": "btn_unknown"},
        {"action": "select_tab", "tab_bar": "main", "tab": "log"},
        {"action": "select_list_item", "listbox": "nodes", "item_value": "plate"},
        {"action": "click", "item": "btn_approve"},
    ],
)
def test_an_unknown_tag_is_404(http: TestClient, task: dict[str, Any]) -> None:
    assert http.post("/api/gui", json=task).status_code == 404


@pytest.mark.parametrize(
    "task",
    [
        {},
        {"action": "explode"},
        {"action": "set_value", "item": "step_mode"},
        {"action": "set_value", "item": "step_mode", "value": 1},
        {"action": "set_value", "item": "agent.mode", "value": "headless"},
        {"action": "drag", "item": "step_mode", "value": True},
        {"action": "click", "item": "btn_reset_session", "kwargs": []},
        {"action": "push_event", "event_type": "mine", "payload": 3},
        {"action": "run_cell"},
    ],
)
def test_a_malformed_task_is_400(http: TestClient, task: dict[str, Any]) -> None:
    assert http.post("/api/gui", json=task).status_code == 400


def test_step_mode_is_the_policys(http: TestClient, session: Session, world: AgentWorld) -> None:
    put(http, "set_value", item="step_mode", value=True)
    assert world.approvals.policy.step_mode is True
    assert http.get("/api/gui/value/step_mode").json() == {"value": True}
    assert http.get("/api/gui/state").json()["step_mode"] is True


def test_the_unit_of_display_is_kept_in_the_project(http: TestClient, session: Session) -> None:
    assert http.get("/api/gui/value/project.units_display").json() == {"value": "mm"}
    assert not (session.workspace / "design_model.json").exists()
    put(http, "set_value", item="project.units_display", value="in")
    assert http.get("/api/gui/value/project.units_display").json() == {"value": "in"}
    assert http.get("/api/project").json()["project"]["settings"] == {"units_display": "in"}


def test_a_reset_takes_back_every_part(http: TestClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    put(http, "click", item="btn_reset_session")
    assert session.nodes() == ()
    assert [one["node_id"] for one in events_of(http, "forgotten")] == ["plate"]
    session.run_cell(PLATE, name="plate")
    put(http, "reset_session")
    assert session.nodes() == ()


def test_a_program_pushes_events_of_its_own(http: TestClient) -> None:
    task = {"action": "push_event", "event_type": "mine", "payload": {"n": 1}}
    seq = http.post("/api/gui", json=task).json()["seq"]
    (event,) = http.get("/api/events").json()["events"]
    assert (event["seq"], event["type"], event["payload"]) == (seq, "mine", {"n": 1})


def test_viewers_have_tags_once_somebody_has_asked_for_one(http: TestClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    viewer = Viewer(session.viewers)
    viewer.ready()
    there = http.get("/api/gui/value/viewer.camera").json()["value"]
    assert there["projection"] == "orthographic"
    put(http, "set_value", item="viewer.camera", value={"position": [1, 2, 3], "target": [0, 0, 0]})
    assert viewer.awaited("viewer.state")["camera"]["position"] == [1, 2, 3]
    assert http.get("/api/gui/value/viewer.show_edges").json() == {"value": True}
    put(http, "set_value", item="viewer.show_edges", value=False)
    assert http.get("/api/gui/value/viewer.show_edges").json() == {"value": False}


def test_the_state_of_an_idle_session_claims_nothing(http: TestClient) -> None:
    state = http.get("/api/gui/state").json()
    assert state["status"] == "idle"
    assert state["pending_approval"] is False
    assert state["traces"] == []
    assert http.get("/api/gui/diagnostics").json() == {"thinking": False, "live": False, "prior": False}


def test_a_cell_is_run_only_where_a_page_can_run_it(http: TestClient) -> None:
    failed = put(http, "run_cell", cell_id="#1")
    assert (failed["type"], failed["item"]) == ("task_failed", "#1")
    assert failed["error_code"] in ("CAPABILITY_UNAVAILABLE", "APPROVAL_REQUIRED")


def test_to_apply_is_to_plan_and_to_execute(
    http: TestClient, session: Session, sketchup: MemorySketchUp
) -> None:
    session.place("lid", "[cube 1 2 3]")
    session.evaluate("[cube 1 2 4]", name="lid")
    assert session.standing.components["lid"].applied_revision < session.revision("lid")
    assert put(http, "click", item="btn_apply")["type"] == "task_done"
    assert session.standing.components["lid"].applied_revision == session.revision("lid")
    called = [one["tool"] for one in events_of(http, "tool_called")]
    assert called == ["plan_trace", "trace_execute"]


def test_a_replay_waits_for_a_yes(http: TestClient, session: Session, sketchup: MemorySketchUp) -> None:
    session.place("lid", "[cube 1 2 3]")
    failed = put(http, "click", item="btn_replay")
    assert failed["error_code"] == "APPROVAL_REQUIRED"


def test_what_is_under_way_is_told(http: TestClient, world: AgentWorld) -> None:
    trace = Trace.of("clean", None, ())
    running = CallUnderWay("r-1", "trace_execute", "editor", {"trace_id": trace.trace_id}, "1 of 2")
    TraceFiles(world.workspace).save(trace)
    world._running["r-1"] = running
    state = http.get("/api/gui/state").json()
    assert (state["status"], state["agent_status"]) == ("executing", "running trace_execute")
    assert state["active_trace"] == trace.trace_id
    assert state["streams"] == {"r-1": "1 of 2"}
    assert state["traces"] == state["proposed_traces"] == [trace.trace_id]
    assert http.get("/api/gui/diagnostics").json()["live"] is True


def test_the_state_has_every_field_of_the_specification(http: TestClient) -> None:
    assert http.get("/api/gui/state").json().keys() == {
        "status", "agent_status", "active_tier", "active_trace", "active_operations", "step_mode",
        "pending_tool_approval", "pending_step_approval", "pending_spawn_approval", "pending_approval",
        "traces", "proposed_traces", "streams",
    }  # fmt: skip
