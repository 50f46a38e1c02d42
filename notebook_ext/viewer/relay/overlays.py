"""What lies over the parts in every view: notes, what glows, and what somebody proposes.

    overlays.annotate({"annotation_id": "a-1", "text": "too thin", "point": (1, 2, 3)})
    overlays.highlight(node, "taken", lines=taken.lines)     # until the node changes, or another of the tone

All of it stands until it is taken away, so a view that opens later shows it, too. Knows messages and nodes;
does not know who is connected.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from notebook_ext.viewer.relay.messages import (
    AnnotationGone,
    AnnotationShown,
    Buffer,
    Highlight,
    Parcel,
    Proposal,
    ProposalGone,
    Tone,
)
from notebook_ext.viewer.relay.nodes import Node

__all__ = ["Line", "Overlays", "Waiting"]

Line: TypeAlias = Sequence[tuple[float, float, float]]
"""Points of one line, mm, as the node is modelled."""

_HIGHLIGHT: Final = "highlight"
_PROPOSAL: Final = "proposal"


class Waiting(NamedTuple):
    """A message that waits, in place of what waits under the same key."""

    key: str
    feature: str
    """What a view must have listed; "" for what every view can do."""
    message: Callable[[], Parcel]
    """Makes it as it is when it is sent."""


class Overlays:
    """lock: held while anything changes. tell: has a message wait for every view."""

    def __init__(self, lock: threading.RLock, tell: Callable[[Waiting], object]) -> None:
        self._lock = lock
        self._tell = tell
        self._annotations: dict[str, dict[str, Any]] = {}
        self._glowing: dict[tuple[str, Tone], tuple[str, Parcel]] = {}
        """Node and tone → the digest that it holds for, and what glows."""
        self._proposals: dict[str, Parcel] = {}

    def clear(self) -> None:
        """Nothing lies over the parts any more; views are told by `SceneReset`."""
        with self._lock:
            self._annotations.clear()
            self._glowing.clear()
            self._proposals.clear()

    # ---- notes -----------------------------------------------------------------------------

    @property
    def annotations(self) -> tuple[Mapping[str, Any], ...]:
        """The notes that views show, oldest first."""
        with self._lock:
            return tuple(self._annotations.values())

    def annotate(self, annotation: Mapping[str, Any]) -> None:
        """Have a note be seen; one of the same ``annotation_id`` is replaced."""
        key = str(annotation["annotation_id"])
        with self._lock:
            self._annotations[key] = dict(annotation)
            self._tell_note(key)

    def take_back(self, annotation_id: str) -> None:
        """Have a note be seen no more; one that there is not is no error."""
        with self._lock:
            if self._annotations.pop(annotation_id, None) is not None:
                self._tell_note(annotation_id)

    def _tell_note(self, annotation_id: str) -> None:
        self._tell(Waiting(f"annotation {annotation_id}", "", lambda: self._note(annotation_id)))

    def _note(self, annotation_id: str) -> Parcel:
        with self._lock:
            note = self._annotations.get(annotation_id)
        return Parcel(
            AnnotationGone(annotation_id=annotation_id) if note is None else AnnotationShown(annotation=note)
        )

    # ---- what glows ------------------------------------------------------------------------

    def highlight(
        self, node: Node, tone: Tone, *, faces: Sequence[int] = (), lines: Sequence[Line] = ()
    ) -> None:
        """Have faces and lines of a node glow, in place of what glows there in this tone.

        faces: numbers as the node's rows have them. Without any nothing glows; nor once the node has
        other triangles.
        """
        key = node.node_id, tone
        with self._lock:
            if faces or lines:
                said = Highlight(node_id=node.node_id, faces=tuple(faces), tone=tone)
                known = self._glowing.get(key)
                if not lines and known is not None and known[1].message == said:
                    return
                self._glowing[key] = node.digest, Parcel(said, (_segments(lines),))
            elif self._glowing.pop(key, None) is None:
                return
            self._tell(self._glow(key))

    def forget(self, node_id: str, digest: str | None) -> None:
        """A node has these triangles now, or is no more: what held for others glows no longer.

        Views drop it by themselves when they are told of the node.
        """
        with self._lock:
            for key in [key for key, (held, _) in self._glowing.items() if key[0] == node_id]:
                if self._glowing[key][0] != digest:
                    del self._glowing[key]

    def _glow(self, key: tuple[str, Tone]) -> Waiting:
        def message() -> Parcel:
            with self._lock:
                glowing = self._glowing.get(key)
            return Parcel(Highlight(node_id=key[0], tone=key[1])) if glowing is None else glowing[1]

        return Waiting(f"{_HIGHLIGHT} {key[1]} {key[0]}", _HIGHLIGHT, message)

    def standing(self) -> Iterator[Waiting]:
        """What a view that opens now lacks besides its snapshot, which has the notes."""
        with self._lock:
            yield from [self._glow(key) for key in self._glowing]
            yield from [self._ghost(proposal_id) for proposal_id in self._proposals]

    # ---- what is proposed ------------------------------------------------------------------

    def propose(self, proposal: Parcel) -> None:
        """Have what a `Proposal` would change be seen as a ghost, until it is withdrawn."""
        assert isinstance(proposal.message, Proposal)
        key = proposal.message.proposal_id
        with self._lock:
            self._proposals[key] = proposal
            self._tell(self._ghost(key))

    def withdraw(self, proposal_id: str) -> None:
        """A proposal has been answered; one that there is not is no error."""
        with self._lock:
            if self._proposals.pop(proposal_id, None) is not None:
                self._tell(self._ghost(proposal_id))

    def _ghost(self, proposal_id: str) -> Waiting:
        def message() -> Parcel:
            with self._lock:
                proposal = self._proposals.get(proposal_id)
            return Parcel(ProposalGone(proposal_id=proposal_id)) if proposal is None else proposal

        return Waiting(f"{_PROPOSAL} {proposal_id}", _PROPOSAL, message)


def _segments(lines: Sequence[Line]) -> Buffer:
    """(n, 2, 3): each line from point to point."""
    pairs = [pair for line in lines for pair in pairwise(line)]
    return Buffer("segments", "f4", np.array(pairs, np.float32).reshape(-1, 2, 3))
