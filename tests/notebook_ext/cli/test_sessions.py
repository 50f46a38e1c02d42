"""`vcad sessions`: which sessions run, without their tokens."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from notebook_ext.session_records import SessionRecord, write
from tests.cli.command import vcad


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = str(tmp_path / "runtime")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", folder)
    return folder


def announced(session_id: str, kernel_id: str | None, notebook: str | None) -> SessionRecord:
    record = SessionRecord(
        session_id=session_id,
        kernel_id=kernel_id,
        url="http://127.0.0.1:4711",
        token="very-secret",
        workspace="/projects/shelf",
        notebook=notebook,
        pid=os.getpid(),
        started_at=datetime.now(UTC).isoformat(timespec="microseconds"),
    )
    write(record)
    return record


def test_without_a_session_it_says_how_one_begins(runtime: str) -> None:
    done = vcad("sessions")
    assert done.returncode == 0
    assert done.stdout == "no session runs; one begins with the first %loon cell of a notebook\n"
    assert json.loads(vcad("sessions", "--json").stdout) == {"sessions": []}


def test_a_line_for_each_session_the_newest_first(runtime: str) -> None:
    announced("s-older", None, None)
    announced("s-newer", "3f2a", "/projects/shelf/plate.ipynb")
    done = vcad("sessions")
    head, first, second = done.stdout.splitlines()
    assert head.split() == ["SESSION", "NOTEBOOK", "WORKSPACE", "KERNEL", "PROCESS", "SINCE"]
    assert first.split()[:5] == [
        "s-newer",
        "/projects/shelf/plate.ipynb",
        "/projects/shelf",
        "3f2a",
        str(os.getpid()),
    ]
    assert second.startswith("s-older  (none: headless)")
    assert "very-secret" not in done.stdout


def test_programs_get_all_but_the_token(runtime: str) -> None:
    one = announced("s-one", "3f2a", None)
    shown = json.loads(vcad("sessions", "--json").stdout)
    assert shown == {"sessions": [one.without_token()]}
