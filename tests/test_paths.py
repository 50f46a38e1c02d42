"""The path policy: what lies in the workspace is read, everything else is refused by name."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiers import examples
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import FileMissing, FileTooLarge, PathRefused
from vcad_kernel.paths import Workspace, own_folder


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A workspace with one file; beside it lie a secret and a neighbour with a similar name."""
    root = tmp_path / "project"
    (root / "parts").mkdir(parents=True)
    (root / "parts" / "a.stl").write_bytes(b"solid")
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "project-2").mkdir()
    (tmp_path / "project-2" / "b.stl").write_bytes(b"secret")
    return Workspace(root)


def test_a_file_of_the_workspace_is_read_by_relative_and_by_absolute_path(workspace: Workspace) -> None:
    assert workspace.read("parts/a.stl") == b"solid"
    assert workspace.read(str(workspace.root / "parts" / "a.stl")) == b"solid"
    assert workspace.read("./parts/../parts//a.stl") == b"solid"
    assert workspace.relative("parts/../parts/a.stl") == "parts/a.stl"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "..",
        "../secret",
        "parts/../../secret",
        "parts/a.stl/../../../secret",
        "/etc/passwd",
        "//etc/passwd",
        "/proc/self/environ",
        "/dev/zero",
        "/dev/stdin",
        "../project-2/b.stl",
        "parts/a.stl\0.png",
        "\0",
        "a\nb",
        "\udcff",
    ],
)
def test_what_lies_elsewhere_or_is_no_path_is_refused(workspace: Workspace, text: str) -> None:
    for ask in (workspace.resolve, workspace.read, workspace.relative):
        with pytest.raises(PathRefused) as caught:
            ask(text)
        wire = envelope(caught.value, "import-mesh")
        assert wire["error_code"] == "PATH_NOT_ALLOWED"
        assert wire["details"]["path"] == text
        assert wire["details"]["workspace"] == str(workspace.root)


def test_absolute_paths_that_climb_out_are_refused(workspace: Workspace) -> None:
    with pytest.raises(PathRefused):
        workspace.read(f"{workspace.root}/../secret")
    with pytest.raises(PathRefused):
        workspace.read(f"{workspace.root}-2/b.stl")


@pytest.mark.parametrize("target", ["../secret", "../project-2", "/proc/self", "/dev", "/"])
def test_links_that_lead_out_are_refused_whether_they_exist_or_not(workspace: Workspace, target: str) -> None:
    (workspace.root / "link").symlink_to(target)
    for text in ("link", "link/b.stl", "link/environ", "link/../link", "link/new"):
        with pytest.raises(PathRefused):
            workspace.read(text)


def test_a_link_within_the_workspace_is_followed(workspace: Workspace) -> None:
    (workspace.root / "latest.stl").symlink_to("parts/a.stl")
    assert workspace.read("latest.stl") == b"solid"
    assert workspace.relative("latest.stl") == "parts/a.stl"


def test_links_that_lead_to_themselves_are_refused(workspace: Workspace) -> None:
    (workspace.root / "x").symlink_to("y")
    (workspace.root / "y").symlink_to("x")
    with pytest.raises(PathRefused):
        workspace.read("x")


def test_the_workspace_may_itself_be_reached_by_a_link(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(workspace.root)
    alias = Workspace(tmp_path / "alias")
    assert alias.read("parts/a.stl") == b"solid"
    assert alias.read(str(tmp_path / "alias" / "parts" / "a.stl")) == b"solid"


def test_folders_and_pipes_are_not_read_and_nothing_waits(workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "pipe")
    for text in ("pipe", "parts", "."):
        with pytest.raises(PathRefused, match=r"folder|ordinary"):
            workspace.read(text)


def test_a_missing_file_says_so(workspace: Workspace) -> None:
    for text in ("parts/b.stl", "absent/b.stl", "parts/a.stl/b", "a" * 300, "~/a.stl"):
        with pytest.raises(FileMissing) as caught:
            workspace.read(text)
        assert envelope(caught.value, "import-mesh")["error_code"] == "FILE_NOT_FOUND"


def test_names_are_taken_letter_by_letter(workspace: Workspace) -> None:
    composed, apart = (unicodedata.normalize(form, "bügel.stl") for form in ("NFC", "NFD"))
    (workspace.root / composed).write_bytes(b"composed")
    (workspace.root / apart).write_bytes(b"apart")
    assert (workspace.read(composed), workspace.read(apart)) == (b"composed", b"apart")
    # letters that a normalisation would turn into dots and a slash
    with pytest.raises(FileMissing):
        workspace.read("\uff0e\uff0e\uff0fsecret")
    with pytest.raises(FileMissing):
        workspace.read("PARTS/A.STL")


def test_a_file_above_the_limit_is_not_read(workspace: Workspace) -> None:
    small = Workspace(workspace.root, largest=4)
    with pytest.raises(FileTooLarge) as caught:
        small.read("parts/a.stl")
    assert caught.value.details == {"path": "parts/a.stl", "limit": 4, "size": 5}
    assert Workspace(workspace.root, largest=5).read("parts/a.stl") == b"solid"


@given(text=st.text(st.sampled_from("./\\~a\0\n:*secrtpoj-2 \u202e"), max_size=14))
@examples(200)
def test_no_path_whatever_leads_out(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    base = tmp_path_factory.getbasetemp() / "hostile"
    (base / "p").mkdir(parents=True, exist_ok=True)
    (base / "s").write_bytes(b"secret")
    workspace = Workspace(base / "p")
    try:
        found = workspace.read(text)
    except (PathRefused, FileMissing):
        return
    raise AssertionError(found)


def test_the_workbenchs_own_folder_is_left_out_by_git(tmp_path: Path) -> None:
    folder = own_folder(tmp_path)
    assert folder == tmp_path / ".vcad"
    assert (folder / ".gitignore").read_text() == "*\n"
    (folder / ".gitignore").write_text("logs\n")
    own_folder(tmp_path)
    assert (folder / ".gitignore").read_text() == "logs\n"
