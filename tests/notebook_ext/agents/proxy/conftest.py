"""What the proxy's tests share: a workspace, a runtime folder, and the SDK's client on `vcad mcp`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import Implementation

Connect = Callable[..., Client]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "design_model.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture
def agent(workspace: Path, runtime: Path) -> Connect:
    """Makes a client of a `vcad mcp` in the workspace, with these arguments."""

    def connect(*arguments: str, **options: Any) -> Client:
        command = [sys.executable, "-m", "vcad_kernel", "mcp", "--workspace", str(workspace), *arguments]
        server = StdioServerParameters(
            command=command[0], args=command[1:], env=dict(os.environ), cwd=str(workspace)
        )
        told = Implementation(name="drawing-agent", version="1")
        return Client(server, client_info=told, **{"read_timeout_seconds": 30, **options})

    return connect
