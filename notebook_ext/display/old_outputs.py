"""What IPython remembers of old runs goes when it forgets their results.

IPython keeps the latest thousand results (``Out``), but of every run what it showed, pictures and all, and
how it failed; and each result as ``_12`` among the names that ``%who`` hides, of which it takes none out.
In a kernel that runs for weeks that is most of its memory. Knows IPython, and no parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["OldOutputs"]

_KEPT: Final = 1000
"""Runs, where ``Out`` is switched off: as many as IPython keeps results by itself."""


class OldOutputs:
    """Forgets them for one shell, from :meth:`open` to :meth:`close`."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._hidden_from = 0
        """The number of the oldest run whose result may be among the hidden names."""

    def open(self) -> None:
        """Look after each run."""
        self._shell.events.register("post_run_cell", self._forget)

    def close(self) -> None:
        """Look no more; what is remembered stays."""
        self._shell.events.unregister("post_run_cell", self._forget)

    def _forget(self, _result: Any) -> None:
        last = self._shell.execution_count - (self._shell.cache_size or _KEPT)
        history: Any = self._shell.history_manager
        for name in ("outputs", "exceptions"):
            remembered = getattr(history, name, None)
            # runs are numbered upwards, and the oldest comes first
            while remembered and (oldest := next(iter(remembered))) < last:
                del remembered[oldest]
        first = next(iter(self._shell.user_ns.get("_oh", ())), self._shell.execution_count)
        for number in range(self._hidden_from, first):
            self._shell.user_ns_hidden.pop(f"_{number}", None)
        self._hidden_from = max(self._hidden_from, first)
