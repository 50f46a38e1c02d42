"""`HookClient` over a real port: values, events, tools, and a server that is not there."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from notebook_ext import session_records
from notebook_ext.agents import client as client_module
from notebook_ext.agents.client import HookClient, HookRefused
from notebook_ext.session.session import Session
from vcad_kernel.errors import ServiceFailure

PLATE = "[defparam width 40 {:min 1 :max 90}] [cube width 5 5]"


def test_a_script_moves_a_parameter_and_waits_for_it(client: HookClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    seq = client.set_value("param.width", 50)["seq"]
    done = client.wait_for_event("task_done", 20)
    assert done is not None
    assert done["payload"]["task"] == seq
    assert client.wait_for_value("param.width", 50)
    assert client.get_text_value("param.width") == "50.0"
    assert client.get_node_status("param.width") == 50


def test_waiting_for_an_event_keeps_the_others(client: HookClient) -> None:
    for kind in ("one", "two", "three", "two"):
        client.push_event(kind, {})
    found = client.wait_for_event("two")
    assert found is not None
    assert found["type"] == "two"
    assert [event["type"] for event in client.get_events()] == ["one", "three", "two"]
    assert client.wait_for_event("one", timeout=0) is None


def test_the_status_needs_no_session_state(client: HookClient) -> None:
    assert client.get_status()["status"] == "ok"
    assert client.get_state()["status"] == "idle"
    assert client.get_indicator_state("live") is False
    assert client.get_indicator_state("unheard of") is False
    assert client.get_node_status("thinking") is False
    assert client.get_node_status("unheard of") is None


def test_a_refusal_says_what_would_be_right(client: HookClient) -> None:
    with pytest.raises(HookRefused, match="no_such_tag") as refused:
        client.get_value("no_such_tag")
    assert refused.value.status == 404
    with pytest.raises(HookRefused) as unknown:
        client.call("no_such_tool")
    assert (unknown.value.status, unknown.value.error_code) == (404, "TOOL_NOT_FOUND")
    with pytest.raises(HookRefused):
        client.select_tab("main", "log")
    with pytest.raises(HookRefused):
        client.select_list_item("nodes", "plate")


def test_entries_events_and_logs(client: HookClient, session: Session) -> None:
    client.set_session([{"kind": "user", "text": "hello"}])
    assert client.get_session() == [{"kind": "user", "text": "hello"}]
    assert "POST /api/session 200" in client.get_log("hooks")
    assert client.get_log("hooks", tail=1).count("\n") == 1
    session.run_cell(PLATE, name="plate")
    client.reset_session()
    assert client.wait_for_event("task_done", 20)
    assert session.nodes() == ()
    assert {one["name"] for one in client.get_tags()} >= {"step_mode", "btn_reset_session"}


def test_a_tool_of_any_pack_can_be_called(client: HookClient, session: Session) -> None:
    session.run_cell(PLATE, name="plate")
    answer = client.call("vcad_list_nodes")
    assert answer["success"] is True
    refused = client.call("vcad_node", node_id="nobody")
    assert refused["success"] is False
    assert refused["error_code"] == "NODE_NOT_FOUND"
    assert client.call("vcad_check", {"source": 3})["error_code"] == "SCHEMA_VALIDATION_FAILED"
    assert '"tool":"vcad_list_nodes"' in client.get_log("toolcalls")
    called = client.wait_for_event("tool_called")
    assert called is not None
    assert (called["payload"]["tool"], called["payload"]["agent"]) == ("vcad_list_nodes", "HookClient")
    entries = [one for one in client.get_session() if one["event"] == "tool_called"]
    assert [(one["tool"], one["success"]) for one in entries] == [
        ("vcad_list_nodes", True),
        ("vcad_node", False),
        ("vcad_check", False),
    ]


def test_performance_is_what_the_tool_measures(client: HookClient) -> None:
    found = client.get_performance()
    assert "kernel_busy" in found
    assert "success" not in found


def test_nobody_there_is_a_failure_after_the_retries(kept_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("notebook_ext.agents.hook_transport.time.sleep", pauses.append)
    client = HookClient(f"http://127.0.0.1:{kept_port}", max_retries=3, retry_delay=0.125)
    with pytest.raises(ServiceFailure) as failed:
        client.get_status()
    assert failed.value.error_code == "CONNECTION_FAILED"
    assert failed.value.details["port"] == kept_port
    assert pauses == [0.125] * 3
    assert client.wait_for_server(timeout=0) is False


def serve_once(answers: list[bytes]) -> tuple[int, Callable[[], int], list[bytes]]:
    """A peer that answers a connection with each of these bytes: port, how many came, what they asked."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    asked: list[bytes] = []

    def serve() -> None:
        with listening:
            for answer in answers:
                try:
                    peer, _ = listening.accept()
                except OSError:
                    return  # `count` waits for no more
                with peer:
                    asked.append(peer.recv(65536))
                    peer.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()

    def count() -> int:
        with contextlib.suppress(OSError):  # closed by now: everybody who was expected has come
            listening.shutdown(socket.SHUT_RDWR)
        thread.join(10)
        return len(asked)

    return int(listening.getsockname()[1]), count, asked


def answer(status: int, body: bytes) -> bytes:
    return b"HTTP/1.1 %d x\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)


ERROR = answer(500, b'{"error":"no","error_code":"SAVE_FAILED"}')
OK = answer(200, b'{"status":"ok"}')


def test_a_connection_that_ends_before_an_answer_is_repeated() -> None:
    port, count, _ = serve_once([b"", OK])
    client = HookClient(f"http://127.0.0.1:{port}", retry_delay=0.001)
    assert client.get_status() == {"status": "ok"}
    assert count() == 2


def test_an_answer_is_never_asked_for_twice() -> None:
    port, count, _ = serve_once([ERROR])
    client = HookClient(f"http://127.0.0.1:{port}", retry_delay=0.001)
    with pytest.raises(HookRefused) as refused:
        client.get_status()
    assert (refused.value.status, refused.value.error_code) == (500, "SAVE_FAILED")
    assert count() == 1


def test_a_tool_that_may_have_been_called_is_not_called_again() -> None:
    port, count, asked = serve_once([b"", OK])
    client = HookClient(f"http://127.0.0.1:{port}", retry_delay=0.001)
    with pytest.raises(ServiceFailure) as failed:
        client.call("vcad_remove", node_id="lid")
    assert failed.value.error_code == "UNKNOWN_OUTCOME"
    assert count() == 1
    assert b"X-Agent: HookClient" in asked[0]


def test_a_request_that_never_left_failed_and_one_that_did_is_unknown() -> None:
    port, _, _ = serve_once([b"", b""])
    client = HookClient(f"http://127.0.0.1:{port}", max_retries=1, retry_delay=0.001)
    with pytest.raises(ServiceFailure) as failed:
        client.reset_session()
    assert failed.value.error_code == "UNKNOWN_OUTCOME"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = HookClient(f"http://127.0.0.1:{free.getsockname()[1]}", max_retries=1, retry_delay=0.001)
        with pytest.raises(ServiceFailure) as failed:
            nobody.reset_session()
    assert failed.value.error_code == "CONNECTION_FAILED"


def test_a_script_in_a_folder_below_finds_the_session_of_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "scripts").mkdir()
    monkeypatch.chdir(tmp_path / "scripts")
    monkeypatch.delenv("VCAD_SESSION", raising=False)
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)

    def record(port: int, kernel: str | None, workspace: Path, began: str) -> session_records.SessionRecord:
        url = f"http://127.0.0.1:{port}"
        return session_records.SessionRecord(
            session_id="s",
            kernel_id=kernel,
            url=url,
            token=f"t{port}",
            workspace=str(workspace),
            pid=1,
            started_at=began,
        )

    records = [
        record(1, "k", tmp_path, "2026-01-01"),
        record(2, None, tmp_path, "2026-01-02"),
        record(3, "k", tmp_path / "other", "2026-01-03"),
    ]
    monkeypatch.setattr(session_records, "live_records", lambda: tuple(records))
    assert client_module._recorded(None) == ("http://127.0.0.1:1", "t1")
    del records[0]
    assert client_module._recorded(None) == ("http://127.0.0.1:2", "t2")
    monkeypatch.setenv("VCAD_WORKSPACE", str(tmp_path / "other"))
    assert client_module._recorded(None) == ("http://127.0.0.1:3", "t3")


def test_half_an_answer_is_not_asked_for_again() -> None:
    port, count, _ = serve_once([OK[:-5]])
    client = HookClient(f"http://127.0.0.1:{port}", retry_delay=0.001)
    with pytest.raises(ServiceFailure) as failed:
        client.get_status()
    assert failed.value.error_code == "UNKNOWN_OUTCOME"
    assert count() == 1


def test_without_an_url_the_record_of_the_folder_is_taken(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = session_records.SessionRecord(
        session_id="s-1", url=address, token="secret", workspace="/", pid=1, started_at="2026-01-01"
    )
    wanted: list[object] = []

    def choose(_records: object, _workspace: object, which: object) -> session_records.SessionRecord:
        wanted.append(which)
        return record

    monkeypatch.setattr(session_records, "live_records", lambda: (record,))
    monkeypatch.setattr(session_records, "choose", choose)
    monkeypatch.setenv("VCAD_SESSION", "plate")
    assert HookClient().wait_for_server(10)
    assert wanted == ["plate"]


def test_without_a_session_the_client_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_records, "live_records", tuple)
    monkeypatch.delenv("VCAD_SESSION", raising=False)
    with pytest.raises(ServiceFailure) as failed:
        HookClient()
    assert failed.value.error_code == "SESSION_UNAVAILABLE"
    assert client_module.__all__ == ["HookClient", "HookRefused"]


def test_only_http_urls_are_taken() -> None:
    with pytest.raises(ServiceFailure) as failed:
        HookClient("file:///etc/passwd")
    assert failed.value.error_code == "INVALID_PARAMS"


def test_the_token_of_a_known_url_is_that_of_its_record(monkeypatch: pytest.MonkeyPatch) -> None:
    port, count, asked = serve_once([OK])
    url = f"http://127.0.0.1:{port}"
    record = session_records.SessionRecord(
        session_id="s-1", url=url, token="secret", workspace="/", pid=1, started_at="2026-01-01"
    )
    monkeypatch.setattr(session_records, "live_records", lambda: (record,))
    assert HookClient(f"{url}/").get_status() == {"status": "ok"}
    assert count() == 1
    assert b"Authorization: Bearer secret" in asked[0]


def test_the_client_brings_nothing_of_the_notebook() -> None:
    heavy = ["IPython", "starlette", "uvicorn", "mcp", "pydantic", "numpy", "httpx"]
    script = f"import sys, notebook_ext.agents.client; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
