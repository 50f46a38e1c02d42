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

from notebook_ext.gateway.unproven import Unproven

if TYPE_CHECKING:
    from uvicorn import Server

__all__ = ["HOST", "Listener"]

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
    unproven: is told by the application who has shown the token; the others do not stay.
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
