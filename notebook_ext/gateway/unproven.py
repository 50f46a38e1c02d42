"""Connections that have not shown the token yet: few of them, and not for long.

    unproven = Unproven()
    Config(..., http=unproven.protocol())      # uvicorn's own protocol, watched
    unproven.prove(scope["client"])            # of the guard, once a request had the token

A process has a limited number of open files, and whoever connects and says nothing, or half a header, takes
one. A connection that has not shown the token is closed after a while, and when there are too many of them
the oldest gives way; those of which none is a second old are not, and who comes then is told so.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from vcad_kernel.errors import ErrorCode

if TYPE_CHECKING:
    import asyncio

__all__ = ["Unproven"]

_MOST: Final = 64
"""At a time: a quarter of the files that a process may have open on the strictest of systems (macOS, 256)."""
_PATIENCE: Final = 10.0
"""Seconds for the headers of a first request with the token; programs on this machine send them at once."""
_YOUNG: Final = 1.0
"""Seconds in which a connection does not give way: its first request may be on its way."""


class Unproven:
    """most: connections at a time. patience, young: seconds."""

    def __init__(self, *, most: int = _MOST, patience: float = _PATIENCE, young: float = _YOUNG) -> None:
        self._most = most
        self._patience = patience
        self._young = young
        self._waiting: dict[Any, tuple[float, Callable[[], object], asyncio.TimerHandle]] = {}
        """Address of the client → when it came, what closes its connection, what does so in the end; oldest
        first."""

    def prove(self, client: Any) -> None:
        """The connection of this client has shown the token: nothing here applies to it any more."""
        waiting = self._waiting.pop(_key(client), None)
        if waiting is not None:
            waiting[2].cancel()

    def protocol(self) -> type[asyncio.Protocol]:
        """uvicorn's protocol for HTTP/1.1 by h11, with connections that are watched."""
        from uvicorn.protocols.http.h11_impl import H11Protocol

        unproven = self

        class Watched(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                super().connection_made(transport)
                unproven._came(self.client, self.loop, transport)

            def connection_lost(self, exc: Exception | None) -> None:
                unproven.prove(self.client)  # it is no more
                super().connection_lost(exc)

        return Watched

    def _came(self, client: Any, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport) -> None:
        now = loop.time()
        if len(self._waiting) >= self._most:
            oldest = next(iter(self._waiting))
            came, close, timer = self._waiting[oldest]
            if now - came < self._young:
                transport.write(_REFUSAL)
                transport.close()
                return
            timer.cancel()
            del self._waiting[oldest]
            close()
        timer = loop.call_later(self._patience, self._run_out, _key(client))
        self._waiting[_key(client)] = now, transport.abort, timer

    def _run_out(self, client: Any) -> None:
        waiting = self._waiting.pop(client, None)
        if waiting is not None:
            waiting[1]()


def _key(client: Any) -> Any:
    return None if client is None else tuple(client)


def _refusal() -> bytes:
    body = json.dumps(
        {
            "error": "too many connections have not shown the session's token; try again in a second",
            "error_code": str(ErrorCode.BUSY),
        }
    ).encode()
    head = (
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


_REFUSAL: Final = _refusal()
