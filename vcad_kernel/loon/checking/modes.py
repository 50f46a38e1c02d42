"""What a function does with its arguments, as the ownership check (§18) tells functions apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

__all__ = ["BORROWS", "BUILTINS", "TAKES_OVER", "Mode", "Modes"]


class Mode(IntEnum):
    """What a function does with an argument; a higher one includes the lower ones."""

    BORROW = 0
    """Looks at it."""
    MUTATE = 1
    """Changes it in place, as ``push!`` does."""
    MOVE = 2
    """Takes it over: returns it, stores it, or passes it on to one that does."""


@dataclass(frozen=True, slots=True)
class Modes:
    """The modes of a named function's parameters, clause by clause."""

    clauses: tuple[tuple[Mode, ...], ...]
    beyond: Mode = Mode.MOVE
    """Of arguments that no clause has a parameter for: a rest parameter stores them in a vector."""

    def of(self, count: int) -> Iterator[Mode]:
        """The modes of the arguments of a call with ``count`` of them."""
        fitting = [clause for clause in self.clauses if len(clause) <= count]
        chosen = max(fitting or self.clauses, key=len, default=())
        yield from chosen[:count]
        for _ in range(count - len(chosen)):
            yield self.beyond


BORROWS: Final = Modes((), Mode.BORROW)
"""A function that looks at all its arguments and keeps none."""

TAKES_OVER: Final = Modes((), Mode.MOVE)
"""A function of which nothing is known."""

_LOOKING: Final = (
    *("println", "print", "str", "len", "nth", "get", "contains?", "empty?"),
    *("+", "-", "*", "<", ">", "<=", ">=", "=", "not", "and", "or"),
)

BUILTINS: Final = {
    **dict.fromkeys((*_LOOKING, "recv", "try-recv"), BORROWS),
    "send": Modes(((Mode.BORROW,),)),
    "push!": Modes(((Mode.MUTATE,),)),
}
"""The builtins that take nothing over, or not everything; all others do. The specification does not name
those of channels, but the ends of a channel are there to be used again."""
