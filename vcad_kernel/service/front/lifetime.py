"""From the start of the service process to its end: signals, the parent, the exit status.

    status = run(settings, options)

SIGTERM and SIGINT end it in good order, a second one at once; with ``watch_parent`` the end of standard
input ends it at once as well, so that a service never outlives the session that started it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcad_kernel.errors import VcadError
from vcad_kernel.paths import may_have_own_folder
from vcad_kernel.service.front.connection.connection import is_loopback
from vcad_kernel.service.front.files.artifacts import ArtifactStore, Recovered, Retention
from vcad_kernel.service.front.log import Log, LogBridge, Logger
from vcad_kernel.service.front.server import Server
from vcad_kernel.service.front.worker.process import WorkerCommand
from vcad_kernel.settings import SettingError, Settings
from vcad_kernel.system.platforms import require_service

__all__ = [
    "ServiceOptions",
    "announce",
    "artifact_folder",
    "assemble",
    "check_exposure",
    "run",
    "serve",
    "token_from",
    "watch_end",
    "worker_command",
]

_STDIN = 0


def announce(host: str, port: int) -> str:
    """The line by which the parent process learns the service's address."""
    shown = f"[{host}]" if ":" in host else host
    return f"vcad service listening on {shown}:{port}"


def run(settings: Settings, options: ServiceOptions, log_file: Path | None = None) -> int:
    """Be the service until it is ended; the exit status: 0 when everything has ended well.

    Raises: SettingError for settings under which it does not start.
    """
    try:
        stream = sys.stderr.buffer if log_file is None else log_file.open("ab")
    except OSError as failed:
        raise SettingError(f"cannot write the log {str(log_file)!r}: {failed.strerror}") from failed
    log = Log(stream, owned=log_file is not None)
    bridge = LogBridge(log)
    logging.getLogger().addHandler(bridge)
    try:
        require_service()
        return asyncio.run(serve(assemble(settings, options, log), watch_parent=options.watch_parent))
    except OSError as failed:
        # the address is taken, most of the time
        reason = failed.strerror or str(failed)
        print(f"Error: cannot serve on {settings.host}:{settings.port}: {reason}", file=sys.stderr)
        return 1
    except VcadError as refused:
        print(f"Error: {refused.message}", file=sys.stderr)
        return 1
    finally:
        logging.getLogger().removeHandler(bridge)
        log.close()


async def serve(server: Server, *, watch_parent: bool, tell: Callable[[str], None] | None = None) -> int:
    """Start a server, tell its address, and end it when that is wanted; the exit status.

    Raises: OSError when it cannot start.
    """
    loop = asyncio.get_running_loop()
    wanted = asyncio.Event()

    def end(*, at_once: bool) -> None:
        if at_once or wanted.is_set():
            server.hurry()
        wanted.set()

    signals = (signal.SIGTERM, signal.SIGINT)
    for number in signals:
        loop.add_signal_handler(number, lambda: end(at_once=False))
    try:
        host, port = await server.start()
        if watch_parent:
            watch_end(_STDIN, loop, lambda: end(at_once=True))
        (tell or _print_line)(announce(host, port))
        await wanted.wait()
        return 0 if await server.close() else 1
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


def _print_line(line: str) -> None:
    with suppress(OSError):  # there is nothing to be done about it
        print(line, flush=True)


def watch_end(descriptor: int, loop: asyncio.AbstractEventLoop, ended: Callable[[], None]) -> None:
    """Call ``ended`` on the loop once a file has been read to its end, or cannot be read."""

    def read() -> None:
        with suppress(OSError):
            while os.read(descriptor, 4096):
                pass
        with suppress(RuntimeError):  # the loop is closed: there is nothing left to end
            loop.call_soon_threadsafe(ended)

    threading.Thread(target=read, name="parent watch", daemon=True).start()


def token_from(descriptor: int = _STDIN) -> str:
    """The first line of a file, which is read no further. Raises: SettingError for none."""
    line = b""
    while (letter := os.read(descriptor, 1)) not in (b"", b"\n"):
        line += letter
    token = line.decode("utf-8", "surrogateescape").strip()
    if not token:
        raise SettingError("a token was to be read from standard input, which has none")
    return token


# ---- the service as it is started in earnest: its settings, its folders, its worker, its file system ----
# The one place that knows which artifact store, watcher, index and policy the front is given.


_PLUGIN: Final = "VCAD_WORKER_PLUGIN"
_HIDDEN: Final = ("VCAD_AUTH_TOKEN", "SUPEX_AUTH_TOKEN")
"""Variables that are no business of the process that runs models."""


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """What a service is started with, besides the settings."""

    workspace: Path | None = None
    """The folder outside of which no connection may work; None for any folder."""
    watch_parent: bool = False
    """Whether the end of standard input is the end of the service."""
    allow_worker_plugin: bool = False
    """Whether ``VCAD_WORKER_PLUGIN`` reaches the worker; for tests."""


def check_exposure(settings: Settings) -> None:
    """See that no other machine gets in without a token. Raises: SettingError."""
    if is_loopback(settings.host):
        return
    missing = [
        name
        for name, is_there in (
            ("VCAD_ALLOW_REMOTE=1", settings.allow_remote),
            ("VCAD_AUTH_TOKEN", bool(settings.auth_token)),
        )
        if not is_there
    ]
    if missing:
        raise SettingError(
            f"other machines may reach VCAD_HOST {settings.host!r}, which needs {' and '.join(missing)}"
        )


def artifact_folder(settings: Settings, workspace: Path | None) -> Path:
    """Where artifacts go: as is set, else into the workspace if it can be written, else to the user's own."""
    if settings.temp_dir is not None:
        return settings.temp_dir.absolute()
    if workspace is not None and may_have_own_folder(workspace):
        return workspace / ".vcad" / "artifacts"
    # nothing between it and the folder for all: the user who made that first could put another in its place
    return Path(tempfile.gettempdir()) / f"vcad-{os.getuid()}"


def worker_command(options: ServiceOptions, variables: Mapping[str, str]) -> WorkerCommand:
    """How workers are started. variables: our own environment."""
    hidden = set(_HIDDEN) if options.allow_worker_plugin else {*_HIDDEN, _PLUGIN}
    environment = {name: value for name, value in variables.items() if name not in hidden}
    return WorkerCommand((sys.executable, "-P", "-m", "vcad_kernel.service.worker"), environment)


def assemble(
    settings: Settings, options: ServiceOptions, log: Logger, variables: Mapping[str, str] = os.environ
) -> Server:
    """A server that has not been started.

    Raises: SettingError; PathRefused and ExportError for a folder that is not ours.
    """
    check_exposure(settings)
    workspace = None if options.workspace is None else Path(os.path.realpath(options.workspace))
    if workspace is not None and not workspace.is_dir():
        raise SettingError(f"the workspace {str(options.workspace)!r} is no folder")
    folder = artifact_folder(settings, workspace)
    store = ArtifactStore(folder, Retention(settings.temp_ttl_seconds, settings.temp_max_files))
    recovered = store.recovered
    if recovered != Recovered():
        log.event(
            "artifacts_cleared",
            level="warning",
            half_pairs=recovered.half_pairs,
            staged_files=recovered.staged_files,
            markers=recovered.markers,
        )
    return Server(
        settings,
        store,
        worker_command(options, variables),
        log,
        staging_base=folder / "requested",
        workspace=workspace,
    )
