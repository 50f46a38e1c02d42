"""The server that an agent sees on its standard streams: one handler per method, each passing it on.

`initialize` is answered here, at once, whatever runs or does not; so are the lists, from the registry, while
there is no session. A tool call that no session can carry out is answered with a failure that says what to
do, never with an error of the protocol.

Clients ask for the tools as soon as they have started the server, and most never ask again: a list that was
empty while there is no session yet would leave the agent without tools when its notebook opens.
"""

from __future__ import annotations

import json
import logging
import signal
import sys
from collections.abc import Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from mcp import MCPError, types
from mcp.client._transport import TransportStreams
from mcp.client.subscriptions import PromptsListChanged, ResourcesListChanged, ServerEvent, ToolsListChanged
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import ResourceUpdated
from mcp.types import INTERNAL_ERROR
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from notebook_ext.agents.mcp.addresses import only_offered, require_offered
from notebook_ext.agents.mcp.instructions import INSTRUCTIONS, NAME
from notebook_ext.agents.proxy.attachment import Attachment
from notebook_ext.agents.proxy.finding import SessionChoice
from notebook_ext.agents.proxy.headless_start import HeadlessStart
from notebook_ext.agents.proxy.refusals import as_result
from notebook_ext.version import version
from vcad_kernel.errors import ServiceFailure

__all__ = ["ProxyServer", "from_registry", "serve"]


_Context = ServerRequestContext[Any, Any]


def serve(workspace: Path, *, session: str | None, packs: Collection[str], keep: bool) -> None:
    """Serve an agent on standard input and output until the input ends.

    session: a session's or kernel's id, or a notebook's name. packs: of tools, beside the core.
    keep: whether a session that had to be started stays.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    if sys.stdin.isatty():
        print("vcad mcp speaks MCP on its standard streams: an agent's program starts it", file=sys.stderr)
    # a thread waits in a read of standard input, and Python would wait for it; a session of ours ends with us
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    choice = SessionChoice(workspace, session)
    proxy = ProxyServer(from_registry(packs))
    anyio.run(
        proxy.run,
        lambda changed: Attachment(choice, packs=packs, changed=changed, headless=HeadlessStart(keep=keep)),
    )


class ProxyServer:
    """listing: what lists say while there is no session."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing
        self._listed: dict[str, dict[str, Any]] = {}
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._subscribed: set[str] = set()
        self._session: ServerSession | None = None
        self._attachment: Attachment
        self.server: Server[Any] = Server(
            NAME,
            version=version(),
            instructions=INSTRUCTIONS,
            on_list_tools=self._list(types.ListToolsRequest),
            on_call_tool=self._call_tool,
            on_list_resources=self._list(types.ListResourcesRequest),
            on_list_resource_templates=self._list(types.ListResourceTemplatesRequest),
            on_read_resource=self._read(types.ReadResourceRequest),
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._listen_to,
            on_list_prompts=self._list(types.ListPromptsRequest),
            on_get_prompt=self._read(types.GetPromptRequest),
            on_completion=self._read(types.CompleteRequest),
        )

    async def run(
        self,
        attach: Callable[[Callable[[ServerEvent], Awaitable[None]]], Attachment],
        streams: AbstractAsyncContextManager[TransportStreams] | None = None,
    ) -> None:
        """Serve until the input ends.

        attach: makes what requests go to. streams: from and to the agent; by default the standard ones.
        """
        announced = NotificationOptions(prompts_changed=True, resources_changed=True, tools_changed=True)
        async with (
            streams or stdio_server() as (incoming, outgoing),
            attach(self._notify) as self._attachment,
        ):
            await self.server.run(incoming, outgoing, self.server.create_initialization_options(announced))

    # ---- requests --------------------------------------------------------------------------

    async def _call_tool(self, context: _Context, params: types.CallToolRequestParams) -> Any:
        try:
            result = await self._pass_on(context, types.CallToolRequest, params, starts=True)
        except ServiceFailure as refused:
            result = _whole(as_result(refused, params.name), context.method)
        news = self._attachment.news()
        return _with_news(result, news) if news else result

    def _read(self, kind: Callable[..., types.ClientRequest]) -> Callable[[_Context, Any], Awaitable[Any]]:
        """The handler of a method that needs a session."""

        async def handle(context: _Context, params: Any) -> Any:
            try:
                return await self._pass_on(context, kind, params, starts=True)
            except ServiceFailure as refused:
                raise MCPError(INTERNAL_ERROR, refused.render(), {"error_code": refused.code}) from refused

        return handle

    def _list(self, kind: Callable[..., types.ClientRequest]) -> Callable[[_Context, Any], Awaitable[Any]]:
        """The handler of a list: the session's, else what it said last, else what is known without it."""

        async def handle(context: _Context, params: types.PaginatedRequestParams | None) -> Any:
            first_page = params is None or params.cursor is None
            try:
                result = await self._pass_on(context, kind, params, starts=False)
            except ServiceFailure:
                known = self._listed.get(context.method)
                if known is None:
                    self._attachment.answered_without_session()
                    known = _whole(await self._listing(context.method), context.method)
                return known
            if first_page:
                self._listed[context.method] = result
            return result

        return handle

    async def _pass_on(
        self, context: _Context, kind: Callable[..., types.ClientRequest], params: Any, *, starts: bool
    ) -> dict[str, Any]:
        """Raises: ServiceFailure; MCPError."""
        self._session = context.session
        client = context.session.client_params
        wants_progress = bool(context.meta) and "progress_token" in (context.meta or {})
        result = await self._attachment.request(
            kind() if params is None else kind(params=params),
            client.client_info if client is not None else None,
            context.session.report_progress if wants_progress else None,
            starts=starts,
        )
        return _whole(result, context.method)

    # ---- changes ---------------------------------------------------------------------------

    async def _listen_to(
        self, context: _Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        params = only_offered(params)
        uris = tuple(params.notifications.resource_subscriptions or ())
        await self._attachment.watch(uris)
        try:
            return await self._listen(context, params)
        finally:
            with anyio.CancelScope(shield=True):
                await self._attachment.unwatch(uris)

    async def _subscribe(self, context: _Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self._session = context.session
        uri = str(params.uri)
        require_offered(uri)
        if uri not in self._subscribed:
            self._subscribed.add(uri)
            await self._attachment.watch([uri])
        return types.EmptyResult()

    async def _unsubscribe(
        self, _context: _Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        if str(params.uri) in self._subscribed:
            self._subscribed.remove(str(params.uri))
            await self._attachment.unwatch([str(params.uri)])
        return types.EmptyResult()

    async def _notify(self, event: ServerEvent) -> None:
        """Pass a change on, in the way of the agent's version of the protocol."""
        await self._bus.publish(event)
        session = self._session
        if session is None or session.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return
        match event:
            case ToolsListChanged():
                await session.send_tool_list_changed()
            case PromptsListChanged():
                await session.send_prompt_list_changed()
            case ResourcesListChanged():
                await session.send_resource_list_changed()
            case ResourceUpdated(uri=uri) if uri in self._subscribed:
                await session.send_resource_updated(uri)


def _with_news(result: dict[str, Any], news: list[str]) -> dict[str, Any]:
    """A tool's answer with what the agent must know of its session.

    It stands in the answer itself: clients join the texts of an answer and read them as one JSON value.
    """
    body, content = result.get("structuredContent"), list(result.get("content", ()))
    texts = [index for index, block in enumerate(content) if block.get("type") == "text"]
    if not isinstance(body, dict) or len(texts) != 1:
        return {**result, "_meta": {**(result.get("_meta") or {}), "vcad/news": " ".join(news)}}
    body = {**body, "news": " ".join(news)}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    content[texts[0]] = {**content[texts[0]], "text": text}
    return {**result, "structuredContent": body, "content": content}


def _whole(result: dict[str, Any], method: str) -> dict[str, Any]:
    """A result with what the newest version of the protocol wants; the SDK drops it for older ones."""
    if method == "tools/call":
        return {"resultType": "complete", **result}
    return {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **result}


Listing = Callable[[str], Awaitable[dict[str, Any]]]
"""From a method's name to its result, as it goes over the wire."""

_EMPTY = {
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


def from_registry(packs: Collection[str]) -> Listing:
    """The tools of these packs as every session of this version has them; nothing else is listed."""

    async def listing(method: str) -> dict[str, Any]:
        if method in _EMPTY:
            return {_EMPTY[method]: []}
        return {"tools": await anyio.to_thread.run_sync(_tools, frozenset(packs))}

    return listing


def _tools(packs: frozenset[str]) -> list[dict[str, Any]]:
    from notebook_ext.agents.mcp.server import listed_tools

    return [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in listed_tools(packs)]
