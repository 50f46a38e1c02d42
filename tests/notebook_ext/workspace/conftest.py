"""A workspace with a gate before it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from notebook_ext.workspace.files.gate import FileGate


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = Path(os.path.realpath(tmp_path)) / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def gate(workspace: Path) -> FileGate:
    return FileGate(workspace)
