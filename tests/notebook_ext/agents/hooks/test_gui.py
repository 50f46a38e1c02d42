"""Tags, values and tasks: what stands for a user interface in the hook API."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session

PLATE = "[defparam width 40 {:min 1 :max 90}] [defparam depth 2.5] [cube width 5 depth]"


def settled(session: Session) -> None:
    """All that was queued on the session's thread is done."""
    session.submit(lambda: None).result(20)


def events_of(http: TestClient, kind: str) -> list[dict[str, Any]]:
    return [one["payload"] for one in http.get("/api/events?after=0").json()["events"] if one["type"] == kind]


def test_tags_have_type_and_range(http: TestClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    tags = {one.pop("tag"): one for one in http.get("/api/gui/tags").json()["tags"]}
    assert tags["param.width"] == {"type": "int", "writable": True, "range": [1, 90]}
    assert tags["param.depth"] == {"type": "float", "writable": True, "range": [None, None]}
    assert tags["agent.mode"]["writable"] is False
    assert tags["btn_reset_session"]["type"] == "button"
    assert "viewer.camera" not in tags
    assert set(tags) == {
        "param.width", "param.depth", "step_mode", "agent.mode", "project.units_display",
        "btn_reset_session", "btn_replay", "btn_approve", "btn_reject",
    }  # fmt: skip


def test_a_parameter_is_set_in_its_turn_and_its_part_follows(http: TestClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    answer = http.post("/api/gui", json={"action": "set_value", "item": "param.width", "value": 50}).json()
    settled(session)
    assert answer["status"] == "queued"
    assert http.get("/api/gui/value/param.width").json() == {"value": 50}
    assert session["plate"].volume == pytest.approx(50 * 5 * 2.5)
    (done,) = events_of(http, "task_done")
    assert done == {"task": answer["seq"], "action": "set_value", "item": "param.width"}


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
    seq = http.post("/api/gui", json={"action": "set_value", "item": "param.depth", "value": -1}).json()[
        "seq"
    ]
    settled(session)
    (failed,) = events_of(http, "task_failed")
    assert failed["task"] == seq
    assert failed["error_code"] == "GEOMETRY_INVALID"
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
    ],
)
def test_a_malformed_task_is_400(http: TestClient, task: dict[str, Any]) -> None:
    assert http.post("/api/gui", json=task).status_code == 400


def test_step_mode_is_the_policys(http: TestClient, session: Session, world: AgentWorld) -> None:
    http.post("/api/gui", json={"action": "set_value", "item": "step_mode", "value": True})
    settled(session)
    assert world.approvals.policy.step_mode is True
    assert http.get("/api/gui/value/step_mode").json() == {"value": True}
    assert http.get("/api/gui/state").json()["step_mode"] is True


def test_the_unit_of_display_is_kept_in_the_project(http: TestClient, session: Session) -> None:
    assert http.get("/api/gui/value/project.units_display").json() == {"value": "mm"}
    assert not (session.workspace / "design_model.json").exists()
    http.post("/api/gui", json={"action": "set_value", "item": "project.units_display", "value": "in"})
    settled(session)
    assert http.get("/api/gui/value/project.units_display").json() == {"value": "in"}
    assert http.get("/api/project").json()["project"]["settings"] == {"units_display": "in"}


def test_a_reset_takes_back_every_part(http: TestClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    assert http.post("/api/gui", json={"action": "click", "item": "btn_reset_session"}).status_code == 200
    settled(session)
    assert session.nodes() == ()
    assert [one["node_id"] for one in events_of(http, "forgotten")] == ["plate"]
    session.run_cell(PLATE, name="plate")
    http.post("/api/gui", json={"action": "reset_session"})
    settled(session)
    assert session.nodes() == ()


def test_a_program_pushes_events_of_its_own(http: TestClient) -> None:
    task = {"action": "push_event", "event_type": "mine", "payload": {"n": 1}}
    seq = http.post("/api/gui", json=task).json()["seq"]
    (event,) = http.get("/api/events").json()["events"]
    assert (event["seq"], event["type"], event["payload"]) == (seq, "mine", {"n": 1})


class Shown:
    """A live view, as far as the tags need one."""

    def __init__(self) -> None:
        self.state = SimpleNamespace(
            position=(1.0, 2.0, 3.0), target=(0.0, 0.0, 0.0), projection="perspective", edges=True
        )

    def show_edges(self, shown: bool) -> None:
        self.state.edges = shown


def test_the_live_view_has_tags_while_there_is_one(
    http: TestClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Shown()
    monkeypatch.setattr(type(session), "live_view", property(lambda _: shown))
    assert http.get("/api/gui/value/viewer.camera").json()["value"] == {
        "position": [1.0, 2.0, 3.0],
        "target": [0.0, 0.0, 0.0],
        "projection": "perspective",
    }
    assert http.get("/api/gui/value/viewer.show_edges").json() == {"value": True}
    http.post("/api/gui", json={"action": "set_value", "item": "viewer.show_edges", "value": False})
    settled(session)
    assert http.get("/api/gui/value/viewer.show_edges").json() == {"value": False}


def test_the_state_of_an_idle_session_claims_nothing(http: TestClient) -> None:
    state = http.get("/api/gui/state").json()
    assert state["status"] == "idle"
    assert state["pending_approval"] is False
    assert state["traces"] == []
    assert http.get("/api/gui/diagnostics").json() == {"thinking": False, "live": False, "prior": False}
