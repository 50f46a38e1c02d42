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
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from vcad_kernel.errors import VcadError
from vcad_kernel.service.front.assembly import ServiceOptions, assemble
from vcad_kernel.service.front.log import Log, LogBridge
from vcad_kernel.service.front.server import Server
from vcad_kernel.settings import SettingError, Settings
from vcad_kernel.system.platforms import require_service

__all__ = ["announce", "run", "serve", "token_from", "watch_end"]

_STDIN = 0


def announce(host: str, port: int) -> str:
    """The line by which whoever has started the service learns its address."""
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
    with suppress(OSError):  # nobody wants to know
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
