"""What an agent is told, once, when the session it works in is not the one that it knows."""

from __future__ import annotations

from notebook_ext.agents.proxy.finding import is_headless
from notebook_ext.session_records import SessionRecord

__all__ = ["news_of"]


def news_of(before: SessionRecord | None, now: SessionRecord) -> str:
    """What to say of a session. before: the one until then, None for the first. Returns: "" for nothing."""
    if before is not None and before.session_id == now.session_id:
        return ""
    if is_headless(now):
        return _without_notebook(now, began_anew=before is not None)
    if before is None:
        return ""
    return _moved(now) if is_headless(before) else _restarted(now)


def _without_notebook(record: SessionRecord, *, began_anew: bool) -> str:
    said = (
        f"No notebook works in {record.workspace}: you work in a session without one (attached: false). "
        "It moves to a notebook that opens this workspace."
    )
    if began_anew:
        said += " The session before has ended: what was only defined in it and not saved is gone."
    return said


def _moved(record: SessionRecord) -> str:
    return (
        "A notebook has opened the workspace: from now on you work in "
        f"{record.notebook or record.session_id} (attached: true). "
        "What was only defined before and not saved in files is not there."
    )


def _restarted(record: SessionRecord) -> str:
    name = record.notebook or record.kernel_id or "this workspace"
    return f"The session of {name} began anew: what earlier cells defined is gone until they run again."
