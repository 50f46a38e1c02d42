"""A connection that is read within one limit of time, however slowly the other side sends.

A socket's own timeout begins anew with each byte; a server that sends one now and then could hold a reader
for hours. Knows no HTTP.
"""

from __future__ import annotations

import io
import socket
import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

__all__ = ["Wire", "within"]

_LOOK_EVERY: Final = 0.25
"""Seconds between two looks at whether the caller has given up."""

_T = TypeVar("_T")


class Wire:
    """What `http.client` needs of a socket.

    until: on the clock of `time.monotonic`. looked_at: called a few times a second; what it raises comes out.
    """

    def __init__(self, connected: socket.socket, until: float, looked_at: Callable[[], object]) -> None:
        self._connected = connected
        self._until = until
        self._looked_at = looked_at

    def sendall(self, data: bytes) -> None:
        """Send all. Raises: OSError, TimeoutError."""
        self._connected.settimeout(_left(self._until))
        self._connected.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        """What comes. Reading raises: OSError, TimeoutError."""
        del mode
        return io.BufferedReader(_Incoming(self._connected, self._until, self._looked_at), 65536)

    def close(self) -> None:
        """Do nothing: who has opened the connection closes it, once all has been read."""


class _Incoming(io.RawIOBase):
    def __init__(self, connected: socket.socket, until: float, looked_at: Callable[[], object]) -> None:
        self._connected = connected
        self._until = until
        self._looked_at = looked_at

    def readable(self) -> bool:
        """See `io.RawIOBase`."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """See `io.RawIOBase`. Raises: OSError, TimeoutError."""
        while True:
            self._looked_at()
            self._connected.settimeout(min(_left(self._until), _LOOK_EVERY))
            try:
                return self._connected.recv_into(buffer)
            except TimeoutError:
                continue


def within(until: float, work: Callable[[], _T], looked_at: Callable[[], object]) -> _T:
    """What some work gives that cannot be interrupted, such as the look-up of a name.

    Raises: TimeoutError; what the work raises.
    """
    given: list[_T] = []
    failed: list[Exception] = []
    done = threading.Event()

    def run() -> None:
        try:
            given.append(work())
        except (OSError, ValueError) as wrong:
            failed.append(wrong)
        finally:
            done.set()

    threading.Thread(target=run, name="vcad-web-name", daemon=True).start()
    while not done.wait(min(_left(until), _LOOK_EVERY)):
        looked_at()
    if failed:
        raise failed[0]
    return given[0]


def _left(until: float) -> float:
    """Seconds that are left. Raises: TimeoutError."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time is over")
    return left
