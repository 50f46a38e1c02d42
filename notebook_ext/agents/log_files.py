"""Files that only grow: one line after another, put aside at a size, read from their end.

    file = LogFile(folder / "comms.jsonl")
    file.append(b'{"event": "call"}\n')

A line is written with one call of the system, so that a crash loses at most the last one. A disk that
refuses costs the line and nothing else.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Final

__all__ = ["LogFile", "last_lines"]

LARGEST: Final = 20 * 2**20
"""Bytes; a file that would grow beyond is put aside under its name and ``.1``."""


class LogFile:
    """One file; from any thread. largest: bytes at which it is put aside."""

    def __init__(self, path: Path, *, largest: int = LARGEST) -> None:
        self._path = path
        self._largest = largest
        self._lock = Lock()
        self._descriptor: int | None = None
        self._size = 0

    def append(self, line: bytes) -> bool:
        """Add a line, which ends with its newline. Returns: whether it is in the file."""
        with self._lock:
            try:
                if self._descriptor is not None and self._size + len(line) > self._largest:
                    self._put_aside()
                if self._descriptor is None:
                    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
                    self._descriptor = os.open(self._path, flags, 0o600)
                    self._size = os.fstat(self._descriptor).st_size
                    if self._size + len(line) > self._largest and self._size:
                        self._put_aside()
                        self._descriptor = os.open(self._path, flags, 0o600)
                self._size += os.write(self._descriptor, line)
            except OSError:
                return False
            return True

    def close(self) -> None:
        """Let the file go; the next line opens it again."""
        with self._lock:
            self._leave()

    def _put_aside(self) -> None:
        self._leave()
        self._path.replace(self._path.with_name(f"{self._path.name}.1"))

    def _leave(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._size = None, 0


def last_lines(path: Path, count: int, wanted: Callable[[str], bool] | None = None) -> list[str]:
    """The last lines of a file, the oldest of them first; none where there is no file.

    wanted: only lines of which this holds. Raises: OSError for a file that may not be read.
    """
    found: deque[str] = deque(maxlen=max(count, 0))
    for one in (path.with_name(f"{path.name}.1"), path):
        try:
            stream = one.open(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            continue
        with stream:
            found.extend(line for line in map(_bare, stream) if wanted is None or wanted(line))
    return list(found)


def _bare(line: str) -> str:
    return line.rstrip("\r\n")
