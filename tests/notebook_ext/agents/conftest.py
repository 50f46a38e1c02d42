"""A session without a kernel, what it offers to agents, and a client in the same process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session
from notebook_ext.sketchup.bridge.link import SketchupLink
from tests.sketchup.memory_bridge import MemorySketchUp, memory_bridge
from tests.steady_clock import SteadyClock
from vcad_kernel.service.direct import DirectService


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    # nothing listens there: a SketchUp that runs on this machine is none of the tests' business
    monkeypatch.setenv("SUPEX_PORT", "1")
    # a policy that a person loosens is sealed with a key of theirs
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder.resolve()


@pytest.fixture
def sketchup(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> MemorySketchUp:
    played = MemorySketchUp(workspace)
    bridge = memory_bridge(played)
    monkeypatch.setattr(SketchupLink, "bridge", lambda self: bridge)
    return played


@pytest.fixture
def clock() -> SteadyClock:
    """The time by which a session's questions wait."""
    return SteadyClock()


@pytest.fixture
def session(workspace: Path, clock: SteadyClock) -> Iterator[Session]:
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    made = Session(shell, DirectService(folder=workspace), folder=workspace, clock=clock)
    yield made
    made.close()


@pytest.fixture
def world(session: Session) -> AgentWorld:
    return AgentWorld(session, session_id="s-test")
