"""One connection to a service: lines of JSON-RPC both ways, many calls under way at once.

    connection = await Connection.open(address, limit=2**24, seconds=9, on_notification=note, unwanted=free)
    result = await connection.call("ping", {}, seconds=30)

Answers find their call by its id, in whatever order they come. A call that is no longer waited for is
answered all the same, and the answer goes to ``unwanted``, since it may hold what must be given back.
When the connection ends, every caller that waits is notified. Knows no tool, and never connects again: that
is the client's business.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from vcad_kernel.errors import VcadError
from vcad_kernel.service.client.failures import (
    Address,
    connection_failed,
    connection_timeout,
    line_too_long,
    refusal,
    unspeakable,
)

__all__ = ["Connection"]

Notified = Callable[[str, Mapping[str, Any]], None]
"""Takes the method and the parameters of a notification."""
Unwanted = Callable[["Connection", Any], None]
"""Takes a result that no caller waits for any more, and what it came over."""


@dataclass(slots=True)
class _Call:
    """A caller that waits for an answer."""

    operation: str
    answer: asyncio.Future[Any]


class Connection:
    """Made by :meth:`open`; belongs to the event loop that it was opened in."""

    def __init__(
        self,
        address: Address,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        sock: socket.socket,
        on_notification: Notified,
        unwanted: Unwanted,
    ) -> None:
        self.address = address
        self.lines = 0
        """How many have come from the service, one that was cut off included."""
        self.line_max: int | None = None
        """How long a line the service reads, once it has said so."""
        self.lost: str | None = None
        """Why the connection has ended; None while it lives."""
        self._reader, self._writer = streams
        self._sock = sock
        self._on_notification = on_notification
        self._unwanted = unwanted
        self._calls: dict[int, _Call] = {}
        self._ids = itertools.count(1)
        self._complaint: str | None = None
        """What the service said of no call in particular: often why it then closes the connection."""
        self._reading = asyncio.ensure_future(self._read())

    @classmethod
    async def open(
        cls,
        address: Address,
        *,
        limit: int,
        seconds: float,
        on_notification: Notified,
        unwanted: Unwanted,
    ) -> Connection:
        """Connect; nothing is said yet.

        limit: bytes of a line that is read. seconds: how long to try.
        Raises: ServiceFailure of CONNECTION_FAILED or CONNECTION_TIMEOUT.
        """
        sock: socket.socket | None = None
        try:
            async with asyncio.timeout(seconds):
                sock = await _connected(address)
                streams = await asyncio.open_connection(sock=sock, limit=limit)
        except BaseException as failed:
            if sock is not None:
                sock.close()
            if isinstance(failed, TimeoutError):
                raise connection_timeout(address.host, address.port, "hello", seconds) from failed
            if isinstance(failed, OSError):
                reason = f"{address} does not answer ({failed.strerror or failed})"
                raise connection_failed(address.host, address.port, "hello", reason) from failed
            raise
        return cls(address, streams, sock, on_notification, unwanted)

    async def call(
        self, method: str, params: Mapping[str, Any], *, seconds: float | None, operation: str | None = None
    ) -> Any:
        """The result of a call.

        seconds: how long to wait for it; None for any time. operation: what errors call it.
        Raises: what the service answers; ServiceFailure of CONNECTION_FAILED when the connection ends
        before that, of CONNECTION_TIMEOUT when it takes too long, of PAYLOAD_TOO_LARGE or
        INVALID_PARAMS unsent.
        """
        operation = operation or method
        if self.lost is not None:
            raise self._failed(operation, self.lost)
        number = next(self._ids)
        try:
            line = _line({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        except (ValueError, RecursionError) as bad:
            raise unspeakable(operation, str(bad)) from bad
        if self.line_max is not None and len(line) > self.line_max:
            raise line_too_long(operation, len(line), self.line_max)
        call = _Call(operation, asyncio.get_running_loop().create_future())
        self._calls[number] = call
        self._writer.write(line)
        try:
            async with asyncio.timeout(seconds):
                return await call.answer
        except TimeoutError as late:
            raise connection_timeout(self.address.host, self.address.port, operation, seconds or 0) from late
        except asyncio.CancelledError:
            if call.answer.done() and not call.answer.cancelled() and call.answer.exception() is None:
                self._unwanted(self, call.answer.result())  # it came in the very same moment
            raise

    def lives(self) -> bool:
        """Whether it has not ended. The socket is asked: the event loop may not have come to tell."""
        if self.lost is None:
            try:
                ended = not self._sock.recv(1, socket.MSG_PEEK)
            except BlockingIOError:
                ended = False
            except OSError:
                ended = True
            if ended:
                self._lose("it closed the connection")
        return self.lost is None

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Say something that is not answered; nothing happens when the connection has ended."""
        if self.lost is None:
            self._writer.write(_line({"jsonrpc": "2.0", "method": method, "params": params}))

    async def close(self, reason: str = "the connection was closed") -> None:
        """End it; callers that still wait get ``reason``."""
        self._lose(reason)
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading
        with suppress(OSError):
            await self._writer.wait_closed()

    def abandon(self) -> None:
        """Let go of the socket without a word; for a forked child, whose parent goes on using it."""
        self._sock.close()

    async def _read(self) -> None:
        """Take lines until there are no more."""
        reason = "it closed the connection"
        try:
            while self.lost is None:
                line = await self._reader.readuntil(b"\n")
                self.lines += 1
                self._take(line)
        except asyncio.IncompleteReadError as ended:
            if ended.partial:
                self.lines += 1
                reason = "it went away in the middle of an answer"
        except asyncio.LimitOverrunError:
            reason = "it sent a line that is longer than is read (VCAD_LINE_MAX)"
        except _Nonsense as nonsense:
            reason = f"it sent {nonsense}"
        except OSError as failed:
            reason = f"the connection broke ({failed.strerror or failed})"
        finally:
            self._lose(self._complaint or reason)

    def _take(self, line: bytes) -> None:
        """One line of the service's. Raises: _Nonsense."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as bad:
            raise _Nonsense("a line that is no JSON") from bad
        if not isinstance(message, dict):
            raise _Nonsense("a line that is no message")
        if "method" in message:
            params = message.get("params")
            self._on_notification(str(message["method"]), params if isinstance(params, dict) else {})
            return
        number, error = message.get("id"), message.get("error")
        call = self._calls.pop(number, None) if isinstance(number, int) else None
        if call is None:
            if number is None and isinstance(error, dict):
                self._complaint = str(error.get("message", "")) or None
            return
        if call.answer.done():
            if error is None:
                self._unwanted(self, message.get("result"))
        elif error is not None:
            call.answer.set_exception(refusal(error, call.operation))
        else:
            call.answer.set_result(message.get("result"))

    def _lose(self, reason: str) -> None:
        """The connection has ended: tell everybody who waits."""
        if self.lost is not None:
            return
        self.lost = reason
        self._writer.close()
        calls, self._calls = list(self._calls.values()), {}
        for call in calls:
            if not call.answer.done():
                call.answer.set_exception(self._failed(call.operation, reason))

    def _failed(self, operation: str, reason: str) -> VcadError:
        return connection_failed(self.address.host, self.address.port, operation, reason)


class _Nonsense(Exception):
    """What was read is not of this protocol; the message says what it is instead."""


async def _connected(address: Address) -> socket.socket:
    """A socket that is connected, kept apart from the stream on it so that a forked child can close it."""
    loop = asyncio.get_running_loop()
    try:
        # an address in numbers is found at once, without another thread
        addresses = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST
        )
    except socket.gaierror:
        addresses = await loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    failed: OSError | None = None
    for family, kind, protocol, _, where in addresses:
        sock = socket.socket(family, kind, protocol)
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            await loop.sock_connect(sock, where)
        except OSError as error:
            sock.close()
            failed = error
        except BaseException:
            sock.close()
            raise
        else:
            return sock
    raise failed or OSError(f"{address.host} has no address")


def _line(message: Mapping[str, Any]) -> bytes:
    """A message as it travels: ASCII, so that text which is no valid Unicode travels too."""
    return json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
