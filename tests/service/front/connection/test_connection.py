"""The protocol as a client meets it: over a real socket, with whatever it sends."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.service.front.service import PATIENCE, in_loop, service
from vcad_kernel.contracts.tools import TOOLS
from vcad_kernel.service.front.connection.connection import is_loopback


def test_ping_and_the_lists_are_answered(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            assert await peer.result(peer.ask("ping")) == {}
            assert await peer.result(peer.ask("resources/list")) == {"resources": []}
            tools = (await peer.result(peer.ask("tools/list")))["tools"]
            assert {tool["name"] for tool in tools} == set(TOOLS)

    in_loop(test())


@pytest.mark.parametrize("method", ["ping", "tools/list", "tools/call", "resources/list", "no/such"])
def test_nothing_but_hello_is_answered_before_hello(tmp_path: Path, method: str) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.connect()
            found = await peer.refusal(peer.ask(method))
            assert found["error_code"] == "AUTH_REQUIRED"
            assert found["details"]["operation"] == method
            assert "result" in await peer.hello()

    in_loop(test())


def test_a_refused_hello_may_be_said_again(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, auth_token="secret") as running:
            peer = await running.connect()
            wrong = await peer.hello(token="wrong")
            assert wrong["error"]["data"]["error_code"] == "AUTH_INVALID"
            assert wrong["error"]["code"] == -32001
            assert (await peer.refusal(peer.ask("ping")))["error_code"] == "AUTH_REQUIRED"
            assert "result" in await peer.hello(token="secret")
            assert await peer.result(peer.ask("ping")) == {}
            assert "secret" not in json.dumps(running.events.events)

    in_loop(test())


def test_hello_is_said_once(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            again = await peer.hello()
            assert again["error"]["code"] == -32600

    in_loop(test())


@pytest.mark.parametrize(
    ("line", "code", "rpc_id"),
    [
        (b"not json", -32700, None),
        (b"", -32700, None),
        (b'{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600, 5),
        (b'{"jsonrpc":"2.0","id":5}', -32600, 5),
        (b'[{"jsonrpc":"2.0","id":5,"method":"ping"}]', -32600, None),
        (b'{"jsonrpc":"2.0","id":"a","method":"no/such"}', -32601, "a"),
        (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', -32602, 5),
        (b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}', -32602, 5),
        (b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"vcad.fly"}}', -32601, 5),
        (b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"vcad.eval_code"}}', -32602, 5),
    ],
)
def test_a_bad_line_is_told_and_leaves_the_connection_usable(
    tmp_path: Path, line: bytes, code: int, rpc_id: Any
) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            peer.say(line + b"\n")
            found = await peer.line()
            assert found is not None
            assert (found["id"], found["error"]["code"]) == (rpc_id, code)
            data = found["error"]["data"]
            assert set(data) == {"error_code", "message", "details"}
            assert data["details"]["operation"]
            assert await peer.result(peer.ask("ping")) == {}

    in_loop(test())


def test_a_line_that_is_too_long_is_told_and_ends_the_connection(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, line_max_bytes=5000) as running:
            peer = await running.peer()
            # also what follows must not keep the client from reading why
            peer.say(b"x" * 6000 + b"\n" + b'{"jsonrpc":"2.0","id":9,"method":"ping"}\n')
            found = await peer.line()
            assert found is not None
            assert found["error"]["code"] == -32700
            assert found["error"]["data"]["error_code"] == "PAYLOAD_TOO_LARGE"
            assert found["error"]["data"]["details"]["limit"] == 5000
            assert await peer.line() is None
            other = await running.peer()
            assert await other.result(other.ask("ping")) == {}

    in_loop(test())


def test_a_line_without_an_end_is_refused_as_soon_as_it_is_too_long(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, line_max_bytes=5000) as running:
            peer = await running.peer()
            peer.say(b"x" * 20_000)
            found = await peer.line()
            assert found is not None
            assert found["error"]["data"]["error_code"] == "PAYLOAD_TOO_LARGE"
            await peer.close()

    in_loop(test())


def test_a_line_of_just_the_limit_is_taken(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, line_max_bytes=5000) as running:
            peer = await running.peer()
            line = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
            peer.say(line.ljust(4999) + b"\n")
            assert (await peer.line() or {})["result"] == {}
            peer.say(line.ljust(5000) + b"\n")
            assert "error" in (await peer.line() or {})

    in_loop(test())


def test_an_answer_that_is_too_long_is_a_failure_of_its_own_call(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path, line_max_bytes=50_000) as running:
            peer = await running.peer()
            found = await peer.refusal(peer.run(["pad", 100_000]))
            assert found["error_code"] == "PAYLOAD_TOO_LARGE"
            assert found["details"]["size"] > found["details"]["limit"] == 50_000
            assert await peer.result(peer.ask("ping")) == {}

    in_loop(test())


def test_a_notification_gets_no_answer_also_when_it_fails(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            peer.say(b'{"jsonrpc":"2.0","method":"ping"}\n')
            peer.say(b'{"jsonrpc":"2.0","method":"no/such"}\n')
            peer.say(b'{"jsonrpc":"2.0","method":"ping","params":[]}\n')
            release = {"name": "vcad.release", "arguments": {"block": "mesh-1"}}
            message = {"jsonrpc": "2.0", "method": "tools/call", "params": release}
            peer.say(json.dumps(message).encode() + b"\n")
            number = peer.ask("ping")
            assert (await peer.line() or {})["id"] == number

    in_loop(test())


def test_lines_may_come_in_pieces_and_many_at_once(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            line = b'{"jsonrpc":"2.0","id":"cut","method":"ping"}\r\n'
            for start in range(0, len(line), 7):
                peer.say(line[start : start + 7])
                await asyncio.sleep(0)
            assert (await peer.line() or {})["id"] == "cut"
            numbers = [peer.ask("ping") for _ in range(500)]
            assert [(await peer.line() or {})["id"] for _ in numbers] == numbers

    in_loop(test())


def test_fast_methods_are_answered_while_an_evaluation_runs(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            gate = tmp_path / "gate"
            slow = peer.run(["hold", str(gate)])
            await running.until(lambda: running.events.named("eval_started"))
            for _ in range(200):
                assert await peer.result(peer.ask("ping")) == {}
            assert "tools" in await peer.result(peer.ask("tools/list"))
            other = await running.connect()
            assert "result" in await other.hello()
            gate.touch()
            assert (await peer.result(slow))["status"] == "evaluated"

    in_loop(test())


def test_a_client_that_reads_nothing_is_not_read_from_and_stops_nobody(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            deaf = await running.peer()
            line = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
            for _ in range(2000):  # some 40 MB of answers
                deaf.say(line)
            other = await running.peer()
            assert await other.result(other.ask("ping")) == {}
            deaf.writer.transport.abort()

    in_loop(test())


def test_a_web_page_that_posts_requests_is_not_listened_to(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            page = await running.connect()
            page.say(b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            page.ask("ping")
            async with asyncio.timeout(PATIENCE):
                with suppress(ConnectionResetError):
                    assert await page.reader.read() == b""
            assert running.events.named("http_refused")

    in_loop(test())


def test_random_bytes_never_end_the_service(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            for seed in range(30):
                peer = await running.connect()
                data = bytes((seed * 131 + index * index * 7) % 256 for index in range(400))
                peer.say(data + b"\n")
                assert await peer.line() is not None
                await peer.close()
            peer = await running.peer()
            assert await peer.result(peer.ask("ping")) == {}
            assert not running.events.named("internal_error")

    in_loop(test())


def test_arguments_are_checked_against_their_schema(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            found = await peer.refusal(peer.tool("vcad.eval_code", {"code": 5}))
            assert found["error_code"] == "SCHEMA_VALIDATION_FAILED"
            assert found["details"]["path"].endswith(".code")
            assert found["details"]["operation"] == "vcad.eval_code"

    in_loop(test())


def test_a_path_outside_the_workspace_is_refused(tmp_path: Path) -> None:
    async def test() -> None:
        async with service(tmp_path) as running:
            peer = await running.peer()
            found = await peer.refusal(peer.tool("vcad.eval_file", {"path": "../other.loon"}))
            assert found["error_code"] == "PATH_NOT_ALLOWED"
            assert found["details"]["workspace"] == str(tmp_path.resolve())

    in_loop(test())


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("", False),
        ("192.168.1.4", False),
        ("example.org", False),
        ("localhost.example.org", False),
    ],
)
def test_which_addresses_are_this_machine(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
