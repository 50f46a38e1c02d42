"""A session for an agent when no notebook runs: a process of its own, which ends with the proxy.

The process is `vcad session`; its record says where it listens, as for every session. It reads its standard
input only to learn when the proxy is gone, and says on standard output when its record is there.

Two agents that begin together share one session: a lock on a file in Jupyter's runtime folder, by the kernel
of the machine, lets one proxy at a time start one. It ends with its process, and the last holder removes the
file.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import IO, Final

import anyio
from anyio.abc import Process

from notebook_ext.agents.proxy.refusals import not_started
from notebook_ext.session_records import runtime_folder
from vcad_kernel.system.file_lock import lock
from vcad_kernel.system.files import NO_LINK, UNSHARED

__all__ = ["HeadlessStart", "only_starter"]


_LIMIT: Final = 30.0
"""Seconds until a session that does not begin is given up."""
# -P: what lies in the folder that we are started in must not stand for a module
_VCAD = (sys.executable, "-P", "-m", "vcad_kernel")


class HeadlessStart:
    """keep: whether the sessions that are started outlive the proxy."""

    def __init__(self, *, keep: bool = False) -> None:
        self._keep = keep
        self._process: Process | None = None
        self._output = b""
        """What the process has said on standard output."""
        self._errors: IO[bytes] | None = None

    async def begin(self, workspace: Path) -> None:
        """Have a session run, and return once its record is there; one that is beginning is waited for.

        To be called where none is found, or none that answers.

        Raises: ServiceFailure SESSION_UNAVAILABLE.
        """
        # One that had begun would have been found: it has ended, whether that has been noticed here or not.
        if self._process is not None and (self._process.returncode is not None or b"\n" in self._output):
            await self.end()
        process = self._process or await self._started(workspace)
        with anyio.move_on_after(_LIMIT):
            if await self._has_begun(process):
                return
            status = await process.wait()
            raise not_started(f"its process ended with status {status}{self._reason()}")
        process.kill()
        raise not_started(f"it said nothing for {_LIMIT:.0f} s{self._reason()}")

    async def _started(self, workspace: Path) -> Process:
        command = [*_VCAD, "session", "--workspace", str(workspace)]
        if not self._keep:
            command.append("--watch-parent")
        # a file, not our own stream: a session that is kept must not hold that open when we have gone
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 until the process has ended
        try:
            # a group of its own: what a terminal sends to the proxy is not meant for it
            self._process = await anyio.open_process(
                command,
                stdin=DEVNULL if self._keep else PIPE,
                stdout=PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as failed:
            await self.end()
            raise not_started(failed.strerror or str(failed)) from failed
        return self._process

    async def _has_begun(self, process: Process) -> bool:
        assert process.stdout is not None
        while b"\n" not in self._output:
            try:
                self._output += await process.stdout.receive()
            except anyio.EndOfStream:
                return False
        return True

    def _reason(self) -> str:
        """The last line of what the process has said on standard error, for a sentence's end."""
        lines = self._complaints().decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f": {last}" if last else ""

    def _complaints(self) -> bytes:
        if self._errors is None:
            return b""
        # the process writes where we leave off: at the end, as before
        self._errors.seek(0)
        return self._errors.read()

    async def end(self) -> None:
        """Have the session end, unless it is to be kept; it does so in its own time.

        What it has complained of until then goes to our own standard error, where clients look for it.
        """
        process, self._process, self._output = self._process, None, b""
        if process is not None and process.stdin is not None:
            await process.stdin.aclose()
        complaints = self._complaints()
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        sys.stderr.write(complaints.decode("utf-8", "replace"))


_GLANCE: Final = 0.05
"""Seconds between two tries to have the lock."""


@asynccontextmanager
async def only_starter(workspace: Path) -> AsyncIterator[None]:
    """Wait until no other process starts a session in this workspace, and be the one that may.

    Raises: OSError where the runtime folder cannot be written.
    """
    folder = runtime_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest = hashlib.sha256(os.fsencode(os.path.realpath(workspace))).hexdigest()[:16]
    path = folder / f"vcad-start-{digest}.lock"
    while (descriptor := _locked(path)) is None:
        await anyio.sleep(_GLANCE)
    try:
        yield
    finally:
        with suppress(FileNotFoundError, PermissionError):  # Windows keeps what is open
            path.unlink()
        os.close(descriptor)


def _locked(path: Path) -> int | None:
    """The lock's descriptor; None while another process has it, or has just taken the file away."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK | UNSHARED, 0o600)
    try:
        lock(descriptor)
        if os.fstat(descriptor).st_ino == path.stat().st_ino:
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(descriptor)
    return None
