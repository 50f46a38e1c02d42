"""A client that speaks as supex's drivers do: a connection and a hello for each call.

It reads until what it has is JSON, so that a second line in the same piece is an error; it knows no field
that came later. The later drivers keep a connection as long as the server does.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["LegacyClient", "LegacyFailure"]

LIMIT = 30.0


class LegacyFailure(Exception):
    """An error as the old driver saw it: a number and a sentence."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: dict[str, Any] = error.get("data") or {}


class LegacyClient:
    """Calls tools by their old names and arguments."""

    def __init__(
        self,
        port: int,
        *,
        workspace: Path | None = None,
        token: str | None = None,
        ids: Iterator[Any] | None = None,
    ) -> None:
        self._port = port
        self._kept: socket.socket | None = None
        self.connections = 0
        self._ids = itertools.count(1) if ids is None else ids
        self.hello = {"name": "supex-driver", "version": "0.2.0", "agent": "cli", "pid": os.getpid()}
        if workspace is not None:
            self.hello["workspace"] = str(workspace)
        if token is not None:
            self.hello["token"] = token

    def call(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool, over a connection of its own. Raises: LegacyFailure."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The result of a method. Raises: LegacyFailure."""
        with self._identified() as sock:
            return self._said(sock, method, params, next(self._ids))

    def call_on_kept(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool, over a connection that is kept unless the server has closed it."""
        if self._kept is None or self._is_closed(self._kept):
            self.close()
            self._kept = self._identified()
        return self._said(self._kept, "tools/call", {"name": tool, "arguments": arguments}, next(self._ids))

    def close(self) -> None:
        """End the connection that is kept."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _identified(self) -> socket.socket:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            sock.settimeout(LIMIT)
            sock.connect(("127.0.0.1", self._port))
            self.connections += 1
            handshake = self._said(sock, "hello", self.hello, "hello")
            assert handshake["success"] is True
            assert handshake["message"] == "Client identified"
            assert handshake["server"]["name"]
            assert handshake["server"]["version"]
        except BaseException:
            sock.close()
            raise
        return sock

    @staticmethod
    def _is_closed(sock: socket.socket) -> bool:
        sock.setblocking(False)
        try:
            return not sock.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        finally:
            sock.settimeout(LIMIT)

    def _said(self, sock: socket.socket, method: str, params: dict[str, Any], number: Any) -> Any:
        request = {"jsonrpc": "2.0", "method": method, "params": params, "id": number}
        sock.sendall(json.dumps(request).encode() + b"\n")
        heard = b""
        while True:
            piece = sock.recv(8192)
            if not piece:
                raise ConnectionError(f"no whole answer to {method}: {heard!r}")
            heard += piece
            try:
                reply = json.loads(heard)
            except json.JSONDecodeError as bad:
                if bad.msg.startswith("Extra data"):
                    raise AssertionError(f"more than one line at once: {heard!r}") from bad
                continue
            break
        assert reply["jsonrpc"] == "2.0"
        assert reply["id"] == number
        if "error" in reply:
            raise LegacyFailure(reply["error"])
        return reply["result"]
