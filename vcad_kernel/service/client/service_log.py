"""The file into which a service of one's own writes what it has to say of itself.

It lies in the workspace, in ``.vcad/logs``, where the last few are kept; in a workspace that cannot be
written, among the temporary files.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from vcad_kernel.paths import own_folder

__all__ = ["ServiceLog"]

_KEPT: Final = 8
_TAIL: Final = 12
"""Lines that are quoted."""
_QUOTED: Final = 2000
"""Characters that are quoted."""


class ServiceLog:
    """An open file to write to, and its name to read it later."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self.handle = handle

    @classmethod
    def beside(cls, workspace: Path) -> ServiceLog:
        """A fresh one for a service of a workspace.

        Raises: OSError when not even a temporary file can be made.
        """
        name = f"service-{datetime.now():%Y%m%d-%H%M%S-%f}"
        try:
            folder = own_folder(workspace) / "logs"
            if folder.is_symlink():
                raise NotADirectoryError(str(folder))
            folder.mkdir(exist_ok=True)
            _clear(folder)
            handle, path = tempfile.mkstemp(".log", f"{name}-", folder)
        except OSError:
            handle, path = tempfile.mkstemp(".log", f"vcad-{name}-")
        return cls(Path(path), handle)

    def close(self) -> None:
        """Close it here; who has been given it goes on writing."""
        os.close(self.handle)

    def tail(self) -> str:
        """Its last lines, as far as they can be read."""
        try:
            text = self.path.read_text(errors="replace")
        except OSError:
            return ""
        return "\n".join(text.rstrip().splitlines()[-_TAIL:])[-_QUOTED:]


def _clear(folder: Path) -> None:
    """Remove all but the newest few. Their names begin with their time."""
    for old in sorted(folder.glob("service-*.log"))[: 1 - _KEPT]:
        with suppress(OSError):
            old.unlink()
