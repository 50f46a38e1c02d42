"""Which folder is the workspace, and which may be pushed from."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebook_ext.session.project.workspace import find_workspace, refusal_for_push, require_pushable
from vcad_kernel.errors import ErrorCode, PathRefused


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([], "a/b/c"),
        (["a/design_model.json"], "a"),
        (["a/.git/"], "a"),
        (["a/.git/", "a/b/design_model.json"], "a/b"),
        (["a/design_model.json", "a/b/.git"], "a/b"),
        (["a/b/c/design_model.json", ".git/"], "a/b/c"),
    ],
)
def test_the_nearest_folder_with_a_mark_is_the_workspace(
    tmp_path: Path, marks: list[str], expected: str
) -> None:
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    for mark in marks:
        if mark.endswith("/"):
            (tmp_path / mark).mkdir()
        else:
            (tmp_path / mark).touch()
    assert find_workspace(folder) == (tmp_path / expected).resolve()


def test_what_the_user_has_set_comes_first(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "other").mkdir()
    assert find_workspace(tmp_path, "other") == (tmp_path / "other").resolve()
    assert find_workspace(tmp_path, tmp_path / "other") == (tmp_path / "other").resolve()
    assert find_workspace(tmp_path, "") == tmp_path.resolve()


def test_an_ordinary_folder_may_be_pushed_from(tmp_path: Path) -> None:
    assert refusal_for_push(tmp_path) is None
    require_pushable(tmp_path, "push")


def test_home_and_whatever_holds_it_and_the_root_are_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "people" / "me"
    (home / "project").mkdir(parents=True)
    monkeypatch.setattr(Path, "home", lambda: home)
    assert "home" in (refusal_for_push(home) or "")
    assert "home" in (refusal_for_push(home.parent) or "")
    assert "root" in (refusal_for_push(Path(tmp_path.anchor)) or "")
    assert "no folder" in (refusal_for_push(home / "missing") or "")
    assert refusal_for_push(home / "project") is None
    link = tmp_path / "link"
    link.symlink_to(home)
    with pytest.raises(PathRefused) as refused:
        require_pushable(link, "push")
    assert refused.value.error_code == ErrorCode.PATH_NOT_ALLOWED
    assert set(refused.value.details) >= {"path", "workspace", "operation"}
