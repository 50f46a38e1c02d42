"""From which files a project's parts were made last: what a later kernel watches before it has made them.

Which modules a text loads only its evaluation says, and a kernel that begins has evaluated nothing yet. So it
is kept in the workspace's ``.vcad/session.json``; where it is lost, a part follows its own file until it is
made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from notebook_ext.session.log.log import SessionLog
    from notebook_ext.state_file import StateFile

__all__ = ["KeptFiles"]

_SECTION: Final = "made_from"
"""Of `StateFile`: ``{node_id: [path]}``."""


class KeptFiles:
    """One thread uses it."""

    def __init__(self, state: StateFile, log: SessionLog) -> None:
        self._state = state
        self._log = log
        self._files: Mapping[str, tuple[str, ...]] | None = None

    def of(self, node_id: str) -> tuple[str, ...]:
        """The files of a node's part, from the workspace, with ``/``; empty where that is not known."""
        return self._known().get(node_id, ())

    def keep(self, files: Mapping[str, tuple[str, ...]]) -> None:
        """These are the files of all parts now. What cannot be written is in the log."""
        if files == self._known():
            return
        self._files = dict(files)
        try:
            self._state.write(_SECTION, {node_id: list(paths) for node_id, paths in files.items()})
        except OSError as unwritten:
            self._log.event("watch_state_not_kept", level="warning", error=str(unwritten))

    def _known(self) -> Mapping[str, tuple[str, ...]]:
        if self._files is None:
            try:
                self._files = _read(self._state.read(_SECTION))
            except (OSError, ValueError) as unreadable:
                self._log.event("watch_state_unreadable", level="warning", error=str(unreadable))
                self._files = {}
        return self._files


def _read(kept: Any) -> Mapping[str, tuple[str, ...]]:
    """What makes sense of a section that may have been edited by hand."""
    rows = kept.items() if isinstance(kept, dict) else ()
    return {
        node_id: tuple(path for path in paths if isinstance(path, str))
        for node_id, paths in rows
        if isinstance(paths, list)
    }
