"""A project's folder, and a SketchUp that is played in memory, for sessions under test."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebook_ext.sketchup.bridge.link import SketchupLink
from tests.sketchup.memory_bridge import MemorySketchUp, memory_bridge


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, for which no SketchUp runs."""
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    monkeypatch.setenv("SUPEX_PORT", "1")
    folder = tmp_path.resolve() / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def sketchup(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> MemorySketchUp:
    """What every session of the test talks to."""
    played = MemorySketchUp(workspace)
    bridge = memory_bridge(played)
    monkeypatch.setattr(SketchupLink, "bridge", lambda self: bridge)
    return played
