"""What SketchUp's extension answers, as values: rows of nodes, changes, states.

    read(InstanceChange, answer, "place_vcad_instance")

Lengths are millimetres, transformations 16 numbers column by column with the translation at 12, 13 and 14.
An older extension leaves out much of this, and gives lengths as texts of its unit settings: whatever is
not there, or is no number, is None (or empty). Knows no connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from operator import gt
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_origin

from msgspec import Meta, Struct, ValidationError, convert, field
from msgspec.structs import FieldInfo, fields, replace

from notebook_ext.session.project.design_model import Bounds, Transform
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = [
    "Bounds",
    "Change",
    "DefinitionChange",
    "Identity",
    "InstanceChange",
    "NodeRow",
    "ObserverPoll",
    "Placement",
    "RemovedNode",
    "Status",
    "StepsTaken",
    "Transform",
    "broken",
    "fitting",
    "read",
    "rows",
]

_Value = TypeVar("_Value")
_Default = TypeVar("_Default")
_Answer = TypeVar("_Answer", bound=Struct)
_Name: TypeAlias = Annotated[str, Meta(min_length=1)]


class Identity(Struct, frozen=True):
    """Whose a part is and which geometry it shows: what is written beside it."""

    project_id: str
    digest: str | None = None
    """Of the geometry."""
    pushed_by: str | None = None
    """Id of the session."""


class Change(Struct, frozen=True, kw_only=True):
    """What every answer to a change carries; an older extension says none of it."""

    model_revision: int | None = None
    """Changes, undos and redos of the model since the extension started."""
    model_epoch: int | str | None = None
    """Another one means another document: every id of before is void."""
    elapsed_ms: float | None = None
    replayed: bool = False
    """Answered from memory: the change had been made by an earlier call of the same ``request_id``."""


class DefinitionChange(Change, frozen=True, kw_only=True):
    """A node's geometry was put into the model or exchanged."""

    node_id: _Name
    version: int | None = None
    definition_name: str | None = None
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


class InstanceChange(Change, frozen=True, kw_only=True):
    """One instance was placed, changed or removed."""

    entity_id: int | None = None
    persistent_id: int | None = None
    node_id: str | None = None
    instance_id: str | None = None
    created: bool = False
    bounds: Bounds | None = None
    """In the coordinates of what it stands in."""


class RemovedNode(Change, frozen=True, kw_only=True):
    """A node is gone, with all its instances."""

    removed_instances: int = 0


class StepsTaken(Change, frozen=True, kw_only=True):
    """Undone or redone steps."""

    steps: int


class Placement(Struct, frozen=True):
    """One instance of a node as it stands in the model."""

    entity_id: int
    persistent_id: int | None = None
    instance_id: str | None = None
    """Ours; None for an instance that we did not place. A person's copy of ours has the same."""
    transform: Annotated[Transform, Meta(min_length=16, max_length=16)] | None = field(
        name="transformation", default=None
    )
    layer: str | None = None
    material: str | None = None
    locked: bool = False
    parent_id: int | None = None
    """Entity that it stands in; None in the root of the model."""
    project_id: str | None = None
    """Whose mark it carries: another's than its node's, where a person has exchanged what it shows."""


class NodeRow(Struct, frozen=True):
    """One node that the model shows."""

    node_id: _Name
    source_file: str | None = None
    version: int = 0
    name: str | None = None
    """Of the definition."""
    instances: int = 0
    entity_ids: tuple[int, ...] = ()
    persistent_ids: tuple[int, ...] = ()
    definition_persistent_id: int | None = None
    placements: tuple[Placement, ...] = ()
    bounds: Bounds | None = None
    """Only when one node was asked for; in the definition's own coordinates."""
    project_id: str | None = None
    """Whose it is; None for one of before there were projects, or of no project."""
    digest: str | None = None
    """Of the geometry that stands there."""
    pushed_by: str | None = None
    """Id of the session that wrote it."""


class Status(Struct, frozen=True):
    """What the extension says of itself."""

    version: str | None = None
    sketchup_version: str | None = None
    message: str | None = None
    model_revision: int | None = None
    model_epoch: int | str | None = None


class ObserverPoll(Struct, frozen=True):
    """What has changed since the last poll."""

    changed_entity_ids: tuple[int, ...] = ()
    changed_persistent_ids: tuple[int, ...] | None = None
    """Of those that are watched; None from an extension that does not say it."""
    removed_entity_ids: tuple[int, ...] = ()
    reverted_nodes: tuple[Mapping[str, Any], ...] = ()
    """Nodes that a person's undo took back: ``{node_id, version, applied_version}`` each."""
    dropped: int = 0
    """More than 0: anything may have changed."""
    overflow: bool = False
    """Anything may have changed: something was dropped, or forgotten before it was asked for."""
    seq: int | None = None
    """To be passed back as ``ack``: what came after it is sent once more."""
    model_changed: bool = False


def read(kind: type[_Answer], answer: Any, operation: str, path: str = "result", **asked: Any) -> _Answer:
    """The value of this kind that an answer is, as far as it fits.

    path: where the answer stands in the whole. asked: values of fields that need not be answered.
    Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED for what is no object, or lacks what it must have.
    """
    if not isinstance(answer, dict):
        raise broken(operation, path, "an object")
    try:
        value = convert({**asked, **answer}, kind)  # a current extension's, in most cases
    except ValidationError:
        value = _as_far_as_it_fits(kind, answer, operation, path, asked)
    box = getattr(value, "bounds", None)
    if box is not None and any(map(gt, box.min, box.max)):
        return replace(value, bounds=None)  # an empty box of SketchUp's is inside out
    return value


def rows(answer: Any, operation: str) -> tuple[NodeRow, ...]:
    """Of a list of nodes. Raises: ServiceFailure of SCHEMA_VALIDATION_FAILED."""
    if not isinstance(answer, list):
        raise broken(operation, "result", "a list of nodes")
    return tuple(read(NodeRow, row, operation, f"result[{index}]") for index, row in enumerate(answer))


def fitting(kind: type[_Value], value: Any, default: _Default) -> _Value | _Default:
    """The value as one of this type; the default where it is none. Of a list, those that fit."""
    try:
        fitted: _Value = _fitted(kind, value)
    except ValidationError:
        return default
    return fitted


def broken(operation: str, path: str, expected: str) -> ServiceFailure:
    """An answer that is not what the call's answer must be."""
    return ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"SketchUp's answer to {operation} is not understood: {path} must be {expected}",
        fix="install the extension that `vcad sketchup package` of this notebook makes",
        details={"path": path, "expected": expected, "operation": operation},
    )


def _as_far_as_it_fits(
    kind: type[_Answer], answer: Mapping[str, Any], operation: str, path: str, asked: Mapping[str, Any]
) -> _Answer:
    given = dict(asked)
    for entry in _fields(kind):
        name, value = entry.encode_name, answer.get(entry.encode_name)
        if entry.type == tuple[Placement, ...] and isinstance(value, list):
            given[entry.name] = tuple(
                read(Placement, row, operation, f"{path}.{name}[{index}]") for index, row in enumerate(value)
            )
        elif name in answer:
            with suppress(ValidationError):
                given[entry.name] = _fitted(entry.type, value)
        if entry.required and entry.name not in given:
            expected = "a whole number" if entry.type is int else "a text"
            raise broken(operation, f"{path}.{name}", expected)
    return kind(**given)


@cache
def _fields(kind: type[Struct]) -> tuple[FieldInfo, ...]:
    return fields(kind)


def _fitted(kind: Any, value: Any) -> Any:
    """Raises: msgspec.ValidationError."""
    try:
        return convert(value, kind)
    except ValidationError:
        if isinstance(value, float) and value.is_integer():
            return convert(int(value), kind)
        if not isinstance(value, list) or get_origin(kind) not in (tuple, frozenset):
            raise
        kept = []
        for item in value:
            with suppress(ValidationError):
                kept.append(_fitted(get_args(kind)[0], item))
        return convert(kept, kind)
