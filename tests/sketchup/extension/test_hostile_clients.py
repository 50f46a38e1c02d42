"""Clients that misbehave, all at once: whoever behaves beside them notices nothing."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from notebook_ext.sketchup.bridge.bridge import Bridge
from notebook_ext.sketchup.bridge.connection import BridgeAddress, BridgeConnection
from tests.sketchup.headless import RunningSketchUp

pytestmark = pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no Ruby here")

PATIENCE = 30.0


class RawClient:
    """Bytes to the extension and lines from it."""

    def __init__(self, port: int) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._lines = self.sock.makefile("rb")

    def say_hello(self) -> RawClient:
        params = {"name": "raw", "version": "1", "agent": "tests", "pid": 1}
        self.write(request("hello", params, "hello"))
        assert self.line()["result"]["success"] is True
        return self

    def write(self, data: bytes) -> None:
        self.sock.sendall(data)

    def line(self) -> Any:
        """The next line; None when there are no more."""
        try:
            found = self._lines.readline()
        except ConnectionResetError:
            return None
        return json.loads(found) if found else None

    def close(self) -> None:
        self._lines.close()
        self.sock.close()


def request(method: str, params: dict[str, Any], number: Any = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": number}).encode() + b"\n"


def tool(name: str, number: Any = 1, **arguments: Any) -> bytes:
    return request("tools/call", {"name": name, "arguments": arguments}, number)


@pytest.fixture
def clients(sketchup: RunningSketchUp) -> Iterator[Any]:
    """Makes raw clients, and closes them in the end."""
    with ExitStack() as made:

        def client() -> RawClient:
            raw = RawClient(sketchup.port)
            made.callback(raw.close)
            return raw

        yield client


@pytest.fixture
def bridge(sketchup: RunningSketchUp) -> Iterator[Bridge]:
    with BridgeConnection(BridgeAddress(port=sketchup.port, timeout=PATIENCE)) as connection:
        yield Bridge(connection)


def test_all_of_them_at_once(sketchup: RunningSketchUp, clients: Any, bridge: Bridge) -> None:
    slow, silent, flooding, vanishing, browser = (clients() for _ in range(5))
    slow.say_hello()
    flooding.say_hello()
    vanishing.say_hello()

    # one that leaves with its answers unread
    vanishing.write(tool("get_layers") * 50)
    vanishing.close()
    # one whose line never ends
    with suppress(ConnectionError):
        flooding.write(b"x" * (2**20 + 2))
    # a web page that makes the browser post what would be a request
    body = tool("get_layers")
    with suppress(ConnectionError):
        browser.write(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    # one that says its request letter by letter, while others are served
    line = tool("get_layers", 7)
    for place in range(len(line)):
        slow.write(line[place : place + 1])
        if place % 20 == 0:
            assert bridge.status().version

    answer = slow.line()
    assert answer["id"] == 7
    assert answer["result"]["success"] is True
    refusal = flooding.line()
    assert refusal["error"]["data"]["error_code"] == "PAYLOAD_TOO_LARGE"
    assert refusal["id"] is None
    assert flooding.line() is None
    assert browser.line()["error"]["data"]["error_code"] == "PARSE_ERROR"
    assert browser.line() is None
    assert bridge.status().version
    # nobody was told anything unasked
    silent.sock.setblocking(False)
    with pytest.raises(BlockingIOError):
        silent.sock.recv(1)
    sketchup.assert_clean()


def test_several_requests_in_one_piece_are_answered_in_their_order(clients: Any) -> None:
    client = clients().say_hello()
    client.write(
        b"".join(tool("get_layers", number) for number in range(20)) + b"\n \r\n" + tool("ping", "last")
    )
    assert [client.line()["id"] for _ in range(21)] == [*range(20), "last"]


@pytest.mark.parametrize("line", [b"{oops", b"[1]", b"3", b'{"a": NaN}', b'"\xff"', b"[" * 200 + b"]" * 200])
def test_after_hello_a_bad_line_is_answered_and_the_connection_stays(clients: Any, line: bytes) -> None:
    client = clients().say_hello()
    client.write(line + b"\r\n" + tool("ping", 2))
    error = client.line()["error"]
    assert error["code"] in (-32700, -32600)
    assert error["data"]["success"] is False
    assert client.line()["id"] == 2


@pytest.mark.parametrize("line", [b"GET / HTTP/1.1", b"[1]", b"3", tool("ping").rstrip()])
def test_before_hello_a_bad_line_ends_the_conversation(clients: Any, line: bytes) -> None:
    client = clients()
    client.write(line + b"\n" + request("hello", {}))
    assert "error" in client.line()
    assert client.line() is None


def test_the_seventeenth_is_told_that_it_is_one_too_many(
    sketchup: RunningSketchUp, clients: Any, bridge: Bridge
) -> None:
    assert bridge.status().version
    refused = 0
    for _ in range(20):
        client = clients()
        client.write(request("hello", {"name": "raw", "version": "1", "agent": "tests", "pid": 1}))
        answer = client.line()
        refused += answer is not None and answer.get("error", {}).get("data", {}).get("error_code") == "BUSY"
    assert 4 <= refused < 20
    assert bridge.status().version
