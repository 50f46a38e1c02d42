"""What git says has changed, in the files that may be shown."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from notebook_ext.workspace.gate import FileGate
from notebook_ext.workspace.git_diff import git_diff
from vcad_kernel.errors import CapabilityUnavailable, ServiceFailure

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")

_WHO = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *_WHO, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(workspace: Path) -> Path:
    _git(workspace, "init", "-q")
    (workspace / "parts").mkdir()
    (workspace / "parts" / "ä plate.loon").write_text("[let w 1]\n")
    (workspace / "-x.loon").write_text("[let x 1]\n")
    (workspace / ".env").write_text("TOKEN=first\n")
    _git(workspace, "add", "-f", ".")
    _git(workspace, "commit", "-qm", "one")
    _git(workspace, "tag", "v1")
    (workspace / "parts" / "ä plate.loon").write_text("[let w 2]\n")
    (workspace / ".env").write_text("TOKEN=second\n")
    return workspace


def _diff(gate: FileGate, path: Path, *revisions: str) -> tuple[str, tuple[str, ...]]:
    return git_diff(gate, path, *revisions, operation="get_git_diff")


def test_the_files_as_they_are(gate: FileGate, repository: Path) -> None:
    text, names = _diff(gate, repository)
    assert names == ("parts/ä plate.loon",)
    assert "-[let w 1]\n+[let w 2]" in text
    assert "TOKEN" not in text


def test_between_two_revisions(gate: FileGate, repository: Path) -> None:
    _git(repository, "commit", "-qam", "two")
    text, names = _diff(gate, repository, "v1", "main")
    assert names == ("parts/ä plate.loon",)
    assert "TOKEN" not in text
    assert _diff(gate, repository, "HEAD", "HEAD") == ("", ())
    assert _diff(gate, repository, "HEAD~1", "main@{0}")[1] == names


def test_one_file_and_one_folder(gate: FileGate, repository: Path) -> None:
    (repository / "-x.loon").write_text("[let x 2]\n")
    assert _diff(gate, repository / "-x.loon")[1] == ("-x.loon",)
    assert _diff(gate, repository / "parts")[1] == ("parts/ä plate.loon",)


def test_a_renamed_secret_stays_one(gate: FileGate, repository: Path) -> None:
    (repository / "notes.txt").write_text("TOKEN=first\n")
    (repository / ".env").unlink()
    _git(repository, "add", "-Af", ".")
    text, names = _diff(gate, repository)
    assert ".env" not in names
    assert "--- a/.env" not in text


@pytest.mark.parametrize(
    "revision",
    [
        "--output=stolen.txt",
        "-p",
        "--no-index",
        "HEAD..v1",
        "HEAD...v1",
        "HEAD:.env",
        ":.env",
        "HEAD v1",
        "HEAD\nv1",
        "$(id)",
        "missing",
        "x" * 300,
    ],
)
def test_no_revision_is_taken_for_anything_else(gate: FileGate, repository: Path, revision: str) -> None:
    for revisions in ((revision,), ("HEAD", revision)):
        with pytest.raises(ServiceFailure) as caught:
            _diff(gate, repository, *revisions)
        assert caught.value.error_code == "INVALID_PARAMS"
        assert caught.value.details["path"] == ("base_rev" if len(revisions) == 1 else "head_rev")
    assert not (repository / "stolen.txt").exists()


def test_no_program_of_the_repository_is_run(gate: FileGate, repository: Path) -> None:
    script = repository.parent / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {repository.parent}/ran\n")
    script.chmod(0o755)
    (repository / ".gitattributes").write_text("*.loon diff=own filter=o.w=n\n")
    programs = ("diff.external", "diff.own.command", "diff.own.textconv", "core.fsmonitor", "core.pager")
    for name in (*programs, "filter.o.w=n.clean", "filter.o.w=n.process"):
        _git(repository, "config", name, str(script))
    assert "[let w 2]" in _diff(gate, repository)[0]
    assert not (repository.parent / "ran").exists()


def test_without_a_repository(gate: FileGate, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(workspace.parent))
    with pytest.raises((CapabilityUnavailable, ServiceFailure)) as caught:
        _diff(gate, workspace)
    assert caught.value.error_code in {"CAPABILITY_UNAVAILABLE", "INVALID_PARAMS"}
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CapabilityUnavailable) as missing:
        _diff(gate, workspace)
    assert missing.value.details["required_capability"] == "git"
