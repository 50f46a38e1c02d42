"""What came of executing a trace: of each operation, of taking back, and of the scene afterwards.

Values that `push.py` makes, files keep and people read. Knows no connection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct, field

from notebook_ext.session.node_names import name_of
from notebook_ext.session.project.canonical import json_object
from notebook_ext.session.project.design_model import Bounds, Transform
from notebook_ext.sketchup.scene_check import Finding, SceneCheck
from notebook_ext.sketchup.trace import point_of

__all__ = ["Cause", "FailedOperation", "OperationResult", "Rollback", "Status", "TraceResult"]

Status: TypeAlias = Literal["executed", "failed", "unchanged"]

_NOTHING: Final = "SketchUp shows all of it already"
_NO_CHANGE: Final = "nothing was pushed"


class OperationResult(Struct, frozen=True):
    """What came of one operation."""

    operation_id: str
    type: str
    target: str
    created: bool | None = None
    """Of what is put there: whether it is new, or was there already."""
    settled: bool = False
    """Whether its answer was lost, and what it did was found by looking."""
    entity_id: int | None = None
    persistent_id: int | None = None
    version: int | None = None
    model_revision: int | None = None
    elapsed_ms: float | None = None
    bounds: Bounds | None = None
    component: str | None = None
    """Of an instance, the component it is of."""
    transform: Transform | None = None
    """Where an instance was put."""
    replaced_instances: int | None = None
    """Of geometry that was exchanged: the instances that show it, as they stood."""
    warnings: tuple[str, ...] = ()


class Cause(Struct, frozen=True):
    """Why an operation failed, as its error says."""

    error_code: str
    message: str
    details: Mapping[str, Any]


class FailedOperation(Struct, frozen=True):
    """The operation at which a trace stopped."""

    operation_id: str
    index: int | None
    """Among the trace's operations; None while the scene was being emptied."""
    type: str
    target: str
    error: Cause


class Rollback(Struct, frozen=True):
    """What was taken back after a failure.

    ``not_needed``: nothing was to be taken back, beyond the failed operation itself, which leaves nothing.
    ``complete``: everything that had been done. ``partial``: all but ``remaining``.
    """

    status: Literal["complete", "partial", "not_needed"] = "not_needed"
    remaining: tuple[str, ...] = ()
    """Ids of the operations that still stand."""

    def to_json(self) -> dict[str, Any]:
        """As callers see it."""
        return json_object(self)


class TraceResult(Struct, frozen=True, tag_field="schema", tag=1):
    """What came of executing a trace."""

    trace_id: str
    request_id: str
    status: Status
    executed: tuple[OperationResult, ...] = ()
    removed: tuple[str, ...] = ()
    """What a clean replay took out of the scene first: ids of instances, and of nodes that went whole."""
    failed_operation: FailedOperation | None = None
    """None when all went well."""
    rollback: Rollback = field(default_factory=Rollback)
    model_revision: int | None = None
    found: tuple[Finding, ...] = ()
    """Of what was to be pushed, where SketchUp showed something else than it had been given last."""
    contamination: SceneCheck | None = None
    """How the scene compares with the truth afterwards; None when it could not be asked."""

    def to_json(self) -> dict[str, Any]:
        """As files and callers see it."""
        json = json_object(self)
        if not self.found:
            del json["found"]
        if self.contamination is not None:
            json["contamination"] = self.contamination.to_json()
        return json

    def summary(self, *, foreign: bool = True) -> str:
        """What was done, for people: a line for each part, then what differs from the project.

        foreign: also what others have put there, which no push changes.
        """
        lines = [f"{name_of(object_id)}: removed to be built anew" for object_id in self.removed]
        by_part: dict[str, list[str]] = {}
        for step in self.executed:
            by_part.setdefault(step.component or step.target, []).append(_done(step))
            by_part[step.component or step.target] += [f"note: {note}" for note in step.warnings]
        lines += [f"{name_of(part)}: {'; '.join(said)}" for part, said in by_part.items()]
        if self.failed_operation is not None:
            lines += _stopped(self.failed_operation, self.rollback)
        elif not lines:
            scene = self.contamination
            lines.append(_NOTHING if scene is None or not (scene.stale or scene.missing) else _NO_CHANGE)
        return "\n".join([*lines, *_differences(self, foreign)])

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(self.summary())


def _done(step: OperationResult) -> str:
    if step.type == "upsert_definition":
        kept = step.replaced_instances
        instances = f", {kept} instance{'' if kept == 1 else 's'} kept" if kept else ""
        version = "" if step.version is None else f", version {step.version}"
        return f"geometry{version}{instances}"
    if step.type == "remove_definition":
        return "removed"
    what = {
        "place_instance": "was there already" if step.created is False else "placed",
        "move_instance": "moved",
        "set_layer": "layer set",
        "set_material": "material set",
        "remove_instance": "removed",
    }[step.type]
    where = ""
    if step.transform is not None and step.created is not False:
        where = f" {'to' if step.type == 'move_instance' else 'at'} {point_of(step.transform)}"
    return f"{name_of(step.target)} {what}{where}"


def _stopped(failed: FailedOperation, rollback: Rollback) -> Iterator[str]:
    what = f"{failed.type.replace('_', ' ')} {name_of(failed.target)}"
    unsure = failed.error.error_code in ("UNKNOWN_OUTCOME", "STATE_CHANGED")
    left = "whose outcome is unknown" if unsure else "which left nothing in SketchUp"
    yield f"stopped at: {what}, {left}: {failed.error.message}"
    if rollback.status == "complete":
        yield "everything before it was taken back"
    elif rollback.status == "partial":
        yield f"could not be taken back: {', '.join(rollback.remaining)}"


def _differences(result: TraceResult, foreign: bool) -> Iterator[str]:
    scene = result.contamination
    still = () if scene is None else scene.stale
    for entry in result.found:
        if entry not in still:
            yield f"note: {name_of(entry.object_id)}: {entry.reason.replace('shows', 'showed', 1)}"
    if scene is None:
        return
    for entry in (*scene.stale, *scene.missing):
        yield f"note: {name_of(entry.object_id)}: {entry.reason}"
    for entry in scene.foreign if foreign else ():
        yield f"note: foreign: {name_of(entry.object_id)}: {entry.reason}"
