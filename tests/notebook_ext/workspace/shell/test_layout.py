"""What a workspace is found to hold before a script sees it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from notebook_ext.workspace.shell.layout import Layout, look_through
from vcad_kernel.errors import PathRefused


def made(workspace: Path, *names: str) -> None:
    for name in names:
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def test_what_is_denied_is_covered_and_what_is_gits_is_sealed(workspace: Path) -> None:
    made(workspace, ".env", "a/plain", "a/id_rsa", "b/.git/config", "c/.git", "d.git/config", ".git/config")
    made(workspace, "e/HEAD", "e/objects/x", "e/refs/x", ".vcad/log", "f/.vcad/log")
    if sys.platform != "win32":
        os.mkfifo(workspace / "pipe")
    (workspace / "link").symlink_to(workspace / ".env")
    marked = look_through(workspace)
    names = [str(path.relative_to(workspace)) for path in marked.covered]
    assert sorted(names) == sorted(
        [".env", "a/id_rsa", "f/.vcad", *(["pipe"] if sys.platform != "win32" else [])]
    )
    sealed = sorted(str(path.relative_to(workspace)) for path in marked.sealed)
    assert sealed == [".git", "b/.git", "c/.git", "d.git", "e"]
    assert marked.unseen == []


def test_what_is_too_large_to_look_through_is_not_visible_at_all(workspace: Path, tmp_path: Path) -> None:
    """Else a name that is denied could be hidden among many."""
    made(workspace, "small/.env", "small/x", *(f"large/{number}/x" for number in range(30)), "large/29/.env")
    marked = look_through(workspace, most=50)
    assert marked.unseen == [workspace / "large"]
    assert marked.covered == [workspace / "small" / ".env"]
    assert look_through(workspace).unseen == []
    with pytest.raises(PathRefused, match="2 files and folders side by side"):
        look_through(workspace, most=1)


def test_jupyters_folders_and_what_is_personal_are_covered_where_the_home_folder_is_the_workspace(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(workspace))
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(workspace / "jupyter" / name.split("_")[1].lower()))
    made(workspace, *(f"jupyter/{name}/policy.key" for name in ("data", "runtime", "config")))
    made(workspace, ".mozilla/x", ".thunderbird/x", ".config/x", ".bashrc", "Mail/x", "notes.md", ".vcad/x")
    staging = tmp_path / "staging"
    staging.mkdir()
    laid = {
        where: kind
        for kind, what, where in Layout.of(workspace, staging).steps
        if what.startswith(str(staging))
    }
    covered = {str(Path(where).relative_to(workspace)) for where in laid}
    assert {"jupyter/data", "jupyter/runtime", "jupyter/config", ".bashrc", "Mail", ".mozilla"} <= covered
    assert {".thunderbird", ".config", ".vcad/x"} <= covered
    assert not covered & {"notes.md", ".vcad", "jupyter"}
