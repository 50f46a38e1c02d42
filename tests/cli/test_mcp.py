"""`vcad mcp` and `vcad session` as an agent's program and a terminal run them."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.command import COMMAND, vcad
from vcad_kernel.session_records import live_records

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


def initialized(folder: Path) -> float:
    """Seconds from the start of `vcad mcp` to its answer to `initialize`."""
    began = time.perf_counter()
    with started("mcp", folder=folder) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(_INITIALIZE) + "\n")
        process.stdin.flush()
        answer = json.loads(line(process))
        took = time.perf_counter() - began
        process.stdin.close()
        assert process.wait(_LIMIT) == 0
    assert answer["result"]["serverInfo"]["name"] == "vcad"
    assert set(answer["result"]["capabilities"]) >= {"tools", "resources", "prompts"}
    return took


def sdk_imported() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import mcp"], check=True)
    return time.perf_counter() - began


def test_initialize_is_answered_with_no_session_anywhere(tmp_path: Path) -> None:
    # the best of three: other work on the machine only ever adds
    sdk_imported()
    assert min(initialized(tmp_path) - sdk_imported() for _ in range(3)) < 0.6
    assert live_records() == ()


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
    assert "the packs are core, project" in ran.stderr
    assert ran.stdout == ""
