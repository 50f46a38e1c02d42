"""A client that speaks as supex 0.2.0's driver does: a connection and a hello for each call.

It reads until what it has is JSON, so that a second line in the same piece is an error; it looks at no id
and at no field that came later.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
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

    def __init__(self, port: int, *, workspace: Path | None = None, token: str | None = None) -> None:
        self._port = port
        self._ids = itertools.count(1)
        self.hello = {"name": "supex-driver", "version": "0.2.0", "agent": "cli", "pid": os.getpid()}
        if workspace is not None:
            self.hello["workspace"] = str(workspace)
        if token is not None:
            self.hello["token"] = token

    def call(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool. Raises: LegacyFailure."""
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
            sock.settimeout(LIMIT)
            sock.connect(("127.0.0.1", self._port))
            greeting = self._said(sock, "hello", self.hello, "hello")
            assert greeting["success"] is True
            assert greeting["message"] == "Client identified"
            assert greeting["server"]["name"]
            assert greeting["server"]["version"]
            return self._said(sock, "tools/call", {"name": tool, "arguments": arguments}, next(self._ids))

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
