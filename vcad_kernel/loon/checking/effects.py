"""Which effects a function performs (§17.2): by itself, and through the named functions that it calls.

A function's own part is read off its body while its types are inferred. What it calls is looked up
when somebody asks, so a function that was redefined counts as what it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Performs", "Step", "performed"]


@dataclass(frozen=True, slots=True)
class Step:
    """Something that a function does: it performs an operation, or it calls a named function."""

    name: str
    is_call: bool
    handled: frozenset[str]
    """The operations that are handled around this place."""


Performs: TypeAlias = tuple[Step, ...]


def performed(steps: Iterable[Step], callee: Callable[[str], Sequence[Step] | None]) -> dict[str, str]:
    """The operations that reach the caller, each with the name of the function called for it, if any.

    callee: the steps of a named function; None for one that is not known, or does nothing.
    """
    found: dict[str, str] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(step, step.handled, "") for step in steps]
    waiting.reverse()
    while waiting:
        step, handled, through = waiting.pop()
        if not step.is_call:
            if step.name not in handled:
                found.setdefault(step.name, through)
            continue
        if (step.name, handled) in seen:
            continue
        seen.add((step.name, handled))
        inner = callee(step.name) or ()
        waiting += [(one, handled | one.handled, through or step.name) for one in reversed(inner)]
    return found
