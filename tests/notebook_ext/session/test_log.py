"""The session's log: JSON lines, one wish under one id."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from notebook_ext.session.log import SessionLog
from vcad_kernel.request_id import request


def lines(log: SessionLog) -> list[dict[str, Any]]:
    log.close()
    assert log.path is not None
    return [json.loads(line) for line in log.path.read_text().splitlines()]


def test_a_record_says_when_what_and_under_which_wish(tmp_path: Path) -> None:
    log = SessionLog(lambda: tmp_path)
    with request() as wish:
        log.event("eval_started", node_id="lid", revision=3)
    log.event("operation_failed", level="error", error_code="BUSY")
    first, second = lines(log)
    assert first["event"] == "eval_started"
    assert first["request_id"] == wish
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
