"""The service's log: one JSON object a line, to a file or to standard error.

    log = Log.to_stream(sys.stderr.buffer)
    log.event("eval_started", request_id="r7", node_id="n1")

Lines are written by a thread of their own from a bounded queue: a reader that stops reading standard error
never stops the service; what finds no room is counted and logged later. Never given a program's text, a
token or what a model prints.
"""

from __future__ import annotations

import json
import logging
import threading
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any, BinaryIO, Final

from vcad_kernel.rfc3339 import rfc3339

__all__ = ["Log", "LogBridge", "Logger"]

Clock = Callable[[], datetime]

_ROOM: Final = 2000
"""Lines that wait to be written at most."""
_GATHERED: Final = 0.02
"""Seconds in which lines are gathered, to wake the thread that writes them once for many."""
_MAIN: Final[dict[str, Any]] = dict.fromkeys(("request_id", "node_id", "error_code"))
"""Fields that every line has."""


_NOW: Final[Clock] = partial(datetime.now, UTC)


class Logger:
    """Where events go: nowhere. The base of `Log`, and enough where none is needed."""

    def event(self, event: str, *, level: str = "info", **fields: Any) -> None:
        """Note something that has happened; ``fields`` are JSON values."""

    def failed(self, event: str, error: BaseException, **fields: Any) -> None:
        """Note a mistake of our own, with its traceback."""
        text = "".join(traceback.format_exception(error))
        self.event(event, level="error", error=type(error).__name__, traceback=text, **fields)

    def close(self) -> None:
        """Write what waits."""


class Log(Logger):
    """stream: taken over; closed by `close` if ``owned``. clock: wall time, for the time stamps alone."""

    def __init__(self, stream: BinaryIO, *, owned: bool = False, clock: Clock = _NOW) -> None:
        self._stream = stream
        self._owned = owned
        self._clock = clock
        self._lines: deque[bytes] = deque()
        self._lost = 0
        self._closing = False
        self._wake = threading.Condition()
        self._hurry = threading.Event()
        """Set when there is no time to gather lines."""
        self._writer = threading.Thread(target=self._write, name="log", daemon=True)
        self._writer.start()

    def event(self, event: str, *, level: str = "info", **fields: Any) -> None:
        """Note something that has happened: returns at once."""
        line = self._line(event, level, fields)
        with self._wake:
            if len(self._lines) >= _ROOM:
                self._lost += 1
                return
            if self._lost:
                self._lines.append(self._line("log_lines_lost", "warning", {"count": self._lost}))
                self._lost = 0
            self._lines.append(line)
            if len(self._lines) >= _ROOM // 4:
                self._hurry.set()
            self._wake.notify()

    def _line(self, event: str, level: str, fields: dict[str, Any]) -> bytes:
        record: dict[str, Any] = {
            "timestamp": rfc3339(self._clock()),
            "level": level,
            "event": event,
        }
        record |= _MAIN | fields
        return json.dumps(record, separators=(",", ":"), default=str).encode("ascii") + b"\n"

    def close(self, wait: float = 1.0) -> None:
        """Write what waits, for ``wait`` seconds at most."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._hurry.set()
        self._writer.join(wait)
        if self._owned and not self._writer.is_alive():
            with suppress(OSError):
                self._stream.close()

    def _write(self) -> None:
        while True:
            with self._wake:
                while not self._lines and not self._closing:
                    self._wake.wait()
            self._hurry.wait(_GATHERED)
            with self._wake:
                if not self._closing:
                    self._hurry.clear()
                if not self._lines:
                    return
                lines = b"".join(self._lines)
                self._lines.clear()
            try:
                self._stream.write(lines)
                self._stream.flush()
            except (OSError, ValueError):
                # the reader of the log is gone, and there is nowhere left to say so
                return


class LogBridge(logging.Handler):
    """Passes on what is said by way of Python's own logging: by asyncio, and of our own mistakes."""

    def __init__(self, log: Logger) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Note a record."""
        fields: dict[str, Any] = {"logger": record.name, "message": record.getMessage()}
        if record.exc_info and record.exc_info[1] is not None:
            fields["traceback"] = "".join(traceback.format_exception(record.exc_info[1]))
        self._log.event("log", level=record.levelname.lower(), **fields)
