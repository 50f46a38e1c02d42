"""A server that does what a test tells it, connection by connection: also what no real one would do."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

__all__ = ["HELLO", "Peer", "Script", "ScriptedServer", "say_hello"]

LIMIT = 60.0
"""Seconds after which a test that waits has failed."""

HELLO: dict[str, Any] = {
    "success": True,
    "message": "Client identified",
    "server": {"name": "scripted", "version": "1.0", "started": "first"},
    "protocol_version": 1,
    "protocol_minor": 0,
    "capabilities": ["vcad.nodes", "vcad.instances", "dedupe.request_id"],
    "limits": {"max_request_bytes": 1_048_576, "slow_tools": ["scripted_slow"]},
    "sketchup": {"version": "26.0.1", "mock": True},
}
"""What a current extension says."""


class Peer:
    """One connection, seen from the server."""

    def __init__(self, sock: socket.socket) -> None:
        sock.settimeout(LIMIT)
        self.sock = sock
        self._heard = bytearray()

    def receive(self) -> dict[str, Any]:
        """The next request. Raises: EOFError when the client has gone."""
        while (end := self._heard.find(b"\n")) < 0:
            piece = self.sock.recv(65536)
            if not piece:
                raise EOFError
            self._heard += piece
        line = bytes(self._heard[:end])
        del self._heard[: end + 1]
        found = json.loads(line)
        assert isinstance(found, dict)
        return found

    @property
    def unread(self) -> bytes:
        """What has come beyond the requests that were heard."""
        return bytes(self._heard)

    def write(self, data: bytes) -> None:
        self.sock.sendall(data)

    def say(self, request: dict[str, Any], result: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "result": result, "id": request["id"]}).encode() + b"\n")

    def refuse(self, request: dict[str, Any] | None, **error: Any) -> None:
        number = None if request is None else request["id"]
        self.write(json.dumps({"jsonrpc": "2.0", "error": error, "id": number}).encode() + b"\n")

    def until_gone(self) -> None:
        """Read, and say nothing, until the client has gone."""
        while self.sock.recv(65536):
            pass


Script = Callable[[Peer], None]


def say_hello(peer: Peer, **changed: Any) -> dict[str, Any]:
    """Answer hello; returns what the client said."""
    request = peer.receive()
    assert request["method"] == "hello"
    peer.say(request, {**HELLO, **changed})
    params = request["params"]
    assert isinstance(params, dict)
    return params


class ScriptedServer:
    """Runs one script per connection, in order; the last one for all that follow."""

    def __init__(self, *scripts: Script) -> None:
        self._scripts = list(scripts)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(LIMIT)
        self.port: int = self._listener.getsockname()[1]
        self.connections = 0
        self.failed: list[BaseException] = []
        self._ended = False
        self._thread = threading.Thread(target=self._serve, name="scripted-server")

    def _serve(self) -> None:
        while not self._ended:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            if self._ended:
                sock.close()
                return
            script = self._scripts[min(self.connections, len(self._scripts) - 1)]
            self.connections += 1
            with sock:
                try:
                    script(Peer(sock))
                except (EOFError, ConnectionError):
                    continue
                except Exception as failed:  # noqa: BLE001 - told to the test
                    self.failed.append(failed)

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended = True
        # a connection wakes it on every system, which closing the socket does not
        with socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT):
            self._thread.join(LIMIT)
        self._listener.close()
        assert not self._thread.is_alive()
        if error is None and self.failed:
            raise self.failed[0]
