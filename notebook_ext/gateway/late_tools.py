"""``/mcp``, loaded with its first request: a client that only wants the status does not wait for the SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Final

import anyio
import anyio.abc
import anyio.to_thread

from notebook_ext.gateway.guarding import Application, Receive, Scope, Send

if TYPE_CHECKING:
    from notebook_ext.agents.server import AgentEndpoint
    from notebook_ext.agents.world import AgentWorld

__all__ = ["LateTools"]

_SERVER: Final = "notebook_ext.agents.server"


class LateTools:
    """An ASGI application: the agents' tools of one session. packs: which agents may request."""

    def __init__(self, world: AgentWorld, packs: Collection[str] = ("all",)) -> None:
        self._world = world
        self._packs = packs
        self._loading = anyio.Lock()
        self._tasks: anyio.abc.TaskGroup | None = None
        self._tools: Application | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve as long as this is open."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                self._tasks = self._tools = None
                tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        tools = await self._loaded()
        await tools(scope, receive, send)

    async def _loaded(self) -> Application:
        async with self._loading:
            if self._tools is None:
                if self._tasks is None:
                    raise RuntimeError("the tools are served inside of running() only")
                # a thread of its own for what is slow: other requests are answered meanwhile
                await anyio.to_thread.run_sync(import_module, _SERVER)
                from notebook_ext.agents.server import asgi

                tools = asgi(self._world, self._packs)
                await self._tasks.start(_hold, tools)
                self._tools = tools
            return self._tools


async def _hold(tools: AgentEndpoint, *, task_status: anyio.abc.TaskStatus[None]) -> None:
    async with tools.running():
        task_status.started()
        await anyio.sleep_forever()
