"""One proxy at a time starts a session in a workspace: two agents that begin together share one world.

A lock on a file in Jupyter's runtime folder, by the kernel of the machine: it ends with its process. The
file is taken away by whoever held it last.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import anyio

from notebook_ext.session_records import runtime_folder

__all__ = ["only_starter"]

_GLANCE: Final = 0.05
"""Seconds between two tries to have the lock."""


@asynccontextmanager
async def only_starter(workspace: Path) -> AsyncIterator[None]:
    """Wait until no other process starts a session in this workspace, and be the one that may.

    Raises: OSError where the runtime folder cannot be written.
    """
    folder = runtime_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest = hashlib.sha256(os.fsencode(os.path.realpath(workspace))).hexdigest()[:16]
    path = folder / f"vcad-start-{digest}.lock"
    while (descriptor := _locked(path)) is None:
        await anyio.sleep(_GLANCE)
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            path.unlink()
        os.close(descriptor)


def _locked(path: Path) -> int | None:
    """The lock's descriptor; None while another process has it, or has just taken the file away."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_ino == path.stat().st_ino:
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(descriptor)
    return None
