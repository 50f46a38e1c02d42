"""What the parts of a session were: the last few revisions of each, to compare with.

A part holds no mesh that somebody else does not: an old one is asked for again when it is looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from notebook_ext.session.events import SessionEvent
from notebook_ext.session.node_names import node_id_of

if TYPE_CHECKING:
    from notebook_ext.display.part import Part
    from notebook_ext.session.session import Session

__all__ = ["KeptRevisions"]

_MOST: Final = 8
"""Of one part; a slider makes one with each move."""


class KeptRevisions:
    """Those of a session's parts, from now on."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: dict[str, dict[int, Part]] = {}
        session.subscribe(self._note)

    def of(self, node_id: str) -> dict[int, Part]:
        """Revision → the part as it was, the newest last; on any thread."""
        return dict(self._kept.get(node_id, {}))

    def _note(self, event: SessionEvent) -> None:
        """On the session's thread."""
        if event.node_id is None:
            return
        node_id = node_id_of(event.node_id)
        if event.kind == "forgotten":
            self._kept.pop(node_id, None)
        elif event.kind == "evaluated" and event.revision is not None:
            kept = self._kept.get(node_id, {}) | {event.revision: self._session[event.node_id]}
            self._kept[node_id] = {revision: kept[revision] for revision in sorted(kept)[-_MOST:]}
