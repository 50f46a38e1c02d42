"""What SketchUp's extension answers, as values: rows of nodes, changes, states.

Lengths are millimetres, transformations 16 numbers column by column with the translation at 12, 13 and 14.
An older extension leaves out much of this, and gives lengths as texts of its unit settings: whatever is
not there, or is no number, is None (or empty). Knows no connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import gt
from typing import Any, TypeAlias

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = [
    "Bounds",
    "Change",
    "DefinitionChange",
    "InstanceChange",
    "NodeRow",
    "ObserverPoll",
    "Placement",
    "Point",
    "RemovedNode",
    "Status",
    "StepsTaken",
    "Transform",
]

Point: TypeAlias = tuple[float, float, float]
"""Millimetres."""
Bounds: TypeAlias = tuple[Point, Point]
"""Smallest and largest corner, millimetres."""
Transform: TypeAlias = tuple[float, ...]
"""16 numbers, column by column; translation in millimetres."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What every answer to a change carries; an older extension says none of it."""

    model_revision: int | None = None
    """Changes, undos and redos of the model since the extension started."""
    model_epoch: int | str | None = None
    """Another one means another document: every id of before is void."""
    elapsed_ms: float | None = None
    replayed: bool = False
    """Answered from memory: the change had been made by an earlier call of the same ``request_id``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionChange(Change):
    """A node's geometry was put into the model or exchanged."""

    node_id: str
    version: int | None
    definition_name: str | None
    definition_persistent_id: int | None = None
    created: bool = False
    replaced_instances: int = 0
    entity_id: int | None = None
    """Of the instance that was placed, where one was."""
    persistent_id: int | None = None
    entity_ids: tuple[int, ...] = ()
    persistent_ids: tuple[int, ...] = ()
    bounds: Bounds | None = None
    """Of the definition, in its own coordinates."""
    manifold: bool | None = None
    revision: int | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceChange(Change):
    """One instance was placed, changed or removed."""

    entity_id: int | None
    persistent_id: int | None
    node_id: str | None = None
    instance_id: str | None = None
    created: bool = False
    bounds: Bounds | None = None
    """In the coordinates of what it stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedNode(Change):
    """A node is gone, with all its instances."""

    node_id: str
    removed_instances: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StepsTaken(Change):
    """Undone or redone steps."""

    steps: int


@dataclass(frozen=True, slots=True)
class Placement:
    """One instance of a node as it stands in the model."""

    entity_id: int
    persistent_id: int | None
    instance_id: str | None
    """Ours; None for an instance that we did not place. A person's copy of ours has the same."""
    transform: Transform | None
    layer: str | None
    material: str | None
    locked: bool
    parent_id: int | None = None
    """Entity that it stands in; None in the root of the model."""


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One node that the model shows."""

    node_id: str
    source_file: str | None
    version: int
    name: str | None
    """Of the definition."""
    instances: int
    entity_ids: tuple[int, ...] = ()
    persistent_ids: tuple[int, ...] = ()
    definition_persistent_id: int | None = None
    placements: tuple[Placement, ...] = ()
    bounds: Bounds | None = None
    """Only when one node was asked for; in the definition's own coordinates."""


@dataclass(frozen=True, slots=True)
class Status:
    """What the extension says of itself."""

    version: str | None
    sketchup_version: str | None
    message: str | None
    model_revision: int | None = None
    model_epoch: int | str | None = None


@dataclass(frozen=True, slots=True)
class ObserverPoll:
    """What has changed since the last time somebody asked."""

    changed_entity_ids: tuple[int, ...]
    removed_entity_ids: tuple[int, ...] = ()
    reverted_nodes: tuple[Mapping[str, Any], ...] = ()
    """Nodes that a person's undo took back: ``{node_id, version, applied_version}`` each."""
    dropped: int = 0
    """More than 0: anything may have changed."""
    seq: int | None = None
    """To be passed back as ``ack``: what came after it is told once more."""
    model_changed: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


def definition_change(found: Any, node_id: str, operation: str) -> DefinitionChange:
    """Of a result of placing or updating. Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED."""
    row = _object(found, operation)
    return DefinitionChange(
        node_id=text(row.get("node_id")) or node_id,
        version=whole(row.get("version")),
        definition_name=text(row.get("definition_name")),
        definition_persistent_id=whole(row.get("definition_persistent_id")),
        created=row.get("created") is True,
        replaced_instances=whole(row.get("replaced_instances")) or 0,
        entity_id=whole(row.get("entity_id")),
        persistent_id=whole(row.get("persistent_id")),
        entity_ids=wholes(row.get("entity_ids")),
        persistent_ids=wholes(row.get("persistent_ids")),
        bounds=box(row.get("bounds")),
        manifold=_switch(row.get("manifold")),
        revision=whole(row.get("revision")),
        warnings=tuple(str(one) for one in _list(row.get("warnings"))),
        **_stamp(row),
    )


def instance_change(found: Any, operation: str) -> InstanceChange:
    """Of a result about one instance. Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED."""
    row = _object(found, operation)
    return InstanceChange(
        entity_id=whole(row.get("entity_id")),
        persistent_id=whole(row.get("persistent_id")),
        node_id=text(row.get("node_id")),
        instance_id=text(row.get("instance_id")),
        created=row.get("created") is True,
        bounds=box(row.get("bounds")),
        **_stamp(row),
    )


def removed_node(found: Any, node_id: str, operation: str) -> RemovedNode:
    """Of a removal. Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED."""
    row = _object(found, operation)
    return RemovedNode(
        node_id=node_id, removed_instances=whole(row.get("removed_instances")) or 0, **_stamp(row)
    )


def steps_taken(found: Any, asked: int, operation: str) -> StepsTaken:
    """Of an undo or a redo. Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED."""
    row = _object(found, operation)
    steps = whole(row.get("steps"))
    return StepsTaken(steps=asked if steps is None else steps, **_stamp(row))


def node_rows(found: Any, operation: str) -> tuple[NodeRow, ...]:
    """Of a list of nodes. Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED."""
    if not isinstance(found, list):
        raise broken(operation, "result", "a list of nodes")
    return tuple(node_row(one, operation, f"result[{index}]") for index, one in enumerate(found))


def node_row(found: Any, operation: str, path: str = "result") -> NodeRow:
    """Of one node. Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED."""
    row = _object(found, operation, path)
    node_id = text(row.get("node_id"))
    if not node_id:
        raise broken(operation, f"{path}.node_id", "a text")
    return NodeRow(
        node_id=node_id,
        source_file=text(row.get("source_file")),
        version=whole(row.get("version")) or 0,
        name=text(row.get("name")),
        instances=whole(row.get("instances")) or 0,
        entity_ids=wholes(row.get("entity_ids")),
        persistent_ids=wholes(row.get("persistent_ids")),
        definition_persistent_id=whole(row.get("definition_persistent_id")),
        placements=tuple(
            _placement(one, operation, f"{path}.placements[{index}]")
            for index, one in enumerate(_list(row.get("placements")))
        ),
        bounds=box(row.get("bounds")),
    )


def _placement(found: Any, operation: str, path: str) -> Placement:
    row = _object(found, operation, path)
    entity_id = whole(row.get("entity_id"))
    if entity_id is None:
        raise broken(operation, f"{path}.entity_id", "a whole number")
    return Placement(
        entity_id=entity_id,
        persistent_id=whole(row.get("persistent_id")),
        instance_id=text(row.get("instance_id")),
        transform=numbers(row.get("transformation"), 16),
        layer=text(row.get("layer")),
        material=text(row.get("material")),
        locked=row.get("locked") is True,
        parent_id=whole(row.get("parent_id")),
    )


def status(found: Any, operation: str) -> Status:
    """Of a ping. Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED."""
    row = _object(found, operation)
    return Status(
        version=text(row.get("version")),
        sketchup_version=text(row.get("sketchup_version")),
        message=text(row.get("message")),
        model_revision=whole(row.get("model_revision")),
        model_epoch=_epoch(row.get("model_epoch")),
    )


def observer_poll(found: Any, operation: str) -> ObserverPoll:
    """Of a poll. Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED."""
    row = _object(found, operation)
    return ObserverPoll(
        changed_entity_ids=wholes(row.get("changed_entity_ids")),
        removed_entity_ids=wholes(row.get("removed_entity_ids")),
        reverted_nodes=tuple(one for one in _list(row.get("reverted_nodes")) if isinstance(one, dict)),
        dropped=whole(row.get("dropped")) or 0,
        seq=whole(row.get("seq")),
        model_changed=row.get("model_changed") is True,
        raw=row,
    )


def whole(found: Any) -> int | None:
    """A whole number, or None for what is none."""
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def wholes(found: Any) -> tuple[int, ...]:
    """The whole numbers of a list."""
    return tuple(number for one in _list(found) if (number := whole(one)) is not None)


def numbers(found: Any, count: int) -> tuple[float, ...] | None:
    """So many numbers; None when there are others, or a text stands where a length should."""
    if not isinstance(found, list) or len(found) != count:
        return None
    if any(isinstance(one, bool) or not isinstance(one, int | float) for one in found):
        return None
    return tuple(float(one) for one in found)


def box(found: Any) -> Bounds | None:
    """Two corners; None when they are not all numbers, or hold nothing."""
    if not isinstance(found, dict):
        return None
    low, high = numbers(found.get("min"), 3), numbers(found.get("max"), 3)
    if low is None or high is None or any(map(gt, low, high)):
        return None  # an empty box of SketchUp's is inside out
    return (low[0], low[1], low[2]), (high[0], high[1], high[2])


def text(found: Any) -> str | None:
    """A text, or None for what is none."""
    return found if isinstance(found, str) else None


def broken(operation: str, path: str, expected: str) -> ServiceFailure:
    """An answer that is not what the call's answer must be."""
    return ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"SketchUp's answer to {operation} is not understood: {path} must be {expected}",
        fix="install the extension that `vcad sketchup package` of this notebook makes",
        details={"path": path, "expected": expected, "operation": operation},
    )


def _object(found: Any, operation: str, path: str = "result") -> Mapping[str, Any]:
    if not isinstance(found, dict):
        raise broken(operation, path, "an object")
    return found


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []


def _switch(found: Any) -> bool | None:
    return found if isinstance(found, bool) else None


def _epoch(found: Any) -> int | str | None:
    return found if isinstance(found, int | str) and not isinstance(found, bool) else None


def _stamp(row: Mapping[str, Any]) -> dict[str, Any]:
    elapsed = row.get("elapsed_ms")
    return {
        "model_revision": whole(row.get("model_revision")),
        "model_epoch": _epoch(row.get("model_epoch")),
        "elapsed_ms": float(elapsed)
        if isinstance(elapsed, int | float) and not isinstance(elapsed, bool)
        else None,
        "replayed": row.get("replayed") is True,
    }
