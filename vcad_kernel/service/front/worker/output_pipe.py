"""Pipes that a worker writes into: printed text in frames, and whatever libraries say.

Read on the event loop without ever waiting; `drain` takes what is there at once, so that all text of
a run is passed on before its answer is.
"""

from __future__ import annotations

import asyncio
import os
import struct
from collections.abc import Callable
from typing import Final

from vcad_kernel.service.shared import ProtocolFault

__all__ = ["FRAME_LIMIT", "Frames", "PipeEnd"]

FRAME_LIMIT: Final = 2**20
"""Bytes of text in a frame at most."""

_HEAD: Final = struct.Struct("<II")
_PIECE: Final = 2**16
_PIECES: Final = 64
"""Reads in one go at most: a program that prints without end must not keep the loop from everything else."""


class PipeEnd:
    """The reading end of a pipe.

    descriptor: taken over. take: called with what has come, on the event loop.
    """

    def __init__(self, descriptor: int, take: Callable[[bytes], None]) -> None:
        self._descriptor = descriptor
        self._take = take
        self._loop = asyncio.get_running_loop()
        os.set_blocking(descriptor, False)
        self._loop.add_reader(descriptor, self.drain, 1)

    def drain(self, pieces: int = _PIECES) -> None:
        """Take what is in the pipe now. pieces: reads at most."""
        for _ in range(pieces):
            if self._descriptor < 0:
                return
            try:
                piece = os.read(self._descriptor, _PIECE)
            except BlockingIOError:
                return
            except OSError:
                piece = b""
            if not piece:
                self.close()
                return
            self._take(piece)

    def close(self) -> None:
        """Read no more."""
        if self._descriptor >= 0:
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1


class Frames:
    """Cuts a stream of bytes into frames: u32 number of the request, u32 bytes, text in UTF-8.

    take: called with number and text of each frame.
    """

    def __init__(self, take: Callable[[int, str], None]) -> None:
        self._take = take
        self._rest = bytearray()

    def feed(self, data: bytes) -> None:
        """More of the stream.

        Raises: ProtocolFault for a frame that is too long; nothing behind it can be read.
        """
        self._rest += data
        start = 0
        while len(self._rest) - start >= _HEAD.size:
            seq, length = _HEAD.unpack_from(self._rest, start)
            if length > FRAME_LIMIT:
                raise ProtocolFault(f"a frame of {length} bytes of text is too long")
            end = start + _HEAD.size + length
            if end > len(self._rest):
                break
            text = self._rest[start + _HEAD.size : end].decode("utf-8", "replace")
            start = end
            self._take(seq, text)
        del self._rest[:start]
