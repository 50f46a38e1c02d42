"""What a script does to a repository is taken over when it ends, and nothing that git runs changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebook_ext.workspace.shell.repository import borrowed


@pytest.fixture
def git(workspace: Path) -> Path:
    folder = workspace / ".git"
    for name in ("objects", "refs", "hooks"):
        (folder / name).mkdir(parents=True)
    for name, content in (("HEAD", "ref: refs/heads/main\n"), ("index", "DIRC"), ("config", "[core]\n")):
        (folder / name).write_text(content)
    (folder / "packed-refs").write_text("")
    (folder / "COMMIT_EDITMSG").write_text("one")
    return folder


@pytest.fixture
def staging(tmp_path: Path) -> Path:
    folder = tmp_path / "staging"
    folder.mkdir()
    return folder


def test_only_objects_refs_and_logs_are_the_repositorys_own(git: Path, staging: Path) -> None:
    (git / "logs").mkdir()
    with borrowed(git.parent, staging) as repository:
        lent = {where.removeprefix(f"{git}"): (kind, what) for kind, what, where in repository.steps}
        assert {name for name, (kind, _) in lent.items() if kind == "write"} == {
            "",
            "/objects",
            "/refs",
            "/logs",
        }
        assert {"/config", "/hooks", "/packed-refs", "/commondir", "/worktrees", "/modules"} <= set(lent)
        # those that git replaces by renaming are copies, and so is what it only notes
        assert not {"/HEAD", "/index", "/COMMIT_EDITMSG"} & set(lent)
        assert sorted(path.name for path in (staging / "git").iterdir() if path.is_file()) == [
            *("COMMIT_EDITMSG", "HEAD", "commondir", "config", "config.worktree", "index", "packed-refs")
        ]


def test_what_a_script_has_staged_and_where_it_stands_is_taken_over(git: Path, staging: Path) -> None:
    with borrowed(git.parent, staging) as repository:
        (staging / "git" / "index").write_text("DIRC more")
        (staging / "git" / "HEAD").write_text("ref: refs/heads/other\n")
        (staging / "git" / "MERGE_HEAD").write_text("x")
    assert (git / "index").read_text() == "DIRC more"
    assert (git / "HEAD").read_text() == "ref: refs/heads/other\n"
    assert repository.kept_out == []
    assert not (git / "MERGE_HEAD").exists()
    assert not list(git.glob("*.lock"))


def test_what_somebody_else_has_changed_meanwhile_stays(git: Path, staging: Path) -> None:
    with borrowed(git.parent, staging) as repository:
        (staging / "git" / "index").write_text("DIRC script's")
        (git / "index").write_text("DIRC person's")
        (staging / "git" / "HEAD").write_text("ref: refs/heads/other\n")
        (git / "HEAD.lock").write_text("")  # git is about to write it
    assert (git / "index").read_text() == "DIRC person's"
    assert (git / "HEAD").read_text() == "ref: refs/heads/main\n"
    assert repository.kept_out == [".git/index", ".git/HEAD"]


@pytest.mark.parametrize("content", ["ref: ../../elsewhere\n", "gitdir: /tmp\n", "ref: refs/x\ny\n"])
def test_a_head_that_is_none_is_not_taken_over(content: str, git: Path, staging: Path) -> None:
    with borrowed(git.parent, staging) as repository:
        (staging / "git" / "HEAD").write_text(content)
    assert (git / "HEAD").read_text() == "ref: refs/heads/main\n"
    assert repository.kept_out == [".git/HEAD"]


def test_a_link_in_place_of_the_index_is_not_followed(git: Path, staging: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hush")
    with borrowed(git.parent, staging):
        (staging / "git" / "index").unlink()
        (staging / "git" / "index").symlink_to(tmp_path / "secret")
    assert (git / "index").read_text() == "DIRC"


def test_a_linked_worktree_keeps_the_file_that_names_its_repository(workspace: Path, staging: Path) -> None:
    (workspace / ".git").write_text("gitdir: /elsewhere\n")
    with borrowed(workspace, staging) as repository:
        assert repository.steps == [("read", str(workspace / ".git"), str(workspace / ".git"))]
