"""Whether a notebook is open: by the sessions that run, and by the local Jupyter servers.

A notebook that is open has its text in a browser, and what is written to its file is lost or in the way
there. Looks at records in Jupyter's runtime folder, and asks the servers of this machine that have one.
"""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import urlsplit

from notebook_ext.session_records import live_records, runtime_folder

__all__ = ["is_open"]

_PATIENCE: Final = 2.0
"""Seconds for a server's answer; one that does not answer has nothing to say."""
_LARGEST: Final = 4 * 2**20


def is_open(notebook: Path) -> bool:
    """Whether a kernel runs for this notebook. notebook: its real path."""
    names = [record.notebook for record in live_records() if record.notebook]
    return any(_same(name, notebook) for name in (*names, *_served()))


def _same(name: str, notebook: Path) -> bool:
    """Whether a name is this file; a relative one, whose folder is not known, is by its end."""
    if Path(name).is_absolute():
        return os.path.realpath(name) == str(notebook)
    parts = PurePosixPath(name).parts
    return bool(parts) and notebook.parts[-len(parts) :] == parts


def _served() -> Iterator[str]:
    """The notebooks that the local servers have kernels for, absolute."""
    try:
        records = sorted(runtime_folder().glob("jpserver-*.json"))
    except OSError:
        return
    for path in records:
        try:
            server = json.loads(path.read_bytes()[:65536])
            sessions = _sessions_of(server)
        except (OSError, ValueError, RecursionError, KeyError, TypeError, http.client.HTTPException):
            continue
        for session in sessions:
            if isinstance(session, dict) and isinstance(session.get("path"), str):
                yield str(Path(server["root_dir"]) / session["path"])


def _sessions_of(server: dict[str, Any]) -> list[Any]:
    """What a server answers for its sessions. Raises: OSError, ValueError, KeyError, HTTPException."""
    parts = urlsplit(str(server["url"]))
    if parts.scheme != "http" or parts.hostname not in {"localhost", "127.0.0.1", "::1"}:
        return []
    connection = http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=_PATIENCE)
    try:
        headers = {"Authorization": f"token {server.get('token', '')}"}
        connection.request("GET", f"{parts.path.rstrip('/')}/api/sessions", headers=headers)
        answer = connection.getresponse()
        sessions = json.loads(answer.read(_LARGEST)) if answer.status == 200 else []
    finally:
        connection.close()
    return sessions if isinstance(sessions, list) else []
