"""Starting a service of one's own, and having it end with this process.

    service = await Launcher(workspace).start()
    service.address
    await service.stop()

The service holds the other end of a pipe, its standard input, and ends when that closes: which happens
however this process ends. It has a process group of its own, so an interrupt of the notebook's does not
reach it. What it has to say goes to a log file, whose end is reported when it does not start.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import site
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from vcad_kernel.errors import ServiceFailure
from vcad_kernel.paths import own_folder
from vcad_kernel.service.client.failures import Address, connection_failed
from vcad_kernel.system.platforms import require_service

__all__ = ["Launcher", "RunningService", "ServiceLog"]

_LISTENING = re.compile(rb"vcad service listening on (.+):(\d+)")
_HOST = "127.0.0.1"
_KILLED_AFTER = 2.0
"""Seconds that a service may take to end by itself."""
_LOOKED = 0.01
"""Seconds between two looks at whether it has ended."""


class RunningService:
    """A service process that is listening."""

    def __init__(self, process: subprocess.Popen[bytes], address: Address, listener: _Announcement) -> None:
        self.address = address
        self._process = process
        self._listener = listener

    @property
    def pid(self) -> int:
        """Of the service's front."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.poll() is not None

    async def stop(self) -> None:
        """Let it end, and make it end if it takes too long; nothing happens when it has ended."""
        await _ended(self._process)
        self._listener.close()

    def abandon(self) -> None:
        """Let go of its pipe; for a forked child, whose parent's life is the service's."""
        if self._process.stdin is not None:
            self._process.stdin.close()


class Launcher:
    """Knows how to start a service for one workspace.

    environment: variables for it, besides those of this process. command: what starts it, by default
    this Python. seconds: how long it may take until it listens. launch: starts a process, as
    `subprocess.Popen` does.
    """

    def __init__(
        self,
        workspace: Path,
        *,
        environment: Mapping[str, str] | None = None,
        command: Sequence[str] | None = None,
        arguments: Sequence[str] = (),
        seconds: float = 60.0,
        launch: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen,
    ) -> None:
        self.workspace = workspace
        self._environment = dict(environment or {})
        self._command = tuple(command or (sys.executable, "-P", "-m", "vcad_kernel.service"))
        self._arguments = tuple(arguments)
        self._seconds = seconds
        self._launch = launch

    async def start(self) -> RunningService:
        """Start one and wait until it listens.

        Raises: ServiceFailure of CONNECTION_FAILED, which quotes what it said, when it does not;
        CapabilityUnavailable on Windows.
        """
        require_service()
        log = ServiceLog.beside(self.workspace)
        token = secrets.token_urlsafe(32)
        try:
            process = self._process(token, log)
        except OSError as failed:
            raise self._failed(f"it cannot be started ({failed.strerror or failed})", log) from failed
        finally:
            log.close()
        announcement = await _Announcement.of(process)
        try:
            async with asyncio.timeout(self._seconds):
                line = await announcement.line
            listening = _LISTENING.match(line)
            if listening is None:
                raise self._failed(
                    "it ended at once"
                    if not line
                    else f"it said {line.decode(errors='replace')!r} where its address belongs",
                    log,
                )
        except BaseException as failed:
            await _ended(process, at_once=True)
            announcement.close()
            if isinstance(failed, TimeoutError):
                raise self._failed(f"it does not listen after {self._seconds:g} s", log) from failed
            raise
        address = Address(listening[1].decode().strip("[]"), int(listening[2]), token)
        return RunningService(process, address, announcement)

    def _process(self, token: str, log: ServiceLog) -> subprocess.Popen[bytes]:
        return self._launch(
            [
                *self._command,
                *("--host", _HOST, "--port", "0", "--watch-parent"),
                *("--workspace", str(self.workspace)),
                *self._arguments,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log.handle,
            start_new_session=True,
            env={
                **os.environ,
                "PYTHONPATH": _with_ourselves(os.environ.get("PYTHONPATH", "")),
                **self._environment,
                "VCAD_AUTH_TOKEN": token,
            },
        )

    def _failed(self, reason: str, log: ServiceLog) -> ServiceFailure:
        said = log.tail()
        return connection_failed(
            _HOST, 0, "start", reason, why=f"it said: {said}" if said else None, log=str(log.path)
        )


def _with_ourselves(path: str) -> str:
    """PYTHONPATH with the folder of this package, which need not be installed where it is looked for."""
    ours = str(Path(__file__).parents[3])
    if ours in site.getsitepackages():  # put in front, it would hide modules of the standard library
        return path
    return f"{ours}{os.pathsep}{path}" if path else ours


async def _ended(process: subprocess.Popen[bytes], *, at_once: bool = False) -> None:
    """Close a service's input, which ends it, and see to it that it has ended."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    waited = _KILLED_AFTER if at_once else 0.0
    while process.poll() is None:
        if waited >= _KILLED_AFTER:
            with suppress(ProcessLookupError):
                process.kill()
        try:
            await asyncio.sleep(_LOOKED)
        except asyncio.CancelledError:
            process.kill()
            process.wait(_KILLED_AFTER)
            raise
        waited += _LOOKED


class _Announcement(asyncio.Protocol):
    """Reads a service's output: its first line is waited for, the rest is only kept from piling up."""

    def __init__(self) -> None:
        self.line: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        """The first line, or what there was of it when the service ended."""
        self._begun = b""
        self._transport: asyncio.BaseTransport | None = None

    @classmethod
    async def of(cls, process: subprocess.Popen[bytes]) -> _Announcement:
        _, reading = await asyncio.get_running_loop().connect_read_pipe(cls, process.stdout)
        return reading

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self.line.done():
            return
        self._begun += data
        if b"\n" in self._begun:
            self.line.set_result(self._begun.split(b"\n")[0])

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - as asyncio calls it
        if not self.line.done():
            self.line.set_result(self._begun)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


_KEPT: Final = 8
_TAIL: Final = 12
"""Lines that are quoted."""
_QUOTED: Final = 2000
"""Characters that are quoted."""


class ServiceLog:
    """An open file to write to, and its name to read it later."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self.handle = handle

    @classmethod
    def beside(cls, workspace: Path) -> ServiceLog:
        """A fresh one for a service of a workspace.

        Raises: OSError when not even a temporary file can be made.
        """
        name = f"service-{datetime.now():%Y%m%d-%H%M%S-%f}"
        try:
            folder = own_folder(workspace) / "logs"
            if folder.is_symlink():
                raise NotADirectoryError(str(folder))
            folder.mkdir(exist_ok=True)
            _clear(folder)
            handle, path = tempfile.mkstemp(".log", f"{name}-", folder)
        except OSError:
            handle, path = tempfile.mkstemp(".log", f"vcad-{name}-")
        return cls(Path(path), handle)

    def close(self) -> None:
        """Close it here; who has been given it goes on writing."""
        os.close(self.handle)

    def tail(self) -> str:
        """Its last lines, as far as they can be read."""
        try:
            text = self.path.read_text(errors="replace")
        except OSError:
            return ""
        return "\n".join(text.rstrip().splitlines()[-_TAIL:])[-_QUOTED:]


def _clear(folder: Path) -> None:
    """Remove all but the newest few. Their names begin with their time."""
    for old in sorted(folder.glob("service-*.log"))[: 1 - _KEPT]:
        with suppress(OSError):
            old.unlink()
