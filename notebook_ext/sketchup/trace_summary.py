"""A trace, and what came of one, in lines for people; pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from notebook_ext.session.node_names import name_of

if TYPE_CHECKING:
    from notebook_ext.sketchup.trace import Operation, OperationResult, Trace, TraceResult

__all__ = ["result_summary", "trace_summary"]

_NOTHING = "SketchUp shows all of it already"
_NO_PLAN = "nothing to do: SketchUp has been given all of it"


def trace_summary(trace: Trace) -> str:
    """A line for each operation, then what cannot be done, then notes."""
    lines = [f"{one.type.replace('_', ' ')} {name_of(one.target)}{_planned(one)}" for one in trace.operations]
    lines += [f"cannot be done: {name_of(one.object_id)}: {one.reason}" for one in trace.omitted]
    lines += [f"note: {one}" for one in trace.warnings]
    return "\n".join(lines) or _NO_PLAN


def result_summary(result: TraceResult, *, foreign: bool = True) -> str:
    """A line for each part, then what differs from the project.

    foreign: also what somebody else has put there, which no push changes.
    """
    lines = [f"{name_of(one)}: removed to be built anew" for one in result.removed]
    by_part: dict[str, list[str]] = {}
    for one in result.executed:
        by_part.setdefault(one.component or one.target, []).append(_done(one))
        by_part[one.component or one.target] += [f"note: {note}" for note in one.warnings]
    lines += [f"{name_of(part)}: {'; '.join(said)}" for part, said in by_part.items()]
    if result.failed_operation is not None:
        lines += _stopped(result)
    elif not lines:
        lines.append(_NOTHING)
    return "\n".join([*lines, *_differences(result, foreign)])


def _planned(one: Operation) -> str:
    """What of an operation's payload people want to see."""
    if one.type in ("place_instance", "move_instance"):
        of = f" of {name_of(one.payload['component'])}" if one.type == "place_instance" else ""
        return f"{of} at {_point(one.payload['transform'])}"
    if one.type == "upsert_definition":
        return f" (revision {one.payload['revision']})"
    return f": {one.payload[one.type.removeprefix('set_')] or 'none'}" if one.type.startswith("set_") else ""


def _done(one: OperationResult) -> str:
    if one.type == "upsert_definition":
        kept = one.replaced_instances
        instances = f", {kept} instance{'' if kept == 1 else 's'} kept" if kept else ""
        version = "" if one.version is None else f", version {one.version}"
        return f"geometry{version}{instances}"
    if one.type == "remove_definition":
        return "removed"
    what = {
        "place_instance": "was there already" if one.created is False else "placed",
        "move_instance": "moved",
        "set_layer": "layer set",
        "set_material": "material set",
        "remove_instance": "removed",
    }[one.type]
    where = ""
    if one.transform is not None and one.created is not False:
        where = f" {'to' if one.type == 'move_instance' else 'at'} {_point(one.transform)}"
    return f"{name_of(one.target)} {what}{where}"


def _stopped(result: TraceResult) -> Iterator[str]:
    failed = result.failed_operation or {}
    what = f"{failed['type'].replace('_', ' ')} {name_of(failed['target'])}"
    unsure = failed["error"]["error_code"] in ("UNKNOWN_OUTCOME", "STATE_CHANGED")
    left = "of which nobody knows whether it was done" if unsure else "which left nothing in SketchUp"
    yield f"stopped at: {what}, {left}: {failed['error']['message']}"
    if result.rollback.status == "complete":
        yield "everything before it was taken back"
    elif result.rollback.status == "partial":
        yield f"could not be taken back: {', '.join(result.rollback.remaining)}"


def _differences(result: TraceResult, foreign: bool) -> Iterator[str]:
    found = result.contamination
    if found is None:
        return
    for one in (*found.stale, *found.missing):
        yield f"note: {name_of(one.object_id)}: {one.reason}"
    for one in found.foreign if foreign else ():
        yield f"note: foreign: {name_of(one.object_id)}: {one.reason}"


def _point(transform: tuple[float, ...] | list[float]) -> str:
    x, y, z = (f"{part + 0.0:.6g}" for part in transform[12:15])
    return f"{x}, {y}, {z} mm"
