"""The session's log: JSON lines in ``<workspace>/.vcad/logs/<session>/events.jsonl``, or in SUPEX_LOG_DIR.

Each record has timestamp, level, event, request_id, node_id and error_code; one request id follows one wish
from its door through service and bridge. The file is made with the first event. Where the workspace cannot be
written nothing is logged, and nothing else suffers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from shutil import rmtree
from threading import Lock
from typing import Any, Final

from vcad_kernel.paths import own_folder
from vcad_kernel.request_id import current_request
from vcad_kernel.service.front.log import Log, Logger

__all__ = ["SessionLog"]

_KEPT: Final = 20
"""Sessions whose logs are kept."""


class SessionLog:
    """workspace: asked for with the first event. clock: names the folder.

    elsewhere: the folder that the user has set for logs (SUPEX_LOG_DIR), if any; nothing is cleared there.
    """

    def __init__(
        self,
        workspace: Callable[[], Path],
        *,
        elsewhere: Callable[[], Path | None] = lambda: None,
        clock: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._workspace = workspace
        self._elsewhere = elsewhere
        self._clock = clock
        self._opening = Lock()
        self._log: Logger | None = None
        self.path: Path | None = None
        """The file; None before the first event, and where none can be written."""

    def event(self, event: str, *, level: str = "info", **fields: Any) -> None:
        """Note something that has happened, under the wish that led to it; returns at once."""
        fields.setdefault("request_id", current_request())
        self._opened().event(event, level=level, **fields)

    def __call__(self, event: str, fields: Mapping[str, Any]) -> None:
        """The same for those who are given a function."""
        self.event(event, **fields)

    def folder(self) -> Path | None:
        """Where this session logs, for those who keep files beside; None where nothing can be written."""
        self._opened()
        return None if self.path is None else self.path.parent

    def close(self) -> None:
        """Write what waits."""
        with self._opening:
            if self._log is not None:
                self._log.close()

    def _opened(self) -> Logger:
        with self._opening:
            if self._log is None:
                self._log = self._open()
            return self._log

    def _open(self) -> Logger:
        try:
            logs = self._elsewhere()
            if logs is None:
                logs = own_folder(self._workspace()) / "logs"
                if logs.is_symlink():
                    return Logger()
                logs.mkdir(exist_ok=True)
                _clear(logs)
            folder = logs / f"session-{self._clock():%Y%m%d-%H%M%S}-{os.getpid()}"
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / "events.jsonl"
            stream = path.open("ab")
        except OSError:
            return Logger()
        self.path = path
        return Log(stream, owned=True)


def _clear(logs: Path) -> None:
    """Remove all but the newest few. Their names begin with their time."""
    for old in sorted(logs.glob("session-*"))[: 1 - _KEPT]:
        with suppress(OSError):
            rmtree(old)
