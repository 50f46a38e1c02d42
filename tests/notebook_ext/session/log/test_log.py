"""The session's log: JSON lines, one request under one id."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

from notebook_ext.session.log.log import SessionLog
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.request_id import request


def lines(log: SessionLog) -> list[dict[str, Any]]:
    log.close()
    assert log.path is not None
    return [json.loads(line) for line in log.path.read_text().splitlines()]


def test_a_record_says_when_what_and_under_which_request(tmp_path: Path) -> None:
    log = SessionLog(lambda: tmp_path)
    with request() as request_id:
        log.event("eval_started", node_id="lid", revision=3)
    log.event("operation_failed", level="error", error_code="BUSY")
    first, second = lines(log)
    assert first["event"] == "eval_started"
    assert first["request_id"] == request_id
    assert (first["node_id"], first["revision"], first["level"]) == ("lid", 3, "info")
    assert datetime.fromisoformat(first["timestamp"]).tzinfo is not None
    assert (second["level"], second["error_code"], second["request_id"]) == ("error", "BUSY", None)


def test_the_folder_is_made_with_the_first_event_and_kept_out_of_git(tmp_path: Path) -> None:
    log = SessionLog(lambda: tmp_path)
    assert list(tmp_path.iterdir()) == []
    log.event("eval_started")
    assert lines(log)
    assert (tmp_path / ".vcad" / ".gitignore").read_text() == "*\n"


def test_the_logs_of_the_last_twenty_sessions_are_kept(tmp_path: Path) -> None:
    for second in range(25):
        log = SessionLog(lambda: tmp_path, clock=lambda: datetime(2030, 1, 1, 0, 0, second))  # noqa: B023
        log.event("eval_started")
        log.close()
    kept = sorted(one.name for one in (tmp_path / ".vcad" / "logs").glob("session-*"))
    assert len(kept) == 20
    assert kept[0].startswith("session-20300101-000005-")


def test_the_users_own_folder_for_logs_is_used_and_not_cleared(tmp_path: Path) -> None:
    theirs = tmp_path / "logs"
    for number in range(25):
        (theirs / f"session-{number}").mkdir(parents=True)
    log = SessionLog(lambda: tmp_path, elsewhere=lambda: theirs)
    log.event("eval_started")
    assert lines(log)
    assert len(list(theirs.iterdir())) == 26
    assert not (tmp_path / ".vcad").exists()


def test_a_log_that_leads_elsewhere_is_not_written(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / ".vcad").symlink_to(elsewhere)
    log = SessionLog(lambda: workspace)
    log.event("eval_started")
    log.close()
    assert log.path is None
    assert list(elsewhere.iterdir()) == []


def test_a_record_is_there_when_the_call_returns(tmp_path: Path) -> None:
    log = SessionLog(lambda: tmp_path)
    log.event("eval_started")
    assert log.path is not None
    assert log.path.read_text().count("\n") == 1  # whoever is killed now has lost nothing
    log.close()
    log.event("eval_finished")
    assert [one["event"] for one in lines(log)] == ["eval_started", "eval_finished"]


def test_nothing_secret_is_in_a_record(tmp_path: Path) -> None:
    log = SessionLog(lambda: tmp_path)
    log.hide("q7f2-session")
    log.event("internal_error", error="Traceback: Bearer q7f2-session", api_key="abc", arguments={"PAT": "x"})
    (record,) = lines(log)
    assert (record["error"], record["api_key"], record["arguments"]) == (
        "Traceback: Bearer ***",
        "***",
        {"PAT": "***"},
    )


def test_a_workspace_that_is_set_wrong_costs_the_lines_and_no_more(tmp_path: Path) -> None:
    settings = [ServiceFailure("SETTING_INVALID", "no such folder"), None]

    def elsewhere() -> None:
        wrong = settings.pop(0) if len(settings) > 1 else settings[0]
        if wrong is not None:
            raise wrong

    log = SessionLog(lambda: tmp_path, elsewhere=elsewhere)
    log.event("lost")
    log.event("kept")
    assert [one["event"] for one in lines(log)] == ["kept"]


def test_the_log_of_a_session_that_lives_is_kept(tmp_path: Path) -> None:
    logs = tmp_path / ".vcad" / "logs"
    names = [f"session-20200101-0000{second:02}-{os.getpid()}" for second in range(25)]
    living = f"session-20191231-000000-{os.getppid()}"  # begun before its parent: an older process's number
    for name in (*names, living):
        (logs / name).mkdir(parents=True)
    began = datetime.now().astimezone()
    oldest_alive = f"session-{began:%Y%m%d-%H%M%S}-{os.getppid()}"
    (logs / oldest_alive).mkdir()
    later = [f"session-2999{month:02}01-000000-1x" for month in range(1, 13)] + [
        f"session-2999{month:02}02-000000-1x" for month in range(1, 13)
    ]
    for name in later:
        (logs / name).mkdir()
    log = SessionLog(lambda: tmp_path)
    log.event("eval_started")
    log.close()
    kept = {one.name for one in logs.iterdir()}
    assert oldest_alive in kept
    assert living not in kept
    assert names[0] not in kept
    assert set(sorted(later)[-19:]) <= kept


def test_a_record_of_any_size_stays_bearable_and_json(tmp_path: Path) -> None:
    log = SessionLog(lambda: tmp_path)
    log.record("comms.jsonl", "message", {"request_id": "r-1", "agent": "a", "payload": ["x" * 99] * 9999})
    assert log.path is not None
    line = (log.path.parent / "comms.jsonl").read_text()
    assert len(line) < 10_000
    record = json.loads(line)
    assert (record["request_id"], record["agent"]) == ("r-1", "a")
    assert "more characters" in record["payload"]
    log.close()
