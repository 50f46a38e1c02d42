"""The folder in memory for a service's region and mesh blocks: private, and gone when it ends.

Named after nothing but chance, mode 0700, under /dev/shm where there is one. Its service holds a lock
on a file in it as long as it lives, by which the next one to start knows the folders of those that
were killed, and removes them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from vcad_kernel.system.file_lock import lock
from vcad_kernel.system.files import NO_LINK, UNSHARED, is_own

__all__ = ["PrivateFolder", "memory_folder"]

_PREFIX: Final = "vcad-service-"
_LOCK: Final = "lock"
_ROOM: Final = 512 * 2**20
"""Bytes that must be free where files are memory."""


def memory_folder(shared: Path = Path("/dev/shm")) -> Path:
    """Where files are memory; the folder for temporary files where there is no such place, or a small one.

    Containers often have 64 MiB of it, which a mesh of two million triangles would fill.
    """
    if not os.access(shared, os.W_OK | os.X_OK):
        return Path(tempfile.gettempdir())
    room = os.statvfs(shared)
    return shared if room.f_bavail * room.f_frsize >= _ROOM else Path(tempfile.gettempdir())


class PrivateFolder:
    """One folder, from its making to `close`."""

    def __init__(self, base: Path | None = None) -> None:
        """base: where it is made, by default in memory. Raises: OSError."""
        base = memory_folder() if base is None else base
        self.swept = _sweep(base)
        """Folders of services that were killed, which have been removed."""
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
        making = self.path / f"{_LOCK}.new"
        self._lock = os.open(making, os.O_RDWR | os.O_CREAT | UNSHARED, 0o600)
        lock(self._lock)
        # under its name it is locked from the first moment, or another service would sweep us away
        making.rename(self.path / _LOCK)

    def close(self) -> None:
        """Remove the folder with all that is in it. A map of a file in it stays usable."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


def _sweep(base: Path) -> int:
    """Remove our own folders whose service is gone."""
    removed = 0
    for folder in base.glob(_PREFIX + "*"):
        try:
            if folder.is_symlink() or not is_own(folder.stat()):
                continue
            held = os.open(folder / _LOCK, os.O_RDWR | NO_LINK)
        except OSError:
            continue  # another service's, just being made, or just being removed
        try:
            lock(held)
        except OSError:
            continue  # its service lives
        else:
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
        finally:
            os.close(held)
    return removed
