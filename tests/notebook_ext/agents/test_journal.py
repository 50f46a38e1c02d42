"""The session's files of what agents do: complete, bounded, and with nothing secret in them."""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.calls.outcomes import Outcome
from notebook_ext.agents.journal import Journal
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.log.log import SessionLog
from vcad_kernel.errors import ServiceFailure

TOKEN = "q7f2-0aZ9-session"


@pytest.fixture
def log(tmp_path: Path) -> SessionLog:
    return SessionLog(lambda: tmp_path, clock=lambda: datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC))


@pytest.fixture
def folder(log: SessionLog) -> Path:
    made = log.folder()
    assert made is not None
    return made


@pytest.fixture
def journal(log: SessionLog) -> Journal:
    return Journal(log)


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def note(journal: Journal, tool: str = "vcad_place", request_id: str = "r-1", **arguments: Any) -> None:
    outcome = Outcome(True, {"success": True, "node_id": "lid"})
    journal.called(tool, arguments, outcome, agent="editor", request_id=request_id, seconds=0.0125)


def test_a_call_is_written_for_programs_and_for_people(journal: Journal, folder: Path) -> None:
    note(journal, node_id="lid", source_file="lid.loon")
    failed = Outcome(False, {"success": False, "error": "no", "error_code": "LOON_TYPE", "details": {}})
    journal.called(
        "vcad_eval", {"code": "```"}, failed, agent="b", request_id="r-2", seconds=1, approval="allow"
    )
    first, second = records(folder / "toolcalls.jsonl")
    assert first == {
        "timestamp": "2026-03-01T12:00:00.000Z",
        "level": "info",
        "request_id": "r-1",
        "event": "tool_call",
        "node_id": "lid",
        "error_code": None,
        "agent": "editor",
        "tool": "vcad_place",
        "arguments": {"node_id": "lid", "source_file": "lid.loon"},
        "duration_ms": 12.5,
        "approval": None,
        "result": {"success": True, "node_id": "lid"},
    }
    assert (second["level"], second["error_code"], second["approval"]) == ("warning", "LOON_TYPE", "allow")
    text = (folder / "toolcalls.md").read_text("utf-8")
    assert "vcad_place · editor · ok · 12.5 ms" in text
    assert "````json" in text  # what is called cannot end its fence


def test_nothing_secret_is_written(journal: Journal, folder: Path) -> None:
    journal.hide(TOKEN)
    note(
        journal, env={"API_KEY": "k-123456", "PATH": "/bin"}, code=f"curl -H 'Authorization: Bearer {TOKEN}'"
    )
    journal.comms("in", "tools/call", {"headers": {"cookie": "c=1"}, "text": f"my token is {TOKEN}"})
    journal.hook("GET", f"/api/events?token={TOKEN}", 200, 12)
    journal.shell({"command": "export GITHUB_TOKEN=ghp_abcdef1234; ls", "stdout": "password: hunter2x\n"})
    written = "".join(path.read_text("utf-8") for path in folder.iterdir())
    for secret in (TOKEN, "k-123456", "c=1", "ghp_abcdef1234", "hunter2x"):
        assert secret not in written
    assert "/bin" in written
    assert "GET /api/events 200 12" in written


def test_lines_of_many_threads_stay_whole(journal: Journal, folder: Path) -> None:
    def many(number: int) -> None:
        for index in range(50):
            note(journal, request_id=f"r-{number}-{index}")

    threads = [threading.Thread(target=many, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(30)
    found = {one["request_id"] for one in records(folder / "toolcalls.jsonl")}
    assert len(found) == 200


def test_the_last_lines_are_read_of_all_or_of_one_request(journal: Journal, folder: Path) -> None:
    for number in range(5):
        note(journal, request_id=f"r-{number}")
    assert [json.loads(line)["request_id"] for line in journal.tail("toolcalls", 2).splitlines()] == [
        "r-3",
        "r-4",
    ]
    (line,) = journal.tail("toolcalls", 100, "r-1").splitlines()
    assert json.loads(line)["request_id"] == "r-1"
    assert journal.tail("shell", 5) == ""
    (folder.parent / "runtime-console.log").write_text("12:00:00.000|I|SketchUp|hello\n")
    (folder.parent / "headless-sketchup.log").write_text("older\n")
    os.utime(folder.parent / "headless-sketchup.log", (1, 1))
    assert journal.tail("sketchup", 5) == "12:00:00.000|I|SketchUp|hello\n"
    with pytest.raises(ServiceFailure, match="no log 'passwords'"):
        journal.tail("passwords")


def test_where_nothing_can_be_written_nothing_suffers(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = Journal(SessionLog(lambda: tmp_path / "file"))
    note(journal)
    journal.hook("GET", "/api/events", 200, 1)
    assert journal.tail("toolcalls") == ""
    journal.close()


def test_the_lines_of_one_wish_are_those_that_bear_its_id(journal: Journal, log: SessionLog) -> None:
    note(journal, request_id="r-1")
    note(journal, request_id="r-11", reason="after r-1")
    log.bridge("call", {"tool": "undo", "request_id": "r-1/op-2"})
    log.bridge("call", {"tool": "undo", "request_id": "r-11/op-2"})
    assert journal.tail("toolcalls", 9, "r-1").count("\n") == 1
    (line,) = journal.tail("bridge", 9, "r-1").splitlines()
    assert json.loads(line)["request_id"] == "r-1/op-2"


def test_what_is_told_of_the_log_is_json_and_holds_nothing_secret(journal: Journal) -> None:
    journal.shell({"stdout": json.dumps({"client_secret": "abc", "n": 1})})
    journal.hide("n-1234")  # a token that was not known then
    note(journal, code="x")
    journal.comms("out", "tools/call", {"text": "n-1234", "token": "x"})
    for stream in ("shell", "toolcalls", "comms"):
        for line in journal.tail(stream).splitlines():
            json.loads(line)
            assert "n-1234" not in line
            assert "abc" not in line


def test_a_line_after_the_end_opens_its_file_again(journal: Journal, folder: Path) -> None:
    note(journal)
    journal.close()
    note(journal)
    assert len(records(folder / "toolcalls.jsonl")) == 2


def test_a_sessions_calls_are_noted_beside_its_events(world: AgentWorld) -> None:
    outcome = call_tool(world, "get_logs", {"stream": "toolcalls"}, agent="editor", request_id="r-first")
    assert outcome.body == {"success": True, "text": "", "lines": 0}
    outcome = call_tool(world, "get_logs", {"stream": "toolcalls", "request_id": "r-first"}, agent="editor")
    assert outcome.body["lines"] == 1
    record = json.loads(outcome.body["text"])
    assert (record["tool"], record["agent"]) == ("get_logs", "editor")
    assert not call_tool(world, "get_logs", {"stream": "passwords"}, agent="editor").success


def test_what_nothing_measures_is_null(world: AgentWorld) -> None:
    body = call_tool(world, "get_ui_performance", {}, agent="editor").body
    assert body["success"] is True
    assert body["rss_mb"] > 1
    assert body["kernel_busy"] is False
    assert {body[name] for name in ("fps", "frame_ms_p50", "frame_ms_p95", "input_lag_ms")} == {None}
    is_busy, goes_on = threading.Event(), threading.Event()

    def wait() -> None:
        is_busy.set()
        goes_on.wait(30)

    running = world.session.submit(wait)
    assert is_busy.wait(20)
    assert call_tool(world, "get_ui_performance", {}, agent="editor").body["kernel_busy"] is True
    goes_on.set()
    running.result(20)
