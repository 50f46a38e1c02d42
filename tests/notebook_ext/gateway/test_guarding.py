"""The guard: which requests pass, and what the others are told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

from notebook_ext.gateway.guarding import LARGEST_BODY, Guard, Message, Receive, Scope, Send

PORT, TOKEN = 4711, "t0ken"
HOST = (b"host", b"127.0.0.1:4711")
BEARER = (b"authorization", b"Bearer t0ken")
LAB = "http://localhost:8888"


@dataclass
class Answer:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def error_code(self) -> str:
        told = json.loads(self.body)
        assert set(told) - {"details"} == {"error", "error_code"}
        return str(told["error_code"])

    @property
    def details(self) -> Any:
        return json.loads(self.body)["details"]


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


def ask(
    *headers: tuple[bytes, bytes],
    path: str = "/api/project",
    method: str = "GET",
    pieces: Iterable[bytes] = (),
    origins: Collection[str] = (),
) -> Answer:
    """Send a request through a guard whose application gives the body back."""
    answer = Answer()
    waiting = list(pieces) or [b""]

    async def receive() -> Message:
        body = waiting.pop(0) if waiting else b""
        return {"type": "http.request", "body": body, "more_body": bool(waiting)}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            answer.body += message.get("body", b"")

    scope: dict[str, Any] = {"type": "http", "method": method, "path": path, "headers": list(headers)}
    asyncio.run(Guard(echo, port=PORT, token=TOKEN, origins=lambda: origins)(scope, receive, send))
    return answer


def test_a_program_with_the_token_passes() -> None:
    assert ask(HOST, BEARER, pieces=[b"hello"]).body == b"hello"
    assert ask((b"host", b"localhost:4711"), (b"authorization", b"bearer t0ken")).status == 200


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ((), "AUTH_REQUIRED"),
        (((b"authorization", b"Bearer"),), "AUTH_REQUIRED"),
        (((b"authorization", b"Basic t0ken"),), "AUTH_REQUIRED"),
        ((BEARER, BEARER), "AUTH_REQUIRED"),
        (((b"authorization", b"Bearer t0kem"),), "AUTH_INVALID"),
        (((b"authorization", b"Bearer t0ken2"),), "AUTH_INVALID"),
        (((b"authorization", b"Bearer \xff\x00"),), "AUTH_INVALID"),
    ],
)
def test_without_the_token_nobody_passes(given: tuple[tuple[bytes, bytes], ...], code: str) -> None:
    answer = ask(HOST, *given)
    assert answer.status == 401
    assert answer.error_code == code
    assert answer.headers["www-authenticate"] == "Bearer"


def test_only_the_status_needs_no_token() -> None:
    assert ask(HOST, path="/status").status == 200
    for path in ("/metrics", "/mcp", "/status/", "/api/status", "/", "//status"):
        assert ask(HOST, path=path).status == 401


@pytest.mark.parametrize(
    "hosts",
    [
        (),
        (b"evil.example:4711",),
        (b"127.0.0.1",),
        (b"127.0.0.1:4712",),
        (b"127.0.0.1:4711.evil.example",),
        (b"[::1]:4711",),
        (b"localhost:4711", b"localhost:4711"),
        (b"",),
    ],
)
def test_a_request_for_another_host_is_misdirected(hosts: tuple[bytes, ...]) -> None:
    """A page whose name leads to 127.0.0.1 sends its own name; also the status is not for it."""
    for path in ("/api/project", "/status"):
        answer = ask(*((b"host", host) for host in hosts), BEARER, path=path)
        assert answer.status == 421
        assert answer.error_code == "INVALID_REQUEST"


@pytest.mark.parametrize(
    "origins",
    [
        (b"https://evil.example",),
        (b"null",),
        (b"http://127.0.0.1:8888",),
        (b"https://127.0.0.1:4711",),
        (b"http://127.0.0.1:47110",),
        (b"",),
        (b"http://127.0.0.1:4711", b"https://evil.example"),
    ],
)
def test_a_page_of_another_origin_is_refused_also_with_the_token(origins: tuple[bytes, ...]) -> None:
    for path in ("/api/project", "/status"):
        answer = ask(HOST, BEARER, *((b"origin", origin) for origin in origins), path=path)
        assert answer.status == 403
        assert answer.error_code == "INVALID_REQUEST"
        assert "access-control-allow-origin" not in answer.headers


def test_our_own_pages_and_those_allowed_pass() -> None:
    assert ask(HOST, BEARER, (b"origin", b"http://localhost:4711")).status == 200
    answer = ask(HOST, BEARER, (b"origin", LAB.encode()), origins=[LAB])
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == LAB
    assert answer.headers["vary"] == "Origin"


def test_an_allowed_page_still_needs_the_token() -> None:
    assert ask(HOST, (b"origin", LAB.encode()), origins=[LAB]).status == 401


def test_the_browsers_question_is_answered_for_allowed_pages_only() -> None:
    asked = ((b"access-control-request-method", b"POST"), (b"origin", LAB.encode()))
    allowed = ask(HOST, *asked, method="OPTIONS", origins=[LAB])
    assert allowed.status == 204
    assert "authorization" in allowed.headers["access-control-allow-headers"]
    assert ask(HOST, *asked, method="OPTIONS").status == 403


def test_a_body_of_the_largest_size_passes() -> None:
    body = b"x" * LARGEST_BODY
    assert ask(HOST, BEARER, (b"content-length", str(LARGEST_BODY).encode()), pieces=[body]).body == body
    assert ask(HOST, BEARER, (b"transfer-encoding", b"chunked"), pieces=[body[:-1], b"x"]).body == body


@pytest.mark.parametrize(
    ("length", "size"),
    [(str(LARGEST_BODY + 1), LARGEST_BODY + 1), ("9" * 5000, None), ("-1", None), ("1e3", None), ("", None)],
)
def test_a_body_that_is_told_to_be_larger_is_refused(length: str, size: int | None) -> None:
    answer = ask(HOST, BEARER, (b"content-length", length.encode()), pieces=[b"x"])
    assert answer.status == 413
    assert answer.error_code == "PAYLOAD_TOO_LARGE"
    assert answer.details == {"limit": LARGEST_BODY, "size": size}


def test_a_body_that_grows_larger_is_refused() -> None:
    pieces = [b"x" * 2**19] * 3
    answer = ask(HOST, BEARER, (b"transfer-encoding", b"chunked"), pieces=pieces)
    assert answer.status == 413


def test_a_stranger_is_refused_before_the_body_is_looked_at() -> None:
    assert ask(HOST, (b"content-length", b"99999999")).status == 401
