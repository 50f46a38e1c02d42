"""The listener: a port at once, the server with the first connection, and a quick end."""

from __future__ import annotations

import errno
import gc
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, cast

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


def assert_refused(port: int) -> None:
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((HOST, port), PATIENCE)


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
    assert_refused(listener.port)


def test_after_the_end_the_port_is_free_also_with_a_connection_open() -> None:
    with listening(Greeter()) as listener, connected(listener.port) as connection:
        get(connection)
        listener.close()
        assert_refused(listener.port)


def test_small_answers_do_not_wait_for_acknowledgements() -> None:
    """Nagle's delay would be 40 ms for each; asyncio switches it off by what the listening socket says."""
    with listening(Greeter()) as listener, connected(listener.port) as connection:
        get(connection)
        assert listener._server is not None
        (served,) = listener._server.server_state.connections
        accepted = cast("Any", served).transport.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


def test_it_listens_on_this_machine_alone() -> None:
    with listening(Greeter()) as listener, socket.socket() as other:
        other.settimeout(1)
        assert other.connect_ex(("127.0.0.2", listener.port)) != 0


class Failing:
    """What is told of failures, and when."""

    def __init__(self) -> None:
        self.told: list[BaseException] = []
        self.happened = threading.Event()

    def __call__(self, error: BaseException) -> None:
        self.told.append(error)
        self.happened.set()


def no_application() -> Greeter:
    raise ImportError("no such library")


def test_an_application_that_cannot_be_made_is_told_to_whoever_waits_and_the_port_given_up() -> None:
    failing = Failing()
    listener = Listener(no_application, failing)
    try:
        with connected(listener.port) as visitor:
            visitor.request("GET", "/")
            answer = visitor.getresponse()
            assert answer.status == 503
            told = json.loads(answer.read())
        assert told["error_code"] == "INTERNAL_ERROR"
        assert "no such library" not in told["error"]
        assert failing.happened.wait(PATIENCE)
        assert str(failing.told[0]) == "no such library"
    finally:
        listener.close()
    assert_refused(listener.port)


def test_who_reads_such_an_answer_to_its_end_finds_no_broken_connection() -> None:
    listener = Listener(no_application, Failing())
    try:
        with socket.create_connection((HOST, listener.port), PATIENCE) as visitor:
            visitor.sendall(b"POST /status HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\nbody")
            with visitor.makefile("rb") as answer:
                assert answer.read().startswith(b"HTTP/1.1 503 ")
    finally:
        listener.close()


def test_nothing_stays_open_of_a_listener_that_ended_by_itself() -> None:
    failing = Failing()
    listener = Listener(no_application, failing)
    with connected(listener.port) as visitor:
        visitor.request("GET", "/")
        visitor.getresponse().read()
    assert failing.happened.wait(PATIENCE)
    listener._thread.join(PATIENCE)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ResourceWarning)
        del listener
        gc.collect()
    assert [str(one.message) for one in warned if "family" in str(one.message)] == []


def test_an_application_that_does_not_start_is_told() -> None:
    class Refusing(Greeter):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            await receive()
            await send({"type": "lifespan.startup.failed", "message": "not today"})

    failing = Failing()
    listener = Listener(Refusing, failing)
    try:
        with suppress(OSError), socket.create_connection((HOST, listener.port), PATIENCE) as visitor:
            visitor.sendall(b"GET / HTTP/1.1\r\n\r\n")  # a silent one is given a second to say something
            assert failing.happened.wait(PATIENCE)
        assert "did not start" in str(failing.told[0])
    finally:
        listener.close()


def test_many_who_say_little_keep_nobody_waiting() -> None:
    """Each holds a connection with half a request; others are answered, and the end does not wait either."""
    with listening(Greeter()) as listener, ExitStack() as held:
        for half in (
            b"",
            b"GET / HT",
            b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\nhalf",
        ) * 20:
            one = held.enter_context(socket.create_connection((HOST, listener.port), PATIENCE))
            one.sendall(half)
        with connected(listener.port) as connection:
            assert get(connection) == b"hello"
        listener.close()
        assert not listener._thread.is_alive()


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET / HTTP/1.1\r\nHost: here\r\nX: " + b"x" * 2**17 + b"\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"\r\n" * 9,
    ],
    ids=["tls", "a header of 128 KiB", "two lengths", "no chunk", "empty lines"],
)
def test_what_is_no_request_ends_its_connection_alone(nonsense: bytes) -> None:
    with listening(Greeter()) as listener:
        with socket.create_connection((HOST, listener.port), PATIENCE) as visitor:
            try:
                visitor.sendall(nonsense)
                visitor.shutdown(socket.SHUT_WR)
                while visitor.recv(4096):
                    pass
            except OSError as ended:
                # the server may break it off at any moment; that it keeps it would be a TimeoutError
                if ended.errno not in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN):
                    raise
        with connected(listener.port) as connection:
            assert get(connection) == b"hello"


_FORKED = """
import os, socket, sys
from notebook_ext.gateway.listening import Listener
listener = Listener(lambda: None, print)
waiting, release = os.pipe()
if os.fork() == 0:
    os.close(release)
    os.read(waiting, 1)
    os._exit(0)
os.close(waiting)
listener.close()
with socket.socket() as visitor:
    print(visitor.connect_ex(("127.0.0.1", listener.port)) != 0)
os.close(release)
os.wait()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_does_not_keep_the_port_open() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _FORKED],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
