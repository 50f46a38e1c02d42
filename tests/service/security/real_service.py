"""A real service in a process of its own, and a plain client that says whatever a test wants.

Nothing of the project's own client is used: what is tested is what anybody on the socket can do.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.service import warm

PATIENCE = 60.0
"""Seconds that anything may take before a test fails."""
ROOT = Path(__file__).parents[3]
TOKEN = "correct-horse-battery-staple"


class Closed(Exception):
    """The service has closed the connection."""


class Wire:
    """One connection."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._read = bytearray()
        self._number = 0
        self._kept: dict[Any, dict[str, Any]] = {}

    def say(self, data: bytes) -> None:
        """Send bytes. Raises: Closed."""
        try:
            self.socket.sendall(data)
        except ConnectionError as gone:
            raise Closed from gone

    def line(self) -> dict[str, Any]:
        """The next line. Raises: Closed; TimeoutError."""
        while b"\n" not in self._read:
            try:
                piece = self.socket.recv(2**20)
            except ConnectionError as gone:
                raise Closed from gone
            if not piece:
                raise Closed
            self._read += piece
        line, _, rest = bytes(self._read).partition(b"\n")
        self._read = bytearray(rest)
        found = json.loads(line)
        assert isinstance(found, dict), found
        return found

    def ask(self, method: str, params: Mapping[str, Any] | None = None, **beside: Any) -> int:
        """Send a request, whose answer is read later; its id."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}, **beside}
        self.say(json.dumps(message).encode("ascii") + b"\n")
        return self._number

    def answer(self, number: int | None) -> dict[str, Any]:
        """The answer to a request; others that come before it are kept. Raises: Closed."""
        while number not in self._kept:
            line = self.line()
            if "method" not in line:
                self._kept[line["id"]] = line
        return self._kept.pop(number)

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return self.answer(self.ask(method, params))

    def begin(self, tool: str, arguments: Mapping[str, Any], **beside: Any) -> int:
        return self.ask("tools/call", {"name": tool, "arguments": arguments, **beside})

    def tool(self, tool: str, arguments: Mapping[str, Any], **beside: Any) -> dict[str, Any]:
        """The answer to a tool's call, whatever it is."""
        return self.answer(self.begin(tool, arguments, **beside))

    def result(self, tool: str, arguments: Mapping[str, Any], **beside: Any) -> dict[str, Any]:
        answer = self.tool(tool, arguments, **beside)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def refusal(self, tool: str, arguments: Mapping[str, Any], **beside: Any) -> dict[str, Any]:
        """The envelope with which a tool's call is refused."""
        answer = self.tool(tool, arguments, **beside)
        assert "error" in answer, answer
        envelope: dict[str, Any] = answer["error"]["data"]
        return envelope

    def hello(self, workspace: str | Path, **changed: Any) -> dict[str, Any]:
        params = {
            "name": "peer",
            "version": "1",
            "agent": "test",
            "pid": 1,
            "workspace": str(workspace),
            "protocol_version": 1,
            "token": TOKEN,
            **changed,
        }
        return self.call("hello", params)

    def is_usable(self) -> bool:
        """Whether the connection still answers."""
        return "result" in self.call("ping")

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RealService:
    """A running service process."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, workspace: Path) -> None:
        self.process = process
        self.folder = folder
        self.workspace = workspace
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        found = re.match(r"vcad service listening on (.+):(\d+)", line)
        assert found is not None, (line, self.log())
        self.address = (found[1], int(found[2]))

    def log(self) -> str:
        """All whole lines that it has noted; the last may still be on its way."""
        text = (self.folder / "log").read_text("utf-8", "replace")
        return text[: text.rfind("\n") + 1]

    def connect(self) -> Wire:
        """A connection on which nothing has been said."""
        return Wire(self.address)

    def session(self, workspace: Path | None = None, *capabilities: str) -> Wire:
        """A connection that has said hello."""
        wire = self.connect()
        answer = wire.hello(workspace or self.workspace, requested_capabilities=list(capabilities))
        assert "result" in answer, answer
        return wire

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def worker(self) -> int:
        """The process of its worker."""
        import psutil

        found: list[int] = []

        def look() -> bool:
            found[:] = [one.pid for one in psutil.Process(self.process.pid).children()]
            return bool(found)

        until(look)
        return found[0]


@contextmanager
def real_service(
    folder: Path,
    *arguments: str,
    workspace: Path | None = None,
    bounded: bool = True,
    cwd: Path = ROOT,
    variables: Mapping[str, str] | None = None,
    cold: bool = False,
) -> Iterator[RealService]:
    """A service that works in ``workspace``, by default a folder of its own in ``folder``.

    bounded: whether no connection may choose a workspace outside of that. cwd: the folder it is started in.
    variables: for its environment. cold: whether its processes are new, as a user's are.
    """
    workspace = workspace or folder / "workspace"
    workspace.mkdir(exist_ok=True)
    process = start(
        folder,
        *(("--workspace", str(workspace)) if bounded else ()),
        *("--temp-dir", str(folder / "artifacts"), "--log", str(folder / "log")),
        *arguments,
        cwd=cwd,
        variables=variables,
        cold=cold,
    )
    try:
        yield RealService(process, folder, workspace)
    finally:
        end(process)


def start(
    folder: Path,
    *arguments: str,
    cwd: Path = ROOT,
    variables: Mapping[str, str] | None = None,
    cold: bool = True,
) -> subprocess.Popen[bytes]:
    """Start the service's process."""
    launch: Any = subprocess.Popen if cold else warm.Popen
    environment = {name: text for name, text in os.environ.items() if not name.startswith("VCAD_")}
    home = folder / "home"
    home.mkdir(exist_ok=True)
    module = "vcad_kernel.service" if cold else "tests.service.warm_front"
    process: subprocess.Popen[bytes] = launch(
        [sys.executable, "-P", "-m", module, "--port", "0", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env={
            **environment,
            "PYTHONPATH": str(ROOT),
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home),
            "VCAD_AUTH_TOKEN": TOKEN,
            **(variables or {}),
        },
    )
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """Have it end, at once if need be."""
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    try:
        process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait for something to become true."""
    end_of_patience = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end_of_patience, "it did not come to that in time"
        time.sleep(0.005)
