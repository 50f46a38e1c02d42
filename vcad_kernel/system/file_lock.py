"""A lock on an open file that the operating system frees when its process ends, however that happens.

    lock(descriptor)            # BlockingIOError where another process has it

By flock(2); on Windows by a byte far behind the file's end, for there what is locked cannot be read.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Final

__all__ = ["lock"]

_LOOK: Final = 0.05
"""Seconds between two tries on Windows, which waits for a lock no longer than ten seconds by itself."""
_BEHIND: Final = 2**31 - 2
"""The byte that is locked there: the last one that `msvcrt.locking` reaches."""


def lock(descriptor: int, *, wait: bool = False) -> None:
    """Have an open file for this process, until the descriptor is closed.

    wait: until another process has given it up. Raises: BlockingIOError where another has it; OSError.
    """
    while not _taken(descriptor, wait=wait):
        if not wait:
            raise BlockingIOError("another process holds the lock")
        time.sleep(_LOOK)


if sys.platform == "win32":
    import msvcrt

    def _taken(descriptor: int, *, wait: bool) -> bool:  # noqa: ARG001 - the caller tries again
        before = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _BEHIND, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        finally:
            os.lseek(descriptor, before, os.SEEK_SET)
        return True

else:
    import fcntl

    def _taken(descriptor: int, *, wait: bool) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
