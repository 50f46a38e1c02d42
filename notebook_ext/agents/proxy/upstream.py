"""One connection to a session's ``/mcp``: requests go in and raw results and notices of changes come out.

Knows nothing of which session it should be, or of what comes after it.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from typing import Any, Final
from urllib.parse import quote

import anyio
import httpx2
from anyio.abc import TaskGroup, TaskStatus
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, ServerEvent, SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.subscriptions import ResourceUpdated
from mcp.types import CONNECTION_CLOSED, PARSE_ERROR, ClientRequest, Implementation
from mcp_types.version import LATEST_MODERN_VERSION
from pydantic import BaseModel, ConfigDict

from notebook_ext.approval.policy import KEY_HEADER
from notebook_ext.session_records import SessionRecord
from vcad_kernel.errors import ServiceFailure

__all__ = ["CutOff", "NotThere", "Upstream"]

_LOG = logging.getLogger(__name__)

_ENOUGH: Final = 2
"""Times in a row that listening may fail until the session counts as lost: a stream alone may end."""
_STEADY: Final = 5.0
"""Seconds after which a stream that ends counts as the first of a row."""


class _AsItCame(BaseModel):
    """A result that the SDK has checked; the proxy passes on what the session said, unread."""

    model_config = ConfigDict(extra="allow")


class NotThere(Exception):
    """The session does not answer; the request was not carried out."""


class CutOff(Exception):
    """The session ended while it worked on the request."""


class Upstream:
    """record: of the session. packs: of tools that are shown. agent: the caller's name.

    changed: called with every change that the session announces.
    """

    def __init__(
        self,
        record: SessionRecord,
        packs: Collection[str],
        agent: Implementation | None,
        changed: Callable[[ServerEvent], Awaitable[None]],
    ) -> None:
        self.record = record
        self.lost = anyio.Event()
        """Set once the session is known not to answer any more."""
        self._packs = sorted(packs)
        self._agent = agent
        self._changed = changed
        self._uris: frozenset[str] = frozenset()
        self._following = anyio.CancelScope()
        """Of the newest stream of changes."""
        self._tasks: TaskGroup
        self._client: Client | None = None
        self._calls = 0
        self._quiet = anyio.Event()

    async def run(self, *, task_status: TaskStatus[None]) -> None:
        """Connect, say so, and stay connected until `close` or the session's end.

        Raises: NotThere, and what the session's gateway refuses us with, before it has said so.
        """
        url = f"{self.record.url}/mcp"
        if self._packs:
            url += f"?packs={','.join(quote(pack) for pack in self._packs)}"
        connected = False
        try:
            async with client_for(self.record) as http:
                if silent := await knock(http, url):
                    raise NotThere(silent)
                # a picture is one event, and may be large
                transport = streamable_http_client(url, http_client=http, max_sse_event_size=None)
                async with (
                    Client(transport, client_info=self._agent, cache=None) as client,
                    anyio.create_task_group() as self._tasks,
                ):
                    self._client, connected = client, True
                    task_status.started()
                    self._tasks.start_soon(self._follow, client, self._uris, self._following, anyio.Event())
                    await anyio.sleep_forever()
        except (NotThere, ServiceFailure):
            raise
        except Exception as failed:  # the top of this connection's task
            if not connected:
                raise NotThere(_first_message(failed)) from failed
            _LOG.debug("the connection to %s ended", self.record.session_id, exc_info=failed)
        finally:
            self._client = None
            self.lost.set()

    async def close_when_quiet(self) -> None:
        """End the connection once the requests under way have their answers."""
        while self._calls:
            await self._quiet.wait()
        if self._client is not None:
            self._tasks.cancel_scope.cancel()

    async def request(self, request: ClientRequest, progress: ProgressFnT | None = None) -> dict[str, Any]:
        """Send a request and give its result as it came. Cancelled, it is cancelled in the session too.

        Raises: NotThere; CutOff; ServiceFailure of the session's gateway; MCPError as the session answers it.
        """
        if self._client is None or self.lost.is_set():
            raise NotThere("the connection has ended")
        self._calls += 1
        try:
            result = await self._client.session.send_request(request, _AsItCame, progress_callback=progress)
            return result.model_extra or {}
        except MCPError as error:
            if error.code == REFUSED:
                raise refusal_of(error.error.data) from error
            if error.code == GONE:
                self.lost.set()
                raise NotThere(error.message) from error
            if error.code in LOST:
                self.lost.set()
                raise CutOff(error.message) from error
            raise
        finally:
            self._calls -= 1
            if not self._calls:
                self._quiet.set()
                self._quiet = anyio.Event()

    # ---- changes ---------------------------------------------------------------------------

    async def watch(self, uris: Collection[str]) -> None:
        """Subscribe to changes of these resources from now on, and of no others; none is missed meanwhile."""
        wanted, client = frozenset(uris), self._client
        if wanted == self._uris or client is None or self.lost.is_set():
            return
        self._uris = wanted
        subscribed, before = anyio.Event(), self._following
        self._following = anyio.CancelScope()
        self._tasks.start_soon(self._follow, client, wanted, self._following, subscribed)
        await subscribed.wait()
        before.cancel()

    async def _follow(
        self, client: Client, uris: frozenset[str], scope: anyio.CancelScope, subscribed: anyio.Event
    ) -> None:
        """Pass on what the session announces, for as long as it does; the connection ends with it.

        subscribed: set once it does, and where it announces nothing at all.
        """
        failures = 0
        with scope:
            while failures < _ENOUGH:
                began = anyio.current_time()
                try:
                    await self._listen(client, uris, subscribed)
                except SubscriptionLost:
                    pass
                except MCPError as error:
                    if error.code != GONE and error.code not in LOST:
                        _LOG.debug("session %s announces no changes: %s", self.record.session_id, error)
                        subscribed.set()
                        return
                except ListenNotSupportedError:
                    subscribed.set()
                    return
                failures = 1 if anyio.current_time() - began > _STEADY else failures + 1
        subscribed.set()
        if not scope.cancelled_caught:
            self.lost.set()
            # calls under way learn for themselves whether they were sent
            await self.close_when_quiet()

    async def _listen(self, client: Client, uris: frozenset[str], subscribed: anyio.Event) -> None:
        """Pass on what one stream of the session announces, until the session ends it."""
        async with client.listen(
            tools_list_changed=True,
            prompts_list_changed=True,
            resources_list_changed=True,
            resource_subscriptions=sorted(uris),
        ) as events:
            if (
                subscribed.is_set()
            ):  # there was a stream before this one: what happened in between is not known
                for uri in sorted(uris):
                    await self._changed(ResourceUpdated(uri=uri))
            subscribed.set()
            async for event in events:
                await self._changed(event)


def _first_message(failed: BaseException) -> str:
    while isinstance(failed, BaseExceptionGroup):
        failed = failed.exceptions[0]
    return str(failed) or type(failed).__name__


# ---- HTTP to a session on this machine --------------------------------------------------------
# Its token, no proxies, and a failure says how far the request came. The SDK's transport ends altogether when
# a request cannot be sent. Here such a request gets an answer of its own, with one of three codes: `GONE`,
# nothing was sent; `CUT_OFF`, it was, and what became of it is not known; `REFUSED`, the session's gateway
# did not let it in, and says why.


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
