"""Reading and writing behind the gate: whole or not at all, and as the file was."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from notebook_ext.workspace.files.files import create, read_text, rewrite, text_to_change
from notebook_ext.workspace.files.gate import FileGate
from vcad_kernel.errors import FileMissing, FileTooLarge, ServiceFailure, VcadError
from vcad_kernel.system import files


def _names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_what_is_read(gate: FileGate, workspace: Path) -> None:
    (workspace / "a.txt").write_bytes(b"\xef\xbb\xbfhello\r\n")
    file = read_text(gate, "a.txt", operation="read_file")
    assert (file.shown, file.text, file.bom) == ("a.txt", "hello\r\n", True)


def test_each_kind_of_failure_has_its_code(gate: FileGate, workspace: Path) -> None:
    (workspace / "folder").mkdir()
    (workspace / "binary").write_bytes(b"\xff\xfe\x00")
    os.mkfifo(workspace / "pipe")
    codes = {}
    for name in ("missing.txt", "folder", "binary", "pipe", "binary/below"):
        with pytest.raises(VcadError) as caught:
            read_text(gate, name, operation="read_file")
        codes[name] = caught.value.error_code
        assert caught.value.details["operation"] == "read_file"
    assert codes == {
        "missing.txt": "FILE_NOT_FOUND",
        "folder": "NOT_A_FILE",
        "binary": "NOT_TEXT",
        "pipe": "NOT_A_FILE",
        "binary/below": "FILE_NOT_FOUND",
    }


def test_a_file_that_is_too_large_is_neither_read_nor_written(workspace: Path) -> None:
    gate = FileGate(workspace, largest=10)
    (workspace / "large").write_bytes(b"x" * 11)
    with pytest.raises(FileTooLarge) as caught:
        read_text(gate, "large", operation="read_file")
    assert caught.value.details["size"] == 11
    with pytest.raises(FileTooLarge):
        create(gate, "other", "x" * 11, operation="create_file")
    assert not (workspace / "other").exists()


def test_mark_line_endings_and_permissions_stay(gate: FileGate, workspace: Path) -> None:
    path = workspace / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    path.chmod(0o640)
    file = read_text(gate, "a.txt", operation="write_file")
    written = rewrite(gate, file, "one\nthree\n", operation="write_file")
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\nthree\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert read_text(gate, "a.txt", operation="read_file") == written
    assert _names(workspace) == ["a.txt"]


@pytest.mark.parametrize(
    ("before", "after"), [(b"\xef\xbb\xbfone", b"\xef\xbb\xbftwo"), (b"one", b"\xef\xbb\xbftwo")]
)
def test_a_mark_that_the_new_text_brings_is_written_once(
    gate: FileGate, workspace: Path, before: bytes, after: bytes
) -> None:
    path = workspace / "a.txt"
    path.write_bytes(before)
    rewrite(gate, read_text(gate, "a.txt", operation="write_file"), "\ufefftwo", operation="write_file")
    assert path.read_bytes() == after


def test_a_file_that_is_read_only_stays(gate: FileGate, workspace: Path) -> None:
    path = workspace / "a.txt"
    path.write_text("x")
    path.chmod(0o444)
    with pytest.raises(ServiceFailure) as caught:
        gate.write(path, b"y", operation="write_file")
    assert caught.value.error_code == "SAVE_FAILED"


def test_a_file_that_somebody_else_has_changed_is_left(gate: FileGate, workspace: Path) -> None:
    path = workspace / "a.txt"
    path.write_text("one")
    file = read_text(gate, "a.txt", operation="write_file")
    with pytest.raises(ServiceFailure) as caught:
        rewrite(gate, file, "two", operation="write_file", expect_sha256="0" * 64)
    assert caught.value.error_code == "REVISION_CONFLICT"
    assert caught.value.details["current"] == file.sha256
    path.write_text("meanwhile")
    with pytest.raises(ServiceFailure):
        rewrite(gate, file, "two", operation="write_file", expect_sha256=file.sha256)
    assert path.read_text() == "meanwhile"


def test_a_new_file_is_made_with_its_folders_and_never_twice(gate: FileGate, workspace: Path) -> None:
    create(gate, "new/deep/a.txt", "x", operation="create_file")
    assert (workspace / "new" / "deep" / "a.txt").read_text() == "x"
    with pytest.raises(ServiceFailure) as caught:
        create(gate, "new/deep/a.txt", "y", operation="create_file")
    assert caught.value.error_code == "FILE_EXISTS"
    assert (workspace / "new" / "deep" / "a.txt").read_text() == "x"
    assert _names(workspace / "new" / "deep") == ["a.txt"]


def test_of_two_who_create_a_file_one_is_told(gate: FileGate, workspace: Path) -> None:
    file = text_to_change(gate, "a.txt", operation="set_file_slice")
    (workspace / "a.txt").write_text("theirs")
    with pytest.raises(ServiceFailure):
        rewrite(gate, file, "mine", operation="set_file_slice")
    assert (workspace / "a.txt").read_text() == "theirs"


def test_a_write_that_fails_leaves_the_file_and_nothing_beside_it(
    gate: FileGate, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "a.txt").write_text("before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "_rename", full)
    with pytest.raises(ServiceFailure) as caught:
        gate.write(workspace / "a.txt", b"after", operation="write_file")
    assert "No space left" in caught.value.message
    assert (workspace / "a.txt").read_text() == "before"
    assert _names(workspace) == ["a.txt"]


def test_file_systems_without_hard_links(
    gate: FileGate, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(files.os, "link", unsupported)
    create(gate, "a.txt", "x", operation="create_file")
    assert (workspace / "a.txt").read_text() == "x"
    with pytest.raises(ServiceFailure, match="there already"):
        create(gate, "a.txt", "y", operation="create_file")


def test_where_nothing_is_opened_relative_to_a_folder(
    gate: FileGate, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_STEPWISE", False)
    create(gate, "new/a.txt", "x\n", operation="create_file")
    file = read_text(gate, "new/a.txt", operation="read_file")
    rewrite(gate, file, "y\n", operation="write_file")
    assert (workspace / "new" / "a.txt").read_text() == "y\n"
    assert [one.name for one in gate.entries(workspace / "new", operation="list_directory")] == ["a.txt"]
    with pytest.raises(ServiceFailure, match="there already"):
        create(gate, "new/a.txt", "x", operation="create_file")


def test_a_path_that_did_not_pass_the_gate_is_not_opened(gate: FileGate, workspace: Path) -> None:
    (workspace.parent / "x.txt").write_text("hush")
    for attempt in (
        lambda: gate.read(workspace.parent / "x.txt", operation="read_file"),
        lambda: gate.write(workspace.parent / "y.txt", b"", operation="write_file"),
        lambda: gate.entries(workspace.parent, operation="list_directory"),
        lambda: gate.read(workspace / ".env", operation="read_file"),
    ):
        with pytest.raises(VcadError) as caught:
            attempt()
        assert caught.value.error_code == "PATH_NOT_ALLOWED"


def test_a_file_that_vanished_is_missing(gate: FileGate, workspace: Path) -> None:
    with pytest.raises(FileMissing):
        gate.read(workspace / "gone", operation="read_file")


# ---- what others changed --------------------------------------------------------------------


def test_changes_of_others_are_told_once(gate: FileGate, workspace: Path) -> None:
    path = workspace / "a.txt"
    path.write_bytes(b"one\n")
    updates = gate.updates
    updates.seen("ann", path, b"one\n")
    updates.seen("bob", path, b"one\n")
    assert updates.take("ann") == []
    path.write_bytes(b"two\n")
    updates.seen("bob", path, b"two\n")
    (told,) = updates.take("ann")
    assert told["path"] == "a.txt"
    assert "-one\n+two" in told["diff"]
    assert updates.take("ann") == []
    assert updates.take("bob") == []
    path.unlink()
    (gone,) = updates.take("ann")
    assert "-two" in gone["diff"]
    assert updates.take("ann") == []
    assert updates.take("nobody") == []
