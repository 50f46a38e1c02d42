"""What a script makes and others would run is taken out of their way."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from notebook_ext.workspace.shell.layout import look_through
from notebook_ext.workspace.shell.set_aside import Guard
from tests.notebook_ext.workspace.shell.test_layout import made

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts are for bash")


def test_a_repository_that_was_not_there_is_moved_away_and_one_that_was_stays(workspace: Path) -> None:
    made(workspace, "old/.git/config", "here/x")
    guard = Guard(workspace, look_through(workspace))
    made(
        workspace, "new/.git/config", "a/b/.git", "here/HEAD", "here/objects/x", "here/refs/x", "here/config"
    )
    (workspace / "old").rename(workspace / "moved")
    (workspace / "c").mkdir()
    (workspace / "c" / ".git").symlink_to(workspace / "here")
    guard.look(over=True)
    assert sorted(guard.set_aside) == ["a/b/.git", "c/.git", "here/HEAD", "new/.git"]
    assert (workspace / "moved" / ".git" / "config").exists()
    assert not [path for path in workspace.rglob(".git") if "moved" not in path.parts]
    assert (workspace / "here" / "HEAD.set-aside").exists()
    # kept where no program looks for one, for the person
    assert len(list((workspace / ".vcad" / "set_aside").iterdir())) == 3
    again = Guard(workspace, look_through(workspace))
    again.look(over=True)
    assert again.set_aside == []


@pytest.mark.skipif(sys.platform == "darwin", reason="names are text there")
def test_a_name_that_is_no_text_is_told_as_text(workspace: Path) -> None:
    guard = Guard(workspace, look_through(workspace))
    made(workspace, "\udcff/.git")
    guard.look(over=True)
    assert guard.set_aside == ["\ufffd/.git"]


def test_a_link_put_in_the_way_moves_nothing_of_others(workspace: Path) -> None:
    elsewhere = workspace.parent / "elsewhere"
    made(elsewhere, ".git/config")
    guard = Guard(workspace, look_through(workspace))
    made(workspace, "sub/.git/config")
    found = list(guard._made())
    (workspace / "sub").rename(workspace / "kept")
    (workspace / "sub").symlink_to(elsewhere)
    assert [guard._taken(path) for path in found] == [False]
    assert (elsewhere / ".git" / "config").exists()


def test_while_it_runs_looking_takes_a_tenth_of_the_time(workspace: Path) -> None:
    times = iter([0.0, 2.0, 10.0, 23.0, 24.0])
    guard = Guard(workspace, look_through(workspace), clock=lambda: next(times))
    guard.look()  # from 0 to 2
    made(workspace, "new/.git")
    guard.look()  # at 10, before 22
    assert guard.set_aside == []
    guard.look()
    assert guard.set_aside == ["new/.git"]


def test_in_a_home_folder_what_is_read_at_a_start_is_moved_too(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(workspace))
    made(workspace, ".bashrc")
    guard = Guard(workspace, look_through(workspace))
    made(workspace, ".bash_profile", ".ipython/profile_default/startup/x.py", ".bashrc", ".mine")
    guard.look(over=True)
    assert sorted(guard.set_aside) == [".bash_profile", ".ipython"]
    assert (workspace / ".bashrc").exists()
