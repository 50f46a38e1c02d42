"""The session's changes, told to MCP clients as updates of resources.

Clients of 2026-07-28 hear them on a `subscriptions/listen` stream, older ones after `resources/subscribe`.
The session tells of a change on its own thread; clients are told on the gateway's loop, and never waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

from notebook_ext.session.events import SessionEvent

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from mcp.server.session import ServerSession

    from notebook_ext.session.session import Session

__all__ = ["ToldChanges"]


class ToldChanges:
    """session: whose changes are told. bus: for clients that listen."""

    def __init__(self, session: Session) -> None:
        self.bus = InMemorySubscriptionBus()
        self._session = session
        self._subscribed: dict[str, list[ServerSession]] = {}
        """Address of a resource → the older clients that want to hear of it."""

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Tell changes as long as this is open, on the loop that runs now."""
        loop = asyncio.get_running_loop()
        tasks: set[asyncio.Task[None]] = set()

        def soon(event: SessionEvent) -> None:
            task = loop.create_task(self._tell(event))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        def changed(event: SessionEvent) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(soon, event)

        stop = self._session.subscribe(changed)
        try:
            yield
        finally:
            stop()
            for task in list(tasks):
                task.cancel()

    def serve(self, server: Server[Any]) -> None:
        """Let older clients of a server subscribe to its resources."""
        server.add_request_handler("resources/subscribe", SubscribeRequestParams, self._subscribe)
        server.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, self._unsubscribe)

    async def _subscribe(
        self, context: ServerRequestContext[Any, Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        self._forget(context, str(params.uri))
        self._subscribed.setdefault(str(params.uri), []).append(context.session)
        return EmptyResult()

    async def _unsubscribe(
        self, context: ServerRequestContext[Any, Any], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        self._forget(context, str(params.uri))
        return EmptyResult()

    def _forget(self, context: ServerRequestContext[Any, Any], uri: str) -> None:
        """Let a client not hear of a resource; each of its requests has a session object of its own."""
        who = context.session.client_params
        wanting = self._subscribed.get(uri, [])
        wanting[:] = [one for one in wanting if one.client_params is not who]

    async def _tell(self, event: SessionEvent) -> None:
        for uri in addresses(event):
            await self.bus.publish(ResourceUpdated(uri=uri))
            for client in list(self._subscribed.get(uri, ())):
                try:
                    await client.send_resource_updated(uri)
                except (MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError, RuntimeError):
                    self._subscribed[uri].remove(client)  # it has gone


def addresses(event: SessionEvent) -> tuple[str, ...]:
    """The resources that an event changes."""
    if event.node_id is None:
        return ("vcad://nodes",)
    node = f"vcad://node/{event.node_id}"
    return ("vcad://nodes", node, f"{node}/source", "vcad://diagnostics")
