"""HTTP to a session on this machine: its token, no proxies, and a failure says how far the request came.

The SDK's transport ends altogether when a request cannot be sent. Here such a request gets an answer of its
own, with one of three codes: `GONE`, nothing was sent; `CUT_OFF`, it was, and what became of it is not known;
`REFUSED`, the session's gateway did not let it in, and says why.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import httpx2
from mcp.types import CONNECTION_CLOSED, PARSE_ERROR
from mcp_types.version import LATEST_MODERN_VERSION

from notebook_ext.approval.policy import KEY_HEADER
from notebook_ext.session_records import SessionRecord
from vcad_kernel.errors import ServiceFailure

__all__ = ["CUT_OFF", "GONE", "LOST", "REFUSED", "client_for", "knock", "refusal_of"]

GONE: Final = -32050
"""No server listens there, or one that does not know the token: the session is not there."""
CUT_OFF: Final = CONNECTION_CLOSED
"""Sent, without an answer."""
REFUSED: Final = -32051
"""The gateway answered instead of the session; the error's data is its ``{error, error_code, details}``."""
LOST: Final = frozenset({CUT_OFF, PARSE_ERROR})
"""What the transport answers where it has no whole answer: half of one cannot be parsed."""

_OWN_KEY: Final = secrets.token_urlsafe(32)
"""Of this process, by which sessions know it again; never written down."""
_STRANGERS: Final = frozenset({401, 403, 421})
_CONNECT: Final = 5.0
"""Seconds for what happens on this machine at once; answers may take as long as they like."""
_FIRST_ANSWER: Final = 40.0
"""Seconds in which a session must answer at all: its first visitor waits until the SDK is loaded there."""
_IDLE: Final = 2.0
"""Seconds that an unused connection is kept: less than the server's five, which else may end it just when
a request goes out, and then it is unknown whether that was read."""


def client_for(record: SessionRecord) -> httpx2.AsyncClient:
    """A client that speaks with one session."""
    return httpx2.AsyncClient(
        transport=_Tell(
            httpx2.AsyncHTTPTransport(trust_env=False, limits=httpx2.Limits(keepalive_expiry=_IDLE))
        ),
        headers={"Authorization": f"Bearer {record.token}", KEY_HEADER: _OWN_KEY},
        timeout=httpx2.Timeout(None, connect=_CONNECT),
        trust_env=False,
    )


async def knock(client: httpx2.AsyncClient, url: str) -> str:
    """See whether a session answers under its address, and wait until it has loaded what it answers with.

    The SDK gives its first request ten seconds and then takes the session for an older one.
    Returns: "" when it does, else why not. Raises: ServiceFailure, what its gateway refuses us with.
    """
    timeout = httpx2.Timeout(_FIRST_ANSWER, connect=_CONNECT)
    headers = {"mcp-protocol-version": LATEST_MODERN_VERSION}  # for which there is no GET: nothing is opened
    answer = await client.get(url, headers=headers, timeout=timeout)
    if answer.status_code != _OWN_STATUS:
        return ""
    error = answer.json()["error"]
    if error["code"] == REFUSED:
        raise refusal_of(error.get("data"))
    return str(error["message"])


def refusal_of(content: object) -> ServiceFailure:
    """The failure that the data of a `REFUSED` error speaks of."""
    body: Mapping[str, Any] = content if isinstance(content, Mapping) else {}
    details = body.get("details")
    return ServiceFailure(
        str(body.get("error_code", "INTERNAL_ERROR")),
        str(body.get("error", "the session's gateway refuses the request")),
        details=details if isinstance(details, Mapping) else None,
    )


class _Tell(httpx2.AsyncBaseTransport):
    """A transport whose failures are answers."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as failed:
            return _answer(request, GONE, f"nobody listens: {failed}")
        except httpx2.TransportError as failed:
            return _answer(request, CUT_OFF, f"the connection ended: {failed or type(failed).__name__}")
        if response.status_code in _STRANGERS:
            await response.aclose()
            return _answer(request, GONE, f"it answers {response.status_code}: another program has its port")
        if response.status_code >= 400:
            return await _readable(request, response)
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Body(response.stream)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _readable(request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
    """A failure as the server reports it; one of the gateway's in the form that the SDK passes on."""
    try:
        content = await response.aread()
    except httpx2.TransportError as failed:
        return _answer(request, CUT_OFF, f"the connection ended: {failed or type(failed).__name__}")
    finally:
        await response.aclose()
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, dict) and isinstance(body.get("error_code"), str):
        return _answer(request, REFUSED, str(body.get("error", "")), body)
    if response.status_code >= 500 and not isinstance(body, dict):
        # a server that ends gives up what is under way, and says no more than that
        return _answer(request, CUT_OFF, f"the session's server gave the request up ({response.status_code})")
    kind = response.headers.get("content-type", "")  # not of what it was packed in: that is undone
    return httpx2.Response(
        response.status_code, headers={"content-type": kind}, content=content, request=request
    )


class _Body(httpx2.AsyncByteStream):
    """A body that ends too early ends in the error that the SDK expects."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._inner:
                yield piece
        except httpx2.TransportError as failed:
            raise httpx2.StreamError(str(failed)) from failed

    async def aclose(self) -> None:
        await self._inner.aclose()


_OWN_STATUS: Final = 503


def _answer(
    request: httpx2.Request, code: int, message: str, data: Mapping[str, Any] | None = None
) -> httpx2.Response:
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return httpx2.Response(
        _OWN_STATUS,
        headers={"content-type": "application/json"},
        content=json.dumps({"jsonrpc": "2.0", "id": None, "error": error}),
        request=request,
    )
