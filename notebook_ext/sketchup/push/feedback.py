"""What SketchUp answered, written into the truth: feedback replaces feedback and never touches the design.

Pure. An object that the truth does not have (any more) takes none.
"""

from __future__ import annotations

from msgspec.structs import replace

from notebook_ext.session.project.design_model import Bounds, DesignModel, Execution, Removed
from notebook_ext.sketchup.trace import Operation
from notebook_ext.sketchup.trace_result import OperationResult

__all__ = ["noted", "restored", "unanswered"]


def noted(model: DesignModel, operation: Operation, result: OperationResult) -> DesignModel:
    """The truth after an operation has been carried out."""
    target = operation.target
    match operation.type:
        case "upsert_definition":
            return _definition_noted(model, operation, result)
        case "place_instance" | "move_instance" | "set_layer" | "set_material":
            return _instance_noted(model, operation, result)
        case "remove_instance":
            model = _without_execution(model, {target})
            kept = {name: instance for name, instance in model.removed.instances.items() if name != target}
            return replace(model, removed=replace(model.removed, instances=kept))
        case "remove_definition":
            model = _without_execution(model, {name for name, _ in model.instances_of(target)})
            if (component := model.components.get(target)) is not None:
                fresh = replace(component, applied_revision=0, applied_version=None, execution=None)
                model = model.with_component(target, fresh)
            waiting = {
                name: instance
                for name, instance in model.removed.instances.items()
                if instance.component != target
            }
            removed = Removed(model.removed.components - {target}, waiting)
            return replace(model, removed=removed)
    raise AssertionError(operation.type)


def unanswered(model: DesignModel, operation: Operation) -> DesignModel:
    """The truth after an operation of which it is not known whether it was done.

    Of an instance the scene shows it the next time; of geometry only if it is noted what was being written.
    """
    component = model.components.get(operation.target)
    if operation.type != "upsert_definition" or component is None:
        return model
    pending = replace(component, pending_revision=operation.payload["revision"])
    return model.with_component(operation.target, pending)


def restored(model: DesignModel, before: DesignModel, operation: Operation) -> DesignModel:
    """The truth after an operation was taken back: its target's feedback is again as it was in ``before``."""
    target = operation.target
    if operation.type in ("upsert_definition", "remove_definition"):
        former = before.components.get(target)
        now = model.components.get(target)
        if former is not None and now is not None:
            back = replace(
                now,
                applied_revision=former.applied_revision,
                applied_version=former.applied_version,
                execution=former.execution,
            )
            model = model.with_component(target, back)
        elif target in before.removed.components:
            model = replace(
                model, removed=replace(model.removed, components=model.removed.components | {target})
            )
        names = {name for name, instance in before.instances.items() if instance.component == target}
        gone = {name for name, instance in before.removed.instances.items() if instance.component == target}
        if operation.type == "upsert_definition":
            return model
    else:
        names, gone = {target}, {target}
    instances = dict(model.instances)
    for name in names & before.instances.keys() & instances.keys():
        instances[name] = replace(instances[name], execution=before.instances[name].execution)
    waiting = {**model.removed.instances}
    waiting |= {name: before.removed.instances[name] for name in gone & before.removed.instances.keys()}
    removed = replace(model.removed, instances=waiting)
    return replace(model, instances=instances, removed=removed)


def _definition_noted(model: DesignModel, operation: Operation, result: OperationResult) -> DesignModel:
    component = model.components.get(operation.target)
    if component is None:
        return model
    applied = replace(
        component,
        applied_revision=operation.payload["revision"],
        applied_version=result.version,
        pending_revision=None,
        execution=Execution(
            persistent_id=result.persistent_id,
            operation_id=operation.operation_id,
            model_revision=result.model_revision,
            bounds=_rounded(result.bounds),
            elapsed_ms=result.elapsed_ms,
            mesh_digest=operation.payload["mesh_digest"],
        ),
    )
    return model.with_component(operation.target, applied)


def _instance_noted(model: DesignModel, operation: Operation, result: OperationResult) -> DesignModel:
    instance = model.instances.get(operation.target)
    if instance is None:
        return model
    former = instance.execution or Execution()
    payload = operation.payload
    if result.created is False and former.transform is not None:
        payload = {}  # it stays as it was written before
    execution = Execution(
        entity_id=result.entity_id if result.entity_id is not None else former.entity_id,
        persistent_id=result.persistent_id if result.persistent_id is not None else former.persistent_id,
        operation_id=operation.operation_id,
        model_revision=result.model_revision,
        bounds=_rounded(result.bounds) or former.bounds,
        elapsed_ms=result.elapsed_ms,
        transform=tuple(map(float, payload["transform"])) if "transform" in payload else former.transform,
        layer=payload.get("layer", former.layer),
        material=payload.get("material", former.material),
        extra=former.extra,
    )
    instances = {**model.instances, operation.target: replace(instance, execution=execution)}
    return replace(model, instances=instances)


def _without_execution(model: DesignModel, names: set[str]) -> DesignModel:
    instances = {
        name: replace(instance, execution=None)
        if name in names and instance.execution is not None
        else instance
        for name, instance in model.instances.items()
    }
    return replace(model, instances=instances)


def _rounded(bounds: Bounds | None) -> Bounds | None:
    """To a millionth of a millimetre: SketchUp counts in inches, and the file is read by people."""
    if bounds is None:
        return None
    (a, b, c), (d, e, f) = bounds.min, bounds.max
    return Bounds((round(a, 6), round(b, 6), round(c, 6)), (round(d, 6), round(e, 6), round(f, 6)))
