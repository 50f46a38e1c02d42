"""A session for an agent when no notebook runs: a process of its own, which ends with the proxy.

The process is `vcad session`; its record says where it listens, as for every session. It reads its standard
input only to learn when the proxy is gone, and says on standard output when its record is there.
"""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Final

import anyio
from anyio.abc import Process

from notebook_ext.agents.proxy.refusals import not_started

__all__ = ["HeadlessStart"]

_LIMIT: Final = 30.0
"""Seconds until a session that does not begin is given up."""


class HeadlessStart:
    """keep: whether the sessions that are started outlive the proxy."""

    def __init__(self, *, keep: bool = False) -> None:
        self._keep = keep
        self._process: Process | None = None

    async def begin(self, workspace: Path) -> None:
        """Start a session, and return once its record is there.

        Raises: ServiceFailure SESSION_UNAVAILABLE.
        """
        # -P: what lies in the folder that we are started in must not stand for a module
        command = [sys.executable, "-P", "-m", "vcad_kernel", "session", "--workspace", str(workspace)]
        if not self._keep:
            command.append("--watch-parent")
        try:
            # a group of its own: what a terminal sends to the proxy is not meant for it
            process = await anyio.open_process(
                command,
                stdin=DEVNULL if self._keep else PIPE,
                stdout=PIPE,
                stderr=None,
                start_new_session=True,
            )
        except OSError as failed:
            raise not_started(failed.strerror or str(failed)) from failed
        self._process = process
        with anyio.move_on_after(_LIMIT):
            if await self._has_begun(process):
                return
            raise not_started(f"its process ended with status {await process.wait()}")
        process.kill()
        raise not_started(f"it said nothing for {_LIMIT:.0f} s")

    @staticmethod
    async def _has_begun(process: Process) -> bool:
        assert process.stdout is not None
        said = b""
        while b"\n" not in said:
            try:
                said += await process.stdout.receive()
            except anyio.EndOfStream:
                return False
        return True

    async def end(self) -> None:
        """Have the session end, unless it is to be kept; it does so in its own time."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            await process.stdin.aclose()
