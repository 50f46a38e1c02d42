"""Named by `VCAD_WORKER_PLUGIN`, it notes what a worker touches of the world, one JSON list a line.

`VCAD_TEST_AUDIT` names the file. Nothing is judged here; and nothing can be taken back: a hook of Python's
stays until the process ends.
"""

from __future__ import annotations

import os
import sys
from typing import Any

_NOTED = (
    "ctypes.",
    "fcntl.",
    "ftplib.",
    "glob.",
    "http.",
    "imaplib.",
    "mmap.",
    "nntplib.",
    "open",
    "os.",
    "poplib.",
    "pty.",
    "resource.",
    "shutil.",
    "signal.",
    "smtplib.",
    "socket.",
    "sqlite3.",
    "subprocess.",
    "syslog.",
    "telnetlib.",
    "tempfile.",
    "urllib.",
    "webbrowser.",
)

_file = os.open(os.environ["VCAD_TEST_AUDIT"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event.startswith(_NOTED):
        os.write(_file, f"{event}\t{arguments!r}\n".encode("utf-8", "backslashreplace"))


sys.addaudithook(_note)
