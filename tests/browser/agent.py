"""An agent beside the browser: the SDK's client on `vcad mcp`, in the session of a notebook of the page.

Knows MCP and waiting. Does not know what an agent would want.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import Implementation
from playwright.sync_api import Page

__all__ = ["NAME", "Agent", "attached_agent"]

NAME = "drawing-agent"
_REPOSITORY = Path(__file__).parents[2]
_LIMIT = 90.0
"""Seconds for a call, approval included."""


class Agent:
    """One connection. Calls run beside the page, which must be waited for all the same."""

    def __init__(self, client: Client, loop: asyncio.AbstractEventLoop, page: Page) -> None:
        self._client = client
        self._loop = loop
        self._page = page

    def begin(self, tool: str, /, **arguments: Any) -> Future[dict[str, Any]]:
        """Call a tool, and do not wait."""
        return asyncio.run_coroutine_threadsafe(self._call(tool, arguments), self._loop)

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """What a tool answers, be it a failure."""
        return self.end(self.begin(tool, **arguments))

    def end(self, call: Future[dict[str, Any]]) -> dict[str, Any]:
        """What a call that was begun answers."""
        until = time.monotonic() + _LIMIT
        while not call.done() and time.monotonic() < until:
            # the page's requests pass through this thread: it must not just block
            self._page.wait_for_timeout(20)
        return call.result(0)

    async def _call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await self._client.call_tool(tool, arguments)
        assert result.structured_content is not None, result.content
        return dict(result.structured_content)


def _python_path() -> str:
    """Ours, with this repository importable from any folder."""
    return os.pathsep.join(filter(None, [str(_REPOSITORY), os.environ.get("PYTHONPATH")]))


@contextlib.contextmanager
def attached_agent(page: Page, folder: Path, runtime: Path, *packs: str) -> Iterator[Agent]:
    """An agent in the newest session of a workspace.

    runtime: where the server's sessions announce themselves. packs: beyond the core.
    """
    arguments = ["-m", "vcad_kernel", "mcp", "--workspace", str(folder)]
    arguments += [word for pack in packs for word in ("--pack", pack)]
    server = StdioServerParameters(
        command=sys.executable,
        args=arguments,
        env={**os.environ, "JUPYTER_RUNTIME_DIR": str(runtime), "PYTHONPATH": _python_path()},
        cwd=str(folder),
    )
    told = Implementation(name=NAME, version="1")
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="agent", daemon=True)
    thread.start()
    ready: Future[Client] = Future()
    leave = asyncio.Event()

    async def live() -> None:
        # opened and closed by one task, as the SDK's task groups want it
        try:
            async with Client(server, client_info=told, read_timeout_seconds=_LIMIT) as client:
                ready.set_result(client)
                await leave.wait()
        except BaseException as wrong:
            if not ready.done():
                ready.set_exception(wrong)
            raise

    life = asyncio.run_coroutine_threadsafe(live(), loop)
    try:
        yield Agent(ready.result(_LIMIT), loop, page)
    finally:
        loop.call_soon_threadsafe(leave.set)
        with contextlib.suppress(asyncio.CancelledError):
            life.result(_LIMIT)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_LIMIT)
        loop.close()
