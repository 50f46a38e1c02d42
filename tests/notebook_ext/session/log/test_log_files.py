"""Files that only grow: whole lines, put aside at a size, read from their end."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.session.log import log_files
from notebook_ext.session.log.log_files import LARGEST, LogFile, last_lines


def test_a_file_is_put_aside_at_its_size(tmp_path: Path) -> None:
    path = tmp_path / "comms.jsonl"
    file = LogFile(path, largest=100)
    for number in range(25):
        assert file.append(f"line {number:03}\n".encode())
    file.close()
    assert path.stat().st_size <= 100
    assert path.with_name("comms.jsonl.1").stat().st_size <= 100
    assert last_lines(path, 3) == ["line 022", "line 023", "line 024"]
    assert last_lines(path, 1000) == [f"line {number:03}" for number in range(11, 25)]
    assert LARGEST == 20 * 1024 * 1024


def test_a_line_larger_than_a_file_has_one_of_its_own(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "a", largest=10)
    assert file.append(b"x" * 50 + b"\n")
    assert file.append(b"y\n")
    file.close()
    assert (tmp_path / "a").read_bytes() == b"y\n"


def test_a_line_is_in_the_file_at_once(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "a")
    file.append(b"one\n")
    assert (tmp_path / "a").read_bytes() == b"one\n"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    file.close()


def test_what_a_crash_has_torn_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b'{"n":1}\n{"n":')
    file = LogFile(path)
    file.append(b'{"n":3}\n')
    file.close()
    assert last_lines(path, 9) == ['{"n":1}', '{"n":', '{"n":3}']


def test_what_a_full_disk_has_torn_is_not_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    file = LogFile(path)
    write = os.write
    monkeypatch.setattr(
        os, "write", lambda where, data: write(where, data[:3] if data == b"12345\n" else data)
    )
    assert file.append(b"12345\n") is False
    monkeypatch.undo()
    assert file.append(b"6\n") is True
    file.close()
    assert path.read_bytes() == b"123\n6\n"


def test_a_file_that_leads_elsewhere_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    assert LogFile(tmp_path / "a").append(b"x\n") is False
    assert not (tmp_path / "b").exists()


def test_lines_of_many_threads_stay_whole(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "a", largest=5000)

    def many(number: int) -> None:
        for index in range(100):
            file.append(f"{number}-{index:04}-{'x' * 20}\n".encode())

    threads = [threading.Thread(target=many, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(30)
    file.close()
    assert {len(line) for line in last_lines(tmp_path / "a", 1000)} == {27}


@given(
    lines=st.lists(
        st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=40), max_size=30
    ),
    count=st.integers(0, 40),
    block=st.integers(1, 30),
    ends=st.booleans(),
)
def test_reading_from_the_end_gives_what_reading_all_gives(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], count: int, block: int, ends: bool
) -> None:
    path = tmp_path_factory.mktemp("log") / "a"
    text = "\n".join(lines) + ("\n" if lines and (ends or not lines[-1]) else "")
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_files, "_BLOCK", block)
        found = last_lines(path, count, lambda line: "a" not in line)
    fitting = [line for line in lines if "a" not in line]
    assert found == (fitting[-count:] if count else [])
