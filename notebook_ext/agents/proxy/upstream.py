"""One connection to a session's ``/mcp``: requests go in and raw results and notices of changes come out.

Knows nothing of which session it should be, or of what comes after it.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection
from typing import Any, Final
from urllib.parse import quote

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, ServerEvent, SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.subscriptions import ResourceUpdated
from mcp.types import ClientRequest, Implementation
from pydantic import BaseModel, ConfigDict

from notebook_ext.agents.proxy.wire import GONE, LOST, REFUSED, client_for, knock, refusal_of
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
