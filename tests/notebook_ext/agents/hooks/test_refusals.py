"""What is not there, is malformed or comes too late: status and ``{error, error_code}`` on every path."""

from __future__ import annotations

import threading

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from notebook_ext.agents.hooks import routes
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/nothing", 404),
        ("GET", "/api/ask", 405),
        ("POST", "/api/events", 405),
        ("GET", "/api/gui/value/no_such_tag", 404),
        ("GET", "/api/gui/value/btn_replay", 404),
        ("GET", "/api/logs/secrets", 404),
        ("GET", "/api/logs/hooks?tail=x", 400),
    ],
)
def test_every_refusal_is_json(http: TestClient, method: str, path: str, status: int) -> None:
    answer = http.request(method, path)
    assert answer.status_code == status
    assert {"error", "error_code"} <= answer.json().keys()


@pytest.mark.parametrize("body", [b"{", b"[1]", b'{"a": NaN}', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_400(http: TestClient, body: bytes) -> None:
    assert http.post("/api/gui", content=body).status_code == 400


def test_a_body_above_a_mebibyte_is_413(http: TestClient) -> None:
    answer = http.post("/api/gui", content=b" " * (1024 * 1024 + 1))
    assert answer.status_code == 413
    assert answer.json()["details"]["limit"] == 1024 * 1024


def test_an_unknown_tool_is_404(http: TestClient) -> None:
    answer = http.post("/api/tools/no_such_tool", json={})
    assert (answer.status_code, answer.json()["error_code"]) == (404, "TOOL_NOT_FOUND")


def test_a_busy_session_is_504_and_holds_up_nobody_else(world: AgentWorld, session: Session) -> None:
    app = Starlette(routes=[Mount("/api", routes=routes(world, patience=0.05))])
    is_busy, goes_on = threading.Event(), threading.Event()

    def long_wish() -> None:
        is_busy.set()
        goes_on.wait(20)

    with TestClient(app) as http:
        running = session.submit(long_wish)
        assert is_busy.wait(10)
        late = http.get("/api/project")
        project = {"project": {"revision": 0}}
        tasks = {"action": "set_value", "item": "project.units_display", "value": "cm"}
        written = [http.post("/api/project", json=project), http.post("/api/gui", json=tasks)]
        state = http.get("/api/gui/state")
        events = http.get("/api/events")
        goes_on.set()
        running.result(10)
        again = http.get("/api/project")
    assert (late.status_code, late.json()["error_code"]) == (504, "TIMEOUT")
    assert [(one.status_code, one.json()["error_code"]) for one in written] == [(504, "TIMEOUT")] * 2
    assert state.json()["status"] == "executing"
    assert events.status_code == 200
    assert again.status_code == 200


def test_what_has_begun_and_takes_too_long_has_an_unknown_outcome(
    world: AgentWorld, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()
    look = type(session).standing.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(type(session), "standing", property(lambda one: (goes_on.wait(20), look(one))[1]))
    app = Starlette(routes=[Mount("/api", routes=routes(world, patience=0.5))])
    with TestClient(app) as http:
        late = http.get("/api/project")
        goes_on.set()
    assert (late.status_code, late.json()["error_code"]) == (504, "UNKNOWN_OUTCOME")


def test_a_closed_session_is_503(http: TestClient, session: Session) -> None:
    session.close()
    answer = http.get("/api/project")
    assert (answer.status_code, answer.json()["error_code"]) == (503, "CAPABILITY_UNAVAILABLE")


def test_requests_are_noted_with_status_and_size(http: TestClient) -> None:
    size = len(http.get("/api/events").content)
    http.get("/api/nothing?token=secret")
    lines = http.get("/api/logs/hooks", params={"tail": 2}).text.splitlines()
    assert [line.split(" ", 1)[1] for line in lines] == [
        f"GET /api/events 200 {size}",
        lines[1].split(" ", 1)[1],
    ]
    assert "GET /api/nothing 404" in lines[1]
    assert "secret" not in lines[1]


def test_a_request_id_is_one_of_ours(http: TestClient) -> None:
    answer = http.post(
        "/api/tools/vcad_list_nodes", json={}, headers={b"X-Request-Id": "mine\u00e9".encode()}
    )
    assert (answer.status_code, answer.json()["details"]["path"]) == (400, "X-Request-Id")


def test_the_name_of_an_agent_is_written_down(http: TestClient) -> None:
    request_id = "r-01K00000000000000000000000"
    headers = {"X-Request-Id": request_id, "X-Agent": "a test"}
    assert http.post("/api/tools/vcad_list_nodes", json={}, headers=headers).json()["success"] is True
    line = http.get("/api/logs/toolcalls", params={"request_id": request_id}).text
    assert '"agent":"a test"' in line


def test_a_mistake_of_ours_is_told_without_its_words_and_kept_with_them(
    http: TestClient, world: AgentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise KeyError("what only the log may hold")

    monkeypatch.setattr(world.approvals, "open_asks", broken)
    answer = http.get("/api/asks")
    assert (answer.status_code, answer.json()["error_code"]) == (500, "INTERNAL_ERROR")
    assert "only the log" not in answer.text
    assert "what only the log may hold" in http.get("/api/logs/events").text


def test_a_program_cannot_answer_in_the_panels_name(http: TestClient, world: AgentWorld) -> None:
    heard: list[str] = []

    def respond(request_id: str, response: object, *, by: str) -> bool:
        heard.append(by)
        return True

    world.approvals.respond = respond  # type: ignore[method-assign, assignment]
    for said in ({}, {"by": "panel"}, {"by": "a\nb"}, {"by": 5}):
        body = {"request_id": "x", "response": {"approved": True}, **said}
        assert http.post("/api/ask/respond", json=body).status_code == 200
    assert heard == ["hook", "hook: panel", "hook: ab", "hook"]
