"""Allowed origins: those of living notebook servers, and those of the setting."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from notebook_ext.gateway.gateway import allowed_origins, notebook_servers


def server(folder: Path, name: str, **changes: object) -> None:
    told = {"url": "http://localhost:8888/", "port": 8888, "pid": os.getpid(), "secure": False, **changes}
    (folder / name).write_text(json.dumps(told))


def test_a_running_server_may_be_called_by_each_name_of_this_machine(tmp_path: Path) -> None:
    server(tmp_path, "jpserver-1.json")
    assert set(notebook_servers(tmp_path)) == {
        "http://localhost:8888",
        "http://127.0.0.1:8888",
        "http://[::1]:8888",
    }


def test_a_server_with_a_name_of_its_own_has_only_that(tmp_path: Path) -> None:
    server(tmp_path, "jpserver-1.json", url="https://lab.example:8443/", port=8443, secure=True)
    assert set(notebook_servers(tmp_path)) == {"https://lab.example:8443"}


def test_the_records_of_dead_servers_and_other_files_allow_nobody(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    server(tmp_path, "jpserver-1.json", pid=process.pid)
    server(tmp_path, "jpserver-2.json", port="many")
    (tmp_path / "jpserver-3.json").write_text("{")
    (tmp_path / "jpserver-4.json").write_text("[]")
    server(tmp_path, "other.json")
    assert set(notebook_servers(tmp_path)) == set()


def test_a_setting_adds_origins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    assert set(allowed_origins(None)) == set()
    named = allowed_origins(" http://localhost:3000/, https://app.example,")
    assert set(named) == {"http://localhost:3000", "https://app.example"}
