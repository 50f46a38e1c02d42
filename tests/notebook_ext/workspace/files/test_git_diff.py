"""What git says has changed, in the files that may be shown."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from notebook_ext.workspace.files.gate import FileGate
from notebook_ext.workspace.files.git_diff import git_diff
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
    found = git_diff(gate, path, *revisions, operation="get_git_diff")
    return found.text, found.names


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
    _git(repository, "config", "diff.noprefix", "true")
    programs = ("diff.external", "diff.own.command", "diff.own.textconv", "core.fsmonitor", "core.pager")
    for name in (*programs, "filter.o.w=n.clean", "filter.o.w=n.process"):
        _git(repository, "config", name, str(script))
    assert "[let w 2]" in _diff(gate, repository)[0]
    assert not (repository.parent / "ran").exists()


def test_nothing_is_fetched_by_a_program_that_the_repository_names(gate: FileGate, repository: Path) -> None:
    ran = repository.parent / "ran"
    _git(repository, "config", "core.repositoryformatversion", "1")
    for name, value in (
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::sh -c touch% {ran}"),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
    ):
        _git(repository, "config", name, value)
    blob = subprocess.run(
        ["git", "rev-parse", "HEAD:./parts/ä plate.loon"], cwd=repository, check=True, capture_output=True
    )
    name = blob.stdout.decode().strip()
    (repository / ".git" / "objects" / name[:2] / name[2:]).unlink()
    with pytest.raises(CapabilityUnavailable):
        _diff(gate, repository)
    assert not ran.exists()


def test_a_repository_cannot_say_that_its_files_lie_elsewhere(gate: FileGate, repository: Path) -> None:
    outside = repository.parent / "outside"
    (outside / "parts").mkdir(parents=True)
    (outside / "parts" / "ä plate.loon").write_text("TOKEN")
    _git(repository, "config", "core.worktree", str(outside))
    with pytest.raises(CapabilityUnavailable):
        _diff(gate, repository)


def test_a_folder_that_looks_like_a_repository_is_none(gate: FileGate, repository: Path) -> None:
    # an agent can write all of this: no name in it is .git
    looks = repository / "parts" / "looks"
    _git(repository, "clone", "-q", "--bare", ".", str(looks))
    with (looks / "config").open("a") as file:
        file.write("[core]\nbare = false\nworktree = /\n")
    with pytest.raises(CapabilityUnavailable):
        _diff(gate, looks)


def test_a_diff_without_end_is_cut_and_says_so(
    gate: FileGate, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notebook_ext.workspace.files.git_diff._LONGEST", 2_000)
    (repository / "parts" / "ä plate.loon").write_text("[let w 2]\n" * 1_000)
    found = git_diff(gate, repository, operation="get_git_diff")
    assert found.truncated
    assert len(found.text.encode()) == 2_000
    assert not git_diff(gate, repository / "-x.loon", operation="get_git_diff").truncated


def test_git_that_takes_too_long_is_stopped(
    gate: FileGate, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = repository.parent / "tools"
    tools.mkdir()
    (tools / "git").write_text("#!/bin/sh\nexec sleep 600\n")
    (tools / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tools), prepend=":")
    monkeypatch.setattr("notebook_ext.workspace.files.git_diff._SECONDS", 0.2)
    with pytest.raises(ServiceFailure) as caught:
        _diff(gate, repository)
    assert caught.value.error_code == "TIMEOUT"


def test_without_a_repository(gate: FileGate, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(workspace.parent))
    with pytest.raises((CapabilityUnavailable, ServiceFailure)) as caught:
        _diff(gate, workspace)
    assert caught.value.error_code in {"CAPABILITY_UNAVAILABLE", "INVALID_PARAMS"}
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CapabilityUnavailable) as missing:
        _diff(gate, workspace)
    assert missing.value.details["required_capability"] == "git"
