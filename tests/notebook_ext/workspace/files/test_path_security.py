"""What agents cannot reach, whatever they write as a path (acceptance check C5)."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from notebook_ext.workspace.files.gate import FileGate
from tests.tiers import examples
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import FileMissing, PathRefused, ServiceFailure, VcadError

_OPERATION = "read_file"


def _names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def _refused(gate: FileGate, text: str) -> PathRefused:
    with pytest.raises(PathRefused) as caught:
        gate.path(text, operation=_OPERATION)
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        "..",
        "../secret.txt",
        "a/../../secret.txt",
        "missing/../../secret.txt",
        "/etc/passwd",
        "./../project-2/x",
        "",
        "  ",
        "a\0b",
        "a\nb",
        "\ud800",
        "x" * 5000,
    ],
)
def test_paths_that_lead_out_are_refused(gate: FileGate, text: str) -> None:
    error = _refused(gate, text)
    assert error.error_code == "PATH_NOT_ALLOWED"
    assert set(ErrorCode(error.error_code).required) <= set(error.details)  # type: ignore[index]
    assert str(gate.workspace) in (error.fix or "")


def test_a_neighbour_whose_name_begins_alike_is_outside(gate: FileGate, workspace: Path) -> None:
    (workspace.parent / "project-2").mkdir()
    _refused(gate, "../project-2/x")
    _refused(gate, str(workspace.parent / "project-2" / "x"))


def test_a_home_folder_is_not_meant_by_a_tilde(gate: FileGate, workspace: Path) -> None:
    assert gate.path("~/x", operation=_OPERATION) == workspace / "~" / "x"


def test_links_are_followed_before_it_is_decided(gate: FileGate, workspace: Path) -> None:
    outside = workspace.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("hush")
    (workspace / "link.txt").symlink_to(outside / "secret.txt")
    (workspace / "folder").symlink_to(outside)
    (workspace / "later.txt").symlink_to(outside / "later.txt")
    (workspace / "round").symlink_to("round")
    for text in ("link.txt", "folder", "folder/secret.txt", "folder/new.txt", "folder/a/b.txt", "later.txt"):
        error = _refused(gate, text)
        assert "outside" not in error.message.replace("lies outside of the folders", "")
    with pytest.raises((PathRefused, FileMissing, ServiceFailure)):
        gate.read(gate.file("round", operation=_OPERATION), operation=_OPERATION)
    assert not (outside / "new.txt").exists()


def test_links_within_the_workspace_lead_where_they_lead(gate: FileGate, workspace: Path) -> None:
    (workspace / "real.txt").write_text("x")
    (workspace / "link.txt").symlink_to("real.txt")
    path = gate.file("link.txt", operation=_OPERATION)
    assert path == workspace / "real.txt"
    gate.write(path, b"y", operation="write_file")
    assert (workspace / "link.txt").is_symlink()
    assert (workspace / "real.txt").read_text() == "y"


def test_a_link_put_there_after_the_decision_leads_nowhere(gate: FileGate, workspace: Path) -> None:
    outside = workspace.parent / "outside"
    outside.mkdir()
    (outside / "x.txt").write_text("hush")
    (workspace / "sub").mkdir()
    (workspace / "sub" / "x.txt").write_text("mine")
    path = gate.file("sub/x.txt", operation=_OPERATION)
    (workspace / "sub" / "x.txt").unlink()
    (workspace / "sub").rmdir()
    (workspace / "sub").symlink_to(outside)
    with pytest.raises(VcadError):
        gate.read(path, operation=_OPERATION)
    with pytest.raises(VcadError):
        gate.write(path, b"evil", operation="write_file")
    with pytest.raises(VcadError):
        gate.write(workspace / "sub" / "new.txt", b"evil", operation="create_file", new=True)
    assert (outside / "x.txt").read_text() == "hush"
    assert _names(outside) == ["x.txt"]


_DENIED = [
    "history.toml",
    "chat_history.toml",
    "a/agent_history.json",
    ".git",
    ".git/config",
    "sub/.git/hooks/pre-commit",
    ".GIT/config",
    ".git./config",
    "parts.git/config",
    ".git::$INDEX_ALLOCATION/config",
    "GIT~1/config",
    ".streamlit/secrets.toml",
    ".g\u200cit/config",
    ".vcad",
    ".vcad/session.json",
    ".vcad/logs/s/events.jsonl",
    ".vcad/scripts/x.sh",
    ".vcad/shots/../session.json",
    ".env",
    ".env.local",
    ".ENV",
    "sub/.envrc",
    "server.key",
    "cert.pem",
    "id_rsa",
    "id_ed25519.pub",
    ".ssh/config",
    "vcad-s-01J.json",
    "kernel-1b2e1c1e-8e1f-4a7d-9f4e-0c1d2e3f4a5b.json",
    "\uff0eenv",
]


@pytest.mark.parametrize("text", _DENIED)
def test_denied_names(gate: FileGate, text: str) -> None:
    _refused(gate, text)


@pytest.mark.parametrize("text", _DENIED)
def test_being_tracked_does_not_help_a_denied_name(gate: FileGate, text: str) -> None:
    gate.configure([text], ["."])
    _refused(gate, text)


@pytest.mark.parametrize(
    "text",
    [
        ".gitignore",
        ".github/workflows/x.yml",
        ".vcad/shots/a.png",
        ".vcad/exports/a.stl",
        ".vcad/artifacts/answers/r.txt",
        "keyboard.loon",
        "environment.md",
        "history.md",
    ],
)
def test_harmless_names(gate: FileGate, workspace: Path, text: str) -> None:
    assert gate.path(text, operation=_OPERATION) == workspace / text


def test_a_harmless_link_to_a_denied_name_is_refused(gate: FileGate, workspace: Path) -> None:
    (workspace / ".env").write_text("TOKEN=1")
    (workspace / "settings.txt").symlink_to(".env")
    _refused(gate, "settings.txt")


def test_records_of_sessions_are_denied_wherever_they_lie(
    gate: FileGate, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = workspace / "runtime"
    runtime.mkdir()
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(runtime))
    _refused(gate, "runtime/kernel-1.json")


def test_listings_trees_and_globs_leave_out_what_is_denied(gate: FileGate, workspace: Path) -> None:
    outside = workspace.parent / "outside"
    outside.mkdir()
    (outside / "x.loon").write_text("")
    for name in (".git/config.loon", ".vcad/logs/a.loon", ".vcad/shots/b.loon", "sub/c.loon", ".env/d.loon"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("")
    (workspace / "out").symlink_to(outside)
    (workspace / "x.loon").symlink_to(outside / "x.loon")
    (workspace / "again").symlink_to(workspace)
    names = [one.name for one in gate.entries(workspace, operation="list_directory")]
    assert names == ["again", "sub"]
    below = [one.name for _, one in gate.below(workspace, operation="search_files")]
    assert below == ["again", "sub", "c.loon"]
    shots = gate.folder(".vcad/shots", operation="list_directory")
    assert [one.name for one in gate.entries(shots, operation="list_directory")] == ["b.loon"]


# ---- the allow list -------------------------------------------------------------------------


def test_tracked_files_bring_their_folders(gate: FileGate, workspace: Path) -> None:
    other = workspace.parent / "other"
    other.mkdir()
    gate.configure([other / "a.loon"], [workspace])
    assert gate.path(str(other / "b.loon"), operation=_OPERATION) == other / "b.loon"
    assert gate.path("c.loon", operation=_OPERATION) == workspace / "c.loon"
    _refused(gate, str(workspace.parent / "third"))


def test_the_first_extra_folder_is_where_paths_begin(gate: FileGate, workspace: Path) -> None:
    other = workspace.parent / "other"
    other.mkdir()
    gate.configure([], [other, workspace, workspace / "missing"])
    assert gate.path("a.loon", operation=_OPERATION) == other / "a.loon"
    assert gate.allow_list.bases == (other, workspace)


def test_configuring_again_begins_anew(gate: FileGate, workspace: Path) -> None:
    other = workspace.parent / "other"
    other.mkdir()
    gate.configure([other / "a"], [other])
    gate.configure([])
    _refused(gate, str(other / "a"))
    assert gate.path("x", operation=_OPERATION) == workspace / "x"


# ---- Unicode --------------------------------------------------------------------------------


def test_a_name_is_found_in_either_normal_form(gate: FileGate, workspace: Path) -> None:
    stored = unicodedata.normalize("NFD", "Träger/Stütze.loon")
    (workspace / stored).parent.mkdir()
    (workspace / stored).write_text("1")
    wanted = unicodedata.normalize("NFC", stored)
    path = gate.file(wanted, operation=_OPERATION)
    assert gate.read(path, operation=_OPERATION) == b"1"
    assert path == workspace / stored


def test_of_two_names_alike_the_one_written_is_meant(gate: FileGate, workspace: Path) -> None:
    for form in ("NFC", "NFD"):
        (workspace / unicodedata.normalize(form, "é.txt")).write_text(form)
    if len(_names(workspace)) == 1:
        pytest.skip("this file system has one name for both")
    for form in ("NFC", "NFD"):
        path = gate.file(unicodedata.normalize(form, "é.txt"), operation=_OPERATION)
        assert gate.read(path, operation=_OPERATION).decode() == form


def test_another_normal_form_of_a_link_leads_no_further(gate: FileGate, workspace: Path) -> None:
    outside = workspace.parent / "outside"
    outside.mkdir()
    (workspace / unicodedata.normalize("NFD", "tür")).symlink_to(outside)
    _refused(gate, unicodedata.normalize("NFC", "tür/x.txt"))


# ---- any path at all ------------------------------------------------------------------------

_STEP = st.sampled_from(
    ["..", ".", "a", "b", "link", "up", "file", "", ".git", ".env", "é", "e\u0301", "~", "C:", "x.loon", "\\"]
) | st.text(max_size=4)


@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(_STEP, max_size=7), absolute=st.sampled_from(["", "/", "WORKSPACE/"]))
def test_no_path_reaches_outside(gate: FileGate, workspace: Path, steps: list[str], absolute: str) -> None:
    if not (workspace / "a").exists():
        (workspace / "a" / "b").mkdir(parents=True)
        (workspace / "a" / "link").symlink_to(workspace.parent)
        (workspace / "link").symlink_to("/")
        (workspace / "a" / "up").symlink_to("..")
        (workspace / "file").write_text("x")
    text = absolute.replace("WORKSPACE", str(workspace)) + "/".join(steps)
    try:
        path = gate.path(text, operation=_OPERATION)
    except PathRefused:
        return
    real = Path(os.path.realpath(path))
    assert real == path
    assert real.is_relative_to(workspace)
    assert not {".git", ".env"} & set(real.relative_to(workspace).parts)


# ---- what is no file, and what belongs to the system ------------------------------------------


def test_a_workspace_at_the_root_shows_nothing_of_processes_and_devices(tmp_path: Path) -> None:
    gate = FileGate(Path("/"))
    for text in ("/proc/self/environ", "proc/self/mem", "/sys/kernel", "/dev/stdin", "/proc/self/root/proc"):
        _refused(gate, text)
    (tmp_path / "x").write_text("1")
    through = gate.path(f"/proc/self/root{tmp_path}/x", operation=_OPERATION)
    assert through == Path(os.path.realpath(tmp_path)) / "x"


def test_what_is_no_ordinary_file_is_never_opened_for_good(gate: FileGate, workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    listening = socket.socket(socket.AF_UNIX)
    # a socket's name may be short only, wherever the tests run
    with contextlib.chdir(workspace):
        listening.bind("door")
    listening.close()
    for name in ("pipe", "door"):
        with pytest.raises(ServiceFailure) as wrong:
            gate.file(name, operation=_OPERATION)
        assert wrong.value.error_code == "NOT_A_FILE"
        # past the first look, as when it was put there since
        for act in (
            lambda one: gate.read(one, operation=_OPERATION),
            lambda one: gate.write(one, b"x", operation="write_file"),
        ):
            with pytest.raises(VcadError) as wrong_too:
                act(workspace / name)
            assert wrong_too.value.error_code == "NOT_A_FILE"


def test_a_file_of_a_terabyte_is_not_read(workspace: Path) -> None:
    gate = FileGate(workspace, largest=1_000)
    with (workspace / "sparse").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(VcadError) as large:
        gate.read(gate.file("sparse", operation=_OPERATION), operation=_OPERATION)
    assert large.value.error_code == "PAYLOAD_TOO_LARGE"


def test_links_exchanged_all_the_time_lead_nowhere(gate: FileGate, workspace: Path) -> None:
    outside = workspace.parent / "outside"
    outside.mkdir()
    (outside / "x.txt").write_text("hush")
    (workspace / "real").mkdir()
    (workspace / "real" / "x.txt").write_text("mine")
    (workspace / "evil").symlink_to(outside)
    (workspace / "sub").symlink_to("real")
    over = threading.Event()

    def exchange() -> None:
        spare = workspace / "spare"
        while not over.is_set():
            for target in (outside, "real"):
                spare.symlink_to(target)
                spare.rename(workspace / "sub")

    thread = threading.Thread(target=exchange)
    thread.start()
    seen: set[bytes] = set()
    try:
        for number in range(400):
            with contextlib.suppress(VcadError):
                seen.add(gate.read(gate.file("sub/x.txt", operation=_OPERATION), operation=_OPERATION))
            with contextlib.suppress(VcadError):
                new = gate.path(f"sub/new{number}.txt", operation="create_file")
                gate.write(new, b"evil", operation="create_file", new=True)
    finally:
        over.set()
        thread.join()
    assert seen <= {b"mine"}
    assert _names(outside) == ["x.txt"]


def test_what_the_file_system_takes_for_no_name_is_refused(gate: FileGate, workspace: Path) -> None:
    (workspace / "a").mkdir()
    for text in ("x" * 300, "é" * 200, f"a/{'b' * 300}/c.loon"):
        _refused(gate, text)


def test_a_folder_that_may_not_be_searched_is_told(
    gate: FileGate, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "closed").mkdir()

    def closed(path: Path) -> os.stat_result:
        if path.parent.name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return os.lstat(path)

    monkeypatch.setattr(Path, "lstat", closed)
    with pytest.raises(FileMissing, match="may not be searched"):
        gate.file("closed/x.loon", operation=_OPERATION)
    _refused(gate, "../closed/x.loon")


def test_a_file_with_several_names_is_neither_read_nor_written(gate: FileGate, workspace: Path) -> None:
    """Its other name may be denied, or lie outside: which it is cannot be known."""
    outside = workspace.parent / "outside.txt"
    outside.write_text("hush")
    (workspace / ".env").write_text("hush")
    (workspace / "sub").mkdir()
    for name, other in (("sub/hard.txt", outside), ("envhard.txt", workspace / ".env")):
        os.link(other, workspace / name)
        path = gate.file(name, operation=_OPERATION)
        for refused in (
            lambda path=path: gate.read(path, operation=_OPERATION),
            lambda path=path: gate.write(path, b"mine", operation="write_file"),
        ):
            with pytest.raises(PathRefused) as caught:
                refused()
            assert caught.value.error_code == "PATH_NOT_ALLOWED"
            assert caught.value.details["path"] == name
            assert "hard links" in caught.value.message
            assert caught.value.fix
        assert other.read_text() == "hush"
        assert other.stat().st_nlink == 2
    # its content in a file of its own is an ordinary file
    gate.write(workspace / "own.txt", b"mine", operation="write_file", new=True)
    assert gate.read(workspace / "own.txt", operation=_OPERATION) == b"mine"
