"""``vcad approve``: what waits is shown and answered in a terminal."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from notebook_ext.session_records import SessionRecord, write
from tests.cli.command import vcad

ASK = {
    "request_id": "ask-1",
    "kind": "approval",
    "summary": "runs a script \x1b[2J",
    "tool": "run_shell",
    "risk": "X",
    "agent": "robot",
    "arguments": {"script": "ls \u202e"},
    "diff": "-old\n+new",
    "code": "puts 1",
    "expires_at": (datetime.now(UTC) + timedelta(hours=1)).isoformat(timespec="milliseconds"),
    "objects": ["wall"],
    "remember_offered": False,
}


CODE = "K7QM-4T2P"


class Gateway(ThreadingHTTPServer):
    """The three paths that are needed, as a session's gateway answers them."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asks: list[dict[str, Any]] = [ASK]
        self.answers: list[dict[str, Any]] = []
        self.approvers: set[str] = set()
        self.status = 200
        self.attended = Event()


class _Handler(BaseHTTPRequestHandler):
    server: Gateway

    def do_GET(self) -> None:
        if self.headers["Authorization"] != "Bearer the-person":
            assert (self.path, self.headers["Authorization"]) == ("/api/asks", "Bearer very-secret")
            self._reply(200, {"asks": self.server.asks})
            return
        path, _, approver = self.path.partition("?approver=")
        assert path == "/api/asks"
        self.server.approvers.add(approver)
        self.server.attended.set()
        self._reply(200, {"asks": self.server.asks})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.startswith("/api/pair"):
            assert self.headers["Authorization"] == "Bearer very-secret"
            right = body.get("code", CODE) == CODE
            answer = {"pairing_id": "p-1", "key": "the-person"}
            self._reply(200 if right else 403, answer if right else {"error": "that is not the code"})
            return
        assert (self.path, self.headers["Authorization"]) == ("/api/ask/respond", "Bearer the-person")
        self.server.answers.append(body)
        self._reply(self.server.status, {"status": "ok", "error": "script: must be text"})
        self.server.status = 200

    def _reply(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def gateway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gateway]:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    with Gateway() as server:
        write(
            SessionRecord(
                session_id="s-one",
                kernel_id=None,
                url=f"http://127.0.0.1:{server.server_port}",
                token="very-secret",
                workspace=str(tmp_path),
                notebook=None,
                pid=os.getpid(),
                started_at=datetime.now(UTC).isoformat(timespec="microseconds"),
            )
        )
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_what_waits_is_shown_whole_and_approved(gateway: Gateway, tmp_path: Path) -> None:
    done = vcad("approve", stdin=f"{CODE}\na\n", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    for part in (
        "robot asks: run_shell",
        "[class X]",
        '"script"',
        "+new",
        "affects wall",
        "Answered.",
        "puts 1",
    ):
        assert part in done.stdout
    found = re.search(r"(\d+) s left", done.stdout)
    assert found is not None
    assert 0 < int(found[1]) <= 3600
    assert gateway.answers == [{"request_id": "ask-1", "response": {"approved": True}}]
    assert any(approver for approver in gateway.approvers)


def test_nothing_of_an_agent_commands_the_terminal(gateway: Gateway, tmp_path: Path) -> None:
    done = vcad("approve", stdin=f"{CODE}\nl\n", folder=tmp_path)
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "\\u{1b}" in done.stdout
    assert "Left as it is." in done.stdout
    assert gateway.answers == []


def test_a_no_takes_a_reason(gateway: Gateway, tmp_path: Path) -> None:
    vcad("approve", stdin=f"{CODE}\nwhat\nr\nnot now\n", folder=tmp_path)
    assert gateway.answers == [{"request_id": "ask-1", "response": {"approved": False, "reason": "not now"}}]


def test_an_answer_for_the_session_is_not_taken_where_it_is_not_offered(
    gateway: Gateway, tmp_path: Path
) -> None:
    vcad("approve", stdin=f"{CODE}\ns\na\n", folder=tmp_path)
    gateway.asks = [{**ASK, "remember_offered": True}]
    vcad("approve", stdin=f"{CODE}\ns\n", folder=tmp_path)
    assert [one["response"] for one in gateway.answers] == [
        {"approved": True},
        {"approved": True, "remember": "session"},
    ]


def test_edits_are_made_in_the_editor_and_made_again_when_refused(gateway: Gateway, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho \'{"script": "pwd"}\' > "$1"\ntouch -d "2001-01-01" "$1"\n')
    editor.chmod(0o755)
    gateway.status = 400
    done = vcad("approve", stdin=f"{CODE}\ne\ne\n", folder=tmp_path, EDITOR=str(editor), VISUAL=str(editor))
    edited = {"request_id": "ask-1", "response": {"approved": True, "edited_args": {"script": "pwd"}}}
    assert gateway.answers == [edited, edited]
    assert "script: must be text" in done.stderr


def test_an_ask_that_is_over_is_said_to_be(gateway: Gateway, tmp_path: Path) -> None:
    gateway.status = 404
    assert "Too late" in vcad("approve", stdin=f"{CODE}\na\n", folder=tmp_path).stdout


def test_nothing_waiting_and_nothing_running_are_told_apart(gateway: Gateway, tmp_path: Path) -> None:
    gateway.asks = []
    assert "Nothing waits" in vcad("approve", folder=tmp_path).stdout
    elsewhere = vcad("approve", "--session", "shelf", folder=tmp_path)
    assert elsewhere.returncode == 1
    assert "shelf is not running" in elsewhere.stderr


def test_watching_ends_with_its_input(gateway: Gateway, tmp_path: Path) -> None:
    done = vcad("approve", "--watch", stdin=f"{CODE}\n", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Watching" in done.stdout
    assert gateway.attended.is_set()


def test_a_terminal_that_is_not_paired_answers_nothing(gateway: Gateway, tmp_path: Path) -> None:
    done = vcad("approve", stdin="wrong\nagain\nand again\na\n", folder=tmp_path)
    assert done.returncode == 1
    assert "that is not the code" in done.stderr
    assert gateway.answers == []
    assert gateway.approvers == set()
    late = vcad("approve", stdin=f"wrong\n{CODE}\na\n", folder=tmp_path)
    assert late.returncode == 0, late.stderr
    assert len(gateway.answers) == 1
