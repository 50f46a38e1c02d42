"""The project over the hook API: read whole, written whole, never over what somebody else has changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from notebook_ext.agents.client import HookClient, HookRefused
from notebook_ext.session.session import Session

LID: dict[str, Any] = {
    "source": {"kind": "cell", "text": "[cube 1 2 3]"},
    "parameters": {},
    "imports": [],
    "revision": 0,
    "applied_revision": 0,
    "status": "active",
}
IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
INSTANCE = {"component": "lid", "transform": IDENTITY, "layer": None, "material": None}


def with_lid(project: dict[str, Any]) -> dict[str, Any]:
    return {**project, "components": {"lid": LID}, "instances": {"lid-1": INSTANCE}}


def test_reading_makes_no_file(http: TestClient, session: Session) -> None:
    project = http.get("/api/project").json()["project"]
    assert (project["revision"], project["components"]) == (0, {})
    assert not (session.workspace / "design_model.json").exists()


def test_a_project_is_written_whole_and_told(http: TestClient, session: Session) -> None:
    project = with_lid(http.get("/api/project").json()["project"])
    answer = http.post("/api/project", json={"project": project, "base_revision": 0})
    assert answer.json() == {"status": "updated", "revision": 1}
    saved = json.loads((session.workspace / "design_model.json").read_text())
    assert saved["components"]["lid"]["source"]["text"] == "[cube 1 2 3]"
    assert http.get("/api/project").json()["project"] == saved
    types = [event["type"] for event in http.get("/api/events").json()["events"]]
    assert "project_updated" in types


def test_a_stale_project_is_409_and_changes_nothing(http: TestClient) -> None:
    old = http.get("/api/project").json()["project"]
    http.post("/api/project", json={"project": with_lid(old)})
    by_its_own_revision = http.post("/api/project", json={"project": old})
    by_the_body = http.post("/api/project", json={"project": old, "base_revision": 0})
    for answer in (by_its_own_revision, by_the_body):
        assert answer.status_code == 409
        assert answer.json()["error_code"] == "REVISION_CONFLICT"
        assert answer.json()["details"]["current"] == 1
    assert "lid" in http.get("/api/project").json()["project"]["components"]


@pytest.mark.parametrize(
    "change",
    [
        {"components": {"lid": {**LID, "applied_revision": 1}}},
        {"components": {"lid": {"source": {}}}},
        {"revision": "one"},
        {"instances": {"lid-1": {**INSTANCE, "transform": [1, 2]}}},
    ],
)
def test_what_is_no_project_or_touches_feedback_is_refused(
    http: TestClient, session: Session, change: dict[str, Any]
) -> None:
    project = http.get("/api/project").json()["project"]
    answer = http.post("/api/project", json={"project": {**project, **change}})
    assert answer.status_code == 400
    assert {"error", "error_code"} <= answer.json().keys()
    assert not (session.workspace / "design_model.json").exists()


@pytest.mark.parametrize("body", [{}, {"project": []}, {"project": {}, "base_revision": True}])
def test_a_malformed_body_is_400(http: TestClient, body: dict[str, Any]) -> None:
    assert http.post("/api/project", json=body).status_code == 400


def test_the_client_reads_changes_and_writes(client: HookClient) -> None:
    project = client.get_project()
    assert client.set_project(with_lid(project))["revision"] == 1
    with pytest.raises(HookRefused) as refused:
        client.set_project(project, base_revision=0)
    assert refused.value.status == 409
    assert refused.value.details["expected"] == 0
