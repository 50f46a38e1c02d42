"""A client in the plainest form: a socket, lines, and an end to all waiting."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.service.faults.checkpoints import PATIENCE

__all__ = ["Peer"]


class Peer:
    """One connection, after its hello."""

    def __init__(self, port: int, workspace: Path, *capabilities: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._file = self.socket.makefile("rb")
        self._number = 0
        self.notifications: list[dict[str, Any]] = []
        self._answers: dict[Any, dict[str, Any]] = {}
        self.result(
            self.ask(
                "hello",
                {
                    "name": "peer",
                    "version": "1",
                    "agent": "test",
                    "pid": 1,
                    "workspace": str(workspace),
                    "protocol_version": 1,
                    "requested_capabilities": list(capabilities),
                },
            )
        )

    def say(self, data: bytes) -> None:
        self.socket.sendall(data)

    def line_of(self, method: str, params: Mapping[str, Any] | None = None) -> tuple[int, bytes]:
        """A request that has not been sent, and its number."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}}
        return self._number, json.dumps(message).encode() + b"\n"

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        number, line = self.line_of(method, params)
        self.say(line)
        return number

    def tool(self, name: str, arguments: Mapping[str, Any], **beside: Any) -> int:
        return self.ask("tools/call", {"name": name, "arguments": arguments, **beside})

    def eval(self, code: str, **beside: Any) -> int:
        """Ask for a program; `artifact` is an argument of the tool, the rest of the call."""
        arguments = {"code": code, **({"artifact": True} if beside.pop("artifact", False) else {})}
        return self.tool("vcad.eval_code", arguments, **beside)

    def line(self) -> dict[str, Any] | None:
        """The next message; None when the service has closed."""
        try:
            line = self._file.readline()
        except ConnectionResetError:
            return None
        if not line.endswith(b"\n"):
            return None
        found: dict[str, Any] = json.loads(line)
        return found

    def answer(self, number: int) -> dict[str, Any]:
        while number not in self._answers:
            message = self.line()
            assert message is not None, "the connection was closed"
            if "method" in message:
                self.notifications.append(message)
            else:
                self._answers[message["id"]] = message
        return self._answers.pop(number)

    def result(self, number: int) -> dict[str, Any]:
        answer = self.answer(number)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def refusal(self, number: int) -> dict[str, Any]:
        answer = self.answer(number)
        assert "error" in answer, answer
        refusal: dict[str, Any] = answer["error"]["data"]
        return refusal

    def notified(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first notification to come that is wanted."""
        while True:
            for one in self.notifications:
                if wanted(one):
                    return one
            message = self.line()
            assert message is not None, "the connection was closed"
            if "method" in message:
                self.notifications.append(message)
            else:
                self._answers[message["id"]] = message

    def until_closed(self) -> None:
        """Wait until the service has closed; what it said before is not looked at."""
        while self.line() is not None:
            pass

    def close(self) -> None:
        self._file.close()
        self.socket.close()
