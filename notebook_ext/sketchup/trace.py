"""What has to be done in SketchUp, one operation after another, and what came of it.

A trace is derived from the project's truth alone (`planning.py`), can be printed, kept in a file and
executed later (`push.py`). Its id is a hash of what it says, so equal truths give equal traces. Both say what
they are in lines for people. Knows no connection and no file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from blake3 import blake3
from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import replace

from notebook_ext.session.canonical import canonical_json, json_value
from notebook_ext.session.design_model import Bounds, Transform
from notebook_ext.session.node_names import name_of
from notebook_ext.sketchup.scene_check import SceneCheck
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = [
    "OPERATION_TYPES",
    "Mode",
    "Omitted",
    "Operation",
    "OperationResult",
    "Rollback",
    "Status",
    "Trace",
    "TraceResult",
]

Mode: TypeAlias = Literal["incremental", "clean"]
Status: TypeAlias = Literal["executed", "failed", "unchanged"]

OPERATION_TYPES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "upsert_definition": ("mesh_path", "mesh_digest", "revision"),
        "place_instance": ("component", "instance_id", "transform", "layer", "material"),
        "move_instance": ("component", "instance_id", "transform"),
        "set_layer": ("component", "instance_id", "layer"),
        "set_material": ("component", "instance_id", "material"),
        "remove_instance": ("component", "instance_id"),
        "remove_definition": (),
    }
)
"""The operations there are, and what the payload of each must say; the target is a node or an instance."""
_NOTHING: Final = "SketchUp shows all of it already"
_NO_PLAN: Final = "nothing to do: SketchUp has been given all of it"


class Operation(Struct, frozen=True):
    """One call of the bridge and one undo step."""

    operation_id: str
    type: str
    target: str
    """Id of the component or of the instance."""
    payload: Mapping[str, Any]
    depends_on: tuple[str, ...] = ()
    rollback: Mapping[str, Any] = field(default_factory=lambda: {"kind": "none"})
    """How it is taken back: ``undo`` while it is SketchUp's last step, else as ``inverse`` names it."""

    @classmethod
    def of(
        cls,
        kind: str,
        target: str,
        payload: Mapping[str, Any],
        *,
        depends_on: tuple[str, ...] = (),
        inverse: str | None = None,
    ) -> Operation:
        """With an id made of what it does. inverse: the type of the operation that takes it back."""
        said = canonical_json([kind, target, payload])
        return cls(
            operation_id=f"op-{blake3(said.encode()).hexdigest()[:12]}",
            type=kind,
            target=target,
            payload=dict(payload),
            depends_on=depends_on,
            rollback={"kind": "undo", **({"inverse": inverse} if inverse else {})},
        )

    def to_json(self) -> dict[str, Any]:
        """As files and the truth hold it."""
        return _json(self)


class Omitted(Struct, frozen=True):
    """An object of the truth that cannot become an operation."""

    object_id: str
    reason: str

    def to_json(self) -> dict[str, str]:
        """As callers see it, and as they name it to accept it."""
        return _json(self)


class Trace(Struct, frozen=True, tag_field="schema", tag=1):
    """Operations in the order in which they are executed."""

    trace_id: str
    mode: Mode
    scope: tuple[str, ...] | None
    """Ids of components and instances; None for everything."""
    operations: tuple[Operation, ...]
    omitted: tuple[Omitted, ...] = ()
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        mode: Mode,
        scope: tuple[str, ...] | None,
        operations: tuple[Operation, ...],
        omitted: tuple[Omitted, ...] = (),
        warnings: tuple[str, ...] = (),
    ) -> Trace:
        """With an id made of what it says."""
        trace = cls("", mode, scope, operations, omitted, warnings)
        digest = blake3(canonical_json(trace.to_json()).encode()).hexdigest()
        return replace(trace, trace_id=f"trace-{digest[:16]}")

    @property
    def complete(self) -> bool:
        """Whether everything in scope has become an operation, or needs none."""
        return not self.omitted

    @classmethod
    def from_json(cls, found: object, *, operation: str = "read a trace") -> Trace:
        """Of what `to_json` gave. Raises: ServiceFailure TRACE_INCOMPLETE for what is no trace."""
        try:
            trace = convert(found, cls)
        except ValidationError as error:
            raise _incomplete(operation, f"it is no trace: {error}") from None
        trace.verify(operation)
        return trace

    def to_json(self) -> dict[str, Any]:
        """As files hold it."""
        return {**_json(self), "complete": self.complete}

    def verify(self, operation: str) -> None:
        """Let a trace pass that can be executed as it stands.

        Raises: ServiceFailure TRACE_INCOMPLETE for an unknown type, a payload that lacks something, an
        operation that depends on one which does not come before it.
        """
        if self.mode not in ("incremental", "clean"):
            raise _incomplete(operation, f"there is no mode {self.mode!r}")
        done: set[str] = set()
        for index, one in enumerate(self.operations):
            wanted = OPERATION_TYPES.get(one.type)
            if wanted is None:
                raise _incomplete(operation, f"operation {index} has the unknown type {one.type!r}", one)
            if lacking := [key for key in wanted if key not in one.payload]:
                raise _incomplete(operation, f"operation {index} does not say {', '.join(lacking)}", one)
            if early := [name for name in one.depends_on if name not in done]:
                raise _incomplete(operation, f"operation {index} depends on {early[0]}, not done before", one)
            if one.operation_id in done:
                raise _incomplete(operation, f"operation {index} stands there twice", one)
            done.add(one.operation_id)

    def summary(self) -> str:
        """The trace for people, a line per operation."""
        lines = [
            f"{one.type.replace('_', ' ')} {name_of(one.target)}{_planned(one)}" for one in self.operations
        ]
        lines += [f"cannot be done: {name_of(one.object_id)}: {one.reason}" for one in self.omitted]
        lines += [f"note: {one}" for one in self.warnings]
        return "\n".join(lines) or _NO_PLAN

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(self.summary())


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
        return _json(self)


class TraceResult(Struct, frozen=True, tag_field="schema", tag=1):
    """What came of executing a trace."""

    trace_id: str
    request_id: str
    status: Status
    executed: tuple[OperationResult, ...] = ()
    removed: tuple[str, ...] = ()
    """What a clean replay took out of the scene first: ids of instances, and of nodes that went whole."""
    failed_operation: Mapping[str, Any] | None = None
    """``{operation_id, index, type, target, error}``; None when all went well."""
    rollback: Rollback = field(default_factory=Rollback)
    model_revision: int | None = None
    contamination: SceneCheck | None = None
    """How the scene compares with the truth afterwards; None when it could not be asked."""

    def to_json(self) -> dict[str, Any]:
        """As files and callers see it."""
        found = _json(self)
        if self.contamination is not None:
            found["contamination"] = self.contamination.to_json()
        return found

    def summary(self, *, foreign: bool = True) -> str:
        """What was done, for people, a line per part, then what differs from the project.

        foreign: also what somebody else has put there, which no push changes.
        """
        lines = [f"{name_of(one)}: removed to be built anew" for one in self.removed]
        by_part: dict[str, list[str]] = {}
        for one in self.executed:
            by_part.setdefault(one.component or one.target, []).append(_done(one))
            by_part[one.component or one.target] += [f"note: {note}" for note in one.warnings]
        lines += [f"{name_of(part)}: {'; '.join(said)}" for part, said in by_part.items()]
        if self.failed_operation is not None:
            lines += _stopped(self)
        elif not lines:
            lines.append(_NOTHING)
        return "\n".join([*lines, *_differences(self, foreign)])

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(self.summary())


def _json(value: Struct) -> dict[str, Any]:
    found: dict[str, Any] = json_value(value)
    return found


def _incomplete(operation: str, reason: str, one: Operation | None = None) -> ServiceFailure:
    details = {"operation": operation, "operation_id": one.operation_id if one else None}
    return ServiceFailure(
        ErrorCode.TRACE_INCOMPLETE, f"the trace cannot be executed: {reason}", details=details
    )


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


def _point(transform: Transform | list[float]) -> str:
    x, y, z = (f"{part + 0.0:.6g}" for part in transform[12:15])
    return f"{x}, {y}, {z} mm"
