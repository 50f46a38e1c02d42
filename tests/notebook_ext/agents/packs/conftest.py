"""A real headless SketchUp for the tools that talk to it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session
from tests.notebook_ext.agents.packs.headless_world import HeadlessWorld
from tests.sketchup.headless import RunningSketchUp, headless_sketchup
from vcad_kernel.service.direct import DirectService


@pytest.fixture(scope="session")
def evaluating_sketchup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSketchUp]:
    """One Ruby process that lets Ruby be evaluated, as it was left by the test before."""
    if shutil.which("ruby") is None:
        pytest.skip("there is no Ruby here")
    folder = tmp_path_factory.mktemp("sketchup").resolve()
    with headless_sketchup(workspace=folder, allow_eval=True) as running:
        yield running


@pytest.fixture
def headless(
    evaluating_sketchup: RunningSketchUp, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[HeadlessWorld]:
    """A session that works with it; whatever destroys or runs code is allowed."""
    evaluating_sketchup.move_to(workspace)
    evaluating_sketchup.control("_test.reset")
    monkeypatch.setenv("SUPEX_PORT", str(evaluating_sketchup.port))
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    session = Session(shell, DirectService(folder=workspace), folder=workspace)
    policy = session.approvals().policy
    policy.set("D", "allow")
    policy.set("X", "allow")
    yield HeadlessWorld(session, AgentWorld(session, session_id="s-test"), evaluating_sketchup)
    session.close()
