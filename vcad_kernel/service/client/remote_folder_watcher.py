"""A folder watched by the service: the same calls as of a `FolderWatcher` in one's own process.

    watcher = service.folder_watcher()
    watcher.start(folder)
    watcher.poll(10.0)              # None: the service was lost, and something may have been missed
    watcher.stop()

Its polls go over the client's one connection, beside the evaluations: the front answers them itself, on a
thread of the connection's own, while the worker works, so neither waits for the other. What is watched
belongs to the connection; where that is made anew, the folder is watched anew.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from threading import get_ident
from typing import Any, Final

from vcad_kernel.service.client.async_client import AsyncServiceClient, Linked, Listener
from vcad_kernel.service.client.background_client import BackgroundClient
from vcad_kernel.service.folder_watcher import Changes

__all__ = ["RemoteFolderWatcher"]

_LONGEST_MS: Final = 30_000
"""Of a poll; the front lets none wait longer."""


class RemoteFolderWatcher:
    """`start` and `poll` are for one thread; `stop` is for any."""

    def __init__(self, background: BackgroundClient) -> None:
        self._background = background
        self._folder: Path | None = None
        self._linked: Linked | None = None
        """The connection over which the service has been asked to watch."""
        self._polls: int | None = None
        """The thread that waits for an answer."""

    def start(self, folder: Path) -> None:
        """Watch this folder and those in it, and no other from now on.

        Raises: FileMissing when it is no folder; PathRefused for one outside of the service's workspace;
        ServiceFailure where there is no service.
        """
        self._folder = folder
        self._background.do(partial(self._begin, folder))

    def poll(self, wait: float = 0.0) -> Changes | None:
        """What has changed since the last time; nothing once it was stopped.

        wait: seconds to wait for a change at most.
        Returns: None where the service was lost meanwhile: anything may have changed, and it watches again.
        Raises: as `start`.
        """
        folder = self._folder
        if folder is None:
            return []
        self._polls = get_ident()
        try:
            if self._folder is None:  # it was stopped a moment ago
                return []
            changes: Changes | None = self._background.do(partial(self._asked, folder, wait))
        except KeyboardInterrupt:
            return []
        else:
            return changes
        finally:
            self._polls = None

    def stop(self) -> None:
        """Watch no more; who waits is answered. Nothing is connected for it. Raises: ServiceFailure."""
        self._folder = None
        try:
            if self._linked is not None:
                self._background.do(self._end)  # a poll that waits is answered by it
        finally:
            if (polls := self._polls) is not None:  # it may be connecting
                self._background.interrupt(polls)

    # ---- on the client's loop --------------------------------------------------------------

    async def _begin(self, folder: Path, client: AsyncServiceClient, _id: str, _listener: Listener) -> None:
        linked = await client.linked()
        await client.tool("vcad.watch_start", {"dir": os.fspath(folder)})
        self._linked = linked

    async def _asked(
        self, folder: Path, wait: float, client: AsyncServiceClient, request_id: str, listener: Listener
    ) -> Any:
        await client.linked()
        if self._linked is None or not client.is_on(self._linked):
            await self._begin(folder, client, request_id, listener)
            return None
        wait_ms = min(round(wait * 1000), _LONGEST_MS)
        answer = await client.tool("vcad.watch_poll", {"wait_ms": wait_ms}, request_id=request_id)
        return answer["changes"]

    async def _end(self, client: AsyncServiceClient, _id: str, _listener: Listener) -> None:
        linked, self._linked = self._linked, None
        if linked is not None and client.is_on(linked):
            await client.tool("vcad.watch_stop", {})
