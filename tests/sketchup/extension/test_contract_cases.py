"""The scripted conversations of tests/contracts/bridge, over TCP with the real extension."""

from __future__ import annotations

import itertools
import json
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.bridge_cases import FILES, Case, Script, cases, raw_bytes
from tests.sketchup.headless import PATIENCE, RunningSketchUp, headless_sketchup
from vcad_kernel.contracts.validation import schema, validate

_TOOLS = frozenset(schema("bridge.results")["properties"]["tool"]["enum"])
Servers = Callable[[Mapping[str, Any]], RunningSketchUp]


@pytest.fixture(scope="module")
def servers(sketchup_process: RunningSketchUp, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """A running extension for each way of starting it that a case asks for."""
    running: dict[tuple[tuple[str, Any], ...], RunningSketchUp] = {(): sketchup_process}
    with ExitStack() as stack:

        def started(server: Mapping[str, Any]) -> RunningSketchUp:
            key = tuple(sorted(server.items()))
            if key not in running:
                folder = tmp_path_factory.mktemp("contract").resolve()
                running[key] = stack.enter_context(headless_sketchup(workspace=folder, **server))
            return running[key]

        yield started


class Line:
    """One connection as a story has it: bytes out, lines in."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._reader = self._socket.makefile("rb")

    def write(self, data: bytes) -> None:
        # it may hang up on us while we speak; what it said last can still be read
        with suppress(BrokenPipeError, ConnectionResetError):
            self._socket.sendall(data)

    def read(self) -> Any:
        """The next line; AssertionError when the other side hung up."""
        line = self._reader.readline()
        assert line.endswith(b"\n"), f"hung up after {line!r}"
        return json.loads(line)

    def rest(self) -> bytes:
        """What still comes before the other side hangs up."""
        try:
            return self._reader.read()
        except ConnectionResetError:
            return b""

    def close(self) -> None:
        self._reader.close()
        self._socket.close()


class Telling:
    """One case, played."""

    def __init__(self, case: Case, port: int, workspace: Path, outside: Path) -> None:
        self._case = case
        self._port = port
        self._script = Script({"workspace": str(workspace), "outside": str(outside)})
        self._lines: dict[str, Line] = {}
        self._ids = itertools.count(1000)

    def play(self) -> None:
        self._connect("a")
        try:
            if self._case.says_hello:
                self._step({"hello": self._own_token()})
            for step in self._case.steps:
                self._step(step)
        finally:
            for line in self._lines.values():
                line.close()

    def _own_token(self) -> dict[str, Any]:
        return {"token": self._case.server["token"]} if "token" in self._case.server else {}

    def _connect(self, name: str) -> None:
        self._lines[name] = Line(self._port)

    def _step(self, step: Mapping[str, Any]) -> None:
        line = self._lines[step.get("on", "a")]
        match next(key for key in step if key not in {"on", "times"}):
            case "send":
                self._send(line, self._script.filled(step["send"]))
            case "raw":
                line.write(raw_bytes(step["raw"]))
            case "raw_hex":
                line.write(bytes.fromhex(step["raw_hex"]))
            case "expect":
                for _ in range(step.get("times", 1)):
                    self._script.check(line.read(), step["expect"])
            case "silent":
                self._send(line, {"method": "ping", "id": "still silent"})
                self._script.check(line.read(), {"id": "still silent", "result": "$object"})
            case "closed":
                assert line.rest() == b""
            case "hello":
                self._hello(line, step["hello"], {"result": {"success": True}})
            case "hello_params":
                self._hello(line, step["hello_params"], step)
            case "call":
                self._call(line, step)
            case "connect":
                self._connect(step["connect"])
            case "crowd":
                for k in range(step["crowd"]):
                    self._connect("crowd" if k + 1 == step["crowd"] else f"crowd {k}")
            case unknown:
                raise AssertionError(f"no step is called {unknown}")

    def _send(self, line: Line, value: Any) -> None:
        line.write(json.dumps(value, ensure_ascii=False).encode() + b"\n")

    def _hello(self, line: Line, changed: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        params = {
            "name": "contract",
            "version": "1.0",
            "agent": "tests",
            "pid": 4711,
            "workspace": "{workspace}",
        }
        params = {key: one for key, one in {**params, **changed}.items() if one is not None}
        self._ask(line, {"method": "hello", "params": self._script.filled(params), "id": "hello"}, answer)

    def _call(self, line: Line, step: Mapping[str, Any]) -> None:
        params = {"name": step["call"], "arguments": self._script.filled(step.get("arguments", {}))}
        if "request_id" in step:
            params["request_id"] = f"{self._case.name}: {step['request_id']}"
        request = {"jsonrpc": "2.0", "method": "tools/call", "params": params, "id": next(self._ids)}
        self._ask(line, request, step)

    def _ask(self, line: Line, request: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        self._send(line, request)
        wanted = {key: answer[key] for key in ("result", "error") if key in answer}
        found = line.read()
        self._script.check(found, {"id": request["id"], **wanted})
        _fits_its_schema(request, found)


def _fits_its_schema(request: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Whatever the story looks at, the whole answer is one that the workbench reads."""
    if "error" in found:
        validate("bridge.error", found["error"], operation="error")
        return
    tool = request["params"].get("name") if request["method"] == "tools/call" else None
    if request["method"] == "hello":
        validate("bridge.hello", found["result"], operation="hello")
    elif tool in _TOOLS and not (
        isinstance(found["result"], dict) and found["result"].get("success") is False
    ):
        validate("bridge.results", {"tool": tool, "result": found["result"]}, operation=str(tool))


@pytest.mark.parametrize("case", tuple(cases()), ids=str)
def test_the_bridge_keeps_to_its_contract(case: Case, servers: Servers, tmp_path: Path) -> None:
    running = servers(case.server)
    running.control("_test.reset")
    workspace, outside = tmp_path.resolve() / "workspace", tmp_path.resolve() / "outside"
    for folder in (workspace, outside):
        folder.mkdir()
        for name in case.files:
            shutil.copy(FILES / name, folder / name)
    Telling(case, running.port, workspace, outside).play()
    running.assert_clean()
