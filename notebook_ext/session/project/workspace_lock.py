"""Which session owns a workspace: the one that holds ``.vcad/lock``.

The operating system frees the lock when its process ends, however that happens; the process id in the
file is for people. Knows nothing of what the lock is for.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from vcad_kernel.paths import own_folder
from vcad_kernel.system.file_lock import lock
from vcad_kernel.system.files import NO_LINK, UNSHARED

__all__ = ["WorkspaceLock"]


class WorkspaceLock:
    """The lock of one workspace; not held until `acquire` says so."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._descriptor: int | None = None
        self.reason: str | None = None
        """Why the lock is not held, as a sentence, after an `acquire` that failed."""

    @property
    def held(self) -> bool:
        """Whether this session owns the workspace."""
        return self._descriptor is not None

    def acquire(self) -> bool:
        """Own the workspace, unless another session does. Returns: whether it is ours now."""
        if self._descriptor is not None:
            return True
        try:
            path = own_folder(self._workspace) / "lock"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK | UNSHARED, 0o600)
        except OSError as error:
            self.reason = f"{self._workspace} cannot be written to: {error.strerror}"
            return False
        try:
            lock(descriptor)
        except OSError:
            owner = _owner(descriptor)
            os.close(descriptor)
            self.reason = f"another session{owner} works in {self._workspace}"
            return False
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode("ascii"))
        self._descriptor, self.reason = descriptor, None
        return True

    def release(self) -> None:
        """Leave the workspace to others; safe to call twice. The file stays, so that all lock the same."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
        os.close(descriptor)


def _owner(descriptor: int) -> str:
    text = os.read(descriptor, 32).decode("ascii", "replace").strip()
    return f" (process {text})" if text.isdigit() else ""
