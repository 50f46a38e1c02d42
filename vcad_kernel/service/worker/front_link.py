"""The worker's end of the socket to the front: lines that wake, and the questions it asks there.

    link = FrontLink(socket)
    link.send(Ready(os.getpid()))
    while (message := link.receive()) is not None: ...

Knows the lines (shared/control.py), not what is done about them.
"""

from __future__ import annotations

import socket
from collections import deque

from vcad_kernel.service.shared import ProtocolFault
from vcad_kernel.service.shared.control import (
    LINE_LIMIT,
    Block,
    BlockReady,
    Grow,
    Grown,
    Message,
    NoBlock,
    Progress,
    Request,
    Shutdown,
    decode,
    encode,
)

__all__ = ["FrontGone", "FrontLink", "NoMemory"]

_PIECE = 65536


class FrontGone(Exception):
    """The front has closed the socket: there is no client left to answer."""


class NoMemory(Exception):
    """The front has no memory for what was asked; the text says why."""


class FrontLink:
    """The socket, line by line; it is closed by who made it."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._read = bytearray()
        self._waiting: deque[Message] = deque()
        """Messages that came while the answer to a question was awaited."""

    def send(self, message: Message) -> None:
        """Say something.

        Raises: FrontGone.
        """
        try:
            self._socket.sendall(encode(message))
        except OSError as failed:
            raise FrontGone from failed

    def progress(self, seq: int, phase: str, done: int, total: int) -> bool:
        """Say how far a request is, or leave it out: False when there was no room at the moment.

        A line is so short that it goes as a whole or not at all.
        """
        try:
            self._socket.send(encode(Progress(seq, done, total, phase)), socket.MSG_DONTWAIT)
        except OSError:
            return False
        return True

    def receive(self) -> Message | None:
        """The next message; None when the front is gone.

        Raises: ProtocolFault.
        """
        if self._waiting:
            return self._waiting.popleft()
        return self._next()

    def larger_region(self, seq: int, size: int) -> None:
        """Have the region grown to so many bytes; it is to be mapped anew then.

        Raises: NoMemory, FrontGone, ProtocolFault.
        """
        self.send(Grow(seq, size))
        if not isinstance(self._answer(seq), Grown):
            raise ProtocolFault("a block came where the region was to grow")

    def block(self, seq: int, size: int) -> BlockReady:
        """A file of at least so many bytes for a mesh.

        Raises: NoMemory, FrontGone, ProtocolFault.
        """
        self.send(Block(seq, size))
        answer = self._answer(seq)
        if not isinstance(answer, BlockReady):
            raise ProtocolFault("the region grew where a block was asked for")
        return answer

    def _answer(self, seq: int) -> Grown | BlockReady:
        """What the front says to a question; what it says besides waits.

        Raises: NoMemory, FrontGone, ProtocolFault.
        """
        while True:
            message = self._next()
            if message is None:
                raise FrontGone
            if isinstance(message, Request | Shutdown):
                self._waiting.append(message)
                continue
            if not isinstance(message, Grown | BlockReady | NoBlock) or message.seq != seq:
                raise ProtocolFault(f"{message} answers nothing that was asked")
            if isinstance(message, NoBlock):
                raise NoMemory(message.reason)
            return message

    def _next(self) -> Message | None:
        while (end := self._read.find(b"\n")) < 0:
            if len(self._read) > LINE_LIMIT:
                raise ProtocolFault("a line without an end")
            try:
                piece = self._socket.recv(_PIECE)
            except OSError:
                piece = b""
            if not piece:
                return None
            self._read += piece
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        return decode(line)
