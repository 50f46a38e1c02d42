"""Connections that have not shown the token yet: few of them, and not for long.

    unproven = Unproven()
    Config(..., http=unproven.protocol())      # uvicorn's own protocol, watched
    unproven.prove(scope["client"])            # of the guard, once a request had the token

A process has a limited number of open files, and whoever connects and says nothing, or half a header, takes
one. A connection that has not shown the token is closed after a while, and when there are too many of them
the oldest gives way: programs that have the token send it with the first packet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import asyncio

__all__ = ["Unproven"]

_MOST: Final = 64
"""At a time: a quarter of the files that a process may have open on the strictest of systems (macOS, 256)."""
_PATIENCE: Final = 10.0
"""Seconds for the headers of a first request with the token; programs on this machine send them at once."""


class Unproven:
    """most: connections at a time. patience: seconds."""

    def __init__(self, *, most: int = _MOST, patience: float = _PATIENCE) -> None:
        self._most = most
        self._patience = patience
        self._waiting: dict[Any, tuple[Callable[[], object], asyncio.TimerHandle]] = {}
        """Address of the client → what closes its connection, and what does so in the end; oldest first."""

    def prove(self, client: Any) -> None:
        """The connection of this client has shown the token: nothing here applies to it any more."""
        if client in self._waiting:
            self._waiting.pop(client)[1].cancel()

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
        if len(self._waiting) >= self._most:
            self._close(next(iter(self._waiting)))
        timer = loop.call_later(self._patience, self._close, client)
        self._waiting[client] = transport.abort, timer

    def _close(self, client: Any) -> None:
        if client in self._waiting:
            abort, timer = self._waiting.pop(client)
            timer.cancel()
            abort()
