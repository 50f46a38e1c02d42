"""`vcad mcp` and `vcad session` as an agent's program and a terminal run them."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.session_records import live_records
from tests.cli.command import COMMAND, vcad

_LIMIT = 60.0
"""Seconds for what should take one or two, on a machine that does other things too."""
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "terminal", "version": "1"},
    },
}


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    return folder


def started(*arguments: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=dict(os.environ),
    )


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], _LIMIT)
    assert ready, "it said nothing"
    return process.stdout.readline().strip()


def initialized(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What `vcad mcp` answers to `initialize`."""
    assert process.stdin is not None
    process.stdin.write(json.dumps(_INITIALIZE) + "\n")
    process.stdin.flush()
    answered: dict[str, Any] = json.loads(line(process))["result"]
    return answered


def test_initialize_is_answered_with_no_session_anywhere_and_nothing_else_is_said(tmp_path: Path) -> None:
    with started("mcp", folder=tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("this is no message\n")
        process.stdin.flush()
        answered = initialized(process)  # it goes on
        process.stdin.close()
        assert process.wait(_LIMIT) == 0
        assert process.stdout.read() == ""
    assert answered["serverInfo"]["name"] == "vcad"
    assert set(answered["capabilities"]) >= {"tools", "resources", "prompts"}
    assert answered["capabilities"]["resources"]["subscribe"] is True
    assert len(answered["instructions"].encode()) < 2048
    assert live_records() == ()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it(tmp_path: Path, ending: signal.Signals) -> None:
    with started("mcp", folder=tmp_path) as process:
        initialized(process)
        process.send_signal(ending)
        assert process.wait(_LIMIT) == -ending


def test_a_person_who_starts_it_is_told_who_does(tmp_path: Path) -> None:
    terminal, end = os.openpty()
    try:
        process = subprocess.Popen(
            [*COMMAND, "mcp"], stdin=end, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
        )
        assert process.stderr is not None
        assert b"an agent's program starts it" in process.stderr.readline()
        os.write(terminal, b"\x04")  # Ctrl-D
        process.communicate(timeout=_LIMIT)
        assert process.returncode == 0
    finally:
        os.close(terminal)
        os.close(end)


def test_a_session_announces_itself_and_ends_by_a_signal(tmp_path: Path) -> None:
    with started("session", folder=tmp_path) as process:
        said = line(process)
        [record] = live_records()
        assert said == f"vcad session {record.session_id} listening on {record.url}"
        assert (record.kernel_id, record.notebook, record.pid) == (None, None, process.pid)
        assert Path(record.workspace) == tmp_path.resolve()
        process.send_signal(signal.SIGTERM)
        assert process.wait(_LIMIT) == 0
    assert live_records() == ()


def test_a_session_that_cannot_be_announced_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_the_way = tmp_path / "a-file"
    in_the_way.write_text("")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(in_the_way))
    ran = vcad("session", folder=tmp_path)
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    assert str(in_the_way) in ran.stderr
    assert ran.stdout == ""


def test_a_session_ends_with_its_parent_when_told_to(tmp_path: Path) -> None:
    with started("session", "--watch-parent", folder=tmp_path) as process:
        assert line(process).startswith("vcad session s-")
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(_LIMIT) == 0
    assert live_records() == ()


def test_a_workspace_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for command in ("mcp", "session"):
        ran = vcad(command, "--workspace", str(tmp_path / "missing"))
        assert ran.returncode == 2
        assert "missing" in ran.stderr
        assert ran.stdout == ""


def test_a_pack_that_is_none_is_refused(tmp_path: Path) -> None:
    ran = vcad("mcp", "--pack", "everything", folder=tmp_path)
    assert ran.returncode == 2
    assert "the packs are core, viewer, watch, project" in ran.stderr
    assert ran.stdout == ""
