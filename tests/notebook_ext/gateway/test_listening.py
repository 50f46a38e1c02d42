"""The listener: a port at once, the server with the first connection, and a quick end."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from notebook_ext.gateway.guarding import Receive, Scope, Send
from notebook_ext.gateway.listening import HOST, Listener

PATIENCE = 20.0


class Greeter:
    """An application that greets, and notes when it is made, begun and ended."""

    def __init__(self) -> None:
        self.made_on: str | None = None
        self.ended = threading.Event()

    def failed(self, error: BaseException) -> None:
        raise AssertionError(error)

    def make(self) -> Greeter:
        self.made_on = threading.current_thread().name
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            self.ended.set()
            await send({"type": "lifespan.shutdown.complete"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
        await send({"type": "http.response.body", "body": b"hello"})


@contextmanager
def listening(greeter: Greeter) -> Iterator[Listener]:
    listener = Listener(greeter.make, greeter.failed)
    try:
        yield listener
    finally:
        listener.close()


def get(connection: http.client.HTTPConnection) -> bytes:
    connection.request("GET", "/")
    return connection.getresponse().read()


@contextmanager
def connected(port: int) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection(HOST, port, timeout=PATIENCE)
    try:
        yield connection
    finally:
        connection.close()


def test_nothing_is_made_before_somebody_comes() -> None:
    greeter = Greeter()
    with listening(greeter) as listener:
        assert greeter.made_on is None
        assert not listener.is_serving
        with connected(listener.port) as connection:
            assert get(connection) == b"hello"
        assert greeter.made_on == "vcad gateway"
        assert listener.is_serving
    assert greeter.ended.is_set()


def test_those_who_come_while_it_is_loaded_are_answered_too() -> None:
    with listening(Greeter()) as listener:
        early = [socket.create_connection((HOST, listener.port), PATIENCE) for _ in range(8)]
        for one in early:
            one.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        for one in early:
            with one, one.makefile("rb") as answer:
                assert answer.read().endswith(b"hello")


def test_an_end_before_anybody_came_is_immediate() -> None:
    listener = Listener(Greeter().make, print)
    listener.close()
    listener.close()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((HOST, listener.port), 1)


def test_after_the_end_the_port_is_free_also_with_a_connection_open() -> None:
    with listening(Greeter()) as listener, connected(listener.port) as connection:
        get(connection)
        listener.close()
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((HOST, listener.port), 1)


def test_small_answers_do_not_wait_for_acknowledgements() -> None:
    """Nagle's delay would be 40 ms for each, also for the best of them."""
    with listening(Greeter()) as listener, connected(listener.port) as connection:
        get(connection)
        times = []
        for _ in range(20):
            began = time.perf_counter()
            get(connection)
            times.append(time.perf_counter() - began)
    assert min(times) < 0.035


def test_it_listens_on_this_machine_alone() -> None:
    with listening(Greeter()) as listener, socket.socket() as other:
        other.settimeout(1)
        assert other.connect_ex(("127.0.0.2", listener.port)) != 0


def test_an_application_that_cannot_be_made_is_told_and_the_port_given_up() -> None:
    told: list[BaseException] = []
    failed = threading.Event()

    def make() -> Greeter:
        raise ImportError("no such library")

    def tell(error: BaseException) -> None:
        told.append(error)
        failed.set()

    listener = Listener(make, tell)
    with socket.create_connection((HOST, listener.port), PATIENCE) as visitor:
        assert failed.wait(PATIENCE)
        visitor.settimeout(PATIENCE)
        with suppress(ConnectionError):
            assert visitor.recv(1) == b""
    assert str(told[0]) == "no such library"
    listener.close()
