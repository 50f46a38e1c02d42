"""Which clients may call the gateway, and with how much at once: an ASGI layer in front of everything.

A request must name this very host (a page that has its own name resolved to 127.0.0.1 names another), come
from no web page but our own and the local notebook servers', carry the token, and be of at most 1 MiB.
Knows HTTP's headers; knows neither routes nor sessions.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

from notebook_ext.approval.person import IN_SCOPE
from vcad_kernel.errors import ErrorCode

__all__ = [
    "LARGEST_BODY",
    "OPEN_PATHS",
    "Application",
    "Guard",
    "Message",
    "Receive",
    "Scope",
    "Send",
    "refusal",
]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY: Final = 2**20
"""Bytes of one request's body."""
_DRAINED: Final = 2**24
"""Bytes of a body too large that are still read, and dropped: a client that is cut off reads no answer."""
OPEN_PATHS: Final = frozenset({"/status", "/viewer", "/viewer/start.js", "/viewer/viewer.js"})
"""What is answered without the token: nothing of the session; the viewer's page shows its own later."""

_POLICY: Final = 1008
"""The WebSocket's code for who may not."""

_METHODS: Final = b"GET, POST, DELETE, OPTIONS"
_HEADERS: Final = (
    b"authorization, content-type, accept, last-event-id, "
    b"mcp-protocol-version, mcp-session-id, mcp-method, mcp-name"
)


class Guard:
    """application: what is behind it. port: of the gateway. token: what agents and programs must know.

    is_person: whether what a caller gives is the person's key; its requests have `IN_SCOPE` true.

    on_proof: receives the client's address, for each request that has the token. origins: gives the origins
    (``http://localhost:8888``) of the web pages that may call us, besides
    our own; asked at each request that has one.
    """

    def __init__(
        self,
        application: Application,
        *,
        port: int,
        token: str,
        is_person: Callable[[str], bool] = lambda _key: False,
        on_proof: Callable[[object], object] = lambda _client: None,
        origins: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self._on_proof = on_proof
        self._application = application
        self._is_person = is_person
        self._token = token.encode("ascii")
        self._hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
        self._own = frozenset(f"http://{host}" for host in self._hosts)
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is refused, and hand on the rest."""
        if scope["type"] == "websocket":
            await self._hand_on_viewer(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        headers = scope["headers"]
        host = _only(headers, b"host")
        if host is None or host.lower() not in self._hosts:
            await refusal(
                send, 421, ErrorCode.INVALID_REQUEST, "the Host header names another host than this gateway"
            )
            return
        origin, is_refused = self._origin(headers)
        if is_refused:
            await refusal(
                send,
                403,
                ErrorCode.INVALID_REQUEST,
                "web pages of this origin may not speak with the session",
            )
            return
        if origin is not None and origin not in self._own:
            send = _for_page(send, origin)
            if scope["method"] == "OPTIONS" and _only(headers, b"access-control-request-method") is not None:
                await _preflight(send)
                return
        if scope["path"] not in OPEN_PATHS:
            caller = self._caller(headers)
            if isinstance(caller, tuple):
                await refusal(send, 401, *caller, extra=((b"www-authenticate", b"Bearer"),))
                return
            scope[IN_SCOPE] = caller
            self._on_proof(scope.get("client"))
        taken = await _limited(headers, receive)
        if isinstance(taken, _TooLarge):
            await _drain(receive)
            await refusal(
                send,
                413,
                ErrorCode.PAYLOAD_TOO_LARGE,
                f"a request may have {LARGEST_BODY} bytes",
                details={"limit": LARGEST_BODY, "size": taken.size},
                extra=((b"connection", b"close"),),
            )
            return
        await self._application(scope, taken, send)

    async def _hand_on_viewer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A WebSocket of our own page's, or a program's; it shows its token in its first message."""
        headers = scope["headers"]
        host = _only(headers, b"host")
        origin, _ = self._origin(headers)
        named = any(name == b"origin" for name, _ in headers)
        if host is None or host.lower() not in self._hosts or (named and origin not in self._own):
            await receive()
            await send({"type": "websocket.close", "code": _POLICY})  # before it is accepted: HTTP 403
            return
        await self._application(scope, receive, send)

    def _origin(self, headers: Collection[tuple[bytes, bytes]]) -> tuple[str | None, bool]:
        """The page a request comes from, and whether it is refused. Programs send no Origin."""
        if not any(name == b"origin" for name, _ in headers):
            return None, False
        origin = _only(headers, b"origin")
        if origin is None:
            return None, True
        return origin, origin not in self._own and origin not in self._origins()

    def _caller(self, headers: Collection[tuple[bytes, bytes]]) -> tuple[ErrorCode, str] | bool:
        """Whether it is the person who calls; or why no client may so."""
        given = _only(headers, b"authorization")
        kind, _, token = (given or "").partition(" ")
        if kind.lower() != "bearer" or not token:
            return (
                ErrorCode.AUTH_REQUIRED,
                "say who you are: Authorization: Bearer TOKEN, from the session's record",
            )
        if hmac.compare_digest(token.strip().encode("latin-1"), self._token):
            return False
        if self._is_person(token.strip()):
            return True
        return ErrorCode.AUTH_INVALID, "the token is not this session's; after a restart it is another"


def _only(headers: Collection[tuple[bytes, bytes]], header: bytes) -> str | None:
    """The value of a header that is there exactly once: of two, another reader might take the other."""
    values = [value for name, value in headers if name == header]
    return values[0].decode("latin-1") if len(values) == 1 else None


@dataclass(frozen=True, slots=True)
class _TooLarge:
    """A body that is not taken."""

    size: int | None
    """Bytes, as stated or as far as they were read; None where what was stated is no length."""


async def _limited(headers: Collection[tuple[bytes, bytes]], receive: Receive) -> Receive | _TooLarge:
    """What gives a body of a bearable size.

    A body whose length is stated is as long as that, the server sees to it. One that comes in pieces is
    gathered first.
    """
    if any(name == b"content-length" for name, _ in headers):
        stated = _only(headers, b"content-length") or ""
        length = int(stated) if stated.isdecimal() and len(stated) < 20 else None
        return receive if length is not None and length <= LARGEST_BODY else _TooLarge(length)
    if not any(name == b"transfer-encoding" for name, _ in headers):
        return receive
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return _replayed([message], receive)
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            return _TooLarge(len(body))
        more = message.get("more_body", False)
    return _replayed([{"type": "http.request", "body": bytes(body), "more_body": False}], receive)


async def _drain(receive: Receive) -> None:
    left = _DRAINED
    while left > 0:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return
        left -= len(message.get("body", b""))


def _replayed(messages: list[Message], receive: Receive) -> Receive:
    async def again() -> Message:
        return messages.pop(0) if messages else await receive()

    return again


async def refusal(
    send: Send,
    status: int,
    code: ErrorCode,
    message: str,
    *,
    details: Mapping[str, Any] | None = None,
    extra: tuple[tuple[bytes, bytes], ...] = (),
) -> None:
    """Answer with ``{error, error_code}``, and ``details`` where the code has some."""
    answer = {"error": message, "error_code": str(code), **({"details": dict(details)} if details else {})}
    body = json.dumps(answer).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *extra]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _preflight(send: Send) -> None:
    """What a browser asks before a page's request; the request itself must still have the token."""
    headers = [
        (b"access-control-allow-methods", _METHODS),
        (b"access-control-allow-headers", _HEADERS),
        (b"access-control-max-age", b"600"),
        (b"content-length", b"0"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _for_page(send: Send, origin: str) -> Send:
    """Let the page read the answer."""

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            allowed = (
                (b"access-control-allow-origin", origin.encode("latin-1")),
                (b"access-control-expose-headers", b"mcp-session-id"),
                (b"vary", b"Origin"),
            )
            message = {**message, "headers": [*message.get("headers", ()), *allowed]}
        await send(message)

    return marked
