"""What a program prints: kept for its result and passed on as it comes, both up to a limit."""

from __future__ import annotations

from typing import Final

from vcad_kernel.service.protocol import Output

__all__ = ["MOST_PRINTED", "Printed"]

MOST_PRINTED: Final = 1_000_000
"""Characters that one program may print; what comes after is counted and dropped."""


class Printed:
    """Takes printed text. onward: given the same text, piece by piece."""

    def __init__(self, onward: Output | None = None, most: int = MOST_PRINTED) -> None:
        self._pieces: list[str] = []
        self._onward = onward
        self._room = most
        self._dropped = 0
        self._ended = False

    def __call__(self, text: str) -> None:
        """Take a piece."""
        kept = text[: self._room]
        self._dropped += len(text) - len(kept)
        self._room -= len(kept)
        if kept:
            self._take(kept)

    def end(self) -> str:
        """All that was printed; if some was dropped, a line at the end says how much."""
        if self._dropped and not self._ended:
            self._take(f"\n… {self._dropped:,} more characters were printed and are not shown\n")
        self._ended = True
        return "".join(self._pieces)

    def _take(self, text: str) -> None:
        self._pieces.append(text)
        if self._onward is not None:
            self._onward(text)
