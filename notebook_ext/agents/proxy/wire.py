"""HTTP to a session on this machine: its token, no proxies, and what fails tells how far it came.

The SDK's transport ends altogether when a request cannot be sent. Here such a request gets an answer of its
own, with one of two codes: `GONE`, nothing was sent; `CUT_OFF`, it was, and what became of it is not known.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Final

import httpx2
from mcp.types import CONNECTION_CLOSED

from vcad_kernel.session_records import SessionRecord

__all__ = ["CUT_OFF", "GONE", "client_for"]

GONE: Final = -32050
"""Nobody listens there, or a stranger does who does not know the token: the session is not there."""
CUT_OFF: Final = CONNECTION_CLOSED
"""Sent, without an answer."""

_STRANGERS: Final = frozenset({401, 403, 421})
_CONNECT: Final = 5.0
"""Seconds for what happens on this machine at once; answers may take as long as they like."""


def client_for(record: SessionRecord) -> httpx2.AsyncClient:
    """A client that speaks with one session."""
    return httpx2.AsyncClient(
        transport=_Tell(httpx2.AsyncHTTPTransport(trust_env=False)),
        headers={"Authorization": f"Bearer {record.token}"},
        timeout=httpx2.Timeout(None, connect=_CONNECT),
        trust_env=False,
    )


class _Tell(httpx2.AsyncBaseTransport):
    """A transport whose failures are answers."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as failed:
            return _refusal(request, GONE, f"nobody listens: {failed}")
        except httpx2.TransportError as failed:
            return _refusal(request, CUT_OFF, f"the connection ended: {failed}")
        if response.status_code in _STRANGERS:
            await response.aclose()
            return _refusal(request, GONE, f"it answers {response.status_code}: another program has its port")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Body(response.stream)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


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


def _refusal(request: httpx2.Request, code: int, message: str) -> httpx2.Response:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return httpx2.Response(
        503, headers={"content-type": "application/json"}, content=json.dumps(body), request=request
    )
