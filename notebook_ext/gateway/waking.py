"""Have a session's gateway load its tools now, for a client that connects in a second.

    wake(record, packs=("files",))

The first request below ``/mcp`` has the kernel import the SDK, which takes as long as the agent's own program
does for itself: at the same time they take that time once. Imports nothing slow, and waits for nothing.
"""

from __future__ import annotations

import socket
from collections.abc import Collection
from contextlib import suppress
from typing import Final
from urllib.parse import quote, urlsplit

from notebook_ext.session_records import SessionRecord

__all__ = ["wake"]

_PATIENCE: Final = 1.0
"""Seconds; a port of this machine answers at once or not at all."""


def wake(record: SessionRecord, packs: Collection[str] = ()) -> None:
    """Request ``/mcp`` and read no answer; a session that is not there any more is no failure of this."""
    with suppress(OSError, ValueError):  # ValueError: an address that is none
        address = urlsplit(record.url)
        host, port = address.hostname or "", address.port or 0
        request = (
            f"HEAD /mcp?packs={quote(','.join(packs))} HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Bearer {record.token}\r\nConnection: close\r\n\r\n"
        )
        with socket.create_connection((host, port), _PATIENCE) as gateway:
            gateway.sendall(request.encode("latin-1"))
