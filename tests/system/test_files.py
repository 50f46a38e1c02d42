"""Files are replaced whole, and no link that was put on the way since their path was checked is followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcad_kernel.system.files import file_time, replace_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file; beside it lies another folder with a secret."""
    (tmp_path / "project" / "parts").mkdir(parents=True)
    (tmp_path / "project" / "parts" / "a.stl").write_bytes(b"solid")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.stl").write_bytes(b"secret")
    return tmp_path / "project"


def test_a_file_is_replaced_whole_and_keeps_its_mode(folder: Path) -> None:
    file = folder / "parts" / "a.stl"
    file.chmod(0o640)
    replace_files({file: b"new"}, folder)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)
    assert list(file.parent.iterdir()) == [file]


def test_a_private_file_is_private_from_its_first_byte(folder: Path) -> None:
    replace_files({folder / "key": b"1"}, mode=0o600)
    assert (folder / "key").stat().st_mode & 0o777 == 0o600


def test_a_link_in_the_files_place_is_not_followed(folder: Path) -> None:
    secret = folder.parent / "elsewhere" / "b.stl"
    (folder / "parts" / "new.stl").symlink_to(secret)
    with pytest.raises(OSError, match="no ordinary file"):
        replace_files({folder / "parts" / "new.stl": b"ours"}, folder)
    assert secret.read_bytes() == b"secret"


def test_a_link_in_the_place_of_a_file_of_our_own_is_replaced(folder: Path) -> None:
    secret = folder.parent / "elsewhere" / "b.stl"
    (folder / "record.json").symlink_to(secret)
    replace_files({folder / "record.json": b"{}"})
    assert (secret.read_bytes(), (folder / "record.json").read_bytes()) == (b"secret", b"{}")


def test_a_link_in_a_folders_place_is_not_followed(folder: Path) -> None:
    (folder / "parts").rename(folder / "before")
    (folder / "parts").symlink_to(folder.parent / "elsewhere")
    with pytest.raises(OSError, match="parts"):
        replace_files({folder / "parts" / "b.stl": b"ours"}, folder)
    assert (folder.parent / "elsewhere" / "b.stl").read_bytes() == b"secret"


def test_of_several_files_all_are_replaced_or_none(folder: Path) -> None:
    first, second = folder / "parts" / "a.stl", folder / "parts" / "taken"
    second.mkdir()
    with pytest.raises(IsADirectoryError):
        replace_files({first: b"new", second: b"new"})
    assert first.read_bytes() == b"solid"
    assert sorted(first.parent.iterdir()) == [first, second]


def test_what_is_written_from_now_on_is_not_older_than_now(tmp_path: Path) -> None:
    for number in range(200):
        now = file_time()
        (tmp_path / str(number)).write_text("")
        assert (tmp_path / str(number)).stat().st_ctime_ns >= now
