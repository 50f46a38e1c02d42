"""What a workspace's sessions keep on this machine from one kernel to the next: ``.vcad/session.json``.

    state = StateFile(lambda: workspace)
    state.write("approval_policy", {"network": "ask"})
    state.read("approval_policy")

One JSON object with a section for each module that keeps something (the approvals' policy, a pause of the
watching); writing one leaves the others alone. A session has one of these, which its modules share.
Git leaves the file out, agents cannot reach it. It says nothing that could not be lost.
"""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from vcad_kernel.paths import own_folder
from vcad_kernel.system.files import NO_LINK, NO_WAIT, UNSHARED, replace_files

__all__ = ["StateFile"]

_NAME: Final = "session.json"
_LARGEST: Final = 4 * 2**20
"""Bytes that are read."""


class StateFile:
    """workspace: asked for at each use. elsewhere: the file that the user has set (VCAD_STATE_PATH)."""

    def __init__(
        self, workspace: Callable[[], Path], *, elsewhere: Callable[[], Path | None] = lambda: None
    ) -> None:
        self._workspace = workspace
        self._elsewhere = elsewhere
        self._lock = threading.Lock()

    def read(self, section: str) -> Any:
        """What was written last; None where nothing was.

        Raises: OSError; ValueError for a file that is none of ours.
        """
        with self._lock:
            return self._all().get(section)

    def write(self, section: str, value: Any) -> None:
        """Keep this; plain JSON. A file that cannot be read is set aside first. Raises: OSError."""
        with self._lock:
            path = self._path(made=True)
            try:
                kept = self._all()
            except ValueError:
                path.replace(path.with_name(f"{path.name}.broken"))
                kept = {}
            text = json.dumps({**kept, section: value}, indent=1, sort_keys=True) + "\n"
            replace_files({path: text.encode()}, mode=0o600)

    def _path(self, *, made: bool = False) -> Path:
        set_by_user = self._elsewhere()
        if set_by_user is not None:
            return set_by_user
        workspace = self._workspace()
        return (own_folder(workspace) if made else workspace / ".vcad") / _NAME

    def _all(self) -> dict[str, Any]:
        path = self._path()
        if path.parent.is_symlink():  # what came with a project must not lead us elsewhere
            raise ValueError(f"{path.parent} is a link")
        try:
            descriptor = os.open(path, os.O_RDONLY | NO_LINK | NO_WAIT | UNSHARED)
        except FileNotFoundError:
            return {}
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ValueError(f"{path} is no ordinary file")
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise ValueError(f"{path} is too large")
        try:
            content = json.loads(data)
        except RecursionError:
            raise ValueError(f"{path} is nested too deeply") from None
        if not isinstance(content, dict):
            raise ValueError(f"{path} holds no object")  # noqa: TRY004 - of the file, not of an argument
        return content
