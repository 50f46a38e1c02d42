"""Which entries of a history of cells no later evaluation needs any more.

A history grows by an entry with each run, a hundred while a slider is dragged. Most of them leave nothing
behind: a run whose names the cell's next run has taken back, a look at a value, a name taken back that
nobody defines. `obsolete` finds them, so that who keeps a history can drop them: what is left, run again
from the start, gives the same names and values.

The rule is careful. A run is kept when it covered another cell's name, which would come to light without
it; when it did something that taking names back does not undo; and while anything that ran before the
cell's next run may have seen what it defined, or would see what it took back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vcad_kernel.contracts.messages import HistoryEntry, TakenBack
from vcad_kernel.errors import Cancelled, ErrorCode, VcadError

__all__ = ["Ran", "obsolete", "was_stopped"]

_STOPPED = frozenset(
    {
        ErrorCode.EVAL_CANCELLED,
        ErrorCode.VCAD_EVAL_TIMEOUT,
        ErrorCode.WORKER_CRASHED,
        ErrorCode.WORKER_OUT_OF_MEMORY,
    }
)


def was_stopped(error: BaseException) -> bool:
    """Whether an evaluation was ended from outside rather than by its program.

    A cell that was stopped is not in the history, and the environment that ran it is thrown away: where it
    was stopped depends on the clock, so running it again would not do the same.
    """
    if not isinstance(error, VcadError):
        return isinstance(error, KeyboardInterrupt | MemoryError)
    return isinstance(error, Cancelled) or error.error_code in _STOPPED or error.code == "time-limit"


@dataclass(frozen=True, slots=True, eq=False)
class Ran:
    """An entry of a history, and what its run did."""

    entry: HistoryEntry
    hash: str = ""
    """Of a cell."""
    defined: frozenset[str] = frozenset()
    """The names that it bound."""
    gone: frozenset[str] = frozenset()
    """The names of the cell's earlier runs that it took back when it began, or that runs between did."""
    asked: frozenset[str] = frozenset()
    """Every global name that its code may look up, and those that it bound."""
    lasting: bool = False
    """It covered other cells' names, or did what taking names back does not undo."""
    stateful: bool = False
    """It has code that changes values in place, which runs of other entries may set off."""

    @property
    def cell_id(self) -> str | None:
        """Whose run it was; None for names taken back."""
        return None if isinstance(self.entry, TakenBack) else self.entry.cell_id


def obsolete(history: Sequence[Ran]) -> tuple[int, ...]:
    """The indexes of entries that may be dropped after the last one has run.

    Looked at are the runs of the cell that ran last, itself included, names taken back, and whatever has
    bound nothing: cells that fail, and are never mended, would pile up for as long as a kernel runs.
    """
    if not history or any(ran.stateful for ran in history):
        return ()
    kept = list(range(len(history)))
    cell = history[-1].cell_id
    for index in range(len(history)):
        ran = history[index]
        if ran.cell_id is None:
            needless = not _defined_before(history, kept, index)
        else:
            is_looked_at = ran.cell_id == cell or not ran.defined | ran.gone
            needless = is_looked_at and _is_needless(history, kept, index)
        if needless:
            kept.remove(index)
    left = set(kept)
    return tuple(index for index in range(len(history)) if index not in left)


def _defined_before(history: Sequence[Ran], kept: Sequence[int], index: int) -> bool:
    """Whether there may have been anything to take back."""
    entry = history[index].entry
    assert isinstance(entry, TakenBack)
    return any(history[other].defined & entry.names for other in kept if other < index)


def _is_needless(history: Sequence[Ran], kept: Sequence[int], index: int) -> bool:
    """Whether everything after a run of a cell is the same without it."""
    ran = history[index]
    if ran.lasting:
        return False
    seen = ran.defined | ran.gone
    if not seen:
        return True
    later = [other for other in kept if other > index]
    following = next((other for other in later if history[other].cell_id == ran.cell_id), None)
    if following is None:
        return False
    between = [history[other] for other in later if other < following]
    if not between:
        return True
    before = [history[other] for other in kept if other < following and other != index]
    return not any(seen & _reached(other, before) for other in between)


def _reached(entry: Ran, history: Sequence[Ran]) -> frozenset[str]:
    """The names that may be looked up when an entry runs, in functions and macros of other entries too."""
    reached = set(entry.asked)
    pending = list(history)
    while True:
        more = [other for other in pending if other.defined & reached]
        if not more:
            return frozenset(reached)
        pending = [other for other in pending if other not in more]
        for other in more:
            reached |= other.asked
