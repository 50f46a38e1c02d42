"""What a connection may name, and what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcad_kernel.errors import PathRefused
from vcad_kernel.service.front.files.path_policy import policy_for


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    workspace = tmp_path / "work"
    (workspace / "parts").mkdir(parents=True)
    (workspace / "parts" / "a.oo").write_text("1")
    (tmp_path / "work-2").mkdir()
    (tmp_path / "secret").write_text("x")
    (workspace / "out").symlink_to(tmp_path)
    return workspace


@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "parts/../../secret",
        "/etc/passwd",
        "out/secret",
        "out",
        "../work-2/x",
        "a\0b",
        "",
        " ",
        "/proc/self/environ",
        "/proc/self/cwd/../secret",
    ],
)
def test_what_leads_out_of_the_workspace_is_refused(workspace: Path, path: str) -> None:
    policy = policy_for(str(workspace), None)
    with pytest.raises(PathRefused):
        policy.check(path)
    with pytest.raises(PathRefused):
        policy.check_output(path)


def test_what_lies_inside_is_allowed_in_either_form(workspace: Path) -> None:
    policy = policy_for(str(workspace), None)
    assert policy.check("parts/a.oo") == policy.root / "parts/a.oo"
    assert policy.check(str(workspace / "parts/a.oo")) == policy.root / "parts/a.oo"
    assert policy.check_output("parts/new.stl") == policy.root / "parts/new.stl"


def test_only_files_in_folders_that_are_there_are_written(workspace: Path) -> None:
    policy = policy_for(str(workspace), None)
    for path in ("parts", "nowhere/a.stl", "."):
        with pytest.raises(PathRefused):
            policy.check_output(path)


def test_a_name_in_another_spelling_is_another_name(workspace: Path) -> None:
    (workspace / "caf\u00e9.oo").write_text("1")
    policy = policy_for(str(workspace), None)
    assert policy.check("cafe\u0301.oo") != policy.check("caf\u00e9.oo")
    assert policy.check("PARTS/a.oo") != policy.check("parts/a.oo")


@pytest.mark.parametrize("named", ["", "/", "work", "/does/not/exist", "a\0b"])
def test_what_is_no_folder_of_its_own_is_no_workspace(named: str) -> None:
    with pytest.raises(PathRefused):
        policy_for(named, None)


def test_a_workspace_lies_in_the_services_own(workspace: Path, tmp_path: Path) -> None:
    assert policy_for("", workspace).root == workspace.resolve()
    assert policy_for(str(workspace / "parts"), workspace).root == (workspace / "parts").resolve()
    for outside in (tmp_path, tmp_path / "work-2", workspace / "out"):
        with pytest.raises(PathRefused):
            policy_for(str(outside), workspace)
