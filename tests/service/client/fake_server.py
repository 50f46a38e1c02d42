"""A service that does what a test tells it to: answers, refuses, is slow, talks nonsense, hangs up.

    with FakeServer() as server:
        server.on("vcad.eval_code", lambda call: call.answer({"display": "3"}))
        ... a client connects to server.address ...

It listens in a thread of its own. Each call is handed to what was registered for its method, or for its
tool; the handlers write whatever bytes they like. What has been heard is kept, and can be waited for.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from vcad_kernel.contracts.messages import PROTOCOL
from vcad_kernel.service.client.async_client import WANTED
from vcad_kernel.service.client.failures import Address

__all__ = ["FakeCall", "FakeServer"]

PATIENCE = 60.0
"""Seconds that a test waits for what must come."""


class FakeCall:
    """One message that a client has sent, and the means to answer it."""

    def __init__(self, message: Mapping[str, Any], writer: asyncio.StreamWriter) -> None:
        self.message = message
        self.writer = writer

    @property
    def params(self) -> dict[str, Any]:
        return dict(self.message.get("params") or {})

    @property
    def arguments(self) -> dict[str, Any]:
        return dict(self.params.get("arguments") or {})

    @property
    def name(self) -> str:
        """The tool, or the method where it is none."""
        method = str(self.message["method"])
        return str(self.params.get("name")) if method == "tools/call" else method

    @property
    def request_id(self) -> str:
        return str(self.params.get("request_id"))

    def say(self, message: Mapping[str, Any]) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def raw(self, data: bytes) -> None:
        self.writer.write(data)

    def answer(self, result: Any) -> None:
        self.say({"id": self.message.get("id"), "result": result})

    def refuse(self, error_code: str, message: str = "no", **details: Any) -> None:
        data = {"error_code": error_code, "message": message, "details": {"operation": self.name, **details}}
        self.say({"id": self.message.get("id"), "error": {"code": -32000, "message": message, "data": data}})

    def notify(self, method: str, **params: Any) -> None:
        self.say({"method": method, "params": {"request_id": self.request_id, **params}})

    def hang_up(self) -> None:
        self.writer.close()

    def break_off(self) -> None:
        """End the connection without the usual farewell."""
        self.writer.transport.abort()


Handler = Callable[[FakeCall], object]


class FakeServer:
    """Listens from entry to exit; every client is session unless told otherwise."""

    def __init__(self) -> None:
        self.heard: list[FakeCall] = []
        self.connections = 0
        self._handlers: dict[str, Handler] = {
            "hello": lambda call: call.answer(welcome()),
            "ping": lambda call: call.answer({}),
            "vcad.cancel": lambda call: call.answer({"cancelled": True}),
            "vcad.release": lambda call: None,
        }
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._port = 0
        self._listening: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fake service")

    def __enter__(self) -> FakeServer:
        self._thread.start()
        self._do(self._listen())
        return self

    def __exit__(self, *_: object) -> None:
        self._do(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    @property
    def address(self) -> Address:
        return Address("127.0.0.1", self._port, "secret")

    def on(self, name: str, handler: Handler) -> None:
        """From now on, what becomes of a method or a tool."""
        self._handlers[name] = handler

    def do(self, act: Callable[[], object]) -> None:
        """Do something on the server's own thread, as a handler would."""
        self._loop.call_soon_threadsafe(act)

    def later(self, seconds: float, act: Callable[[], object]) -> None:
        """Do something on the server's own thread in a while; called by handlers."""
        self._loop.call_later(seconds, act)

    def await_call(self, name: str, count: int = 1) -> FakeCall:
        """The count-th call of that name, once it has come."""

        def found() -> list[FakeCall]:
            return [call for call in self.heard if call.name == name]

        with self._changed:
            assert self._changed.wait_for(lambda: len(found()) >= count, PATIENCE), f"{name} was not called"
            return found()[count - 1]

    def await_idle(self) -> None:
        """Wait until no client is connected."""
        with self._changed:
            assert self._changed.wait_for(lambda: not self._writers, PATIENCE), "a client stayed"

    def stop_listening(self) -> None:
        """Refuse new connections and end the others; the port stays known."""
        self._do(self._stop())

    def listen_again(self) -> None:
        self._do(self._listen())

    def _do(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    async def _listen(self) -> None:
        self._listening = await asyncio.start_server(self._serve, "127.0.0.1", self._port, limit=2**24)
        self._port = self._listening.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        if self._listening is not None:
            self._listening.close()
        for writer in list(self._writers):
            writer.close()
        while self._writers:
            await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        try:
            while line := await reader.readline():
                call = FakeCall(json.loads(line), writer)
                with self._changed:
                    self.heard.append(call)
                    self._changed.notify_all()
                self._handlers[call.name](call)
        except ConnectionError:
            pass  # the client broke off
        finally:
            writer.close()
            with self._changed:
                self._writers.discard(writer)
                self._changed.notify_all()


def welcome(*, line_max: int = 2**24, **changes: Any) -> dict[str, Any]:
    """The usual answer to `hello`."""
    return {
        "server": {"name": "fake", "version": "0"},
        "engine": "python",
        "protocol_version": PROTOCOL,
        "protocol_minor": 0,
        "capabilities": list(WANTED),
        "limits": {
            "max_queue": 64,
            "eval_timeout_ms": 120_000,
            "payload_inline_max": 2**20,
            "line_max": line_max,
        },
        **changes,
    }
