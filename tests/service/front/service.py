"""A whole front in this process, with fake workers, and a plain client for it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from tests.warm_processes import Popen
from vcad_kernel.service.front.files.artifacts import ArtifactStore, Retention
from vcad_kernel.service.front.jobs.job import Clock
from vcad_kernel.service.front.log import Logger
from vcad_kernel.service.front.server import Server
from vcad_kernel.service.front.worker.process import WorkerCommand
from vcad_kernel.settings import Settings

PATIENCE = 40.0
ROOT = Path(__file__).parents[3]


def fake_command(
    *arguments: str,
    start_seconds: float = 20.0,
    grace_seconds: float = PATIENCE / 2,
    cold: bool = False,
) -> WorkerCommand:
    """How fake workers are started; they have time to do what they do willingly, on any machine.

    cold: they have no more memory than they need.
    """
    launch: Any = subprocess.Popen if cold else Popen
    return WorkerCommand(
        (sys.executable, "-m", "tests.service.front.fake_worker"),
        {**os.environ, "PYTHONPATH": str(ROOT)},
        start_seconds=start_seconds,
        grace_seconds=grace_seconds,
        farewell_seconds=PATIENCE / 2,
        capacity=4 * 2**20,
        arguments=arguments,
        launch=launch,
    )


def steps(*steps: Sequence[Any]) -> str:
    """A program for the fake worker."""
    return json.dumps(steps)


class Events(Logger):
    """A log that is read by tests."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def event(self, event: str, *, level: str = "info", **fields: Any) -> None:
        self.events.append({"event": event, "level": level, **fields})

    def named(self, event: str) -> list[dict[str, Any]]:
        return [one for one in self.events if one["event"] == event]


class Peer:
    """A client that says what it is told to, and keeps what it hears."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, workspace: Path) -> None:
        self.reader = reader
        self.writer = writer
        self.workspace = workspace
        self.heard: list[dict[str, Any]] = []
        self.number = 0

    async def line(self) -> dict[str, Any] | None:
        """The next line; None at the end."""
        async with asyncio.timeout(PATIENCE):
            line = await self.reader.readline()
        if not line:
            return None
        found: dict[str, Any] = json.loads(line)
        return found

    def say(self, data: bytes) -> None:
        self.writer.write(data)

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Send a request, whose answer is read later."""
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}
        self.say(json.dumps(message).encode() + b"\n")
        return self.number

    def tool(self, tool: str, arguments: Mapping[str, Any], **beside: Any) -> int:
        return self.ask("tools/call", {"name": tool, "arguments": arguments, **beside})

    def run(self, *program: Sequence[Any], **beside: Any) -> int:
        return self.tool("vcad.eval_code", {"code": steps(*program)}, **beside)

    async def answer(self, number: int) -> dict[str, Any]:
        """The answer to a request; others, and notifications, are kept in `heard`."""
        for one in self.heard:
            if one.get("id") == number:
                self.heard.remove(one)
                return one
        while True:
            one = await self.line()  # type: ignore[assignment]
            assert one is not None, "the connection was closed"
            if one.get("id") == number:
                return one
            self.heard.append(one)

    async def result(self, number: int) -> dict[str, Any]:
        answer = await self.answer(number)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def refusal(self, number: int) -> dict[str, Any]:
        answer = await self.answer(number)
        assert "error" in answer, answer
        refusal: dict[str, Any] = answer["error"]["data"]
        return refusal

    async def notified(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first notification, of those heard and to come, that is wanted."""
        for one in self.heard:
            if "method" in one and wanted(one):
                return one
        while True:
            one = await self.line()  # type: ignore[assignment]
            assert one is not None, "the connection was closed"
            self.heard.append(one)
            if "method" in one and wanted(one):
                return one

    def notifications(self, method: str) -> list[dict[str, Any]]:
        return [one["params"] for one in self.heard if one.get("method") == method]

    async def hello(self, *capabilities: str, **changed: Any) -> dict[str, Any]:
        params = {
            "name": "peer",
            "version": "1",
            "agent": "test",
            "pid": 1,
            "workspace": str(self.workspace),
            "protocol_version": 1,
            "requested_capabilities": list(capabilities),
            **changed,
        }
        return await self.answer(self.ask("hello", params))

    async def close(self) -> None:
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


class Service:
    """The front of a test and its address."""

    def __init__(self, server: Server, address: tuple[str, int], folder: Path, events: Events) -> None:
        self.server = server
        self.address = address
        self.folder = folder
        self.events = events
        self.peers: list[Peer] = []
        self.closed = False

    async def connect(self) -> Peer:
        reader, writer = await asyncio.open_connection(*self.address, limit=2**26)
        peer = Peer(reader, writer, self.folder)
        self.peers.append(peer)
        return peer

    async def peer(self, *capabilities: str) -> Peer:
        """A peer that has said hello."""
        peer = await self.connect()
        assert "result" in await peer.hello(*capabilities)
        return peer

    async def close(self) -> bool:
        self.closed = True
        async with asyncio.timeout(PATIENCE):
            return await self.server.close()

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait for something to become true."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await asyncio.sleep(0.002)


@asynccontextmanager
async def service(
    folder: Path,
    command: WorkerCommand | None = None,
    clock: Clock | None = None,
    log: Events | None = None,
    **settings: Any,
) -> AsyncIterator[Service]:
    """A running front that works in a folder; ended, at once if need be, in the end."""
    events = log or Events()
    store = ArtifactStore(folder / "artifacts", Retention())
    server = Server(
        Settings(**{"port": 0, "eval_timeout_ms": 60_000, **settings}),
        store,
        command or fake_command(),
        events,
        staging_base=folder / "requested",
        clock=clock,
    )
    running = Service(server, await server.start(), folder, events)
    try:
        yield running
    finally:
        for peer in running.peers:
            await peer.close()
        if not running.closed:
            server.hurry()
            await running.close()
        store.close()


def in_loop(test: Coroutine[Any, Any, None]) -> None:
    """Run a test's coroutine, with an end to all patience."""

    async def bounded() -> None:
        async with asyncio.timeout(6 * PATIENCE):
            await test

    asyncio.run(bounded())
