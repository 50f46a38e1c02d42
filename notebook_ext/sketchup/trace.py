"""What has to be done in SketchUp, one operation after another.

A trace is derived from the project's truth alone (`planning.py`), can be printed, kept in a file and
executed later (`push.py`); what then came of it is in `trace_result.py`. Its id is a hash of what it says, so
equal truths give equal traces. Knows no connection and no file.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from blake3 import blake3
from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import replace

from notebook_ext.session.node_names import name_of
from notebook_ext.session.project.canonical import canonical_json, json_object
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["OPERATION_TYPES", "Mode", "Omitted", "Operation", "Trace", "point_of"]

Mode: TypeAlias = Literal["incremental", "clean"]

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

_NOTHING_TO_DO: Final = "nothing to do: SketchUp has been given all of it"


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
        return json_object(self)


class Omitted(Struct, frozen=True):
    """An object of the truth that cannot become an operation."""

    object_id: str
    reason: str

    def to_json(self) -> dict[str, str]:
        """As callers see it, and as they name it to accept it."""
        return json_object(self)


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
    def from_json(cls, data: object, *, operation: str = "read a trace") -> Trace:
        """Of what `to_json` gave. Raises: ServiceFailure TRACE_INCOMPLETE for what is no trace."""
        try:
            trace = convert(data, cls)
        except ValidationError as error:
            raise _incomplete(operation, f"it is no trace: {error}") from None
        trace.verify(operation)
        return trace

    def to_json(self) -> dict[str, Any]:
        """As files hold it."""
        return {**json_object(self), "complete": self.complete}

    def verify(self, operation: str) -> None:
        """Let a trace pass that can be executed as it stands.

        Raises: ServiceFailure TRACE_INCOMPLETE for an unknown type, a payload that lacks something, an
        operation that depends on one which does not come before it.
        """
        done: set[str] = set()
        for index, step in enumerate(self.operations):
            wanted = OPERATION_TYPES.get(step.type)
            if wanted is None:
                raise _incomplete(operation, f"operation {index} has the unknown type {step.type!r}", step)
            if lacking := [key for key in wanted if key not in step.payload]:
                raise _incomplete(operation, f"operation {index} does not say {', '.join(lacking)}", step)
            if early := [name for name in step.depends_on if name not in done]:
                raise _incomplete(
                    operation, f"operation {index} depends on {early[0]}, not done before", step
                )
            if step.operation_id in done:
                raise _incomplete(operation, f"operation {index} stands there twice", step)
            done.add(step.operation_id)

    def summary(self) -> str:
        """For people: a line for each operation, then what cannot be done, then notes."""
        lines = [
            f"{step.type.replace('_', ' ')} {name_of(step.target)}{_planned(step)}"
            for step in self.operations
        ]
        lines += [f"cannot be done: {name_of(part.object_id)}: {part.reason}" for part in self.omitted]
        lines += [f"note: {warning}" for warning in self.warnings]
        return "\n".join(lines) or _NOTHING_TO_DO

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(self.summary())


def _incomplete(operation: str, reason: str, step: Operation | None = None) -> ServiceFailure:
    details = {"operation": operation, "operation_id": step.operation_id if step else None}
    return ServiceFailure(
        ErrorCode.TRACE_INCOMPLETE, f"the trace cannot be executed: {reason}", details=details
    )


def _planned(step: Operation) -> str:
    """What of an operation's payload people want to see."""
    if step.type in ("place_instance", "move_instance"):
        of = f" of {name_of(step.payload['component'])}" if step.type == "place_instance" else ""
        return f"{of} at {point_of(step.payload['transform'])}"
    if step.type == "upsert_definition":
        return f" (revision {step.payload['revision']})"
    return (
        f": {step.payload[step.type.removeprefix('set_')] or 'none'}" if step.type.startswith("set_") else ""
    )


def point_of(transform: tuple[float, ...] | list[float]) -> str:
    """Where a transformation, 16 numbers column by column, puts the origin, for people."""
    x, y, z = (f"{part + 0.0:.6g}" for part in transform[12:15])
    return f"{x}, {y}, {z} mm"
