"""A real Ruby process with the extension on the headless SketchUp, and the test's own line to it.

    with headless_sketchup(workspace=folder) as sketchup:
        sketchup.port                                        # where the bridge listens
        sketchup.control("_test.get_state")["open_operation"]

The control line is a client of its own, which knows nothing of ours.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from vcad_kernel.cli.sketchup.headless_sketchup import HeadlessSketchUp

__all__ = ["ControlFailed", "ControlLine", "RunningSketchUp", "headless_sketchup"]

PATIENCE = 30.0
"""Seconds that an answer may take on a busy machine before the test gives up."""


class ControlFailed(AssertionError):
    """The answer to a control tool was an error."""

    def __init__(self, tool: str, error: Mapping[str, Any]) -> None:
        super().__init__(f"{tool}: {error.get('message')} {error.get('data')}")
        self.error = error


class ControlLine:
    """A connection that says hello at its first use, and again when the other side has closed it."""

    def __init__(self, port: int, *, token: str | None = None, workspace: Path | None = None) -> None:
        self._port = port
        self._hello: dict[str, Any] = {"name": "tests", "version": "1", "agent": "tests", "pid": os.getpid()}
        if token is not None:
            self._hello["token"] = token
        if workspace is not None:
            self._hello["workspace"] = str(workspace)
        self._stream: io.BufferedRWPair | None = None
        self._socket: socket.socket | None = None
        self._ids = itertools.count(1)

    def __call__(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool. Raises: ControlFailed."""
        params = {"name": tool, "arguments": arguments}
        answer = self._ask("tools/call", params)
        if "error" in answer:
            raise ControlFailed(tool, answer["error"])
        return answer["result"]

    def close(self) -> None:
        """Leave; the next call connects again."""
        if self._stream is not None:
            self._stream.close()
        if self._socket is not None:
            self._socket.close()
        self._stream = self._socket = None

    def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        if self._stream is None or self._closed_by_peer():
            self.close()
            self._connect()
        return self._exchange(method, params)

    def _closed_by_peer(self) -> bool:
        assert self._socket is not None
        self._socket.setblocking(False)
        try:
            return self._socket.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except ConnectionError:
            return True
        finally:
            self._socket.settimeout(PATIENCE)

    def _connect(self) -> None:
        self._socket = socket.create_connection(("127.0.0.1", self._port), PATIENCE)
        self._stream = self._socket.makefile("rwb")
        answer = self._exchange("hello", self._hello)
        if "error" in answer:
            raise ControlFailed("hello", answer["error"])

    def _exchange(self, method: str, params: Mapping[str, Any]) -> Any:
        assert self._stream is not None
        request = {"jsonrpc": "2.0", "method": method, "params": params, "id": next(self._ids)}
        self._stream.write(json.dumps(request, allow_nan=False).encode() + b"\n")
        self._stream.flush()
        line = self._stream.readline()
        if not line:
            raise ConnectionError(f"the headless SketchUp hung up on {method} {params.get('name', '')}")
        return json.loads(line)


class RunningSketchUp:
    """A headless SketchUp under test."""

    def __init__(self, process: HeadlessSketchUp, workspace: Path, token: str | None, log: IO[str]) -> None:
        self.process = process
        self.workspace = workspace
        self.token = token
        self.control = ControlLine(process.bridge_port, token=token, workspace=workspace)
        self._log = log

    @property
    def port(self) -> int:
        """Of the bridge."""
        return self.process.bridge_port

    @property
    def repl_port(self) -> int:
        """Of the Ruby REPL."""
        return self.process.repl_port

    @property
    def pid(self) -> int:
        return self.process.process.pid

    def move_to(self, workspace: Path) -> None:
        """Use another folder from now on. What the bridge remembers of requests is kept by workspace."""
        self.control.close()
        self.workspace = workspace
        self.control = ControlLine(self.port, token=self.token, workspace=workspace)

    def kill(self) -> None:
        """End it as a crash would."""
        self.control.close()
        self.process.kill()

    def said(self) -> str:
        """What it wrote to its standard error so far."""
        self._log.flush()
        return Path(self._log.name).read_text("utf-8", "replace")

    def assert_clean(self) -> None:
        """No operation left open, no observer that raised or edited, no call that the mock lacks."""
        state = self.control("_test.get_state")
        left = {
            name: state[name]
            for name in ("open_operation", "observer_errors", "observer_mutation", "gaps")
            if state.get(name)
        }
        assert not left, f"left behind in SketchUp: {left}\n{self.said()[-4000:]}"


@contextmanager
def headless_sketchup(
    *,
    workspace: Path,
    port: int = 0,
    token: str | None = None,
    allow_eval: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Iterator[RunningSketchUp]:
    """Start one, and end it. The caller resets it between tests."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".log") as log:
        process = HeadlessSketchUp.start(
            port=port,
            repl_port=0,
            token=token,
            allow_eval=allow_eval,
            environment=environment,
            errors=log,
        )
        running = RunningSketchUp(process, workspace, token, log)
        try:
            yield running
        finally:
            running.control.close()
            if process.process.returncode is None:
                process.close()
