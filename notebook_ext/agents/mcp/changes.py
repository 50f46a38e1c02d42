"""The session's changes, sent to MCP clients as updates of resources.

Clients of 2026-07-28 hear them on a `subscriptions/listen` stream, older ones after `resources/subscribe`.
The session reports a change on its own thread; clients are notified on the gateway's loop, without waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types import (
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from notebook_ext.agents.mcp.addresses import NODE, SOURCE, node_in, only_offered, require_offered
from notebook_ext.session.events import SessionEvent
from notebook_ext.session.node_names import name_of, node_id_of

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from mcp.server.session import ServerSession

    from notebook_ext.session.session import Session

__all__ = ["ChangeNotifier"]


class ChangeNotifier:
    """session: whose changes are sent. bus: for clients that listen."""

    def __init__(self, session: Session) -> None:
        self.bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self.bus)
        self._session = session
        self._subscribed: dict[str, list[ServerSession]] = {}
        """Address of a resource → the older clients that want to hear of it."""

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Send changes as long as this is open, on the loop that runs now."""
        loop = asyncio.get_running_loop()
        tasks: set[asyncio.Task[None]] = set()

        def soon(event: SessionEvent) -> None:
            task = loop.create_task(self._notify(event))
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
        server.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, self._listen_to)

    async def _listen_to(
        self, context: ServerRequestContext[Any, Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Newer clients get a list of their addresses that count; a node may come, another address never."""
        return await self._listen(context, only_offered(params))

    async def _subscribe(
        self, context: ServerRequestContext[Any, Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        uri = str(params.uri)
        require_offered(uri)
        self._forget(context, uri)
        self._subscribed.setdefault(uri, []).append(context.session)
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
        wanting[:] = [connection for connection in wanting if connection.client_params is not who]
        if not wanting:
            self._subscribed.pop(uri, None)

    async def _notify(self, event: SessionEvent) -> None:
        changed = addresses(event)
        for uri in changed:
            await self.bus.publish(ResourceUpdated(uri=uri))
        for uri, clients in list(self._subscribed.items()):
            if _by_id(uri) not in changed:
                continue
            for client in list(clients):
                try:
                    await client.send_resource_updated(uri)
                except (MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError, RuntimeError):
                    self._drop(uri, client)  # it has gone

    def _drop(self, uri: str, client: ServerSession) -> None:
        wanting = self._subscribed.get(uri, [])
        if client in wanting:
            wanting.remove(client)
        if not wanting:
            self._subscribed.pop(uri, None)


def addresses(event: SessionEvent) -> tuple[str, ...]:
    """The resources that an event changes; those of a node by its id and by its name, as both are read."""
    if event.kind == "picked":
        return ("vcad://selection",)
    # what stands in SketchUp may have taken the place of what the person had selected there
    selected = ("vcad://selection",) if event.kind in ("pushed", "removed") else ()
    if event.node_id is None:
        return ("vcad://nodes", *selected)
    names = dict.fromkeys((node_id_of(event.node_id), quote(name_of(event.node_id), safe="")))
    nodes = [f"{NODE}{name}{part}" for name in names for part in ("", SOURCE)]
    return ("vcad://nodes", *nodes, "vcad://diagnostics", *selected)


def _by_id(uri: str) -> str:
    """An address as a client writes it, with the node's id where it has a name."""
    name = node_in(uri)
    return NODE + node_id_of(name) + (SOURCE if uri.endswith(SOURCE) else "") if name else uri
