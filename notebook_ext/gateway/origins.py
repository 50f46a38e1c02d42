"""Whose web pages may call the gateway: those of this user's notebook servers, and what a setting adds.

Running servers are found by their own records in Jupyter's runtime folder. Knows nothing of HTTP.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from notebook_ext.session_records import runtime_folder

__all__ = ["allowed_origins", "notebook_servers"]

_LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
_ANY: Final = ("", "0.0.0.0", "::", "*")


def allowed_origins(setting: str | None) -> Collection[str]:
    """The origins of local notebook servers, and those that a setting names, separated by commas."""
    named = {origin.strip().rstrip("/") for origin in (setting or "").split(",") if origin.strip()}
    return named | set(notebook_servers(runtime_folder()))


def notebook_servers(folder: Path) -> Iterator[str]:
    """The origins of the notebook servers with a record in this folder whose process lives."""
    for path in (*folder.glob("jpserver-*.json"), *folder.glob("nbserver-*.json")):
        try:
            record = json.loads(path.read_bytes())
            pid, port = int(record["pid"]), int(record["port"])
            scheme = "https" if record.get("secure") else "http"
            host = urlsplit(str(record.get("url", ""))).hostname or str(record.get("hostname", ""))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        if not _is_alive(pid):
            continue
        names = _LOOPBACK if host in (*_ANY, "localhost", "127.0.0.1", "::1") else (host,)
        for name in names:
            yield f"{scheme}://{name}:{port}" if port not in (80, 443) else f"{scheme}://{name}"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        return False
    return pid > 0
