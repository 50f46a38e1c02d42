"""Takes operations back that were carried out: by SketchUp's undo while the last step is ours, else by the
operation that does the opposite.

That a step is ours is known from the model's revision, since SketchUp's undo stack cannot be read: each of
our operations raises it by one, so a larger leap, or another number than we saw last, is not ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from notebook_ext.session.project.canonical import json_object
from notebook_ext.session.project.design_model import DesignModel
from notebook_ext.sketchup.planning import Meshes
from notebook_ext.sketchup.push.feedback import noted, restored
from notebook_ext.sketchup.push.scene_writer import UNTAGGED, SceneWriter
from notebook_ext.sketchup.trace import Operation
from notebook_ext.sketchup.trace_result import OperationResult, Rollback
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

__all__ = ["Done", "taken_back"]

_GONE: Final = (ErrorCode.ENTITY_NOT_FOUND, ErrorCode.NODE_NOT_FOUND)


@dataclass(frozen=True, slots=True)
class Done:
    """An operation that was carried out, and how things stood before it."""

    operation: Operation
    result: OperationResult
    before: DesignModel
    revision_before: int | None


def taken_back(
    done: Sequence[Done], model: DesignModel, writer: SceneWriter, meshes: Meshes
) -> tuple[Rollback, DesignModel]:
    """Take all of this back, the last first.

    Returns: what is left, and the truth with its feedback corrected.
    """
    remaining: list[str] = []
    top = actual = writer.model_revision
    """The count that our last step left if nothing was done since, and the count as it is."""
    for step in reversed(done):
        after, before = step.result.model_revision, step.revision_before
        if after is not None and before is not None and after == top:
            if after == before:  # it changed nothing, and left no step
                model = restored(model, step.before, step.operation)
                continue
            actual = _undone(step, writer, actual)
            if actual is not None:
                model = restored(model, step.before, step.operation)
                top = before if after - before == 1 else None  # a leap: a foreign step lies below ours
                continue
        top = None
        try:
            model = _reversed(step, model, writer, meshes)
        except VcadError:
            remaining.append(step.operation.operation_id)
    if not done:
        return Rollback(), model
    remaining.reverse()
    return Rollback("partial" if remaining else "complete", tuple(remaining)), model


def _undone(step: Done, writer: SceneWriter, expected: int | None) -> int | None:
    """SketchUp's count after one undo; None when it refuses, since the last step is not ours any more."""
    try:
        return writer.undo(step.operation, expected)
    except VcadError:
        return None


def _reversed(step: Done, model: DesignModel, writer: SceneWriter, meshes: Meshes) -> DesignModel:
    """The truth after the opposite was done. Raises: VcadError, also when there is no opposite."""
    opposite = _opposite(step, writer, meshes)
    if opposite is None:
        return restored(model, step.before, step.operation)
    try:
        result = writer.write(opposite)
    except VcadError as error:
        if error.error_code not in _GONE:
            raise
        return restored(model, step.before, step.operation)  # a person removed it: nothing of ours is left
    model = restored(model, step.before, step.operation)
    return model if opposite.type.startswith("remove") else noted(model, opposite, result)


def _opposite(step: Done, writer: SceneWriter, meshes: Meshes) -> Operation | None:
    """The operation that takes another back; None when nothing is to be done. Raises: ServiceFailure."""
    operation, target = step.operation, step.operation.target
    if operation.type == "upsert_definition":
        return _former_geometry(step, meshes)
    if operation.type == "place_instance":
        if step.result.created is False:
            return None
        payload = {key: operation.payload[key] for key in ("component", "instance_id")}
        return Operation.of("remove_instance", target, payload)
    stood = writer.stood(target)
    if operation.type == "remove_definition" or stood is None or stood.transform is None:
        raise _irreversible(operation)
    former = {
        "transform": list(stood.transform),
        "layer": None if stood.layer in UNTAGGED else stood.layer,
        "material": stood.material,
    }
    payload = {"component": operation.payload["component"], "instance_id": target}
    if operation.type == "remove_instance":
        return Operation.of("place_instance", target, {**payload, **former})
    key = "transform" if operation.type == "move_instance" else operation.type.removeprefix("set_")
    return Operation.of(operation.type, target, {**payload, key: former[key]})


def _former_geometry(step: Done, meshes: Meshes) -> Operation:
    target = step.operation.target
    former = step.before.components.get(target)
    if step.result.created:
        return Operation.of("remove_definition", target, {})
    if former is None or not former.applied_revision:  # a state of it that we have no geometry of
        raise _irreversible(step.operation)
    if meshes.unavailable(target, former.applied_revision) is not None:
        raise _irreversible(step.operation)
    mesh = meshes.mesh(target, former.applied_revision)
    payload = {
        **step.operation.payload,
        "mesh_path": mesh.path,
        "mesh_digest": mesh.digest,
        "expected_bbox_mm": None if mesh.bbox is None else json_object(mesh.bbox),
        "revision": former.applied_revision,
    }
    return Operation.of("upsert_definition", target, payload)


def _irreversible(operation: Operation) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.OPERATION_FAILED,
        f"{operation.type} of {operation.target} has no opposite",
        details={"operation": operation.type},
    )
