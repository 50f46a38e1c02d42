"""What an evaluation prints, passed on as it comes and whole in the end.

Pieces may be lost on their way; the result has everything, so what was not passed on by then is passed
on then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vcad_kernel.service.protocol import Output

__all__ = ["PrintedText"]


class PrintedText:
    """Of one evaluation. onward: who takes it."""

    def __init__(self, onward: Output | None) -> None:
        self._onward = onward
        self._passed_on: list[str] = []
        self._length = 0

    def piece(self, offset: int, text: str) -> None:
        """A piece that begins at a character of the whole; one after a gap waits for the result."""
        if offset == self._length and text:
            self._pass_on(text)

    def whole(self, text: str) -> None:
        """All that has been printed."""
        passed_on = "".join(self._passed_on)
        rest = text.removeprefix(passed_on)
        if rest:
            self._pass_on(rest)

    def _pass_on(self, text: str) -> None:
        self._passed_on.append(text)
        self._length += len(text)
        if self._onward is not None:
            self._onward(text)
