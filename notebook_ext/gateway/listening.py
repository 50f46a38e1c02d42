"""A port that is there at once, and a server that is loaded with the first connection.

    listener = Listener(make_application, failed)   # binds; takes no millisecond, and imports nothing
    listener.port
    listener.close()

A small thread waits for the first connection and leaves it in the socket's queue; only then does it load the
server and serve on that same socket, so that a notebook without clients pays nothing. Where that fails,
waiting clients get an error. Knows uvicorn and asyncio, and not what is served.
"""

from __future__ import annotations

import json
import os
import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet

if TYPE_CHECKING:
    import asyncio

    from uvicorn import Server

__all__ = ["HOST", "Listener", "Unproven"]

HOST: Final = "127.0.0.1"
"""The only address that is listened on."""

_LARGEST_FRAME: Final = 2**25
"""Bytes of one frame of a WebSocket: a viewer's picture."""
_BACKLOG: Final = 128
_GRACE: Final = 1
"""Seconds that open answers get at the end."""
_PATIENCE: Final = 3.0
"""Seconds that `Listener.close` waits for the thread; it is a daemon, and keeps no process alive."""
_ANSWERED: Final = 16
"""Clients that get an error when the server cannot be loaded; each may take a second to send its request."""


class Listener:
    """make_application: gives the ASGI application; called once, on the listener's thread, and may be slow.

    failed: called with what made it end, on that thread, after waiting clients have got their error.
    unproven: is informed by the application of who has shown the token; the others do not stay.
    Raises: OSError when no port can be had.
    """

    def __init__(
        self,
        make_application: Callable[[], Any],
        failed: Callable[[BaseException], object],
        unproven: Unproven | None = None,
    ) -> None:
        self._make_application = make_application
        self._failed = failed
        self._unproven = Unproven() if unproven is None else unproven
        # asyncio switches Nagle's delay off only for sockets that say IPPROTO_TCP, and accepted ones say what
        # the listening one says: without it every small answer waits 40 ms for an acknowledgement
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            self._socket.bind((HOST, 0))
            self._socket.listen(_BACKLOG)
        except OSError:
            self._socket.close()
            raise
        self.port: int = self._socket.getsockname()[1]
        self._end, self._wake = socket.socketpair()
        self._switching = threading.Lock()
        self._closed = False
        self._server: Server | None = None
        _open.add(self)
        # in the opener's context, so that what is made here belongs to the cell that opened it
        context = copy_context()
        self._thread = threading.Thread(
            target=context.run, args=(self._run,), name="vcad gateway", daemon=True
        )
        self._thread.start()

    @property
    def is_serving(self) -> bool:
        """Whether a client has connected: the server is loaded, or being loaded."""
        return self._server is not None

    def close(self) -> None:
        """Listen no more, and end what is open; waits a little for that. Safe to call twice."""
        with self._switching:
            if self._closed:
                return
            self._closed = True
            if self._server is not None:
                self._server.should_exit = True
        self._wake.close()  # ends the wait for the first connection
        if threading.current_thread() is not self._thread:
            self._thread.join(_PATIENCE)
        self._socket.close()
        _open.discard(self)

    def _run(self) -> None:
        try:
            if self._client_came():
                self._serve()
        except Exception as error:  # noqa: BLE001 - the top of a thread
            self._answer_with_error()
            self._failed(error)
        finally:
            self._let_go()

    def _let_go(self) -> None:
        """Close what is open, whether or not `close` is called; only here, and in a forked child."""
        for opened in (self._socket, self._end, self._wake):
            opened.close()

    def _client_came(self) -> bool:
        """Wait for the first connection, or for the end."""
        ready, _, _ = select.select([self._socket, self._end], [], [])
        return self._end not in ready

    def _serve(self) -> None:
        import asyncio

        from uvicorn import Config, Server

        config = Config(
            self._make_application(),
            http=self._unproven.protocol(),
            ws="websockets-sansio",
            ws_max_size=_LARGEST_FRAME,
            ws_per_message_deflate=False,  # nothing leaves this machine
            loop="asyncio",
            lifespan="on",
            log_config=None,  # ours to decide, for what is logged appears in a cell of the person's
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=_GRACE,
        )
        with self._switching:
            if self._closed:
                return
            self._server = Server(config)
        self._socket.setblocking(False)
        try:
            asyncio.run(self._server.serve(sockets=[self._socket]))
        except SystemExit as ended:  # how uvicorn says that the lifespan failed
            raise RuntimeError("what the gateway serves did not start") from ended
        if not self._closed:
            raise RuntimeError("the gateway's server has ended by itself")

    def _answer_with_error(self) -> None:
        """Answer waiting clients with an error: a connection that only breaks says nothing."""
        body = json.dumps(
            {
                "error": "the session cannot be opened to other programs: loading failed; "
                "its log (.vcad/logs) has the cause, %loon_mcp in its notebook tries again",
                "error_code": "INTERNAL_ERROR",
            }
        ).encode()
        head = (
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        with suppress(OSError):  # no client waits any more, or the socket is closed
            self._socket.setblocking(False)
            for _ in range(_ANSWERED):
                client, _address = self._socket.accept()
                with client, suppress(OSError):
                    client.settimeout(_GRACE)
                    client.recv(2**16)  # what is left unread would break the connection before the answer
                    client.sendall(head.encode() + body)


_open: WeakSet[Listener] = WeakSet()


def _forked() -> None:
    """A forked child has no thread of ours, but the port: while it lives, ours would not look closed."""
    for listener in tuple(_open):
        listener._let_go()


if hasattr(os, "register_at_fork"):  # where processes fork
    os.register_at_fork(after_in_child=_forked)


# ---- connections that have not shown the token yet: few of them, and not for long ------------
#     unproven = Unproven()
#     Config(..., http=unproven.protocol())      # uvicorn's own protocol, watched
#     unproven.prove(scope["client"])            # of the guard, once a request had the token
#
# A process has a limited number of open files, and a client that connects and sends nothing, or half a
# header, takes one. A connection that has not shown the token is closed after a while, and when there are
# too many of them the oldest gives way: programs that have the token send it with the first packet.


_MOST: Final = 64
"""At a time: a quarter of the files that a process may have open on the strictest of systems (macOS, 256)."""
_TO_PROVE: Final = 10.0
"""Seconds for the headers of a first request with the token; programs on this machine send them at once."""


class Unproven:
    """most: connections at a time. patience: seconds."""

    def __init__(self, *, most: int = _MOST, patience: float = _TO_PROVE) -> None:
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
