"""Files that only grow: one line after another, put aside at a size, read from their end.

    file = LogFile(folder / "comms.jsonl")
    file.append(b'{"event": "call"}\n')
    last_lines(folder / "comms.jsonl", 20)

A line is handed to the system whole and at once, so that a crash loses at most the last one; what a crash cut
short is never continued by the next line. A disk that refuses costs the line and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import Final

from vcad_kernel.system.files import NO_LINK, UNSHARED

__all__ = ["LARGEST", "LogFile", "last_lines"]

LARGEST: Final = 20 * 2**20
"""Bytes; a file that would grow beyond is put aside under its name and ``.1``, in place of an older one."""
_BLOCK: Final = 2**16
"""Bytes that are read at once, from the end."""
_FLAGS: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_LINK | UNSHARED


class LogFile:
    """One file; from any thread. largest: bytes at which it is put aside."""

    def __init__(self, path: Path, *, largest: int = LARGEST) -> None:
        self._path = path
        self._largest = largest
        self._lock = Lock()
        self._descriptor: int | None = None
        self._size = 0
        self._is_torn = False
        """Whether its last line has no end: a crash or a full disk cut it short."""

    def append(self, line: bytes) -> bool:
        """Add a line, which ends with its newline. Returns: whether it is in the file, whole."""
        with self._lock:
            try:
                if self._descriptor is None:
                    self._open()
                if self._size and self._size + len(line) > self._largest:
                    self._put_aside()
                    self._open()
                assert self._descriptor is not None
                data = b"\n" + line if self._is_torn else line
                written = os.write(self._descriptor, data)
                self._size += written
                is_whole = written == len(data)
                if written:
                    self._is_torn = not is_whole
                return is_whole
            except OSError:
                return False

    def close(self) -> None:
        """Let the file go; the next line opens it again."""
        with self._lock:
            self._leave()

    def _open(self) -> None:
        descriptor = self._descriptor = os.open(self._path, _FLAGS, 0o600)
        self._size = os.fstat(descriptor).st_size
        self._is_torn = False
        if self._size:
            os.lseek(descriptor, -1, os.SEEK_END)
            self._is_torn = os.read(descriptor, 1) != b"\n"

    def _put_aside(self) -> None:
        self._leave()
        self._path.replace(self._path.with_name(f"{self._path.name}.1"))

    def _leave(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._size = None, 0


def last_lines(path: Path, count: int, wanted: Callable[[str], bool] | None = None) -> list[str]:
    """The last lines of a file and of what was put aside of it, the oldest first; none without a file.

    wanted: only lines of which this holds. Only as much is read as is needed.
    Raises: OSError for a file that may not be read.
    """
    lines: list[str] = []
    for file in (path, path.with_name(f"{path.name}.1")):
        if len(lines) >= count:
            break
        for line in _backwards(file):
            if wanted is None or wanted(line):
                lines.append(line)
                if len(lines) >= count:
                    break
    return lines[::-1]


def _backwards(path: Path) -> Iterator[str]:
    """The lines of a file, the last one first."""
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        return
    with stream:
        end = stream.seek(0, os.SEEK_END)
        pieces: list[bytes] = []
        """Of a line whose beginning has not been read yet, the last piece first."""
        is_last = True
        while end > 0:
            begin = max(0, end - _BLOCK)
            stream.seek(begin)
            first, *whole = stream.read(end - begin).split(b"\n")
            for line in reversed(whole):
                pieces.append(line)
                if not (is_last and pieces == [b""]):  # behind the last newline there is no line
                    yield _text(pieces)
                is_last = False
                pieces = []
            pieces.append(first)
            end = begin
        if pieces:
            yield _text(pieces)


def _text(pieces: list[bytes]) -> str:
    return b"".join(reversed(pieces)).decode("utf-8", "replace").rstrip("\r")
