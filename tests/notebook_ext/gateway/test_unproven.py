"""Who connects and does not show the token neither stays nor keeps others out."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from notebook_ext.gateway.guarding import Guard, Receive, Scope, Send
from notebook_ext.gateway.listening import HOST, Listener, Unproven
from tests.notebook_ext.gateway.test_listening import Greeter

PATIENCE = 20.0


@contextmanager
def listening(unproven: Unproven) -> Iterator[Listener]:
    """A greeter behind a guard; the token is ``secret``."""

    class Guarded(Greeter):
        guard: Guard

        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            await self.guard(scope, receive, send)

    greeter, inner = Guarded(), Greeter()
    listener = Listener(greeter.make, greeter.failed, unproven)
    greeter.guard = Guard(inner, port=listener.port, token="secret", on_proof=unproven.prove)
    try:
        yield listener
    finally:
        listener.close()


def ask(connection: http.client.HTTPConnection, token: str = "secret") -> int:
    connection.request("GET", "/", headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    answer.read()
    return answer.status


def ended(half_open: socket.socket) -> bool:
    """Whether the other side has closed it."""
    try:
        return half_open.recv(1) == b""
    except ConnectionResetError:
        return True


def test_half_a_header_is_not_waited_for_and_the_token_is_kept() -> None:
    unproven = Unproven(patience=PATIENCE)
    with listening(unproven) as listener:
        proven = http.client.HTTPConnection(HOST, listener.port, timeout=PATIENCE)
        assert ask(proven) == 200
        stranger = http.client.HTTPConnection(HOST, listener.port, timeout=PATIENCE)
        unproven._patience = 0.3
        with suppress(ConnectionError, http.client.HTTPException):  # on a busy machine its time may be over
            assert ask(stranger, "another") == 401
        with socket.create_connection((HOST, listener.port), PATIENCE) as half_open:
            half_open.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            assert ended(half_open)
        assert stranger.sock is None or ended(stranger.sock)
        assert ask(proven) == 200  # the same connection, which has waited as long
        proven.close()
        stranger.close()


def test_when_there_are_too_many_the_oldest_gives_way() -> None:
    with listening(Unproven(most=3)) as listener, ExitStack() as opened:
        inside = http.client.HTTPConnection(HOST, listener.port, timeout=PATIENCE)
        assert ask(inside) == 200
        silent = [
            opened.enter_context(socket.create_connection((HOST, listener.port), PATIENCE)) for _ in range(8)
        ]
        assert all(ended(one) for one in silent[:5])
        connection = http.client.HTTPConnection(HOST, listener.port, timeout=PATIENCE)
        assert ask(connection) == 200
        assert ask(inside) == 200
        connection.close()
        inside.close()
