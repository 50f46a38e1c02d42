"""One client's socket: lines in, lines out, and what to do with a client that sends or reads badly.

Knows lines and their limit; what they say is :mod:`vcad_kernel.service.front.connection.client`'s business.
A client that does not read its answers is not read from either, and gets no notifications.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
from contextlib import suppress
from typing import Final

from vcad_kernel.service.front.connection.framing import notification

__all__ = ["Connection", "LineTooLong", "NotOurs", "Notifier", "is_loopback"]

_SLOW: Final = 2**20
"""Bytes that wait to be sent; with more, notifications are left out."""
_GATHERED: Final = 0.01
"""Seconds that a notification may wait for others, or for the answer, to be sent together with them."""
_LINGER: Final = 2.0
"""Seconds in which a client that is being turned away may read why."""
_HTTP: Final = re.compile(rb"[A-Z]+ [^ ]+ HTTP/")


class LineTooLong(Exception):
    """A line of more bytes than are taken."""

    def __init__(self, size: int) -> None:
        super().__init__(f"a line of {size} bytes or more")
        self.size = size


class NotOurs(Exception):
    """The client speaks HTTP: a web page that tries what it can reach. Nothing it says is listened to."""


class Connection:
    """line_max: bytes of a line, with its newline, that are taken."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line_max: int) -> None:
        self._reader = reader
        self._writer = writer
        self._line_max = line_max
        self._sending = asyncio.Lock()
        self._posted: list[bytes] = []
        """Notifications that wait a moment to be sent."""
        self._first = True
        peer = writer.get_extra_info("peername")
        self.is_local = bool(peer) and is_loopback(str(peer[0]))
        """Whether the client runs on this machine."""

    async def line(self) -> bytes | None:
        """The next line without its end; None when the client has gone.

        Raises: LineTooLong; NotOurs.
        """
        try:
            line = await self._reader.readuntil(b"\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        except asyncio.LimitOverrunError as long:
            raise LineTooLong(max(long.consumed, self._line_max + 1)) from None
        if len(line) > self._line_max:
            raise LineTooLong(len(line))
        if self._first and _HTTP.match(line):
            raise NotOurs
        self._first = False
        return line[:-1]

    async def send(self, line: bytes) -> None:
        """Send a line; returns when the client has taken enough of what waits."""
        async with self._sending:
            if self._writer.is_closing():
                return
            self._flush(line)
            with suppress(ConnectionError):
                await self._writer.drain()

    def post(self, line: bytes) -> bool:
        """Send a line that may as well be lost, soon; False when it is, the client being too slow."""
        if self._writer.is_closing() or self._writer.transport.get_write_buffer_size() > _SLOW:
            return False
        if not self._posted:
            # a quick evaluation says in one go how it went and what came of it
            asyncio.get_running_loop().call_later(_GATHERED, self._flush)
        self._posted.append(line)
        return True

    def _flush(self, line: bytes = b"") -> None:
        """Send what was posted, and a line after it."""
        posted, self._posted = self._posted, []
        if (posted or line) and not self._writer.is_closing():
            self._writer.write(b"".join((*posted, line)))

    async def turn_away(self) -> None:
        """Close, but let the client read what was said last: unread bytes of its own would cut that off."""
        with suppress(OSError, RuntimeError):
            self._writer.write_eof()
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(_LINGER):
                while await self._reader.read(2**16):
                    pass
        await self.close()

    async def close(self) -> None:
        """Close, after what waits has been sent."""
        self._writer.close()
        with suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(_LINGER):
                await self._writer.wait_closed()

    def finish(self) -> None:
        """Close as `close` does, without waiting for it."""
        self._writer.close()

    def abort(self) -> None:
        """Close at once; what waits to be sent is lost."""
        self._writer.transport.abort()


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own; a name is not, ``localhost`` excepted."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


class Notifier:
    """The `Listener` of one call."""

    def __init__(self, connection: Connection, request_id: str, *, progress: bool, output: bool) -> None:
        self._connection = connection
        self._request_id = request_id
        self._progress = progress
        self._output = output
        self._printed = 0

    def progress(self, phase: str, queue_place: int | None, done: int, total: int, elapsed_ms: float) -> None:
        """``vcad.progress``; total null where it is not known."""
        if self._progress:
            params = {
                "request_id": self._request_id,
                "phase": phase,
                "queue_place": queue_place,
                "done": done,
                "total": total or None,
                "elapsed_ms": round(elapsed_ms, 1),
            }
            self._connection.post(notification("vcad.progress", params))

    def printed(self, text: str) -> None:
        """``vcad.output``; after a piece that was lost no more comes, and the result has it all."""
        if self._output and text:
            params = {"request_id": self._request_id, "offset": self._printed, "text": text}
            self._output = self._connection.post(notification("vcad.output", params))
            self._printed += len(text)
