"""One connection to a session's ``/mcp``: requests go in and raw results come out, changes are told.

Knows nothing of which session it should be, or of what comes after it.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection
from typing import Any, Final
from urllib.parse import quote

import anyio
from anyio.abc import TaskStatus
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, ServerEvent, SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp.types import ClientRequest, Implementation
from pydantic import BaseModel, ConfigDict

from notebook_ext.agents.proxy.wire import CUT_OFF, GONE, client_for
from vcad_kernel.session_records import SessionRecord

__all__ = ["CutOff", "NotThere", "Upstream"]

_LOG = logging.getLogger(__name__)

_ENOUGH: Final = 2
"""Times in a row that listening may fail until the session counts as lost: a stream alone may end."""


class _AsItCame(BaseModel):
    """A result that the SDK has checked and nobody else takes apart: the agent gets what the session said."""

    model_config = ConfigDict(extra="allow")


class NotThere(Exception):
    """The session does not answer; the request was not carried out."""


class CutOff(Exception):
    """The session ended while it worked on the request."""


class Upstream:
    """record: of the session. packs: of tools that are shown. agent: who the session is told calls.

    changed: told of every change that the session announces.
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
        self._listen_scope = anyio.CancelScope()
        self._listening = anyio.Event()
        """Set while the session announces what is asked for, and where it announces nothing at all."""
        self._deaf = False
        self._scope = anyio.CancelScope()
        self._client: Client | None = None
        self._calls = 0
        self._quiet = anyio.Event()

    async def run(self, *, task_status: TaskStatus[None]) -> None:
        """Connect, say so, and stay connected until `close` or the session's end.

        Raises: NotThere, before it has said so.
        """
        url = f"{self.record.url}/mcp"
        if self._packs:
            url += f"?packs={','.join(quote(one) for one in self._packs)}"
        connected = False
        try:
            with self._scope:
                async with (
                    client_for(self.record) as http,
                    Client(
                        # a picture is one event, and may be large
                        streamable_http_client(url, http_client=http, max_sse_event_size=None),
                        client_info=self._agent,
                        cache=None,
                    ) as client,
                ):
                    self._client, connected = client, True
                    task_status.started()
                    await self._listen(client)
                    self._deaf = True
                    self._listening.set()
                    await anyio.sleep_forever()
        except Exception as failed:  # the top of this connection's task
            if not connected:
                raise NotThere(_first_message(failed)) from failed
            _LOG.debug("the connection to %s ended", self.record.session_id, exc_info=failed)
        finally:
            self._client = None
            self.lost.set()
            self._listening.set()

    def close(self) -> None:
        """End the connection; requests under way are given up."""
        self._scope.cancel()

    async def close_when_quiet(self) -> None:
        """End the connection once the requests under way have their answers."""
        while self._calls:
            await self._quiet.wait()
        self.close()

    async def request(self, request: ClientRequest, progress: ProgressFnT | None = None) -> dict[str, Any]:
        """Send a request and give its result as it came. Cancelled, it is cancelled in the session too.

        Raises: NotThere; CutOff; MCPError as the session answers it.
        """
        if self._client is None or self.lost.is_set():
            raise NotThere("the connection has ended")
        self._calls += 1
        try:
            result = await self._client.session.send_request(request, _AsItCame, progress_callback=progress)
            return result.model_extra or {}
        except MCPError as error:
            if error.code not in (GONE, CUT_OFF):
                raise
            self.lost.set()
            raise (NotThere if error.code == GONE else CutOff)(error.message) from error
        finally:
            self._calls -= 1
            if not self._calls:
                self._quiet.set()
                self._quiet = anyio.Event()

    # ---- changes ---------------------------------------------------------------------------

    async def watch(self, uris: Collection[str]) -> None:
        """Be told of changes of these resources from now on, and of no others."""
        if frozenset(uris) == self._uris or self._deaf or self.lost.is_set():
            return
        self._uris = frozenset(uris)
        self._listening = anyio.Event()
        self._listen_scope.cancel()
        await self._listening.wait()

    async def _listen(self, client: Client) -> None:
        """Pass on what the session announces, for as long as it does."""
        failures = 0
        while failures < _ENOUGH:
            with anyio.CancelScope() as self._listen_scope:
                try:
                    await self._listen_once(client)
                    failures += 1  # the session ended it: it may be closing
                except SubscriptionLost:
                    failures += 1
                except MCPError as error:
                    if error.code not in (GONE, CUT_OFF):
                        _LOG.debug("session %s announces no changes: %s", self.record.session_id, error)
                        return
                    failures += 1
                except ListenNotSupportedError:
                    return
        self.lost.set()
        self._listening.set()
        # calls under way learn for themselves whether they were sent
        await self.close_when_quiet()

    async def _listen_once(self, client: Client) -> None:
        async with client.listen(
            tools_list_changed=True,
            prompts_list_changed=True,
            resources_list_changed=True,
            resource_subscriptions=sorted(self._uris),
        ) as events:
            self._listening.set()
            async for event in events:
                await self._changed(event)


def _first_message(failed: BaseException) -> str:
    while isinstance(failed, BaseExceptionGroup):
        failed = failed.exceptions[0]
    return str(failed) or type(failed).__name__
