"""Which session an agent belongs to: the rules alone, over the records of the sessions that run.

first(records, choice)           at the beginning: the one that is named, else a notebook of the workspace
returned(records, lost, choice)  after a connection ended: the same world again, and never another
notebook_of(records, here)       for an agent that works without a notebook: the one that opened since
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from notebook_ext.session_records import SessionRecord, choose, matching

__all__ = ["SessionChoice", "first", "is_headless", "notebook_of", "returned"]


@dataclass(frozen=True, slots=True)
class SessionChoice:
    """What the person who started the proxy asked for."""

    workspace: Path
    session: str | None = None
    """A session's or kernel's id, or a notebook's name; None for the newest session of the workspace."""


def is_headless(record: SessionRecord) -> bool:
    """Whether a session lives outside of any kernel: no work is lost with it but the agents'."""
    return record.kernel_id is None


def first(records: Iterable[SessionRecord], choice: SessionChoice) -> SessionRecord | None:
    """The session to attach to at the beginning: a person's, else one without a notebook."""
    listed = tuple(records)
    if choice.session is not None:
        return choose(listed, choice.workspace, choice.session)
    notebooks = [record for record in listed if not is_headless(record)]
    return choose(notebooks, choice.workspace) or choose(listed, choice.workspace)


def returned(
    records: Iterable[SessionRecord], lost: SessionRecord, choice: SessionChoice
) -> SessionRecord | None:
    """The world that was lost, as it runs now, or as it is about to end; None while it does not run.

    A kernel that was restarted keeps its id and makes a new record; where only the connection was lost, the
    session is the same. One that was asked for by name is also found under that name. Where nothing of a
    person was lost, the search begins anew.
    """
    listed = list(records)
    if is_headless(lost):
        return first(listed, choice)
    same = [record for record in listed if record.kernel_id == lost.kernel_id]
    if not same and choice.session is not None:
        same = list(matching(listed, choice.session))
    return choose(same)


def notebook_of(
    records: Sequence[SessionRecord], here: SessionRecord, choice: SessionChoice
) -> SessionRecord | None:
    """The newest notebook that works in the workspace of a session without one; None when none does.

    None, too, where that session was asked for by name: then it is the one that is meant.
    """
    if choice.session is not None:
        return None
    return choose([record for record in records if not is_headless(record)], here.workspace)
