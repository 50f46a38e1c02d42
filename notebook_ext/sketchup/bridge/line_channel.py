"""One TCP connection on which a line is sent and a line is received, in turns.

Says of every failure whether anything had been written by then, since that decides what may be sent again.
Knows no JSON and no tool.
"""

from __future__ import annotations

import socket
import threading
import time
from typing import Final

__all__ = ["LineChannel", "NoAnswer", "TooLate", "TooLong"]

_PIECE: Final = 2**18
_LOOK: Final = 0.25
"""Seconds after which a wait looks whether it was stopped, where a closed socket does not wake it."""


class NoAnswer(Exception):
    """No line was received; the message says why."""

    def __init__(self, reason: str, *, sent: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.sent = sent
        """Whether any of the request may have left."""


class TooLate(NoAnswer):
    """The time was over."""


class TooLong(NoAnswer):
    """More was received than is read."""

    def __init__(self, size: int) -> None:
        super().__init__("the answer is longer than is read (SUPEX_MAX_RESPONSE)", sent=True)
        self.size = size


class LineChannel:
    """A connected socket that it owns; used by one thread, stopped from any."""

    def __init__(self, sock: socket.socket, *, limit: int) -> None:
        """limit: bytes of a line that is read, without its end."""
        self._sock = sock
        self._limit = limit
        self._stopped = threading.Event()
        self._out_of_step = False
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def is_usable(self) -> bool:
        """Whether the peer is there and has said nothing unasked, which would spoil all later answers."""
        if self._out_of_step or self._stopped.is_set():
            return False
        try:
            self._sock.setblocking(False)
            self._sock.recv(1, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            return True
        except OSError:
            return False
        return False

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Send a line (with its end) and return the next one received (without).

        Raises: NoAnswer, TooLate, TooLong; the channel is of no use after any of them.
        """
        end = time.monotonic() + seconds
        sent, trouble = self._send(line, end)
        if trouble is not None and not sent:
            raise NoAnswer(trouble, sent=False)
        # a request that is refused halfway may have its reason sent already
        return self._receive(end, seconds, trouble)

    def stop(self) -> None:
        """End the exchange that is under way, from another thread."""
        self._stopped.set()
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it had ended already

    def close(self) -> None:
        """Let go of the socket."""
        self._sock.close()

    def _send(self, line: bytes, end: float) -> tuple[int, str | None]:
        """How many bytes left, and what went wrong."""
        view, sent = memoryview(line), 0
        while sent < len(line):
            try:
                self._wait(end)
                sent += self._sock.send(view[sent:])
            except TimeoutError:
                if self._stopped.is_set():
                    return sent, "it was stopped"
                if time.monotonic() >= end:
                    return sent, "it does not read"
            except OSError as failed:
                return sent, failed.strerror or str(failed)
        return sent, None

    def _receive(self, end: float, seconds: float, trouble: str | None) -> bytes:
        received, looked = bytearray(), 0
        while True:
            line_end = received.find(b"\n", looked)
            if line_end >= 0:
                break
            if (looked := len(received)) > self._limit:
                raise TooLong(len(received))
            piece = self._piece(end, seconds, trouble)
            if not piece:
                cut = "it went away in the middle of an answer" if received else "it closed the connection"
                raise NoAnswer(trouble or cut, sent=True)
            received += piece
        if line_end > self._limit:
            raise TooLong(line_end)
        self._out_of_step = line_end + 1 < len(received)
        return bytes(received[:line_end])

    def _piece(self, end: float, seconds: float, trouble: str | None) -> bytes:
        while True:
            try:
                self._wait(end)
                piece = self._sock.recv(_PIECE)
            except TimeoutError as late:
                if self._stopped.is_set():
                    raise NoAnswer("it was stopped", sent=True) from late
                if time.monotonic() >= end:
                    raise TooLate(trouble or f"there was none within {seconds:g} s", sent=True) from late
            except OSError as failed:
                reason = "it was stopped" if self._stopped.is_set() else failed.strerror or str(failed)
                raise NoAnswer(trouble or reason, sent=True) from failed
            else:
                if not piece and self._stopped.is_set():
                    raise NoAnswer("it was stopped", sent=True)
                return piece

    def _wait(self, end: float) -> None:
        """Let the next call of the socket wait as long as is left, but look up now and then."""
        self._sock.settimeout(max(1e-3, min(end - time.monotonic(), _LOOK)))
