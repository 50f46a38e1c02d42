"""What a program prints, on its way to the front while the program runs.

Frames of a request's number, a length and UTF-8 go through a pipe of their own. A thread writes them, so the
program never waits for the reader, and what stops it at any moment never stops in the middle of a frame.
Where too much waits, the rest of the request's text is left out: what arrives is always the beginning of
what was printed, and the result has all of it.
"""

from __future__ import annotations

import os
import struct
from queue import SimpleQueue
from threading import Event, Thread
from typing import Final

__all__ = ["FRAME", "PrintedText"]

FRAME: Final = struct.Struct("<II")
"""Before each text: the number of the request (its lowest 32 bits) and the bytes that follow."""

_LONGEST: Final = 16384
"""Characters in one frame."""
_WAITING: Final = 2**20
"""Characters that may wait."""


class PrintedText:
    """Sends what one request after the other prints through a pipe.

    descriptor: the pipe's end for writing; it is closed by who made it, after `close`.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: SimpleQueue[tuple[int, str] | Event | None] = SimpleQueue()
        self._seq = 0
        self._left_out = False
        self._taken = 0
        """Characters that were put into the queue. The program's thread alone writes it."""
        self._written = 0
        """Characters that were taken out of it. The writer alone writes it."""
        self._writer = Thread(target=self._write, name="printed-text", daemon=True)
        self._writer.start()

    def begin(self, seq: int) -> None:
        """Another request prints from now on."""
        self._seq = seq & 0xFFFFFFFF
        self._left_out = False

    def __call__(self, text: str) -> None:
        """Send some text, or leave it out."""
        if self._left_out or not text:
            return
        if self._taken - self._written + len(text) > _WAITING:
            self._left_out = True
            return
        self._taken += len(text)
        self._queue.put((self._seq, text))

    def settle(self, wait: float = 0.02) -> None:
        """Let what was printed go ahead of the answer, unless that takes longer than ``wait`` seconds."""
        if self._taken != self._written:
            through = Event()
            self._queue.put(through)
            through.wait(wait)

    def close(self, wait: float = 1.0) -> None:
        """Write what waits, for ``wait`` seconds at most."""
        self._queue.put(None)
        self._writer.join(wait)

    def _write(self) -> None:
        while (item := self._queue.get()) is not None:
            if isinstance(item, Event):
                item.set()
                continue
            seq, text = item
            for start in range(0, len(text), _LONGEST):
                # half a surrogate pair has no UTF-8; what takes its place is as long
                data = text[start : start + _LONGEST].encode("utf-8", "replace")
                frame = FRAME.pack(seq, len(data)) + data
                try:
                    while frame:
                        frame = frame[os.write(self._descriptor, frame) :]
                except OSError:
                    return  # there is no reader; what is printed from now on waits until it is too much
            self._written += len(text)
