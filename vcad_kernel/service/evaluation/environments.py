"""The environments of cells that are kept: those used last, by folder and history.

A request names the history that it builds on. An environment with just that history serves it at once;
one that is the outcome of its beginning runs what is missing; otherwise a new one runs all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vcad_kernel.contracts.messages import HistoryEntry
from vcad_kernel.loon.runtime.limits.limits import Limits
from vcad_kernel.service.evaluation.cells import CellEnvironment

__all__ = ["Environments"]

_KEPT: Final = 8


class Environments:
    """Environments, the one used last at the end. limits: what one run may use by default."""

    def __init__(self, folder: Path | None, limits: Limits, kept: int = _KEPT) -> None:
        self._limits = limits
        self._most = kept
        self._kept = [CellEnvironment(folder, limits)]
        self._spoiled: CellEnvironment | None = None
        """The one that was used last, where a run in it was stopped."""
        self._wanted: Sequence[HistoryEntry] = ()
        """What that one was the outcome of before."""

    @property
    def current(self) -> CellEnvironment:
        """The one that was used last, perhaps spoiled by a run that was stopped: to ask what names mean."""
        return self._spoiled or self._kept[-1]

    def restored(self) -> CellEnvironment:
        """The one that was used last; where a run in it was stopped, one as it was before that.

        Raises: what stops its making from outside.
        """
        if self._spoiled is None:
            return self._kept[-1]
        history = self._wanted
        environment, known = self.closest(history, self._spoiled.folder)
        whole = False
        try:
            environment.replay(history[known:])
            whole = True
        finally:
            if not whole:
                self.discard(environment, history)
        return environment

    def __len__(self) -> int:
        return len(self._kept)

    def closest(self, history: Sequence[HistoryEntry], folder: Path | None) -> tuple[CellEnvironment, int]:
        """The environment that has most of a history, and how many of its entries; it is current now."""
        best, most = None, -1
        for environment in self._kept:
            shared = environment.shared_with(history) if environment.folder == folder else None
            if shared is not None and shared >= most:
                best, most = environment, shared
        if best is None:
            best, most = CellEnvironment(folder, self._limits), 0
        else:
            self._kept.remove(best)
        self._kept.append(best)
        del self._kept[: -self._most]
        self._spoiled = None
        return best, most

    def discard(self, environment: CellEnvironment, history: Sequence[HistoryEntry]) -> None:
        """Throw an environment away: what it went through is not known.

        history: what there was before.
        """
        self._kept = [kept for kept in self._kept if kept is not environment]
        self._spoiled, self._wanted = environment, history

    def clear(self) -> None:
        """Throw all away."""
        folder = self.current.folder
        self._spoiled = None
        self._kept = [CellEnvironment(folder, self._limits)]
