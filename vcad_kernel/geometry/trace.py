"""Trace: what is known of a noted body besides its shape: who made it, how exactly, and what to say.

Grows with the document in O(1) a node: a trace points at those below it, and is gathered when a solid
is finished. Makers are digests, so that a trace serves every document with the same content.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vcad_kernel.geometry.traced import Note
from vcad_kernel.ir.digest import Digest

__all__ = ["Trace"]


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What is known of a body."""

    chord: float = 0.0
    """Largest distance between the mesh and the true surface of any operand, millimetres."""
    makers: tuple[tuple[int, Digest], ...] = ()
    """The node that made each original solid, those below not repeated."""
    notes: tuple[Note, ...] = ()
    """Warnings, those below not repeated."""
    below: tuple[Trace, ...] = ()

    @classmethod
    def over(
        cls,
        below: Sequence[Trace],
        chord: float,
        makers: tuple[tuple[int, Digest], ...],
        notes: tuple[Note, ...],
    ) -> Trace:
        """The trace of a body that adds this to those of its operands."""
        if len(below) == 1 and not (chord or makers or notes):
            return below[0]
        return cls(max(chord, *(one.chord for one in below)) if below else chord, makers, notes, tuple(below))

    def all_makers(self) -> dict[int, Digest]:
        """The node that made each original solid."""
        return {original: maker for trace in self._every() for original, maker in trace.makers}

    def all_notes(self) -> tuple[Note, ...]:
        """The warnings, each once, operands before what is made of them."""
        return tuple(dict.fromkeys(note for trace in self._every() for note in trace.notes))

    def _every(self) -> Iterator[Trace]:
        """This trace and all below it, each once, children first."""
        seen: set[int] = set()
        pending: list[tuple[Trace, bool]] = [(self, False)]
        while pending:
            trace, opened = pending.pop()
            if opened:
                yield trace
            elif id(trace) not in seen:
                seen.add(id(trace))
                pending.append((trace, True))
                pending.extend((one, False) for one in reversed(trace.below))
