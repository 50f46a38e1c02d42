"""Which session an agent belongs to: the rules alone, over the records of the sessions that run.

first(records, wish)            at the beginning: the one that is named, else a notebook of the workspace
returned(records, lost, wish)   after a connection ended: the same world again, and never another
notebook_of(records, here)      for an agent that works without a notebook: the one that opened since
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from vcad_kernel.session_records import SessionRecord, choose, matching

__all__ = ["Wish", "first", "is_headless", "notebook_of", "returned"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the person who started the proxy asked for."""

    workspace: Path
    session: str | None = None
    """A session's or kernel's id, or a notebook's name; None for the newest session of the workspace."""


def is_headless(record: SessionRecord) -> bool:
    """Whether a session lives outside of any kernel: nobody's work is lost with it but the agents'."""
    return record.kernel_id is None


def first(records: Iterable[SessionRecord], wish: Wish) -> SessionRecord | None:
    """The session to attach to at the beginning: a person's, else one without a notebook."""
    listed = tuple(records)
    if wish.session is not None:
        return choose(listed, wish.workspace, wish.session)
    notebooks = [one for one in listed if not is_headless(one)]
    return choose(notebooks, wish.workspace) or choose(listed, wish.workspace)


def returned(records: Iterable[SessionRecord], lost: SessionRecord, wish: Wish) -> SessionRecord | None:
    """The world that was lost, as it runs now; None while it does not.

    A kernel that was restarted keeps its id and makes a new record. A session that was asked for by name is
    also found under that name. Where nothing of a person was lost, the search begins anew.
    """
    others = [one for one in records if one.session_id != lost.session_id]
    if is_headless(lost):
        return first(others, wish)
    same = [one for one in others if one.kernel_id == lost.kernel_id]
    if not same and wish.session is not None:
        same = list(matching(others, wish.session))
    return choose(same)


def notebook_of(records: Sequence[SessionRecord], here: SessionRecord) -> SessionRecord | None:
    """The newest notebook that works in the workspace of a session without one; None when none does."""
    return choose([one for one in records if not is_headless(one)], here.workspace)
